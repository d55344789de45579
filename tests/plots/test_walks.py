"""Walks across a map, and their mean distance from the goal."""

import math

import numpy as np
import pytest

from lense.plots import draw_walks
from tests.plots.drawn import NAMES, case, legend_of, lines_with, place_of, places_of


@pytest.mark.parametrize(("steps", "walks"), [(100, 10), (5000, 3), (1, 2), (0, 4), (20, 1)])
def test_one_walk_stands_out_from_the_others(steps: int, walks: int) -> None:
    drawn = case(steps=steps, walks=walks)
    left = draw_walks(*drawn).axes[0]
    (start,), (end,) = lines_with(left, marker="o"), lines_with(left, marker="s")
    paths = lines_with(left, marker="None")
    assert len(paths) == walks
    (shown,) = [path for path in paths if path.get_color() == start.get_color()]
    assert start.get_color() == end.get_color()
    np.testing.assert_array_equal(places_of(shown)[0], place_of(start))
    np.testing.assert_array_equal(places_of(shown)[-1], place_of(end))
    assert len(places_of(shown)) <= 260
    others = [path for path in paths if path is not shown]
    assert all((other.get_alpha() or 1) < 1 and other.get_zorder() < shown.get_zorder() for other in others)


def test_the_walk_that_stands_out_ends_at_the_median_distance() -> None:
    drawn = case(walks=5)
    left = draw_walks(*drawn).axes[0]
    (end,), (star,) = lines_with(left, marker="s"), lines_with(left, marker="*")
    length = np.linalg.norm(place_of(end) - place_of(star))
    assert length == pytest.approx(np.median(drawn.distances[-1]))


def test_the_mean_distance_has_its_student_interval() -> None:
    drawn = case(walks=10)
    right = draw_walks(*drawn).axes[1]
    (line,) = right.get_lines()
    mean = drawn.distances.mean(axis=1)
    np.testing.assert_allclose(places_of(line), np.stack([np.arange(31), mean], axis=1))
    (band,) = right.collections
    corners = np.asarray(band.get_paths()[0].vertices)
    half = 2.262157 * drawn.distances.std(axis=1, ddof=1) / math.sqrt(10)
    for step in (0, 7, 30):
        heights = corners[corners[:, 0] == step, 1]
        assert heights.min() == pytest.approx(mean[step] - half[step], rel=1e-5)
        assert heights.max() == pytest.approx(mean[step] + half[step], rel=1e-5)
    assert right.get_xlim() == (0, 30)
    assert right.get_ylim()[0] == 0
    assert right.get_ylim()[1] > (mean + half).max()
    assert legend_of(right) == ["mean of 10 walks", "95 % confidence"]
    assert (right.get_xlabel(), right.get_ylabel()) == ("step", "distance to the goal")


def test_a_single_walk_has_no_interval() -> None:
    right = draw_walks(*case(walks=1)).axes[1]
    assert len(right.collections) == 0
    assert legend_of(right) == ["one walk"]


def test_the_legend_of_walks_names_everything_on_the_map() -> None:
    assert legend_of(draw_walks(*case())) == [*NAMES, "goal", "start of a walk", "its end", "the other walks"]
    assert "the other walks" not in legend_of(draw_walks(*case(walks=1)))


def test_both_panels_are_titled_by_what_they_show() -> None:
    titles = [axes.get_title(loc="left") for axes in draw_walks(*case()).axes]
    assert titles == ["Walks on the map of subgraphs", "Distance to the goal at each step"]
