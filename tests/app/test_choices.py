"""What there is to choose from."""

from pathlib import Path

import pytest

from lense.app.choices import choices, expectations
from lense.errors import LenseError


def test_graphs_at_hand_problems_and_generators_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.csv").write_text("1,2\n")
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path / "none"))
    found = choices()
    assert [graph["name"] for graph in found["graphs"]] == ["mine"]
    problems = {problem["name"]: problem for problem in found["problems"]}
    assert {"mvc", "bmc", "im", "domination"} <= set(problems)
    assert problems["mvc"]["solvers"][0] == "greedy"
    assert [way["name"] for way in problems["mvc"]["ways"]][:3] == ["auto", "whole", "core"]
    assert "exact" not in [way["name"] for way in problems["im"]["ways"]]
    assert {one["name"] for one in found["generators"]} == {
        "power-law",
        "barabasi-albert",
        "planted-communities",
        "rmat",
    }


def test_a_higher_target_takes_more_roots_and_is_less_sure() -> None:
    low, high = (expectations("im", 100, target) for target in (0.95, 0.999))
    assert low["chosen"]["roots"] <= high["chosen"]["roots"]
    assert low["points"][0]["ratio"] == high["points"][0]["ratio"]
    assert low["points"][0]["sure"] >= high["points"][0]["sure"]


def test_a_problem_that_is_not_known_is_refused() -> None:
    with pytest.raises(LenseError, match="There is no problem"):
        expectations("chess", 10, 0.9)
