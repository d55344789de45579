"""A set of roots that changes by one vertex at a time, and what each of its vertices sees of it."""

import numpy as np
from numba import njit

from lense.types import Bools, Float32s, Float64s, Int32s, Int64s


@njit(cache=True, nogil=True)
def count_root(
    indptr: Int64s,
    indices: Int32s,
    features: Float32s,
    root: int,
    sign: int,
    root_entries: Int32s,
    root_sums: Float64s,
) -> None:
    """Add a root (``sign`` 1) or take it away (-1) in the rows of its neighbours.

    ``root_entries`` (n) counts the entries of each row that are roots, ``root_sums`` (n, k) adds up their features.
    """
    for a in range(indptr[root], indptr[root + 1]):
        w = indices[a]
        root_entries[w] += sign
        for j in range(features.shape[1]):
            root_sums[w, j] += sign * features[root, j]


@njit(cache=True, nogil=True)
def row_mean(indptr: Int64s, indices: Int32s, features: Float32s, v: int) -> Float64s:
    """The mean (k) of the features over the row of v, 0 where it is empty."""
    total = np.zeros(features.shape[1])
    for a in range(indptr[v], indptr[v + 1]):
        for j in range(total.size):
            total[j] += features[indices[a], j]
    total /= max(indptr[v + 1] - indptr[v], 1)
    return total


@njit(cache=True, nogil=True)
def offered(
    indptr: Int64s, indices: Int32s, is_root: Bools, root_entries: Int32s, roots: Int64s, lots: Float64s
) -> tuple[Int64s, Bools]:
    """For each root (M) the vertex offered in its place, and whether there is one, by ``lots`` (M) in [0, 1).

    It is one of the different neighbours that are no roots, each as likely; where there are none, one of the vertices
    beside any root; where there are none of these either, the root itself.
    """
    candidates, allowed = roots.copy(), np.ones(roots.size, np.bool_)
    fringe, is_known = np.empty(0, np.int64), False
    for i, v in enumerate(roots):
        count = _free(indptr, indices, is_root, v, -1)
        if count:
            candidates[i] = _free(indptr, indices, is_root, v, int(lots[i] * count))
            continue
        if not is_known:
            fringe, is_known = np.flatnonzero((root_entries > 0) & ~is_root), True
        allowed[i] = fringe.size > 0
        if fringe.size:
            candidates[i] = fringe[int(lots[i] * fringe.size)]
    return candidates, allowed


@njit(cache=True, nogil=True)
def _free(indptr: Int64s, indices: Int32s, is_root: Bools, v: int, place: int) -> int:
    """Of v's different neighbours that are no roots the one at ``place``, or their number if that is -1."""
    count, before = 0, -1
    for a in range(indptr[v], indptr[v + 1]):
        w = indices[a]
        if w != before and not is_root[w]:
            if count == place:
                return int(w)
            count += 1
        before = w
    return count


@njit(cache=True, nogil=True)
def seen_by_roots(
    indptr: Int64s, features: Float32s, root_entries: Int32s, row_means: Float64s, roots: Int64s, marks: bool
) -> Float32s:
    """What the encoder's first layer takes of each root: (M, 2k), or (M, 2k + 2) with ``marks`` of roots.

    Its own features (and 1, it is a root), and the means of its neighbours', ``row_means`` (M, k) (and how many of
    them are roots).
    """
    k = features.shape[1]
    width = k + 1 if marks else k
    seen = np.empty((roots.size, 2 * width), np.float32)
    for i, v in enumerate(roots):
        seen[i, :k] = features[v]
        seen[i, width : width + k] = row_means[i]
        if marks:
            seen[i, k] = 1
            seen[i, width + k] = root_entries[v] / max(indptr[v + 1] - indptr[v], 1)
    return seen


@njit(cache=True, nogil=True)
def seen_by_others(
    features: Float32s, root_entries: Int32s, root_sums: Float64s, vertices: Int64s, marks: bool
) -> Float32s:
    """The same of vertices (M) at the fringe, of whose neighbours the subgraph holds the roots alone."""
    k = features.shape[1]
    width = k + 1 if marks else k
    seen = np.empty((vertices.size, 2 * width), np.float32)
    for i, u in enumerate(vertices):
        entries = root_entries[u]
        seen[i, :k] = features[u]
        seen[i, width : width + k] = root_sums[u] / max(entries, 1)
        if marks:
            seen[i, k] = 0
            seen[i, width + k] = 1 if entries else 0
    return seen
