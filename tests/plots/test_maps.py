"""Maps: what is in them, not which pixels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.spatial.distance import pdist

from lense._util.types import Float64s
from lense.plots import MapPanel, class_names, draw_map, draw_maps
from tests.plots.drawn import CUTOFFS, NAMES, case, legend_of, lines_with, map_of, place_of, samples_of


def class_colours(figure: Figure) -> Float64s:
    """Colours (K, 4) of the classes in the legend of a map."""
    *classes, _goal = figure.legends[0].legend_handles
    return np.array([key.get_color() for key in classes if isinstance(key, Line2D)])


def test_classes_are_named_by_their_ratios() -> None:
    assert class_names(CUTOFFS) == NAMES
    assert class_names((0.9,)) == ["1: above 90 %", "2: up to 90 %"]
    assert class_names((0.975, 0.29))[1] == "2: 29 to 97.5 %"


@pytest.mark.parametrize("samples", [1, 300, 4000])
def test_the_map_shows_every_sample_once_and_the_goal(samples: int) -> None:
    drawn = case(samples)
    axes = map_of(drawn).axes[0]
    places, _ = samples_of(axes)
    assert len(places) == samples
    (star,) = lines_with(axes, marker="*")
    expected = np.linalg.norm(drawn.points - drawn.goal, axis=1)
    np.testing.assert_allclose(np.sort(np.linalg.norm(places - place_of(star), axis=1)), np.sort(expected), atol=1e-9)


@settings(deadline=None, max_examples=10)
@given(angle=st.floats(0, 2 * math.pi), mirrored=st.booleans())
def test_however_the_map_lies_its_picture_is_wide_with_the_goal_at_the_right(angle: float, mirrored: bool) -> None:
    drawn = case()
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turn[:, 0] *= -1 if mirrored else 1
    axes = draw_map(drawn.points @ turn, drawn.labels, drawn.goal @ turn, CUTOFFS).axes[0]
    places, _ = samples_of(axes)
    (star,) = lines_with(axes, marker="*")
    np.testing.assert_allclose(np.sort(pdist(places)), np.sort(pdist(drawn.points)), atol=1e-9)
    assert np.ptp(places[:, 0]) > np.ptp(places[:, 1])
    assert place_of(star)[0] > places[:, 0].mean()


def test_samples_have_the_colour_of_their_class() -> None:
    drawn = case()
    figure = map_of(drawn)
    places, colours = samples_of(figure.axes[0])
    (star,) = lines_with(figure.axes[0], marker="*")
    shown = np.argsort(np.linalg.norm(places - place_of(star), axis=1))
    given_order = np.argsort(np.linalg.norm(drawn.points - drawn.goal, axis=1))
    expected = class_colours(figure)[drawn.labels[given_order] - 1]
    np.testing.assert_array_equal(colours[shown, :3], expected[:, :3])


def test_colours_grow_lighter_from_the_best_class_to_the_worst() -> None:
    luminance = class_colours(map_of(case()))[:4, :3] @ [0.2126, 0.7152, 0.0722]
    assert np.diff(luminance).min() > 0.1


def test_a_class_without_samples_is_left_out_and_the_others_keep_their_colours() -> None:
    drawn = case()
    kept = drawn.labels != 2
    figure = draw_map(drawn.points[kept], drawn.labels[kept], drawn.goal, CUTOFFS)
    assert legend_of(figure) == [NAMES[0], *NAMES[2:], "goal"]
    np.testing.assert_array_equal(class_colours(figure), class_colours(map_of(drawn))[[0, 2, 3]])


@pytest.mark.parametrize("columns", [1, 4, 6])
def test_the_legend_and_the_notes_of_a_grid_stay_within_the_figure(columns: int) -> None:
    points, labels, goal, cutoffs, *_ = case()
    note = "here class 1 is above 92.3%,\nthe last up to 87.8%"
    graphs = [f"graph {i}" for i in range(columns)]
    panels = {("mvc", graph): MapPanel(points, labels, goal, note=note) for graph in graphs}
    figure = draw_maps(panels, ["mvc"], graphs, cutoffs)
    figure.canvas.draw()
    drawn = [figure.legends[0], *(axes.xaxis.label for axes in figure.axes)]
    for one in drawn:
        box = one.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y0 >= 0


def test_a_grid_of_maps_has_a_panel_for_each_and_says_which_are_missing() -> None:
    points, labels, goal, cutoffs = case()[:4]
    panel = MapPanel(points, labels, goal)
    figure = draw_maps({("mvc", "wiki"): panel, ("im", "dblp"): panel}, ["mvc", "im"], ["wiki", "dblp"], cutoffs)
    drawn = [bool(axes.collections) for axes in figure.axes]
    assert drawn == [True, False, False, True]
    assert [[text.get_text() for text in axes.texts] for axes in figure.axes] == [[], ["no model"], ["no model"], []]
    assert [axes.get_title() for axes in figure.axes[:2]] == ["wiki", "dblp"]
    assert [axes.get_ylabel() for axes in figure.axes[::2]] == ["mvc", "im"]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == [*(class_names(cutoffs)[label - 1] for label in np.unique(labels)), "goal"]


def test_the_goal_lies_right_of_the_middle_in_every_panel() -> None:
    points, labels, goal, cutoffs = case()[:4]
    (axes,) = draw_maps({("mvc", "wiki"): MapPanel(points, labels, goal)}, ["mvc"], ["wiki"], cutoffs).axes
    middle = np.asarray(axes.collections[0].get_offsets())[:, 0].mean()
    assert np.asarray(axes.lines[0].get_xdata())[0] >= middle
