"""Properties of a graph's arcs: isolated vertices, components, repeats, symmetry."""

import os
from typing import Any

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import mix
from lense._util.types import Bools, Float32s, Int32s, Int64s, UInt32s
from lense.errors import LenseError
from lense.graph.csr import Graph


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


def count_repeats(graph: Graph) -> int:
    """Arcs that repeat the arc before them; 0 unless duplicates were kept."""
    repeats = graph.indices[1:] == graph.indices[:-1]
    starts = graph.indptr[(graph.indptr > 0) & (graph.indptr < graph.num_arcs)]
    repeats[starts - 1] = False
    return int(np.count_nonzero(repeats))


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
    whether there is such an arc; only then are arcs sorted to find it.
    """
    key = np.uint64(int.from_bytes(os.urandom(8), "little"))
    bits = np.empty(0, np.uint32) if weights is None else np.ascontiguousarray(weights).view(np.uint32)
    if _sums_agree(indptr, indices, bits, key):
        return None
    sources = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    counted = np.zeros(indices.size) if weights is None else weights
    arcs, back = (sources, indices, counted), (indices, sources, counted)
    (us, vs, ws), (xs, ys, zs) = ([one[np.lexsort(ends[::-1])] for one in ends] for ends in (arcs, back))
    differ = (us != xs) | (vs != ys) | (ws != zs)  # 0 and -0, whose hashes differ, do not
    if not differ.any():
        return None
    at = int(differ.argmax())
    if (us[at], vs[at], ws[at]) < (xs[at], ys[at], zs[at]):
        return int(us[at]), int(vs[at])
    return int(ys[at]), int(xs[at])
