"""GNN-R and GNN-T: the layers, the vertices each epoch judges, and the two ways to keep some."""

import numpy as np
import pytest
import torch

from lense._util.types import Int64s
from lense.pruners import gnn
from lense.pruners._networks import VertexSAGE, adjacency
from lense.pruners.gnn import RankingGNN, ThresholdGNN, with_as_many_others
from tests import learning


def test_the_network_is_three_sage_layers_and_a_linear_one() -> None:
    graph, network = learning.graph(), VertexSAGE(2, 5)
    matrix = adjacency(graph, "cpu")
    x = torch.rand(graph.num_vertices, 2)
    dense = matrix.to_dense()
    mean = dense / dense.sum(1, keepdim=True).clamp(min=1)
    weights = dict(network.named_parameters())
    h = x
    for layer in range(3):
        own, others = (weights[f"convolutions.{layer}.lin_{side}.weight"] for side in "rl")
        h = (h @ own.T + mean @ h @ others.T + weights[f"convolutions.{layer}.lin_l.bias"]).clamp(min=0)
    expected = (h @ weights["output.weight"].T + weights["output.bias"]).squeeze(1)
    torch.testing.assert_close(network(x, matrix), expected)
    assert len(weights) == 3 * 3 + 2


def test_every_epoch_judges_the_whole_solution_and_as_many_others_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Int64s] = []

    def watched(solution: Int64s, others: Int64s, rng: np.random.Generator) -> Int64s:
        drawn.append(with_as_many_others(solution, others, rng))
        return drawn[-1]

    monkeypatch.setattr(gnn, "with_as_many_others", watched)
    ThresholdGNN("mvc", learning.BUDGET, epochs=6).fit(learning.graph())
    problem = learning.PROBLEM
    solution = set(problem.search(learning.graph(), learning.BUDGET, np.random.default_rng(0)).indices.tolist())
    assert len(drawn) == 6
    for judged in drawn:
        assert len(set(judged.tolist())) == judged.size == 2 * learning.BUDGET
        assert solution < set(judged.tolist())
    assert len({tuple(sorted(judged.tolist())) for judged in drawn}) == 6


def test_gnn_t_keeps_exactly_the_vertices_with_probability_one_half_or_more(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = learning.graph()
    pruner = ThresholdGNN("mvc", learning.BUDGET, epochs=1).fit(graph)
    probabilities = np.linspace(0, 1, graph.num_vertices, dtype=np.float32)
    probabilities[7], probabilities[120] = 0.5, np.nextafter(np.float32(0.5), np.float32(0))
    monkeypatch.setattr(pruner, "probabilities", lambda *_, **__: probabilities)
    part = pruner.prune(graph)
    assert part.vertices.tolist() == [v for v in range(graph.num_vertices) if probabilities[v] >= 0.5]
    assert 7 in part.vertices
    assert 120 not in part.vertices
    assert np.array_equal(part.roots, part.vertices)


def test_gnn_r_keeps_the_most_probable() -> None:
    graph = learning.graph()
    pruner = RankingGNN("mvc", learning.BUDGET, vertices=40, roots=15, epochs=20).fit(graph)
    part, logits = pruner.prune(graph), pruner.logits(graph)
    by_logit = sorted(range(graph.num_vertices), key=lambda v: (-logits[v], v))
    assert (part.vertices.tolist(), part.roots.tolist()) == (sorted(by_logit[:40]), sorted(by_logit[:15]))
