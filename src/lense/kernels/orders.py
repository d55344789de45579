"""Orders of vertices that need more than sums over edges: greedy on balls of some hops, and by shortest paths."""

from heapq import heapify, heappop, heappush

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Bools, Float64s, Int32s, Int64s, UInt64s


@kernel(inline="always")
def bits(word: np.uint64) -> int:
    """How many bits of the word are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    # int() would leave it unsigned
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


@kernel
def widen(indptr: Int64s, indices: Int32s, marks: UInt64s) -> UInt64s:
    """(n, w): the bits in the rows of each vertex and of its neighbours."""
    wider = marks.copy()
    for v in range(indptr.size - 1):
        for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            u = np.uint32(indices[a])
            for k in range(marks.shape[1]):
                wider[v, k] |= marks[u, k]
    return wider


@kernel
def count_bits(marks: UInt64s) -> Int64s:
    """(n): how many bits each row has."""
    found = np.zeros(marks.shape[0], np.int64)
    for v in range(found.size):
        for k in range(marks.shape[1]):
            found[v] += bits(marks[v, k])
    return found


@kernel
def covering_order(marks: UInt64s, prior: Float64s, count: int) -> Int64s:
    """The first vertices, at most ``count``, of a greedy choice by the bits that a row adds, times ``prior`` (n).

    Once all bits are covered it starts again, so that every bit is covered a second time, and so on up to eight times.
    """
    n, width = marks.shape
    covered = np.zeros(width, np.uint64)
    is_in = np.zeros(n, np.bool_)
    chosen = np.empty(min(count, n), np.int64)
    taken = 0
    for _ in range(8):
        covered[:] = 0
        queue = [(0.0, 0)]
        queue.pop()
        for v in range(n):
            if not is_in[v]:
                size = 0
                for k in range(width):
                    size += bits(marks[v, k])
                if size:
                    queue.append((-size * prior[v], v))
        heapify(queue)
        while queue and taken < chosen.size:
            _, v = heappop(queue)
            added = 0
            for k in range(width):
                added += bits(marks[v, k] & ~covered[k])
            if added == 0:
                continue
            entry = (-added * prior[v], v)
            if queue and entry > queue[0]:
                heappush(queue, entry)
                continue
            for k in range(width):
                covered[k] |= marks[v, k]
            is_in[v] = True
            chosen[taken] = v
            taken += 1
    return chosen[:taken]


@kernel
def path_counts(indptr: Int64s, indices: Int32s, sources: Int64s, is_gone: Bools) -> Float64s:
    """(n): how many shortest paths from the sources pass each vertex, shares of ties added up (Brandes 2001).

    Vertices that are gone are on no path.
    """
    n = indptr.size - 1
    total, distance = np.zeros(n), np.full(n, -1, np.int32)
    paths, passing, queue = np.zeros(n), np.zeros(n), np.empty(n, np.int32)
    for source in sources:
        if is_gone[source]:
            continue
        queue[0], tail, head = source, 1, 0
        distance[source], paths[source] = 0, 1.0
        while head < tail:
            v = queue[head]
            head += 1
            for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                u = indices[a]
                if is_gone[u]:
                    continue
                if distance[u] < 0:
                    distance[u] = distance[v] + 1
                    queue[tail] = u
                    tail += 1
                if distance[u] == distance[v] + 1:
                    paths[u] += paths[v]
        for i in range(tail - 1, -1, -1):
            v = queue[i]
            for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                u = indices[a]
                if not is_gone[u] and distance[u] == distance[v] + 1:
                    passing[v] += paths[v] / paths[u] * (1 + passing[u])
            if v != source:
                total[v] += passing[v]
        for i in range(tail):
            v = queue[i]
            distance[v], paths[v], passing[v] = -1, 0.0, 0.0
    return total
