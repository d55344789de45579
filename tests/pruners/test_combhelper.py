"""COMBHelper: what a student learns from its teacher, and which vertices count for more."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lense.pruners import _networks as networks
from lense.pruners._networks import adjacency, boosted, cross_entropy, distillation
from lense.pruners.combhelper import COMBHelper
from tests.pruners.examples import HUBS, hubs_and_leaves


def test_distillation_against_a_computation_by_hand() -> None:
    """T = 2, where sigmoid(2 ln 3 / 2) = 3/4 and sigmoid(-2 ln 4 / 2) = 1/5."""
    teacher, student = torch.tensor([2 * math.log(3), 0.0]), torch.tensor([0.0, -2 * math.log(4)])
    first = 3 / 4 * math.log((3 / 4) / (1 / 2)) + 1 / 4 * math.log((1 / 4) / (1 / 2))
    second = 1 / 2 * math.log((1 / 2) / (1 / 5)) + 1 / 2 * math.log((1 / 2) / (4 / 5))
    value = distillation(student, teacher, torch.tensor([1.0, 3.0]), 2.0)
    assert float(value) == pytest.approx(4 * (first + 3 * second) / 4, rel=1e-5)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.floats(0.01, 10), st.booleans()), min_size=1, max_size=20))
def test_boosting_raises_the_weights_of_misjudged_vertices_only(vertices: list[tuple[float, bool]]) -> None:
    weights = torch.tensor([weight for weight, _ in vertices], dtype=torch.float64)
    misjudged = torch.tensor([wrong for _, wrong in vertices])
    after = boosted(weights, misjudged)
    assert torch.equal(after[~misjudged], weights[~misjudged])
    if 0 < weights[misjudged].sum() < 0.499 * weights.sum():
        assert (after[misjudged] > weights[misjudged]).all()
        assert float(after[misjudged].sum()) == pytest.approx(float(after[~misjudged].sum()))
    elif weights[misjudged].sum() > 0.501 * weights.sum():
        assert torch.equal(after, weights)


def test_the_student_learns_with_boosted_weights_where_the_teacher_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It misjudges one hub and one leaf, and they alone weigh more, if boosting is wanted."""
    graph = hubs_and_leaves()
    is_in = torch.arange(graph.num_vertices) < HUBS
    taught = torch.where(is_in, 1.0, -1.0)
    taught[0], taught[HUBS] = -1.0, 1.0
    seen: list[Tensor] = []

    def watched(logits: Tensor, is_in: Tensor, weights: Tensor) -> Tensor:
        seen.append(weights)
        return cross_entropy(logits, is_in, weights)

    monkeypatch.setattr(networks, "cross_entropy", watched)
    monkeypatch.setattr(COMBHelper, "_teacher", lambda *_: taught)
    inputs = torch.rand(graph.num_vertices, 2), adjacency(graph, "cpu"), is_in
    for boosting in (False, True):
        pruner = COMBHelper("mvc", HUBS, epochs=1, boosting=boosting)
        pruner.learn(pruner.network(2), *inputs)
    plain, raised = seen
    assert (raised > plain).nonzero().squeeze(1).tolist() == [0, HUBS]
    assert torch.equal(raised[1:HUBS], plain[1:HUBS])


@pytest.mark.parametrize("distilled", [0.0, 0.3, 1.0])
def test_the_loss_mixes_both_terms(distilled: float, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = hubs_and_leaves()
    is_in = torch.arange(graph.num_vertices) < HUBS
    taught = torch.linspace(2, -2, graph.num_vertices)
    monkeypatch.setattr(COMBHelper, "_teacher", lambda *_: taught)
    pruner = COMBHelper("mvc", HUBS, epochs=1, distilled=distilled, temperature=2.0, boosting=False)
    network, x, matrix = pruner.network(2), torch.rand(graph.num_vertices, 2), adjacency(graph, "cpu")
    z = network(x, matrix).detach()
    weights = torch.where(is_in, 0.5 / HUBS, 0.5 / (graph.num_vertices - HUBS))
    expected = (1 - distilled) * cross_entropy(z, is_in, weights) + distilled * distillation(z, taught, weights, 2.0)
    assert pruner.learn(network, x, matrix, is_in) == pytest.approx(float(expected), rel=1e-5)
