"""Maximum domination: the vertices that have most of the graph among themselves and their neighbours."""

import logging
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from lense._util.types import Int32s, Int64s
from lense.graph import Graph
from lense.kernels.domination import closed_rows, dominate, greedy_domination
from lense.kernels.gains import Gains, item_gains
from lense.kernels.hitting import greedy_hitting, hitting_bound
from lense.problems.base import Found, Problem, Rng, Solution, candidate_array, heuristic, vertex_set
from lense.problems.mip import best_domination, check_limits, mip_seconds
from lense.problems.streamed_domination import StreamedDomination

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

log = logging.getLogger(__name__)

_rows: WeakKeyDictionary[Graph, tuple[Int64s, Int32s]] = WeakKeyDictionary()


@dataclass(frozen=True, kw_only=True)
class Domination(Problem):
    """f(X) = number of vertices that are in X or have a neighbour in X, whatever the direction of edges.

    With N[v] the vertex v and its neighbours, f(X) is the size of the union of N[v] over X, which is monotone and
    submodular. Parallel edges count once, self loops and weights not at all. ``gap`` (relative) and ``time_limit``
    (seconds, or none) say when mip may stop.
    """

    name: ClassVar[str] = "domination"
    place: ClassVar[int] = 4
    goal: ClassVar[str] = "dominate the most vertices"
    unit: ClassVar[str] = "vertices dominated"
    thorough_solvers: ClassVar[tuple[str, ...]] = ("mip",)
    superlinear_solvers: ClassVar[tuple[str, ...]] = ("mip",)
    streamed_solvers: ClassVar[tuple[str, ...]] = ("greedy",)

    gap: float = 0.0
    time_limit: float | None = 600.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits(self.gap, self.time_limit)

    def prepare(self, graph: Graph) -> Graph:
        if graph.weights is not None:
            log.warning("domination counts vertices, so the weights of edges do not matter")
        return graph

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return float(dominate(graph.incident, vertex_set(graph, vertices), np.zeros(graph.num_vertices, np.bool_)))

    def in_stream(self, graph: "StreamedGraph") -> StreamedDomination | None:
        """Greedy by passes; None for a subclass that has another objective or another greedy."""
        kind = type(self)
        same = kind.objective is Domination.objective and self.heuristics["greedy"] is Domination.greedy
        return StreamedDomination(graph) if same else None

    def degrees(self, graph: Graph) -> Int64s:
        """(n): the different neighbours of each vertex."""
        return np.diff(_neighbourhoods(graph)[0]) - 1

    def quick_order(self, graph: Graph, budget: int, count: int) -> Int64s:
        """Greedy, which takes little longer than a rule would."""
        return greedy_domination(graph.incident, candidate_array(graph, None), count)

    def quick_seconds(self, graph: Graph, budget: float) -> float:
        return 20e-9 * graph.num_edges

    def gains(self, graph: Graph, budget: float) -> Gains:
        """The vertices of N[v] that A does not dominate yet."""
        rows = _neighbourhoods(graph)
        return item_gains(*rows, *rows, scale=1.0)

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float:
        """The better of two bounds: one by submodularity, and that of the linear relaxation.

        To dominate u is to hit the set N[u]. The first bound is min over prefixes S_i of greedy's choice of f(S_i) and
        the b largest gains given S_i. For the second see :mod:`lense.kernels.hitting`.
        """
        rows, n = _neighbourhoods(graph), graph.num_vertices
        cover = greedy_hitting(*rows, n, candidate_array(graph, None), int(budget), bounded=True)
        relaxed = hitting_bound(*rows, n, cover.vertices, cover.covered)
        return float(min(cover.upper_bound, floor(relaxed)))

    def seconds(self, graph: Graph, budget: float) -> float | None:
        known = {"greedy": 10e-9 * graph.num_edges, "mip": mip_seconds(graph)}
        return known.get(self.solver)

    @heuristic("greedy")
    def greedy(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """The vertex of largest gain again and again: at least 1 - 1/e of the optimum; uses no random numbers."""
        return greedy_domination(graph.incident, candidate_array(graph, candidates), int(budget))

    @heuristic("mip")
    def mip(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Found:
        """The optimum up to ``gap``, found by HiGHS from the greedy solution, in greedy order."""
        pool, seed = candidate_array(graph, candidates), int(rng.integers(2**31))
        start = greedy_domination(graph.incident, pool, int(budget))
        optimum = best_domination(
            *_neighbourhoods(graph), pool, start, seed=seed, gap=self.gap, time_limit=self.time_limit
        )
        ordered = greedy_domination(graph.incident, optimum.vertices.astype(np.int32), optimum.vertices.size)
        return Found(ordered, optimum.upper_bound, optimum.details)


def _neighbourhoods(graph: Graph) -> tuple[Int64s, Int32s]:
    """N[v] of each vertex, arranged once for as long as the graph lives; N is its own transpose."""
    if graph not in _rows:
        _rows[graph] = closed_rows(graph.incident)
    return _rows[graph]
