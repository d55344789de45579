"""Calibrated means calibrated: on generated graphs of six kinds the target is met as often as promised."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.calibrated import KINDS, Trial, chance_of_so_few, the_shipped, trials
from lense.graph import power_law
from lense.problems import Problem, get_problem
from lense.pruners.core import Core

UNLIKELY = 0.01


def on_small_graphs(problem: Problem, core_for: Callable[[Problem], Core] = the_shipped) -> list[Trial]:
    return list(trials(problem, 700, range(2), 20, core_for=core_for))


def boasting(problem: Problem) -> Core:
    """A core that is sure that 0.7 roots for each unit of the budget keep everything."""
    core = the_shipped(problem).set_params(size=14)
    known = core.calibration_
    core.calibration_ = replace(known, described=known.described[:0], ratios=np.ones_like(known.ratios))
    return core


@pytest.mark.parametrize("name", ["mvc", "bmc", "im", "domination"])
def test_the_cores_that_ship_meet_their_targets_as_often_as_they_promise(name: str) -> None:
    problem = get_problem(name)
    found = on_small_graphs(problem)
    assert {one.kind for one in found} == set(KINDS)
    assert chance_of_so_few(found) > UNLIKELY
    # with fewer roots than it takes, the same trials say that the promise is not kept
    assert chance_of_so_few(on_small_graphs(problem, boasting)) < UNLIKELY


def test_a_core_that_is_fitted_meets_its_target_as_often_as_it_promises() -> None:
    def fitted(problem: Problem) -> Core:
        train = power_law(1500, 8, 2.3, np.random.default_rng(11))
        return Core(problem, 20, confidence=0.8).fit(train)

    assert chance_of_so_few(on_small_graphs(get_problem("im"), fitted)) > UNLIKELY


def test_the_chance_of_so_few_is_that_of_a_binomial_distribution() -> None:
    kept, missed = Trial("", 1.0, 0.9, 0.99), Trial("", 0.5, 0.9, 0.99)
    assert chance_of_so_few([kept, kept]) == pytest.approx(1.0)
    assert chance_of_so_few([kept, missed]) == pytest.approx(1 - 0.9**2)
    assert chance_of_so_few([missed, missed]) == pytest.approx(0.1**2)
