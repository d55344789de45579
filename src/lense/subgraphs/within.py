"""The heuristic on a subgraph, its answer told and scored in the whole graph."""

from dataclasses import replace

import numpy as np

from lense.graph import Graph
from lense.problems import Problem, Solution
from lense.subgraphs.induce import Subgraph


def solve_within(
    problem: Problem, graph: Graph, part: Subgraph, budget: float, rng: np.random.Generator, *, certify: bool = False
) -> Solution:
    """H(S) for the subgraph S, as vertices of ``graph`` and with their score f there.

    A bound that the heuristic knows holds for the subgraph alone, so it is left out; with ``certify`` the optimum of
    the whole graph is bounded.
    """
    found = problem.search(part.graph, budget, rng)
    there = replace(found, vertices=part.vertices[found.vertices], upper_bound=None)
    solution = problem.score(graph, there)
    return problem.certify(graph, solution, rng) if certify else solution
