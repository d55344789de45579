"""What work on a graph costs, measured on a sample of it."""

from time import sleep

import numpy as np
import pytest
from numba.core import event

from lense.graph import power_law
from lense.problems import get_problem
from lense.solving import costs


def test_a_first_run_that_compiles_for_long_is_not_taken_for_slow_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_LONG", 0.1)
    runs: list[None] = []

    def work() -> int:
        if not runs:
            with event.trigger_event("numba:compile"):
                sleep(0.2)
        runs.append(None)
        return len(runs)

    result, cost = costs._measured(work, 10.0)
    assert result == 2
    assert cost.seconds < 5.0


def test_slow_work_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_LONG", 0.0)
    runs: list[None] = []
    costs._measured(lambda: runs.append(None), 1.0)
    assert len(runs) == 1


def test_what_a_problem_knows_of_its_heuristic_is_what_advice_says_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_SAMPLE", 2000)
    problem = get_problem("im")
    graph = problem.prepare(power_law(2000, 6, 2.3, np.random.default_rng(1)))
    given, to_come = (costs.measured_costs(problem, graph, 5, size)["solve"] for size in (None, (2000, 50_000)))
    assert given.seconds == problem.seconds(graph, 5)
    assert to_come.seconds != given.seconds
