"""Compressed sets of vertices, and choosing the vertices that hit most of them.

Sets are compressed in blocks: for each vertex, the numbers of the sets that hold it. Within a block of s sets, the
numbers of v's sets rise. They are kept as the gaps between them, seven bits a byte, or as a map of s bits where that
takes no more bytes. So a member of a set takes one byte where a vertex is in one of 128 sets or more, and less from one
in eight on; as two plain numbers, in its set and in the index by vertex, it would take eight.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.threads import map_chunks
from lense._util.types import Int32s, Int64s, UInt8s, UInt32s
from lense.kernels.hitting import Cover, sets_by_vertex
from lense.kernels.queues import waiting

_ONES = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)
_CONTINUES, _MOST_GAP_BYTES = np.uint8(128), 5
_FIRST_LOOK, _LONGEST_LOOK = 32, 4096


class Block(NamedTuple):
    """Some sets: those of ``vertices[i]`` are written in ``data[starts[i]:starts[i + 1]]``."""

    num_sets: int
    vertices: Int32s
    starts: UInt32s
    data: UInt8s

    @property
    def nbytes(self) -> int:
        return self.vertices.nbytes + self.starts.nbytes + self.data.nbytes


def pack(members: Int32s, sizes: Int32s, num_vertices: int) -> tuple[Block, Int32s]:
    """The sets of ``sizes`` (s) members one after the other as a block, and how many hold each of its vertices."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    firsts, numbers = sets_by_vertex(offsets, members.view(np.uint32), num_vertices)
    counts = np.diff(firsts).astype(np.int32)
    vertices = np.flatnonzero(counts).astype(np.int32)
    counts = counts[vertices]
    starts, data = _written(counts, numbers, sizes.size)
    return Block(sizes.size, vertices, starts, data), counts


@kernel
def _written(counts: Int32s, numbers: UInt32s, num_sets: int) -> tuple[UInt32s, UInt8s]:
    width = (num_sets + 7) // 8
    starts = np.zeros(counts.size + 1, np.uint32)
    data = np.empty(np.minimum(_MOST_GAP_BYTES * counts, width).sum(), np.uint8)
    first = at = 0
    for i in range(counts.size):
        begin, end, before = at, at + width, np.int64(-1)
        of_vertex = numbers[first : first + counts[i]]
        for number in of_vertex:
            gap = np.int64(number) - before - 1
            before = np.int64(number)
            while gap >= 128 and at < end:
                data[at] = np.uint8(gap & 127) | _CONTINUES
                gap >>= 7
                at += 1
            if at >= end:
                break
            data[at] = np.uint8(gap)
            at += 1
        if at >= end:
            data[begin:end] = 0
            for number in of_vertex:
                data[begin + number // 8] |= np.uint8(1 << (number % 8))
        first += counts[i]
        starts[i + 1] = at
    return starts, data[:at].copy()


@kernel
def _gains(vertices: Int32s, starts: UInt32s, data: UInt8s, left: UInt8s, wanted: Int32s, strike: bool) -> Int64s:
    """For each of the ``wanted``, how many of its sets are ``left`` (bits); with ``strike``, none of them is after."""
    gains = np.zeros(wanted.size, np.int64)
    for i in range(wanted.size):
        place = np.searchsorted(vertices, wanted[i])
        if place == vertices.size or vertices[place] != wanted[i]:
            continue
        at, last = np.int64(starts[place]), np.int64(starts[place + 1])
        total = 0
        if last - at == left.size:
            for a in range(left.size):
                total += _ONES[data[at + a] & left[a]]
                if strike:
                    left[a] &= ~data[at + a]
        else:
            number = np.int64(-1)
            while at < last:
                gap, shift = np.int64(data[at] & 127), 7
                while data[at] & _CONTINUES:
                    at += 1
                    gap |= np.int64(data[at] & 127) << shift
                    shift += 7
                at += 1
                number += gap + 1
                total += (left[number >> 3] >> (number & 7)) & 1
                if strike:
                    left[number >> 3] &= ~np.uint8(1 << (number & 7))
        gains[i] = total
    return gains


def packed_cover(
    blocks: list[Block], alone: Int32s, counts: Int64s, candidates: Int32s, budget: int, *, bounded: bool
) -> Cover:
    """As :func:`lense.kernels.hitting.greedy_hitting`, of the sets in ``blocks``; ``counts`` (n) hold each vertex.

    A vertex waits in the same list as there until it is looked at, and is looked at in the same order.
    """
    unhit, alone = [np.full((block.num_sets + 7) // 8, 255, np.uint8) for block in blocks], alone.copy()
    gain, fresh = counts + alone, np.zeros(counts.size, np.int32)
    top = int(gain.max())
    head, after = waiting(gain, candidates, 0, top)
    vertices, gains = np.empty(budget, np.int64), np.empty(budget, np.int64)
    covered, bound = 0, sum(block.num_sets for block in blocks) + int(alone.sum())

    def look(wanted: Int32s, step: int) -> None:
        """Bring the gains of the ``wanted`` up to date."""
        if wanted.size:
            gain[wanted] = alone[wanted]
            for part in map_chunks(
                lambda _, i: _gains(*blocks[i][1:], unhit[i], wanted, False), range(len(blocks)), lambda: None
            ):
                gain[wanted] += part
            fresh[wanted] = step

    for i in range(budget):
        if bounded:
            bound = min(bound, covered + _largest_exact(gain, fresh, candidates, budget, i, look))
        ahead = _FIRST_LOOK
        while True:
            v, top = _settled(head, after, gain, fresh, i, top)
            if v >= 0:
                break
            look(_next_in_line(head, after, fresh, i, top, ahead), i)
            ahead = min(2 * ahead, _LONGEST_LOOK)
        vertices[i], gains[i] = v, top
        covered += top
        for block, left in zip(blocks, unhit, strict=True):
            _gains(*block[1:], left, np.array([v], np.int32), True)
        gain[v] = alone[v] = 0
    if bounded:
        bound = min(bound, covered + _largest_exact(gain, fresh, candidates, budget, budget, look))
    return Cover(vertices, gains, int(bound))


@kernel
def _settled(head: Int32s, after: Int32s, gain: Int64s, fresh: Int32s, step: int, top: int) -> tuple[int, int]:
    """The best vertex, out of its list, and its gain; or -1 where the gain of the first in line is not fresh."""
    while True:
        while head[top] < 0:
            top -= 1
        v = head[top]
        if fresh[v] != step:
            return -1, top
        head[top] = after[v]
        if gain[v] == top:
            return int(v), top
        after[v] = head[gain[v]]
        head[gain[v]] = v


@kernel
def _next_in_line(head: Int32s, after: Int32s, fresh: Int32s, step: int, top: int, most: int) -> Int32s:
    """The first vertices in line up to one whose gain is fresh, ``most`` at most."""
    found = np.empty(most, np.int32)
    count = 0
    for g in range(top, -1, -1):
        v = head[g]
        while v >= 0:
            if fresh[v] == step or count == most:
                return found[:count]
            found[count] = v
            count += 1
            v = after[v]
    return found[:count]


def _largest_exact(
    gain: Int64s, fresh: Int32s, candidates: Int32s, budget: int, step: int, look: Callable[[Int32s, int], None]
) -> int:
    """The sum of the ``budget`` largest gains of candidates; gains that may be among them are looked at."""

    def largest_of(some: Int32s) -> Int32s:
        rest = max(0, some.size - budget)
        return some[np.argpartition(gain[some], rest)[rest:]] if rest else some

    pool, largest = candidates, largest_of(candidates)
    while (stale := largest[(fresh[largest] != step) & (gain[largest] > 0)]).size:
        look(stale, step)
        pool = pool[gain[pool] >= gain[largest].min()]  # no other is among the largest
        largest = largest_of(pool)
    return int(gain[largest].sum())
