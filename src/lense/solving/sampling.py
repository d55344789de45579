"""Small graphs that are like a large one to a heuristic."""

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import kept_part

_BRANCHES, _STEPS = 3, 2000


def alike(graph: Graph, size: int, rng: np.random.Generator) -> Graph:
    """A part of about ``size`` vertices and edges together, with as many edges for each vertex as ``graph`` has.

    A heuristic may go over all vertices at each step, or over all edges, so both must be in proportion. Random walks
    that branch find the vertices, so that the part hangs together as the graph does. Their edges are drawn too if there
    are more than wanted; if there are fewer, so it is.
    """
    n, m = graph.num_vertices, graph.num_edges
    count = min(max(2, round(size * n / (n + m))), n)
    part = kept_part(graph, _walked(graph, count, rng)).graph
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


def _walked(graph: Graph, count: int, rng: np.random.Generator) -> Int64s:
    """``count`` different vertices, or nearly as many, that random walks reach, each of which branches at each step.

    Walks that reach nothing new begin again at a random arc.
    """
    is_found = np.zeros(graph.num_vertices, np.bool_)
    found, fresh = 0, np.empty(0, np.int64)
    for _ in range(_STEPS):
        if not fresh.size:
            fresh = np.searchsorted(graph.indptr, rng.integers(graph.num_arcs, size=1), side="right") - 1
            fresh = fresh[~is_found[fresh]]
        fresh = rng.choice(fresh, min(fresh.size, count - found), replace=False)
        is_found[fresh] = True
        found += fresh.size
        if found >= count:
            break
        tails = np.repeat(fresh, _BRANCHES)
        degrees = graph.out_degrees[tails]
        tails, degrees = tails[degrees > 0], degrees[degrees > 0]
        ends = np.unique(graph.indices[graph.indptr[tails] + rng.integers(degrees)])
        fresh = ends[~is_found[ends]].astype(np.int64)
    return np.flatnonzero(is_found)
