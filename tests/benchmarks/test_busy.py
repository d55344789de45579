"""A command beside other work: what is compared with what."""

import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from benchmarks import busy
from lense.graph import power_law, read_graph, write_graph


def children() -> int:
    return len(psutil.Process().children())


def test_busy_processes_are_there_while_the_context_lasts() -> None:
    before = children()
    with busy.busy_processes(2):
        assert children() == before + 2
    assert children() == before


def test_they_end_where_something_fails() -> None:
    before = children()
    with pytest.raises(ArithmeticError), busy.busy_processes(1):
        raise ArithmeticError
    assert children() == before


def test_a_command_takes_turns_alone_and_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    before = children()

    def seconds(_command: object) -> float:
        seen.append(children() - before)
        return 1.0 + seen[-1]

    monkeypatch.setattr(busy, "_seconds", seconds)
    assert busy.times(["anything"], 2) == (1.0, 3.0)
    assert seen == [0, 0, 2, 0, 2]
    assert busy.slowdown(["anything"]) == 3.0


def test_a_rule_is_timed_at_solving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.npz"
    write_graph(power_law(2000, 6, 2.3, np.random.default_rng(0)), path)
    monkeypatch.setattr(busy, "graph_at_hand", lambda _folder: path)
    monkeypatch.setattr(busy, "OTHERS", 1)
    (row,) = busy.busy(quick=True, prunes=("--pruner", "top-degree"))
    assert row.what == "lense solve --pruner top-degree, mvc, deezer, b = 100"
    assert row.ratio is not None
    assert row.ratio > 0
    assert row.also.endswith("cores")


def test_a_command_that_fails_is_not_timed() -> None:
    with pytest.raises(Exception, match="returned non-zero exit status"):
        busy.slowdown([sys.executable, "-c", "raise SystemExit(2)"])


def test_where_deezer_is_not_at_hand_a_graph_of_its_size_is_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy, "graph_files", lambda: {"deezer": ""})
    assert busy.graph_at_hand(tmp_path) == "deezer"
    monkeypatch.setattr(busy, "graph_files", dict)
    graph = read_graph(busy.graph_at_hand(tmp_path))
    assert graph.num_vertices == 54_573
    assert 400_000 < graph.num_edges < 600_000
