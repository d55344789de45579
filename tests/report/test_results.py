"""The page of results: its tables are those of the comparison."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.comparison import OneGraph
from lense.plots.fronts import PANELS
from lense.report import results_page
from lense.report.results import conclusion_section
from tests.experiments.records import failed, record, whole
from tests.report.pages import RECORDS, WHOLES, blocks, titles, write_comparison


def test_tables_fronts_failures_and_circumstances_are_those_of_the_comparison(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one")
    page, known = results_page(tmp_path), OneGraph([*RECORDS, *WHOLES])
    for block, (title, headings, lines) in zip(blocks(page, "table"), known.tables(), strict=True):
        assert (block["title"], tuple(block["columns"])) == (title, headings)
        assert [tuple(row) for row in block["rows"]] == lines
    (front,) = blocks(page, "fronts")
    for panel, (mode, share, title, _) in zip(front["panels"], PANELS, strict=True):
        assert panel["title"] == title
        assert {point["pruner"] for point in panel["points"]} == {"lense", "top-degree", "random"}
        for point in panel["points"]:
            row = known.by_pruner[point["pruner"]]
            names = {"share": share, "ratio": "ratio", "ratio_stderr": "ratio_stderr", "solve_seconds": "seconds"}
            assert {name: point[name] for name in names} == {name: row[mode][what] for name, what in names.items()}
            assert (point["front"], point["fit_seconds"]) == (row[mode]["front"][share], row["fit_seconds"])
            assert 0 <= point["x"] <= 1
            assert 0 <= point["error"][0] <= point["y"] <= point["error"][1] <= 1
            assert point["is_below"] is (point["ratio"] < 0.5)
    assert any("There is no such thing" in line for block in blocks(page, "text") for line in block["lines"])
    facts = dict(fact for block in blocks(page, "facts") for fact in block["facts"])
    assert [facts[name] for name in ("graph", "devices", "seeds")] == ["graph.txt", "cpu", "0, 1"]
    assert (facts["versions"], facts["machine"]) == ("lense 0.1.0, numpy 2.0", "platform Linux")


def test_a_comparison_that_still_runs_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}")
    with pytest.raises(LenseError, match="neither a model nor results"):
        results_page(tmp_path)
    write_comparison(tmp_path / "one", only=("whole-graph",))
    write_comparison(tmp_path / "two", only=("lense",))
    assert titles(results_page(tmp_path))[-2:] == ["mvc on graph.txt, budget 10"] * 2


def test_tables_of_the_paper_come_first_as_the_records_have_them(results: Path) -> None:
    page = results_page(results)
    assert titles(page)[:4] == ["Conclusion", "Table 1", "Models", "mvc on tiny, budget 8"]
    known, empty = blocks(page, "table")[:2]
    lines = [line for line in (results / "table1.md").read_text().splitlines() if line.startswith("|")]
    shown = [f"| {' | '.join(row)} |" for block in (known, empty) for row in block["rows"]]
    assert shown == lines[2:]
    assert (known["folded"], empty["folded"]) == (False, True)
    assert [{row[1] for row in block["rows"]} for block in (known, empty)] == [{"tiny"}, {"absent"}]
    assert "LeNSE reaches the paper's ratio" in blocks(page, "text")[0]["lines"][0]
    assert "▲ better" in blocks(page, "text")[1]["lines"][0]


def compared(graph: str, **points: tuple[float, float]) -> OneGraph:
    """Ratios and shares of vertices pruned of pruners on a graph; half as many edges are pruned."""
    records = [whole(50, 0.5), *(record(name, 0, point) for name, point in points.items()), failed("gcn", 0)]
    return OneGraph([replace(one, graph=graph) for one in records])


TWO = [
    compared("a", core=(1.0, 0.8), lense=(0.99, 0.6), random=(0.5, 0.9)),
    compared("b", core=(0.98, 0.8), lense=(0.98, 0.6), random=(0.4, 0.7)),
]


def table1(mark: str, edges: float) -> dict[str, Any]:
    ours = {"vertices_pruned_pct": 50.0, "edges_pruned_pct": edges}
    return {"method": "LeNSE", "mark": mark, **ours, "paper_vertices_pruned_pct": 50, "paper_edges_pruned_pct": 70}


def scaling(pruner: str, speed_up: float | None, ratio: float | None) -> dict[str, Any]:
    names = {"problem": "im", "graph": "wiki", "edges_pct": 60}
    return {**names, "pruner": pruner, "speed_up": speed_up, "ratio": ratio}


def lines(*given: Any) -> list[str]:
    (made,) = conclusion_section(*given)
    found: list[str] = made["blocks"][0]["lines"]
    return found


def test_lines_say_what_the_records_have() -> None:
    rows = [table1("better", 70), table1("worse", 60), table1("equal", 66)]
    speeds = [scaling("lense", 30.0, 0.9), scaling("lense", 20.0, 0.96), scaling("core", None, None)]
    paper, best, speed = lines(TWO, rows, speeds)
    assert "in 2 of 3 rows" in paper
    assert paper.endswith("less 5 points, in 2.")
    assert "Over 2 graphs and problems, core prunes 40.0 % of the edges at 0.990" in best
    assert "LeNSE prunes 30.0 % of the edges at 0.985" in best
    assert "LeNSE is up to 20 times as fast, at 0.960 (im on wiki, 60 % of its edges)" in speed
    assert "core is" not in speed
