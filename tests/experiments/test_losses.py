"""The losses of the encoder, with the maps side by side."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from lense.evaluation import evaluate
from lense.experiments.losses import TITLES, Losses
from lense.experiments.reproduce import reproduce
from lense.experiments.study import DEFAULT_LOSS, make_source, model_folder
from lense.paper import LOSS_RATIOS
from lense.plots import MapPanel, draw_maps
from lense.pruners import LeNSE, load
from lense.walking.settings import LOSS_NAMES
from tests.experiments import tiny_paper


def test_each_loss_has_a_model_a_ratio_and_a_map(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LOSS_RATIOS, ("mvc", "tiny"), {"infonce": 0.1, "cross-entropy": 0.2, "ordinal": 9.0})
    trained: list[str] = []
    fit = LeNSE.fit

    def counted(self: LeNSE, *args: object, **options: object) -> LeNSE:
        trained.append(str((self.settings or {}).get("loss")))
        return fit(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(LeNSE, "fit", counted)
    notes = {}

    def drawn(panels: Mapping[tuple[str, str], MapPanel], *args: Any) -> Figure:
        notes.update({loss: panel.note for (_, loss), panel in panels.items()})
        return draw_maps(panels, *args)

    monkeypatch.setattr("lense.plots.draw_maps", drawn)
    study, source = tiny_paper.study(results, 0), make_source("tiny", "mvc")
    made = reproduce(Losses(), study)
    assert trained == [loss for loss in LOSS_NAMES if loss != DEFAULT_LOSS]
    assert load(results / "models" / "tiny-mvc-0.ordinal").settings_.loss == "ordinal"
    with (results / "losses.csv").open() as file:
        row = next(csv.DictReader(file))
    assert list(row)[: 2 + len(LOSS_NAMES)] == ["problem", "graph", *(loss.replace("-", "_") for loss in LOSS_NAMES)]
    assert (row["infonce_mark"], row["ordinal_mark"], row["ordinal_seeds"]) == ("better", "worse", "1")
    assert {file.name for file in made.files} >= {"losses-tiny-mvc.pdf", "losses-tiny-mvc.png", "losses.tex"}
    for loss, title in TITLES.items():
        name = loss.replace("-", "_")
        assert notes[title] == f"ratio {float(row[name]):.3f} ± {float(row[f'{name}_stderr']):.3f}"
    pictured = (results / "losses-tiny-mvc.pdf").read_bytes()
    (results / "models").rename(results / "moved")
    Losses().make(study)
    (results / "moved").rename(results / "models")
    assert (results / "losses-tiny-mvc.pdf").read_bytes() == pictured
    for loss in ("infonce", "ordinal"):
        case = source.case(0)
        model = load(model_folder(study, source, 0, loss), problem=case.problem)
        ratios = evaluate(model, case.test, episodes=2, floors=False, prepared=True).ratios
        assert float(row[loss]) == pytest.approx(sum(ratios) / 2, abs=1e-4)
