"""Edges cut by a vertex set X: the count, and swaps to a local optimum.

``indptr`` and ``indices`` hold the other end of every edge at each vertex, in rising order; self loops are
never cut. The gain of a vertex, in X or not, is what moving it to the other side would add to the cut: its
edges to its own side less those to the other.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from lense.kernels.buckets import Buckets, degrees, highest, link, new_buckets, relink, unlink
from lense.types import Bools, Int8s, Int32s, Int64s

_OUTSIDE, _INSIDE, _NO_CANDIDATE = np.int8(0), np.int8(1), np.int8(2)


@njit(cache=True, nogil=True)
def cut_edges(indptr: Int64s, indices: Int32s, vertices: Int64s) -> int:
    """The number of edges with exactly one end among ``vertices``, which differ from each other."""
    inside = np.zeros(indptr.size - 1, np.bool_)
    inside[vertices] = True
    cut = 0
    for v in vertices:
        for a in range(indptr[v], indptr[v + 1]):
            cut += not inside[indices[a]]
    return cut


@njit(cache=True, nogil=True)
def loopless_degrees(indptr: Int64s, indices: Int32s) -> Int32s:
    """(n): the edges at each vertex, self loops left out."""
    lengths = degrees(indptr)
    for v in range(lengths.size):
        for a in range(indptr[v], indptr[v + 1]):
            lengths[v] -= indices[a] == v
    return lengths


@njit(cache=True, nogil=True)
def loopless_rows(indptr: Int64s, indices: Int32s) -> tuple[Int64s, Int32s]:
    """The rows without self loops: (indptr, indices)."""
    starts, ends = np.zeros_like(indptr), np.empty_like(indices)
    for v in range(indptr.size - 1):
        starts[v + 1] = starts[v]
        for a in range(indptr[v], indptr[v + 1]):
            if indices[a] != v:
                ends[starts[v + 1]] = indices[a]
                starts[v + 1] += 1
    return starts, ends[: starts[-1]].copy()


class Search(NamedTuple):
    """A set X on its way to a local optimum."""

    indptr: Int64s
    indices: Int32s
    outer: Buckets
    """The candidates outside X by gain."""
    inner: Buckets
    """The vertices of X by gain; ``gain`` is shared with ``outer``."""
    side: Int8s
    """(n): 1 in X, 0 for the candidates outside, 2 for the others, whose gains nobody asks for."""
    risen: Int32s
    """(n): in the first ``sizes[0]`` entries, vertices whose gain rose since their edges were looked at."""
    listed: Bools
    """(n): whether a vertex is among those."""
    sizes: Int64s
    """(2): the length of ``risen``, and the most edges seen to join two vertices."""


@njit(cache=True, nogil=True)
def swap_to_optimum(
    indptr: Int64s, indices: Int32s, gain: Int32s, candidates: Int32s, start: Int64s
) -> tuple[Int64s, int]:
    """A set that no swap of a vertex inside for a candidate outside improves, and the swaps it took from ``start``.

    A vertex that comes in takes the place, in the order of ``start``, of the one it replaces. ``gain`` (n)
    must hold the degrees without self loops; it is used up.

    Swapping v in X for u adds gain(u) + gain(v) + 2 a(u, v), where a(u, v) is the number of edges between the
    two. The pair of highest gains is swapped as long as that helps without such edges. After that only an
    edge can tip the scales, and only one at a vertex whose gain rose since its edges were last looked at:
    those alone are looked at.
    """
    n, peak = gain.size, int(gain.max())
    outer, inner = new_buckets(gain, -peak, peak)
    side = np.full(n, _NO_CANDIDATE)
    for v in candidates[::-1]:
        side[v] = _OUTSIDE
        link(outer, v)
    search = Search(
        indptr,
        indices,
        outer,
        inner,
        side,
        np.empty(n, np.int32),
        np.zeros(n, np.bool_),
        np.zeros(2, np.int64),
    )
    for v in start:
        _flip(search, v)
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


@njit(cache=True, nogil=True)
def _flip(search: Search, v: int) -> None:
    """Move ``v`` to the other side."""
    gain, side = search.outer.gain, search.side
    unlink(search.outer, v)
    side[v] = _INSIDE - side[v]
    gain[v] = -gain[v]
    _has_risen(search, v)
    last, edges = -1, 0
    for a in range(search.indptr[v], search.indptr[v + 1]):
        w = search.indices[a]
        if w == v:
            continue
        edges = edges + 1 if w == last else 1
        last = w
        search.sizes[1] = max(search.sizes[1], edges)
        if side[w] == side[v]:
            gain[w] += 2
            _has_risen(search, w)
        else:
            gain[w] -= 2


@njit(cache=True, nogil=True)
def _has_risen(search: Search, v: int) -> None:
    relink(search.inner if search.side[v] else search.outer, v)
    if not search.listed[v]:
        search.listed[v] = True
        search.risen[search.sizes[0]] = v
        search.sizes[0] += 1


@njit(cache=True, nogil=True)
def _improving_swap(search: Search) -> tuple[int, int]:
    """A vertex u outside and a v inside that improve the cut when swapped, or (-1, -1) if there are none."""
    gain = search.outer.gain
    u, v = highest(search.outer), highest(search.inner)
    if u < 0 or v < 0:
        return -1, -1
    if gain[u] + gain[v] > 0:
        return u, v
    while search.sizes[0] > 0:
        search.sizes[0] -= 1
        w = search.risen[search.sizes[0]]
        search.listed[w] = False
        opposite = gain[u] if search.side[w] else gain[v]
        if gain[w] + opposite + 2 * search.sizes[1] > 0:
            partner = _best_neighbour_across(search, w)
            if partner >= 0:
                return (partner, w) if search.side[w] else (w, partner)
    return -1, -1


@njit(cache=True, nogil=True)
def _best_neighbour_across(search: Search, w: int) -> int:
    """The neighbour on the other side whose swap with ``w`` improves the cut most, or -1 if none does."""
    gain, across = search.outer.gain, _INSIDE - search.side[w]
    best, partner = -gain[w], -1
    last, edges = -1, 0
    for a in range(search.indptr[w], search.indptr[w + 1]):
        x = search.indices[a]
        edges = edges + 1 if x == last else 1
        last = x
        if search.side[x] == across and gain[x] + 2 * edges > best:
            best, partner = gain[x] + 2 * edges, x
    return partner
