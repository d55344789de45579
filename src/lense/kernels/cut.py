"""Swaps of vertices of a set X for others, to a local optimum of the edges that it cuts.

``rows`` hold the other end of every edge at each vertex, in rising order; self loops are never cut. The gain of
a vertex, in X or not, is what moving it to the other side would add to the cut: its edges to its own side less those to
the other.
"""

from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Bools, Int8s, Int32s, Int64s
from lense.kernels.queues import Queue, enter, highest, leave, new_queue
from lense.kernels.rows import Adjacency, entry_weight

_OUTSIDE, _INSIDE, _NO_CANDIDATE = np.int8(0), np.int8(1), np.int8(2)
_TOLERANCE = 1e-10


def loopless(rows: Adjacency) -> Adjacency:
    """The rows without self loops."""
    is_kept = rows.indices != np.repeat(np.arange(rows.indptr.size - 1, dtype=np.int32), np.diff(rows.indptr))
    starts = np.concatenate([[0], np.cumsum(is_kept)])[rows.indptr]
    return Adjacency(starts, rows.indices[is_kept], None if rows.weights is None else rows.weights[is_kept])


class SwapSearch(NamedTuple):
    """A set X on its way to a local optimum."""

    rows: Adjacency
    outer: Queue
    """The candidates outside X by gain."""
    inner: Queue
    """The vertices of X by gain; ``gain`` is shared with ``outer``."""
    side: Int8s
    """(n): 1 in X, 0 for the candidates outside, 2 for those that never move, whose gains are not used."""
    risen: Int32s
    """(n): in the first ``size[0]`` entries, vertices whose gain rose since their edges were looked at."""
    listed: Bools
    """(n): whether a vertex is among those."""
    size: Int64s
    """(1): the length of ``risen``."""
    most: AnyArray
    """(1): the most that the edges between two vertices were seen to count."""
    tolerance: float
    """What a swap must add more than to be made: 0 for whole numbers, which know no rounding."""


@kernel
def swap_to_optimum(
    rows: Adjacency, gain: AnyArray, candidates: Int32s, start: Int64s, forced: Int64s | None = None
) -> tuple[Int64s, int]:
    """A set that no swap of a vertex inside for a candidate outside improves, and the swaps it took from ``start``.

    Vertices of ``start`` that are ``forced`` stay inside. A vertex that comes in takes the place, in the order of
    ``start``, of the one it replaces. ``gain`` (n) must hold the weighted degrees without self loops; it is used up.
    With weights, an improvement by no more than 1e-10 of the largest of these does not count, so that rounding cannot
    keep the swaps going.

    Swapping v in X for u adds gain(u) + gain(v) + 2 a(u, v), where a(u, v) is what the edges between the
    two count. The pair of highest gains is swapped as long as that helps without such edges. After that only an
    edge can tip the scales, and only one at a vertex whose gain rose since its edges were last looked at:
    those alone are looked at.
    """
    newest_first, n = rows.weights is None, gain.size
    tolerance = 0.0 if newest_first else _TOLERANCE * float(gain.max())
    outer, inner = new_queue(gain, candidates, newest_first), new_queue(gain, candidates[:0], newest_first)
    side = np.full(n, _NO_CANDIDATE)
    side[candidates] = _OUTSIDE
    risen, listed, size = np.empty(n, np.int32), np.zeros(n, np.bool_), np.zeros(1, np.int64)
    search = SwapSearch(rows, outer, inner, side, risen, listed, size, np.zeros(1, gain.dtype), tolerance)
    for v in start:
        _flip(search, v)
    if forced is not None:
        for v in forced:
            leave(inner, v)
            side[v] = _NO_CANDIDATE
    chosen = start.copy()
    place = np.zeros(n, np.int32)
    place[start] = np.arange(start.size)
    swaps = 0
    while True:
        u, v = _improving_swap(search)
        if u < 0:
            return chosen, swaps
        _flip(search, v)
        _flip(search, u)
        place[u] = place[v]
        chosen[place[u]] = u
        swaps += 1


@kernel
def _flip(search: SwapSearch, v: int) -> None:
    """Move ``v`` to the other side."""
    rows, gain, side, most = search.rows, search.outer.gain, search.side, search.most
    leave(search.inner if side[v] else search.outer, v)
    side[v] = _INSIDE - side[v]
    gain[v] = -gain[v]
    risen, count = np.empty(rows.indptr[v + 1] - rows.indptr[v] + 1, np.int32), 1
    risen[0], last = v, -1
    edges: float = 0
    for a in range(rows.indptr[v], rows.indptr[v + 1]):
        w, weight = rows.indices[a], entry_weight(rows.weights, a)
        if w == v:
            continue
        edges = edges + weight if w == last else weight
        last = w
        most[0] = max(most[0], edges)
        if side[w] == side[v]:
            gain[w] += 2 * weight
            risen[count] = w
            count += 1
        else:
            gain[w] -= 2 * weight
    enter(search.inner if side[v] else search.outer, risen[:count])
    for w in risen[:count]:
        if not search.listed[w]:
            search.listed[w] = True
            search.risen[search.size[0]] = w
            search.size[0] += 1


@kernel
def _improving_swap(search: SwapSearch) -> tuple[int, int]:
    """A vertex u outside and a v inside that improve the cut when swapped, or (-1, -1) if there are none."""
    gain = search.outer.gain
    u, v = highest(search.outer), highest(search.inner)
    if u < 0 or v < 0:
        return -1, -1
    if gain[u] + gain[v] > search.tolerance:
        return u, v
    while search.size[0] > 0:
        search.size[0] -= 1
        w = search.risen[search.size[0]]
        search.listed[w] = False
        opposite = gain[u] if search.side[w] else gain[v]
        if gain[w] + opposite + 2 * search.most[0] > search.tolerance:
            partner = _best_neighbour_across(search, w)
            if partner >= 0:
                return (partner, w) if search.side[w] else (w, partner)
    return -1, -1


@kernel
def _best_neighbour_across(search: SwapSearch, w: int) -> int:
    """The neighbour on the other side whose swap with ``w`` improves the cut most, or -1 if none does."""
    gain, across = search.outer.gain, _INSIDE - search.side[w]
    best, partner = search.tolerance - gain[w], -1
    last = -1
    edges: float = 0
    for a in range(search.rows.indptr[w], search.rows.indptr[w + 1]):
        x, weight = search.rows.indices[a], entry_weight(search.rows.weights, a)
        edges = edges + weight if x == last else weight
        last = x
        if search.side[x] == across and gain[x] + 2 * edges > best:
            best, partner = gain[x] + 2 * edges, x
    return partner
