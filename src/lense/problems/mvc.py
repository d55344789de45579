"""Max vertex cover: the vertices that touch most edges."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lense.counter import seed_from
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels import coverage
from lense.kernels.buckets import degrees, greedy
from lense.kernels.gains import Gains, edge_gains
from lense.problems.base import Found, Problem, Rng, Solution, candidate_array, heuristic, vertex_set
from lense.problems.mip import best_cover, check_limits
from lense.types import Int32s, Int64s


@dataclass(frozen=True, kw_only=True)
class MaxVertexCover(Problem):
    """f(X) = edges with at least one end in X / all edges, whatever their direction and weight.

    Parallel edges and opposite arcs are edges of their own. ``epsilon`` is how much of greedy's guarantee
    stochastic-greedy may give up; ``gap`` (relative) and ``time_limit`` (seconds, or none) say when mip may
    stop.
    """

    name: ClassVar[str] = "mvc"

    epsilon: float = 0.1
    gap: float = 0.0
    time_limit: float | None = 600.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits(self.gap, self.time_limit)
        if not 0 < self.epsilon < 1:
            raise LenseError(f"The option epsilon must lie between 0 and 1, not {self.epsilon}.")

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        chosen = vertex_set(graph, vertices)
        covered = coverage.covered_edges(graph.incident.indptr, graph.incident.indices, chosen)
        return covered / max(graph.num_edges, 1)

    def gains(self, graph: Graph, budget: float) -> Gains:
        """The edges at v whose other end is not in A yet; a self loop always counts."""
        rows = graph.incident
        return edge_gains(rows.indptr, rows.indices, penalty=0, scale=1 / max(graph.num_edges, 1))

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float:
        """Coverage is submodular: OPT <= f(S_i) + the b largest gains given S_i, for the best prefix S_i."""
        rows = graph.incident
        covered = coverage.coverage_bound(
            rows.indptr, rows.indices, degrees(rows.indptr), solution.vertices, int(budget)
        )
        return min(covered / max(graph.num_edges, 1), 1.0)

    @heuristic("greedy")
    def greedy(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """The vertex of largest gain again and again: at least 1 - 1/e of the optimum; draws no lots."""
        return _greedy(graph, candidate_array(graph, candidates), int(budget))

    @heuristic("stochastic-greedy")
    def stochastic_greedy(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """The best of n / b ln(1 / epsilon) vertices drawn at each step (Mirzasoleiman et al. 2015).

        n is the number of those that may be chosen. Its expected value is at least 1 - 1/e - epsilon of the optimum.
        """
        rows, pool = graph.incident, candidate_array(graph, candidates)
        sample_size = math.ceil(pool.size / budget * math.log(1 / self.epsilon))
        chosen: Int64s = coverage.stochastic_greedy(
            rows.indptr, rows.indices, pool, int(budget), sample_size, seed_from(rng)
        )
        return chosen

    @heuristic("probabilistic-greedy")
    def probabilistic_greedy(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """Each next vertex drawn with probability proportional to its gain (Manchanda et al. 2020, GCOMB)."""
        rows, pool = graph.incident, candidate_array(graph, candidates)
        chosen: Int64s = coverage.probabilistic_greedy(rows.indptr, rows.indices, pool, rng.random(int(budget)))
        return chosen

    @heuristic("mip")
    def mip(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Found:
        """The optimum up to ``gap``, found by HiGHS from the greedy solution, in greedy order."""
        budget, seed = int(budget), int(rng.integers(2**31))
        start = self.greedy(graph, budget, rng, candidates)
        optimum = best_cover(
            graph, budget, start, seed, candidates=candidates, gap=self.gap, time_limit=self.time_limit
        )
        bound = None if optimum.upper_bound is None else optimum.upper_bound / max(graph.num_edges, 1)
        return Found(_greedy(graph, optimum.vertices.astype(np.int32), budget), bound, optimum.details)


def _greedy(graph: Graph, candidates: Int32s, budget: int) -> Int64s:
    rows = graph.incident
    chosen: Int64s = greedy(rows.indptr, rows.indices, degrees(rows.indptr), candidates, budget, 1)
    return chosen
