"""Edges that count by their weight, or 1 where the graph has no weights, and greedy orders of vertices by them."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from lense._util.types import AnyArray, Float32s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Excerpt, Graph
from lense.kernels.cut import loopless_degrees
from lense.kernels.queues import greedy, weighted_greedy
from lense.kernels.quick_orders import degree_discount
from lense.kernels.rows import Adjacency, degrees, weighted_degrees

if TYPE_CHECKING:
    from lense.problems.base import Problem


_ROUNDING = 1e-9
_LARGEST_SUM = 1e9
_totals: WeakKeyDictionary[Graph, float] = WeakKeyDictionary()
_whole: WeakKeyDictionary[Graph, bool] = WeakKeyDictionary()


def counted_rows(graph: Graph) -> Adjacency:
    """The edges at each vertex, whatever their direction, with weights that can be counted, if any."""
    total_weight(graph)
    return graph.incident


def total_weight(graph: Graph) -> float:
    """What all edges count together, or an error where one has a weight that cannot be counted."""
    if isinstance(graph, Excerpt):
        return graph.whole_weight
    if graph.weights is None:
        return float(graph.num_edges)
    if graph not in _totals:
        check_counted(graph.weights)
        weights = graph.edges()[2]
        assert weights is not None
        _totals[graph] = float(weights.sum(dtype=np.float64))
    return _totals[graph]


def check_counted(weights: Float32s) -> None:
    """Raise where one of the weights cannot be counted."""
    bad = ~((weights >= 0) & (weights < np.inf))
    if bad.any():
        raise LenseError(
            f"An edge has the weight {weights[bad][0]:g}, but only weights from 0 up can be counted; "
            "--no-weights (in Python graph.reweighted(None)) counts every edge as 1."
        )


def counts_whole_numbers(graph: Graph) -> bool:
    """Whether sums of what edges count are whole numbers, and small enough to see a difference of 1 after rounding."""
    if graph not in _whole:
        if isinstance(graph, Excerpt):
            is_whole = graph.whole_numbers
        else:
            is_whole = graph.weights is None or bool((graph.weights == np.rint(graph.weights)).all())
        _whole[graph] = is_whole and total_weight(graph) < _LARGEST_SUM
    return _whole[graph]


def counted_degrees(graph: Graph, loss: int) -> AnyArray:
    """(n): what the edges at each vertex count, a self loop 2 - ``loss`` times; a new array, for kernels to use up."""
    rows = counted_rows(graph)
    if loss == 2 and graph.num_self_loops:
        return loopless_degrees(rows.indptr, rows.indices, rows.weights)
    if isinstance(graph, Excerpt):
        return graph.counted.astype(np.int32 if rows.weights is None else np.float64)
    return weighted_degrees(rows.indptr, rows.weights)


def leading_out(graph: Graph, vertices: AnyArray) -> AnyArray:
    """What the edges at each of ``vertices`` count that an excerpt leaves out, which no other vertex of it shares."""
    return graph.cut_off[vertices] if isinstance(graph, Excerpt) else np.zeros(1, np.int64)


def all_but_loops(graph: Graph) -> float:
    """What all edges count together that are no self loops."""
    return graph.whole_weight if isinstance(graph, Excerpt) else float(counted_degrees(graph, 2).sum()) / 2


def rounded_up(graph: Graph, bound: float) -> float:
    """An upper bound on what edges count, made safe from the rounding of sums of weights; counts are exact."""
    return bound if graph.weights is None else bound * (1 + _ROUNDING)


def greedy_order(
    rows: Adjacency, gain: AnyArray, candidates: Int32s, budget: int, loss: int, forced: Int64s | None = None
) -> Int64s:
    """``budget`` candidates, the one of highest gain first, where taking one lowers the gain of its neighbours.

    Those of ``forced`` are taken before all others. ``gain`` (n) is used up; it falls by ``loss`` times what an edge
    counts.
    """
    if forced is not None and forced.size:
        first = greedy_order(rows, gain, forced.astype(np.int32), forced.size, loss)
        others = np.setdiff1d(candidates, first).astype(np.int32)
        return np.concatenate([first, greedy_order(rows, gain, others, budget - first.size, loss)])
    if rows.weights is None:
        counted: Int64s = greedy(rows.indptr, rows.indices, gain, candidates, budget, loss)
        return counted
    weighed: Int64s = weighted_greedy(rows.indptr, rows.indices, rows.weights, gain, candidates, budget, loss)
    return weighed


def pair_order(graph: Graph, count: int, pair_loss: int) -> Int64s:
    """The first ``count`` vertices of a greedy choice, where f is as :attr:`Problem.pair_loss` says."""
    everyone = np.arange(graph.num_vertices, dtype=np.int32)
    return greedy_order(counted_rows(graph), counted_degrees(graph, pair_loss), everyone, count, pair_loss)


def discount_order(problem: "Problem", graph: Graph, count: int) -> Int64s:
    """The first ``count`` vertices of a greedy choice by degree, where edges to vertices already taken do not count.

    Where the problem uses direction and the arcs have probabilities, a vertex counts its one-step influence, less what
    the vertices taken reach already (see :func:`lense.kernels.quick_orders.degree_discount`). Otherwise each neighbour
    taken lowers the degree by what the edges to it count, the single discount of Chen, Wang and Yang (2009). Of equal
    degrees, the vertex that came down to it last goes first.
    """
    chosen: Int64s
    everyone = np.arange(graph.num_vertices, dtype=np.int32)
    if problem.counts_weights and graph.weights is not None:
        return greedy_order(counted_rows(graph), counted_degrees(graph, 1), everyone, count, 1)
    if not problem.uses_direction or graph.weights is None:
        rows = graph.incident
        gain = degrees(rows.indptr) + leading_out(graph, everyone).astype(np.int32)
        chosen = greedy(rows.indptr, rows.indices, gain, everyone, count, 1)
        return chosen
    out, into = graph.outgoing, graph.incoming
    assert out.weights is not None
    assert into.weights is not None
    chosen = degree_discount(
        out.indptr, out.indices, out.weights, into.indptr, into.indices, into.weights, everyone, count
    )
    return chosen
