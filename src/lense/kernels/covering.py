"""Choosing the vertices that hit most sets: exact greedy, with a bound on what any choice can hit.

Both ways choose the same vertices. One keeps all gains up to date, and needs the sets themselves. The other asks for a
gain only where a vertex may be the best, so that the sets may be compressed, or lie with several processes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Int32s, Int64s, UInt32s

_ONE = np.uint32(1)
_FIRST_LOOK, _LONGEST_LOOK = 32, 4096


@dataclass(frozen=True)
class Cover:
    """Vertices in greedy order, the sets each adds to those hit, and a bound on what any ``budget`` candidates hit."""

    vertices: Int64s
    gains: Int64s
    upper_bound: int

    @property
    def covered(self) -> int:
        return int(self.gains.sum())


def greedy_hitting(
    offsets: Int64s,
    members: Int32s,
    num_vertices: int,
    candidates: Int32s,
    budget: int,
    *,
    bounded: bool,
    alone: Int32s | None = None,
) -> Cover:
    """Exact greedy for hitting most sets, set i being ``members[offsets[i]:offsets[i + 1]]``; time linear in them.

    Each vertex hits ``alone`` (n) sets besides, which no other hits. With ``bounded``, no set may have a member that is
    not a candidate; without, the bound is trivial.
    """
    alone = np.zeros(num_vertices, np.int32) if alone is None else alone
    return Cover(*_greedy_cover(offsets, members.view(np.uint32), alone, candidates, budget, bounded))


@kernel
def sets_by_vertex(offsets: Int64s, members: UInt32s, num_vertices: int) -> tuple[Int64s, UInt32s]:
    """The sets of v are ``containing[start[v]:start[v + 1]]``: (start, containing)."""
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


@kernel
def _greedy_cover(
    offsets: Int64s, members: UInt32s, alone: Int32s, candidates: Int32s, budget: int, bounded: bool
) -> tuple[Int64s, Int64s, int]:
    """(vertices, gains, upper bound).

    A vertex waits in the list of the gain it had when last looked at; gains only fall, so the head of the highest
    list is either up to date, and then best, or moves down. ``having[g]`` counts candidates of gain g, if the
    sets hold no others.
    """
    start, containing = sets_by_vertex(offsets, members, alone.size)
    gain = start[1:] - start[:-1] + alone
    having = np.zeros(gain.max() + 1, np.int64)
    for v in candidates:
        having[gain[v]] += 1
    head, after = _waiting(gain, candidates)
    top = head.size - 1
    hit = np.zeros(offsets.size - 1, np.bool_)
    vertices = np.empty(budget, np.int64)
    gains = np.empty(budget, np.int64)
    covered = 0
    bound = offsets.size - 1 + int(alone.sum())
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
        having[top] -= 1
        gain[v] -= alone[v]
        having[gain[v]] += 1
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


@kernel
def _waiting(gain: Int64s, candidates: Int32s) -> tuple[Int32s, Int32s]:
    """Lists of candidates by gain: ``head[g]`` is the first of gain g, ``after[v]`` the one behind v, -1 none."""
    head = np.full(gain.max() + 1, -1, np.int32)
    after = np.empty(gain.size, np.int32)
    for v in candidates[::-1]:
        after[v] = head[gain[v]]
        head[gain[v]] = v
    return head, after


@kernel
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


class Choice(Protocol):
    """Sets of which some are hit."""

    def gains(self, wanted: Int32s, /) -> Int64s:
        """How many sets each of the ``wanted`` vertices would hit that are not hit yet."""
        ...

    def strike(self, v: int, /) -> None:
        """Let all sets of ``v`` be hit."""
        ...


def lazy_cover(
    choice: Choice, counts: Int64s, num_sets: int, candidates: Int32s, budget: int, *, bounded: bool
) -> Cover:
    """As :func:`greedy_hitting`, of ``num_sets`` sets, ``counts`` (n) of which hold each vertex; none is hit yet.

    A vertex waits in the same list as there until it is looked at, and is looked at in the same order.
    """
    gain, fresh = counts.copy(), np.zeros(counts.size, np.int32)
    head, after = _waiting(gain, candidates)
    vertices, gains, covered, bound, top = (
        np.empty(budget, np.int64),
        np.empty(budget, np.int64),
        0,
        num_sets,
        head.size - 1,
    )

    def look(wanted: Int32s, step: int) -> None:
        if wanted.size:
            gain[wanted] = choice.gains(wanted)
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
        choice.strike(v)
        gain[v] = 0
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
