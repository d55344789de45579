"""Rows of a CSR: what kernels read of a graph, what the entries count, and the rows of some vertices.

Kernels take ``weights`` as None, where every entry counts 1, or as one number for each entry. Numba compiles for the
two kinds apart, so that a kernel that serves both is as fast as if it knew of no weights.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.threads import chunks, map_chunks
from lense._util.types import AnyArray, Float32s, Float64s, Int32s, Int64s


class Adjacency(NamedTuple):
    """CSR arrays alone: the neighbours of v are ``indices[indptr[v]:indptr[v + 1]]``, in rising order."""

    indptr: Int64s
    indices: Int32s
    weights: Float32s | None


_ENTRIES_FOR_THREADS = 300_000
_ROWS_AT_ONCE = 65_536


@kernel
def degrees(indptr: Int64s) -> Int32s:
    """(n): the length of each row."""
    return (indptr[1:] - indptr[:-1]).astype(np.int32)


@kernel
def row_sums(indptr: Int64s, weights: Float32s) -> Float64s:
    """(n): the sum of the weights in each row."""
    sums = np.zeros(indptr.size - 1)
    for v in range(sums.size):
        for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            sums[v] += weights[a]
    return sums


def by_rows(step: Callable[[int, int], None], indptr: Int64s) -> None:
    """Call ``step`` for the rows from one number to another, in threads if there are many entries; row by row alike."""
    n = indptr.size - 1
    if indptr[-1] < _ENTRIES_FOR_THREADS:
        step(0, n)
    else:
        for _ in map_chunks(lambda _, span: step(*span), chunks(n, _ROWS_AT_ONCE), lambda: None):
            continue


def neighbour_sums(indptr: Int64s, indices: Int32s, values: Float64s) -> Float64s:
    """(n): the sum of the ``values`` (n) of each row's entries, in threads; their number changes no bit of it."""
    sums = np.empty(values.size)
    by_rows(partial(_neighbour_sums, indptr, indices, values, sums), indptr)
    return sums


@kernel
def _neighbour_sums(indptr: Int64s, indices: Int32s, values: Float64s, sums: Float64s, first: int, last: int) -> None:
    for v in range(first, last):
        total = 0.0
        for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            total += values[np.uint32(indices[a])]
        sums[v] = total


@kernel
def rows_between(
    indptr: Int64s, indices: Int32s, weights: Float32s, vertices: Int64s
) -> tuple[Int64s, Int32s, Float32s]:
    """The CSR of what is among ``vertices`` (different ones, in rising order), numbered by their places there.

    ``weights`` and those returned are empty where there are none.
    """
    place = np.full(indptr.size - 1, -1, np.int32)
    room = 0
    for i, v in enumerate(vertices):
        place[v] = i
        room += indptr[v + 1] - indptr[v]
    weighted = weights.size > 0
    begins = np.zeros(vertices.size + 1, np.int64)
    entries = np.empty(room + 1, np.int32)
    kept_weights = np.empty(room + 1 if weighted else 0, np.float32)
    filled = np.uint64(0)
    for i, v in enumerate(vertices):
        for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            there = place[np.uint32(indices[a])]
            entries[filled] = there  # the next one takes its room if it leads out
            if weighted:
                kept_weights[filled] = weights[a]
            filled += np.uint64(there >= 0)
        begins[i + 1] = filled
    return begins, entries[:filled].copy(), kept_weights[:filled].copy()


@kernel
def arc_places(indptr: Int64s, indices: Int32s, sources: AnyArray, targets: AnyArray) -> Int64s:
    """Where each arc (source, target) stands in a CSR with sorted rows; -1 where it does not or an end is negative."""
    places = np.full(sources.size, -1, np.int64)
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        if u < 0 or v < 0:
            continue
        low, high = indptr[u], indptr[u + 1]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < v:
                low = middle + 1
            else:
                high = middle
        if low < indptr[u + 1] and indices[low] == v:
            places[e] = low
    return places


@kernel
def entry_weight(weights: Float32s | None, a: int) -> float:
    """What entry ``a`` counts: a whole number without weights, else a float64."""
    if weights is None:
        return 1
    return np.float64(weights[a])


def weighted_degrees(rows: Adjacency) -> AnyArray:
    """(n): what the entries of each row count together, as int32 without weights and float64 with them."""
    return degrees(rows.indptr) if rows.weights is None else row_sums(rows.indptr, rows.weights)
