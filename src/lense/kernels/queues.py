"""Queues over vertices by their gains, and the greedy choices that use them.

A vertex may stand in a queue above its gain, never below: a gain that falls is only written down, and the vertex is
moved when it is met at the top. In a greedy algorithm all gains fall and few vertices ever come to the top, so an edge
costs one subtraction. Where all gains are whole numbers and only fall, lists of vertices of the same gain do.
"""

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Float64s, Int32s, Int64s
from lense.kernels.rows import Adjacency, entry_weight


class Queue(NamedTuple):
    """Vertices by their gains, the highest of them in a heap; several may share ``gain``."""

    gain: AnyArray
    """(n): current gain of each vertex."""
    known: AnyArray
    """(n): the gain that each vertex in the queue had when last looked at."""
    rank: Int64s
    """(n): the place of each vertex in the queue among equal gains, lowest first; 0 for those that are out."""
    clock: Int64s
    """(1): the last rank given, if of equal gains the last to enter goes first; empty if the smallest vertex does."""
    floor: Float64s
    """(1): the vertices known to gain as much or more are in the heap."""
    heap: list[tuple[Any, ...]]
    """Minus the known gain of a vertex, its rank, and the vertex; entries with another rank than now do not count."""


@kernel
def new_queue(gain: AnyArray, vertices: Int32s, newest_first: bool) -> Queue:
    """A queue of ``vertices``, as if the first had entered last."""
    known, rank, clock = np.empty_like(gain), np.zeros(gain.size, np.int64), np.zeros(0, np.int64)
    if newest_first:
        clock = np.array([-vertices.size])
    for i, v in enumerate(vertices):
        known[v], rank[v] = gain[v], i - vertices.size if newest_first else v + 1
    return Queue(gain, known, rank, clock, np.array([np.inf]), [(-gain[0], rank[0], np.int64(0)) for _ in range(0)])


@kernel
def enter(queue: Queue, vertices: Int32s) -> None:
    """Put ``vertices`` in the queue by their gains, or let them move up; due at once whenever gains have risen."""
    gain, known, rank, clock, floor = queue.gain, queue.known, queue.rank, queue.clock, queue.floor[0]
    for v in vertices:
        if clock.size:
            clock[0] -= 1
        known[v], rank[v] = gain[v], clock[0] if clock.size else v + 1
        if gain[v] >= floor:
            heappush(queue.heap, (-gain[v], rank[v], np.int64(v)))


@kernel
def leave(queue: Queue, v: int) -> None:
    """Take ``v`` out of the queue; nothing happens if it is not in."""
    queue.rank[v] = 0


@kernel
def highest(queue: Queue) -> int:
    """The vertex of highest gain, or -1 if the queue is empty."""
    while queue.heap or _fill(queue):
        value, rank, v = queue.heap[0]
        if queue.rank[v] == rank and queue.gain[v] == -value:
            return int(v)
        heappop(queue.heap)
        if queue.rank[v] == rank:
            enter(queue, np.array([v], np.int32))
    return -1


@kernel
def _fill(queue: Queue) -> bool:
    """Put the vertices known to gain at least half of the most in the empty heap: whether there are some."""
    most = -np.inf
    for v in range(queue.gain.size):
        if queue.rank[v] != 0:
            most = max(most, queue.known[v])
    queue.floor[0] = min(most / 2, 2 * most)
    for v in range(queue.gain.size):
        if queue.rank[v] != 0 and queue.known[v] >= queue.floor[0]:
            queue.heap.append((-queue.known[v], queue.rank[v], np.int64(v)))
    heapify(queue.heap)
    return len(queue.heap) > 0


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


@kernel
def weighted_greedy(rows: Adjacency, gain: Float64s, candidates: Int32s, budget: int, loss: int) -> Int64s:
    """The ``budget`` candidates that come first when the one of highest gain is taken again and again.

    Taking a vertex lowers the gain of its neighbours by ``loss`` times the weight of each edge. ``gain`` (n) is used
    up. Among equal gains the smallest vertex wins.
    """
    queue = new_queue(gain, candidates, False)
    chosen = np.empty(budget, np.int64)
    for i in range(budget):
        v = highest(queue)
        leave(queue, v)
        chosen[i] = v
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            gain[rows.indices[a]] -= loss * np.float64(entry_weight(rows.weights, a))
    return chosen
