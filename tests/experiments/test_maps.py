"""The maps of all graphs and problems in one figure."""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from lense.experiments.maps import Maps
from lense.experiments.reproduce import reproduce
from lense.experiments.study import make_source
from lense.plots import draw_maps
from tests.experiments import tiny_paper


def test_each_model_of_the_first_seed_has_a_panel_and_graphs_without_one_are_named(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = []

    def drawn(*args: Any) -> Figure:
        figures.append(draw_maps(*args))
        return figures[-1]

    monkeypatch.setattr("lense.plots.draw_maps", drawn)
    sources = (make_source("tiny", "mvc"), make_source("tiny", "im"))
    made = reproduce(Maps(), replace(tiny_paper.study(results, 0, 1), sources=sources))
    assert {file.name for file in made.files} >= {"maps.pdf", "maps.png", "maps.csv"}
    with (results / "maps.csv").open() as file:
        rows = {(row["problem"], row["graph"]): row for row in csv.DictReader(file)}
    for problem in ("mvc", "im"):
        report = json.loads((results / "models" / f"tiny-{problem}-0" / "report.json").read_text())
        assert float(rows[problem, "tiny"]["order"]) == pytest.approx(report["encoder"]["order"])
    assert rows["mvc", "absent"]["note"].startswith("data not at hand")
    assert not (results / "models" / "tiny-im-1").exists()
    assert figures[0].legends[0].get_title().get_text() == "data not at hand: absent"


def test_without_models_there_is_no_figure(tiny: None, tmp_path: Path) -> None:
    made = Maps().make(tiny_paper.study(tmp_path))
    assert [file.suffix for file in made.files] == [".csv", ".md", ".tex"]


def test_the_figure_needs_the_results_alone_and_not_the_models(results: Path) -> None:
    study = tiny_paper.study(results)
    reproduce(Maps(), study)
    before = (results / "maps.pdf").read_bytes()
    (results / "maps.pdf").unlink()
    shutil.rmtree(results / "models" / "tiny-mvc-0")
    Maps().make(study)
    assert (results / "maps.pdf").read_bytes() == before
