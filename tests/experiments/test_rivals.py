"""All pruners side by side."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.experiments.compare import OneGraph
from lense.experiments.comparison import WHOLE
from lense.experiments.rivals import Rivals, side_by_side
from lense.experiments.store import Record
from lense.experiments.study import Cell, Source, Study
from lense.experiments.table1 import PaperComparison
from lense.paper import BUDGET
from tests.experiments import tiny_paper
from tests.experiments.test_compare import WHOLES, failed, record


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
    rivals, study, cell = Rivals(), tiny_paper.study(results), Cell(tiny_paper.SOURCE, 0, "top-degree")
    before = rivals.records(study)[cell.key]
    path = rivals.store(results).path
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines() if "top-degree" not in line))
    (results / "models").rename(results / "away")
    assert rivals.state(study, cell) == "not run"
    rivals.run(study)
    assert rivals.records(study)[cell.key].found.subgraph.ratio == before.found.subgraph.ratio
    assert not (results / "models").exists()


def test_another_size_of_lense_makes_those_that_got_it_outdated(results: Path) -> None:
    rivals, study = Rivals(), tiny_paper.study(results)
    lense = rivals.records(study)[Cell(tiny_paper.SOURCE, 0, "lense").key]
    figures = replace(lense.found, size={**lense.found.size, "steps": 7})
    rivals.store(results).keep(replace(lense, figures=figures))
    states = {name: rivals.state(study, Cell(tiny_paper.SOURCE, 0, name)) for name in tiny_paper.RIVALS}
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
    rivals = Rivals()
    monkeypatch.setattr("lense.experiments.table1.all_pruners", lambda: ("bounds", "top-degree"))
    study = Study(tmp_path, tuple(Source("wiki", problem) for problem in ("mvc", "im")), (0,), BUDGET, 2)
    cells = {(cell.source.problem, cell.variant) for cell in rivals.cells(study)}
    assert cells == {(problem, name) for problem in ("mvc", "im") for name in (WHOLE, "bounds", "top-degree")} - {
        ("im", "bounds")
    }
    assert {row["method"] for row in PaperComparison.rows(rivals, study) if row["problem"] == "im"} == {"top-degree"}
    assert rivals.more(study)[0] == "- left out, not being for im: bounds"
