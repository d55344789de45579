"""Parts of a graph that stays on disk: xi of some roots, and what is left without all other vertices."""

import numpy as np

from lense._util.types import AnyArray, Int64s
from lense.graph import Graph, Scan
from lense.graph.subgraph import Subgraph
from lense.streaming.excerpts import Excerpts, most_edges_between
from lense.streaming.passes import Edges


def streamed_subgraph(
    excerpts: Excerpts, roots: AnyArray, forced: AnyArray | None = None, *, only_roots: bool = False
) -> Subgraph:
    """As :func:`lense.graph.subgraph`, by one pass."""
    scan, chosen = excerpts.scan, np.unique(np.asarray(roots, np.int64))
    at_them = min(int(excerpts.degrees[chosen].sum(dtype=np.int64)), scan.num_edges)
    excerpts.memory.check_edges(at_them)
    edges = excerpts.engine.edges_at(scan, chosen, excerpts.memory, scan.is_weighted)
    vertices = np.unique(np.concatenate([chosen, *edges[:2]]))
    pinned = np.empty(0, np.int64) if forced is None else np.unique(np.asarray(forced, np.int64))
    return Subgraph(_compact(scan, vertices, edges), vertices, chosen, pinned, only_roots)


def streamed_kept_part(excerpts: Excerpts, vertices: AnyArray, roots: AnyArray | None = None) -> Subgraph:
    """As :func:`lense.parts.kept_part`, by one pass."""
    scan, kept = excerpts.scan, np.unique(np.asarray(vertices, np.int64))
    most = most_edges_between(excerpts.degrees, kept, scan.num_edges, scan.most_between)
    excerpts.memory.check_edges(most)
    edges = excerpts.engine.edges_between(scan, kept, excerpts.memory, scan.is_weighted)
    chosen = kept if roots is None else np.unique(np.asarray(roots, np.int64))
    return Subgraph(_compact(scan, kept, edges), kept, chosen)


def _compact(scan: Scan, vertices: Int64s, edges: Edges) -> Graph:
    sources, targets = (np.searchsorted(vertices, end).astype(np.int32) for end in edges[:2])
    weights = edges[2] if scan.is_weighted else None
    return Graph.from_edges(
        sources, targets, weights, directed=scan.directed, labels=scan.labels_of(vertices), keep_duplicates=True
    )
