"""The decision process under gymnasium: its rules, and the same walk as without it."""

import doctest
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from lense.errors import LenseError
from lense.graph import Graph
from lense.navigation import gym_environment
from lense.navigation.encoder import GraphTensors, embed
from lense.navigation.environment import RootSets, random_swaps, roots_after
from lense.navigation.gym_environment import SubgraphWalk
from tests.learning import ROOTS, root_sets, tensors, trained


def walk(
    max_steps: int = 5, *, graph: GraphTensors | None = None, num_roots: int = ROOTS, shaped: bool = False
) -> SubgraphWalk:
    known = trained()
    return SubgraphWalk(
        graph or tensors(),
        known.encoder,
        known.goal,
        num_roots=num_roots,
        max_steps=max_steps,
        reward_scale=3.0,
        shaped=shaped,
    )


def test_it_keeps_the_rules_of_gymnasium() -> None:
    """The checker only warns that observations have no bounds: features may be any numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(walk(), skip_render_check=True)
    warned = {str(warning.message).split("WARN: ")[-1].split(" is ")[0] for warning in caught}
    assert warned <= {"A Box observation space minimum value", "A Box observation space maximum value"}


@pytest.mark.parametrize("shaped", [False, True])
def test_it_shows_the_embedding_and_the_offer_and_rewards_by_the_distance_to_the_goal(shaped: bool) -> None:
    env, sets = walk(shaped=shaped), RootSets(tensors().rows, tensors().vertex_features, [7], ROOTS)
    observation, info = env.reset(seed=7)
    for action in (0, 5, 15):
        assert env.observation_space.contains(observation)
        offer = sets.offer()
        assert info["roots"].tolist() == offer.roots[0].tolist()
        assert info["candidates"].tolist() == offer.candidates[0].tolist()
        for name, known in (("leaving", offer.leaving), ("entering", offer.entering), ("mask", offer.allowed)):
            assert np.array_equal(observation[name], known[0])
        embedding = embed(trained().encoder, tensors(), offer.roots)[0]
        assert np.array_equal(observation["embedding"], embedding.numpy())
        before = info["distance"]
        assert before == pytest.approx(float((embedding - trained().goal).norm()))
        sets.swap(offer, np.array([action]))
        observation, reward, *_, info = env.step(np.int64(action))
        assert reward == pytest.approx(3 * (before - info["distance"]) if shaped else -3 * info["distance"])


def test_a_policy_walks_as_it_does_without_gymnasium() -> None:
    rows, features = tensors().rows, tensors().vertex_features
    (roots,) = roots_after(rows, features, random_swaps, seeds=[3], num_roots=ROOTS, places=[9])
    env = walk(9)
    _, info = env.reset(seed=3)
    is_over = False
    while not is_over:
        *_, is_over, info = env.step(random_swaps(env._offer)[0])
    assert info["roots"].tolist() == roots[0].tolist()


def test_a_walk_may_start_from_given_roots() -> None:
    (roots,) = root_sets(1)
    _, info = walk().reset(seed=0, options={"roots": roots})
    assert info["roots"].tolist() == roots.tolist()
    with pytest.raises(LenseError, match="different roots"):
        walk().reset(options={"roots": roots[1:]})


def test_an_action_without_a_candidate_is_masked_and_changes_nothing() -> None:
    """Vertices 2 to 5 have no edges, so that their subgraph has nothing outside X."""
    features = np.zeros((6, trained().encoder.num_features), np.float32)
    graph = GraphTensors.of(Graph.from_edges([0], [1], num_vertices=6), features)
    env = walk(graph=graph, num_roots=3, shaped=True)
    observation, _ = env.reset(seed=0, options={"roots": [2, 4, 5]})
    assert not observation["mask"].any()
    _, reward, *_, info = env.step(np.int64(1))
    assert (info["roots"].tolist(), reward) == ([2, 4, 5], 0)


@pytest.mark.parametrize("seed", [0, None])
def test_time_runs_out_as_a_truncation_and_no_state_is_terminal(seed: int | None) -> None:
    env = walk(3)
    env.reset(seed=seed)
    assert [env.step(np.int64(0))[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]


def test_the_example_runs() -> None:
    assert doctest.testmod(gym_environment) == (0, 8)
