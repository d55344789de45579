"""The heuristic on a part of a graph, its answer told and scored in the whole graph."""

from dataclasses import replace

import numpy as np

from lense.errors import LenseError, choose
from lense.graph import Graph
from lense.problems import Problem, Solution
from lense.subgraphs.induce import Subgraph

MODES = {
    "subgraph": "the heuristic sees the subgraph alone",
    "ground-set": "the heuristic sees the whole graph, but may choose roots alone",
}
"""The two ways to use what a pruner keeps."""


def solve_part(
    problem: Problem,
    graph: Graph,
    part: Subgraph,
    budget: float,
    rng: np.random.Generator,
    *,
    mode: str = "subgraph",
    certify: bool = False,
) -> Solution:
    """The heuristic's answer with a part of ``graph``, used as ``mode`` tells."""
    choose(mode, MODES, "mode")
    solving = solve_within if mode == "subgraph" else solve_among
    return solving(problem, graph, part, budget, rng, certify=certify)


def solve_within(
    problem: Problem, graph: Graph, part: Subgraph, budget: float, rng: np.random.Generator, *, certify: bool = False
) -> Solution:
    """H(S) for the subgraph S, as vertices of ``graph`` and with their score f there.

    A part that has fewer vertices than the budget pays for is bought whole. A bound that the heuristic knows holds for
    the subgraph alone, so it is left out; with ``certify`` the optimum of the whole graph is bounded.
    """
    if part.graph.num_vertices == 0:
        raise LenseError("The pruned graph has no vertices, so there is nothing to choose from.")
    found = problem.search(part.graph, problem.spendable(part.graph.num_vertices, budget), rng)
    there = replace(found, vertices=part.vertices[found.vertices], budget=budget, upper_bound=None)
    return _scored(problem, graph, there, rng, certify)


def solve_among(
    problem: Problem, graph: Graph, part: Subgraph, budget: float, rng: np.random.Generator, *, certify: bool = False
) -> Solution:
    """The heuristic on ``graph`` itself, held to the roots of ``part``: every other vertex counts, none is chosen."""
    found = problem.search(graph, budget, rng, candidates=part.roots)
    return _scored(problem, graph, replace(found, upper_bound=None), rng, certify)


def _scored(problem: Problem, graph: Graph, solution: Solution, rng: np.random.Generator, certify: bool) -> Solution:
    scored = problem.score(graph, solution)
    return problem.certify(graph, scored, rng) if certify else scored
