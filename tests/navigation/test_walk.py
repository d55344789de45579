"""Walks with a policy: which subgraph counts at the end."""

import copy
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import Tensor

from lense.errors import LenseError
from lense.navigation.environment import SubgraphWalks
from lense.navigation.inference import QPolicy
from lense.navigation.q_network import QNetwork
from lense.navigation.swaps import Offer
from lense.navigation.walk import Walk, walk
from tests.learning import ROOTS, needs_gpu, tensors, trained


class Scripted:
    """Walks whose distances to the goal are given (T + 1, B); the roots after step t are all t."""

    def __init__(self, distances: Tensor) -> None:
        self.distances = distances
        self.max_steps, self.num_envs = distances.shape[0] - 1, distances.shape[1]

    def _observe(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        here, roots = self.distances[self.steps], np.full((self.num_envs, 3), self.steps)
        nobody, nothing = np.zeros_like(roots), np.zeros((self.num_envs, 3, 0), np.float32)
        offer = Offer(roots, nobody, nobody == 0, nothing, nothing, tuple(range(self.num_envs)), self.steps)
        return {"embedding": here.unsqueeze(1)}, {"distance": here, "offer": offer}

    def reset(self, *, seed: int) -> Any:
        self.steps = 0
        return self._observe()

    def step(self, _actions: Tensor) -> Any:
        self.steps += 1
        observation, info = self._observe()
        return observation, None, None, None, info


def scripted_walk(distances: Tensor, stop: str) -> Walk:
    return walk(cast(SubgraphWalks, Scripted(distances)), lambda _: np.zeros(1, np.int64), stop=stop)


WANDERING = torch.tensor([[5.0, 1.0], [3.0, 4.0], [4.0, 2.0], [2.0, 3.0], [2.0, 5.0]])


def test_the_final_subgraph_counts_as_in_the_paper() -> None:
    seen = scripted_walk(WANDERING, "final")
    assert seen.step.tolist() == [4, 4]
    assert seen.roots.tolist() == [[4] * 3] * 2
    assert torch.equal(seen.distances, WANDERING)
    assert seen.embeddings.shape == (5, 2, 1)


def test_the_nearest_is_the_first_visited_subgraph_of_least_distance_the_start_included() -> None:
    seen = scripted_walk(WANDERING, "nearest")
    assert seen.step.tolist() == [3, 0]
    assert seen.roots.tolist() == [[3] * 3, [0] * 3]
    assert torch.equal(seen.distances, WANDERING)


@pytest.mark.parametrize(
    ("slope", "ends"),
    [(0.0, 100), (0.0001, 100), (0.002, 300)],
)
def test_walks_that_have_settled_end_early(slope: float, ends: int) -> None:
    """They have, once the mean distance in 50 steps is less than 1 % below that in the 50 before."""
    fall = 1 - slope * torch.arange(301.0)
    seen = scripted_walk(fall.unsqueeze(1).expand(-1, 2), "settled")
    assert seen.step.tolist() == [ends, ends]
    assert seen.distances.shape == (ends + 1, 2)


def test_a_walk_that_settles_later_ends_then() -> None:
    fall = torch.cat([torch.linspace(2, 1, 150), torch.ones(250)])
    seen = scripted_walk(fall.unsqueeze(1), "settled")
    assert seen.step.tolist() == [250]


def test_an_unknown_end_lists_those_there_are() -> None:
    with pytest.raises(LenseError, match=r"choose from final, nearest, settled; did you mean 'nearest'"):
        scripted_walk(WANDERING, "nearst")


def environment(steps: int = 6, device: str = "cpu", walks: int = 3) -> SubgraphWalks:
    return SubgraphWalks(
        tensors(device),
        copy.deepcopy(trained().encoder).to(device),
        trained().goal,
        num_roots=ROOTS,
        num_envs=walks,
        max_steps=steps,
    )


def policy(device: str = "cpu") -> QPolicy:
    """A network that has learnt nothing, and sees the vertices alone."""
    torch.manual_seed(0)
    network = QNetwork.for_encoder(trained().encoder, None, 200).requires_grad_(False)
    return QPolicy(network.to(device).for_walks(), lambda _: np.empty(0, np.float32))


@pytest.mark.parametrize("stop", ["final", "nearest"])
def test_the_roots_are_those_of_the_step_that_counts(stop: str) -> None:
    seen = walk(environment(), policy(), seed=3, stop=stop)
    observation, info = environment().reset(seed=3, options={"roots": seen.roots})
    for i, step in enumerate(seen.step.tolist()):
        torch.testing.assert_close(seen.distances[step, i], info["distance"][i], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(seen.embeddings[step, i], observation["embedding"][i], rtol=1e-4, atol=1e-5)


def test_the_seed_decides_the_walk_and_walk_i_starts_from_seed_plus_i() -> None:
    one, again = (walk(environment(), policy(), seed=3) for _ in range(2))
    assert torch.equal(one.roots, again.roots)
    next_one = walk(environment(walks=1), policy(), seed=4)
    assert next_one.roots[0].tolist() == one.roots[1].tolist()


def test_no_steps_lead_to_the_start() -> None:
    seen = walk(environment(steps=0), policy(), seed=3)
    assert seen.step.tolist() == [0, 0, 0]
    assert seen.roots.tolist() == environment().reset(seed=3)[1]["offer"].roots.tolist()


@needs_gpu
def test_walks_end_on_the_cpu_wherever_they_were_walked() -> None:
    there = environment(device="cuda")
    seen = walk(there, policy("cuda"), seed=3)
    assert {tensor.device.type for tensor in (seen.roots, seen.step, seen.embeddings, seen.distances)} == {"cpu"}
