"""Each switch at the paper's choice, alone and all together, and what changes."""

from pathlib import Path
from typing import Any

import pytest

from lense.experiments import reproduce
from lense.experiments.ablation import LITERAL, OURS, Ablation, AblationFigures
from lense.experiments.models import trainings
from lense.experiments.store import Measures
from lense.experiments.study import Cell
from lense.paper import PAPER_CHOICES
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
    ((_, headings, lines),) = ablation.make(study).tables
    assert headings[:2] == ("switch", "ratio")
    assert [line[0] for line in lines] == ["ours", "shaped = False", "literal"]
    assert lines[1][3] == "+0.000 ± 0.000"
    assert (tmp_path / "ablation.md").is_file()


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


def test_switches_are_the_settings_in_which_the_paper_chose_otherwise() -> None:
    changes, (switch, *_) = Ablation().changes, PAPER_CHOICES
    assert changes(switch) == {switch: PAPER_CHOICES[switch]}
    assert (changes(OURS), changes(LITERAL)) == ({}, {"preset": "literal"})
