"""Means over seeds, and what is better, equal within error, or worse."""

import numpy as np
import pytest

from lense.experiments.marks import Mean, mark, marked, ours_and_theirs, told


@pytest.mark.parametrize(
    ("ours", "stderr", "theirs", "their_stderr", "expected"),
    [
        (0.97, 0.0, 0.96, None, "better"),
        (0.95, 0.0, 0.96, None, "worse"),
        (0.9604, None, 0.96, None, "equal"),  # rounds to it
        (0.9606, None, 0.96, None, "better"),
        (0.95, 0.004, 0.96, 0.004, "equal"),  # 2 sqrt(2) 0.004 = 0.0113
        (0.95, 0.003, 0.96, 0.003, "worse"),  # 2 sqrt(2) 0.003 = 0.0085, and 0.0005 for rounding
        (0.98, 0.02, 0.96, None, "equal"),
    ],
)
def test_equal_is_within_two_standard_errors_of_both_and_the_rounding(
    ours: float, stderr: float | None, theirs: float, their_stderr: float | None, expected: str
) -> None:
    assert mark(ours, stderr, theirs, their_stderr) == expected


def test_a_paper_of_two_digits_hides_more() -> None:
    assert mark(0.966, None, 0.97, digits=2) == "equal"
    assert mark(0.966, None, 0.97, digits=3) == "worse"


def test_a_mean_is_over_seeds_of_means_over_starts() -> None:
    found = Mean.of([[0.2, 0.4], [0.9]])
    assert found.value == pytest.approx(0.6)
    assert found.stderr == pytest.approx(np.std([0.3, 0.9], ddof=1) / np.sqrt(2))
    assert found.seeds == 2


def test_one_seed_has_the_error_of_its_starts_and_one_start_none() -> None:
    assert Mean.of([[0.2, 0.4]]).stderr == pytest.approx(0.1)
    assert Mean.of([[0.2]]).stderr is None


def test_figures_are_rounded_once() -> None:
    """0.96849 to four digits and then to three would be 0.969."""
    columns = ours_and_theirs(["a"], {"a": Mean(0.96849, 0.00349, 3)}, {})
    assert told(columns, "a") == "0.968 ± 0.003"


def test_a_mark_stands_behind_its_figure_or_in_front() -> None:
    assert marked("0.9", "better") == "0.9 ▲"
    assert marked("0.9", "better", in_front=True) == "▲ 0.9"
    assert marked("0.9", None) == marked("0.9", None, in_front=True) == "0.9"


def test_columns_hold_ours_errors_theirs_and_marks() -> None:
    columns = ours_and_theirs(["a", "b", "c"], {"a": Mean(0.9, 0.01, 3), "b": Mean(0.5, None, 1)}, {"a": 0.8, "c": 0.7})
    assert list(columns)[:3] == ["a", "b", "c"]
    assert (columns["a"], columns["a_stderr"], columns["a_paper"], columns["a_mark"]) == (0.9, 0.01, 0.8, "better")
    assert (columns["b"], columns["b_paper"], columns["b_mark"]) == (0.5, None, None)
    assert (columns["c"], columns["c_paper"], columns["c_mark"]) == (None, 0.7, None)
    assert told(columns, "a") == "0.900 ± 0.010 ▲ (0.800)"
    assert told(columns, "b", 2) == "0.50"
    assert told(columns, "c") == "– (0.700)"
