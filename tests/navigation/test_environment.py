"""The walk through subgraphs as a decision process, for many walks side by side and for one under gymnasium."""

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

from lense.navigation.encoder import embed
from lense.navigation.environment import SubgraphWalk, SubgraphWalks
from lense.navigation.walks import RootSets
from tests.learning import ROOTS as M
from tests.learning import needs_gpu, root_sets, tensors, trained


def walks(device: str = "cpu", **options: Any) -> SubgraphWalks:
    encoder = copy.deepcopy(trained().encoder).to(device)
    return SubgraphWalks(tensors(device), encoder, trained().goal, **{"num_roots": M, "reward_scale": 3.0, **options})


def one_walk(max_steps: int = 5) -> SubgraphWalk:
    return SubgraphWalk(
        tensors(), trained().encoder, trained().goal, num_roots=M, max_steps=max_steps, reward_scale=3.0
    )


def test_one_walk_passes_the_checker_of_gymnasium() -> None:
    """All it warns of is that the observation has no bounds, which is so: features may be any numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(one_walk(), skip_render_check=True)
    warned = {str(warning.message).split("WARN: ")[-1].split(" is ")[0] for warning in caught}
    assert warned <= {"A Box observation space minimum value", "A Box observation space maximum value"}


def test_one_walk_is_the_only_one_of_a_batch() -> None:
    env, batch = one_walk(), walks()
    observation, info = env.reset(seed=7)
    batch.start([7])
    assert info["roots"].tolist() == batch.offer.roots[0].tolist()
    for action in (0, 5, 15):
        assert env.observation_space.contains(observation)
        assert all(np.array_equal(observation[name], batch.observation[name][0].numpy()) for name in observation)
        observation, reward, *_ = env.step(np.int64(action))
        assert reward == float(batch.step(np.array([action]))[0])


def test_a_walk_may_start_from_given_roots() -> None:
    roots = root_sets(3)
    _, info = one_walk().reset(seed=0, options={"roots": roots[0]})
    assert info["roots"].tolist() == roots[0].tolist()


def test_time_runs_out_as_a_truncation_and_no_state_is_terminal() -> None:
    env = one_walk(3)
    for seed in (0, None):
        env.reset(seed=seed)
        assert [env.step(np.int64(0))[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]


def test_an_observation_is_the_embedding_and_the_offer_of_the_same_walks() -> None:
    env, plain = walks(), RootSets(tensors().rows, tensors().vertex_features, [0, 1, 2], M)
    env.start([0, 1, 2])
    for _ in range(3):
        offer = plain.offer()
        assert env.offer.roots.tolist() == offer.roots.tolist()
        assert env.offer.candidates.tolist() == offer.candidates.tolist()
        for name, known in (("leaving", offer.leaving), ("entering", offer.entering), ("mask", offer.allowed)):
            assert np.array_equal(env.observation[name].numpy(), known)
        assert torch.equal(env.observation["embedding"], embed(trained().encoder, tensors(), offer.roots))
        actions = np.array([2, 0, 15])
        plain.swap(offer, actions)
        env.step(actions)


@pytest.mark.parametrize("shaped", [False, True])
def test_the_reward_is_minus_beta_times_the_distance_of_the_next_subgraph_or_what_the_swap_gained(shaped: bool) -> None:
    env = walks(shaped=shaped)
    env.start([0, 1, 2])
    distances = [env.distance]
    rewards = env.step(np.array([1, 2, 3]))
    distances.append(torch.linalg.vector_norm(env.observation["embedding"] - trained().goal, dim=1))
    torch.testing.assert_close(env.distance, distances[1])
    torch.testing.assert_close(rewards, 3 * (distances[0] - distances[1]) if shaped else -3 * distances[1])


def test_a_walk_goes_on_from_its_roots_and_step_as_if_it_had_not_stopped() -> None:
    env, other = walks(), walks()
    env.start([2, 3, 4])
    env.step(np.array([1, 2, 3]))
    other.start([2, 3, 4], env.offer.roots, 1)
    for _ in range(3):
        assert all(torch.equal(env.observation[name], other.observation[name]) for name in env.observation)
        assert env.offer.candidates.tolist() == other.offer.candidates.tolist()
        env.step(np.array([0, 5, 9]))
        other.step(np.array([0, 5, 9]))


@needs_gpu
def test_a_walk_is_the_same_on_a_gpu() -> None:
    here, there = walks(), walks("cuda")
    for env in (here, there):
        env.start(range(5))
    for chosen in np.random.default_rng(0).integers(M, size=(8, 5)):
        assert here.offer.roots.tolist() == there.offer.roots.tolist()
        assert here.offer.candidates.tolist() == there.offer.candidates.tolist()
        for name in here.observation:
            torch.testing.assert_close(here.observation[name], there.observation[name].cpu(), rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(here.step(chosen), there.step(chosen).cpu(), rtol=1e-3, atol=1e-3)
