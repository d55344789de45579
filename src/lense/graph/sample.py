"""A few random edges of a graph."""

import numpy as np

from lense.graph.csr import Graph


def edge_sample(graph: Graph, count: int, rng: np.random.Generator) -> Graph:
    """About ``count`` random edges of ``graph`` and the vertices they touch, found in time that depends on ``count``.

    An edge may be drawn twice and counts once then, so that there are a few less.
    """
    arcs = np.sort(rng.integers(graph.num_arcs, size=count))
    sources = np.searchsorted(graph.indptr, arcs, side="right") - 1
    ends = np.stack([sources, graph.indices[arcs]])
    used, numbers = np.unique(ends, return_inverse=True)
    u, v = numbers.reshape(2, -1)
    return Graph.from_edges(
        u,
        v,
        None if graph.weights is None else graph.weights[arcs],
        directed=graph.directed,
        labels=graph.labels[used],
        keep_self_loops=True,
    )
