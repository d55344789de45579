"""Properties of a graph's arcs: isolated vertices, components, repeats, symmetry."""

import os
from typing import Any

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import mix
from lense._util.types import Bools, Float32s, Int32s, Int64s, UInt32s
from lense.errors import LenseError
from lense.graph.csr import CSR, Graph, transpose


def isolated_vertices(graph: Graph) -> Bools:
    """Whether each vertex (n) has no edge at all."""
    isolated: Bools = graph.out_degrees == 0
    if graph.directed:
        isolated[graph.indices] = False
    return isolated


def component_sizes(graph: Graph) -> Int64s:
    """The number of vertices of each component, whatever the direction of edges."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = graph.num_vertices
    pattern = csr_array((np.ones(graph.num_arcs, np.int8), graph.indices, graph.indptr), shape=(n, n))
    _, component_of = connected_components(pattern, directed=graph.directed, connection="weak")
    return np.bincount(component_of)


def largest_component_share(graph: Graph) -> float:
    """The share of the vertices in the largest component; 0 if there are none."""
    return float(component_sizes(graph).max()) / graph.num_vertices if graph.num_vertices else 0.0


def describe(graph: Graph) -> dict[str, Any]:
    """The figures that ``lense graph info`` shows."""
    n = graph.num_vertices
    if n == 0:
        raise LenseError("The graph is empty: it has no vertices.")
    degrees, components = graph.out_degrees, component_sizes(graph)
    return {
        "vertices": n,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "weights": None if graph.weights is None else [float(graph.weights.min()), float(graph.weights.max())],
        "self_loops": graph.num_self_loops,
        "isolated_vertices": int(np.count_nonzero(degrees + graph.in_degrees == 0)),
        "largest_degree": int(degrees.max()),
        "mean_degree": float(degrees.mean()),
        "median_degree": float(np.median(degrees)),
        "components": components.size,
        "largest_component": int(components.max()),
        "ids": "integers" if np.issubdtype(graph.labels.dtype, np.integer) else "strings",
        "megabytes": graph.nbytes / 1e6,
    }


@kernel
def _count_repeats(indptr: Int64s, indices: Int32s) -> int:
    repeats = 0
    for v in range(indptr.size - 1):
        for a in range(indptr[v] + 1, indptr[v + 1]):
            repeats += indices[a] == indices[a - 1]
    return repeats


def count_repeats(graph: Graph) -> int:
    """Arcs that repeat the arc before them; 0 unless duplicates were kept."""
    return int(_count_repeats(graph.indptr, graph.indices))


@kernel
def _first_one_way_arc(out_arcs: CSR, in_arcs: CSR) -> tuple[int, int]:
    """Where the sorted out- and in-arcs of a vertex first differ; (-1, -1) where they do not differ."""
    (out_ptr, heads, out_weights), (in_ptr, tails, in_weights) = out_arcs, in_arcs
    for v in range(out_ptr.size - 1):
        a, b = out_ptr[v], in_ptr[v]
        while a < out_ptr[v + 1] or b < in_ptr[v + 1]:
            if b == in_ptr[v + 1] or (a < out_ptr[v + 1] and heads[a] < tails[b]):
                return v, heads[a]
            if a == out_ptr[v + 1] or tails[b] < heads[a]:
                return tails[b], v
            if out_weights.size and out_weights[a] != in_weights[b]:
                return v, heads[a]
            a, b = a + 1, b + 1
    return -1, -1


@kernel
def _sums_agree(indptr: Int64s, indices: Int32s, weights: UInt32s, key: np.uint64) -> bool:
    """Whether a sum over all arcs (u, v, w) of a hash of them is the same as that over (v, u, w)."""
    difference = np.uint64(0)
    for v in range(indptr.size - 1):
        for a in range(indptr[v], indptr[v + 1]):
            u, w = np.uint64(indices[a]), key
            if weights.size:
                w = mix(key + np.uint64(weights[a]))
            there, back = np.uint64(v) << np.uint64(32) | u, u << np.uint64(32) | np.uint64(v)
            difference += mix(there ^ w) - mix(back ^ w)
    return bool(difference == np.uint64(0))


def first_one_way_arc(indptr: Int64s, indices: Int32s, weights: Float32s | None) -> tuple[int, int] | None:
    """An arc (u, v) without an arc (v, u) of the same weight, or None where every arc has one.

    The arcs are given as CSR arrays; their rows need not be sorted. Hashes with a random key find out in one pass
    whether there is such an arc; only then is it looked for.
    """
    key = np.uint64(int.from_bytes(os.urandom(8), "little"))
    bits = np.empty(0, np.uint32) if weights is None else np.ascontiguousarray(weights).view(np.uint32)
    if _sums_agree(indptr, indices, bits, key):
        return None
    in_arcs = transpose(indptr, indices, np.empty(0, np.float32) if weights is None else weights)
    u, v = _first_one_way_arc(transpose(*in_arcs), in_arcs)
    return None if u < 0 else (u, v)
