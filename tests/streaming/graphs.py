"""Graphs of several kinds, in memory and as folders of parts on disk."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, Scan, barabasi_albert, planted_communities, rmat, scan
from lense.graph.formats.parquet import Metadata
from lense.problems import Problem, Solution
from lense.pruners import Pruner, get_pruner
from lense.pruners.shipped import shipped_core
from lense.streaming.writing import write_shards

STREAMED = ["bounds", "core", "degree-discount", "discount-roots", "quickprune", "top-degree", "top-roots"]
"""The pruners that prune in a stream."""
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


def weighted(kind: str, seed: int = 0, *, whole: bool = True) -> Graph:
    """Weights that differ by a factor of up to 16 or 20; ``whole`` numbers add up to the same in any order."""
    graph, rng = graph_of(kind, seed), np.random.default_rng(seed + 1)
    sources, targets, _ = graph.edges()
    weights = rng.integers(1, 17, sources.size) if whole else rng.uniform(0.1, 2.0, sources.size)
    return Graph.from_edges(sources, targets, weights, directed=graph.directed, num_vertices=graph.num_vertices)


Make = Callable[[str], Graph]
MAKES = pytest.mark.parametrize("make", [graph_of, weighted])


def pruner_of(name: str, problem: Problem, budget: int) -> Pruner:
    """The pruner of that name; the core is the bundled one."""
    if name != "core":
        return get_pruner(name, problem, budget)
    core = shipped_core(problem)
    assert core is not None
    return core.set_params(budget=budget)


def scan_of(graph: Graph, folder: Path, part: int = 700) -> Scan:
    """``graph`` written to ``folder``, and opened again."""
    write_graph_as_parts(graph, folder, part)
    return scan(folder)


def write_graph_as_parts(graph: Graph, folder: Path, part: int = 700) -> None:
    sources, targets, weights = graph.edges()
    arrays = (sources, targets) if weights is None else (sources, targets, weights)
    about = Metadata(directed=graph.directed, simple=True, vertices=graph.num_vertices)
    pieces = (tuple(array[i : i + part] for array in arrays) for i in range(0, sources.size, part))
    labels = None if np.array_equal(graph.labels, np.arange(graph.num_vertices)) else graph.labels
    write_shards(folder, pieces, about, labels, part=part, weighted=weights is not None)


def assert_same(streamed: Solution, whole: Solution) -> None:
    assert streamed.indices.tolist() == whole.indices.tolist()
    assert streamed.score == whole.score
    assert streamed.upper_bound == whole.upper_bound
    assert streamed.lower_bound == whole.lower_bound
    assert streamed.details == whole.details
