"""Tables as CSV and Markdown, and ours beside the paper's."""

from pathlib import Path

import pytest

from lense._util.measuring import Mean
from lense.experiments.tables import Row, Table, beside, format_cell, mark, ours_and_theirs, table, write_table


@pytest.mark.parametrize(
    ("ours", "theirs", "digits", "expected"),
    [
        (Mean(0.97, 0.0), Mean(0.96), 3, "better"),
        (Mean(0.95, 0.0), Mean(0.96), 3, "worse"),
        (Mean(0.9604), Mean(0.96), 3, "equal"),  # rounds to it
        (Mean(0.9606), Mean(0.96), 3, "better"),
        (Mean(0.95, 0.004), Mean(0.96, 0.004), 3, "equal"),  # 2 sqrt(2) 0.004 = 0.0113
        (Mean(0.95, 0.003), Mean(0.96, 0.003), 3, "worse"),  # 2 sqrt(2) 0.003 = 0.0085, and 0.0005 for rounding
        (Mean(0.966), Mean(0.97), 2, "equal"),
        (Mean(), Mean(0.97), 2, None),
        (Mean(0.9), Mean(), 2, None),
    ],
)
def test_equal_is_within_two_standard_errors_of_both_and_the_rounding(
    ours: Mean, theirs: Mean, digits: int, expected: str | None
) -> None:
    assert mark(ours, theirs, digits) == expected


def test_columns_hold_ours_errors_theirs_and_marks() -> None:
    columns = ours_and_theirs("abc", {"a": Mean(0.9, 0.01), "b": Mean(0.5)}, {"a": 0.8, "c": 0.7})
    assert list(columns)[:3] == ["a", "b", "c"]
    found = [columns[f"a{name}"] for name in ("", "_stderr", "_paper", "_mark")]
    assert found == [0.9, 0.01, 0.8, "better"]
    shown = beside({"a": "A", "b": "B", "c": "C"})
    assert table("T", shown, [columns])[1:] == (("A", "B", "C"), [("0.900 ± 0.010 ▲ (0.800)", "0.500", "– (0.700)")])


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{share:%.1f} %", "12.3 %"),
        ("{share}{none: ± }", "0.123"),
        ("{share}{share: ± .2f}", "0.123 ± 0.12"),
        ("{none} at {share} / {none}", "–"),
        ("{none}{share: (.1f)}", "– (0.1)"),
        ("{mark:mark }{share:.2f}", "▲ 0.12"),
        ("{none:mark }{share:.2f}", "0.12"),
        ("{note:short}", "failed"),
        ("{many:few} and {share:few}", "1,234 and 0.123"),
        ("{many:,}", "1,234"),
        ("{inside[share]}", "0.500"),
    ],
)
def test_a_template_says_what_a_cell_shows_and_a_dash_what_is_missing(template: str, text: str) -> None:
    row: Row = {"share": 0.1234, "none": None, "mark": "better", "note": "failed: it is odd", "many": 1234}
    assert format_cell(template, {**row, "inside": {"share": 0.5}}) == text


def test_rows_that_look_the_same_stand_once() -> None:
    rows: list[Row] = [{"graph": "talk", "share": share, "ratio": None} for share in (20, 40)]
    assert table("T", [("graph", "{graph}"), ("ratio", "{ratio}")], rows)[2] == [("talk", "–")]


def test_a_table_is_written_for_machines_and_for_people(tmp_path: Path) -> None:
    page: Table = ("Title", ("graph", "P_V", "note"), [("a", "5 % ± 1", "▲")])
    rows: list[Row] = [{"graph": "a", "x": 1.123456789, "in": {"y-z": None}}]
    files = write_table(tmp_path / "new", "name", page, rows, ["A note."], "")
    assert [file.name for file in files] == ["name.csv", "name.md"]
    assert files[0].read_text() == "graph,x,in_y_z\na,1.1234568,\n"
    text = "# Title\n\n| graph | P_V | note |\n| --- | ---: | --- |\n| a | 5 % ± 1 | ▲ |\n\nA note.\n"
    assert files[1].read_text() == text
