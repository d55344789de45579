"""QuickPrune's pass keeps what its publication proves, on random coverage instances."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.kernels.quickprune import above_bar, all_below, quickprune
from tests.kernels.samples import ROWS, Rows, covering, union

FREE = np.empty(0)
FRACTIONS = st.floats(0.02, 0.98)
DELTAS = st.floats(0.02, 3.0)


def best(rows: Rows, candidates: list[int], budget: int) -> int:
    most = min(budget, len(candidates))
    return max(union(rows, chosen) for chosen in combinations(candidates, most))


def reference(rows: Rows, costs: list[float], budget: float, delta: float, epsilon: float) -> set[int]:
    """The algorithm by its definition, on sets."""
    chosen: list[int] = []
    checkpoint: list[int] = []
    affordable = [v for v in range(len(rows)) if costs[v] <= budget]
    for v in affordable:
        value = union(rows, chosen)
        added = union(rows, [*chosen, v]) - value
        if added > 0 and added >= delta * costs[v] * value / budget:
            chosen = [*chosen, v]
            if union(rows, chosen) * epsilon > len(rows) * union(rows, checkpoint):
                chosen = [w for w in chosen if w not in checkpoint]
                checkpoint = chosen
    return {*chosen, *([max(affordable, key=lambda v: len(rows[v]))] if affordable else [])}


@given(ROWS, st.integers(1, 9), DELTAS, FRACTIONS)
@settings(max_examples=150, deadline=None)
def test_the_pass_is_the_algorithm_as_defined(rows: Rows, budget: int, delta: float, epsilon: float) -> None:
    kept = quickprune(covering(rows), FREE, float(budget), delta, epsilon).tolist()
    assert len(set(kept)) == len(kept)
    assert set(kept) == reference(rows, [1.0] * len(rows), budget, delta, epsilon)


@given(ROWS, st.data(), DELTAS, FRACTIONS)
@settings(max_examples=100, deadline=None)
def test_a_dear_vertex_must_gain_more_and_one_beyond_the_budget_is_passed_over(
    rows: Rows, data: st.DataObject, delta: float, epsilon: float
) -> None:
    costs = data.draw(st.lists(st.floats(0.25, 4.0), min_size=len(rows), max_size=len(rows)))
    kept = quickprune(covering(rows), np.array(costs), 2.0, delta, epsilon).tolist()
    assert set(kept) == reference(rows, costs, 2.0, delta, epsilon)
    assert all(costs[v] <= 2.0 for v in kept)


@given(ROWS, st.integers(1, 4), DELTAS, FRACTIONS)
@settings(max_examples=150, deadline=None)
def test_few_vertices_are_kept_that_hold_a_share_of_the_optimum(
    rows: Rows, budget: int, delta: float, epsilon: float
) -> None:
    kept = quickprune(covering(rows), FREE, float(budget), delta, epsilon).tolist()
    assert len(kept) < 2 * (1 + budget / delta) * log(len(rows) / epsilon) + 3
    share = delta * (1 - epsilon) / (2 * (delta + 1) ** 2)
    assert best(rows, kept, budget) >= share * best(rows, list(range(len(rows))), budget)


@pytest.mark.parametrize(("epsilon", "kept"), [(0.2, [0, 1, 2]), (0.3, [1, 2])])
def test_a_checkpoint_is_dropped_once_the_value_exceeds_n_over_epsilon_times_its_own(
    epsilon: float, kept: list[int]
) -> None:
    rows = [{0}, {1}, set(range(2, 13))]  # the checkpoint {0} is worth 1 and all of it 13, between 3 / 0.3 and 3 / 0.2
    assert quickprune(covering(rows), FREE, 3.0, 0.1, epsilon).tolist() == kept


def test_the_bar_rises_by_the_degrees_that_reach_it() -> None:
    degrees = np.array([0, 3, 1, 2, 0, 9])
    # asked for half of what has joined: 3 joins at 0, 1 not at 1.5, 2 joins at 1.5, 9 joins at 2.5
    assert above_bar(degrees, 0.5, 1.0).tolist() == [False, True, False, False, False, True]
    assert above_bar(degrees, 0.5, 0.5).tolist() == [False, True, True, True, False, True]
    assert above_bar(np.array([2, 5, 5]), 0.5, 10.0).tolist() == [False, True, False]


def test_what_was_needed_counts_from_the_vertex_that_came_before() -> None:
    degrees, vertices, needed = np.array([0, 4, 2, 3]), np.array([1]), np.array([4.0])
    assert all_below(degrees, vertices, needed)
    assert not all_below(degrees, vertices, np.array([3.0]))
    assert not all_below(np.array([1, 4]), vertices, needed)  # nothing was needed yet
    assert all_below(np.array([0, 4]), vertices, needed)
