"""Targets met against the confidence."""

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from lense.plots.cores import draw_reliability


def test_cases_of_about_the_same_confidence_share_a_mark_with_their_number_and_wilsons_interval() -> None:
    cases = [(0.91, True), (0.93, False), *[(0.5, True)] * 10]
    (axes,) = draw_reliability({"mvc": cases}).axes
    (bars,) = axes.containers
    assert isinstance(bars, ErrorbarContainer)
    assert bars.lines[0].get_xydata() == pytest.approx(np.array([[0.5, 1.0], [0.92, 0.5]]))
    assert [text.get_text() for text in axes.texts] == ["10", "2"]
    spans = np.array(bars.lines[2][0].get_segments())[:, :, 1]
    assert spans == pytest.approx(np.array([[0.7225, 1.0], [0.0945, 0.9055]]), abs=1e-3)


def test_each_problem_has_a_panel_where_marks_near_1_do_not_cover_one_another() -> None:
    figure = draw_reliability({"mvc": [(0.99, True)], "bmc": [(0.98, True), (0.93, True)]})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["mvc, 1 cases", "bmc, 2 cases"]
    figure.draw_without_rendering()
    left, right = (text.get_window_extent() for text in figure.axes[1].texts)
    assert not left.overlaps(right)
