"""The table of shipped models on graphs that none has seen."""

import re

import numpy as np
import pytest

from benchmarks import shipped
from lense.graph import power_law


def test_each_model_of_a_problem_has_a_line_with_a_figure_for_each_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    small = power_law(2000, 6, 2.3, np.random.default_rng(0))
    monkeypatch.setattr(shipped, "graphs", lambda problem: [problem.prepare(small)] * 2)
    monkeypatch.setattr(shipped, "MOST_WALKS", 1)
    known = [{"name": "facebook-mvc", "problem": "mvc"}, {"name": "deezer-im", "problem": "im"}]
    monkeypatch.setattr(shipped, "shipped_models", lambda: known)
    ((name, *figures),) = shipped.rows(["mvc"])
    assert name == "facebook-mvc"
    assert len(figures) == 2
    assert all(re.fullmatch(r"[01]\.\d{3} at \d+ / \d+", figure) for figure in figures)


def test_real_graphs_are_those_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "graph_files", lambda: {"deezer-RO": "", "other": ""})
    assert shipped.real_graphs() == ["deezer-RO"]
