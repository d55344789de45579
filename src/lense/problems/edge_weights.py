"""What edges count, their weight or 1 where the graph has no weights, and greedy orders of vertices by that."""

from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from lense._util.types import AnyArray, Float32s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, TruncatedGraph
from lense.kernels.bounds import set_value
from lense.kernels.cut import loopless
from lense.kernels.queues import greedy, weighted_greedy
from lense.kernels.rows import Adjacency, weighted_degrees

_ROUNDING = 1e-9
_LARGEST_SUM = 1e9


class EdgeCounts:
    """What the edges of a graph count, or those of a truncated graph, where edges that lead out of it count too.

    ``rows`` are the edges at each vertex, whatever their direction. All edges of the whole graph, ``num_edges`` of them
    in ``num_arcs``, count ``total`` together. ``num_left_out`` vertices are in the whole graph alone.
    """

    def __init__(self, graph: Graph, part: TruncatedGraph | None = None) -> None:
        self.rows = graph.incident
        self._has_loops, self._part = graph.num_self_loops > 0, part
        self.num_left_out = 0 if part is None else part.num_left_out
        if part is not None:
            self.num_edges, self.num_arcs, self.total = part.whole_edges, part.whole_arcs, part.whole_weight
            return
        self.num_edges, self.num_arcs, self.total = graph.num_edges, graph.num_arcs, float(graph.num_edges)
        if graph.weights is not None:
            check_counted(graph.weights)
            weights = graph.edges()[2]
            assert weights is not None
            self.total = float(weights.sum(dtype=np.float64))

    @cached_property
    def are_whole(self) -> bool:
        """Whether sums of edges are whole numbers, and small enough to see a difference of 1 after rounding."""
        weights = self.rows.weights
        if self._part is not None:
            is_whole = self._part.whole_numbers
        else:
            is_whole = weights is None or bool((weights == np.rint(weights)).all())
        return is_whole and self.total < _LARGEST_SUM

    @cached_property
    def loopless(self) -> Adjacency:
        """The ``rows`` without self loops."""
        return loopless(self.rows) if self._has_loops else self.rows

    def degrees(self, loss: int) -> AnyArray:
        """(n): what the edges at each vertex count, a self loop 2 - ``loss`` times; a new array that kernels use up."""
        if loss == 2 and self._has_loops:
            return weighted_degrees(self.loopless)
        if self._part is not None:
            return self._part.counted.astype(np.int32 if self.rows.weights is None else np.float64)
        return weighted_degrees(self.rows)

    def leading_out(self, vertices: AnyArray) -> AnyArray:
        """What the edges at each of ``vertices`` count that lead out, which no other vertex here shares."""
        return np.zeros(1, np.int64) if self._part is None else self._part.cut_off[vertices]

    @property
    def most_cut(self) -> float:
        """No set cuts more: what all edges but self loops count, safe from the rounding of sums of weights."""
        total = self.total if self._part is not None else float(self.degrees(2).sum()) / 2
        return total if self.rows.weights is None else total * (1 + _ROUNDING)

    def worth(self, vertices: Int64s, loss: int) -> float:
        """What the edges at ``vertices`` count, less ``loss`` times what those between two of them count."""
        return float(set_value(self.rows, vertices, loss)) + float(self.leading_out(vertices).sum())

    def greedy(self, candidates: Int32s, budget: int, loss: int, forced: Int64s | None = None) -> Int64s:
        """``budget`` candidates, the one of highest gain first, where taking one lowers the gain of its neighbours.

        Those of ``forced`` are taken before all others. Gains are :meth:`degrees`, and fall by ``loss`` times what an
        edge counts.
        """
        gain, first = self.degrees(loss), np.empty(0, np.int64)
        if forced is not None and forced.size:
            first = self._taken(gain, forced.astype(np.int32), forced.size, loss)
            candidates = np.setdiff1d(candidates, first).astype(np.int32)
        return np.concatenate([first, self._taken(gain, candidates, budget - first.size, loss)])

    def _taken(self, gain: AnyArray, candidates: Int32s, budget: int, loss: int) -> Int64s:
        choose = greedy if self.rows.weights is None else weighted_greedy
        return choose(self.rows, gain, candidates, budget, loss)


_known: WeakKeyDictionary[Graph, EdgeCounts] = WeakKeyDictionary()


def edge_counts(graph: Graph) -> EdgeCounts:
    """What the edges of ``graph`` count, or an error where one has a weight that cannot be counted."""
    counts = _known.get(graph)
    if counts is None:
        counts = _known[graph] = EdgeCounts(graph)
    return counts


def check_counted(weights: Float32s) -> None:
    """Raise where one of the weights cannot be counted."""
    bad = ~((weights >= 0) & (weights < np.inf))
    if bad.any():
        raise LenseError(
            f"An edge has the weight {weights[bad][0]:g}, but only weights from 0 up can be counted; "
            "weights=False counts every edge as 1, as does graph.reweighted(None)."
        )
