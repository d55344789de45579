"""The GCN pruner: its convolutions, its random features and its loss."""

import numpy as np
import pytest
import torch
from torch_geometric.nn import GCNConv

from lense.problems import get_problem
from lense.pruners._networks import SymmetricGCN, adjacency
from lense.pruners.gcn import GCNPruner, LLM2Prune
from tests import learning
from tests.pruners.examples import hubs_and_leaves


def test_the_convolution_and_its_gradients_are_those_of_pytorch_geometric() -> None:
    graph = learning.graph()
    sources, targets, _ = graph.edges()
    pairs = torch.from_numpy(np.stack([np.append(sources, targets), np.append(targets, sources)]).astype(np.int64))
    x = torch.rand(graph.num_vertices, 3)
    ours, theirs = SymmetricGCN(3, 2), GCNConv(3, 2)
    theirs.load_state_dict(ours.state_dict())
    results = []
    for layer, how in ((ours, adjacency(graph, "cpu")), (theirs, pairs)):
        own = x.clone().requires_grad_()
        y = layer(own, how)
        (y**2).sum().backward()
        results.append((y, own.grad, layer.lin.weight.grad))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


def test_features_are_drawn_anew_for_every_graph_and_seed() -> None:
    graph = learning.graph()
    pruner = GCNPruner("mvc", learning.BUDGET, epochs=3, num_features=5).fit(graph)
    one, same, other = (pruner.logits(graph, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    drawn = pruner.features(graph, np.random.default_rng(0))
    assert drawn.shape == (graph.num_vertices, 5)
    assert drawn.dtype == np.float32
    assert 0 <= drawn.min() < 0.1
    assert 0.9 < drawn.max() < 1


def test_the_loss_is_the_mean_of_the_mean_losses_of_the_two_classes() -> None:
    graph = hubs_and_leaves()
    pruner = GCNPruner("mvc", 6, epochs=1)
    matrix, is_in = adjacency(graph, "cpu"), torch.arange(graph.num_vertices) < 6
    network = pruner.network(3)
    x = torch.rand(graph.num_vertices, 3)
    p = network(x, matrix).sigmoid().detach()
    expected = -(p[:6].log().mean() + (1 - p[6:]).log().mean()) / 2
    assert pruner.learn(network, x, matrix, is_in) == pytest.approx(float(expected), rel=1e-5)


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
