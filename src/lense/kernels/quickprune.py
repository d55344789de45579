"""QuickPrune's single pass over the vertices (Nath and Kuhnle 2025)."""

import numpy as np
from numba import njit

from lense.kernels.gains import Gains, alone, count, gain, new_counts
from lense.types import Float64s, Int64s


@njit(cache=True, nogil=True)
def quickprune(gains: Gains, costs: Float64s, budget: float, delta: float, epsilon: float) -> Int64s:
    """The vertices kept, in the order in which they came; the best single one stands last unless it is among them.

    ``costs`` (n) may be empty, and then every vertex costs 1. A vertex joins A when its gain is positive and at least
    delta * cost * f(A) / budget; one that is worth less than that by itself is passed over. (Without the first
    condition all the vertices of no value that come before any other would join, against the bound on the size.) The
    set A is ``members[first:]`` and the checkpoint its beginning, ``members[first:mark]``.
    """
    n = gains.indptr.size - 1
    counts = new_counts(gains)
    members = np.empty(n + 1, np.int64)
    first = mark = size = 0
    value: float = 0
    checkpoint_value: float = 0
    best = -1
    best_value: float = -1
    for v in range(n):
        cost = costs[v] if costs.size else 1.0
        if cost > budget:
            continue
        single = alone(gains, v)
        if single > best_value:
            best, best_value = v, single
        least = delta * cost * value / budget
        if single == 0 or single < least:
            continue
        added = gain(gains, counts, v)
        if added <= 0 or added < least:
            continue
        count(gains, counts, v, 1)
        members[size] = v
        size += 1
        value += added
        if value * epsilon > n * checkpoint_value:
            for i in range(first, mark):
                count(gains, counts, members[i], -1)
                value -= gain(gains, counts, members[i])
            first, mark, checkpoint_value = mark, size, value
    if best >= 0 and not (members[first:size] == best).any():
        members[size] = best
        size += 1
    return members[first:size].copy()
