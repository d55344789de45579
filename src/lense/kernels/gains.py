"""Set functions that count items, and what one more vertex adds to them: the form in which kernels see an objective.

Every vertex has a row of items, and a set A of vertices has taken some of the items. In units of ``scale``

    f(v | A) = items of v's row that A has not taken - penalty * items of it that A has taken,

so that f({v}) is the length of the row. Covered edges, cut edges and reverse-reachable sets that are hit all have this
form. For edges the items are the vertices, the row of v holds the other end of each of its edges, and v takes the one
item v; otherwise v takes every item of its row. Where edges have weights, an item of a row counts the edge's weight
instead of 1, and f({v}) is the sum of the row's weights.
"""

from typing import NamedTuple, TypeVar

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Float32s, Float64s, Int32s, Int64s
from lense.kernels.rows import Adjacency, entry_weight

A = TypeVar("A", bound=AnyArray)


class Gains(NamedTuple):
    """A set function by its gains; see the module."""

    indptr: Int64s
    """(n + 1): where the row of each vertex begins in ``items``."""
    items: Int32s
    holder_indptr: Int64s
    """(items + 1): where the holders of each item begin in ``holders``."""
    holders: Int32s
    """The vertices whose rows hold an item, as often as they hold it."""
    takes_itself: bool
    """Whether v takes the one item v, rather than every item of its row."""
    penalty: int
    """What an item costs that is met again: 0 for covering, 1 for cutting."""
    scale: float
    """The objective for each item counted."""
    weights: Float32s | None
    """What each entry of ``items`` counts, or None where that is 1; only where ``takes_itself``."""


def edge_gains(rows: Adjacency, penalty: int, scale: float) -> Gains:
    """The edges that a vertex set touches (``penalty`` 0) or cuts (1); a row lists the other ends of v's edges."""
    starts, ends, weights = _frozen(rows.indptr), _frozen(rows.indices), rows.weights
    return Gains(starts, ends, starts, ends, True, penalty, scale, None if weights is None else _frozen(weights))


def item_gains(indptr: Int64s, items: Int32s, holder_indptr: Int64s, holders: Int32s, scale: float) -> Gains:
    """The different items in the rows of a vertex set; ``holder_indptr`` and ``holders`` are the rows transposed."""
    return Gains(_frozen(indptr), _frozen(items), _frozen(holder_indptr), _frozen(holders), False, 0, scale, None)


def _frozen(array: A) -> A:
    """A view that cannot be written to, as a graph's arrays are: numba compiles for the two kinds apart."""
    view = array.view()
    view.setflags(write=False)
    return view


@kernel
def new_counts(gains: Gains) -> Int32s:
    """(items): how often each item is taken by the empty set."""
    return np.zeros(gains.holder_indptr.size - 1, np.int32)


@kernel
def alone(gains: Gains, v: int) -> float:
    """f({v})."""
    return _counted(gains.weights, gains.indptr[v], gains.indptr[v + 1])


@kernel
def _counted(weights: Float32s | None, begin: int, end: int) -> float:
    """What the entries from ``begin`` to ``end`` count together."""
    if weights is None:
        return end - begin
    total = 0.0
    for a in range(begin, end):
        total += weights[a]
    return total


@kernel
def gain(gains: Gains, counts: Int32s, v: int) -> float:
    """f(v | A), where ``counts`` says how often A has taken each item; v must not be in A."""
    fresh: float = 0
    for a in range(gains.indptr[v], gains.indptr[v + 1]):
        if counts[np.uint32(gains.items[a])] == 0:  # an unsigned index spares a test for negative ones
            fresh += entry_weight(gains.weights, a)
    return fresh - gains.penalty * (alone(gains, v) - fresh)


@kernel
def last_gain(gains: Gains, v: int) -> float:
    """f(v | all other vertices)."""
    fresh: float = 0
    for a in range(gains.indptr[v], gains.indptr[v + 1]):
        item = gains.items[a]
        holders = gains.holder_indptr[item + 1] - gains.holder_indptr[item]
        if item == v if gains.takes_itself else holders == 1:
            fresh += entry_weight(gains.weights, a)
    return fresh - gains.penalty * (alone(gains, v) - fresh)


@kernel
def count(gains: Gains, counts: Int32s, v: int, change: int) -> None:
    """Let v enter the set (``change`` 1) or leave it (-1)."""
    if gains.takes_itself:
        counts[v] += change
    else:
        for a in range(gains.indptr[v], gains.indptr[v + 1]):
            counts[gains.items[a]] += change


@kernel
def gains_in_order(gains: Gains, vertices: Int64s) -> Float64s:
    """(len(vertices)): f(v_i | v_1 .. v_{i-1}) in units of ``scale``."""
    counts = new_counts(gains)
    found = np.empty(vertices.size, np.float64)
    for i in range(vertices.size):
        found[i] = gain(gains, counts, vertices[i])
        count(gains, counts, vertices[i], 1)
    return found
