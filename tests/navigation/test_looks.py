"""Looks at policies by their walks on the train graph: which is kept, and where its walks stop."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
import torch

from lense._util.types import Int64s
from lense.navigation.encoder_training import embed
from lense.navigation.inference import QPolicy
from lense.navigation.looks import (
    LOOK_PLACES,
    LOOK_STARTS,
    STRENGTHS,
    Ground,
    Judgement,
    Look,
    QSettings,
    first_enough,
    kept_look,
    least_ratio,
    look_at,
    tempered,
)
from lense.navigation.policies import roots_after
from lense.navigation.q_network import QNetwork
from tests.learning import ROOTS, SETTINGS, features, graph, tensors, trained

ENOUGH = QSettings(keep="ratio", enough=0.985)
LAST = QSettings(keep="last")


def look(ratio: float, edges: float, updates: int = 5, policy: Any = None, strength: float = 1.0) -> Look:
    return Look(9, 0.1, Judgement(ratio, edges), updates, policy, strength)


def test_of_policies_that_are_good_enough_the_one_with_the_smallest_subgraphs_is_kept() -> None:
    looks = [look(0.999, 0.6), look(0.986, 0.4), look(0.991, 0.5), look(0.984, 0.1)]
    assert kept_look(looks, ENOUGH) is looks[1]


def test_where_none_is_good_enough_it_is_one_within_half_a_per_cent_of_the_best() -> None:
    looks = [look(0.97, 0.3), look(0.976, 0.4), look(0.98, 0.5)]
    assert kept_look(looks, ENOUGH) is looks[1]
    assert kept_look([looks[0], look(0.974, 0.4), looks[2]], ENOUGH) is looks[2]


def test_or_the_last_one_as_in_the_paper() -> None:
    looks = [look(0.999, 0.1), look(0.5, 0.9)]
    assert kept_look(looks, LAST) is looks[1]


@pytest.mark.parametrize("settings", [ENOUGH, LAST])
def test_a_policy_that_has_learnt_nothing_is_never_kept_beside_one_that_has(settings: QSettings) -> None:
    start, learnt = look(1.0, 0.1, updates=0), look(0.4, 0.9, updates=1)
    assert kept_look([start, learnt], settings) is learnt
    assert kept_look([start], settings) is start


def test_the_ratio_that_a_look_must_have_is_enough_or_nearly_the_best() -> None:
    assert least_ratio([look(0.9, 0.1), look(0.96, 0.1)], 0.98) == pytest.approx(0.955)
    assert least_ratio([look(0.9, 0.1), look(0.999, 0.1)], 0.98) == 0.98


@pytest.mark.parametrize("first", range(7))
def test_walks_stop_at_the_first_place_from_which_on_their_ratio_is_enough(first: int) -> None:
    ratios = [0.9] * first + [0.97] * (7 - first)
    asked: list[int] = []

    def judged(place: int) -> Judgement:
        asked.append(place)
        return Judgement(ratios[place], 0.1 * place)

    assert first_enough(judged, 7, 0.97) == first
    assert len(asked) <= 4
    assert first_enough(judged, 7, 0.98) == 6


def policy() -> QNetwork:
    return QNetwork.for_encoder(trained().encoder, 0, graph().num_vertices).requires_grad_(False)


def looked_at(judge: Callable[[Int64s], Judgement], **changes: Any) -> Look:
    settings = replace(SETTINGS.q_learning, **{"enough": 0.97, "test_steps": 32, **changes})
    ground, known = Ground(tensors(), judge), trained()
    return look_at(ground, known.encoder, known.goal, policy(), settings, num_roots=ROOTS, seed=7, updates=3)


def walked(steps: int) -> Int64s:
    """The roots (B, M) that the walks of such a look have after some steps."""
    found: Int64s = roots_after(
        graph().incident,
        features(),
        QPolicy(policy().in_numpy(), lambda _: np.empty(0, np.float32)),
        seeds=range(7, 7 + LOOK_STARTS),
        num_roots=ROOTS,
        places=[steps],
    )[0]
    return found


def test_a_look_is_a_greedy_walk_from_fresh_starts_and_its_figures_are_means() -> None:
    met: list[Int64s] = []

    def judge(roots: Int64s) -> Judgement:
        met.append(roots)
        return Judgement(0.01 * len(met), 0.1 * len(met))

    seen = looked_at(judge)
    assert np.array_equal(met, walked(32))
    assert (seen.steps, seen.updates, seen.strength) == (32, 3, 1.0)
    assert seen.judged == pytest.approx((0.01 * np.mean(range(1, 6)), 0.1 * np.mean(range(1, 6))))
    distances = (embed(trained().encoder, tensors(), walked(32)) - trained().goal).norm(dim=1)
    assert seen.distance == pytest.approx(float(distances.mean()))


def test_of_a_policy_that_is_good_enough_early_the_walks_stop_there() -> None:
    """At one of sixteen places, evenly along the walk."""
    places = range(32 // LOOK_PLACES, 33, 32 // LOOK_PLACES)
    place_of = {tuple(roots): place for place in places for roots in walked(place).tolist()}

    def judge(roots: Int64s) -> Judgement:
        return Judgement(0.98 if place_of[tuple(roots.tolist())] >= 14 else 0.9, 0.1)

    assert looked_at(judge).steps == 14
    assert looked_at(lambda _: Judgement(0.98, 0.1)).steps == 2


@pytest.mark.parametrize("keep", ["ratio", "last"])
def test_walks_are_no_longer_than_two_steps_for_each_root_if_a_policy_is_kept_by_its_ratio(keep: str) -> None:
    seen = looked_at(lambda _: Judgement(0.9, 0.5), test_steps=10 * ROOTS, keep=keep)
    assert seen.steps == (2 * ROOTS if keep == "ratio" else 10 * ROOTS)


def test_walks_may_have_no_steps_at_all() -> None:
    assert looked_at(lambda _: Judgement(0.9, 0.5), test_steps=0).steps == 0


def test_a_correction_is_kept_at_the_strength_that_gives_the_smallest_subgraphs_that_are_enough() -> None:
    tried: list[tuple[float, int]] = []
    judged = dict(zip(STRENGTHS, [(0.99, 0.4), (0.99, 0.3), (0.9, 0.1), (0.99, 0.35)], strict=True))

    def again(weaker: QNetwork, *, updates: int, strength: float) -> Look:
        tried.append((strength, updates))
        return look(*judged[strength], updates, weaker, strength)

    kept = look(0.99, 0.5, 7, policy())
    assert tempered(kept, ENOUGH, again, None).strength == STRENGTHS[1]
    assert tried == [(strength, 7) for strength in STRENGTHS]
    better = look(0.99, 0.2, 7, policy())
    assert tempered(better, ENOUGH, again, None) is better


@pytest.mark.parametrize(("there", "strength"), [(0.99, 1.0), (0.9, 0.5), (0.982, 0.5), (0.985, 1.0)])
def test_the_strength_must_also_hold_on_a_graph_that_was_not_learnt_on(there: float, strength: float) -> None:
    """The full correction has the smallest subgraphs; elsewhere it has the ratio ``there``."""
    sizes = {1.0: 0.2, **dict(zip(STRENGTHS, (0.3, 0.4, 0.5, 0.6), strict=True))}

    def again(weaker: QNetwork, *, updates: int, strength: float) -> Look:
        return look(0.99, sizes[strength], updates, weaker, strength)

    def elsewhere(seen: Look) -> Judgement:
        return Judgement(there if seen.strength == 1 else 0.99, 0.01)

    found = tempered(look(0.99, 0.2, 7, policy()), ENOUGH, again, elsewhere)
    assert found.strength == strength
    assert found.judged == (0.99, sizes[strength])


def test_the_strengths_are_those_of_the_networks_looked_at() -> None:
    numbers = count()
    torch.manual_seed(0)
    start = QNetwork.for_encoder(trained().encoder, 0, graph().num_vertices)
    torch.nn.init.ones_(start.value.weight)

    def again(weaker: QNetwork, *, updates: int, strength: float) -> Look:
        next(numbers)
        assert (weaker.value.weight == strength).all()
        return look(0.5, 0.5, updates, weaker, strength)

    tempered(look(0.99, 0.5, 7, start), ENOUGH, again, None)
    assert next(numbers) == len(STRENGTHS)
