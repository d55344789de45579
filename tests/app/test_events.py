"""What a job says while it runs."""

import io
import json
from typing import Any

import pytest

from lense.app import events
from lense.app.events import Events


def lines(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_stages_and_tasks_within_them_are_said_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_LEAST_SECONDS", 0.0)
    out = io.StringIO()
    says = Events(out)
    with says.stage("Solving", 3.5), says.task("walking", 10) as advance:
        advance(4, note="near")
        advance(1)
    assert lines(out) == [
        {"begin": 1, "name": "Solving", "total": None, "depth": 0, "seconds": 3.5},
        {"begin": 2, "name": "walking", "total": 10, "depth": 1},
        {"at": 2, "done": 4.0, "note": "near"},
        {"at": 2, "done": 5.0, "note": "near"},
        {"end": 2},
        {"end": 1},
    ]


def test_many_steps_in_a_moment_are_one_line_at_most() -> None:
    out = io.StringIO()
    with Events(out).task("counting", 1000) as advance:
        for _ in range(1000):
            advance(1)
    assert len(lines(out)) <= 4
