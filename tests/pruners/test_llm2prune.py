"""A GCN on published features: which they are for each problem."""

import numpy as np
import pytest

from lense.problems import get_problem
from lense.pruners.gcn import GCN
from lense.pruners.llm2prune import LLM2Prune
from tests import learning
from tests.pruners.test_classifier import hubs_and_leaves

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("problem", ["mvc", "domination"])
def test_covering_sees_the_size_of_the_closed_neighbourhood(problem: str) -> None:
    graph = hubs_and_leaves()
    seen = LLM2Prune(problem, 6).features(graph, RNG)
    assert seen.dtype == np.float32
    np.testing.assert_allclose(np.expm1(seen[:, 0]), np.diff(graph.incident.indptr) + 1, rtol=1e-5)
    assert seen.shape == (graph.num_vertices, 1)


def test_cutting_sees_the_degree_and_the_edges_that_a_random_cut_is_expected_to_hold() -> None:
    graph, rng = hubs_and_leaves(), np.random.default_rng(1)
    degree, expected = np.expm1(LLM2Prune("bmc", 6).features(graph, RNG)).T
    np.testing.assert_allclose(degree, np.diff(graph.incident.indptr), rtol=1e-5)
    sources, targets, _ = graph.edges()
    sides = rng.integers(0, 2, (4000, graph.num_vertices))
    is_cut = (sides[:, sources] != sides[:, targets]).mean(0)
    drawn = np.bincount(sources, is_cut, graph.num_vertices) + np.bincount(targets, is_cut, graph.num_vertices)
    np.testing.assert_allclose(expected, drawn, atol=0.2)


def test_influence_sees_its_own_features() -> None:
    problem = get_problem("im")
    graph = problem.prepare(learning.graph())
    np.testing.assert_allclose(np.expm1(LLM2Prune("im", 6).features(graph, RNG)), problem.features(graph), atol=1e-6)


def test_its_network_is_two_convolutions_and_draws_nothing() -> None:
    pruner = LLM2Prune("mvc", 6, width=5, epochs=3).fit(hubs_and_leaves())
    assert isinstance(pruner.network_, GCN)
    assert [layer.out_channels for layer in pruner.network_.convolutions] == [5, 1]
    assert not LLM2Prune.randomised
    one, other = (pruner.logits(hubs_and_leaves(), seed=seed) for seed in (0, 1))
    assert np.array_equal(one, other)
