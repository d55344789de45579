"""All pruners side by side, and on the objectives of their own studies."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.experiments import comparison, reproduce
from lense.experiments.comparison import WHOLE, OneGraph
from lense.experiments.rivals import Published, Rivals, side_by_side
from lense.experiments.store import Record
from lense.experiments.study import Cell, Source, Study
from lense.graph import open_graph
from lense.paper import BUDGET, PUBLISHED, PUBLISHED_C, STUDY_PROBLEMS
from tests.experiments import tiny_paper
from tests.experiments.records import WHOLES, failed, record


def test_each_graph_and_problem_has_a_figure_and_one_table_has_them_all(results: Path) -> None:
    assert {path.name for path in results.glob("rivals*")} == {
        *(f"rivals.{kind}" for kind in ("jsonl", "csv", "md")),
        *(f"rivals-tiny-mvc.{kind}" for kind in ("png", "pdf")),
    }
    with (results / "rivals.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["LeNSE", *tiny_paper.RIVALS[1:]]
    assert all(0 < float(row["C"]) <= float(row["C_ceiling"]) * 1.001 for row in rows)


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


def test_comparisons_stand_side_by_side() -> None:
    def one(graph: str, problem: str, *records: Record[Any]) -> OneGraph:
        return OneGraph([replace(one, graph=graph, problem=problem) for one in (*WHOLES, *records)])

    compared = (
        one("wiki", "im", record("lense", 0, (0.9, 0.5)), failed("gcn", 0)),
        one("wiki", "mvc", record("lense", 0, (0.8, 0.5)), record("gcn", 0, (1.0, 0.5))),
        one("facebook", "mvc", record("lense", 0, (0.6, 0.5)), record("gcn", 0, (1.0, 0.7))),
    )
    tables = side_by_side(compared)
    subgraphs, ground_sets, times = tables.values()
    assert [(title, headings) for title, headings, _ in subgraphs] == [
        ("mvc", ("pruner", "facebook", "wiki")),
        ("im", ("pruner", "wiki")),
    ]
    assert subgraphs[0][2][0] == ("lense", "0.600 at 50 / 25", "0.800 at 50 / 25")
    assert subgraphs[1][2] == [("lense", "0.900 at 50 / 25"), ("gcn", "failed")]
    assert ground_sets[0][2][0] == ("lense", "0.300 (0.600)", "0.400 (0.800)")
    assert times[1][2] == [("lense", "0.062"), ("gcn", "–")]


def test_a_pruner_has_no_cell_and_no_row_where_the_problem_is_not_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = Rivals()
    monkeypatch.setattr(comparison, "all_pruners", lambda: ("bounds", "top-degree"))
    study = Study(tmp_path, tuple(Source("wiki", problem) for problem in ("mvc", "im")), (0,), BUDGET, 2)
    cells = {(cell.source.problem, cell.variant) for cell in every.cells(study)}
    assert cells == {(problem, name) for problem in ("mvc", "im") for name in (WHOLE, "bounds", "top-degree")} - {
        ("im", "bounds")
    }
    assert every.more(study)[0] == "- left out, not being for im: bounds"


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
    test = Published.runner.case(Cell(published.sources[-1], 0)).test
    assert test.weights is not None
    assert set(test.weights.tolist()) == {float(np.float32(0.01))}
    assert Published().source("tiny", "im", {"probability": "0.5"}).options["probability"] == "0.5"


def test_the_whole_graph_is_pruned_and_the_train_side_learnt_from(published: Study) -> None:
    case = Published.runner.case(Cell(published.sources[0], 0))
    assert case.test.equals(open_graph("tiny"))
    assert case.train.num_edges == tiny_paper.TRAIN_EDGES


def test_ratio_and_share_multiply_to_c_beside_the_published_means(published: Study) -> None:
    reproduce(Published(), published)
    with (published.out / "published.csv").open() as file:
        rows = {(row["problem"].partition("+")[0], row["graph"], row["pruner"]): row for row in csv.DictReader(file)}
    for problem in STUDY_PROBLEMS:
        for pruner in PRUNERS:
            row = rows[problem, "tiny", pruner]
            assert float(row["C"]) == pytest.approx(float(row["ratio"]) * float(row["vertices_pruned"]))
    page = (published.out / "published.md").read_text()
    ratio, share = PUBLISHED["quickprune"][0]
    assert f"{PUBLISHED_C['quickprune'][0]:.3f} ({ratio:.3f} x {share:.3f})" in page
    assert "data not at hand" in page


def test_published_products_are_those_of_the_published_means() -> None:
    for name, means in PUBLISHED.items():
        assert PUBLISHED_C[name] == pytest.approx([ratio * share for ratio, share in means], abs=0.002)
