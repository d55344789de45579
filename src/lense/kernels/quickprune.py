"""QuickPrune's single pass over the vertices (Nath and Kuhnle 2025)."""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Bools, Float64s, Int64s
from lense.kernels.gains import Gains, alone, count, gain, new_counts

_NONE, _NOTHING = np.empty(0, np.int64), np.empty(0)


@kernel
def quickprune(
    gains: Gains,
    costs: Float64s,
    budget: float,
    delta: float,
    epsilon: float,
    further: Int64s = _NONE,
    num_vertices: int = -1,
    needed: Float64s = _NOTHING,
) -> Int64s:
    """The vertices kept, in the order in which they came; the best single one stands last unless it is among them.

    In a part of a graph of ``num_vertices``, each vertex has ``further`` items of its own. What a vertex of cost 1 that
    came next would have had to be worth is written to ``needed`` (n), unless that is empty.

    ``costs`` (n) may be empty, and then every vertex costs 1. A vertex joins A when its gain is positive and at least
    delta * cost * f(A) / budget; one that is worth less than that by itself is passed over. (Without the first
    condition all the vertices of no value that come before any other would join, against the bound on the size.) The
    set A is ``members[first:]`` and the checkpoint its beginning, ``members[first:mark]``.
    """
    n = gains.indptr.size - 1
    whole = n if num_vertices < 0 else num_vertices
    counts = new_counts(gains)
    members = np.empty(n + 1, np.int64)
    first = mark = size = 0
    value: float = 0
    checkpoint_value: float = 0
    best = -1
    best_value: float = -1
    for v in range(n):
        cost = costs[v] if costs.size else 1.0
        if needed.size and v > 0:
            needed[v - 1] = delta * value / budget
        if cost > budget:
            continue
        own = further[v] if further.size else 0
        single = alone(gains, v) + own
        if single > best_value:
            best, best_value = v, single
        least = delta * cost * value / budget
        if single == 0 or single < least:
            continue
        added = gain(gains, counts, v) + own
        if added <= 0 or added < least:
            continue
        count(gains, counts, v, 1)
        members[size] = v
        size += 1
        value += added
        if value * epsilon > whole * checkpoint_value:
            for i in range(first, mark):
                count(gains, counts, members[i], -1)
                value -= gain(gains, counts, members[i]) + (further[members[i]] if further.size else 0)
            first, mark, checkpoint_value = mark, size, value
    if needed.size:
        needed[n - 1] = delta * value / budget
    if best >= 0 and not (members[first:size] == best).any():
        members[size] = best
        size += 1
    return members[first:size].copy()


@kernel
def above_bar(degrees: AnyArray, share: float, slack: float) -> Bools:
    """Vertices that have ``slack`` times the degree that a pass would ask for if no edge were counted twice.

    The first vertex of largest degree is among them.
    """
    above = np.zeros(degrees.size, np.bool_)
    value, best = 0.0, 0
    for v in range(degrees.size):
        if degrees[v] > degrees[best]:
            best = v
        if degrees[v] == 0:
            continue
        if degrees[v] >= share * value:
            value += degrees[v]
        above[v] = degrees[v] >= slack * share * value
    above[best] = True
    return above


@kernel
def all_below(degrees: AnyArray, vertices: Int64s, needed: Float64s) -> bool:
    """Whether each vertex that is not among ``vertices`` has a lower degree than was needed when it came."""
    i, bar = 0, 0.0
    for v in range(degrees.size):
        if i < vertices.size and vertices[i] == v:
            bar = needed[i]
            i += 1
        elif degrees[v] > 0 and degrees[v] >= bar:
            return False
    return True
