"""Set functions that count items, and what one more vertex adds to them: the form in which kernels see an objective.

Every vertex has a row of items, and a set A of vertices has taken some of the items. In units of ``scale``

    f(v | A) = items of v's row that A has not taken - penalty * items of it that A has taken,

so that f({v}) is the length of the row. Covered edges, cut edges and reverse-reachable sets that are hit all have this
form. For edges the items are the vertices, the row of v holds the other end of each of its edges, and v takes the one
item v; otherwise v takes every item of its row.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numba import njit

from lense.types import AnyArray, Int32s, Int64s

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


def edge_gains(indptr: Int64s, indices: Int32s, penalty: int, scale: float) -> Gains:
    """The edges that a vertex set touches (``penalty`` 0) or cuts (1); a row lists the other ends of v's edges."""
    starts, ends = _frozen(indptr), _frozen(indices)
    return Gains(starts, ends, starts, ends, True, penalty, scale)


def item_gains(indptr: Int64s, items: Int32s, holder_indptr: Int64s, holders: Int32s, scale: float) -> Gains:
    """The different items in the rows of a vertex set; ``holder_indptr`` and ``holders`` are the rows transposed."""
    return Gains(_frozen(indptr), _frozen(items), _frozen(holder_indptr), _frozen(holders), False, 0, scale)


def _frozen(array: A) -> A:
    """A view that cannot be written to, as a graph's arrays are: numba compiles for the two kinds apart."""
    view = array.view()
    view.setflags(write=False)
    return view


@njit(cache=True, nogil=True)
def new_counts(gains: Gains) -> Int32s:
    """(items): how often each item is taken by the empty set."""
    return np.zeros(gains.holder_indptr.size - 1, np.int32)


@njit(cache=True, nogil=True)
def gain(gains: Gains, counts: Int32s, v: int) -> int:
    """f(v | A), ``counts`` telling how often A has taken each item; v must not be in A."""
    fresh = 0
    begin, end = gains.indptr[v], gains.indptr[v + 1]
    for a in range(begin, end):
        fresh += counts[np.uint32(gains.items[a])] == 0  # an unsigned index spares a test for negative ones
    return int(fresh - gains.penalty * (end - begin - fresh))


@njit(cache=True, nogil=True)
def last_gain(gains: Gains, v: int) -> int:
    """f(v | all other vertices)."""
    fresh = 0
    begin, end = gains.indptr[v], gains.indptr[v + 1]
    for a in range(begin, end):
        item = gains.items[a]
        if gains.takes_itself:
            fresh += item == v
        else:
            fresh += gains.holder_indptr[item + 1] - gains.holder_indptr[item] == 1
    return int(fresh - gains.penalty * (end - begin - fresh))


@njit(cache=True, nogil=True)
def count(gains: Gains, counts: Int32s, v: int, change: int) -> None:
    """Let v enter the set (``change`` 1) or leave it (-1)."""
    if gains.takes_itself:
        counts[v] += change
    else:
        for a in range(gains.indptr[v], gains.indptr[v + 1]):
            counts[gains.items[a]] += change
