"""The paper's table 1, from the pieces of comparisons."""

import csv
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.evaluation import Yardstick
from lense.experiments.compared import LESS, METHODS, cells, prunes_less, terminal_tables
from lense.experiments.marks import LEGEND
from lense.experiments.reproduce import reproduce
from lense.experiments.study import Cell, make_source
from lense.experiments.table1 import Table1
from lense.parts import subgraph
from lense.pruners import load
from tests.experiments import tiny_paper

PAPERS_COLUMNS = ["problem", "graph", "method", "ratio", "ratio_stderr", "vertices_pruned_pct", "edges_pruned_pct"]
SOURCE = make_source("tiny", "mvc")


def table(results: Path) -> list[dict[str, str]]:
    with (results / "table1.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_columns_begin_with_the_papers(results: Path) -> None:
    rows = table(results)
    assert list(rows[0])[:7] == PAPERS_COLUMNS
    assert [(row["graph"], row["method"]) for row in rows] == [
        (graph, method) for graph in ("tiny", "absent") for method in ("LeNSE", "GNN-R", "GNN-T", "GCOMB-P")
    ]


def test_ratios_are_means_over_seeds_of_means_over_starts(results: Path) -> None:
    """Against walks and heuristics run here."""
    ratios, pruned = [], []
    for seed in (0, 1):
        case = SOURCE.case(seed)
        model = load(results / "models" / f"tiny-mvc-{seed}", problem=case.problem)
        yardstick = Yardstick(case.problem, case.test, tiny_paper.BUDGET, seed=seed)
        parts = model.parts(case.test, episodes=2, seed=seed, prepared=True)
        measured = [yardstick.measure(part, i) for i, part in enumerate(parts)]
        ratios.append(np.mean([one.ratio for one in measured]))
        pruned.append(np.mean([one.vertices_pruned for one in measured]))
    row = table(results)[0]
    assert float(row["ratio"]) == pytest.approx(np.mean(ratios), abs=1e-4)
    assert float(row["ratio_stderr"]) == pytest.approx(np.std(ratios, ddof=1) / np.sqrt(2), abs=1e-4)
    assert float(row["vertices_pruned_pct"]) == pytest.approx(100 * np.mean(pruned), abs=0.01)
    assert row["seeds"] == "2"


def test_the_ceiling_is_the_subgraph_of_the_solution(results: Path) -> None:
    kept = []
    for seed in (0, 1):
        case = SOURCE.case(seed)
        best = Yardstick(case.problem, case.test, tiny_paper.BUDGET, seed=seed).best
        kept.append(subgraph(case.test, best.vertices).graph.num_edges / case.test.num_edges)
    row = table(results)[0]
    assert float(row["ceiling_ratio"]) == pytest.approx(1)
    assert float(row["ceiling_edges_pruned_pct"]) == pytest.approx(100 * (1 - np.mean(kept)), abs=0.01)


def test_the_papers_figures_and_a_mark_stand_beside_ours(results: Path) -> None:
    lense, ranked, *_ = table(results)
    assert (lense["paper_ratio"], lense["paper_ratio_stderr"]) == ("0.5", "0.001")
    assert lense["mark"] in ("better", "equal", "worse")
    assert (ranked["paper_ratio"], ranked["mark"]) == ("2", "worse")


def test_walks_that_learnt_nothing_are_floors_beside_every_row(results: Path) -> None:
    for row in table(results)[: len(METHODS)]:
        for floor in ("floor_degree", "floor_random"):
            assert 0 < float(row[f"{floor}_ratio"]) < 1.5
            assert 0 < float(row[f"{floor}_edges_pruned_pct"]) < 100


def test_a_row_without_data_says_so(results: Path) -> None:
    row = table(results)[4]
    assert (row["graph"], row["ratio"], row["note"]) == ("absent", "", "data not at hand: lense data get absent")
    assert "data not at hand" in (results / "table1.md").read_text()
    assert r"\multicolumn{12}{c}{data not at hand}" in (results / "table1.tex").read_text()


def test_what_is_done_is_not_done_again(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["lense.experiments.compare"], "compare", None)
    monkeypatch.setattr("lense.experiments.shared_models.shared_model", None)
    before = {path: path.stat().st_mtime_ns for path in results.rglob("pieces/*.json")}
    Table1().run(tiny_paper.study(results, 0, 1))
    assert {path: path.stat().st_mtime_ns for path in results.rglob("pieces/*.json")} == before


def test_pieces_of_a_comparison_are_used_wherever_they_come_from(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the ceiling is left to be measured where a comparison was run by itself."""
    for path in (results / "table1" / "pieces").iterdir():
        path.unlink()
    study = tiny_paper.study(results, 0, 1)
    assert Table1().state(study, Cell(SOURCE, 0)).text == "not run: ceiling"
    monkeypatch.setattr(sys.modules["lense.experiments.compare"], "compare", None)
    Table1().run(study)
    assert Table1().state(study, Cell(SOURCE, 0)).text == "done"


def test_one_piece_that_is_missing_is_told_and_run_again(results: Path) -> None:
    study, piece = tiny_paper.study(results, 0), results / "rivals" / "tiny-mvc" / "pieces" / "gnn-t.0.json"
    before = piece.read_text()
    piece.unlink()
    assert Table1().state(study, Cell(SOURCE, 0)).text == "not run: gnn-t"
    Table1().run(study)
    assert piece.read_text() != before
    assert Table1().state(study, Cell(SOURCE, 0)).text == "done"


def test_another_model_in_the_same_place_is_told(results: Path) -> None:
    models = results / "models"
    shutil.copytree(models / "tiny-mvc-1", models / "tiny-mvc-0", dirs_exist_ok=True)
    study = tiny_paper.study(results, 0, 1)
    assert Table1().state(study, Cell(SOURCE, 0)).text == "not run: the model is another one"
    assert Table1().state(study, Cell(SOURCE, 1)).text == "done"


def test_a_training_that_fails_is_told(tiny: None, tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path, settings={**tiny_paper.SETTINGS, "roots": 1})
    made = reproduce(Table1(), study)
    assert Table1().state(study, Cell(SOURCE, 0)).text.startswith("failed: The setting roots must lie")
    assert made.tables[0][2] == [("tiny", "", "failed", "", "", "")]
    assert "The setting roots must lie" in table(tmp_path)[0]["note"]


def test_it_has_a_row_for_each_pruner_of_the_paper_and_runs_the_floors_too() -> None:
    assert Table1().listed() == tuple(METHODS)
    assert Table1().pruners() == (*METHODS, "random-walk", "degree-walk")


@pytest.mark.parametrize(
    ("ours", "paper", "less"),
    [((45.0, 66.0), (50, 71), False), ((44.9, 80.0), (50, 71), True), ((60.0, 65.9), (50, 71), True)],
)
def test_a_row_that_prunes_over_5_points_less_than_the_papers_is_marked(
    ours: tuple[float, float], paper: tuple[int, int], less: bool
) -> None:
    names = ("vertices_pruned_pct", "edges_pruned_pct")
    theirs = dict(zip((f"paper_{name}" for name in names), paper, strict=True))
    assert prunes_less({**dict(zip(names, ours, strict=True)), **theirs}) == less
    assert not prunes_less({**dict.fromkeys(names), **theirs})


def row(problem: str, graph: str, method: str, **figures: float | None) -> dict[str, Any]:
    """A row like those of the table, with the paper's figures as they stand there."""
    names = ("ratio", "ratio_stderr", "vertices_pruned_pct", "edges_pruned_pct")
    theirs = dict(zip((f"paper_{name}" for name in names), (0.968, 0.009, 7, 73), strict=True))
    shown = {"problem": problem, "graph": graph, "method": method, "mark": "equal", "note": "", "C": None}
    return {**shown, **dict.fromkeys(names), **theirs, "C_ceiling": None, **figures}


def test_people_see_figures_that_were_rounded_once() -> None:
    """0.96849 to four digits and then to three would be 0.969, and 45.496 to 45.5 and then to 46."""
    shown = cells(row("mvc", "wiki", "LeNSE", ratio=0.96849, vertices_pruned_pct=45.496, edges_pruned_pct=69.4999))
    assert shown[3:5] == ("0.968 ≈", "45 / 69")


def test_the_file_has_the_figures_unrounded(results: Path) -> None:
    study = tiny_paper.study(results, 0, 1)
    ratios = [
        np.mean([part["ratio"] for part in record["subgraph"]])
        for record in Table1().records(study, SOURCE)
        if record["pruner"] == "lense"
    ]
    assert float(table(results)[0]["ratio"]) == pytest.approx(np.mean(ratios), rel=1e-9)


def test_a_terminal_shows_what_was_asked_for_and_the_files_all(results: Path) -> None:
    made = Table1().make(tiny_paper.study(results, 0, 1))
    ((title, headings, lines),) = made.tables
    assert title == "Table 1: mvc"
    assert headings == ("graph", "method", "ratio", "P_V / P_E", "paper", "P_V / P_E")
    assert [line[:2] for line in lines] == [("tiny", "LeNSE"), ("", "GNN-R"), ("", "GNN-T"), ("", "GCOMB-P")]
    assert {row["graph"] for row in table(results)} == {"tiny", "absent"}
    assert {LEGEND, LESS} <= set(made.notes)


def test_a_terminal_has_a_table_for_each_problem_and_a_line_for_a_graph_without_figures() -> None:
    known = {"ratio": 0.9, "ratio_stderr": 0.01, "vertices_pruned_pct": 1.0, "edges_pruned_pct": 80.0}
    rows = [row(problem, "wiki", method, **known) for problem in ("mvc", "im") for method in ("LeNSE", "GNN-R")]
    rows += [{**row("im", "talk", method), "note": "data not at hand: get it"} for method in ("LeNSE", "GNN-R")]
    covers, spreads = terminal_tables("Table 1", rows)
    assert (covers[0], spreads[0]) == ("Table 1: mvc", "Table 1: im")
    assert covers[2][0] == ("wiki", "LeNSE", "≈ 0.900 ± 0.010", "▼ 1 / 80", "0.968", "7 / 73")
    assert spreads[2][2:] == [("talk", "", "no data", "", "", "")]


def columns_of(line: str) -> int:
    """How many columns a line of a tabular fills."""
    cells = line.removesuffix(r" \\").split(" & ")
    return sum(int(found[1]) if (found := re.match(r"\\multicolumn{(\d+)}", cell)) else 1 for cell in cells)


def test_in_print_each_problem_has_a_tabular_whose_lines_fill_its_columns(results: Path) -> None:
    tabulars = re.findall(
        r"\\begin{tabular}{(\w+)}\n(.*?)\\end{tabular}", (results / "table1.tex").read_text(), re.DOTALL
    )
    assert [columns for columns, _ in tabulars] == ["ll" + 12 * "r", "l" + 12 * "r"]
    for columns, body in tabulars:
        lines = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert {columns_of(line) for line in lines} == {len(columns)}
    (_, compared), (_, framed) = tabulars
    for title in (r"\multicolumn{3}{c}{LeNSE}", "Max Vertex Cover", "tiny & ours", " & paper & 0.500 (0.001) & 30"):
        assert title in compared
    assert "Ceiling" in framed
