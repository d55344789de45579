"""A queue over vertices whose gains are any numbers, and the greedy choice that uses it.

It does for weights what :mod:`lense.kernels.buckets` does for whole numbers. Vertices are the leaves of a binary tree.
Every other node holds the better of the vertices at its two children, the smaller vertex among equals, so that the root
holds the best. A vertex may stand with a gain above its own, never below: a gain that falls is only written down, and
its matches are played again when the vertex is met at the root. A change of place takes O(log n).
"""

from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Float32s, Float64s, Int32s, Int64s


class Tournament(NamedTuple):
    """One queue. Several may share ``gain``."""

    gain: Float64s
    """(n): current gain of each vertex."""
    known: Float64s
    """(n): the gain with which each vertex in the queue stands there."""
    winner: Int32s
    """(2 w): the best vertex below each node, or -1; the root is 1, the children of i are 2 i and 2 i + 1, the leaf of
    v is w + v."""


@kernel
def new_tournament(gain: Float64s, vertices: Int32s) -> Tournament:
    """A queue that holds ``vertices``, in time O(n)."""
    width = 1
    while width < gain.size:
        width *= 2
    queue = Tournament(gain, gain.copy(), np.full(2 * width, np.int32(-1)))
    for v in vertices:
        queue.winner[width + v] = v
    for i in range(width - 1, 0, -1):
        queue.winner[i] = _better(queue, 2 * i)
    return queue


@kernel
def _better(queue: Tournament, i: int) -> int:
    """The better of the vertices at the nodes i and i + 1."""
    one, other = queue.winner[i], queue.winner[i + 1]
    first_wins = other < 0 or (one >= 0 and queue.known[one] >= queue.known[other])
    return int(one if first_wins else other)


@kernel
def _play(queue: Tournament, v: int) -> None:
    """Decide all matches on the way from ``v`` to the root."""
    i = (queue.winner.size // 2 + v) // 2
    while i > 0:
        before = queue.winner[i]
        queue.winner[i] = _better(queue, 2 * i)
        if queue.winner[i] == before and before != v:
            break
        i //= 2


@kernel
def enter(queue: Tournament, v: int) -> None:
    """Put ``v`` in the queue with its gain; due at once whenever the gain of one in the queue has risen."""
    queue.known[v] = queue.gain[v]
    queue.winner[queue.winner.size // 2 + v] = v
    _play(queue, v)


@kernel
def leave(queue: Tournament, v: int) -> None:
    """Take ``v`` out of the queue; nothing happens if it is not in."""
    queue.winner[queue.winner.size // 2 + v] = -1
    _play(queue, v)


@kernel
def leader(queue: Tournament) -> int:
    """The vertex of highest gain, the smallest among equals, or -1 if the queue is empty."""
    while True:
        v = queue.winner[1]
        if v < 0 or queue.known[v] == queue.gain[v]:
            return int(v)
        enter(queue, v)


@kernel
def weighted_greedy(
    indptr: Int64s, indices: Int32s, weights: Float32s, gain: Float64s, candidates: Int32s, budget: int, loss: int
) -> Int64s:
    """The ``budget`` candidates that come first when the one of highest gain is taken again and again.

    Taking a vertex lowers the gain of its neighbours by ``loss`` times the weight of each edge. ``gain`` (n) is used
    up. Among equal gains the smallest vertex wins.
    """
    queue = new_tournament(gain, candidates)
    chosen = np.empty(budget, np.int64)
    for i in range(budget):
        v = leader(queue)
        leave(queue, v)
        chosen[i] = v
        for a in range(indptr[v], indptr[v + 1]):
            gain[indices[a]] -= loss * np.float64(weights[a])
    return chosen
