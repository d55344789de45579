"""The split into a train graph and a test graph."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph, power_law, split
from lense.graph.split import edge_sample
from tests.strategies import graphs

ANY_GRAPH = graphs(min_vertices=4, min_edges=2, loops=True, duplicates=True, labels=None)
FRACTIONS = st.floats(0.01, 0.99)
SEEDS = st.integers(0, 2**32)


def labelled_edges(graph: Graph) -> Counter[tuple[object, object, float | None]]:
    sources, targets, weights = graph.edges()
    values = [None] * sources.size if weights is None else weights.tolist()
    ends = (sorted(e) if not graph.directed else e for e in zip(sources.tolist(), targets.tolist(), strict=True))
    labels = graph.labels.tolist()
    named = [(labels[u], labels[v]) for u, v in ends]
    if not graph.directed:
        named = [(min(pair), max(pair)) for pair in named]
    return Counter((u, v, w) for (u, v), w in zip(named, values, strict=True))


def leaves_both_sides(graph: Graph, fraction: float) -> bool:
    return 0 < round(fraction * graph.num_edges) < graph.num_edges


@given(ANY_GRAPH, FRACTIONS, SEEDS)
def test_every_edge_lands_on_one_side_with_its_weight_and_the_labels_of_its_ends(
    graph: Graph, fraction: float, seed: int
) -> None:
    if not leaves_both_sides(graph, fraction):
        with pytest.raises(LenseError, match="each side needs at least one"):
            split(graph, fraction, seed)
        return
    train, test = split(graph, fraction, seed)
    assert train.num_edges == round(fraction * graph.num_edges)
    assert labelled_edges(train) + labelled_edges(test) == labelled_edges(graph)
    assert train.directed == test.directed == graph.directed


@given(ANY_GRAPH, SEEDS)
def test_vertices_without_an_edge_are_dropped_and_the_others_keep_their_order(graph: Graph, seed: int) -> None:
    position = {label: i for i, label in enumerate(graph.labels.tolist())}
    for side in split(graph, 0.5, seed):
        incident = side.incident
        assert np.all(np.diff(incident.indptr) > 0)
        assert np.all(np.diff([position[label] for label in side.labels.tolist()]) > 0)


@given(ANY_GRAPH, SEEDS)
def test_the_same_seed_gives_the_same_split(graph: Graph, seed: int) -> None:
    for once, again in zip(split(graph, 0.5, seed), split(graph, 0.5, seed), strict=True):
        assert once.equals(again)


def test_every_edge_is_as_likely_to_train() -> None:
    path = Graph.from_edges(np.arange(10), np.arange(1, 11))
    runs = 2000
    times = np.zeros(10)
    for seed in range(runs):
        train, _ = split(path, 0.3, seed)
        sources, _, _ = train.edges()
        times[train.labels[sources]] += 1
    # five standard deviations of a binomial count
    assert np.abs(times - 0.3 * runs).max() < 5 * np.sqrt(runs * 0.3 * 0.7)


@pytest.mark.parametrize(
    ("fraction", "seed", "said"),
    [
        *((fraction, 0, "between 0 and 1") for fraction in (0.0, 1.0, 1.5, float("nan"))),
        *((0.5, seed, "The seed must be a whole number from 0 on, not ") for seed in (-1, None, "3", 1.5, True)),
    ],
)
def test_what_is_no_fraction_or_seed_is_refused(fraction: float, seed: Any, said: str) -> None:
    with pytest.raises(LenseError, match=said):
        split(Graph.from_edges([0, 1], [1, 2]), fraction, seed)


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
