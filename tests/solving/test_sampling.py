"""Small graphs that are like a large one to a heuristic."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from lense.graph import Graph, power_law, to_scipy
from lense.solving.sampling import alike

GRAPH = power_law(5000, 20, 2.3, np.random.default_rng(1))


@pytest.mark.parametrize("size", [8000, 20_000])
def test_there_are_nearly_as_many_edges_for_each_vertex(size: int) -> None:
    sample = alike(GRAPH, size, np.random.default_rng(0))
    assert size / 4 < sample.num_vertices + sample.num_edges < 1.1 * size
    share = (sample.num_edges / sample.num_vertices) / (GRAPH.num_edges / GRAPH.num_vertices)
    assert 0.2 < share < 1.01


def test_a_small_sample_of_a_large_graph_hangs_together() -> None:
    large = power_law(50_000, 10, 2.3, np.random.default_rng(1))
    sample = alike(large, 2000, np.random.default_rng(0))
    _, component = connected_components(to_scipy(sample), directed=False)
    assert np.bincount(component).max() > 0.9 * sample.num_vertices


def test_walks_begin_again_where_they_end() -> None:
    pairs = Graph.from_edges(np.arange(0, 1000, 2), np.arange(1, 1000, 2))
    assert alike(pairs, 600, np.random.default_rng(0)).num_vertices == pytest.approx(400, abs=2)


def test_edges_weights_and_direction_are_those_of_the_graph() -> None:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [0.1, 0.2, 0.3, 0.4], directed=True)
    sample = alike(graph, 6, np.random.default_rng(0))
    known = dict(zip(zip(*(end.tolist() for end in graph.edges()[:2]), strict=True), [0.1, 0.2, 0.3, 0.4], strict=True))
    sources, targets, weights = sample.edges()
    assert sample.directed
    assert weights is not None
    for u, v, w in zip(sample.labels[sources], sample.labels[targets], weights, strict=True):
        assert known[int(u), int(v)] == pytest.approx(float(w))
