"""What the page knows of a job from its events."""

import pytest

from lense.app import stages
from lense.app.stages import Stages


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(stages, "monotonic", lambda: now[0])
    return now


def test_a_stage_that_counts_says_how_much_is_done_and_how_long_the_rest_takes(clock: list[float]) -> None:
    known = Stages()
    known.take({"begin": 1, "name": "walking", "total": 10, "depth": 0})
    clock[0] += 4
    known.take({"at": 1, "done": 4, "note": "near"})
    (stage,) = known.as_list()
    assert (stage["share"], stage["left"], stage["note"], stage["is_done"]) == (0.4, 6.0, "near", False)


def test_a_stage_that_is_expected_to_last_says_what_is_left_of_that(clock: list[float]) -> None:
    known = Stages()
    known.take({"begin": 1, "name": "Solving", "total": None, "depth": 0, "seconds": 10.0})
    clock[0] += 4
    assert (known.as_list()[0]["share"], known.as_list()[0]["left"]) == (0.4, 6.0)
    clock[0] += 40
    assert (known.as_list()[0]["share"], known.as_list()[0]["left"]) == (0.95, 0.0)
    known.take({"end": 1})
    assert known.as_list()[0]["share"] == 1.0


def test_a_stage_of_which_nothing_is_known_says_so() -> None:
    known = Stages()
    known.take({"begin": 1, "name": "Reading", "total": None, "depth": 0})
    assert (known.as_list()[0]["share"], known.as_list()[0]["left"]) == (None, None)


def test_of_inner_stages_only_those_that_run_are_shown() -> None:
    known = Stages()
    for event in (
        {"begin": 1, "name": "a", "total": None, "depth": 0},
        {"begin": 2, "name": "b", "total": 1, "depth": 1},
    ):
        known.take(event)
    assert [one["name"] for one in known.as_list()] == ["a", "b"]
    known.take({"end": 2})
    assert [one["name"] for one in known.as_list()] == ["a"]


def test_thousands_of_small_stages_do_not_pile_up() -> None:
    known = Stages()
    known.take({"begin": 0, "name": "all", "total": None, "depth": 0})
    for number in range(1, 5000):
        known.take({"begin": number, "name": "one", "total": 1, "depth": 1})
        known.take({"end": number})
    assert len(known.known) <= 201
    assert [one["name"] for one in known.as_list()] == ["all"]


def test_the_end_is_an_error_or_done() -> None:
    known = Stages()
    known.take({"error": "No such file."})
    assert (known.error, known.is_done) == ("No such file.", False)
    known.take({"partial": [1]})
    known.take({"done": True})
    assert (known.partial, known.is_done) == ([1], True)
