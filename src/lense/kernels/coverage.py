"""Greedy algorithms for covering edges that draw at random.

``rows`` hold the other end of every edge at each vertex, a self loop once. The gain of a vertex is what the
edges count that it alone would add to those covered.
"""

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN, mix, uniform
from lense._util.types import AnyArray, Float64s, Int32s, Int64s
from lense.kernels.rows import Adjacency, entry_weight


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
