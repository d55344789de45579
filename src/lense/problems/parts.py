"""The heuristic on a part of a graph, its answer given and scored in the whole graph."""

from dataclasses import replace
from inspect import signature
from typing import NamedTuple

import numpy as np

from lense.errors import LenseError, choose
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.problems import Problem, Solution

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
    """The heuristic's answer with a part of ``graph``, used as ``mode`` says, and scored on the whole ``graph``.

    With ``certify`` the optimum of the whole graph is bounded.
    """
    solution = problem.score(graph, search_part(problem, graph, part, budget, rng, mode=mode))
    return problem.certify(graph, solution, rng) if certify else solution


def ratio_of(score: float, whole_score: float) -> float:
    """f(H(S)) / f(H(G)); 1 where the whole graph G is worth nothing."""
    return score / whole_score if whole_score > 0 else 1.0


class PartScore(NamedTuple):
    """A ``solution`` H(S) on a part S of G, its ``score`` f(H(S)) on G, and the ``ratio`` f(H(S)) / f(H(G))."""

    solution: Solution
    score: float
    ratio: float


def score_part(
    problem: Problem,
    graph: Graph,
    part: Subgraph,
    budget: float,
    rng: np.random.Generator,
    whole_score: float,
    *,
    mode: str = "subgraph",
    estimate: bool = False,
) -> PartScore:
    """Compare the heuristic's answer with a part of ``graph`` to ``whole_score``, that of its answer on all of it.

    With ``estimate`` the score is as precise as an answer's needs to be, where that takes less time.
    """
    found = search_part(problem, graph, part, budget, rng, mode=mode)
    score = problem.score(graph, found).score if estimate else problem.objective_value(graph, found.indices)
    return PartScore(found, score, ratio_of(score, whole_score))


def search_part(
    problem: Problem, graph: Graph, part: Subgraph, budget: float, rng: np.random.Generator, *, mode: str = "subgraph"
) -> Solution:
    """What the heuristic finds with a part of ``graph``, as vertices of ``graph``, not scored yet.

    As a subgraph, a part that has fewer vertices than a budget that counts them is bought whole. As a ground set, every
    other vertex counts and none is chosen. In both modes a vertex costs what it costs in the whole graph, and forced
    vertices are chosen. Where a part says that an answer is to consist of roots, and has enough of them, a heuristic
    that can be limited to them is. A bound that the heuristic knows holds for the part alone, so it is left out.
    """
    choose(mode, MODES, "mode")
    if mode == "ground-set":
        found = problem.search(graph, budget, rng, candidates=part.roots, forced=part.forced)
        return replace(found, upper_bound=None)
    if part.graph.num_vertices == 0:
        raise LenseError("The pruned graph has no vertices, so there is nothing to choose from.")
    if part.graph.num_edges == 0:
        raise LenseError("The pruned graph has no edges, so there is nothing to solve.")
    costs = problem.checked_costs(graph)
    if costs is None:
        forced = np.searchsorted(part.vertices, part.forced)
        can_be_limited = "candidates" in signature(problem.heuristics[problem.solver]).parameters
        is_limited = part.only_roots and part.roots.size >= budget and can_be_limited
        pool = np.searchsorted(part.vertices, part.roots) if is_limited else None
        to_spend = min(budget, part.graph.num_vertices)
        found = problem.search(part.graph, to_spend, rng, candidates=pool, forced=forced)
    else:
        problem.check_budget(graph, budget)
        found = problem.search(part.graph, budget, rng, costs=costs[part.vertices])
    return replace(found, indices=part.vertices[found.indices], budget=budget, upper_bound=None)
