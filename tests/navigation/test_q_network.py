"""The Q-network: the value of swapping v for u in a subgraph, and the policy that follows it."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lense._util.types import Float32s, Int64s
from lense.navigation.encoder_training import embed
from lense.navigation.inference import HIDDEN, QPolicy
from lense.navigation.policies import inverse_ranks, largest_gain
from lense.navigation.q_network import QNetwork
from lense.navigation.swaps import Walks
from tests.learning import ROOTS, features, graph, needs_gpu, tensors, trained

NUMBERS, VERTEX_DIM, EMBEDDING_DIM = 4, 8, 3


def network(*, sees: bool = True, feature: int | None = None) -> QNetwork:
    torch.manual_seed(0)
    return QNetwork(NUMBERS, VERTEX_DIM, EMBEDDING_DIM if sees else None, feature=feature, num_vertices=1000)


def learnt(*, feature: int | None = 1) -> QNetwork:
    """A network whose last layer is no longer 0."""
    q = network(feature=feature)
    with torch.no_grad():
        for weight in q.parameters():
            weight.add_(0.1 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(2)))
    return q


def observed(*shape: int) -> dict[str, Tensor]:
    """Embeddings (..., 3), v and u (..., 6, 4), and a mask that allows all."""
    generator = torch.Generator().manual_seed(1)
    pairs = {name: torch.rand(*shape, 6, NUMBERS, generator=generator) for name in ("leaving", "entering")}
    mask = torch.ones(*shape, 6, dtype=torch.bool)
    return {"embedding": torch.randn(*shape, EMBEDDING_DIM, generator=generator), **pairs, "mask": mask}


def correction(q: QNetwork, embedding: Tensor, leaving: Tensor, entering: Tensor) -> Tensor:
    """h: three layers, their outputs concatenated, three more layers; one pair at a time."""
    parts = [q.leaving(q.vectors(leaving)).relu(), q.entering(q.vectors(entering)).relu()]
    if q.subgraph is not None:
        parts = [q.subgraph(embedding).relu(), *parts]
    value: Tensor = q.value(q.hidden(q.joint(torch.cat(parts)).relu()).relu())
    return value


@pytest.mark.parametrize("sees", [True, False])
def test_values_are_those_of_the_concatenated_layers(sees: bool) -> None:
    q, seen = network(sees=sees), observed(3)
    one = [
        [correction(q, seen["embedding"][b], seen["leaving"][b, i], seen["entering"][b, i]).item() for i in range(6)]
        for b in range(3)
    ]
    torch.testing.assert_close(q(seen), torch.tensor(one))


def test_a_network_that_does_not_see_the_subgraph_needs_no_embedding() -> None:
    seen = observed(3)
    del seen["embedding"]
    assert network(sees=False)(seen).shape == (3, 6)


def test_the_gain_in_rank_is_added_on_a_scale_that_is_learnt() -> None:
    """sign(G) log(1 + |G|) / log n for G = n / r_u - n / r_v, times e^a."""
    n, ranks = 1000, torch.tensor([[1.0, 20.0, 500.0], [1000.0, 4.0, 400.0]])
    q, standings = network(sees=False, feature=1), torch.log(n / ranks) / math.log(n)
    pairs = [torch.stack([torch.rand(3), x, torch.rand(3), torch.rand(3)], dim=-1) for x in standings]
    gain = n / ranks[1] - n / ranks[0]
    expected = gain.sign() * (1 + gain.abs()).log() / math.log(n)
    seen = {"leaving": pairs[0], "entering": pairs[1]}
    torch.testing.assert_close(q(seen), expected, rtol=1e-3, atol=1e-4)
    with torch.no_grad():
        q.scale.add_(0.7)
    torch.testing.assert_close(q(seen), math.exp(0.7) * expected, rtol=1e-3, atol=1e-4)
    assert q.scale.requires_grad


def test_before_learning_nothing_is_added_to_it_and_without_a_feature_there_is_no_gain() -> None:
    seen = observed(3)
    different = {**seen, "embedding": seen["embedding"] + 1}
    assert torch.equal(network(feature=1)(seen), network(feature=1)(different))
    assert not torch.equal(network()(seen), network()(different))
    assert "scale" not in network().state_dict()


@pytest.mark.parametrize("feature", [0, 1])
def test_before_learning_its_choice_is_that_of_the_walk_by_rank(feature: int) -> None:
    q = QNetwork.for_encoder(trained().encoder, feature, graph().num_vertices)
    by_rank = largest_gain(inverse_ranks(features()[:, feature], graph().num_vertices))
    policy = QPolicy(q.in_numpy(), lambda _: np.empty(0, np.float32))
    walks = Walks(graph().incident, features(), range(5), ROOTS)
    values = inverse_ranks(features()[:, feature], graph().num_vertices)
    for _ in range(20):
        offer = walks.offer()
        actions, expected = policy(offer), by_rank(offer)
        rows = np.arange(5)
        gains = values[offer.candidates] - values[offer.roots]
        np.testing.assert_allclose(gains[rows, actions], gains[rows, expected], rtol=1e-4)
        walks.swap(offer, actions)


def test_it_sees_vertices_by_the_first_layer_of_the_encoder_which_it_leaves_alone() -> None:
    weight, bias = trained().encoder.first_layer
    q = QNetwork.for_encoder(trained().encoder, 0, 200, sees_subgraph=True)
    assert torch.equal(q.vectors.weight, weight)
    assert torch.equal(q.vectors.bias, bias)
    assert not any(parameter.requires_grad for parameter in q.vectors.parameters())
    assert q.subgraph is not None
    assert QNetwork.for_encoder(trained().encoder, 0, 200).subgraph is None


@pytest.mark.parametrize("strength", [1.0, 0.25, 0.0])
def test_a_weakened_network_adds_less_to_the_gain_in_rank(strength: float) -> None:
    q, seen = learnt(), observed(3)
    gain = learnt().weakened(0.0)(seen)
    torch.testing.assert_close(q.weakened(strength)(seen), gain + strength * (q(seen) - gain), rtol=1e-4, atol=1e-5)
    assert not torch.equal(q(seen), gain)


def test_the_network_that_is_weakened_stays_as_it_is() -> None:
    q, seen = learnt(), observed(3)
    before = q(seen)
    q.weakened(0.5)
    assert torch.equal(q(seen), before)


def test_further_dimensions_in_front_are_kept() -> None:
    seen = observed(2, 3)
    values = learnt()(seen)
    assert values.shape == (2, 3, 6)
    torch.testing.assert_close(values[1], learnt()({name: tensor[1] for name, tensor in seen.items()}))


def test_every_layer_that_is_learnt_but_the_last_has_128_units() -> None:
    shapes = {name: tuple(layer.weight.shape) for name, layer in network().named_children()}  # type: ignore[arg-type]
    assert HIDDEN == 128
    assert shapes == {
        "vectors": (8, 4),
        "subgraph": (128, 3),
        "leaving": (128, 8),
        "entering": (128, 8),
        "joint": (128, 384),
        "hidden": (128, 128),
        "value": (1, 128),
    }


@given(st.lists(st.booleans(), min_size=6, max_size=6))
@settings(max_examples=30, deadline=None)
def test_the_best_action_is_that_of_largest_value_among_the_allowed_ones(allowed: list[bool]) -> None:
    seen = {**observed(1), "mask": torch.tensor([allowed])}
    values, chosen = learnt()(seen)[0].tolist(), int(learnt().best(seen))
    assert 0 <= chosen < 6
    if any(allowed):
        assert values[chosen] == max(value for value, may in zip(values, allowed, strict=True) if may)


def test_a_policy_asks_for_embeddings_only_where_its_network_sees_them() -> None:
    asked: list[Int64s] = []

    def embedded(roots: Int64s) -> Float32s:
        asked.append(roots)
        found: Float32s = embed(trained().encoder, tensors(), roots).numpy()
        return found

    offer = Walks(graph().incident, features(), [3, 4], ROOTS).offer()
    for sees in (False, True):
        torch.manual_seed(0)
        q = QNetwork.for_encoder(trained().encoder, None, 200, sees_subgraph=sees)
        actions = QPolicy(q.in_numpy(), embedded)(offer)
        assert len(asked) == sees
        seen = {"leaving": torch.from_numpy(offer.leaving), "entering": torch.from_numpy(offer.entering)}
        values = q({**seen, "embedding": embed(trained().encoder, tensors(), offer.roots)})
        assert actions.tolist() == values.masked_fill(~torch.from_numpy(offer.allowed), -math.inf).argmax(1).tolist()
    assert asked[0].tolist() == offer.roots.tolist()


@needs_gpu
def test_values_are_the_same_on_a_gpu() -> None:
    there = learnt().cuda()({name: tensor.cuda() for name, tensor in observed(3).items()})
    torch.testing.assert_close(learnt()(observed(3)), there.cpu(), rtol=1e-3, atol=1e-4)
