from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.table import BEGIN, END, HEADINGS, Row, at_least, at_most, keep, markdown, significant

FASTER = Row("solving", "a rival", "its time / ours", at_least(10))


def test_a_target_is_met_on_its_bound() -> None:
    assert at_least(10).is_met_by(10)
    assert not at_least(10).is_met_by(9.99)
    assert at_most(2).is_met_by(2)
    assert not at_most(2).is_met_by(2.01)


def test_a_row_says_whether_its_target_was_met() -> None:
    assert FASTER.measured(12.34).cells() == ("solving", "a rival", "its time / ours", "12.3", "at least 10", "yes", "")
    assert FASTER.measured(9.0).cells()[5] == "no"


def test_a_target_is_missed_if_the_sides_did_not_do_the_same_whatever_the_ratio() -> None:
    row = FASTER.measured(1000.0, comparable=False, also="spread 5, theirs 9")
    assert row.missed
    assert row.cells()[5:] == ("no", "spread 5, theirs 9")


def test_what_is_not_at_hand_is_said_and_not_missed() -> None:
    assert not FASTER.missed
    assert FASTER.cells()[3:6] == ("not at hand", "at least 10", "")


@pytest.mark.parametrize(
    ("ratio", "shown"), [(0.0123, "0.0123"), (1.0, "1"), (99.94, "99.9"), (99.96, "100"), (12345.6, "12,346")]
)
def test_ratios_have_three_digits_or_all_before_the_point(ratio: float, shown: str) -> None:
    assert significant(ratio) == shown


def test_the_table_has_a_line_for_each_row_and_a_cell_for_each_heading() -> None:
    lines = markdown([FASTER, FASTER.measured(11.0)]).splitlines()
    assert len(lines) == 4
    assert all(line.count("|") == len(HEADINGS) + 1 for line in lines)


def test_keeping_a_table_replaces_the_last_one_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"# Title\n\n{BEGIN}\nold\n{END}\n\nThe end.\n")
    keep(page, [FASTER.measured(10.5)], "Measured once.")
    once = page.read_text()
    assert once == f"# Title\n\n{BEGIN}\nMeasured once.\n\n{markdown([FASTER.measured(10.5)])}{END}\n\nThe end.\n"
    keep(page, [FASTER.measured(10.5)], "Measured once.")
    assert page.read_text() == once


def test_a_page_without_a_place_for_the_table_is_left_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"# Title\n{BEGIN}\n")
    with pytest.raises(ValueError, match="no place"):
        keep(page, [replace(FASTER, what="other")], "")
    assert page.read_text() == f"# Title\n{BEGIN}\n"
