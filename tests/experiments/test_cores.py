"""The core on every graph: fitted where the paper has a train side, the one that ships elsewhere."""

import csv
from pathlib import Path

import numpy as np
import pytest

from lense.experiments import Study, reproduce
from lense.experiments.cores import Cores
from lense.experiments.study import Source
from lense.graph import power_law, write_graph
from tests.experiments import tiny_paper


@pytest.fixture
def study(tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    write_graph(power_law(300, 6, 2.3, np.random.default_rng(4)), tmp_path / "mine.npz")
    monkeypatch.setattr(Cores, "variants", ("4", "8"))
    sources = Source("tiny", "mvc"), Source(str(tmp_path / "mine.npz"), "mvc")
    return Study(tmp_path / "results", sources, (0,), tiny_paper.BUDGET)


def test_a_row_for_each_graph_and_budget_with_the_ceiling_beside(study: Study) -> None:
    made = reproduce(Cores(), study)
    with (study.out / "core.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["ratio"]]
    assert [(row["graph"], row["budget"]) for row in rows] == [
        (graph, budget) for graph in ("tiny", "mine") for budget in ("4", "8")
    ]
    for row in rows:
        assert float(row["ratio"]) >= 0.9
        assert int(float(row["roots"])) >= int(row["budget"])
    assert (study.out / "core-reliability.png") in made.files
    assert "met their target" in (study.out / "core.md").read_text()
