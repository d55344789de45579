"""Reverse-reachable sets: drawing them in threads, and choosing the vertices that hit most of them.

Set i of key k is what reaches a uniformly random root in world i, that is, what the root reaches along reversed live
arcs. The share of sets that a seed set hits, times n, is an unbiased estimate of its spread (Borgs et al. 2014).
Set i depends on k and i alone, so it does not matter which thread draws it. Many sets hold their root alone; these are
only counted. Where they are many, sets are compressed; see :mod:`lense.kernels.packed_sets`.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from lense._util import formatting
from lense._util.jit import kernel
from lense._util.progress import progress
from lense._util.random_streams import GOLDEN, exponential, mix, substream
from lense._util.threads import chunks, map_chunks
from lense._util.types import Bools, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.kernels.cascade import Arcs, LiveArcs, Scratch, begin_search, grow, new_scratch
from lense.kernels.gains import Gains, item_gains
from lense.kernels.hitting import Cover, greedy_hitting, sets_by_vertex
from lense.kernels.packed_sets import Block, pack, packed_cover

_FIRST_CHUNK, _SETS_PER_CHUNK, _MEMBERS_PER_CHUNK = 4096, 1 << 16, 1 << 20
_MEMBERS_PER_BLOCK, _MEMBERS_PER_VERTEX = 1 << 22, 4
_SETS_PER_BLOCK = 1 << 20
_FIRST_SETS, _ALL = 1024, 1 << 62
_FILL, _MARGIN = 0.9, 1.1
_LIMIT_PER_PLAIN = 4
_BYTES_PER_MEMBER = 8
_SETTLING = 3
_S11, _UNIT = np.uint64(11), 2.0**-53


class _Worker(NamedTuple):
    """Memory of one worker: the queue and ``sizes`` hold the sets of several members that were drawn last, ``alone``
    (n) counts those of one."""

    scratch: Scratch
    sizes: Int32s
    alone: Int32s


class _Drawn(NamedTuple):
    """What a worker drew: the sets of several members, plain or as a block with its vertices' counts, and how many
    sets there were in all, and settled ones."""

    members: Int32s
    sizes: Int32s
    packed: tuple[Block, Int32s] | None
    drawn: int
    settled: int


@kernel(inline="always")
def _root(world: np.uint64, num_vertices: int) -> np.uint64:
    # a signed number below 2^53 becomes a float in one instruction
    return np.uint64(np.float64(np.int64(world >> _S11)) * _UNIT * num_vertices)


@kernel
def _draw(
    reverse: Arcs, rates: Float64s | None, key: np.uint64, first: int, last: int, worker: _Worker, settles: Bools | None
) -> tuple[int, int, int, int]:
    """Draw sets from ``first`` on until ``last`` or until the worker's memory is full.

    (the next set, how many members and how many sizes the worker then holds, sets settled). A set that holds three
    vertices that settle (n) is left out. ``rates`` (n) spares a search for roots without a live arc.
    """
    n = reverse.vertices.size
    members, sizes, alone, mark = worker.scratch.queue, worker.sizes, worker.alone, worker.scratch.mark
    full = members.size - n
    filled = count = settled = 0
    i = first
    while i < last and filled < full and count < sizes.size:
        world = substream(key, i)
        root = _root(world, n)
        i += 1
        if rates is not None and exponential(mix(world + root * GOLDEN)) >= rates[root]:
            alone[root] += 1
            continue
        stamp = begin_search(worker.scratch)
        members[filled] = root
        mark[root] = stamp
        tail = grow(reverse, world, members, mark, stamp, filled, filled + 1, settles, _SETTLING)
        if tail < 0:
            settled += 1
        elif tail == filled + 1:
            alone[root] += 1
        else:
            sizes[count] = tail - filled
            count += 1
            filled = tail
    return i, filled, count, settled


@kernel
def _filtered(members: Int32s, sizes: Int32s, wanted: Bools, alone: Int32s) -> tuple[Int32s, Int32s]:
    """Members and sizes, without the members that are not wanted; a member that is left alone is counted."""
    kept, kept_sizes = np.empty_like(members), np.empty_like(sizes)
    first = filled = count = 0
    for size in sizes:
        begin = filled
        for v in members[first : first + size]:
            kept[filled] = v
            filled += wanted[v]
        first += size
        if filled == begin + 1:
            filled = begin
            alone[kept[begin]] += 1
        elif filled > begin:
            kept_sizes[count] = filled - begin
            count += 1
    return kept[:filled].copy(), kept_sizes[:count].copy()


@kernel
def _count_hits(
    reverse: Arcs, rates: Float64s | None, key: np.uint64, first: int, last: int, chosen: Bools, scratch: Scratch
) -> int:
    n = reverse.vertices.size
    queue, mark = scratch.queue, scratch.mark
    hits = 0
    for i in range(first, last):
        world = substream(key, i)
        root = _root(world, n)
        if chosen[root]:
            hits += 1
            continue
        if rates is not None and exponential(mix(world + root * GOLDEN)) >= rates[root]:
            continue
        stamp = begin_search(scratch)
        queue[0] = root
        mark[root] = stamp
        hits += grow(reverse, world, queue, mark, stamp, 0, 1, chosen, 1) < 0
    return hits


class ReverseSets:
    """A growing collection of reverse-reachable sets.

    A set of one member is counted, one of several takes 4 bytes a member and a set, and as much again where it is
    indexed. From ``pack_from`` members on, sets are compressed, which changes nothing but memory and time; None leaves
    them as they are. ``memory_limit`` (bytes) caps all of it. With ``candidates`` a set keeps those of its members
    alone, since no other vertex can be chosen to hit it. With ``settling`` vertices, a set that holds three of them or
    more is only counted, in ``num_settled``: any good choice hits it. Its growth ends with the third one.
    """

    def __init__(
        self,
        reverse: Arcs,
        key: np.uint64,
        memory_limit: float | None = None,
        candidates: Int32s | None = None,
        settling: Int64s | None = None,
        pack_from: int | None = None,
    ) -> None:
        self.reverse = reverse
        self.key = key
        self.memory_limit = memory_limit
        self.pack_from = pack_from
        n = reverse.vertices.size
        self.candidates = np.arange(n, dtype=np.int32) if candidates is None else candidates
        self._is_candidate = None if candidates is None else _marked(candidates, n)
        self._settles = None if settling is None else _marked(settling, n)
        self._rates = _rates(reverse)
        self._members: list[Int32s] = []
        self._sizes: list[Int32s] = []
        self._blocks: list[Block] = []
        self._in_blocks = np.zeros(n, np.int64)
        self._workers: list[_Worker] = []
        self._is_packing = False
        self._stored = 0
        self.num_sets = 0
        self.num_settled = 0

    def __len__(self) -> int:
        return self.num_sets

    def extend_to(self, num_sets: int) -> None:
        """Draw sets until there are ``num_sets``."""
        with progress("Drawing reverse-reachable sets", max(0, num_sets - self.num_sets)) as advance:
            while self.num_sets < num_sets:
                if self._should_pack:
                    self._pack_all()
                upto = min(num_sets, self.num_sets + self._before_packing)
                idle = iter(tuple(self._workers))
                for parts in map_chunks(self._work, self._spans(self.num_sets, upto), partial(self._hire, idle)):
                    for part in parts:
                        self._take(part)
                    advance(sum(part.drawn for part in parts))
                    self._check_memory(num_sets)

    def _work(self, worker: _Worker, span: tuple[int, int]) -> list[_Drawn]:
        parts, begin = [], span[0]
        while begin < span[1]:
            end, filled, count, settled = _draw(
                self.reverse, self._rates, self.key, begin, span[1], worker, self._settles
            )
            members, sizes, packed = worker.scratch.queue[:filled], worker.sizes[:count], None
            if self._is_candidate is not None:
                members, sizes = _filtered(members, sizes, self._is_candidate, worker.alone)
            if self._is_packing:
                packed = pack(members, sizes, worker.alone.size)
                members, sizes = members[:0], sizes[:0]
            parts.append(_Drawn(members.copy(), sizes.copy(), packed, end - begin, settled))
            begin = end
        return parts

    def _take(self, part: _Drawn) -> None:
        self.num_sets += part.drawn
        self.num_settled += part.settled
        self._stored += part.members.size
        if part.packed is not None:
            self._add_block(*part.packed)
        elif part.sizes.size:
            self._members.append(part.members)
            self._sizes.append(part.sizes)

    def _add_block(self, block: Block, counts: Int32s) -> None:
        if block.num_sets:
            self._blocks.append(block)
            self._in_blocks[block.vertices] += counts

    def _hire(self, idle: Iterator[_Worker]) -> _Worker:
        """One of the ``idle`` workers, or a new one."""
        if (worker := next(idle, None)) is not None:
            return worker
        n = self.reverse.vertices.size
        # memory that is not touched takes none
        scratch = new_scratch(n, self._members_per_block)
        worker = _Worker(scratch, np.empty(_SETS_PER_BLOCK, np.int32), np.zeros(n, np.int32))
        self._workers.append(worker)
        return worker

    @property
    def _members_per_block(self) -> int:
        return max(_MEMBERS_PER_BLOCK, _MEMBERS_PER_VERTEX * self.reverse.vertices.size)

    def _spans(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        if not self._is_packing:
            per_chunk = self._sets_with(_MEMBERS_PER_CHUNK, _SETS_PER_CHUNK) if self.num_sets else _FIRST_CHUNK
            return chunks(last, per_chunk, start=first)
        step = self._sets_with(_FILL * self._members_per_block, _ALL) if self.num_sets else _FIRST_CHUNK
        return ((begin, min(begin + step, last)) for begin in range(first, last, step))

    def _sets_with(self, members: float, most: int) -> int:
        """How many sets have so many members that are stored, by those drawn so far."""
        return int(min(most, max(1, members * self.num_sets // max(1, self.num_stored_members))))

    @property
    def alone(self) -> Int32s:
        """(n): how many of the sets not settled hold each vertex and no other candidate."""
        total = np.zeros(self.reverse.vertices.size, np.int32)
        for worker in self._workers:
            total += worker.alone
        if self._is_candidate is not None:
            total[~self._is_candidate] = 0
        return total

    @property
    def num_members(self) -> int:
        """How many members all sets not settled have together."""
        return self.num_stored_members + int(self.alone.sum())

    @property
    def num_stored(self) -> int:
        """How many of the sets have several members."""
        return sum(sizes.size for sizes in self._sizes) + sum(block.num_sets for block in self._blocks)

    @property
    def num_stored_members(self) -> int:
        """How many members these have together."""
        return self._stored + int(self._in_blocks.sum())

    @property
    def nbytes(self) -> int:
        """The bytes of the sets, with the index that a choice among plain ones needs."""
        plain = _BYTES_PER_MEMBER * (self._stored + sum(sizes.size for sizes in self._sizes))
        return plain + sum(block.nbytes for block in self._blocks)

    @property
    def _most_plain(self) -> float:
        """How many members may be stored before they are compressed."""
        most = math.inf if self.pack_from is None or self._is_packing else self.pack_from
        if self.memory_limit is not None and most < math.inf:
            most = min(most, self.memory_limit / _LIMIT_PER_PLAIN / _BYTES_PER_MEMBER)
        return most

    @property
    def _should_pack(self) -> bool:
        return self._stored >= self._most_plain

    @property
    def _before_packing(self) -> int:
        """How many sets to draw before looking again whether to compress them; the first say how large others are."""
        if self.num_sets == 0:
            return _FIRST_SETS
        room = _MARGIN * (self._most_plain - self._stored)
        return _ALL if room == math.inf else self._sets_with(room, _ALL)

    def _pack_all(self) -> None:
        """Compress the sets drawn so far, and from now on each part as it is drawn."""
        self._is_packing = True
        n = self.reverse.vertices.size
        while self._sizes:
            members, sizes, held = [], [], 0
            while self._sizes and held < self._members_per_block:
                members.append(self._members.pop())
                sizes.append(self._sizes.pop())
                held += members[-1].size
            self._add_block(*pack(np.concatenate(members), np.concatenate(sizes), n))
        self._stored = 0

    def _check_memory(self, wanted: int) -> None:
        may_shrink = self._most_plain < math.inf
        if self.memory_limit is not None and not may_shrink and self.nbytes > self.memory_limit:
            raise LenseError(
                f"Reverse-reachable sets passed the memory limit of {formatting.size(self.memory_limit)} after "
                f"{self.num_sets:,} of {wanted:,} sets; raise memory_gib or epsilon."
            )

    def arrays(self) -> tuple[Int64s, Int32s]:
        """Offsets and members, set i of those with several members being ``members[offsets[i]:offsets[i + 1]]``."""
        # one array each from here on, so that the pieces are not copied again at the next call
        self._members = [np.concatenate(self._members)] if self._members else [np.empty(0, np.int32)]
        self._sizes = [np.concatenate(self._sizes)] if self._sizes else [np.empty(0, np.int32)]
        offsets = np.zeros(self._sizes[0].size + 1, np.int64)
        np.cumsum(self._sizes[0], out=offsets[1:])
        return offsets, self._members[0]

    def all_arrays(self) -> tuple[Int64s, Int32s]:
        """As :meth:`arrays`, with the sets of one member behind the others."""
        offsets, members = self.arrays()
        alone = self.alone
        single = np.repeat(np.arange(alone.size, dtype=np.int32), alone)
        ends = np.arange(1, single.size + 1) + members.size
        return np.concatenate([offsets, ends]), np.concatenate([members, single])

    def cover(self, budget: int, *, bounded: bool = False) -> Cover:
        """Exact greedy for hitting most sets, in time linear in their members; the bound is trivial unless ``bounded``.

        Both the choice and the bound are over the candidates, and leave out sets that are settled.
        """
        if self._should_pack:
            self._pack_all()
        if not self._is_packing:
            n = self.reverse.vertices.size
            return greedy_hitting(*self.arrays(), n, self.candidates, budget, bounded=bounded, alone=self.alone)
        return packed_cover(self._blocks, self.alone, self._in_blocks, self.candidates, budget, bounded=bounded)


def _rates(reverse: Arcs) -> Float64s | None:
    """(n): an exponential variate of at least this means that no arc of v is live; None where that is not so."""
    return np.ascontiguousarray(reverse.vertices["rate"]) if isinstance(reverse, LiveArcs) else None


def _marked(vertices: Int32s | Int64s, num_vertices: int) -> Bools:
    marked = np.zeros(num_vertices, np.bool_)
    marked[vertices] = True
    return marked


def count_hits(reverse: Arcs, key: np.uint64, num_sets: int, vertices: Int64s, start: int = 0) -> int:
    """How many of the sets ``start`` to ``num_sets`` - 1 of ``key`` contain one of ``vertices``; none is stored."""
    chosen, rates = _marked(vertices, reverse.vertices.size), _rates(reverse)

    def work(scratch: Scratch, span: tuple[int, int]) -> tuple[int, int]:
        return _count_hits(reverse, rates, key, span[0], span[1], chosen, scratch), span[1] - span[0]

    total = 0
    with progress("Checking against fresh sets", num_sets - start) as advance:
        for hits, done in map_chunks(
            work, chunks(num_sets, _FIRST_CHUNK, start), lambda: new_scratch(reverse.vertices.size)
        ):
            total += hits
            advance(done)
    return total


def hit_gains(sets: ReverseSets) -> Gains:
    """The sets that a vertex hits as its items, each standing for n / number of sets vertices reached."""
    offsets, members = sets.all_arrays()
    num_vertices = sets.reverse.vertices.size
    start, containing = sets_by_vertex(offsets, members.view(np.uint32), num_vertices)
    return item_gains(start, containing.view(np.int32), offsets, members, scale=num_vertices / len(sets))
