"""Choosing the vertices that hit most sets: exact greedy, and bounds on what any choice can hit.

:func:`hitting_bound` is that of the linear relaxation. Hitting is coverage: maximise the sum over the sets s of
min(1, x(s)), where x(s) is the number of chosen members and at most k vertices are chosen. For multipliers
0 <= m_s <= 1,

    L(m) = sum of (1 - m_s) + the sum of the k largest q_v,   q_v = the sum of m_s over the sets that v is in

is at least the optimum, as min(1, x(s)) <= 1 - m_s + m_s x(s). The multipliers are found by the primal-dual hybrid
gradient method, as in :mod:`lense.kernels.relaxation`, with the vertices in most sets alone; L is then taken with all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lense._util.jit import kernel
from lense._util.threads import map_chunks
from lense._util.types import Bools, Float64s, Int32s, Int64s, UInt32s
from lense.kernels.queues import first_in_line, waiting
from lense.kernels.relaxation import level

_ONE = np.uint32(1)


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
    """(vertices, gains, upper bound); ``having[g]`` counts candidates of gain g, if the sets hold no others."""
    start, containing = sets_by_vertex(offsets, members, alone.size)
    gain = start[1:] - start[:-1] + alone
    having = np.zeros(gain.max() + 1, np.int64)
    for v in candidates:
        having[gain[v]] += 1
    top = gain.max()
    head, after = waiting(gain, candidates, 0, top)
    hit = np.zeros(offsets.size - 1, np.bool_)
    vertices = np.empty(budget, np.int64)
    gains = np.empty(budget, np.int64)
    covered = 0
    bound = offsets.size - 1 + int(alone.sum())
    for i in range(budget):
        v, top = first_in_line(head, after, gain, 0, top)
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


_ROUNDS, _STEPS = 6, 20
_STALLED = 0.001
_CHUNK = 20_000
_ACTIVE_PER_CHOICE = 10
_CLOSE = 1.001
_ROUNDING = 1e-9
Bounds = Callable[[Sequence[Float64s]], Sequence[tuple[float, Float64s]]]
"""L and q (n) of each of some multipliers."""
Steps = Callable[[Bools, Float64s, Float64s], Sequence[tuple[Float64s, Float64s]]]
"""From the active vertices, x (n) and multipliers: those after some steps and their means, (multipliers, x) each."""


def hitting_bound(offsets: Int64s, members: Int32s, num_vertices: int, chosen: Int64s, covered: int) -> float:
    """The most sets that as many vertices as ``chosen`` can hit; the closer those, which hit ``covered``, the sooner.

    Set i is ``members[offsets[i]:offsets[i + 1]]``.
    """
    budget, inside = chosen.size, np.zeros(num_vertices, np.int8)
    inside[chosen] = 1
    hits = np.add.reduceat(inside[members], offsets[:-1], dtype=np.int32) if members.size else np.empty(0)
    return relaxed_bound(
        lambda many: [_bound(offsets, members, one, num_vertices, budget) for one in many],
        lambda active, x, multipliers: descend(offsets, members, active, budget, x, multipliers),
        np.bincount(members, minlength=num_vertices),
        chosen,
        1 / np.maximum(hits, 1),
        covered,
    )


def relaxed_bound(
    bounds: Bounds, steps: Steps, counts: Int32s | Int64s, chosen: Int64s, multipliers: Float64s, covered: int
) -> float:
    """As :func:`hitting_bound`, wherever the sets are; ``counts`` (n) says how many hold each vertex.

    ``multipliers`` are those to begin with, one of each set. It stops where no more than a thousandth can be gained, or
    was.
    """
    budget, most, x = chosen.size, multipliers.size, np.zeros(counts.size)
    x[chosen] = 1.0
    active = largest_mask(counts, _ACTIVE_PER_CHOICE * budget)
    active[chosen] = True
    [(best, reduced)] = bounds([multipliers])
    for _ in range(_ROUNDS):
        if best <= _CLOSE * covered:
            break
        active |= largest_mask(reduced, 2 * budget)
        ends = steps(active, x, multipliers)
        found = bounds([one for one, _ in ends])
        nearer = int(found[1][0] < found[0][0])
        (multipliers, x), reduced = ends[nearer], found[nearer][1]
        before, best = best, min(best, found[nearer][0])
        if before - best < _STALLED * best:
            break
    return min(best * (1 + _ROUNDING), float(most))


def largest_mask(values: Int32s | Int64s | Float64s, count: int) -> Bools:
    """(n): where the ``count`` largest values stand, and others as large as the least of them."""
    least = np.partition(values, -count)[-count] if count < values.size else values.min()
    largest: Bools = values >= max(least, np.finfo(np.float64).tiny)
    return largest


def _bound(
    offsets: Int64s, members: Int32s, multipliers: Float64s, num_vertices: int, budget: int
) -> tuple[float, Float64s]:
    """L, and q (n)."""
    constant, reduced = _reduced(offsets, members, multipliers, num_vertices)
    return constant + float(np.sort(reduced)[-budget:].sum()), reduced


@kernel
def _reduced(
    offsets: Int64s, members: Int32s | UInt32s, multipliers: Float64s, num_vertices: int
) -> tuple[float, Float64s]:
    constant, reduced = 0.0, np.zeros(num_vertices)
    for s in range(multipliers.size):
        constant += 1 - multipliers[s]
        for a in range(offsets[s], offsets[s + 1]):
            reduced[members[a]] += multipliers[s]
    return constant, reduced


def descend(
    offsets: Int64s, members: Int32s, active: Bools, budget: int, x: Float64s, multipliers: Float64s
) -> list[tuple[Float64s, Float64s]]:
    """Some steps with the active vertices: the multipliers and x in the end, and their means."""
    starts, ends, kept, alone = _among(offsets, members, active)
    at_end = multipliers[kept], x[active]
    at_mean = _steps(starts, ends.view(np.uint32), alone, budget, at_end[1], at_end[0])
    found = []
    for some, part in (at_end, at_mean):
        whole, everywhere = np.ones_like(multipliers), np.zeros_like(x)
        whole[kept], everywhere[active] = some, part
        found.append((whole, everywhere))
    return found


@kernel
def _among(offsets: Int64s, members: Int32s, active: Bools) -> tuple[Int64s, Int32s, Int64s, Float64s]:
    """The sets that have several active members, with those alone, numbered by their places: (starts, members, which).

    The multiplier of a set with a single one is 1 at best. The last array counts those of each active vertex.
    """
    place = np.cumsum(active) - 1
    starts, which = np.zeros(offsets.size, np.int64), np.empty(offsets.size - 1, np.int64)
    ends, alone = np.empty(members.size, np.int32), np.zeros(place[-1] + 1)
    count = filled = 0
    for s in range(offsets.size - 1):
        for a in range(offsets[s], offsets[s + 1]):
            if active[members[a]]:
                ends[filled] = place[members[a]]
                filled += 1
        if filled == starts[count] + 1:
            filled -= 1
            alone[ends[filled]] += 1
        if filled > starts[count]:
            which[count] = s
            count += 1
            starts[count] = filled
    return starts[: count + 1].copy(), ends[:filled].copy(), which[:count].copy(), alone


def _steps(
    offsets: Int64s, members: UInt32s, alone: Float64s, budget: int, x: Float64s, multipliers: Float64s
) -> tuple[Float64s, Float64s]:
    """Steps on ``multipliers`` and ``x``, in place; their means over the steps.

    Chunks of sets are worked on in threads. They do not depend on the number of threads, so the result does not either.
    """
    tau = 1 / np.maximum(np.bincount(members, minlength=x.size) + alone, 1)
    reduced = alone + _reduced(offsets, members, multipliers, x.size)[1]
    mean_x, mean = np.zeros_like(x), np.zeros_like(multipliers)
    ahead, above = np.empty_like(x), 0.0
    spans = [(first, min(first + _CHUNK, mean.size)) for first in range(0, mean.size, _CHUNK)]

    def move(_: None, span: tuple[int, int]) -> Float64s:
        return _move_sets(offsets, members, ahead, multipliers, mean, *span)

    for _ in range(_STEPS):
        above = _move_vertices(x, reduced, tau, ahead, mean_x, budget, above)
        reduced[:] = alone
        for part in map_chunks(move, spans, lambda: None):
            reduced += part
    return mean / _STEPS, mean_x / _STEPS


@kernel
def _move_vertices(
    x: Float64s, reduced: Float64s, tau: Float64s, ahead: Float64s, mean_x: Float64s, budget: int, guess: float
) -> float:
    """A step of ``x`` along ``reduced``, within the budget; ``ahead`` is where as much again would lead."""
    z = x + tau * reduced
    above = level(z, tau, budget, guess)
    for v in range(x.size):
        y = min(1.0, max(0.0, z[v] - above * tau[v]))
        ahead[v] = 2 * y - x[v]
        x[v] = y
        mean_x[v] += y
    return float(above)


@kernel(fastmath=True)  # no bound is taken here, so sums may be in any order
def _move_sets(
    offsets: Int64s, members: UInt32s, ahead: Float64s, multipliers: Float64s, mean: Float64s, begin: int, end: int
) -> Float64s:
    """A step of the multipliers of the sets from ``begin`` to ``end`` - 1; what they add to q."""
    reduced = np.zeros_like(ahead)
    for s in range(begin, end):
        first, last, total = offsets[s], offsets[s + 1], 0.0
        for a in range(first, last):
            total += ahead[members[a]]
        y = min(1.0, max(0.0, multipliers[s] + (1 - total) / (last - first)))
        multipliers[s] = y
        mean[s] += y
        if y > 0:
            for a in range(first, last):
                reduced[members[a]] += y
    return reduced
