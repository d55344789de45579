"""What needs no learning, each against a plain loop, and the walks that follow it."""

import numpy as np
import pytest

from lense._util.types import Bools, Float32s, Int64s
from lense.graph import power_law
from lense.navigation.policies import (
    Policy,
    best_allowed,
    best_apart,
    inverse_ranks,
    largest_gain,
    random_swaps,
    roots_after,
    separating_feature,
)
from lense.navigation.swaps import Offer, Walks, random_roots
from lense.pruners.ranking import standing

GRAPH = power_law(60, 4, 2.3, np.random.default_rng(0))
FEATURES = np.random.default_rng(1).random((60, 2)).astype(np.float32)
DEGREES = np.diff(GRAPH.incident.indptr).astype(float)


def offer(
    allowed: Bools, *, roots: Int64s | None = None, candidates: Int64s | None = None, seed: int = 0, step: int = 0
) -> Offer:
    """An offer to as many walks as ``allowed`` (B, M) has rows."""
    nobody, nothing = np.zeros(allowed.shape, np.int64), np.zeros((*allowed.shape, 0), np.float32)
    seeds = tuple(range(seed, seed + len(allowed)))
    vertices = (nobody if roots is None else roots, nobody if candidates is None else candidates)
    return Offer(*vertices, allowed, nothing, nothing, seeds, step)


def test_of_the_allowed_actions_the_first_of_largest_value_is_taken() -> None:
    values = np.array([[1.0, 5.0, 3.0, 3.0], [9.0, 8.0, 7.0, 6.0]])
    allowed = np.array([[True, False, True, True], [False, False, False, True]])
    assert best_allowed(values, allowed).tolist() == [2, 3]


def test_several_best_actions_bring_in_different_vertices() -> None:
    values = np.array([[1.0, 5.0, 3.0, 4.0], [9.0, 8.0, 7.0, 6.0]], np.float32)
    allowed = np.array([[True, True, True, True], [False, False, True, True]])
    candidates = np.array([[10, 11, 12, 11], [10, 11, 12, 12]])
    assert best_apart(values, allowed, candidates, 2).tolist() == [[1, 2], [2, -1]]
    assert np.array_equal(best_apart(values, allowed, candidates, 10**8), best_apart(values, allowed, candidates, 4))
    assert best_apart(values, allowed, candidates, 4).tolist() == [[1, 2, 0, -1], [2, -1, -1, -1]]


def test_the_first_of_several_best_actions_is_the_best_alone() -> None:
    rng = np.random.default_rng(0)
    values, allowed = rng.integers(0, 6, (50, 9)).astype(np.float32), rng.random((50, 9)) < 0.7
    allowed[:, 0] = True
    several = best_apart(values, allowed, rng.integers(0, 5, (50, 9)), 3)
    assert several[:, 0].tolist() == best_allowed(values, allowed).tolist()


def test_random_swaps_are_allowed_ones_each_as_likely() -> None:
    drawn = random_swaps(offer(np.tile([True, False, True, True], (2000, 1))))
    counts = np.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert np.abs(counts[[0, 2, 3]] - 2000 / 3).max() < 100


def test_random_swaps_of_a_walk_depend_on_its_seed_and_the_step_alone() -> None:
    everything = np.ones((3, 1000), np.bool_)
    together = random_swaps(offer(everything, seed=5))
    assert together.tolist() == [int(random_swaps(offer(everything[:1], seed=seed))[0]) for seed in (5, 6, 7)]
    assert together.tolist() != random_swaps(offer(everything, seed=5, step=1)).tolist()


def test_the_largest_gain_is_that_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 50, 30).astype(float)
    roots, candidates = rng.integers(0, 30, (4, 6)), rng.integers(0, 30, (4, 6))
    allowed = rng.random((4, 6)) < 0.7
    chosen = largest_gain(values)(offer(allowed, roots=roots, candidates=candidates))
    for row, action in enumerate(chosen.tolist()):
        gains = {i: values[candidates[row, i]] - values[roots[row, i]] for i in range(6) if allowed[row, i]}
        assert gains[action] == max(gains.values())


def test_a_loss_is_taken_where_there_is_no_gain() -> None:
    pair = offer(np.ones((1, 2), np.bool_), roots=np.array([[2, 2]]), candidates=np.array([[0, 1]]))
    assert largest_gain(np.array([1.0, 2.0, 5.0]))(pair).tolist() == [1]


def test_the_feature_that_separates_is_larger_at_the_solution_by_the_most_standard_deviations() -> None:
    features = np.array(
        [[0.0, 0.0, 9.0], [0.1, 50.0, 0.0], [0.0, 90.0, 9.0], [0.8, 60.0, 0.0], [0.9, 70.0, 0.0]], np.float32
    )
    assert separating_feature(features, np.array([3, 4])) == 0
    assert separating_feature(features, np.array([0, 2])) == 2


def test_a_feature_that_is_the_same_everywhere_separates_nothing() -> None:
    features = np.array([[1.0, 0.1], [1.0, 0.3], [1.0, 0.2]], np.float32)
    assert separating_feature(features, np.array([1])) == 1


def test_inverse_ranks_are_n_over_how_many_vertices_have_as_large_a_value() -> None:
    values: Float32s = np.array([[5], [1], [9], [5], [0]], np.float32)
    as_large = [sum(other >= value for other in values[:, 0]) for value in values[:, 0]]
    np.testing.assert_allclose(inverse_ranks(standing(values)[:, 0], 5), [5 / r for r in as_large], rtol=1e-5)


def test_the_inverse_rank_of_a_lone_vertex_is_a_number() -> None:
    assert np.isfinite(inverse_ranks(np.zeros(1, np.float32), 1)).all()


def walked(
    places: list[int], policy: Policy = random_swaps, seeds: range = range(3), *, together: bool = False
) -> Int64s:
    return roots_after(GRAPH.incident, FEATURES, policy, seeds=seeds, num_roots=5, places=places, together=together)


def by_hand(policy: Policy, steps: int, seed: int) -> list[int]:
    walks = Walks(GRAPH.incident, FEATURES, [seed], 5)
    for _ in range(steps):
        seen = walks.offer()
        walks.swap(seen, policy(seen))
    return [int(root) for root in walks.roots[0]]


def test_roots_at_several_places_are_those_of_walks_that_end_there() -> None:
    along = walked([0, 2, 5, 9])
    assert along.shape == (4, 3, 5)
    assert along[0].tolist() == random_roots(60, 5, range(3)).tolist()
    for number, place in enumerate((0, 2, 5, 9)):
        assert along[number].tolist() == walked([place])[0].tolist()
        assert along[number].tolist() == [by_hand(random_swaps, place, seed) for seed in range(3)]


@pytest.mark.parametrize("policy", [random_swaps, largest_gain(DEGREES)], ids=["random", "degree"])
def test_walks_together_are_the_walks_alone(policy: Policy) -> None:
    together = walked([7], policy, together=True)
    assert np.array_equal(together, walked([7], policy))
    for number in range(3):
        assert np.array_equal(together[0, number], walked([7], policy, range(number, number + 1))[0, 0])


@pytest.mark.parametrize("threads", ["1", "3"])
def test_the_number_of_threads_changes_nothing(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = walked([9], seeds=range(8))
    monkeypatch.setenv("LENSE_THREADS", threads)
    assert np.array_equal(walked([9], seeds=range(8)), expected)
