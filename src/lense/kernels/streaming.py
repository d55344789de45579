"""Kernels over batches of edges that come from a disk: sorting them, counting at vertices, keeping some of them.

An edge is a pair of vertex numbers. As a key it is one 64-bit word, source * 2^32 + target, so that sorting keys sorts
edges. Self loops count for nothing in all of these.
"""

import numpy as np
from numpy.typing import NDArray

from lense._util.jit import kernel
from lense._util.types import AnyArray, Bools, Float32s, Float64s, Int32s, Int64s

Keys = NDArray[np.uint64]

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
NO_WEIGHTS = np.empty(0, np.float32)


@kernel
def edge_keys(sources: Int32s, targets: Int32s, directed: bool) -> Keys:
    """The keys of the edges that are no self loops, of an undirected one from its smaller end."""
    keys, size = np.empty(sources.size + 1, np.uint64), 0
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        if not directed and v < u:
            u, v = v, u
        keys[size] = np.uint64(u) << _HALF | np.uint64(v)
        size += u != v
    return keys[:size]


def edges_of(keys: Keys) -> tuple[Int32s, Int32s]:
    """Sources and targets of keys."""
    return (keys >> _HALF).astype(np.int32), (keys & _LOW).astype(np.int32)


def sorted_unique(keys: Keys, weights: Float32s = NO_WEIGHTS) -> tuple[Keys, Float32s]:
    """The different keys in rising order, each with its first weight if there are any; ``keys`` may be overwritten."""
    if weights.size:
        order = np.argsort(keys)
        keys = keys[order]
    else:
        keys.sort()
    is_first = np.ones(keys.size, np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    if weights.size:  # equal keys stand in any order, which is quicker
        weights = weights[np.minimum.reduceat(order, np.flatnonzero(is_first))]
    return keys[is_first], weights


@kernel
def add_degrees(sources: Int32s, targets: Int32s, degrees: AnyArray) -> int:
    """Count each edge at both of its ends; the self loops that were left out."""
    loops = 0
    last, run = np.uint32(0), 0
    for e in range(sources.size):
        u, v = np.uint32(sources[e]), np.uint32(targets[e])
        if u != last:  # a source stands many times in a row
            degrees[last] += run
            last, run = u, 0
        is_loop = u == v
        loops += is_loop
        run += not is_loop
        degrees[v] += not is_loop
    if run:
        degrees[last] += run
    return loops


@kernel
def add_products(sources: Int32s, targets: Int32s, values: Float64s, sums: Float64s) -> None:
    """Add to each end of an edge, in ``sums`` (k, n), the ``values`` (k, n) of the other."""
    for e in range(sources.size):
        u, v = np.uint32(sources[e]), np.uint32(targets[e])
        if u != v:
            for row in range(values.shape[0]):
                sums[row, u] += values[row, v]
                sums[row, v] += values[row, u]


@kernel
def add_weights(sources: Int32s, targets: Int32s, weights: Float32s, degrees: AnyArray, sums: Float64s) -> float:
    """Count each edge at both of its ends, and sum its weight there; the sum of all weights.

    At a vertex of an undirected graph whose edges are sorted, weights are summed in rising order of the other ends, as
    over a row in memory.
    """
    total = 0.0
    for e in range(sources.size):
        u, v = np.uint32(sources[e]), np.uint32(targets[e])
        if u != v:
            weight = np.float64(weights[e])
            degrees[u] += 1
            degrees[v] += 1
            sums[u] += weight
            sums[v] += weight
            total += weight
    return total


@kernel
def add_weights_into(sources: Int32s, targets: Int32s, weights: Float32s, marked: Bools, sums: Float64s) -> None:
    """Add to each end of an edge its weight, if the other end is marked."""
    for e in range(sources.size):
        u, v = np.uint32(sources[e]), np.uint32(targets[e])
        if u != v:
            if marked[u]:
                sums[v] += weights[e]
            if marked[v]:
                sums[u] += weights[e]


@kernel
def marked_edges(
    sources: Int32s, targets: Int32s, weights: Float32s, marked: Bools, both: bool
) -> tuple[Int32s, Int32s, Float32s]:
    """The edges with a marked end, or with two if ``both``, and their weights if there are ``weights``.

    In sorted edges a source stands many times in a row, so looking at it first spares many looks at targets.
    """
    us, vs = np.empty(sources.size, np.int32), np.empty(sources.size, np.int32)
    ws = np.empty(weights.size, np.float32)
    size = 0
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        is_kept = marked[np.uint32(u)]
        if is_kept == both:  # otherwise the source alone decides
            is_kept = marked[np.uint32(v)]
        if is_kept and u != v:
            us[size], vs[size] = u, v
            if weights.size:
                ws[size] = weights[e]
            size += 1
    return us[:size].copy(), vs[:size].copy(), ws[:size].copy()


@kernel
def loops_in_order(sources: AnyArray, targets: AnyArray, directed: bool, last: tuple[int, int]) -> int:
    """The number of self-loops; -1 if an edge does not come after the one before it, or its ends are not in order."""
    loops, wrong = 0, sources.size > 0 and (sources[0], targets[0]) <= last
    for e in range(sources.size):  # without branches, so that several edges are compared at a time
        loops += sources[e] == targets[e]
        wrong |= (targets[e] < sources[e]) & (not directed)
    for e in range(1, sources.size):
        rises = (sources[e] > sources[e - 1]) | ((sources[e] == sources[e - 1]) & (targets[e] > targets[e - 1]))
        wrong |= not rises
    return -1 if wrong else loops


@kernel
def add_out_degrees(sources: Int32s, targets: Int32s, degrees: AnyArray) -> None:
    """Count each edge at its source alone."""
    for e in range(sources.size):
        degrees[np.uint32(sources[e])] += sources[e] != targets[e]


@kernel
def _root(parents: Int32s, v: int) -> int:
    while parents[v] != v:
        parents[v] = parents[parents[v]]
        v = parents[v]
    return v


@kernel
def join(sources: Int32s, targets: Int32s, parents: Int32s) -> None:
    """Let the ends of each edge have one root in ``parents`` (n): the smallest vertex that they are joined to."""
    for e in range(sources.size):
        u, v = _root(parents, sources[e]), _root(parents, targets[e])
        if u < v:
            parents[v] = u
        elif v < u:
            parents[u] = v


@kernel
def component_sizes(parents: Int32s) -> Int64s:
    """How many vertices have each root."""
    counts = np.zeros(parents.size, np.int64)
    for v in range(parents.size):
        counts[_root(parents, v)] += 1
    return counts[counts > 0]
