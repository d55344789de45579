"""What work costs, by doing it: compiling does not count."""

from time import sleep

import numpy as np
import pytest
from numba.core import event

from lense.graph import power_law
from lense.problems import get_problem
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


def test_what_a_problem_knows_of_its_heuristic_is_what_advice_says_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_SAMPLE", 2000)
    problem, graph = get_problem("im"), power_law(2000, 6, 2.3, np.random.default_rng(1))
    at_hand, to_come = (estimate.estimate(problem, graph, 5, edges=edges) for edges in (None, 50_000))
    assert at_hand.costs["solve"].seconds == problem.seconds(problem.prepare(graph), 5)
    assert to_come.costs["solve"].seconds != at_hand.costs["solve"].seconds
