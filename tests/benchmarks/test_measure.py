import math
from itertools import groupby

import pytest

from benchmarks import measure
from benchmarks.measure import best_times, log_log_slope


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Makes the time, in seconds, what the first item of the list says."""
    now = [0.0]
    monkeypatch.setattr(measure, "perf_counter", lambda: now[0])
    monkeypatch.setattr(measure, "TURN", 5.0)
    return now


def test_sides_take_turns_and_a_quick_one_runs_more_often_in_each(clock: list[float]) -> None:
    ran = []

    def quick() -> None:
        ran.append("quick")
        clock[0] += 2.0

    def slow() -> None:
        ran.append("slow")
        clock[0] += 7.0

    assert best_times(2, quick, slow) == [2.0, 7.0]
    assert [(side, len(list(runs))) for side, runs in groupby(ran)] == [("quick", 3), ("slow", 1)] * 2


def test_another_clock_may_be_taken(clock: list[float]) -> None:
    worked = [0.0]

    def side() -> None:
        clock[0] += 9.0
        worked[0] += 6.0

    assert best_times(1, side, clock=lambda: worked[0]) == [6.0]


def test_the_least_time_of_all_turns_counts(clock: list[float]) -> None:
    lasting = iter([9.0, 6.0, 8.0])

    def side() -> None:
        clock[0] += next(lasting)

    assert best_times(3, side) == [6.0]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5])
def test_the_slope_of_a_power_law_is_its_exponent(exponent: float) -> None:
    sizes = [10.0**k for k in range(5, 9)]
    assert log_log_slope(sizes, [3.0 * size**exponent for size in sizes]) == pytest.approx(exponent)


def test_the_slope_weighs_every_size_alike() -> None:
    assert log_log_slope([1, 10, 100], [1, math.sqrt(10), 100]) == pytest.approx(1.0)
    assert log_log_slope([1, 10, 100], [1, 1, 10]) == pytest.approx(0.5)
