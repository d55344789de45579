"""How many roots meet a target, and how sure that is, by hand."""

from math import log

import numpy as np
import pytest

from benchmarks.kinds import HEAVY_WEIGHTS, OTHERS, WITH_HUBS
from lense.graph import graph_files, open_graph
from lense.problems import get_problem
from lense.pruners.calibration import GRID, NAMES, Calibration, describe_values, differences
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from tests.skips import NO_DATA

LOW = [0.80, 0.90, 0.95, 0.97, 0.98, 0.99, 1.0]
HIGH = [0.90, 0.95, 1.00, 1.00, 1.00, 1.00, 1.0]


def test_the_fewest_roots_that_meet_the_target_surely_enough() -> None:
    known = Calibration.of([LOW, HIGH, HIGH], [100, 100, 100])
    found = known.smallest(100, target=0.97, confidence=0.8)
    assert (found.roots, GRID[3]) == (111, 1.1)  # 1.1 x 100, rounded up
    assert found.ratio == pytest.approx((0.97 + 1 + 1) / 3)
    assert found.confidence == pytest.approx((3 + 0.5) / 4)
    assert known.smallest(100, target=0.97, confidence=0.6).roots == 100


def test_where_none_are_sure_enough_the_most_of_the_surest_are_taken_and_that_is_said() -> None:
    known = Calibration.of([LOW, LOW], [100, 100])
    found = known.smallest(100, target=0.97, confidence=0.9)
    assert found.roots == GRID[-1] * 100
    assert found.confidence == pytest.approx(2.5 / 3)
    assert known.smallest(100, target=1.01, confidence=0.9).roots == GRID[-1] * 100


def test_a_size_of_ones_own_is_interpolated() -> None:
    found = Calibration.of([LOW], [100]).of_size(100, target=0.95, roots=95)
    assert found.roots == 95
    assert found.ratio == pytest.approx(0.925)
    assert found.confidence == pytest.approx((0.25 + 0.75) / 2)


def test_only_graphs_solved_with_a_budget_like_it_count() -> None:
    known = Calibration.of([LOW, HIGH], [10, 1000])
    assert known.smallest(20, 0.95, 0.7).ratio == 0.95
    assert known.smallest(500, 0.95, 0.7).ratio == 0.95
    assert known.smallest(500, 0.95, 0.7).roots == 500


def test_for_a_budget_unlike_all_others_nothing_is_known_and_the_most_roots_are_taken() -> None:
    known = Calibration.of([HIGH, LOW], [10, 1000])
    assert [bool(known.unlike(budget)) for budget in (3500, 1000 / 3.5, 3501, 1000 / 3.501)] == [False] * 2 + [True] * 2
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


def test_what_graphs_look_like_is_kept_and_two_calibrations_know_all_of_it() -> None:
    known = Calibration.of([HIGH, HIGH], [100, 100], LOOKS)
    assert Calibration.from_arrays(known.arrays()).described.tolist() == LOOKS.tolist()
    assert known.together(known).described.shape == (4, 4)
    grid = np.array([1.0, 0.3, 0.0, 0.0])
    assert known.unlike(100, grid)
    assert not known.also_for(grid).unlike(100, grid)


PROBLEMS = ("mvc", "bmc", "im", "domination")
ASIDE = [
    pytest.param(name, marks=pytest.mark.skipif(name not in graph_files(), reason=NO_DATA))
    for name in ("ca-GrQc", "ca-HepTh", "deezer-HU", "p2p-Gnutella31")
]
"""Graphs that no core learnt from."""


def core(problem: str, budget: int) -> Core:
    found = shipped_core(get_problem(problem))
    assert found is not None
    return found.set_params(budget=budget)


@pytest.mark.parametrize(
    ("values", "hubs", "largest"),
    [
        ([4] * 1000, 1, 0),
        ([99] * 10 + [1] * 990, log(2) / log(100), 0),  # ten of a thousand have half of the whole
        ([100] + [10] * 9 + [1] * 90, None, 1),
        ([99] + [1] * 99, None, log(99 / 1.98) / log(10)),  # the last of the budget is below the mean
    ],
)
def test_hubs_and_the_largest_are_described_by_their_shares(
    values: list[int], hubs: float | None, largest: float
) -> None:
    found = describe_values(np.array(values, float), 10)
    assert found[0] == pytest.approx(found[0] if hubs is None else hubs)
    assert found[1:] == pytest.approx([largest, 0, 0])


def test_weights_are_described_by_their_spread_and_chances_by_their_mean_too() -> None:
    values, weights = np.ones(4), np.array([0.1, 0.3], np.float32)
    *_, spread, scale = describe_values(values, 2, weights)
    assert (spread, scale) == pytest.approx((log(0.05 / 0.04), 0))
    assert describe_values(values, 2, weights, are_chances=True)[3] == pytest.approx(log(0.2))


def test_isolated_vertices_and_other_units_change_nothing() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.pareto(2, 500), rng.pareto(2, 900).astype(np.float32)
    expected = describe_values(values, 10, weights)
    assert describe_values(np.concatenate([np.zeros(300), 8 * values]), 10, 8 * weights) == pytest.approx(expected)


@pytest.mark.parametrize("values", [np.zeros(5), np.ones(1), np.array([0, 0, 3.0])])
def test_graphs_with_next_to_nothing_are_described_too(values: np.ndarray) -> None:
    assert np.isfinite(describe_values(values, 3, np.zeros(2, np.float32), are_chances=True)).all()


def test_differences_are_in_words_and_from_no_graph_there_are_none() -> None:
    known = np.array([[0.3, 0.2, 0, 0], [0.6, 0.4, 0, 0]])
    assert differences(np.array([0.62, 0.1, 0.5, -0.5]), known) == []
    assert differences(np.array([0.9, 2, 5, -5]), known) == [
        "fewer of its edges are at the largest vertices",
        "one vertex is far larger than the others",
        "its weights differ more",
        "its arcs have lower probabilities",
    ]
    assert differences(np.ones(len(NAMES)), np.empty((0, len(NAMES)))) == []


@pytest.mark.parametrize("kind", WITH_HUBS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_graphs_with_hubs_are_alike(problem: str, kind: str) -> None:
    made = get_problem(problem).prepare(WITH_HUBS[kind](3000, np.random.default_rng(1)).without_isolated())
    assert core(problem, 30).expected(made, prepared=True).unlike == ""


@pytest.mark.parametrize("kind", [*OTHERS, *HEAVY_WEIGHTS])
@pytest.mark.parametrize("problem", ["mvc", "bmc"])
def test_graphs_of_other_kinds_are_unlike_and_their_cores_are_larger(problem: str, kind: str) -> None:
    made = {**OTHERS, **HEAVY_WEIGHTS}[kind](3000, np.random.default_rng(1))
    pruner = core(problem, 30)
    said = pruner.expected(made)
    assert said.unlike.startswith("the graph is unlike those that sizes were learnt on")
    assert (said.roots, said.confidence) == (60, 0.5)
    assert pruner.prune(made).roots.size == 60
    assert pruner.set_params(size=33).expected(made)[0::2] == (33, 0.5)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", ASIDE)
def test_the_graphs_kept_aside_are_alike(name: str, problem: str) -> None:
    task = get_problem(problem)
    made = task.prepare(open_graph(name, arcs=task.uses_direction))
    assert [core(problem, budget).expected(made, prepared=True).unlike for budget in (10, 50, 100, 200)] == [""] * 4


def test_a_core_knows_what_its_train_graph_looks_like() -> None:
    train = WITH_HUBS["preferential attachment"](2000, np.random.default_rng(0))
    grid = OTHERS["grid"](4000, np.random.default_rng(0))
    on_grid = Core("mvc", 20).fit(OTHERS["grid"](2000, np.random.default_rng(0)))
    assert Core("mvc", 20).fit(train).expected(grid).unlike
    assert not on_grid.expected(grid).unlike
    assert np.isfinite(on_grid.calibration_.described).all()
