"""How many roots meet a target, and how sure that is, by hand."""

import numpy as np
import pytest

from lense.pruners.calibration import GRID, Calibration

LOW = [0.80, 0.90, 0.95, 0.97, 0.98, 0.99, 1.0]
HIGH = [0.90, 0.95, 1.00, 1.00, 1.00, 1.00, 1.0]


def test_the_fewest_roots_that_meet_the_target_surely_enough() -> None:
    known = Calibration.of([LOW, HIGH, HIGH], [100, 100, 100])
    found = known.smallest(100, target=0.97, confidence=0.8)
    assert (found.roots, GRID[3]) == (111, 1.1)  # 1.1 x 100, rounded up
    assert found.ratio == pytest.approx((0.97 + 1 + 1) / 3)
    assert found.confidence == pytest.approx((3 + 0.5) / 4)
    assert known.smallest(100, target=0.97, confidence=0.6).roots == 100


def test_the_numbers_of_roots_that_are_tried_are_these_budgets() -> None:
    rising = Calibration.of([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]], [1000])
    roots = [rising.smallest(1000, target, confidence=0.75).roots for target in rising.ratios[0]]
    assert roots == [800, 900, 1000, 1100, 1250, 1500, 2000]


def test_a_confidence_that_is_just_reached_is_enough() -> None:
    known = Calibration.of([LOW, HIGH, HIGH], [100, 100, 100])
    assert known.smallest(100, target=0.97, confidence=0.875).roots == 111
    assert known.smallest(100, target=0.95, confidence=0.625).roots == 90


def test_where_none_are_sure_enough_the_surest_are_taken_and_that_is_said() -> None:
    found = Calibration.of([LOW, LOW], [100, 100]).smallest(100, target=0.97, confidence=0.9)
    assert found.roots == 111
    assert found.confidence == pytest.approx(2.5 / 3)


def test_a_size_of_ones_own_is_interpolated() -> None:
    found = Calibration.of([LOW], [100]).of_size(100, target=0.95, roots=95)
    assert found.roots == 95
    assert found.ratio == pytest.approx(0.925)
    assert found.confidence == pytest.approx((0.25 + 0.75) / 2)


def test_only_graphs_solved_with_a_budget_like_it_count() -> None:
    known = Calibration.of([LOW, HIGH], [10, 1000])
    assert known.smallest(20, 0.95, 0.7).ratio == 0.95
    assert known.smallest(500, 0.95, 0.7).ratio == 0.95
    assert known.smallest(500, 0.95, 0.7).roots == 450


def test_for_a_budget_unlike_all_others_nothing_is_known_and_the_most_roots_are_taken() -> None:
    known = Calibration.of([HIGH, LOW], [10, 1000])
    assert known.applies(3500)
    assert known.applies(1000 / 3.5)
    assert not known.applies(3501)
    assert not known.applies(1000 / 3.501)
    found = known.smallest(100_000, 0.95, 0.4)
    assert (found.roots, found.ratio, found.confidence) == (200_000, 1.0, 0.5)


def test_two_calibrations_count_half_each_however_many_graphs_they_have() -> None:
    both = Calibration.of([LOW], [100]).together(Calibration.of([HIGH] * 3, [100] * 3))
    assert both.shares.tolist() == [0.5, 1 / 6, 1 / 6, 1 / 6]
    assert both.of_size(100, 0.95, 100).ratio == pytest.approx(0.975)


@pytest.mark.parametrize(
    "change",
    [
        {"ratios": np.ones((3, 7))},
        {"ratios": np.ones((2, 6))},
        {"ratios": np.ones(14)},
        {"ratios": np.array([LOW, [*HIGH[1:], np.inf]])},
        {"ratios": np.empty((0, 7)), "budgets": np.empty(0), "shares": np.empty(0)},
        {"budgets": np.ones(3)},
        {"budgets": np.array([1.0, 0.0])},
        {"budgets": np.array([-1.0, 1.0])},
        {"budgets": np.array([1.0, np.inf])},
        {"shares": np.ones(3)},
        {"shares": np.ones((1, 2))},
        {"budgets": np.ones((2, 1))},
        {"shares": np.array([1.0, 0.0])},
        {"shares": np.array([np.nan, 1.0])},
        {"described": np.ones((2, 3))},
    ],
)
def test_arrays_of_something_else_are_refused(change: dict[str, np.ndarray]) -> None:
    arrays = Calibration.of([LOW, HIGH], [100, 100]).arrays()
    assert Calibration.from_arrays(arrays).arrays().keys() == arrays.keys()
    with pytest.raises(ValueError, match=r"ratio"):
        Calibration.from_arrays({**arrays, **change})


LOOKS = np.array([[0.3, 0.2, 0.0, 0.0], [0.6, 0.4, 0.0, 0.0]])


def test_for_a_graph_that_looks_like_none_of_them_the_most_roots_are_taken_and_that_is_said() -> None:
    known = Calibration.of([HIGH, HIGH], [100, 100], LOOKS)
    assert known.smallest(100, 0.95, 0.8, LOOKS[0]) == known.smallest(100, 0.95, 0.8)
    assert known.smallest(100, 0.95, 0.8).unlike == ""
    found = known.smallest(100, 0.95, 0.8, np.array([0.9, 0.3, 0.0, 0.0]))
    assert (found.roots, found.confidence) == (200, 0.5)
    assert found.unlike == (
        "the graph is unlike those that sizes were learnt on (fewer of its edges are at the largest vertices)"
    )
    assert known.smallest(9000, 0.95, 0.8, np.array([0.9, 0.3, 0.0, 0.0])).unlike == (
        f"nothing is known of budgets like this one and {found.unlike}"
    )
    assert known.for_any_graph().smallest(100, 0.95, 0.8, np.array([0.9, 0.3, 0.0, 0.0])).unlike == ""


def test_what_graphs_look_like_is_kept_and_two_calibrations_know_all_of_it() -> None:
    known = Calibration.of([HIGH, HIGH], [100, 100], LOOKS)
    assert Calibration.from_arrays(known.arrays()).described.tolist() == LOOKS.tolist()
    assert known.together(known).described.shape == (4, 4)
    grid = np.array([1.0, 0.3, 0.0, 0.0])
    assert known.unlike(100, grid)
    assert not known.also_for(grid).unlike(100, grid)
