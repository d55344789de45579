"""Table 1 beside the paper's, all pruners side by side, and the objectives of their own studies."""

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.experiments import comparison, reproduce
from lense.experiments.comparison import OneGraph
from lense.experiments.rivals import Published, Rivals, Table1, side_by_side
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study
from lense.graph import open_graph
from lense.paper import PUBLISHED, PUBLISHED_C, STUDY_PROBLEMS
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


def table(results: Path) -> list[dict[str, str]]:
    with (results / "table1.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_file_has_the_papers_columns_first_and_every_row(results: Path) -> None:
    rows = table(results)
    assert [(row["graph"], row["method"]) for row in rows] == [
        (graph, method) for graph in ("tiny", "absent") for method in ("LeNSE", "GNN-R", "GNN-T", "GCOMB-P")
    ]
    lense, gnn = rows[:2]
    assert (lense["mark"], lense["paper_ratio"], gnn["mark"]) == ("better", "0.5", "worse")
    assert float(lense["ceiling_ratio"]) > 0.9
    assert all(lense[f"floor_{name}_ratio"] for name in ("random", "degree"))
    assert rows[4]["note"] == "data not at hand: lense data get absent"


def row(problem: str, graph: str, method: str, **figures: float | None) -> dict[str, Any]:
    """A row like those of the table, with the paper's figures as they stand there."""
    names = ("ratio", "ratio_stderr", "vertices_pruned_pct", "edges_pruned_pct")
    theirs = dict(zip((f"paper_{name}" for name in names), (0.968, 0.009, 7, 73), strict=True))
    shown = {"problem": problem, "graph": graph, "method": method, "mark": "equal", "note": "", "C": None}
    return {**shown, **dict.fromkeys(names), **theirs, "C_ceiling": None, **figures}


def test_a_terminal_has_a_table_for_each_problem(tmp_path: Path) -> None:
    known = {"ratio": 0.9, "ratio_stderr": 0.01, "vertices_pruned_pct": 1.0, "edges_pruned_pct": 80.0}
    rows = [row(problem, "wiki", method, **known) for problem in ("mvc", "im") for method in ("LeNSE", "GNN-R")]
    rows += [{**row("im", "talk", method), "note": "data not at hand: get it"} for method in ("LeNSE", "GNN-R")]
    covers, spreads = Table1().in_terminal(tiny_paper.study(tmp_path), rows)
    assert (covers[0], spreads[0]) == ("Table 1: mvc", "Table 1: im")
    assert covers[2][0] == ("wiki", "LeNSE", "0.900 ± 0.010 ≈", "1 / 80 ▼", "0.968 ± 0.009", "7 / 73")
    assert spreads[2][2] == ("talk", "LeNSE", "data not at hand", "–", "0.968 ± 0.009", "7 / 73")


def columns_of(line: str) -> int:
    """How many columns a line of a tabular fills."""
    cells = line.removesuffix(r" \\").split(" & ")
    return sum(int(found[1]) if (found := re.match(r"\\multicolumn{(\d+)}", cell)) else 1 for cell in cells)


def test_in_print_each_problem_has_a_tabular_whose_lines_fill_its_columns(results: Path) -> None:
    text = (results / "table1.tex").read_text()
    tabulars = re.findall(r"\\begin{tabular}{(\w+)}\n(.*?)\\end{tabular}", text, re.DOTALL)
    assert [columns for columns, _ in tabulars] == ["ll" + 12 * "r", "l" + 15 * "r"]
    for columns, body in tabulars:
        lines = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert {columns_of(line) for line in lines} == {len(columns)}
    (_, compared), (_, framed) = tabulars
    for title in (r"\multicolumn{3}{c}{LeNSE}", "Max Vertex Cover", "tiny & ours", " & paper & 0.500 (0.001) & 30"):
        assert title in compared
    assert "Ceiling" in framed
