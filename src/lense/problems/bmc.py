"""Budgeted max-cut: the b vertices with most edges, or the edges of most weight, to all the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lense._util.progress import progress
from lense._util.types import AnyArray, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.cut import swap_to_optimum
from lense.kernels.gains import Gains, edge_gains, gains_in_order
from lense.problems.base import Found, Problem, Rng, Solution, candidate_array, heuristic, vertex_set
from lense.problems.bounds import certificate
from lense.problems.edge_weights import EdgeCounts
from lense.problems.mip import best_choice, check_limits, mip_seconds

_MOST_DRAWS = 1_000_000
_ROUNDING = 1e-10


@dataclass(frozen=True, kw_only=True)
class BudgetedMaxCut(Problem):
    """f(X) = edges with exactly one end in X, |X| <= b, whatever their direction.

    Where the graph has weights, it is their weight instead of their number. Parallel edges and opposite arcs are edges
    of their own; a self loop is never cut. ``gap`` (relative) and ``time_limit`` (seconds, or none) say when mip may
    stop. hassin-rubinstein keeps the best of ``draws``.
    """

    name: ClassVar[str] = "bmc"
    place: ClassVar[int] = 2
    title: ClassVar[str] = "Budgeted Max-Cut"
    goal: ClassVar[str] = "cut the most edges"
    unit: ClassVar[str] = "edges cut"
    thorough_solvers: ClassVar[tuple[str, ...]] = ("mip",)
    superlinear_solvers: ClassVar[tuple[str, ...]] = ("mip",)
    streamed_solvers: ClassVar[tuple[str, ...]] = ("local-search", "hassin-rubinstein")
    counts_weights: ClassVar[bool] = True
    pair_loss: ClassVar[int | None] = 2
    retired: ClassVar[tuple[str, ...]] = ("bound",)
    solvers_with: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"gap": ("mip",), "time_limit": ("mip",), "draws": ("hassin-rubinstein",)}
    )

    gap: float = 0.05
    time_limit: float | None = 600.0
    draws: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits(self.gap, self.time_limit)
        if not 1 <= self.draws <= _MOST_DRAWS:
            raise LenseError(f"The option draws must lie between 1 and {_MOST_DRAWS:,}, not {self.draws}.")

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return self.edges(graph).worth(vertex_set(graph, vertices), 2)

    def gains(self, graph: Graph, budget: float) -> Gains:
        """The edges from v to vertices outside A, less those to vertices of A; self loops count for nothing."""
        return edge_gains(self.edges(graph).loopless, penalty=1, scale=1.0)

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float:
        """That of :mod:`lense.problems.bounds`, and never more than all edges but self loops."""
        return min(certificate(self, graph, budget, solution), self.edges(graph).most_cut)

    def seconds(self, graph: Graph, budget: float) -> float | None:
        if self.solver == "mip":
            return mip_seconds(graph)
        passes = {"local-search": 1, "hassin-rubinstein": self.draws}.get(self.solver)
        return None if passes is None else 20e-9 * passes * graph.num_edges

    @heuristic("local-search")
    def local_search(
        self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None, forced: Int64s | None = None
    ) -> Found:
        """Greedy, then swaps of one vertex for another until none improves the cut; uses no random numbers.

        Where b is a large share of all vertices, fewer may cut more: those that take something from the cut are left
        out, and swaps go on. The set is listed in greedy order: each next vertex is the one that adds most to the cut
        among those of the set.
        """
        edges, pool, swaps = self.edges(graph), candidate_array(graph, candidates), 0
        start = self._without_harm(graph, edges.greedy(pool, int(budget), 2, forced), forced)
        with progress("swapping to a local optimum"):
            while True:
                chosen, more = swap_to_optimum(edges.rows, edges.degrees(2), pool, start, forced)
                swaps += more
                start = self._without_harm(graph, _filled_up(edges, pool, chosen, int(budget), forced), forced)
                # sets of one value could follow one another for ever
                if self.objective(graph, start) <= self.objective(graph, chosen) * (1 + _ROUNDING):
                    return Found(edges.greedy(start.astype(np.int32), start.size, 2), details={"swaps": swaps})

    def _without_harm(self, graph: Graph, order: Int64s, forced: Int64s | None) -> Int64s:
        """The longest of the prefixes of ``order`` that cut most, ``forced`` included."""
        edges = self.edges(graph)
        values = (gains_in_order(self.gains(graph, order.size), order) + edges.leading_out(order)).cumsum()
        most = values.max()
        best = np.flatnonzero(values >= most - (0 if edges.rows.weights is None else _ROUNDING * most))[-1] + 1
        return order[: max(best, 1 if forced is None else forced.size)]

    @heuristic("hassin-rubinstein")
    def hassin_rubinstein(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int32s:
        """b vertices drawn uniformly from the 2 b of largest degree (Hassin and Rubinstein 2000)."""
        pool = candidate_array(graph, candidates)
        top = pool[_largest(self.edges(graph).degrees(2).take(pool), min(2 * int(budget), pool.size))]
        drawn = [rng.choice(top, int(budget), replace=False) for _ in range(self.draws)]
        return max(drawn, key=lambda vertices: self.objective(graph, vertices))

    @heuristic("mip")
    def mip(
        self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None, forced: Int64s | None = None
    ) -> Found:
        """The optimum up to ``gap``, found by HiGHS from the local-search solution, in greedy order."""
        budget, seed = int(budget), int(rng.integers(2**31))
        start = np.asarray(self.local_search(graph, budget, rng, candidates, forced).vertices)
        optimum = best_choice(
            graph, budget, start, seed, candidates, forced, loss=2, gap=self.gap, time_limit=self.time_limit
        )
        ordered = self.edges(graph).greedy(optimum.vertices.astype(np.int32), optimum.vertices.size, 2)
        return Found(ordered, optimum.upper_bound, optimum.details)


def _filled_up(edges: EdgeCounts, pool: Int32s, chosen: Int64s, budget: int, forced: Int64s | None) -> Int64s:
    """``chosen`` in greedy order, those of ``forced`` first, and then others of ``pool`` up to the budget."""
    ordered = edges.greedy(chosen.astype(np.int32), chosen.size, 2, forced)
    return ordered if chosen.size == budget else edges.greedy(pool, budget, 2, ordered)


def _largest(values: AnyArray, k: int) -> Int64s:
    """Where the ``k`` largest values stand; of equal ones the first count."""
    smallest = np.partition(values, values.size - k)[values.size - k]
    above, equal = np.flatnonzero(values > smallest), np.flatnonzero(values == smallest)
    return np.concatenate([above, equal[: k - above.size]])
