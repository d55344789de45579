"""Table 1: LeNSE and its rivals between ceiling and floors, beside the paper's."""

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.experiments.rivals import Table1
from lense.experiments.study import Cell
from tests.experiments import tiny_paper


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


def test_figures_are_means_of_the_records(results: Path) -> None:
    table1, study = Table1(), tiny_paper.study(results, 0, 1)
    keys = [Cell(tiny_paper.SOURCE, seed, "lense").key for seed in (0, 1)]
    ratios = [table1.records(study)[key].found.subgraph.ratio for key in keys]
    assert float(table(results)[0]["ratio"]) == pytest.approx(np.mean(ratios), rel=1e-7)


def test_a_floor_has_a_column_as_soon_as_its_pruner_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Table1().variants[1:5] == ("lense", "gnn-r", "gnn-t", "gcomb-p")
    monkeypatch.setattr("lense.experiments.comparison.all_pruners", lambda: ("rank-walk", "other"))
    assert Table1().variants[5:] == ("rank-walk",)


def row(problem: str, graph: str, method: str, **figures: float | None) -> dict[str, Any]:
    """A row like those of the table, with the paper's figures as they stand there."""
    names = ("ratio", "ratio_stderr", "vertices_pruned_pct", "edges_pruned_pct")
    theirs = dict(zip((f"paper_{name}" for name in names), (0.968, 0.009, 7, 73), strict=True))
    shown = {"problem": problem, "graph": graph, "method": method, "mark": "equal", "note": "", "C": None}
    return {**shown, **dict.fromkeys(names), **theirs, "C_ceiling": None, **figures}


def shown(found: dict[str, Any]) -> tuple[str, ...]:
    """The row for people."""
    ((*_, (line,)),) = (Table1().table(tiny_paper.study(Path()), [found]),)
    return line


def test_people_see_figures_that_were_rounded_once() -> None:
    """0.96849 to four digits and then to three would be 0.969, and 45.496 to 45.5 and then to 46."""
    found = row("mvc", "wiki", "LeNSE", ratio=0.96849, vertices_pruned_pct=45.496, edges_pruned_pct=69.4999)
    assert shown(found)[3:8] == ("0.968 ≈", "45 / 69", "0.968 ± 0.009", "7 / 73", "–")


def test_over_five_points_fewer_pruned_than_in_the_paper_are_marked() -> None:
    for vertices, edges, mark in ((1.9, 80, " ▼"), (2.1, 80, ""), (50, 67, " ▼")):
        found = row("mvc", "wiki", "LeNSE", ratio=1.0, vertices_pruned_pct=vertices, edges_pruned_pct=edges)
        assert shown(found)[4].endswith(f"{edges:.0f}{mark}")


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
