"""Policy evaluation by greedy walks on the train graph: which policy is kept, and where its walks stop."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from lense._util.types import Int64s
from lense.navigation.encoder import embed
from lense.navigation.environment import RootSets, roots_after
from lense.navigation.inference import QValues, greedy
from lense.navigation.policy_evaluation import (
    PLACES,
    STARTS,
    STRENGTHS,
    Evaluator,
    Judgement,
    PolicyEvaluation,
    kept_policy,
    stream_seed,
    tempered,
)
from lense.navigation.q_learning import QNetwork, QSettings
from tests.learning import ROOTS, SETTINGS, features, graph, tensors, trained

ENOUGH = QSettings(keep="ratio", enough=0.985)
LAST = QSettings(keep="last")


def evaluation(
    ratio: float, edges: float, updates: int = 5, policy: Any = None, strength: float = 1.0
) -> PolicyEvaluation:
    return PolicyEvaluation(9, 0.1, Judgement(ratio, edges), updates, policy, strength)


def test_of_policies_that_are_good_enough_the_one_with_the_smallest_subgraphs_is_kept() -> None:
    found = [evaluation(0.999, 0.6), evaluation(0.986, 0.4), evaluation(0.991, 0.5), evaluation(0.984, 0.1)]
    assert kept_policy(found, ENOUGH) is found[1]


def test_where_none_is_good_enough_it_is_one_within_half_a_per_cent_of_the_best() -> None:
    found = [evaluation(0.97, 0.3), evaluation(0.976, 0.4), evaluation(0.98, 0.5)]
    assert kept_policy(found, ENOUGH) is found[1]
    assert kept_policy([found[0], evaluation(0.974, 0.4), found[2]], ENOUGH) is found[2]


@pytest.mark.parametrize("settings", [ENOUGH, LAST])
def test_a_policy_that_has_learnt_nothing_is_never_kept_beside_one_that_has(settings: QSettings) -> None:
    start, learnt = evaluation(1.0, 0.1, updates=0), evaluation(0.4, 0.9, updates=1)
    assert kept_policy([start, learnt], settings) is learnt
    assert kept_policy([start], settings) is start


def evaluated(judge: Callable[[Int64s], Judgement], **changes: Any) -> PolicyEvaluation:
    settings = replace(SETTINGS.q_learning, **{"enough": 0.97, "test_steps": 32, **changes})
    judged_by = Evaluator(tensors(), judge, trained().encoder, trained().goal, settings, ROOTS, seed=7)
    return judged_by.evaluate(policy(), updates=3)


def walked(steps: int) -> Int64s:
    """The roots (B, M) that the walks of such an evaluation have after some steps."""
    first, act = stream_seed(7, "looks"), greedy(policy(), lambda _: np.empty(0, np.float32))
    seeds = range(first, first + STARTS)
    found: Int64s = roots_after(graph().incident, features(), act, seeds=seeds, num_roots=ROOTS, places=[steps])[0]
    return found


def test_an_evaluation_is_a_greedy_walk_from_fresh_starts_and_its_figures_are_means() -> None:
    met: list[Int64s] = []

    def judge(roots: Int64s) -> Judgement:
        met.append(roots)
        return Judgement(0.01 * len(met), 0.1 * len(met))

    seen = evaluated(judge)
    assert np.array_equal(met, walked(32))
    assert (seen.steps, seen.updates, seen.strength) == (32, 3, 1.0)
    assert seen.judged == pytest.approx((0.01 * np.mean(range(1, 6)), 0.1 * np.mean(range(1, 6))))
    distances = (embed(trained().encoder, tensors(), walked(32)) - trained().goal).norm(dim=1)
    assert seen.distance == pytest.approx(float(distances.mean()))


def test_a_state_is_the_embedding_and_the_offer_and_lies_so_far_from_the_goal() -> None:
    offer = RootSets(tensors().rows, tensors().vertex_features, [7, 8], ROOTS).offer()
    world = Evaluator(tensors(), lambda _: Judgement(1, 1), trained().encoder, trained().goal, LAST, ROOTS)
    state, distance = world.observe(offer)
    embedding = embed(trained().encoder, tensors(), offer.roots)
    assert torch.equal(state["embedding"], embedding)
    for name, known in (("leaving", offer.leaving), ("entering", offer.entering), ("mask", offer.allowed)):
        assert np.array_equal(state[name].numpy(), known)
    torch.testing.assert_close(distance, (embedding - trained().goal).norm(dim=1))


def test_of_a_policy_that_is_good_enough_early_the_walks_stop_there() -> None:
    """At one of sixteen places, evenly along the walk."""
    places = range(32 // PLACES, 33, 32 // PLACES)
    place_of = {tuple(roots): place for place in places for roots in walked(place).tolist()}

    def judge(roots: Int64s) -> Judgement:
        return Judgement(0.98 if place_of[tuple(roots.tolist())] >= 14 else 0.9, 0.1)

    assert evaluated(judge).steps == 14
    assert evaluated(lambda _: Judgement(0.98, 0.1)).steps == 2


def test_a_correction_is_kept_at_the_strength_that_gives_the_smallest_subgraphs_that_are_enough() -> None:
    tried: list[tuple[float, int]] = []
    start = QNetwork(trained().encoder, 0, graph().num_vertices)
    torch.nn.init.ones_(start.value.weight)
    whole = start.in_numpy()
    judged = dict(zip(STRENGTHS, [(0.99, 0.4), (0.99, 0.3), (0.9, 0.1), (0.99, 0.35)], strict=True))

    def again(weaker: QValues, *, updates: int, strength: float) -> PolicyEvaluation:
        tried.append((strength, updates))
        assert np.array_equal(weaker.weights["value.weight"], strength * whole.weights["value.weight"])
        return evaluation(*judged[strength], updates, weaker, strength)

    kept = evaluation(0.99, 0.5, 7, whole)
    assert tempered(kept, ENOUGH, again, None).strength == STRENGTHS[1]
    assert tried == [(strength, 7) for strength in STRENGTHS]
    better = evaluation(0.99, 0.2, 7, whole)
    assert tempered(better, ENOUGH, again, None) is better


@pytest.mark.parametrize(("there", "strength"), [(0.99, 1.0), (0.9, 0.5), (0.982, 0.5), (0.985, 1.0)])
def test_the_strength_must_also_hold_on_a_graph_that_was_not_learnt_on(there: float, strength: float) -> None:
    """The full correction has the smallest subgraphs; elsewhere it has the ratio ``there``."""
    sizes = {1.0: 0.2, **dict(zip(STRENGTHS, (0.3, 0.4, 0.5, 0.6), strict=True))}

    def again(weaker: QValues, *, updates: int, strength: float) -> PolicyEvaluation:
        return evaluation(0.99, sizes[strength], updates, weaker, strength)

    def elsewhere(seen: PolicyEvaluation) -> Judgement:
        return Judgement(there if seen.strength == 1 else 0.99, 0.01)

    found = tempered(evaluation(0.99, 0.2, 7, policy()), ENOUGH, again, elsewhere)
    assert found.strength == strength
    assert found.judged == (0.99, sizes[strength])


def policy() -> QValues:
    return QNetwork(trained().encoder, 0, graph().num_vertices).in_numpy()
