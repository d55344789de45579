"""Small graphs that are like a large one to a heuristic."""

import numpy as np

from lense.graph import Graph
from lense.parts.subgraph import kept_part


def alike(graph: Graph, size: int, rng: np.random.Generator) -> Graph:
    """A part of about ``size`` vertices and edges together, with as many edges for each vertex as ``graph`` has.

    A heuristic may go over all vertices at each step, or over all edges, so both must be in proportion. The vertices
    are ends of random edges, since few edges join vertices that are drawn alike. Their edges are drawn too if there are
    more than wanted; if there are fewer, so it is.
    """
    n, m = graph.num_vertices, graph.num_edges
    count = min(max(2, round(size * n / (n + m))), n)
    arcs = rng.integers(graph.num_arcs, size=4 * count)
    ends = np.unique(np.searchsorted(graph.indptr, arcs, side="right") - 1)
    ends = np.union1d(ends, graph.indices[arcs[:count]]) if ends.size < count else ends
    part = kept_part(graph, rng.choice(ends, min(count, ends.size), replace=False)).graph
    wanted = max(1, round(part.num_vertices * m / n))
    if part.num_edges <= wanted:
        return part
    sources, targets, weights = part.edges()
    drawn = np.sort(rng.choice(sources.size, wanted, replace=False))
    return Graph.from_edges(
        sources[drawn],
        targets[drawn],
        None if weights is None else weights[drawn],
        directed=part.directed,
        labels=part.labels,
        keep_duplicates=True,
        keep_self_loops=True,
    )
