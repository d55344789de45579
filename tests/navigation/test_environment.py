"""The walk through subgraphs as a decision process, for many walks side by side and for one under gymnasium."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from lense.navigation.encoder import embed
from lense.navigation.environment import SubgraphWalk
from lense.navigation.walks import RootSets
from tests.learning import ROOTS as M
from tests.learning import root_sets, tensors, trained


def one_walk(max_steps: int = 5, *, shaped: bool = False) -> SubgraphWalk:
    return SubgraphWalk(
        tensors(), trained().encoder, trained().goal, num_roots=M, max_steps=max_steps, reward_scale=3.0, shaped=shaped
    )


def test_one_walk_passes_the_checker_of_gymnasium() -> None:
    """All it warns of is that the observation has no bounds, which is so: features may be any numbers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(one_walk(), skip_render_check=True)
    warned = {str(warning.message).split("WARN: ")[-1].split(" is ")[0] for warning in caught}
    assert warned <= {"A Box observation space minimum value", "A Box observation space maximum value"}


@pytest.mark.parametrize("shaped", [False, True])
def test_one_walk_sees_the_embedding_and_the_offer_and_earns_by_its_distance_to_the_goal(shaped: bool) -> None:
    env, plain = one_walk(shaped=shaped), RootSets(tensors().rows, tensors().vertex_features, [7], M)
    observation, info = env.reset(seed=7)
    for action in (0, 5, 15):
        assert env.observation_space.contains(observation)
        offer = plain.offer()
        assert info["roots"].tolist() == offer.roots[0].tolist()
        assert info["candidates"].tolist() == offer.candidates[0].tolist()
        for name, known in (("leaving", offer.leaving), ("entering", offer.entering), ("mask", offer.allowed)):
            assert np.array_equal(observation[name], known[0])
        embedding = embed(trained().encoder, tensors(), offer.roots)[0]
        assert np.array_equal(observation["embedding"], embedding.numpy())
        before = info["distance"]
        assert before == pytest.approx(float((embedding - trained().goal).norm()))
        plain.swap(offer, np.array([action]))
        observation, reward, *_, info = env.step(np.int64(action))
        assert reward == pytest.approx(3 * (before - info["distance"]) if shaped else -3 * info["distance"])


def test_a_walk_may_start_from_given_roots() -> None:
    roots = root_sets(3)
    _, info = one_walk().reset(seed=0, options={"roots": roots[0]})
    assert info["roots"].tolist() == roots[0].tolist()


def test_time_runs_out_as_a_truncation_and_no_state_is_terminal() -> None:
    env = one_walk(3)
    for seed in (0, None):
        env.reset(seed=seed)
        assert [env.step(np.int64(0))[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
