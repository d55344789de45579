"""Ratio against share pruned: every mark in sight, the front as stairs, all graphs at once."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from lense.experiments.comparison import all_pruners
from lense.plots.fronts import (
    axis_ticks,
    draw_fronts,
    draw_overview,
    front_of,
    limits,
    looks_of,
    means_of,
    ratio_place,
    share_place,
    spread,
)
from tests.experiments.records import failed, record, rows

POINTS = {"core": [(0.9, 1.0), (0.7, 0.98)], "lense": [(0.6, 0.97)], "random": [(0.95, 0.3)]}
FRAME = np.array([0.0, 0.0, 100.0, 100.0])


def marks(axes: Axes) -> dict[str, Line2D]:
    """The marks of the pruners in a panel."""
    return {
        str(line.get_label()): line
        for line in axes.lines
        if line.get_linestyle() == "None" and not str(line.get_label()).startswith("_")
    }


def pixels(axes: Axes) -> dict[str, list[float]]:
    """Where the marks of the pruners are drawn."""
    return {name: line.get_transform().transform(line.get_xydata())[0].tolist() for name, line in marks(axes).items()}


def test_each_pruner_is_a_point_in_each_panel_and_the_front_a_stair() -> None:
    found = rows(record("lense", 0, (0.9, 0.5)), record("mine", 0, (0.5, 0.9)), record("yours", 0, (0.4, 0.4)))
    figure = draw_fronts(found, "title")
    assert len(figure.axes) == 3
    for axes in figure.axes:
        assert len({tuple(place) for place in pixels(axes).values()}) == 3
        (stairs,) = (line for line in axes.lines if line.get_drawstyle() == "steps-pre")
        assert np.asarray(stairs.get_ydata()).tolist() == [0.9, 0.9, 0.5, -1.0]
        assert axes.get_ylim()[0] == 0.5
        assert [text.get_text() for text in axes.texts if text.get_text()] == ["0.40"]


def test_pruners_look_different_and_keep_their_look_in_every_figure() -> None:
    names = {name.partition(":")[0] for name in all_pruners()} | {"mine", "yours"}
    looks = looks_of(names)
    assert len(set(looks.values())) == len(names)
    assert looks_of(["k-core"]) == {"k-core": looks["k-core"]}


def test_sizes_of_a_pruner_share_its_look_and_are_joined() -> None:
    sizes = {"top-roots:roots_per_budget=1": 0.9, "top-roots": 0.95, "top-roots:roots_per_budget=3": 1.0}
    figure = draw_fronts(rows(*(record(name, 0, (ratio, 1.5 - ratio)) for name, ratio in sizes.items())))
    assert [key.get_label() for key in figure.legends[0].get_lines()] == ["top-roots", "front"]
    for axes in figure.axes:
        assert [0.9, 0.95, 1.0] in [sorted(np.asarray(line.get_ydata()).tolist()) for line in axes.lines]
        assert [line.get_markerfacecolor() for line in marks(axes).values()].count("white") == 2


def test_half_of_the_axis_is_for_ratios_from_095_to_1_and_large_shares_are_spread() -> None:
    (bottom, top), (left, right) = limits([0.2, 0.99], [0.3, 0.9999])
    whole = ratio_place(top) - ratio_place(bottom)
    assert (ratio_place(1.0) - ratio_place(0.95)) / whole > 0.5
    assert share_place(0.99) - share_place(0.9) == pytest.approx(share_place(0.9) - share_place(0.0))
    assert left < 0
    assert 0.9999 < right < 1
    ratios, shares = axis_ticks(top, right)
    assert all(bottom <= place <= top for place, _ in ratios)
    assert [name for _, name in shares] == ["0 %", "90 %", "99 %", "99.9 %", "99.99 %"]


def test_a_pruner_that_failed_is_left_out_of_the_panels() -> None:
    figure = draw_fronts(rows(record("lense", 0, (0.9, 0.5)), failed("gcn", 0)))
    assert all(len(marks(axes)) == 1 for axes in figure.axes)
    assert all(not marks(axes) for axes in draw_fronts(rows(failed("gcn", 0))).axes)


def test_of_marks_at_one_place_the_strong_one_stays_and_the_others_move_aside() -> None:
    names = ("core", "bounds", "top-degree")
    figure = draw_fronts(rows(*(record(name, 0, (1.0, 0.5)) for name in names)))
    for axes in figure.axes:
        places = pixels(axes)
        assert places["core"] == pytest.approx(axes.transData.transform((0.5, 1.0)).tolist(), abs=200)
        assert min(np.abs(np.subtract(places["core"], places[name])).max() for name in names[1:]) > 5


def test_boxes_apart_stay_and_of_boxes_at_one_place_the_first() -> None:
    box, none, fits = np.array([47.0, 47.0, 53.0, 53.0]), np.empty((0, 4)), np.zeros(20, bool)
    assert not spread(np.array([box, box + 10]), none, FRAME, fits).any()
    moved = np.tile(box, (20, 1)) + np.tile(spread(np.tile(box, (20, 1)), none, FRAME, fits), 2)
    assert moved[0].tolist() == box.tolist()
    middles = moved[:, :2]
    assert all(np.abs(middles[i] - middles[:i]).max(axis=1).min() >= 6 for i in range(1, 20))
    assert (moved >= 0).all()
    assert (moved <= 100).all()


def test_a_box_avoids_fixed_ones_and_a_text_stays_within_the_frame() -> None:
    boxes, fixed = np.array([[47.0, 47, 53, 53]] * 2), np.array([[47.0, 55, 53, 61]])
    moves = spread(boxes, fixed, FRAME, np.zeros(2, bool))
    assert not moves[0].any()
    assert moves[1].tolist() != [0, 8]
    text = np.array([[96.0, 1.0, 122.0, 7.0]])
    assert (text + np.tile(spread(text, np.empty((0, 4)), FRAME, np.ones(1, bool)), 2))[0, 2] <= 100
    full = np.array([[0.0, 0, 100, 100]] * 2)
    assert not spread(full, np.empty((0, 4)), FRAME, np.zeros(2, bool)).any()  # no room: it stays


def test_means_are_over_graphs_and_the_front_is_of_those_that_none_beats() -> None:
    means = means_of(POINTS)
    assert np.allclose(means["core"], (0.8, 0.99))
    assert front_of(means) == ["core", "random"]
    assert front_of({"a": (0.8, 0.9999), "b": (0.7, 1.0)}) == ["a"]  # equal to three digits


def test_each_problem_has_a_panel_and_those_on_the_front_their_names() -> None:
    figure = draw_overview({"mvc": POINTS, "im": {"lense": [(0.5, 0.9)]}}, {"mvc": 2, "im": 1})
    mvc, im = figure.axes
    assert (mvc.get_title(loc="left"), im.get_title(loc="left")) == ("mvc, 2 graphs", "im, 1 graph")
    assert [text.get_text() for text in mvc.texts] == ["core", "random"]
    assert [text.get_text() for text in im.texts] == ["lense"]
    drawn = [np.asarray(line.get_xydata()).tolist() for line in mvc.lines]
    assert [[0.9, 1.0], [0.7, 0.98]] in drawn
    assert [[0.95, 0.5]] in drawn  # a ratio below the lower edge stands there
