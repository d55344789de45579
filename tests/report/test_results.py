"""The page of results: its tables are those of the comparison."""

from base64 import b64decode
from pathlib import Path

import pytest

from lense.errors import LenseError
from lense.experiments import reproduce
from lense.experiments.comparison import OneGraph
from lense.plots.fronts import PANELS
from lense.report import results_page
from tests.experiments import tiny_paper
from tests.report.pages import RECORDS, WHOLES, blocks, titles, write_comparison


def test_the_tables_are_those_of_the_comparison(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one")
    expected = OneGraph([*RECORDS, *WHOLES]).tables(relative=True)
    shown = blocks(results_page(tmp_path), "table")
    assert [(block["title"], tuple(block["columns"])) for block in shown] == [(one[0], one[1]) for one in expected]
    for block, (_, _, lines) in zip(shown, expected, strict=True):
        assert [[text for text, _ in row] for row in block["rows"]] == [list(line) for line in lines]


def test_the_fronts_have_the_figures_of_the_rows(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one")
    (front,) = blocks(results_page(tmp_path), "fronts")
    found = OneGraph(RECORDS).by_pruner
    assert [panel["title"] for panel in front["panels"]] == [panel[2] for panel in PANELS]
    for panel, mode, share in zip(
        front["panels"],
        ("subgraph", "subgraph", "ground-set"),
        ("vertices_pruned", "edges_pruned", "vertices_pruned"),
        strict=True,
    ):
        assert {point["pruner"] for point in panel["points"]} == {"lense", "top-degree", "random"}
        for point in panel["points"]:
            figures = found[point["pruner"]][mode]
            assert (point["ratio"], point["ratio_stderr"]) == (figures["ratio"], figures["ratio_stderr"])
            assert (point["share"], point["front"]) == (figures[share], figures["front"][share])
            assert 0 <= point["x"] <= 1
            assert 0 <= point["error"][0] <= point["y"] <= point["error"][1] <= 1
            assert point["is_below"] is (figures["ratio"] < 0.5)
            assert point["fit_seconds"] == found[point["pruner"]]["fit_seconds"]


def test_what_failed_and_the_circumstances_are_said(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one")
    page = results_page(tmp_path)
    assert any("There is no such thing" in line for block in blocks(page, "text") for line in block["lines"])
    facts = dict(fact for block in blocks(page, "facts") for fact in block["facts"])
    assert (facts["seeds"], facts["versions"], facts["machine"]) == ("0, 1", "lense 0.1.0, numpy 2.0", "platform Linux")
    assert (facts["graph"], facts["devices"]) == ("graph.txt", "cpu")


def test_comparisons_side_by_side_come_with_tables_of_all(tmp_path: Path) -> None:
    write_comparison(tmp_path / "all" / "one", graph="one.txt")
    write_comparison(tmp_path / "all" / "two", graph="a | b", problem="im")
    page = results_page(tmp_path)
    assert titles(page) == [
        "Conclusion",
        "Pruners on one footing",
        "mvc on one.txt, budget 10",
        "im on a | b, budget 10",
    ]
    cover, spread, ground_sets, *_ = blocks(page, "table")
    assert (cover["columns"], spread["columns"]) == (["pruner", "one"], ["pruner", "a-b"])
    assert cover["title"].startswith("mvc. As subgraphs")
    assert ground_sets["title"].startswith("mvc. As ground sets")
    for first in (cover, spread):
        rows = {row[0][0]: row[1] for row in first["rows"]}
        assert rows["lense"] == ["0.940 at 55 / 28", 0.94]
        assert rows["gcn"] == ["failed", None]


def test_a_comparison_that_still_runs_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one", only=("whole-graph",))
    write_comparison(tmp_path / "two", only=("lense",))
    assert titles(results_page(tmp_path))[-2:] == ["mvc on graph.txt, budget 10"] * 2
    lines = [line for block in blocks(results_page(tmp_path), "text") for line in block["lines"]]
    assert any("not run on the whole graph yet" in line for line in lines)


def test_other_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}")
    with pytest.raises(LenseError, match="neither a model nor results"):
        results_page(tmp_path)


def test_damaged_results_are_named_in_one_sentence(results: Path) -> None:
    path = results / "rivals.jsonl"
    path.write_text(path.read_text().replace('"seed":1', '"seed":NaN', 1))
    with pytest.raises(LenseError, match=r"rivals.jsonl, line \d+ is damaged, since seed is not right"):
        results_page(results)


def test_tables_of_the_paper_come_first_as_the_records_have_them(results: Path) -> None:
    page = results_page(results)
    assert titles(page)[:4] == ["Conclusion", "Table 1", "Models", "mvc on tiny, budget 8"]
    known, empty = blocks(page, "table")[:2]
    lines = [line for line in (results / "table1.md").read_text().splitlines() if line.startswith("|")]
    shown = [f"| {' | '.join(text for text, _ in row)} |" for block in (known, empty) for row in block["rows"]]
    assert shown == lines[2:]
    assert "LeNSE reaches the paper's ratio" in blocks(page, "text")[0]["lines"][0]
    assert "▲ better" in blocks(page, "text")[1]["lines"][0]


def test_rows_without_data_fold_away(results: Path) -> None:
    known, empty = blocks(results_page(results), "table")[:2]
    assert (known["folded"], empty["folded"], empty["title"]) == (False, True, "4 rows without data")
    assert {row[1][0] for row in known["rows"]} == {"tiny"}
    assert {row[1][0] for row in empty["rows"]} == {"absent"}


def test_figures_stand_above_the_table_of_their_experiment(results: Path) -> None:
    reproduce(tiny_paper.experiment("walk"), tiny_paper.study(results))
    (results / "walk-a.png").write_bytes(b"one")
    (walk,) = (part for part in results_page(results)["sections"] if part["title"].startswith("Walks"))
    assert [block["kind"] for block in walk["blocks"]] == ["image", "image", "table", "table", "text"]
    assert [block["title"] for block in walk["blocks"][:2]] == ["a", "tiny-mvc"]
    assert b64decode(walk["blocks"][0]["source"].removeprefix("data:image/png;base64,")) == b"one"
