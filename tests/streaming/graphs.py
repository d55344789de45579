"""Graphs of several kinds, in memory and as folders of parts on disk."""

from pathlib import Path

import numpy as np

from lense.graph import Graph, Scan, barabasi_albert, planted_communities, rmat, scan
from lense.graph.formats.about import About
from lense.streaming.shards import write_shards

KINDS = ("rmat", "arcs", "barabasi-albert", "communities", "star")


def graph_of(kind: str, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    if kind == "star":
        return Graph.from_edges(np.zeros(50, np.int32), np.arange(1, 51), num_vertices=60)
    if kind == "barabasi-albert":
        return barabasi_albert(400, 3, rng)
    if kind == "communities":
        return planted_communities(300, 6, 8.0, 2.0, rng)
    return rmat(9, 4000, rng, directed=kind == "arcs")


def scan_of(graph: Graph, folder: Path, part: int = 700) -> Scan:
    """``graph`` written to ``folder``, and opened again."""
    write_graph_as_parts(graph, folder, part)
    return scan(folder)


def write_graph_as_parts(graph: Graph, folder: Path, part: int = 700) -> None:
    sources, targets, _ = graph.edges()
    about = About(directed=graph.directed, simple=True, vertices=graph.num_vertices)
    pieces = ((sources[i : i + part], targets[i : i + part]) for i in range(0, sources.size, part))
    labels = None if np.array_equal(graph.labels, np.arange(graph.num_vertices)) else graph.labels
    write_shards(folder, pieces, about, labels, part=part)
