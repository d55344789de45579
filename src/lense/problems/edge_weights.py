"""Edges that count by their weight, or 1 where the graph has no weights."""

from weakref import WeakKeyDictionary

import numpy as np

from lense.errors import LenseError
from lense.graph import Adjacency, Graph
from lense.kernels.buckets import greedy
from lense.kernels.tournament import weighted_greedy
from lense.types import AnyArray, Int32s, Int64s

_ROUNDING = 1e-9
_totals: WeakKeyDictionary[Graph, float] = WeakKeyDictionary()


def counted_rows(graph: Graph) -> Adjacency:
    """The edges at each vertex, whatever their direction, with weights that can be counted, if any."""
    total_weight(graph)
    return graph.incident


def total_weight(graph: Graph) -> float:
    """What all edges count together, or an error where one has a weight that cannot be counted."""
    if graph.weights is None:
        return float(graph.num_edges)
    if graph not in _totals:
        bad = ~((graph.weights >= 0) & (graph.weights < np.inf))
        if bad.any():
            raise LenseError(
                f"An edge has the weight {graph.weights[bad][0]:g}, but only weights from 0 up can be counted; "
                "--no-weights (in Python graph.reweighted(None)) counts every edge as 1."
            )
        weights = graph.edges()[2]
        assert weights is not None
        _totals[graph] = float(weights.sum(dtype=np.float64))
    return _totals[graph]


def rounded_up(graph: Graph, bound: float) -> float:
    """An upper bound on what edges count, made safe from the rounding of sums of weights; counts are exact."""
    return bound if graph.weights is None else bound * (1 + _ROUNDING)


def greedy_order(rows: Adjacency, gain: AnyArray, candidates: Int32s, budget: int, loss: int) -> Int64s:
    """``budget`` candidates, the one of highest gain first, where taking one lowers the gain of its neighbours.

    ``gain`` (n) is used up; it falls by ``loss`` times what an edge counts.
    """
    if rows.weights is None:
        counted: Int64s = greedy(rows.indptr, rows.indices, gain, candidates, budget, loss)
        return counted
    weighed: Int64s = weighted_greedy(rows.indptr, rows.indices, rows.weights, gain, candidates, budget, loss)
    return weighed
