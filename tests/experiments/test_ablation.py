"""LeNSE with each switch at the paper's choice, with each loss, and with smaller budgets."""

from pathlib import Path
from typing import Any

import pytest

from lense.evaluation import Yardstick
from lense.experiments import reproduce
from lense.experiments.ablation import LITERAL, OURS, Ablation, AblationFigures, Budgets
from lense.experiments.maps import Losses
from lense.experiments.store import Measures
from lense.experiments.study import Cell, SharedModel, trainings
from tests.experiments import tiny_paper

SOURCE = tiny_paper.SOURCE


def measured(ratio: float, edges: float) -> Measures:
    return Measures([ratio, ratio], [0.1, 0.1], [edges, edges], [1.0, 1.0])


@pytest.mark.usefixtures("tiny")
def test_rows_are_differences_to_ours_with_errors_over_graphs_problems_and_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lense.experiments.ablation.PAPER_CHOICES", {"shaped": False})
    study, ablation = tiny_paper.study(tmp_path, 0, 1), Ablation()
    records = [
        study.record(Cell(SOURCE, seed, variant), AblationFigures(measured(ratio, 0.7), measured(0.9, 0.6), 5.0))
        for seed, variant, ratio in ((0, OURS, 0.9), (1, OURS, 0.8), (0, "shaped", 0.8), (1, "shaped", 0.9))
    ]
    ablation.store(tmp_path).keep(*records)
    ours, shaped, literal = ablation.rows(study)
    assert (ours["ratio"], ours["cells"]) == (pytest.approx(0.85), 2)
    assert (shaped["ratio"], shaped["ratio_stderr"]) == (pytest.approx(0.0), pytest.approx(0.1))
    assert (shaped["train_edges"], shaped["train_ratio"], shaped["seconds"]) == (0.0, 0.0, 5.0)
    assert (literal["ratio"], literal["cells"]) == (None, 0)


def test_a_switch_is_trained_for_alone_and_ours_is_the_shared_model(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lense.experiments.ablation.PAPER_CHOICES", {"shaped": False})
    study = tiny_paper.study(results)
    reproduce(Ablation(), study)
    found = {record.variant: record.found for record in trainings(results).records().values() if record.seed == 0}
    assert set(found) == {"", "shaped-False", "preset-literal"}
    assert found["preset-literal"].preset == "literal"
    assert not found["shaped-False"].settings["shaped"]
    figures: dict[str, Any] = {name: Ablation().record(study, SOURCE, 0, name) for name in (OURS, "shaped", LITERAL)}
    assert figures[OURS].seconds is None
    assert figures["shaped"].seconds > 0
    assert all(0 < ratio <= 1.5 for one in figures.values() for ratio in one.train.known("ratio"))


def test_losses_differ_in_nothing_else(results: Path) -> None:
    study = tiny_paper.study(results, settings={**tiny_paper.SETTINGS})
    made = reproduce(Losses(), study)
    settings = {record.variant: record.found.settings for record in trainings(results).records().values()}
    ours = settings.pop("")
    assert ours["loss"] == "infonce"
    assert set(settings) == {f"loss-{loss}" for loss in Losses().variants if loss != "infonce"}
    for variant, its in settings.items():
        learnt = {"loss", "cutoffs", "test_steps"}  # the last two are what training came to
        assert {name for name in ours if its[name] != ours[name]} <= learnt
        assert variant == f"loss-{its['loss']}"
    ((_, _, lines),) = made.tables
    assert "–" not in lines[0]
    assert (results / "losses-tiny-mvc.png").is_file()


def test_every_budget_up_to_that_of_the_study_has_a_column(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lense.experiments.ablation.BUDGETS", (1, 4, 100))
    study = tiny_paper.study(results, 0, 1)
    made = reproduce(Budgets(), study)
    ((_, headings, _),) = made.tables
    assert headings[2:-1] == ("b = 1", "b = 4", "b = 8")
    case, parts = tiny_paper.SOURCE.case(0), SharedModel(study, tiny_paper.SOURCE, 0).parts()
    yardstick = Yardstick(case.problem, case.test, 4, seed=0)
    ours = Budgets().done(study, tiny_paper.SOURCE)[0].budgets[1]
    assert (ours.budget, ours.ratios) == (4, [yardstick.ratio(part, i) for i, part in enumerate(parts)])
