"""Max vertex cover: the vertices that touch most edges, or the edges of most weight."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lense._util.random_streams import seed_from
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.coverage import probabilistic_greedy, stochastic_greedy
from lense.kernels.gains import Gains, edge_gains
from lense.problems.base import Found, Problem, Rng, Solution, candidate_array, heuristic, vertex_set
from lense.problems.bounds import certificate
from lense.problems.edge_weights import EdgeCounts
from lense.problems.mip import best_choice, check_limits, mip_seconds


@dataclass(frozen=True, kw_only=True)
class MaxVertexCover(Problem):
    """f(X) = edges with at least one end in X / all edges, whatever their direction.

    Where the graph has weights, both are sums of weights instead of numbers of edges. Parallel edges and opposite arcs
    are edges of their own. ``epsilon`` is how much of greedy's guarantee stochastic-greedy may give up; ``gap``
    (relative) and ``time_limit`` (seconds, or none) say when mip may stop.
    """

    name: ClassVar[str] = "mvc"
    place: ClassVar[int] = 1
    title: ClassVar[str] = "Max Vertex Cover"
    goal: ClassVar[str] = "cover the most edges"
    unit: ClassVar[str] = "% of edges covered"
    thorough_solvers: ClassVar[tuple[str, ...]] = ("mip",)
    superlinear_solvers: ClassVar[tuple[str, ...]] = ("mip",)
    streamed_solvers: ClassVar[tuple[str, ...]] = ("greedy",)
    counts_weights: ClassVar[bool] = True
    pair_loss: ClassVar[int | None] = 1
    solvers_with: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"epsilon": ("stochastic-greedy",), "gap": ("mip",), "time_limit": ("mip",)}
    )

    epsilon: float = 0.1
    gap: float = 0.0
    time_limit: float | None = 600.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits(self.gap, self.time_limit)
        if not 0 < self.epsilon < 1:
            raise LenseError(f"The option epsilon must lie between 0 and 1, not {self.epsilon}.")

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        edges = self.edges(graph)
        return _share(edges, edges.worth(vertex_set(graph, vertices), 1))

    def gains(self, graph: Graph, budget: float) -> Gains:
        """The edges at v whose other end is not in A yet; a self loop always counts."""
        return edge_gains(self.edges(graph).rows, penalty=0, scale=self.edge_value(graph))

    def edge_value(self, graph: Graph) -> float:
        return 1 / (self.edges(graph).total or 1.0)

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float:
        """That of :mod:`lense.problems.bounds`, and never more than all edges."""
        return min(certificate(self, graph, budget, solution), 1.0)

    def seconds(self, graph: Graph, budget: float) -> float | None:
        if self.solver == "mip":
            return mip_seconds(graph)
        drawn = {"greedy": 0.0, "stochastic-greedy": 3.0, "probabilistic-greedy": budget}
        passes = drawn.get(self.solver)  # over the vertices, beside one over the edges
        return None if passes is None else (10 * graph.num_edges + passes * graph.num_vertices) * 1e-9

    @heuristic("greedy")
    def greedy(
        self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None, forced: Int64s | None = None
    ) -> Int64s:
        """The vertex of largest gain again and again: at least 1 - 1/e of the optimum; uses no random numbers."""
        return self.edges(graph).greedy(candidate_array(graph, candidates), int(budget), 1, forced)

    @heuristic("stochastic-greedy")
    def stochastic_greedy(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """The best of n / b ln(1 / epsilon) vertices drawn at each step (Mirzasoleiman et al. 2015).

        n is the number of those that may be chosen. Its expected value is at least 1 - 1/e - epsilon of the optimum.
        """
        edges, pool = self.edges(graph), candidate_array(graph, candidates)
        sample_size = math.ceil(pool.size / budget * math.log(1 / self.epsilon))
        return stochastic_greedy(edges.rows, edges.degrees(1), pool, int(budget), sample_size, seed_from(rng))

    @heuristic("probabilistic-greedy")
    def probabilistic_greedy(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """Each next vertex drawn with probability proportional to its gain (Manchanda et al. 2020, GCOMB)."""
        edges, pool = self.edges(graph), candidate_array(graph, candidates)
        numbers = rng.random(int(budget))
        return probabilistic_greedy(edges.rows, edges.degrees(1), pool, numbers)

    @heuristic("mip")
    def mip(
        self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None, forced: Int64s | None = None
    ) -> Found:
        """The optimum up to ``gap``, found by HiGHS from the greedy solution, in greedy order."""
        budget, seed = int(budget), int(rng.integers(2**31))
        start = self.greedy(graph, budget, rng, candidates, forced)
        optimum = best_choice(
            graph, budget, start, seed, candidates, forced, loss=1, gap=self.gap, time_limit=self.time_limit
        )
        edges = self.edges(graph)
        bound = None if optimum.upper_bound is None else _share(edges, optimum.upper_bound)
        return Found(edges.greedy(optimum.vertices.astype(np.int32), budget, 1), bound, optimum.details)


def _share(edges: EdgeCounts, covered: float) -> float:
    """``covered`` as a share of all edges; sums of weights in another order may exceed theirs by a rounding error."""
    return min(covered / (edges.total or 1.0), 1.0)
