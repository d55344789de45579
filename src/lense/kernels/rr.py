"""Reverse-reachable sets: drawing them in threads, and choosing the vertices that hit most of them.

Set i of key k is what reaches a uniformly random root in world i, that is, what the root reaches along reversed live
arcs. The share of sets that a seed set hits, times n, is an unbiased estimate of its spread (Borgs et al. 2014).
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from lense.counter import substream
from lense.errors import LenseError
from lense.kernels.cascade import Arcs, Scratch, begin_search, grow_into, grow_until, new_scratch
from lense.kernels.gains import Gains, item_gains
from lense.progress import progress
from lense.threads import chunks, map_chunks
from lense.types import Bools, Int32s, Int64s, UInt32s

_SETS_PER_CHUNK = 4096
_SETTLING = 3
_ONE = np.uint32(1)


@njit(cache=True, nogil=True, inline="always")
def _root(world: np.uint64, num_vertices: int) -> int:
    # the root's stream is one that no vertex has
    return int(substream(world, num_vertices) % np.uint64(num_vertices))


@njit(cache=True, nogil=True)
def _draw(reverse: Arcs, key: np.uint64, first: int, last: int, scratch: Scratch) -> tuple[Int32s, Int64s]:
    """Members of sets first..last - 1 one after the other, and the size of each."""
    n = reverse.vertices.size
    members = np.empty(n + 1 + 4 * (last - first), np.int32)
    sizes = np.empty(last - first, np.int64)
    filled = 0
    for i in range(first, last):
        world = substream(key, i)
        if filled + n >= members.size:
            wider = np.empty(2 * members.size + n + 1, np.int32)
            wider[:filled] = members[:filled]
            members = wider
        stamp = begin_search(scratch)
        members[filled] = _root(world, n)
        scratch.mark[members[filled]] = stamp
        tail = grow_into(reverse, world, members, scratch.mark, stamp, filled, filled + 1)
        sizes[i - first] = tail - filled
        filled = tail
    return members[:filled].copy(), sizes


@njit(cache=True, nogil=True)
def _draw_open(
    reverse: Arcs, key: np.uint64, first: int, last: int, scratch: Scratch, settling: Bools, times: int
) -> tuple[Int32s, Int64s]:
    """As :func:`_draw`, without the sets that hold ``times`` settling vertices (n) or more."""
    n = reverse.vertices.size
    members = np.empty(n + 1 + 4 * (last - first), np.int32)
    sizes = np.empty(last - first, np.int64)
    filled = count = 0
    for i in range(first, last):
        world = substream(key, i)
        if filled + n >= members.size:
            wider = np.empty(2 * members.size + n + 1, np.int32)
            wider[:filled] = members[:filled]
            members = wider
        stamp = begin_search(scratch)
        members[filled] = _root(world, n)
        scratch.mark[members[filled]] = stamp
        tail = grow_until(reverse, world, members, scratch.mark, stamp, filled, filled + 1, settling, times)
        if tail >= 0:
            sizes[count] = tail - filled
            filled = tail
            count += 1
    return members[:filled].copy(), sizes[:count].copy()


@njit(cache=True, nogil=True)
def _filtered(members: Int32s, sizes: Int64s, wanted: Bools) -> tuple[Int32s, Int64s]:
    """As :func:`_draw` gives them, without the members that are not wanted."""
    kept, kept_sizes = np.empty_like(members), np.zeros_like(sizes)
    first = filled = 0
    for i in range(sizes.size):
        for v in members[first : first + sizes[i]]:
            kept[filled] = v
            kept_sizes[i] += wanted[v]
            filled += wanted[v]
        first += sizes[i]
    return kept[:filled].copy(), kept_sizes


@njit(cache=True, nogil=True)
def _count_hits(reverse: Arcs, key: np.uint64, first: int, last: int, chosen: Bools, scratch: Scratch) -> int:
    n = reverse.vertices.size
    hits = 0
    for i in range(first, last):
        world = substream(key, i)
        stamp = begin_search(scratch)
        scratch.queue[0] = _root(world, n)
        scratch.mark[scratch.queue[0]] = stamp
        hits += grow_until(reverse, world, scratch.queue, scratch.mark, stamp, 0, 1, chosen, 1) < 0
    return hits


class ReverseSets:
    """A growing collection of reverse-reachable sets, 4 bytes a member and 8 a set.

    ``memory_limit`` (bytes) caps the members, the index by vertex included. With ``candidates`` a set keeps those of
    its members alone, since no other vertex can be chosen to hit it. With ``settling`` vertices, a set that holds three
    of them or more is only counted, in ``num_settled``: any good choice hits it. Its growth ends with the third one.
    """

    def __init__(
        self,
        reverse: Arcs,
        key: np.uint64,
        memory_limit: float | None = None,
        candidates: Int32s | None = None,
        settling: Int64s | None = None,
    ) -> None:
        self.reverse = reverse
        self.key = key
        self.memory_limit = memory_limit
        self.candidates = np.arange(reverse.num_vertices, dtype=np.int32) if candidates is None else candidates
        self._is_candidate = None if candidates is None else _marked(candidates, reverse.num_vertices)
        self._settles = None if settling is None else _marked(settling, reverse.num_vertices)
        self._members: list[Int32s] = []
        self._sizes: list[Int64s] = []
        self.num_sets = 0
        self.num_members = 0
        self.num_settled = 0

    def __len__(self) -> int:
        return self.num_sets

    def extend_to(self, num_sets: int) -> None:
        """Draw sets until there are ``num_sets``."""

        def work(scratch: Scratch, span: tuple[int, int]) -> tuple[Int32s, Int64s, int]:
            if self._settles is None:
                members, sizes = _draw(self.reverse, self.key, *span, scratch)
            else:
                members, sizes = _draw_open(self.reverse, self.key, *span, scratch, self._settles, _SETTLING)
            if self._is_candidate is not None:
                members, sizes = _filtered(members, sizes, self._is_candidate)
            return members, sizes, span[1] - span[0]

        spans = chunks(num_sets, _SETS_PER_CHUNK, start=self.num_sets)
        with progress("Drawing reverse-reachable sets", max(0, num_sets - self.num_sets)) as advance:
            for members, sizes, drawn in map_chunks(work, spans, lambda: new_scratch(self.reverse.num_vertices)):
                self._members.append(members)
                self._sizes.append(sizes)
                self.num_sets += drawn
                self.num_settled += drawn - sizes.size
                self.num_members += members.size
                advance(drawn)
                self._check_memory(num_sets)

    def _check_memory(self, wanted: int) -> None:
        needed = 8 * self.num_members + 8 * self.num_sets
        if self.memory_limit is not None and needed > self.memory_limit:
            raise LenseError(
                f"Reverse-reachable sets passed the memory limit of {self.memory_limit / 2**30:.3g} GiB after "
                f"{self.num_sets:,} of {wanted:,} sets; raise memory_gib or epsilon."
            )

    def arrays(self) -> tuple[Int64s, Int32s]:
        """Offsets and members, set i of those not settled being ``members[offsets[i]:offsets[i + 1]]``."""
        # one array each from here on, so that the pieces are not copied again at the next call
        self._members = [np.concatenate(self._members)] if self._members else [np.empty(0, np.int32)]
        self._sizes = [np.concatenate(self._sizes)] if self._sizes else [np.empty(0, np.int64)]
        offsets = np.zeros(self.num_sets - self.num_settled + 1, np.int64)
        np.cumsum(self._sizes[0], out=offsets[1:])
        return offsets, self._members[0]


def _marked(vertices: Int32s | Int64s, num_vertices: int) -> Bools:
    marked = np.zeros(num_vertices, np.bool_)
    marked[vertices] = True
    return marked


def count_hits(reverse: Arcs, key: np.uint64, num_sets: int, vertices: Int64s, start: int = 0) -> int:
    """How many of the sets ``start`` to ``num_sets`` - 1 of ``key`` contain one of ``vertices``; none is stored."""
    chosen = _marked(vertices, reverse.num_vertices)

    def work(scratch: Scratch, span: tuple[int, int]) -> tuple[int, int]:
        return _count_hits(reverse, key, span[0], span[1], chosen, scratch), span[1] - span[0]

    total = 0
    with progress("Checking against fresh sets", num_sets - start) as advance:
        for hits, done in map_chunks(
            work, chunks(num_sets, _SETS_PER_CHUNK, start), lambda: new_scratch(reverse.num_vertices)
        ):
            total += hits
            advance(done)
    return total


@dataclass(frozen=True)
class Cover:
    """Vertices in greedy order, the sets each adds to those hit, and a bound on what any ``budget`` candidates hit."""

    vertices: Int64s
    gains: Int64s
    upper_bound: int

    @property
    def covered(self) -> int:
        return int(self.gains.sum())


def greedy_cover(sets: ReverseSets, budget: int, *, bounded: bool = True) -> Cover:
    """Exact greedy for hitting most sets, in time linear in their members; the bound is trivial unless ``bounded``.

    Both the choice and the bound are over the candidates of ``sets``, and leave out those that are settled.
    """
    return greedy_hitting(*sets.arrays(), sets.reverse.num_vertices, sets.candidates, budget, bounded=bounded)


def greedy_hitting(
    offsets: Int64s, members: Int32s, num_vertices: int, candidates: Int32s, budget: int, *, bounded: bool
) -> Cover:
    """:func:`greedy_cover` of any sets, set i being ``members[offsets[i]:offsets[i + 1]]``.

    With ``bounded``, no set may have a member that is not a candidate.
    """
    return Cover(*_greedy_cover(offsets, members.view(np.uint32), num_vertices, candidates, budget, bounded))


def hit_gains(sets: ReverseSets) -> Gains:
    """The sets that a vertex hits as its items, each standing for n / number of sets vertices reached."""
    offsets, members = sets.arrays()
    num_vertices = sets.reverse.num_vertices
    start, containing = _sets_by_vertex(offsets, members.view(np.uint32), num_vertices)
    return item_gains(start, containing.view(np.int32), offsets, members, scale=num_vertices / len(sets))


@njit(cache=True, nogil=True)
def _sets_by_vertex(offsets: Int64s, members: UInt32s, num_vertices: int) -> tuple[Int64s, UInt32s]:
    start = np.zeros(num_vertices + 1, np.int64)
    for v in members:
        start[v + _ONE] += 1
    for v in range(num_vertices):
        start[v + 1] += start[v]
    cursor = start[:-1].copy()
    containing = np.empty(members.size, np.uint32)
    for i in range(offsets.size - 1):
        for a in range(offsets[i], offsets[i + 1]):
            v = members[a]
            containing[cursor[v]] = i
            cursor[v] += 1
    return start, containing


@njit(cache=True, nogil=True)
def _greedy_cover(
    offsets: Int64s, members: UInt32s, num_vertices: int, candidates: Int32s, budget: int, bounded: bool
) -> tuple[Int64s, Int64s, int]:
    """(vertices, gains, upper bound).

    A vertex waits in the list of the gain it had when last looked at; gains only fall, so the head of the highest
    list is either up to date, and then best, or moves down. ``having[g]`` counts candidates of gain g, if the
    sets hold no others.
    """
    start, containing = _sets_by_vertex(offsets, members, num_vertices)
    gain = start[1:] - start[:-1]
    top = gain.max()
    having = np.zeros(top + 1, np.int64)
    head = np.full(top + 1, -1, np.int32)
    after = np.empty(num_vertices, np.int32)
    for v in candidates[::-1]:
        having[gain[v]] += 1
        after[v] = head[gain[v]]
        head[gain[v]] = v
    hit = np.zeros(offsets.size - 1, np.bool_)
    vertices = np.empty(budget, np.int64)
    gains = np.empty(budget, np.int64)
    covered = 0
    bound = offsets.size - 1
    for i in range(budget):
        while True:
            while head[top] < 0:
                top -= 1
            v = head[top]
            head[top] = after[v]
            if gain[v] == top:
                break
            after[v] = head[gain[v]]
            head[gain[v]] = v
        if bounded:
            bound = min(bound, covered + _largest_sum(having, top, budget))
        vertices[i] = v
        gains[i] = top
        covered += top
        for a in range(start[v], start[v + 1]):
            s = containing[a]
            if not hit[s]:
                hit[s] = True
                for b in range(offsets[s], offsets[s + _ONE]):
                    u = members[b]
                    gain[u] -= 1
                    if bounded:
                        having[gain[u] + 1] -= 1
                        having[gain[u]] += 1
    if bounded:
        bound = min(bound, covered + _largest_sum(having, top, budget))
    return vertices, gains, bound


@njit(cache=True, nogil=True)
def _largest_sum(having: Int64s, top: int, budget: int) -> int:
    """The sum of the ``budget`` largest gains, none above ``top``, given how many vertices have each gain."""
    total = 0
    left = budget
    for g in range(top, 0, -1):
        take = min(left, having[g])
        total += take * g
        left -= take
        if left == 0:
            break
    return total
