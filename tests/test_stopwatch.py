"""Time that work took, compilation aside."""

from time import perf_counter, sleep

from numba import njit

from lense.stopwatch import Stopwatch


def test_it_measures_what_lies_between() -> None:
    with Stopwatch() as watch:
        sleep(0.05)
    assert 0.05 <= watch.seconds < 1


def test_compiling_does_not_count() -> None:
    @njit()
    def increase(x: int) -> int:
        return x + 1

    start = perf_counter()
    with Stopwatch() as watch:
        increase(1)
    assert watch.seconds < 0.5 * (perf_counter() - start)
