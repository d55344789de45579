"""Edge lists to CSR by two counting sorts: linear time, no comparisons, rows come out sorted.

An empty ``weights`` array stands for "no weights" throughout, so that one kernel serves both.
"""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Float32s, Int32s, Int64s

CSR = tuple[Int64s, Int32s, Float32s]
MAX_VERTICES = np.iinfo(np.int32).max


def _counters(num_vertices: int, num_arcs: int) -> AnyArray:
    """Zeros for a counting sort, of 4 bytes where they suffice, since they should fit into the processor's cache."""
    return np.zeros(num_vertices + 1, np.int32 if num_arcs <= np.iinfo(np.int32).max else np.int64)


@kernel
def _starts(counters: AnyArray) -> Int64s:
    """Turn counts, each one place to the right, into the starts of groups; ``indptr`` is a copy of them."""
    indptr = np.empty(counters.size, np.int64)
    total = 0
    for v in range(counters.size):
        total += counters[v]
        counters[v] = total
        indptr[v] = total
    return indptr


@kernel
def _group_by_target(
    sources: Int32s, targets: Int32s, weights: Float32s, cursor: AnyArray, both_ways: bool, keep_loops: bool
) -> CSR:
    """Arcs grouped by their target, in edge order within a group.

    With ``both_ways`` each edge gives an arc per direction; a self loop gives only one arc.
    """
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        if u != v:
            cursor[v + 1] += 1
            if both_ways:
                cursor[u + 1] += 1
        elif keep_loops:
            cursor[v + 1] += 1
    indptr = _starts(cursor)
    ends = np.empty(indptr[-1], np.int32)
    kept = np.empty(indptr[-1] if weights.size else 0, np.float32)
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        if u == v and not keep_loops:
            continue
        ends[cursor[v]] = u
        if weights.size:
            kept[cursor[v]] = weights[e]
        cursor[v] += 1
        if both_ways and u != v:
            ends[cursor[u]] = v
            if weights.size:
                kept[cursor[u]] = weights[e]
            cursor[u] += 1
    return indptr, ends, kept


@kernel
def _transpose(indptr: Int64s, indices: Int32s, weights: Float32s, cursor: AnyArray) -> CSR:
    for a in range(indices.size):
        cursor[indices[a] + 1] += 1
    flipped = _starts(cursor)
    ends = np.empty(indices.size, np.int32)
    moved = np.empty(weights.size, np.float32)
    for v in range(indptr.size - 1):
        for a in range(indptr[v], indptr[v + 1]):
            u = indices[a]
            ends[cursor[u]] = v
            if weights.size:
                moved[cursor[u]] = weights[a]
            cursor[u] += 1
    return flipped, ends, moved


def transpose(indptr: Int64s, indices: Int32s, weights: Float32s) -> CSR:
    """The CSR of the reversed arcs; its rows are sorted whatever the order within the given rows."""
    return _transpose(indptr, indices, weights, _counters(indptr.size - 1, indices.size))


@kernel
def _drop_repeats(indptr: Int64s, indices: Int32s, weights: Float32s) -> int:
    """Keep the first of equal arcs in each sorted row, in place; the number of arcs left."""
    write = 0
    start = indptr[0]
    for v in range(indptr.size - 1):
        end = indptr[v + 1]
        last = -1
        for a in range(start, end):
            if indices[a] != last:
                last = indices[a]
                indices[write] = last
                if weights.size:
                    weights[write] = weights[a]
                write += 1
        indptr[v + 1] = write
        start = end
    return write


@kernel
def count_loops(indptr: Int64s, indices: Int32s) -> int:
    """The number of arcs from a vertex to itself."""
    loops = 0
    for v in range(indptr.size - 1):
        for a in range(indptr[v], indptr[v + 1]):
            loops += indices[a] == v
    return loops


def csr_from_edges(
    sources: Int32s,
    targets: Int32s,
    weights: Float32s,
    num_vertices: int,
    *,
    directed: bool,
    keep_duplicates: bool,
    keep_self_loops: bool,
) -> CSR:
    """Sorted CSR arrays (indptr, indices, weights) of an edge list over vertices 0..num_vertices - 1.

    Of repeated edges the first listed is kept, and with it its weight.
    """
    cursor = _counters(num_vertices, sources.size if directed else 2 * sources.size)
    indptr, indices, weights = transpose(
        *_group_by_target(sources, targets, weights, cursor, not directed, keep_self_loops)
    )
    if not keep_duplicates:
        arcs = _drop_repeats(indptr, indices, weights)
        if arcs < indices.size:
            indices, weights = indices[:arcs].copy(), weights[:arcs].copy()
    return indptr, indices, weights
