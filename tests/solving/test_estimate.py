"""What work costs, by doing it: compiling does not count."""

from time import sleep

import pytest
from numba.core import event

from lense.solving import estimate


def test_a_first_run_that_compiles_for_long_is_not_taken_for_slow_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_LONG", 0.5)
    runs: list[None] = []

    def work() -> int:
        if not runs:
            with event.trigger_event("numba:compile"):
                sleep(1.0)
        runs.append(None)
        return len(runs)

    result, cost = estimate._cost(work, 10.0)
    assert result == 2
    assert cost.seconds < 5.0


def test_slow_work_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_LONG", 0.0)
    runs: list[None] = []
    estimate._cost(lambda: runs.append(None), 1.0)
    assert len(runs) == 1
