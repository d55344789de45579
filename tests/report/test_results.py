"""The page of results: its tables are those of the comparison."""

import json
from base64 import b64decode
from pathlib import Path

import pytest

from lense.errors import LenseError
from lense.experiments.rows import Table, rows, tables
from lense.experiments.tables import page
from lense.report import results_page
from tests.report.pages import RECORDS, blocks, titles, write_comparison


def test_the_tables_are_those_of_the_comparison(tmp_path: Path) -> None:
    write_comparison(tmp_path)
    wholes = [{"seconds": 0.5, "vertices": [0] * 10, "test": {"vertices": 50}}] * 2
    order = [RECORDS[i] for i in (0, 1, 4, 3, 2)]
    expected = tables(rows(order), wholes, relative=True)
    shown = blocks(results_page(tmp_path), "table")
    assert [(block["title"], tuple(block["columns"])) for block in shown] == [(one[0], one[1]) for one in expected]
    for block, (_, _, lines) in zip(shown, expected, strict=True):
        assert [[text for text, _ in row] for row in block["rows"]] == [list(line) for line in lines]


def test_the_fronts_have_the_figures_of_the_rows(tmp_path: Path) -> None:
    write_comparison(tmp_path)
    (front,) = blocks(results_page(tmp_path), "fronts")
    found = {row["pruner"]: row for row in rows(RECORDS)}
    assert [panel["title"] for panel in front["panels"]] == ["as a subgraph", "as a subgraph", "as a ground set"]
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
            assert point["fit_seconds"] == found[point["pruner"]]["fit_seconds"]


def test_what_failed_and_the_circumstances_are_told(tmp_path: Path) -> None:
    write_comparison(tmp_path)
    page = results_page(tmp_path)
    assert any("There is no such thing" in line for block in blocks(page, "text") for line in block["lines"])
    told = dict(fact for block in blocks(page, "facts") for fact in block["facts"])
    assert (told["seeds"], told["versions"], told["machine"]) == ("0, 1", "lense 0.1.0, numpy 2.0", "platform Linux")
    assert (told["problem"], told["devices"]) == ("mvc", "cpu")


def test_comparisons_side_by_side_come_with_tables_of_all(tmp_path: Path) -> None:
    write_comparison(tmp_path / "all" / "one", graph="one.txt")
    write_comparison(tmp_path / "all" / "two", graph="a | b", problem="im")
    page = results_page(tmp_path)
    assert titles(page) == ["All of all", "mvc on one.txt, budget 10", "im on a | b, budget 10"]
    cover, spread, ground_sets, *_ = blocks(page, "table")
    assert (cover["columns"], spread["columns"]) == (["pruner", "one.txt"], ["pruner", "a | b"])
    assert cover["title"].startswith("mvc. As a subgraph")
    assert ground_sets["title"].startswith("mvc. As a ground set")
    for first in (cover, spread):
        rows = {row[0][0]: row[1] for row in first["rows"]}
        assert rows["lense"] == ["0.940 at 55 / 28", 0.94]
        assert rows["gcn"] == ["failed", None]


def test_a_comparison_that_still_runs_is_shown_as_far_as_it_is(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one")
    write_comparison(tmp_path / "two")
    for piece in (tmp_path / "two" / "pieces").glob("[!w]*.json"):
        piece.unlink()
    (tmp_path / "two" / "table.csv").unlink()
    (tmp_path / "one" / "pieces" / ".7-ab.lense.2.json").write_text("{")
    assert titles(results_page(tmp_path)) == ["mvc on graph.txt, budget 10"]


def test_other_folders_are_told(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps({"experiment": "another"}))
    with pytest.raises(LenseError, match="neither a model nor results"):
        results_page(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("plan.json", "{", "plan.json is damaged"),
        ("plan.json", '{"experiment": "compare", "train_share": 1}', "plan.json is damaged"),
        ("pieces/lense.0.json", "[]", "lense.0.json is damaged, since it is no record: delete it"),
        ("pieces/lense.0.json", '{"pruner": "lense", "seed": 0}', "lense.0.json is damaged, since it lacks status"),
        ("pieces/lense.0.json", '{"pruner": "lense", "seed": "x"}', "seed is no whole number"),
        ("pieces/whole-graph.0.json", "{}", "whole-graph.0.json is damaged, since it lacks seed"),
    ],
)
def test_damaged_results_are_told_in_one_sentence(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    write_comparison(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(LenseError, match=sentence):
        results_page(tmp_path)


def test_damaged_results_that_the_page_would_not_even_show_are_told(results: Path) -> None:
    piece = results / "table1" / "pieces" / "tiny-mvc-1.json"
    piece.write_text(piece.read_text().replace('"ratio": ', '"ratio": NaN, "was": '))
    with pytest.raises(LenseError, match=r"tiny-mvc-1.json is damaged, since it is not JSON: delete it"):
        results_page(results)


def test_a_comparison_whose_whole_graphs_are_not_solved_yet_says_so(tmp_path: Path) -> None:
    write_comparison(tmp_path / "one")
    write_comparison(tmp_path / "two")
    for piece in (tmp_path / "two" / "pieces").glob("whole-graph.*"):
        piece.unlink()
    lines = [line for block in blocks(results_page(tmp_path), "text") for line in block["lines"]]
    assert any("not run on the whole graph yet" in line for line in lines)


def test_tables_of_the_paper_come_first_with_every_cell_in_its_column(tmp_path: Path) -> None:
    table: Table = (
        "Table 1",
        ("problem", "ratio", "", "ceiling"),
        [("mvc", "0.987 ± 0.001", "▲", "1.000"), ("mvc", "–", "", "")],
    )
    (tmp_path / "table1.md").write_text(page(table, ["▲ better"]))
    shown = results_page(tmp_path)
    assert titles(shown) == ["Table 1"]
    (block,) = blocks(shown, "table")
    assert block["columns"] == ["problem", "ratio", "", "ceiling"]
    assert [[text for text, _ in row] for row in block["rows"]] == [list(line) for line in table[2]]
    assert blocks(shown, "text")[0]["lines"] == ["▲ better"]


def test_figures_stand_above_the_tables_of_their_experiment(tmp_path: Path) -> None:
    for name in ("walk", "losses"):
        (tmp_path / f"{name}.md").write_text(page((name, ("graph",), [("wiki",)])))
    pictures = {"losses-wiki-mvc": b"one", "losses-wiki-im": b"two", "walk-wiki-bmc": b"three", "other": b"four"}
    for name, content in pictures.items():
        (tmp_path / f"{name}.png").write_bytes(content)
    losses, walk = results_page(tmp_path)["sections"]
    assert [[block["kind"] for block in part["blocks"]] for part in (losses, walk)] == [
        ["image", "image", "table", "text"],
        ["image", "table", "text"],
    ]
    shown = [block for part in (losses, walk) for block in part["blocks"] if block["kind"] == "image"]
    assert [block["title"] for block in shown] == ["wiki-im", "wiki-mvc", "wiki-bmc"]
    assert [b64decode(block["source"].removeprefix("data:image/png;base64,")) for block in shown] == [
        b"two",
        b"one",
        b"three",
    ]
