"""The walk through subgraphs as a decision process, under gymnasium's conventions for one walk and for many."""

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv

from lense.errors import LenseError
from lense.graph import Graph
from lense.navigation.batches import GraphTensors
from lense.navigation.encoder import Encoder
from lense.navigation.encoder_training import embed
from lense.navigation.environment import SubgraphWalk, SubgraphWalks
from lense.navigation.swaps import Walks
from tests.learning import ROOTS as M
from tests.learning import needs_gpu, root_sets, samples, tensors, trained


def options(**changes: Any) -> dict[str, Any]:
    return {"num_roots": M, "max_steps": 5, "reward_scale": 3.0, "solution": samples().solution, **changes}


def walks(num_envs: int = 3, device: str = "cpu", **changes: Any) -> SubgraphWalks:
    encoder = copy.deepcopy(trained().encoder).to(device)
    return SubgraphWalks(tensors(device), encoder, trained().goal, num_envs=num_envs, **options(**changes))


def one_walk(**changes: Any) -> SubgraphWalk:
    return SubgraphWalk(tensors(), trained().encoder, trained().goal, **options(**changes))


def isolated(**changes: Any) -> SubgraphWalks:
    """Walks on a graph of one edge and four vertices without any, with an encoder that has learnt nothing."""
    torch.manual_seed(0)
    graph = Graph.from_edges([0], [1], num_vertices=6)
    world = GraphTensors.of(graph, np.ones((6, 2), np.float32))
    encoder = Encoder(2, 4, 3).requires_grad_(False)
    return SubgraphWalks(world, encoder, torch.zeros(3), num_roots=3, num_envs=1, max_steps=9, **changes)


def as_numpy(observation: dict[str, torch.Tensor]) -> dict[str, Any]:
    return {name: (value.to(torch.int8) if name == "mask" else value).numpy() for name, value in observation.items()}


def test_one_walk_passes_the_checker_of_gymnasium() -> None:
    """All it warns of is that the observation has no bounds, which is so: features may be any numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(one_walk(), skip_render_check=True)
    warned = {str(warning.message).split("WARN: ")[-1].split(" is ")[0] for warning in caught}
    assert warned <= {
        "A Box observation space minimum value",
        "A Box observation space maximum value",
    }


def test_one_walk_is_on_numpy_arrays_and_plain_numbers() -> None:
    env = one_walk()
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert info["roots"].shape == (M,)
    observation, reward, terminated, truncated, info = env.step(np.int64(3))
    assert env.observation_space.contains(observation)
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)


def test_one_walk_is_the_only_one_of_a_batch() -> None:
    env, batch = one_walk(), walks(1)
    observation, _ = env.reset(seed=7)
    expected, _ = batch.reset(seed=[7])
    for action in (0, 5, 15):
        assert all(np.array_equal(observation[name], as_numpy(expected)[name][0]) for name in observation)
        observation, reward, *_ = env.step(np.int64(action))
        expected, rewards, *_ = batch.step(torch.tensor([action]))
        assert reward == float(rewards[0])


def test_a_walk_may_start_from_given_roots() -> None:
    roots = root_sets(3)
    _, info = one_walk().reset(seed=0, options={"roots": roots[0]})
    assert info["roots"].tolist() == roots[0].tolist()
    _, infos = walks().reset(seed=0, options={"roots": roots})
    assert infos["offer"].roots.tolist() == roots.tolist()


def test_many_walks_follow_the_conventions_of_vector_environments() -> None:
    env = walks()
    assert isinstance(env, VectorEnv)
    assert env.num_envs == 3
    assert env.metadata["autoreset_mode"] == AutoresetMode.DISABLED
    assert env.single_action_space == spaces.Discrete(M)
    assert env.action_space == spaces.MultiDiscrete([M] * 3)
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(as_numpy(observation))
    assert len(info["distance"]) == len(info["guided"]) == len(info["offer"].roots) == 3
    observation, rewards, terminated, truncated, _ = env.step(torch.as_tensor(env.action_space.sample()))
    assert env.observation_space.contains(as_numpy(observation))
    assert rewards.shape == terminated.shape == truncated.shape == (3,)
    assert terminated.dtype == truncated.dtype == torch.bool


def starts(env: SubgraphWalks, seed: int | list[int] | None = None) -> list[list[int]]:
    roots: list[list[int]] = env.reset(seed=seed)[1]["offer"].roots.tolist()
    return roots


def test_a_seed_stands_for_itself_and_the_next_ones_and_a_reset_without_one_goes_on() -> None:
    env = walks()
    assert starts(env, 5) == starts(env, [5, 6, 7])
    assert env.seeds == [5, 6, 7]
    assert starts(env) == starts(env, 8)
    assert starts(walks()) != starts(walks())


def test_an_observation_is_the_embedding_and_the_offer_of_the_same_walks() -> None:
    env, plain = walks(), Walks(tensors().rows, tensors().vertex_features, [0, 1, 2], M)
    observation, info = env.reset(seed=0)
    for _ in range(3):
        offer = plain.offer()
        assert info["offer"].roots.tolist() == offer.roots.tolist()
        assert info["offer"].candidates.tolist() == offer.candidates.tolist()
        for name, known in (("leaving", offer.leaving), ("entering", offer.entering), ("mask", offer.allowed)):
            assert np.array_equal(observation[name].numpy(), known)
        assert torch.equal(observation["embedding"], embed(trained().encoder, tensors(), offer.roots))
        actions = np.array([2, 0, 15])
        plain.swap(offer, actions)
        observation, _, _, _, info = env.step(actions)


def test_an_action_swaps_its_pair_and_nothing_else() -> None:
    env = walks()
    before = env.reset(seed=0)[1]["offer"]
    after = env.step(torch.tensor([2, 0, 15]))[4]["offer"]
    for b, action in enumerate((2, 0, 15)):
        expected = before.roots[b].tolist()
        expected[action] = int(before.candidates[b, action])
        assert after.roots[b].tolist() == expected


def test_the_reward_is_minus_beta_times_the_distance_of_the_next_subgraph_to_the_goal() -> None:
    env = walks(reward_scale=3.0)
    env.reset(seed=0)
    observation, rewards, _, _, info = env.step(torch.tensor([1, 2, 3]))
    distances = [np.linalg.norm(point - trained().goal.numpy()) for point in observation["embedding"].numpy()]
    np.testing.assert_allclose(info["distance"].numpy(), distances, rtol=1e-5)
    np.testing.assert_allclose(rewards.numpy(), [-3 * distance for distance in distances], rtol=1e-5)


def test_time_runs_out_as_a_truncation_and_no_state_is_terminal() -> None:
    env = walks(max_steps=3)
    env.reset(seed=0)
    ends = [env.step(torch.zeros(3, dtype=torch.int64))[2:4] for _ in range(3)]
    assert not any(terminated.any() for terminated, _ in ends)
    assert [truncated.tolist() for _, truncated in ends] == [[False] * 3, [False] * 3, [True] * 3]
    env.reset()
    assert not env.step(torch.zeros(3, dtype=torch.int64))[3].any()


def test_guided_swaps_bring_in_a_solution_vertex_for_one_that_is_not() -> None:
    solution, met = set(samples().solution.tolist()), 0
    env = walks(8)
    env.reset(seed=0)
    for _ in range(3):
        _, _, _, _, info = env.step(torch.zeros(8, dtype=torch.int64))
        for v, u, guided in zip(
            info["offer"].roots.flatten().tolist(),
            info["offer"].candidates.flatten().tolist(),
            info["guided"].flatten().tolist(),
            strict=True,
        ):
            assert guided == (u in solution and v not in solution)
            met += guided
    assert met > 0


def test_without_a_solution_nothing_is_guided() -> None:
    assert "guided" not in walks(solution=None).reset(seed=0)[1]


@pytest.mark.parametrize("num_roots", [0, 200, 500])
def test_there_must_be_roots_and_vertices_besides_them(num_roots: int) -> None:
    with pytest.raises(LenseError, match="fewer roots than the graph's 200 vertices"):
        walks(num_roots=num_roots)


def test_many_walks_at_once_are_the_walks_one_by_one() -> None:
    """Pairs and what is seen of them exactly, and embeddings up to rounding."""
    seeds = [11, 3, 40, 4, 1000]
    together, apart = walks(5), [walks(1) for _ in seeds]
    observation, info = together.reset(seed=seeds)
    singles = [env.reset(seed=[seed]) for env, seed in zip(apart, seeds, strict=True)]
    for chosen in torch.randint(M, (6, 5), generator=torch.Generator().manual_seed(0)):
        for b, (single, facts) in enumerate(singles):
            assert info["offer"].roots[b].tolist() == facts["offer"].roots[0].tolist()
            assert info["guided"][b].tolist() == facts["guided"][0].tolist()
            for name in ("leaving", "entering", "mask"):
                assert torch.equal(observation[name][b], single[name][0])
            torch.testing.assert_close(observation["embedding"][b], single["embedding"][0], rtol=1e-4, atol=1e-5)
        observation, _, _, _, info = together.step(chosen)
        steps = [env.step(action.view(1)) for env, action in zip(apart, chosen, strict=True)]
        singles = [(step[0], step[4]) for step in steps]


def test_a_walk_goes_on_from_its_state_as_if_it_had_not_stopped() -> None:
    env, other = walks(), walks()
    env.reset(seed=2)
    expected, _, _, _, facts = env.step(torch.tensor([1, 2, 3]))
    observation, info = other.restore({name: tensor.clone() for name, tensor in env.state.items()})
    for _ in range(4):  # up to where time runs out
        assert all(torch.equal(observation[name], expected[name]) for name in expected)
        assert info["offer"].candidates.tolist() == facts["offer"].candidates.tolist()
        expected, _, _, truncated, facts = env.step(torch.tensor([0, 5, 9]))
        observation, _, _, also_truncated, info = other.step(torch.tensor([0, 5, 9]))
        assert torch.equal(truncated, also_truncated)
    assert truncated.all()
    assert starts(env) == starts(other)


def test_a_masked_action_changes_nothing() -> None:
    """The roots have no edges, so that their subgraph has nothing outside X."""
    env = isolated()
    observation, _ = env.reset(seed=0, options={"roots": [[2, 4, 5]]})
    assert observation["mask"].tolist() == [[False] * 3]
    _, reward, _, _, info = env.step(torch.tensor([1]))
    assert info["offer"].roots.tolist() == [[2, 4, 5]]
    assert reward.isfinite().all()


@needs_gpu
def test_a_walk_is_the_same_on_a_gpu() -> None:
    here, there = walks(5), walks(5, "cuda")
    actions = torch.randint(M, (8, 5), generator=torch.Generator().manual_seed(0))
    pairs = [here.reset(seed=0), there.reset(seed=0)]
    for chosen in actions:
        (observation, info), (far_observation, far_info) = pairs
        assert info["offer"].roots.tolist() == far_info["offer"].roots.tolist()
        assert info["offer"].candidates.tolist() == far_info["offer"].candidates.tolist()
        for name in observation:
            torch.testing.assert_close(observation[name], far_observation[name].cpu(), rtol=1e-3, atol=1e-4)
        steps = [here.step(chosen), there.step(chosen.cuda())]
        torch.testing.assert_close(steps[0][1], steps[1][1].cpu(), rtol=1e-3, atol=1e-3)
        pairs = [(step[0], step[4]) for step in steps]
