"""Reverse-reachable sets in little memory: for each vertex the numbers of the sets that hold it, compressed.

Sets come in blocks. Within a block of s sets, the numbers of v's sets rise. They are kept as the gaps between them,
seven bits a byte, or as a map of s bits where that takes no more bytes. So a member of a set takes one byte where a
vertex is in one of 128 sets or more, and less from one in eight on; as two plain numbers, in its set and in the index
by vertex, it would take eight.
"""

from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.threads import map_chunks
from lense._util.types import Int32s, Int64s, UInt8s, UInt32s

_ONES = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)
_CONTINUES = np.uint8(128)


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
    counts, numbers = _numbers_by_vertex(members.view(np.uint32), sizes, num_vertices)
    vertices = np.flatnonzero(counts).astype(np.int32)
    counts = counts[vertices]
    starts, data = _written(counts, numbers, sizes.size)
    return Block(sizes.size, vertices, starts, data), counts


@kernel
def _numbers_by_vertex(members: UInt32s, sizes: Int32s, num_vertices: int) -> tuple[Int32s, UInt32s]:
    """How many sets hold each vertex (n), and the numbers of its sets, rising, one vertex after the other."""
    counts = np.zeros(num_vertices, np.int32)
    for v in members:
        counts[v] += 1
    cursor = np.cumsum(counts) - counts
    numbers = np.empty(members.size, np.uint32)
    a = 0
    for s in range(sizes.size):
        for _ in range(sizes[s]):
            v = members[a]
            numbers[cursor[v]] = s
            cursor[v] += 1
            a += 1
    return counts, numbers


@kernel
def _written(counts: Int32s, numbers: UInt32s, num_sets: int) -> tuple[UInt32s, UInt8s]:
    width = (num_sets + 7) // 8
    starts = np.zeros(counts.size + 1, np.uint32)
    first = 0
    for i in range(counts.size):
        starts[i + 1] = starts[i] + min(width, _gap_bytes(numbers, first, first + counts[i]))
        first += counts[i]
    data = np.zeros(starts[-1], np.uint8)
    first = 0
    for i in range(counts.size):
        last = first + counts[i]
        if starts[i + 1] - starts[i] == width:
            for number in numbers[first:last]:
                data[starts[i] + number // 8] |= np.uint8(1 << (number % 8))
        else:
            _write_gaps(numbers, first, last, data, starts[i])
        first = last
    return starts, data


@kernel
def _gap_bytes(numbers: UInt32s, first: int, last: int) -> int:
    total, before = 0, np.int64(-1)
    for a in range(first, last):
        gap = np.int64(numbers[a]) - before - 1
        before = np.int64(numbers[a])
        total += 1
        while gap >= 128:
            gap >>= 7
            total += 1
    return total


@kernel
def _write_gaps(numbers: UInt32s, first: int, last: int, data: UInt8s, at: int) -> None:
    before = np.int64(-1)
    for a in range(first, last):
        gap = np.int64(numbers[a]) - before - 1
        before = np.int64(numbers[a])
        while gap >= 128:
            data[at] = np.uint8(gap & 127) | _CONTINUES
            gap >>= 7
            at += 1
        data[at] = np.uint8(gap)
        at += 1


@kernel
def _read_gap(data: UInt8s, at: np.int64) -> tuple[np.int64, np.int64]:
    """The gap that is written from ``at`` on, and where the next one begins."""
    gap, shift = np.int64(data[at] & 127), 7
    while data[at] & _CONTINUES:
        at += 1
        gap |= np.int64(data[at] & 127) << shift
        shift += 7
    return gap, at + 1


@kernel
def _find(vertices: Int32s, v: int) -> int:
    """Where ``v`` stands among ``vertices``, or -1."""
    at = np.searchsorted(vertices, v)
    return int(at) if at < vertices.size and vertices[at] == v else -1


@kernel
def _gains(vertices: Int32s, starts: UInt32s, data: UInt8s, left: UInt8s, wanted: Int32s) -> Int64s:
    """For each of the ``wanted``, how many of its sets are ``left`` (bits)."""
    gains = np.zeros(wanted.size, np.int64)
    for i in range(wanted.size):
        at = _find(vertices, wanted[i])
        if at < 0:
            continue
        first, last = np.int64(starts[at]), np.int64(starts[at + 1])
        total = 0
        if last - first == left.size:
            for a in range(left.size):
                total += _ONES[data[first + a] & left[a]]
        else:
            number = np.int64(-1)
            while first < last:
                gap, first = _read_gap(data, first)
                number += gap + 1
                total += (left[number >> 3] >> (number & 7)) & 1
        gains[i] = total
    return gains


@kernel
def _strike(vertices: Int32s, starts: UInt32s, data: UInt8s, left: UInt8s, v: int) -> None:
    """Let no set of ``v`` be ``left``."""
    at = _find(vertices, v)
    if at < 0:
        return
    first, last = np.int64(starts[at]), np.int64(starts[at + 1])
    if last - first == left.size:
        for a in range(left.size):
            left[a] &= ~data[first + a]
        return
    number = np.int64(-1)
    while first < last:
        gap, first = _read_gap(data, first)
        number += gap + 1
        left[number >> 3] &= ~np.uint8(1 << (number & 7))


class PackedChoice:
    """A choice under way: which sets of the blocks, and of those of one member (``alone``, n), are not hit yet."""

    def __init__(self, blocks: list[Block], alone: Int32s) -> None:
        self._blocks = blocks
        self._alone = alone.copy()
        self._left = [np.full((block.num_sets + 7) // 8, 255, np.uint8) for block in blocks]

    def gains(self, wanted: Int32s) -> Int64s:
        """How many sets each of the ``wanted`` vertices would hit that are not hit yet."""

        def work(_: None, i: int) -> Int64s:
            found: Int64s = _gains(*self._blocks[i][1:], self._left[i], wanted)
            return found

        total = self._alone[wanted].astype(np.int64)
        for part in map_chunks(work, range(len(self._blocks)), lambda: None):
            total += part
        return total

    def strike(self, v: int) -> None:
        """Let all sets of ``v`` be hit."""
        self._alone[v] = 0
        for block, left in zip(self._blocks, self._left, strict=True):
            _strike(*block[1:], left, v)
