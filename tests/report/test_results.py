"""The page of results: its tables are those of the comparison."""

from pathlib import Path

import pytest

from lense.errors import LenseError
from lense.experiments.comparison import OneGraph
from lense.plots.fronts import PANELS
from lense.report import results_page
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
    assert titles(page) == ["Table 1", "mvc on tiny, budget 8"]
    shown = [f"| {' | '.join(row)} |" for row in blocks(page, "table")[0]["rows"]]
    lines = [line for line in (results / "table1.md").read_text().splitlines() if line.startswith("|")]
    assert shown == [line for line in lines[2:] if "absent" not in line]
    assert "▲ better" in blocks(page, "text")[0]["lines"][0]


def test_several_comparisons_have_an_overview_of_all_pruners(tmp_path: Path) -> None:
    for graph in ("a", "b"):
        write_comparison(tmp_path / graph, graph=graph)
    page = results_page(tmp_path)
    overview, *others = titles(page)
    assert len(others) == 2
    assert overview not in others
    assert [block["kind"] for block in page["sections"][0]["blocks"]] == ["image", "text", *["table"] * 3]
    one = page["sections"][0]["blocks"][2]
    assert one["columns"] == ["pruner", "a", "b"]
    assert [row[0] for row in one["rows"]][:2] == ["lense", "gcn"]
