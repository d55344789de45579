"""Cores that close, and targets met against the confidence."""

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

from lense.plots.cores import _wilson, draw_closing, draw_reliability

ROUNDS = [
    {"rule": "intervals", "dropped": 80, "forced": 5, "live": 15},
    {"rule": "cliques", "dropped": 10, "forced": 5, "live": 0},
]


def heights(line: Line2D) -> list[float]:
    values: list[float] = np.asarray(line.get_ydata()).tolist()
    return values


def test_a_line_begins_with_all_vertices_and_each_round_has_the_mark_of_its_rule() -> None:
    figure = draw_closing({"one, mvc": (100, ROUNDS), "other, bmc": (50, ROUNDS[:1])}, "Cores")
    (axes,) = figure.axes
    lines = {str(line.get_label()): heights(line) for line in axes.lines}
    assert lines["one, mvc"] == [100, 15, 0]
    assert lines["other, bmc"] == [50, 15]
    marks = [(line.get_marker(), heights(line)) for line in axes.lines if line.get_marker() != "None"]
    assert marks == [("o", [15]), ("s", [0]), ("o", [15])]


def test_cases_of_about_the_same_confidence_share_a_mark_at_their_means_with_their_number() -> None:
    (axes,) = draw_reliability({"mvc": [(0.91, True), (0.93, False), (0.5, True)]}).axes
    bars = axes.containers[0]
    assert isinstance(bars, ErrorbarContainer)
    assert bars.lines[0].get_xydata() == pytest.approx(np.array([[0.5, 1.0], [0.92, 0.5]]))
    assert [text.get_text() for text in axes.texts] == ["1", "2"]


def test_each_problem_has_a_panel_where_marks_near_1_do_not_cover_one_another() -> None:
    figure = draw_reliability({"mvc": [(0.99, True)], "bmc": [(0.98, True), (0.93, True)]})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["mvc, 1 cases", "bmc, 2 cases"]
    figure.draw_without_rendering()
    left, right = (text.get_window_extent() for text in figure.axes[1].texts)
    assert not left.overlaps(right)


def test_the_interval_is_wilsons() -> None:
    low, high = _wilson(np.array([0.5, 1.0]), np.array([10, 10]))
    assert low == pytest.approx([0.2366, 0.7225], abs=1e-3)
    assert high == pytest.approx([0.7634, 1.0], abs=1e-3)
