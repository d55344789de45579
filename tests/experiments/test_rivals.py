"""Table 1 beside the paper's, all pruners side by side, and the objectives of their own studies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lense.experiments import comparison
from lense.experiments.rivals import Published, Rivals
from lense.experiments.study import Cell, Study
from lense.graph import open_graph
from lense.paper import STUDY_PROBLEMS
from tests.experiments import tiny_paper


def test_a_pruner_that_is_missing_is_run_without_the_model_where_lense_is_done(results: Path) -> None:
    every, study, cell = Rivals(), tiny_paper.study(results), Cell(tiny_paper.SOURCE, 0, "top-degree")
    before = every.records(study)[cell.key]
    path = every.store(results).path
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines() if "top-degree" not in line))
    (results / "models").rename(results / "away")
    assert every.state(study, cell) == "not run"
    every.run(study)
    assert every.records(study)[cell.key].found.subgraph.ratio == before.found.subgraph.ratio
    assert not (results / "models").exists()


def test_another_size_of_lense_makes_those_that_got_it_outdated(results: Path) -> None:
    every, study = Rivals(), tiny_paper.study(results)
    lense = every.records(study)[Cell(tiny_paper.SOURCE, 0, "lense").key]
    figures = replace(lense.found, size={**lense.found.size, "steps": 7})
    every.store(results).keep(replace(lense, figures=figures))
    states = {name: every.state(study, Cell(tiny_paper.SOURCE, 0, name)) for name in tiny_paper.RIVALS}
    size = "outdated: LeNSE's size is another one"
    assert states == {"lense": "done", "degree-walk": size, "random-walk": size, "top-degree": "done"}


PRUNERS = ("quickprune", "top-roots")


@pytest.fixture
def published(tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(comparison, "all_pruners", lambda: PRUNERS)
    sources = tuple(Published().source("tiny", problem) for problem in STUDY_PROBLEMS)
    return Study(tmp_path, sources, (0,), tiny_paper.BUDGET, episodes=2)


def test_influence_has_the_probability_of_the_studies(published: Study) -> None:
    assert [source.text_options for source in published.sources] == [
        *({}, {}, {"model": "constant", "probability": "0.01"})
    ]
    case = Published.runner.case(Cell(published.sources[-1], 0))
    assert case.test.weights is not None
    assert set(case.test.weights.tolist()) == {float(np.float32(0.01))}
    assert Published.runner.case(Cell(published.sources[0], 0)).test.equals(open_graph("tiny"))  # all of it
    assert Published().source("tiny", "im", {"probability": "0.5"}).options["probability"] == "0.5"
