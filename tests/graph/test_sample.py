"""A few random edges of a graph."""

import numpy as np

from lense.graph import Graph, power_law
from lense.graph.sample import edge_sample

GRAPH = power_law(500, 8, 2.3, np.random.default_rng(1))


def test_edges_are_those_of_the_graph_with_its_labels() -> None:
    sample = edge_sample(GRAPH, 100, np.random.default_rng(0))
    sources, targets, _ = sample.edges()
    whole = set(zip(*(end.tolist() for end in GRAPH.edges()[:2]), strict=True))
    drawn = zip(sample.labels[sources].tolist(), sample.labels[targets].tolist(), strict=True)
    assert 90 <= sample.num_edges <= 100
    assert all((u, v) in whole or (v, u) in whole for u, v in drawn)
    assert np.diff(sample.indptr).min() >= 1


def test_direction_and_weights_are_kept() -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], [0.1, 0.2, 0.3], directed=True)
    sample = edge_sample(graph, 50, np.random.default_rng(0))
    assert sample.equals(graph)
