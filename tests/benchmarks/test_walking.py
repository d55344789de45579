"""The cost of walking: what is compared with what."""

import numpy as np
import pytest

from benchmarks import walking
from benchmarks.measure import SEED
from lense.graph import Graph, power_law
from lense.navigation.walk import walk


@pytest.fixture(scope="module")
def graph() -> Graph:
    return power_law(700, 8.0, 2.3, np.random.default_rng(0))


def test_a_step_contains_the_encoder_it_is_compared_with(graph: Graph) -> None:
    setting = walking._Setting(graph, 2)
    encoded = setting.encoder(setting.batch, *setting.features)
    observation, _ = setting.walks.reset(seed=SEED, options={"roots": setting.start})
    assert np.allclose(observation["embedding"].numpy(), encoded.numpy(), atol=1e-5)


def test_every_step_that_is_timed_swaps_the_last_root_alone(graph: Graph) -> None:
    setting = walking._Setting(graph, 2)
    for _ in range(3):
        setting.step()
    roots = setting.walks.state["roots"].numpy()
    assert np.array_equal(roots[:, :-1], setting.start[:, :-1])
    assert not np.array_equal(roots, setting.start)


def test_walks_with_and_without_the_map_end_at_the_same_roots(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "EPISODES", 2)
    monkeypatch.setattr(walking, "WALK_STEPS", 4)
    setting = walking._Setting(graph, 2)
    setting.walks.max_steps = 4
    found = walking._roots_without_map(graph, setting)
    assert np.array_equal(found, walk(setting.walks, setting.policy, seed=0).roots.numpy())


def test_ratios_are_of_times(graph: Graph) -> None:
    row = walking._step_against_encoder(graph, turns=1)
    assert row.ratio is not None
    assert row.ratio > 0
