"""Time that work took, compilation aside."""

import os
from pathlib import Path
from time import perf_counter, sleep

import pytest
from numba import njit

from lense._util import timing as stopwatch
from lense._util.timing import Stopwatch


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


@pytest.mark.skipif(not Path("/proc/thread-self/schedstat").exists(), reason="only Linux counts such waiting")
def test_what_other_programs_took_of_the_processor_does_not_count_as_undisturbed() -> None:
    own_core, cores = {min(os.sched_getaffinity(0))}, os.sched_getaffinity(0)
    os.sched_setaffinity(0, own_core)
    rival = os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", "while :; do :; done")
    try:
        with Stopwatch() as watch:
            while perf_counter() - watch._start < 0.5:
                pass
    finally:
        os.kill(rival, 9)
        os.waitpid(rival, 0)
        os.sched_setaffinity(0, cores)
    assert watch.undisturbed < 0.8 * watch.seconds


def test_waiting_before_and_after_the_work_does_not_count_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread may lose the processor at any line of the watch itself."""
    waited = [0.0]

    def disturbed() -> float:
        begun = perf_counter()
        sleep(0.02)
        waited[0] += perf_counter() - begun
        return waited[0]

    monkeypatch.setattr(stopwatch, "_delay", disturbed)
    with Stopwatch() as watch:
        sleep(0.05)
    assert watch.undisturbed >= 0.05


def test_sleep_is_no_disturbance_and_without_a_count_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopwatch, "_SCHEDULER", Path("no such file"))
    with Stopwatch() as watch:
        sleep(0.01)
    assert watch.undisturbed == watch.seconds
