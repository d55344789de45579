"""Edges covered by a vertex set: the count, a bound on the best count, and greedy algorithms that draw lots.

``indptr`` and ``indices`` hold the other end of every edge at each vertex, a self loop once. The gain of a
vertex is the number of edges that it alone would add to those covered.
"""

import numpy as np
from numba import njit

from lense.counter import GOLDEN, mix, uniform
from lense.kernels.buckets import degrees
from lense.types import Bools, Float64s, Int32s, Int64s


@njit(cache=True, nogil=True)
def covered_edges(indptr: Int64s, indices: Int32s, vertices: Int64s) -> int:
    """The number of edges with at least one end among ``vertices``, which differ from each other."""
    chosen = np.zeros(indptr.size - 1, np.bool_)
    covered = 0
    for v in vertices:
        chosen[v] = True
        for a in range(indptr[v], indptr[v + 1]):
            covered += not chosen[indices[a]] or indices[a] == v
    return covered


@njit(cache=True, nogil=True)
def coverage_bound(indptr: Int64s, indices: Int32s, gain: Int32s, order: Int64s, budget: int) -> int:
    """The most edges that ``budget`` vertices could cover: min_i f(S_i) + the largest gains given S_i.

    S_i are the first i vertices of ``order``, whose quality decides how tight the bound is; the ``budget``
    largest gains are added up. ``gain`` (n) must hold the degrees; it is used up. Gains only fall, and so
    does the smallest of the largest ones: following it down a histogram takes time linear in n, the top
    degree and the edges at ``order``.
    """
    histogram = np.zeros(gain.max() + 1, np.int64)
    for g in gain:
        histogram[g] += 1
    # `level` is the smallest of the `budget` largest gains; `above` vertices gain more, `total` together
    level, above, total = histogram.size - 1, 0, 0
    chosen = np.zeros(gain.size, np.bool_)
    covered = 0
    best = indices.size
    for i in range(order.size + 1):
        while level > 0 and above + histogram[level] < budget:
            above += histogram[level]
            total += histogram[level] * level
            level -= 1
        best = min(best, covered + total + (budget - above) * level)
        if i == order.size or chosen[order[i]]:
            continue
        v = order[i]
        covered += gain[v]
        above, total = _lower(gain, histogram, v, gain[v], level, above, total)
        chosen[v] = True
        for a in range(indptr[v], indptr[v + 1]):
            w = indices[a]
            if not chosen[w]:
                above, total = _lower(gain, histogram, w, 1, level, above, total)
    return best


@njit(cache=True, nogil=True)
def _lower(gain: Int32s, histogram: Int64s, v: int, loss: int, level: int, above: int, total: int) -> tuple[int, int]:
    """Take ``loss`` from the gain of ``v``; the number and the sum of the gains then above ``level``."""
    old, new = gain[v], gain[v] - loss
    gain[v] = new
    histogram[old] -= 1
    histogram[new] += 1
    if new > level:
        return above, total - loss
    if old > level:
        return above - 1, total - old
    return above, total


@njit(cache=True, nogil=True)
def stochastic_greedy(
    indptr: Int64s, indices: Int32s, candidates: Int32s, budget: int, sample_size: int, seed: np.uint64
) -> Int64s:
    """Again and again the vertex of highest gain among ``sample_size`` drawn uniformly from the candidates left."""
    gain = degrees(indptr)
    pool = candidates.copy()
    left = pool.size
    state = seed
    chosen = np.empty(budget, np.int64)
    for i in range(budget):
        best = 0
        for j in range(min(sample_size, left)):
            state += GOLDEN
            drawn = j + int(uniform(mix(state)) * (left - j))
            pool[j], pool[drawn] = pool[drawn], pool[j]
            if gain[pool[j]] > gain[pool[best]]:
                best = j
        v = pool[best]
        left -= 1
        pool[best] = pool[left]
        chosen[i] = v
        for a in range(indptr[v], indptr[v + 1]):
            gain[indices[a]] -= 1
    return chosen


@njit(cache=True, nogil=True)
def probabilistic_greedy(indptr: Int64s, indices: Int32s, candidates: Int32s, lots: Float64s) -> Int64s:
    """For each of the ``lots`` (numbers in [0, 1)) a candidate drawn with probability proportional to its gain.

    The gains lie in a Fenwick tree, so that a draw and each change of a gain take O(log n). Once no candidate
    gains anything, those left follow in the order of their numbers.
    """
    gain = np.zeros(indptr.size - 1, np.int32)
    barred = np.ones(gain.size, np.bool_)
    for v in candidates:
        gain[v] = indptr[v + 1] - indptr[v]
        barred[v] = False
    tree = _fenwick(gain)
    total = gain.sum()
    unused = 0
    chosen = np.empty(lots.size, np.int64)
    for i in range(lots.size):
        if total > 0:
            v = _find(tree, int(lots[i] * total))
        else:
            v = unused = _next_free(barred, unused)
        chosen[i] = v
        barred[v] = True
        total -= gain[v]
        _subtract(tree, v, gain[v])
        for a in range(indptr[v], indptr[v + 1]):
            w = indices[a]
            if not barred[w]:
                gain[w] -= 1
                total -= 1
                _subtract(tree, w, 1)
    return chosen


@njit(cache=True, nogil=True)
def _next_free(barred: Bools, start: int) -> int:
    while barred[start]:
        start += 1
    return start


@njit(cache=True, nogil=True)
def _fenwick(values: Int32s) -> Int64s:
    """A tree whose entry i, counted from 1, is the sum of the values i - (i & -i) + 1 to i."""
    tree = np.zeros(values.size + 1, np.int64)
    for i in range(1, tree.size):
        tree[i] += values[i - 1]
        parent = i + (i & -i)
        if parent < tree.size:
            tree[parent] += tree[i]
    return tree


@njit(cache=True, nogil=True)
def _subtract(tree: Int64s, v: int, amount: int) -> None:
    i = v + 1
    while i < tree.size:
        tree[i] -= amount
        i += i & -i


@njit(cache=True, nogil=True)
def _find(tree: Int64s, amount: int) -> int:
    """The v for which the values before v sum to at most ``amount``, and those up to v to more."""
    step = 1
    while 2 * step < tree.size:
        step *= 2
    position = 0
    while step > 0:
        if position + step < tree.size and tree[position + step] <= amount:
            position += step
            amount -= tree[position]
        step //= 2
    return position
