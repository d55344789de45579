"""A record is one line of JSON, and whoever reads it can rely on its type."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from lense.experiments.records import FaultError, Map, Measures, Record, as_line, checked, from_line


@dataclass(frozen=True)
class Pair:
    a: int
    b: float | None = None
    more: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Other:
    name: str


RECORD = Record(graph="wiki", problem="mvc", seed=0, budget=100, episodes=10, figures=Pair(1, 0.5))


def test_a_line_holds_all_that_is_not_as_by_default_in_a_fixed_order() -> None:
    line = as_line(RECORD)
    assert list(json.loads(line)) == ["graph", "problem", "seed", "budget", "episodes", "figures"]
    assert "\n" not in line
    assert from_line(line, Pair) == RECORD


def test_the_key_has_the_problem_with_its_options() -> None:
    with_options: Record[Pair] = Record(
        graph="wiki", problem="bmc", options={"solver": "mip"}, seed=2, budget=1, episodes=1
    )
    assert with_options.key == ("wiki", "bmc+solver-mip", 2, "")


@pytest.mark.parametrize(
    ("value", "hint", "fault"),
    [
        (1, float, ""),
        (1.5, int, "it is no whole number"),
        (True, float, "it is no number"),
        (float("nan"), float, "it is no number"),
        (10**400, float, "it is no number"),
        (None, float | None, ""),
        ("1", float | None, "it is no number"),
        ([1, [2]], list[float], "it[1] is no number"),
        ({"x": 1, "y": "2"}, dict[str, int], "it.y is no whole number"),
        ({"a": 1}, Pair, ""),
        ({}, Pair, "it.a is missing"),
        ({"a": 1, "c": 2}, Pair, "it has it.c, which nobody knows"),
        ({"a": 1, "more": [2]}, Pair, "it.more[0] is no text"),
        ({"a": "x"}, Other | Pair, "it.a is no whole number"),
        ({"name": "x"}, Pair | Other, ""),
        ([], Pair, "it is no record"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(value: Any, hint: Any, fault: str) -> None:
    if not fault:
        checked(value, hint, "it")
        return
    with pytest.raises(FaultError) as raised:
        checked(value, hint, "it")
    assert str(raised.value) == fault


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "it is not JSON"),
        ('{"seed": NaN}', "it is not JSON"),
        ("[]", "it is no record"),
        (as_line(RECORD).replace('"budget":100,', ""), "budget is missing"),
        (as_line(RECORD).replace('"a":1', '"a":"x"'), "figures.a is no whole number"),
        (as_line(RECORD).replace(',"figures":{"a":1,"b":0.5}', ""), "it needs either figures or an error"),
    ],
)
def test_a_line_that_is_no_record_is_refused(line: str, fault: str) -> None:
    with pytest.raises(FaultError) as raised:
        from_line(line, Pair)
    assert str(raised.value) == fault


def test_lists_that_belong_together_are_equally_long() -> None:
    with pytest.raises(FaultError, match="not equally long"):
        Measures([1.0], [0.5, 0.5], [0.5], [0.1])
    with pytest.raises(FaultError, match="not equally long"):
        Map([0.9], [1, 2], [[0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(FaultError, match="two coordinates"):
        Map([0.9], [1], [[0.0]], [0.0, 0.0])


def test_parts_that_could_not_be_solved_are_left_out_of_what_is_known() -> None:
    assert Measures([None, 0.5], [None, 0.1], [None, 0.2], [None, 1.0], ["No edges."]).known("ratio") == [0.5]
