"""Smaller budgets on subgraphs found for a large one."""

import csv
from pathlib import Path

import numpy as np
import pytest

from lense.experiments.budgets import Budgets
from lense.experiments.reproduce import reproduce
from lense.experiments.study import Study, make_source
from lense.paper import BUDGETS, MULTI_BUDGET
from lense.parts.solving import solve_part
from lense.pruners import load
from tests.experiments import tiny_paper


def test_each_budget_is_measured_against_the_same_budget_on_the_whole_graph(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("budgets", "shapes"):
        monkeypatch.setattr(f"lense.experiments.{module}.BUDGETS", (1, 4, 100))
    monkeypatch.setitem(MULTI_BUDGET, ("mvc", "tiny"), (1.5, 0.1, 0.9))
    reproduce(Budgets(), tiny_paper.study(results, 0))
    with (results / "budgets.csv").open() as file:
        row, absent = csv.DictReader(file)
    assert list(row)[:5] == ["problem", "graph", "b1", "b4", "b8"]
    case = make_source("tiny", "mvc").case(0)
    parts = load(results / "models" / "tiny-mvc-0").parts(case.test, episodes=2, seed=0, prepared=True)
    for budget in (1, 4, 8):
        best = case.problem.solve(case.test, budget, np.random.default_rng(0), certify=False).score
        found = [solve_part(case.problem, case.test, part, budget, np.random.default_rng(0)).score for part in parts]
        assert float(row[f"b{budget}"]) == pytest.approx(np.mean(found) / best, abs=1e-4)
    assert (row["b1_mark"], row["b1_paper"], row["b4_mark"], row["b8_mark"]) == ("worse", "1.5", "better", "")
    assert (absent["b1"], absent["note"]) == ("", "data not at hand: lense data get absent")
    assert "▲ (0.10)" in (results / "budgets.md").read_text()


def test_the_papers_budgets_are_those_of_a_study_like_it() -> None:
    assert Budgets().budgets(Study(Path(), ())) == BUDGETS
    assert Budgets().pairs[0] == ("facebook", "mvc")
