"""The few vertices of a large graph that can matter for mvc or bmc, chosen by their degrees.

Let f(S) = the sum of degrees over S - a times the edges within S, as for mvc (a = 1) and bmc (a = 2), with at most m
edges between two vertices. Whatever k vertices are taken, each other one of degree d still adds d - a k m or more. At
least k of the 2 k vertices of largest degree are not among those taken. So one that adds t = d_2k - a k m is always to
be had, where d_2k is the 2 k-th largest degree. A vertex of degree below t is never the best to take, to swap in or to
stand in a bound: greedy, local search, intervals and the bound by submodularity do the same without it, tie for tie.

With weights, d(v) is the sum of the weights at v. Let C be the c vertices of largest d, and D the k largest sums of
weights between a vertex and C. The k vertices taken take a D or less from all of C together. Suppose that fewer than k
others of C still add t. Then q = c - 2 k + 1 or more of C are not taken and add less. The q smallest d of C, less a D,
add up to no more than all that these add, which is below q t. So with t = (the sum of the q smallest d of C - a D) / q,
at least k vertices always add t, as above.
"""

from functools import cached_property

import numpy as np

from lense._util.types import AnyArray, Float64s, Int32s, Int64s
from lense.graph import Graph, Scan, TruncatedGraph
from lense.graph.subgraph import Subgraph
from lense.problems import Problem
from lense.pruners.ranking import largest
from lense.streaming.memory import MemoryBudget
from lense.streaming.passes import Edges, Engine, Tally

_DISCOUNT_LOSS = 1
_ROUNDING = 1e-9
_SIZES_PER_CHOICE = (8, 64)
"""How many vertices C has for each choice; the second where weights differ so much that the first says nothing."""


class StreamedGraph:
    """A scan with what passes found out about it: degrees, truncated graphs and parts.

    Where they are ``weighted``, edges count by their weights.
    """

    def __init__(
        self, scan: Scan, memory: MemoryBudget, engine: Engine | None = None, *, weighted: bool = False
    ) -> None:
        self.scan, self.memory, self.weighted = scan, memory, weighted
        self.engine: Engine = Engine() if engine is None else engine
        self._last: TruncatedGraph | None = None
        self._least: dict[tuple[int, int], float] = {}

    def counting(self, problem: Problem) -> "StreamedGraph":
        """The same graph, whose edges count as they do for ``problem``: by their weights, if there are any."""
        weighted = self.scan.is_weighted and problem.counts_weights
        return (
            self if weighted == self.weighted else StreamedGraph(self.scan, self.memory, self.engine, weighted=weighted)
        )

    @cached_property
    def tally(self) -> Tally:
        """What the edges at each vertex count; by one pass, the first time."""
        self.memory.check_vertices(self.scan.num_vertices, weighted=self.weighted)
        return self.engine.tally(self.scan, self.weighted)

    @property
    def degrees(self) -> Int32s:
        """(n): the edges at each vertex."""
        return self.tally.degrees

    @property
    def counted(self) -> AnyArray:
        """(n): what the edges at each vertex count."""
        return self.tally.sums if self.weighted else self.degrees

    def truncated_for(self, loss: int, count: int, also: Int64s | None = None) -> TruncatedGraph:
        """What decides about ``count`` choices with the loss a, and the vertices ``also``."""
        if self.weighted:
            least = self._least_weight(loss, count)
        else:
            least = least_degree(self.degrees, count, loss * self.scan.most_between)
        chosen = np.flatnonzero(self.counted >= least)
        return self.truncated(chosen if also is None else np.union1d(chosen, also))

    def _least_weight(self, loss: int, count: int) -> float:
        """The sum of weights below which no vertex matters, by a pass for each of two sizes of C at most."""
        if (loss, count) not in self._least:
            sums, found = self.tally.sums, 0.0
            for size in (factor * count for factor in _SIZES_PER_CHOICE):
                if found <= 0 and 2 * count < sums.size:
                    chosen = np.sort(largest(sums, min(size, sums.size)))
                    into = self.engine.weights_into(self.scan, chosen)
                    found = least_weight(sums[chosen], into, count, loss)
            self._least[loss, count] = max(0.0, found)
        return self._least[loss, count]

    def truncated(self, vertices: Int64s) -> TruncatedGraph:
        """The truncated graph of ``vertices``, in rising order; the last one if that has all of them."""
        if self._last is None or not np.isin(vertices, self._last.vertices, assume_unique=True).all():
            scan = self.scan
            self._last = TruncatedGraph(
                graph=self._between(vertices, weighted=self.weighted, directed=False),
                vertices=vertices,
                counted=self.counted[vertices],
                whole_vertices=scan.num_vertices,
                whole_edges=scan.num_edges,
                whole_arcs=scan.num_arcs,
                whole_weight=self.tally.total,
                whole_numbers=self.tally.is_whole,
            )
        return self._last

    def quick_order(self, problem: Problem, budget: float, count: int) -> Int64s:
        """The first ``count`` vertices of the problem's quick order."""
        if (own := problem.in_stream(self)) is not None:
            return own.order(count)
        part = self.truncated_for(problem.loss_for("The quick order of a stream"), count)
        return part.vertices[problem.within(part).quick_order(part.graph, int(budget), count)]

    def discount_order(self, problem: Problem, count: int) -> Int64s:
        """The first ``count`` vertices of :meth:`lense.Problem.discount_order`."""
        part = self.truncated_for(_DISCOUNT_LOSS, count)
        return part.vertices[problem.within(part).discount_order(part.graph, count)]

    def subgraph(self, roots: AnyArray, forced: AnyArray | None = None, *, only_roots: bool = False) -> Subgraph:
        """As :func:`lense.graph.subgraph`, by one pass."""
        scan, chosen = self.scan, np.unique(np.asarray(roots, np.int64))
        self.memory.check_edges(min(int(self.degrees[chosen].sum(dtype=np.int64)), scan.num_edges))
        edges = self.engine.edges_at(scan, chosen, self.memory, weighted=scan.is_weighted)
        vertices = np.unique(np.concatenate([chosen, *edges[:2]]))
        pinned = np.empty(0, np.int64) if forced is None else np.unique(np.asarray(forced, np.int64))
        return Subgraph(
            self._compact(vertices, edges, scan.is_weighted, scan.directed), vertices, chosen, pinned, only_roots
        )

    def kept_part(self, vertices: AnyArray, roots: AnyArray | None = None) -> Subgraph:
        """As :func:`lense.graph.kept_part`, by one pass."""
        kept = np.unique(np.asarray(vertices, np.int64))
        chosen = kept if roots is None else np.unique(np.asarray(roots, np.int64))
        part = self._between(kept, weighted=self.scan.is_weighted, directed=self.scan.directed)
        return Subgraph(part, kept, chosen)

    def whole(self) -> Subgraph:
        """All of the graph, read into memory, with every vertex as a root."""
        everything = np.arange(self.scan.num_vertices)
        return Subgraph(self.scan.read(), everything, everything)

    def _between(self, vertices: Int64s, *, weighted: bool, directed: bool) -> Graph:
        """The edges between ``vertices``, in rising order, by one pass."""
        scan, k = self.scan, vertices.size
        most = int(np.minimum(self.degrees[vertices], scan.most_between * (k - 1)).sum(dtype=np.int64)) // 2
        self.memory.check_edges(min(scan.num_edges, most))
        edges = self.engine.edges_at(scan, vertices, self.memory, both=True, weighted=weighted)
        return self._compact(vertices, edges, weighted, directed)

    def _compact(self, vertices: Int64s, edges: Edges, weighted: bool, directed: bool) -> Graph:
        u, v = (np.searchsorted(vertices, end).astype(np.int32) for end in edges[:2])
        weights = edges[2] if weighted else None
        labels = self.scan.labels_of(vertices)
        return Graph.from_edges(u, v, weights, directed=directed, labels=labels, keep_duplicates=True)


def least_degree(degrees: AnyArray, count: int, most_loss: int) -> int:
    """The degree t below which no vertex matters for ``count`` choices; 0 where all of them may.

    ``most_loss`` is what a chosen vertex takes from another one at most.
    """
    if 2 * count >= degrees.size:
        return 0
    last = int(np.partition(degrees, degrees.size - 2 * count)[degrees.size - 2 * count])
    return max(0, last - count * most_loss)


def least_weight(sums: Float64s, into: Float64s, count: int, loss: int) -> float:
    """The t of the module, for ``count`` choices: ``sums`` (c) are the d of C, ``into`` (n) the weights between each
    vertex and C.

    Sums of weights may be off by rounding, so that a little less still counts.
    """
    rest = sums.size - 2 * count + 1
    lowest = float(np.partition(sums, rest - 1)[:rest].sum())
    taken = loss * float(np.partition(into, into.size - count)[into.size - count :].sum())
    return (lowest - taken - _ROUNDING * (lowest + taken)) / rest
