"""A set of roots that changes by one vertex at a time, and what each of its vertices sees of it."""

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import SILVER, mix, substream, uniform
from lense._util.types import Bools, Float32s, Float64s, Int32s, Int64s


@kernel
def count_root(
    indptr: Int64s,
    indices: Int32s,
    features: Float32s,
    scale: float,
    root: int,
    sign: int,
    root_entries: Int32s,
    root_sums: Int64s,
) -> None:
    """Add a root (``sign`` 1) or take it away (-1) in the rows of its neighbours.

    ``root_entries`` (n) counts the entries of each row that are roots, ``root_sums`` (n, k) adds up ``scale`` times
    their features. These are sums of integers, so that they do not depend on what came and went before.
    """
    own = np.empty(features.shape[1], np.int64)
    for j in range(own.size):
        own[j] = sign * np.int64(np.rint(scale * features[root, j]))
    for a in range(indptr[root], indptr[root + 1]):
        w = indices[a]
        root_entries[w] += sign
        for j in range(own.size):
            root_sums[w, j] += own[j]


@kernel
def row_mean(indptr: Int64s, indices: Int32s, features: Float32s, v: int) -> Float64s:
    """The mean (k) of the features over the row of v, 0 where it is empty."""
    total = np.zeros(features.shape[1])
    for a in range(indptr[v], indptr[v + 1]):
        for j in range(total.size):
            total[j] += features[indices[a], j]
    total /= max(indptr[v + 1] - indptr[v], 1)
    return total


@kernel
def offered(
    indptr: Int64s, indices: Int32s, is_root: Bools, root_entries: Int32s, roots: Int64s, key: np.uint64, step: int
) -> tuple[Int64s, Bools]:
    """For each root (M) the vertex offered in its place, and whether there is one.

    It is one of the different neighbours that are no roots, each as likely; where there are none, one of the vertices
    beside any root; where there are none of these either, the root itself. The random numbers are those of ``step`` in
    the stream of ``key``.
    """
    candidates, allowed = roots.copy(), np.ones(roots.size, np.bool_)
    fringe, is_known = np.empty(0, np.int64), False
    stream = substream(key, step)
    for i, v in enumerate(roots):
        drawn = uniform(mix(stream + np.uint64(i + 1) * SILVER))
        count = _free(indptr, indices, is_root, v, -1)
        if count:
            candidates[i] = _free(indptr, indices, is_root, v, int(drawn * count))
            continue
        if not is_known:
            fringe, is_known = np.flatnonzero((root_entries > 0) & ~is_root), True
        allowed[i] = fringe.size > 0
        if fringe.size:
            candidates[i] = fringe[int(drawn * fringe.size)]
    return candidates, allowed


@kernel
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
