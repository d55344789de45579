"""The whole graph against the default: measurements, the file that they are kept in, and the rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import end_to_end
from benchmarks.end_to_end import HEADINGS, Store, cells, look_at, main, measured, missed, page, within
from benchmarks.end_to_end_cases import CASES
from lense.graph import power_law, write_graph
from tests.skips import NO_NETWORKX

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))


def record(way: str, seconds: float, score: float | None, **other: Any) -> dict[str, Any]:
    times = {"seconds": seconds, "processor_seconds": seconds / 2}
    names = {"graph": "g", "heuristic": "h", "budget": 100, "way": way, "limit": 60.0}
    return {**names, **times, "score": score, "reason": "why", **other}


DEFAULT, WHOLE = record("default", 2.0, 99.0), record("whole", 20.0, 100.0)
LATE = record("whole", 60.0, None)


@pytest.mark.parametrize("name", ["greedy", "bmc-mip-5", "plain-greedy", "simulated-celf"])
def test_a_measurement_has_times_a_score_and_a_reason(name: str, tmp_path: Path) -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    write_graph(GRAPH, tmp_path / "graph.txt")
    found = measured(str(tmp_path / "graph.txt"), name, 10, None)
    assert found["seconds"] > 0
    assert found["processor_seconds"] > 0
    assert found["score"] > 0
    assert found["reason"]
    assert name in CASES


def test_a_row_compares_times_and_scores() -> None:
    assert cells(DEFAULT, WHOLE) == ("g", "h", "20 s", "2 s", "10", "10", "0.9900", "why")
    assert cells(DEFAULT, LATE)[2:7] == ("> 60 s", "2 s", "> 30", "", "")
    assert cells({**LATE, "way": "default"}, WHOLE)[2:7] == ("20 s", "> 60 s", "", "", "")


def test_a_row_misses_the_aim_by_its_time_or_its_score() -> None:
    assert missed(DEFAULT, WHOLE) == []
    assert missed(record("default", 25.9, 98.5), WHOLE) == []
    assert missed(record("default", 26.1, 98.4), WHOLE) == ["time", "score"]
    assert missed(DEFAULT, LATE) == []
    assert missed({**LATE, "way": "default"}, WHOLE) == ["time"]


def test_an_interrupted_run_goes_on_with_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def counted(limit: float, *arguments: Any) -> dict[str, Any]:
        runs.append(arguments)
        return {"seconds": 1.0, "processor_seconds": 1.0, "score": 2.0, "reason": "why", "pruned": False}

    monkeypatch.setattr(end_to_end, "within", counted)
    store = Store(tmp_path / "store.jsonl")
    store.add(DEFAULT)
    look_at(store, "g", "h", 100, 60)
    assert runs == [("g", "h", 100, False)]
    again = Store(tmp_path / "store.jsonl")
    assert look_at(again, "g", "h", 100, 60)[0] == DEFAULT
    assert len(runs) == 1
    assert len((tmp_path / "store.jsonl").read_text().splitlines()) == 2
    assert len(list(again.pairs())) == 1


def test_what_passed_a_shorter_limit_is_measured_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.jsonl")
    store.add(LATE)
    assert store.get("g", "h", 100, "whole", 60.0) == LATE
    assert store.get("g", "h", 100, "whole", 61.0) is None


def test_the_page_has_a_line_for_each_row_and_says_how_many_miss() -> None:
    text = page([(DEFAULT, WHOLE), (record("default", 30.0, 99.0), WHOLE)])
    assert "2 rows: 1 miss the time, 0 miss the score." in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert all(row.count("|") == len(HEADINGS) + 1 for row in rows)


def test_the_limit_ends_a_measurement(tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "graph.txt")
    assert within(0.0, str(tmp_path / "graph.txt"), "greedy", 10, None)["score"] is None


def test_a_run_writes_the_file_and_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_graph(GRAPH, tmp_path / "graph.txt")
    monkeypatch.setattr(end_to_end, "within", lambda limit, *arguments: measured(*arguments))
    graph, kept = str(tmp_path / "graph.txt"), tmp_path / "store.jsonl"
    assert main(["--graphs", graph, "--heuristics", "greedy", "--budget", "5", "--store", str(kept)]) == 0
    ways = [json.loads(line)["way"] for line in kept.read_text().splitlines()]
    assert ways == ["default", "whole"]
    assert "1 rows: " in (tmp_path / "store.md").read_text()
