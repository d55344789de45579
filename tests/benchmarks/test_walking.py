"""The cost of walking: what is compared with what."""

import numpy as np
import pytest

from benchmarks import walking
from benchmarks.measure import SEED
from lense.graph import Graph, power_law


@pytest.fixture(scope="module")
def graph() -> Graph:
    return power_law(700, 8.0, 2.3, np.random.default_rng(0))


def test_a_step_contains_the_encoder_it_is_compared_with(graph: Graph) -> None:
    setting = walking._Setting(graph, 2)
    encoded = setting.encoder(setting.batch, *setting.features)
    observation, _ = setting.walks.reset(seed=SEED, options={"roots": setting.start})
    assert np.allclose(observation["embedding"].numpy(), encoded.numpy(), atol=1e-5)


def test_every_step_that_is_timed_is_the_same(graph: Graph) -> None:
    setting = walking._Setting(graph, 2)
    setting.step()
    first = setting.walks.state["roots"]
    setting.step()
    assert (setting.walks.state["roots"] == first).all()


def test_ratios_are_of_times(graph: Graph) -> None:
    row = walking._step_against_encoder(graph, turns=1)
    assert row.ratio is not None
    assert row.ratio > 0
