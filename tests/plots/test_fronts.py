"""Ratio against share pruned: every mark in sight, the front as stairs, all graphs at once."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from lense.plots.fronts import draw_fronts, draw_overview
from tests.experiments.records import failed, record, rows

POINTS = {"core": [(0.9, 1.0), (0.7, 0.98)], "lense": [(0.6, 0.97)], "random": [(0.95, 0.3)]}


def marks(axes: Axes) -> dict[str, Line2D]:
    """The marks of the pruners in a panel."""
    lines = {str(line.get_label()): line for line in axes.lines if line.get_linestyle() == "None"}
    return {name: line for name, line in lines.items() if not name.startswith("_")}


def test_each_pruner_is_a_point_in_each_panel_and_the_front_a_stair() -> None:
    solved = record("lense", 0, (0.9, 0.5)), record("mine", 0, (0.5, 0.9)), record("yours", 0, (0.4, 0.4))
    figure = draw_fronts(rows(*solved, failed("gcn", 0)), "title")
    assert len(figure.axes) == 3
    for axes in figure.axes:
        assert marks(axes).keys() == {"lense", "mine", "yours"}
        assert [np.asarray(line.get_ydata()).tolist() for line in marks(axes).values()] == [[0.9], [0.5], [0.5]]
        (stairs,) = (line for line in axes.lines if line.get_drawstyle() == "steps-pre")
        assert np.asarray(stairs.get_ydata()).tolist() == [0.9, 0.9, 0.5, -1.0]
        assert [text.get_text() for text in axes.texts if text.get_text()] == ["0.40"]  # below the lower edge
    assert all(not marks(axes) for axes in draw_fronts(rows(failed("gcn", 0))).axes)


def test_an_overview_has_means_over_graphs_and_names_those_that_none_beats() -> None:
    mvc, im = draw_overview({"mvc": POINTS, "im": {"lense": [(0.5, 0.9999)], "core": [(0.4, 1.0)]}}).axes
    assert (mvc.get_title(loc="left"), im.get_title(loc="left")) == ("mvc", "im")
    assert [[text.get_text() for text in axes.texts] for axes in (mvc, im)] == [
        ["core", "random"],
        ["lense"],
    ]  # to three digits
    drawn = [np.asarray(line.get_xydata()).tolist() for line in mvc.lines]
    assert [[0.9, 1.0], [0.7, 0.98]] in drawn
    assert any(np.allclose(one, [[0.8, 0.99]]) for one in drawn if len(one) == 1)
    assert [[0.95, 0.5]] in drawn  # a ratio below the lower edge stands there
