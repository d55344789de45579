"""The pruners of later studies on their own objectives: whole graphs, ground sets, and the published means beside."""

import csv
from pathlib import Path

import numpy as np
import pytest

from lense.experiments import Study, reproduce
from lense.experiments import published as module
from lense.experiments.published import Published
from lense.experiments.study import Cell
from lense.graph import open_graph
from lense.paper import PUBLISHED, PUBLISHED_C, STUDY_PROBLEMS
from tests.experiments import tiny_paper

PRUNERS = ("quickprune", "top-roots")


@pytest.fixture
def study(tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(module, "all_pruners", lambda: PRUNERS)
    sources = tuple(Published().source("tiny", problem) for problem in STUDY_PROBLEMS)
    return Study(tmp_path, sources, (0,), tiny_paper.BUDGET, episodes=2)


def test_influence_has_the_probability_of_the_studies(study: Study) -> None:
    assert [source.text_options for source in study.sources] == [
        *({}, {}, {"model": "constant", "probability": "0.01"})
    ]
    test = Published().case(Cell(study.sources[-1], 0)).test
    assert test.weights is not None
    assert set(test.weights.tolist()) == {float(np.float32(0.01))}
    assert Published().source("tiny", "im", {"probability": "0.5"}).options["probability"] == "0.5"


def test_the_whole_graph_is_pruned_and_the_train_side_learnt_from(study: Study) -> None:
    case = Published().case(Cell(study.sources[0], 0))
    assert case.test.equals(open_graph("tiny"))
    assert case.train.num_edges == tiny_paper.TRAIN_EDGES


def test_ratio_and_share_multiply_to_c_beside_the_published_means(study: Study) -> None:
    reproduce(Published(), study)
    with (study.out / "published.csv").open() as file:
        rows = {(row["problem"].partition("+")[0], row["graph"], row["pruner"]): row for row in csv.DictReader(file)}
    for problem in STUDY_PROBLEMS:
        for pruner in PRUNERS:
            row = rows[problem, "tiny", pruner]
            assert float(row["C"]) == pytest.approx(float(row["ratio"]) * float(row["vertices_pruned"]))
    page = (study.out / "published.md").read_text()
    ratio, share = PUBLISHED["quickprune"][0]
    assert f"{PUBLISHED_C['quickprune'][0]:.3f} ({ratio:.3f} x {share:.3f})" in page
    assert "data not at hand" in page


def test_what_is_not_run_is_said(study: Study) -> None:
    page = "\n".join(Published().more(study))
    assert "| quickprune | not run | 0.980" in page


def test_published_products_are_those_of_the_published_means() -> None:
    for name, means in PUBLISHED.items():
        assert PUBLISHED_C[name] == pytest.approx([ratio * share for ratio, share in means], abs=0.002)
