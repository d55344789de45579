"""The Q-network: the value of swapping v for u in a subgraph."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lense.walking.q_network import FeatureGain, QNetwork, greedy, q_network
from lense.walking.settings import Settings
from tests.learning import needs_gpu


def network() -> QNetwork:
    torch.manual_seed(0)
    return QNetwork(4, 8)


def batch(*shape: int) -> tuple[Tensor, Tensor, Tensor]:
    """Embeddings (..., 4), and v and u (..., 6, 8)."""
    generator = torch.Generator().manual_seed(1)
    vertices = [torch.randn(*shape, 6, 8, generator=generator) for _ in range(2)]
    return torch.randn(*shape, 4, generator=generator), vertices[0], vertices[1]


def explicit(q: QNetwork, embedding: Tensor, leaving: Tensor, entering: Tensor) -> Tensor:
    """Three layers, their outputs concatenated, three more layers; one pair at a time."""
    assert q.subgraph is not None
    parts = [q.subgraph(embedding).relu(), q.leaving(leaving).relu(), q.entering(entering).relu()]
    hidden = q.joint(torch.cat(parts)).relu()
    value: Tensor = q.value(q.hidden(hidden).relu())
    return value


def test_values_are_those_of_the_concatenated_layers() -> None:
    q, (embedding, leaving, entering) = network(), batch(3)
    expected = [[explicit(q, embedding[b], leaving[b, i], entering[b, i]).item() for i in range(6)] for b in range(3)]
    torch.testing.assert_close(q(embedding, leaving, entering), torch.tensor(expected))


def test_without_an_embedding_dimension_the_two_vertices_alone_decide() -> None:
    torch.manual_seed(0)
    q, (embedding, leaving, entering) = QNetwork(None, 8), batch(3)
    values = q(embedding, leaving, entering)
    assert torch.equal(values, q(torch.full_like(embedding, torch.nan), leaving, entering))
    joint = q.joint(torch.cat([q.leaving(leaving).relu(), q.entering(entering).relu()], dim=-1))
    torch.testing.assert_close(values, q.value(q.hidden(joint.relu()).relu()).squeeze(-1))


def test_the_gain_in_a_feature_told_by_its_rank_is_that_in_one_over_the_rank() -> None:
    n, ranks = 1000, torch.tensor([[1.0, 20.0, 500.0], [1000.0, 4.0, 400.0]])
    standings = torch.log(n / ranks) / math.log(n)
    leaving, entering = (torch.stack([torch.rand(3), x], dim=-1) for x in standings)
    gains = FeatureGain(1, math.log(n))(leaving, entering)
    torch.testing.assert_close(gains, n / ranks[1] - n / ranks[0], rtol=1e-4, atol=1e-2)


def test_a_gain_in_a_feature_is_what_its_two_numbers_say_it_is() -> None:
    kept, (_, leaving, entering) = FeatureGain(3, 2.5), batch(3)
    again = FeatureGain()
    again.load_state_dict(kept.state_dict())
    assert torch.equal(again(leaving, entering), kept(leaving, entering))
    assert not list(kept.parameters())


@pytest.mark.parametrize("sees", [True, False])
def test_what_a_network_sees_is_a_setting(sees: bool) -> None:
    q = q_network(Settings(embedding_dim=4, vertex_dim=8, sees_subgraph=sees))
    assert (q.subgraph is not None) == sees


def test_further_dimensions_in_front_are_kept() -> None:
    embedding, leaving, entering = batch(2, 3)
    values = network()(embedding, leaving, entering)
    assert values.shape == (2, 3, 6)
    torch.testing.assert_close(values[1], network()(embedding[1], leaving[1], entering[1]))


def test_every_layer_but_the_last_has_128_units() -> None:
    shapes = {name: tuple(layer.weight.shape) for name, layer in network().named_children()}  # type: ignore[arg-type]
    assert shapes == {
        "subgraph": (128, 4),
        "leaving": (128, 8),
        "entering": (128, 8),
        "joint": (128, 384),
        "hidden": (128, 128),
        "value": (1, 128),
    }


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_the_greedy_action_is_the_best_of_the_allowed_ones(pairs: list[tuple[int, bool]]) -> None:
    values, mask = torch.tensor([[float(v) for v, _ in pairs]]), torch.tensor([[m for _, m in pairs]])
    chosen = int(greedy(values, mask))
    allowed = [v for v, m in pairs if m]
    assert 0 <= chosen < len(pairs)
    assert not allowed or (pairs[chosen][1] and pairs[chosen][0] == max(allowed))


@needs_gpu
def test_values_are_the_same_on_a_gpu() -> None:
    there = network().cuda()(*(part.cuda() for part in batch(3)))
    torch.testing.assert_close(network()(*batch(3)), there.cpu(), rtol=1e-3, atol=1e-4)
