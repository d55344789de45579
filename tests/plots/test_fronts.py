"""The picture of ratio against share pruned."""

import numpy as np
from matplotlib.text import Annotation

from lense.plots.fronts import draw_fronts
from tests.experiments.test_comparison import failed, record, rows


def test_each_pruner_is_a_point_in_each_panel_and_the_front_a_stair() -> None:
    found = rows(record("lense", 0, (0.9, 0.5)), record("mine", 0, (0.5, 0.9)), record("yours", 0, (0.4, 0.4)))
    figure = draw_fronts(found, "title")
    assert len(figure.axes) == 3
    for axes in figure.axes:
        points = {tuple(point.lines[0].get_xydata()[0]) for point in axes.containers}  # type: ignore[attr-defined]
        assert len(points) == 3
        (stairs,) = (line for line in axes.lines if line.get_drawstyle() == "steps-pre")
        assert np.asarray(stairs.get_ydata()).tolist() == [0.9, 0.9, 0.5, -1.0]


def test_names_stand_in_the_legend_with_marks_of_their_own() -> None:
    found = rows(*(record(name, 0, (0.9, 0.5)) for name in ("lense", "quickprune", "mine", "yours")))
    keys = draw_fronts(found).legends[0].get_lines()
    assert [key.get_label() for key in keys] == ["lense", "quickprune", "mine", "yours", "front"]
    looks = {(key.get_color(), key.get_marker()) for key in keys}
    assert len(looks) == 5


def test_a_pruner_that_failed_is_left_out_of_the_panels() -> None:
    figure = draw_fronts(rows(record("lense", 0, (0.9, 0.5)), failed("gcn", 0)))
    assert all(len(axes.containers) == 1 for axes in figure.axes)


def test_ratios_too_low_to_be_shown_are_said_one_above_another() -> None:
    found = rows(record("lense", 0, (0.9, 0.5)), record("random", 0, (0.25, 0.5)), record("k-core", 0, (0.5, 0.52)))
    for axes in draw_fronts(found).axes:
        assert axes.get_ylim()[0] == 0.8
        said = [text for text in axes.texts if isinstance(text, Annotation)]
        assert [text.get_text() for text in said] == ["0.25", "0.50"]
        assert len({text.xyann[1] for text in said}) == 2


def test_nothing_to_draw_is_drawn_as_nothing() -> None:
    assert all(not axes.containers for axes in draw_fronts(rows(failed("gcn", 0))).axes)
