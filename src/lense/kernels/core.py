"""Core numbers: how deep in the dense part of a graph a vertex lies.

The k-core of a graph is its largest part in which every vertex has k edges or more; c(v), the core number of v, is the
largest k for which v is in it. Edges are the entries of a symmetric CSR: a parallel edge counts as often as it stands
there, a self loop once.
"""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Int32s, Int64s
from lense.kernels.rows import degrees, rows_between

_WORTH_ANOTHER_PASS = 0.75


def deepest_core(indptr: Int64s, indices: Int32s, count: int) -> tuple[Int64s, Int32s]:
    """The vertices of a k-core that has at least ``count``, in rising order, and their core numbers.

    A k-core holds no vertex with fewer than k edges, so for a large k there is little to look at: k is tried from
    above, each one third to two thirds of the one before, the less the more vertices were missing.
    """
    k = _first_guess(np.bincount(degrees(indptr)), count)
    while True:
        vertices = likely_members(indptr, indices, k)
        found = vertices.size
        if found >= count:
            numbers = core_numbers(indptr, indices, vertices, k)
            is_member = numbers >= k
            found = int(np.count_nonzero(is_member))
            if found >= count:
                return vertices[is_member], numbers[is_member]
        # the sizes of cores grow about as the cube of 1 / k where edges are many and hubs few
        k = int(k * min(max((found / count) ** (1 / 3), 1 / 3), 2 / 3))


def _first_guess(counts: Int64s, count: int) -> int:
    """A k from which to go down, given how many vertices have each number of edges.

    It is at most half the largest k with k (and ``count``) vertices of k edges or more, which cores hardly ever come
    near, and such that the vertices of k edges or more have a quarter of all entries, which costs little to look at.
    """
    k = np.arange(counts.size)
    vertices, entries = (values[::-1].cumsum()[::-1] for values in (counts, counts * k))
    return int(min(k[vertices >= np.maximum(k, count)][-1] // 2, k[entries >= entries[0] / 4][-1]))


@kernel
def likely_members(indptr: Int64s, indices: Int32s, k: int) -> Int64s:
    """In rising order all the vertices of the ``k``-core, and maybe others.

    Vertices with fewer than ``k`` edges to those that are left are left out, in passes over all of them for as long
    as a pass shortens the list by a quarter.
    """
    n = indptr.size - 1
    is_in = np.empty(n, np.uint8)
    vertices = np.empty(n, np.int64)
    size = 0
    for v in range(n):
        is_in[v] = indptr[v + 1] - indptr[v] >= k
        vertices[size] = v
        size += is_in[v]
    before = n + n
    while size < _WORTH_ANOTHER_PASS * before:
        before, size = size, 0
        for i in range(before):
            v = vertices[i]
            found, a, end = 0, np.uint64(indptr[v]), np.uint64(indptr[v + 1])
            while found < k and a < end:
                found += is_in[np.uint32(indices[a])]
                a += np.uint64(1)
            is_in[v] = found >= k
            vertices[size] = v
            size += is_in[v]
    return vertices[:size]


@kernel
def core_numbers(indptr: Int64s, indices: Int32s, vertices: Int64s, k: int = 0) -> Int32s:
    """c(v) for each of ``vertices``, the k-core being among them; whatever is below k is given as k - 1."""
    begins, entries, _ = rows_between(indptr, indices, np.empty(0, np.float32), vertices)
    return _peeled(begins, entries, k - 1)


@kernel
def _peeled(indptr: Int64s, indices: Int32s, floor: int) -> Int32s:
    """(n): max(c(v), floor) of every vertex.

    Level by level from k = ``floor``, the vertices with k edges left go, and then those that lose their (k + 1)-th by
    that. Nothing branches on an edge, since a wrong guess costs more than writing a number that is not needed.
    """
    n, one = indptr.size - 1, np.uint64(1)
    left = np.maximum(degrees(indptr), np.int32(floor))
    inside = np.arange(n).astype(np.uint32)
    going = np.empty(n + 1, np.uint32)
    size, k = np.uint64(n), np.int32(floor)
    while size > 0:
        kept, tail, head = np.uint64(0), np.uint64(0), np.uint64(0)
        for i in range(size):
            v = inside[i]
            going[tail] = v
            tail += np.uint64(left[v] == k)
            inside[kept] = v
            kept += np.uint64(left[v] > k)
        size = kept
        while head < tail:
            v = going[head]
            head += one
            for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + one])):
                u = np.uint32(indices[a])
                edges = left[u]
                left[u] = edges - np.int32(edges > k)
                going[tail] = u
                tail += np.uint64(edges == k + 1)
        k += np.int32(1)
    return left
