"""Walks without a map are those with one, for a policy that does not look at it."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lense.graph import Graph, power_law
from lense.types import Int64s
from lense.walking.batches import GraphTensors
from lense.walking.encoder import Encoder
from lense.walking.environment import Observation, SubgraphWalks, random_roots
from lense.walking.q_network import QNetwork
from lense.walking.unmapped import roots_after, unmapped_walks
from lense.walking.walk import greedy_policy
from tests.strategies import graphs

STEPS = 12
ROOTS = 3


class Recorder:
    """A policy that takes the pairs in turn, and keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Tensor]] = []

    def __call__(self, observation: Observation, information: dict[str, Any]) -> Tensor:
        seen = ("leaving", "entering", "mask")
        known = {"roots": information["roots"], "candidates": information["candidates"]}
        self.told.append({name: tensor.clone() for name, tensor in {**known, **_only(observation, seen)}.items()})
        return torch.full((known["roots"].shape[0],), len(self.told) % known["roots"].shape[1])


def _only(tensors: Observation, names: tuple[str, ...]) -> dict[str, Tensor]:
    return {name: tensors[name] for name in names}


def tensors_of(graph: Graph, seed: int = 0) -> GraphTensors:
    features = np.random.default_rng(seed).random((graph.num_vertices, 2)).astype(np.float32)
    return GraphTensors.of(graph, features)


def mapped(graph: GraphTensors, seed: int, marks_roots: bool) -> tuple[Tensor, list[dict[str, Tensor]]]:
    """Where a walk of the environment ends, and what a policy was told in each step."""
    encoder = Encoder(2, 4, 3, marks_roots=marks_roots).requires_grad_(False)
    environment = SubgraphWalks(graph, encoder, torch.zeros(3), num_roots=ROOTS, num_envs=1, max_steps=STEPS)
    policy = Recorder()
    observation, information = environment.reset(seed=seed)
    for _ in range(STEPS):
        observation, _, _, _, information = environment.step(policy(observation, information))
    return information["roots"], policy.told


KINDS = graphs(min_vertices=ROOTS + 1, min_edges=1, loops=True, duplicates=True)


@given(KINDS, st.integers(0, 5), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_policy_is_told_the_same_and_ends_at_the_same_roots(graph: Graph, seed: int, marks_roots: bool) -> None:
    tensors, policy = tensors_of(graph), Recorder()
    roots, expected = mapped(tensors, seed, marks_roots)
    found = unmapped_walks(
        tensors, lambda _: policy, num_roots=ROOTS, places=[STEPS], seeds=[seed], marks_roots=marks_roots
    )
    assert found[0].tolist() == roots.tolist()
    for told, known in zip(policy.told, expected, strict=True):
        for name in ("roots", "candidates", "mask"):
            assert torch.equal(told[name], known[name])
        allowed = known["mask"]
        torch.testing.assert_close(told["leaving"], known["leaving"])
        torch.testing.assert_close(told["entering"][allowed], known["entering"][allowed])


@pytest.mark.parametrize("threads", ["1", "3"])
def test_each_walk_has_the_policy_of_its_seed_whatever_the_threads(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENSE_THREADS", threads)
    graph = tensors_of(power_law(60, 4, 2.3, np.random.default_rng(0)))

    def always(place: int) -> Any:
        return lambda *_: torch.tensor([place % 5])

    together = unmapped_walks(graph, always, num_roots=5, places=[9], seeds=range(4))[0]
    alone = [unmapped_walks(graph, always, num_roots=5, places=[9], seeds=[seed])[0, 0] for seed in range(4)]
    assert together.tolist() == [roots.tolist() for roots in alone]
    for seed, roots in enumerate(together):
        start = np.random.default_rng(seed).choice(60, 5, replace=False)
        assert np.flatnonzero(start != roots).tolist() in ([], [seed])


@pytest.mark.parametrize("embeds", [True, False])
def test_roots_at_several_places_are_those_of_walks_that_end_there(embeds: bool) -> None:
    graph = tensors_of(power_law(60, 4, 2.3, np.random.default_rng(0)))
    encoder = Encoder(2, 4, 3).requires_grad_(False)
    policy = greedy_policy(QNetwork(None, 4).requires_grad_(False), encoder)

    def found(places: list[int]) -> Int64s:
        environment = SubgraphWalks(
            graph, encoder, torch.zeros(3), num_roots=5, num_envs=3, max_steps=places[-1], embeds=embeds
        )
        return roots_after(environment, policy, 7, places)

    along = found([0, 2, 5, 9])
    assert along.shape == (4, 3, 5)
    assert along.tolist() == [found([place])[0].tolist() for place in (0, 2, 5, 9)]
    assert along[0].tolist() == random_roots(graph, 5, range(7, 10)).tolist()
    assert along[0].tolist() != along[3].tolist()
