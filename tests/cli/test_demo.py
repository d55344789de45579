"""``lense demo``: everything at work, with no data and no network."""

import pytest

from tests.conftest import Command


def test_all_three_problems_are_pruned_solved_and_compared(lense: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENSE_DATA", raising=False)
    assert "LeNSE" in lense("demo", "--vertices", 900, "--budget", 10).out
    rows = lense("demo", "--vertices", 900, "--budget", 10, "--json").json
    for problem in ("mvc", "bmc", "im"):
        whole, walked, largest = (row for row in rows if row["problem"] == problem)
        assert (whole["where"], walked["where"]) == ("whole graph", "LeNSE")
        assert largest["where"].endswith("largest")
        assert (whole["ratio"], whole["vertices_pruned"]) == (1.0, 0.0)
        for row in (walked, largest):
            assert row["ratio"] == pytest.approx(row["score"] / whole["score"])
            assert 0 < row["edges_pruned"] < 1
        assert walked["walk_seconds"] > 0
