"""``lense demo``: everything at work, with no data and no network."""

from pathlib import Path

import pytest

from tests.conftest import Command


def test_all_three_problems_are_pruned_solved_and_compared(
    lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LENSE_DATA", raising=False)
    picture = tmp_path / "walk.png"
    rows = lense("demo", "--vertices", 900, "--budget", 10, "--picture", picture, "--json").json
    assert picture.read_bytes().startswith(b"\x89PNG")
    for problem in ("mvc", "bmc", "im"):
        whole, walked, largest = (row for row in rows if row["problem"] == problem)
        assert (whole["where"], walked["where"]) == ("whole graph", "LeNSE")
        assert largest["where"].endswith("largest")
        assert (whole["ratio"], whole["vertices_pruned"]) == (1.0, 0.0)
        for row in (walked, largest):
            assert row["ratio"] == pytest.approx(row["score"] / whole["score"])
            assert 0 < row["edges_pruned"] < 1
        assert walked["walk_seconds"] > 0


def test_people_get_a_table_and_see_where_the_picture_is(
    lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = lense("demo", "--vertices", 900, "--budget", 10).out
    assert "lense-demo.png" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["lense-demo.png"]
