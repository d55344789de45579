"""The picture of ratio against share pruned."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from lense.experiments.comparison import all_pruners
from lense.plots.fronts import axis_ticks, draw_fronts, limits, looks_of, ratio_place, share_place
from tests.experiments.test_comparison import failed, record, rows


def test_each_pruner_is_a_point_in_each_panel_and_the_front_a_stair() -> None:
    found = rows(record("lense", 0, (0.9, 0.5)), record("mine", 0, (0.5, 0.9)), record("yours", 0, (0.4, 0.4)))
    figure = draw_fronts(found, "title")
    assert len(figure.axes) == 3
    for axes in figure.axes:
        assert len(set(_places(axes).values())) == 3
        (stairs,) = (line for line in axes.lines if line.get_drawstyle() == "steps-pre")
        assert np.asarray(stairs.get_ydata()).tolist() == [0.9, 0.9, 0.5, -1.0]


def test_names_stand_in_the_legend_with_marks_of_their_own() -> None:
    found = rows(*(record(name, 0, (0.9, 0.5)) for name in ("lense", "quickprune", "mine", "yours")))
    keys = draw_fronts(found).legends[0].get_lines()
    assert [key.get_label() for key in keys] == ["lense", "quickprune", "mine", "yours", "front"]
    looks = {(key.get_color(), key.get_marker()) for key in keys}
    assert len(looks) == 5


def test_pruners_that_come_with_the_package_look_different() -> None:
    names = {name.partition(":")[0] for name in all_pruners()}
    assert len(set(looks_of(names).values())) == len(names)


def test_sizes_of_a_pruner_share_its_look_and_are_joined() -> None:
    sizes = {"top-roots:roots_per_budget=1": 0.9, "top-roots": 0.95, "top-roots:roots_per_budget=3": 1.0}
    figure = draw_fronts(rows(*(record(name, 0, (ratio, 1.5 - ratio)) for name, ratio in sizes.items())))
    assert [key.get_label() for key in figure.legends[0].get_lines()] == ["top-roots", "front"]
    for axes in figure.axes:
        assert [0.9, 0.95, 1.0] in [sorted(np.asarray(line.get_ydata()).tolist()) for line in axes.lines]
        assert [line.get_markerfacecolor() for line in axes.lines if line.get_linestyle() == "None"].count("white") == 2


def test_panels_are_titled_by_what_they_show() -> None:
    titles = [axes.get_title(loc="left") for axes in draw_fronts(rows(record("lense", 0, (0.9, 0.5)))).axes]
    assert titles == ["Subgraph: vertices pruned", "Subgraph: edges pruned", "Ground set: vertices ruled out"]


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
    assert all(len(_places(axes)) == 1 for axes in figure.axes)


def test_ratios_too_low_to_be_shown_are_said_beside_their_marks_and_cover_nothing() -> None:
    found = rows(record("lense", 0, (0.9, 0.5)), record("random", 0, (0.25, 0.5)), record("k-core", 0, (0.45, 0.52)))
    figure = draw_fronts(found)
    for axes in figure.axes:
        assert axes.get_ylim()[0] == 0.5
        said = [text for text in axes.texts if isinstance(text, Annotation)]
        assert sorted(text.get_text() for text in said) == ["0.25", "0.45"]
        one, other = (text.get_window_extent() for text in said)
        assert not one.overlaps(other)


def test_of_marks_at_one_place_one_stays_and_the_others_move_aside_with_a_line_to_it() -> None:
    names = ("core", "bounds", "top-degree")
    figure = draw_fronts(rows(*(record(name, 0, (1.0, 0.5)) for name in names)))
    for axes in figure.axes:
        places = _places(axes)
        assert places["core"][1] == 1.0
        assert len(set(places.values())) == 3
        lines = [np.asarray(line.get_xydata()).tolist() for line in axes.lines]
        assert all([[*places["core"]], [*places[name]]] in lines for name in names[1:])


def test_nothing_to_draw_is_drawn_as_nothing() -> None:
    assert all(not _places(axes) for axes in draw_fronts(rows(failed("gcn", 0))).axes)


def _places(axes: Axes) -> dict[str, tuple[float, float]]:
    """Where the marks of the pruners lie."""
    marks = [
        line for line in axes.lines if line.get_linestyle() == "None" and not str(line.get_label()).startswith("_")
    ]
    return {str(mark.get_label()): tuple(np.asarray(mark.get_xydata())[0].tolist()) for mark in marks}
