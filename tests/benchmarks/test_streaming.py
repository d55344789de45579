"""What the benchmark of streaming measures and compares."""

import json
from pathlib import Path

import pytest

from benchmarks import streaming
from benchmarks.streaming import Measured, Spent, run


def test_times_are_without_the_start_of_the_program() -> None:
    startups = Spent(1.0, 0.5, 10), Spent(2.0, 1.0, 20)
    found = Measured(10, 9, 5, 1.0, startups[1], startups[0], None, Spent(3.0, 1.5, 30), Spent(12.0, 5.0, 40))
    assert (found.passes, found.passes_by_clock) == (4.0, 5.0)


def test_a_process_is_measured_and_its_failure_ends_the_run() -> None:
    spent = run("print('x' * 3)")
    assert spent.output == "xxx\n"
    assert spent.peak > 10**6
    assert spent.wall > 0
    with pytest.raises(SystemExit, match="ended with status 3"):
        run("raise SystemExit(3)")


def test_an_answer_that_differs_from_that_of_memory_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ("vertices", "score", "lower_bound", "upper_bound", "certified", "graph", "options", "details")
    answer = dict.fromkeys(keys, 1)
    monkeypatch.setattr(streaming, "run", lambda *_: Spent(0, 0, 0, json.dumps(answer)))
    streaming.check_memory_agrees(Path("g"), answer)
    with pytest.raises(SystemExit, match="the score of the stream is 2, and that of memory 1"):
        streaming.check_memory_agrees(Path("g"), {**answer, "score": 2})
