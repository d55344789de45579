"""Smaller budgets on the subgraphs that were found for a large one."""

from pathlib import Path

import pytest

from lense import paper
from lense.evaluation import Yardstick
from lense.experiments import reproduce
from lense.experiments.budgets import Budgets
from lense.experiments.models import SharedModel
from tests.experiments import tiny_paper


def test_every_budget_up_to_that_of_the_study_has_a_column(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lense.experiments.budgets.BUDGETS", (1, 4, 100))
    monkeypatch.setitem(paper.MULTI_BUDGET, ("mvc", "tiny"), (1.0, 0.1, 0.2))
    study = tiny_paper.study(results, 0, 1)
    made = reproduce(Budgets(), study)
    ((_, headings, lines),) = made.tables
    assert headings == ("graph", "b = 1", "b = 4", "b = 8")
    assert lines[1] == ("  paper", "1.00", "0.10", "–")
    assert lines[0][2].startswith("▲ ")
    case, parts = tiny_paper.SOURCE.case(0), SharedModel(study, tiny_paper.SOURCE, 0).parts()
    yardstick = Yardstick(case.problem, case.test, 4, seed=0)
    ours = Budgets().done(study, tiny_paper.SOURCE)[0].budgets[1]
    assert (ours.budget, ours.ratios) == (4, [yardstick.ratio(part, i) for i, part in enumerate(parts)])
