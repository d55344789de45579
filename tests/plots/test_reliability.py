"""The share of targets met against how sure it was."""

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from lense.plots.reliability import _wilson, draw_reliability


def test_cases_about_as_sure_share_a_mark_at_their_means_with_their_number() -> None:
    said = {"mvc": [(0.91, True), (0.93, False), (0.5, True)]}
    (axes,) = draw_reliability(said).axes
    bars = axes.containers[0]
    assert isinstance(bars, ErrorbarContainer)
    marks = bars.lines[0].get_xydata()
    assert marks == pytest.approx(np.array([[0.5, 1.0], [0.92, 0.5]]))
    assert [text.get_text() for text in axes.texts] == ["1", "2"]
    assert axes.get_title(loc="left") == "mvc, 3 cases"


def test_each_problem_has_a_panel_so_that_marks_near_1_do_not_cover_one_another() -> None:
    figure = draw_reliability({"mvc": [(0.99, True)], "bmc": [(0.98, True), (0.93, True)]})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["mvc, 1 cases", "bmc, 2 cases"]
    figure.draw_without_rendering()
    left, right = (text.get_window_extent() for text in figure.axes[1].texts)
    assert not left.overlaps(right)


def test_the_interval_is_wilsons() -> None:
    low, high = _wilson(np.array([0.5, 1.0]), np.array([10, 10]))
    assert low == pytest.approx([0.2366, 0.7225], abs=1e-3)
    assert high == pytest.approx([0.7634, 1.0], abs=1e-3)
