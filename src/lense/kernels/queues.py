"""Queues over vertices by their gains, and the greedy choices that use them.

A vertex may stand in a queue above its gain, never below: a gain that falls is only written down, and the vertex is
moved when it is met at the top. In a greedy algorithm all gains fall and few vertices ever come to the top, so an edge
costs one subtraction.

- ``Buckets`` hold gains that are whole numbers. Each bucket is a circular doubly linked list, closed by an entry of its
  own behind those of the vertices, so that linking and unlinking need no case distinction.
- A ``Tournament`` holds any gains. Vertices are the leaves of a binary tree, and every other node holds the better of
  the vertices at its two children, the smaller vertex among equals. A change of place takes O(log n).
"""

from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Float64s, Int32s, Int64s
from lense.kernels.rows import Adjacency, entry_weight


class Buckets(NamedTuple):
    """One queue. Two may share ``gain``, ``after`` and ``before``, as long as no vertex is in both."""

    gain: Int32s
    """(n): current gain of each vertex, which may be negative."""
    after: Int32s
    """(n + entries): the next in the list; a vertex outside every list is its own next."""
    before: Int32s
    """(n + entries): the previous in the list."""
    zero: int
    """Where the entry of the bucket for gain 0 stands in ``after`` and ``before``."""
    top: Int64s
    """(1): no bucket above this gain holds a vertex."""
    bottom: int
    """No bucket lies below this gain."""


@kernel
def new_buckets(gain: Int32s, bottom: int, peak: int) -> tuple[Buckets, Buckets]:
    """Two empty queues for gains from ``bottom`` to ``peak``; a vertex is to be in one of them at a time."""
    n, width = gain.size, peak - bottom + 1
    after = np.empty(n + 2 * width, np.int32)
    before = np.empty_like(after)
    for i in range(after.size):
        after[i] = before[i] = i
    return (
        Buckets(gain, after, before, n - bottom, np.array([bottom]), bottom),
        Buckets(gain, after, before, n + width - bottom, np.array([bottom]), bottom),
    )


@kernel
def unlink(queue: Buckets, v: int) -> None:
    """Take ``v`` out of the queue; nothing happens if it is not in."""
    queue.after[queue.before[v]] = queue.after[v]
    queue.before[queue.after[v]] = queue.before[v]
    queue.after[v] = queue.before[v] = v


@kernel
def link(queue: Buckets, v: int) -> None:
    """Put ``v``, which must not be in the queue, at the front of the bucket of its gain."""
    entry = queue.zero + queue.gain[v]
    first = queue.after[entry]
    queue.after[entry] = queue.before[first] = v
    queue.after[v] = first
    queue.before[v] = entry
    queue.top[0] = max(queue.top[0], queue.gain[v])


@kernel
def relink(queue: Buckets, v: int) -> None:
    """Move ``v`` to the bucket of its gain; due at once whenever a gain has risen."""
    unlink(queue, v)
    link(queue, v)


@kernel
def highest(queue: Buckets) -> int:
    """The vertex of highest gain, the last linked among equals, or -1 if the queue is empty."""
    while queue.top[0] >= queue.bottom:
        entry = queue.zero + queue.top[0]
        v = queue.after[entry]
        if v == entry:
            queue.top[0] -= 1
        elif queue.gain[v] == queue.top[0]:
            return int(v)
        else:
            relink(queue, v)
    return -1


@kernel
def waiting(gain: AnyArray, candidates: Int32s, bottom: int, peak: int) -> tuple[Int32s, Int32s]:
    """Lists of candidates by gain: ``head[g - bottom]`` is the first of gain g, ``after[v]`` the one behind v, -1 none.

    They are linked one way, which is enough where vertices leave a list only at its head.
    """
    head, after = np.full(peak - bottom + 1, -1, np.int32), np.empty(gain.size, np.int32)
    for v in candidates[::-1]:
        after[v] = head[gain[v] - bottom]
        head[gain[v] - bottom] = v
    return head, after


@kernel
def first_in_line(head: Int32s, after: Int32s, gain: AnyArray, bottom: int, top: int) -> tuple[int, int]:
    """A vertex of highest gain, out of its list, and that gain less ``bottom``, which is at most ``top``.

    A vertex waits in the list of the gain it had when last looked at; gains only fall, so the head of the highest list
    is either up to date, and then best, or moves down.
    """
    while True:
        while head[top] < 0:
            top -= 1
        v = head[top]
        head[top] = after[v]
        now = gain[v] - bottom
        if now == top:
            return int(v), top
        after[v] = head[now]
        head[now] = v


@kernel
def greedy(rows: Adjacency, gain: Int32s, candidates: Int32s, budget: int, loss: int) -> Int64s:
    """The ``budget`` candidates that come first when the one of highest gain is taken again and again.

    Taking a vertex lowers the gain of its neighbours by ``loss`` for each edge. ``gain`` (n) is used up.
    Among equal gains the first listed candidate wins at the start; later, one whose gain has fallen to that
    value goes first.
    """
    peak, bottom = 0, 0
    for v in candidates:
        peak = max(peak, gain[v])
        bottom = min(bottom, gain[v] - loss * (rows.indptr[v + 1] - rows.indptr[v]))
    step = np.int32(loss)
    head, after = waiting(gain, candidates, bottom, peak)
    chosen = np.empty(budget, np.int64)
    top = peak - bottom
    for i in range(budget):
        v, top = first_in_line(head, after, gain, bottom, top)
        chosen[i] = v
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            gain[np.uint32(rows.indices[a])] -= step  # an unsigned index spares a test for negative ones
    return chosen


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
def weighted_greedy(rows: Adjacency, gain: Float64s, candidates: Int32s, budget: int, loss: int) -> Int64s:
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
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            gain[rows.indices[a]] -= loss * np.float64(entry_weight(rows.weights, a))
    return chosen
