"""Cascades on fixed worlds: the same worlds for every set, in any number of threads."""

import numpy as np
import pytest

from lense.graph import Graph
from lense.kernels.cascade import live_arcs
from lense.kernels.spread import SpreadSample, WorldGains, reachable, reached_per_world

KEY = np.uint64(11)
WORLDS = 300


@pytest.fixture
def graph() -> Graph:
    rng = np.random.default_rng(5)
    sources, targets = rng.integers(0, 40, (2, 200))
    return Graph.from_edges(sources, targets, rng.uniform(0, 0.5, 200), directed=True, num_vertices=40)


def test_marginal_gains_are_differences_of_spread(graph: Graph) -> None:
    live = live_arcs(graph.outgoing)
    gains = WorldGains(live, WORLDS, KEY)
    chosen: list[int] = []
    for v in (7, 3, 20):
        before = reached_per_world(live, np.array(chosen, np.int64), WORLDS, KEY).sum()
        for u in (3, 11, 20):
            with_u = reached_per_world(live, np.array([*chosen, u]), WORLDS, KEY).sum()
            assert gains.of(np.array([u]))[0] == with_u - before
        gains.add(v)
        chosen.append(v)


def test_a_sample_grows_world_by_world_and_counts_the_worlds_that_reach_each_vertex(graph: Graph) -> None:
    live, seeds = live_arcs(graph.outgoing), np.array([0, 9])
    sample = SpreadSample(live, seeds, KEY)
    for worlds in (64, 65, WORLDS):
        sample.extend_to(worlds)
        np.testing.assert_array_equal(sample.sizes, reached_per_world(live, seeds, worlds, KEY))
        assert sample.visits.sum() == sample.sizes.sum()
        assert (sample.visits[seeds] == worlds).all()
        assert sample.visits.max() == worlds


def test_vertices_are_reachable_along_arcs_that_are_probable_enough() -> None:
    chain = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [1.0, 0.5, 1e-30, 0.0], directed=True)
    for seed, probability, found in ((0, 1.0, [0, 1]), (0, 0.5, [0, 1, 2]), (0, 1e-30, [0, 1, 2, 3]), (3, 1e-30, [3])):
        assert np.flatnonzero(reachable(chain.outgoing, np.array([seed]), probability)).tolist() == found
