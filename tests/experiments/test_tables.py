"""Tables as CSV and Markdown, and ours beside the paper's."""

import pytest

from lense._util.measuring import Mean
from lense.experiments.tables import Row, format_cell, latex, mark


@pytest.mark.parametrize(
    ("ours", "theirs", "digits", "expected"),
    [
        (Mean(0.97, 0.0), Mean(0.96), 3, "better"),
        (Mean(0.9604), Mean(0.96), 3, "equal"),  # rounds to it
        (Mean(0.9606), Mean(0.96), 3, "better"),
        (Mean(0.95, 0.004), Mean(0.96, 0.004), 3, "equal"),  # 2 sqrt(2) 0.004 = 0.0113
        (Mean(0.95, 0.003), Mean(0.96, 0.003), 3, "worse"),  # 2 sqrt(2) 0.003 = 0.0085, and 0.0005 for rounding
        (Mean(0.966), Mean(0.97), 2, "equal"),
        (Mean(), Mean(0.97), 2, None),
    ],
)
def test_equal_is_within_two_standard_errors_of_both_and_the_rounding(
    ours: Mean, theirs: Mean, digits: int, expected: str | None
) -> None:
    assert mark(ours, theirs, digits) == expected


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{share:%.1f} %", "12.3 %"),
        ("{share}{none: ± }", "0.123"),
        ("{share}{share: ± .2f}", "0.123 ± 0.12"),
        ("{none} at {share} / {none}", "–"),
        ("{none}{share: (.1f)}", "– (0.1)"),
        ("{none:mark }{share:.2f}", "0.12"),
        ("{note:short}", "failed"),
        ("{many:few} and {share:few}", "1,234 and 0.123"),
        ("{inside[share]}", "0.500"),
    ],
)
def test_a_template_says_what_a_cell_shows_and_a_dash_what_is_missing(template: str, text: str) -> None:
    row: Row = {"share": 0.1234, "none": None, "mark": "better", "note": "failed: it is odd", "many": 1234}
    assert format_cell(template, {**row, "inside": {"share": 0.5}}) == text


def test_latex_has_words_at_the_left_and_no_sign_of_its_own() -> None:
    made = latex(("Title", ("graph", "P_V"), [("a_b & c", "9 % ± 1 ▲"), ("d", "–")]))
    lines = made.splitlines()
    assert lines[1] == r"\begin{tabular}{lr}"
    assert lines[3:7] == [r"graph & P\_V \\", r"\midrule", r"a\_b \& c & 9 \% $\pm$ 1 $\uparrow$ \\", r"d & -- \\"]
