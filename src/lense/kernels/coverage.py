"""Edges covered by a vertex set: a bound on the best, and greedy algorithms that draw at random.

``rows`` hold the other end of every edge at each vertex, a self loop once. The gain of a vertex is what the
edges count that it alone would add to those covered.
"""

import heapq
from typing import Any

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN, mix, uniform
from lense._util.types import AnyArray, Bools, Float64s, Int32s, Int64s
from lense.kernels.rows import Adjacency, entry_weight

Heap = list[tuple[Any, Any]]


def coverage_bound(rows: Adjacency, gain: AnyArray, order: Int64s, budget: int) -> float:
    """The most that ``budget`` vertices could cover: min_i f(S_i) + the largest gains given S_i.

    S_i are the first i vertices of ``order``, whose quality decides how tight the bound is; the ``budget``
    largest gains are added up. ``gain`` (n) must hold the weighted degrees; it is used up.
    """
    if rows.weights is None:
        return float(_bound_by_histogram(rows.indptr, rows.indices, gain, order, budget))
    return float(_bound_by_heaps(rows, gain, order, budget))


@kernel
def _bound_by_histogram(indptr: Int64s, indices: Int32s, gain: Int32s, order: Int64s, budget: int) -> int:
    """The bound for gains that are whole numbers.

    Gains only fall, and so does the smallest of the largest ones: following it down a histogram takes time linear in n,
    the top degree and the edges at ``order``.
    """
    histogram = np.zeros(gain.max() + 1, np.int64)
    for g in gain:
        histogram[g] += 1
    # `level` is the smallest of the `budget` largest gains; `above` vertices gain more, `total` together
    level, above, total = histogram.size - 1, 0, 0
    chosen = np.zeros(gain.size, np.bool_)
    covered = 0
    best = np.iinfo(np.int64).max
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


@kernel
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


@kernel
def _bound_by_heaps(rows: Adjacency, gain: Float64s, order: Int64s, budget: int) -> float:
    """The bound for gains of any size.

    The ``budget`` largest gains stand in the heap ``top``, the smallest first, and all others in ``rest``, the largest
    first. The time is O(log n) for each edge at ``order``, after sorting once.
    """
    falling = np.argsort(-gain)
    is_top = np.zeros(gain.size, np.bool_)
    is_top[falling[:budget]] = True
    top = [(gain[v], v) for v in falling[:budget]]
    rest = [(-gain[v], v) for v in falling[budget:]]
    heapq.heapify(top)
    total = gain[falling[:budget]].sum()
    chosen = np.zeros(gain.size, np.bool_)
    covered, best = 0.0, np.inf
    for i in range(order.size + 1):
        total += _exchanged(gain, is_top, top, rest)
        best = min(best, covered + total)
        if i == order.size or chosen[order[i]]:
            continue
        v = order[i]
        covered += gain[v]
        total -= _taken(gain, is_top, top, v, gain[v])
        chosen[v] = True
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w = rows.indices[a]
            if not chosen[w]:
                total -= _taken(gain, is_top, top, w, np.float64(entry_weight(rows.weights, a)))
    return best


@kernel
def _taken(gain: Float64s, is_top: Bools, top: Heap, v: int, loss: float) -> float:
    """Take ``loss`` from the gain of ``v``; what the sum of the largest gains loses by that."""
    gain[v] -= loss
    if not is_top[v]:
        return 0.0
    heapq.heappush(top, (gain[v], np.int64(v)))
    return loss


@kernel
def _exchanged(gain: Float64s, is_top: Bools, top: Heap, rest: Heap) -> float:
    """Let larger gains of ``rest`` take the place of smaller ones in ``top``; what their sum gains by that.

    An entry whose gain has fallen since is removed from ``top``, where a newer one stands, and renewed in ``rest``.
    """
    added = 0.0
    while len(top) > 0 and len(rest) > 0:
        low, v = top[0]
        high, w = -rest[0][0], rest[0][1]
        if not is_top[v] or low != gain[v]:
            heapq.heappop(top)
        elif high != gain[w]:
            heapq.heapreplace(rest, (-gain[w], w))
        elif high <= low:
            break
        else:
            heapq.heapreplace(top, (high, w))
            heapq.heapreplace(rest, (-low, v))
            is_top[v], is_top[w] = False, True
            added += high - low
    return added


@kernel
def stochastic_greedy(
    rows: Adjacency, gain: AnyArray, candidates: Int32s, budget: int, sample_size: int, seed: np.uint64
) -> Int64s:
    """Again and again the vertex of highest gain among ``sample_size`` drawn uniformly from the candidates left.

    ``gain`` (n) must hold the weighted degrees; it is used up.
    """
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
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            gain[rows.indices[a]] -= entry_weight(rows.weights, a)
    return chosen


@kernel
def probabilistic_greedy(rows: Adjacency, gain: AnyArray, candidates: Int32s, numbers: Float64s) -> Int64s:
    """For each of the ``numbers`` in [0, 1) a candidate drawn with probability proportional to its gain.

    ``gain`` (n) must hold the weighted degrees. The gains are the leaves of a binary tree of sums, so that a draw and
    each change of a gain take O(log n). Once no candidate gains anything, those left follow in the order of their
    numbers.
    """
    barred = np.ones(rows.indptr.size - 1, np.bool_)
    barred[candidates] = False
    tree = _sum_tree(gain, candidates)
    unused = 0
    chosen = np.empty(numbers.size, np.int64)
    for i in range(numbers.size):
        if tree[1] > 0:
            v = _find(tree, numbers[i] * tree[1])
        else:
            while barred[unused]:
                unused += 1
            v = unused
        chosen[i] = v
        barred[v] = True
        _lower_leaf(tree, v, np.inf)
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            if not barred[rows.indices[a]]:
                _lower_leaf(tree, rows.indices[a], entry_weight(rows.weights, a))
    return chosen


@kernel
def _sum_tree(values: AnyArray, candidates: Int32s) -> Float64s:
    """(2 w): the value of each candidate v at w + v, and in the node i > 0 the sum of its children 2 i and 2 i + 1."""
    width = 1
    while width < values.size:
        width *= 2
    tree = np.zeros(2 * width)
    for v in candidates:
        tree[width + v] = values[v]
    for i in range((width + values.size - 1) // 2, 0, -1):
        tree[i] = tree[2 * i] + tree[2 * i + 1]
    return tree


@kernel
def _lower_leaf(tree: Float64s, v: int, amount: float) -> None:
    """Take ``amount`` from the value of v, which does not fall below 0.

    The sums above it are computed again, so that rounding errors do not add up.
    """
    i = tree.size // 2 + v
    value = max(0.0, tree[i] - amount)
    tree[i] = value
    while i > 1:
        value += tree[i ^ 1]
        i //= 2
        tree[i] = value


@kernel
def _find(tree: Float64s, amount: float) -> int:
    """The v of positive value for which the values before v sum to at most ``amount``, and those up to v to more."""
    i = 1
    while 2 * i < tree.size:
        i *= 2
        if amount >= tree[i] and tree[i + 1] > 0:
            amount -= tree[i]
            i += 1
    return i - tree.size // 2
