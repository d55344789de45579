"""Maps, walks across them and curves of the training: what is in them, not which pixels."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.spatial.distance import pdist

from lense._util.types import Float64s, Int64s
from lense.plots import class_names, draw_map, draw_training, draw_walks

CUTOFFS = (0.95, 0.8, 0.6)
EPOCHS = [(1, 4.0, 4.5), (2, 2.0, 2.6), (3, 1.5, 2.9)]
POLICIES = [(100, 0.9, 0.7), (200, 0.2, 0.95), (300, 0.3, 0.97)]


class Case(NamedTuple):
    """What ``draw_walks`` takes."""

    points: Float64s
    labels: Int64s
    goal: Float64s
    cutoffs: tuple[float, ...]
    paths: Float64s
    distances: Float64s


def case(samples: int = 40, steps: int = 30, walks: int = 5) -> Case:
    """Classes in a row, from the goal at the right to the worst at the left, and walks from there to the goal."""
    rng = np.random.default_rng(0)
    labels = np.arange(samples) % 4 + 1
    points = np.stack([-3.0 * labels, np.zeros(samples)], axis=1) + rng.normal(size=(samples, 2))
    goal = points[labels == 1].mean(axis=0)
    along = np.linspace(0, 1, steps + 1)[:, None, None]
    paths = (1 - along) * [-12.0, 0.0] + along * goal + 0.3 * rng.normal(size=(steps + 1, walks, 2))
    return Case(points, labels, goal, CUTOFFS, paths, np.linalg.norm(paths - goal, axis=2))


def places_of(line: Line2D) -> Float64s:
    return np.asarray(line.get_xydata())


def marks(axes: Axes, marker: str) -> list[Float64s]:
    """The places of the lines with a marker."""
    return [places_of(line) for line in axes.get_lines() if line.get_marker() == marker]


def from_goal(axes: Axes) -> Float64s:
    """How far the samples lie from the star."""
    (star,) = marks(axes, "*")
    return np.asarray(np.linalg.norm(np.asarray(axes.collections[0].get_offsets()) - star, axis=1))


def legend(figure: Figure) -> dict[str, Any]:
    """Colours of the legend by the names there."""
    keys = figure.legends[0]
    colours = (key.get_color() for key in keys.legend_handles if isinstance(key, Line2D))
    return dict(zip((text.get_text() for text in keys.get_texts()), colours, strict=True))


@pytest.mark.parametrize("samples", [1, 300, 4000])
def test_the_map_shows_every_sample_in_the_colour_of_its_class(samples: int) -> None:
    drawn = case(samples)
    figure = draw_map(*drawn[:4])
    (axes,) = figure.axes
    expected = np.linalg.norm(drawn.points - drawn.goal, axis=1)
    shown, order = np.argsort(from_goal(axes)), np.argsort(expected)
    np.testing.assert_allclose(from_goal(axes)[shown], expected[order], atol=1e-9)
    colours = legend(figure)
    names = class_names(CUTOFFS)
    assert list(colours) == [*(names[label - 1] for label in np.unique(drawn.labels)), "goal"]
    classes = np.array([colours[names[label - 1]] for label in drawn.labels[order]])
    np.testing.assert_array_equal(np.asarray(axes.collections[0].get_facecolor())[shown, :3], classes[:, :3])


@settings(deadline=None, max_examples=10)
@given(angle=st.floats(0, 2 * math.pi), mirrored=st.booleans())
def test_however_the_map_lies_its_picture_is_wide_with_the_goal_at_the_right(angle: float, mirrored: bool) -> None:
    drawn = case()
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turn[:, 0] *= -1 if mirrored else 1
    (axes,) = draw_map(drawn.points @ turn, drawn.labels, drawn.goal @ turn, CUTOFFS).axes
    places = np.asarray(axes.collections[0].get_offsets())
    np.testing.assert_allclose(np.sort(pdist(places)), np.sort(pdist(drawn.points)), atol=1e-9)
    assert np.ptp(places[:, 0]) > np.ptp(places[:, 1])
    assert marks(axes, "*")[0][0, 0] > places[:, 0].mean()


@pytest.mark.parametrize(("steps", "walks"), [(100, 10), (5000, 3), (0, 4), (20, 1)])
def test_one_walk_stands_out_from_the_others_and_ends_at_the_median_distance(steps: int, walks: int) -> None:
    drawn = case(steps=steps, walks=walks)
    left = draw_walks(*drawn).axes[0]
    (start,), (end,), (star,) = (marks(left, marker) for marker in "os*")
    paths = marks(left, "None")
    assert len(paths) == walks
    assert all(len(path) <= 260 for path in paths)
    assert any(np.array_equal(path[[0, -1]], [*start, *end]) for path in paths)
    assert np.linalg.norm(end - star) == pytest.approx(np.sort(drawn.distances[-1])[(walks - 1) // 2])


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
    assert len(draw_walks(*case(walks=1)).axes[1].collections) == 0  # a single walk has no interval


def test_training_shows_losses_distances_and_ratios_with_the_best_of_them() -> None:
    losses, distance, ratio = draw_training(EPOCHS, POLICIES).axes
    found = [places_of(line).tolist() for line in losses.get_lines()]
    assert found == [[[row[0], row[i]] for row in EPOCHS] for i in (1, 2)] + [[[2, 2.6]]]
    for axes, column, ringed in ((distance, 1, 0.2), (ratio, 2, 0.95)):
        found = [places_of(line).tolist() for line in axes.get_lines()]
        assert found == [[[row[0], row[column]] for row in POLICIES], [[200, ringed]]]


@pytest.mark.parametrize(("encoder", "policies"), [([], []), (EPOCHS[:1], POLICIES[:1]), ([(1, math.nan, 1)], [])])
def test_training_that_has_hardly_begun_can_be_drawn(encoder: list[Any], policies: list[Any]) -> None:
    figure = draw_training(encoder, policies)
    figure.draw_without_rendering()
    ticks = figure.axes[0].xaxis.get_major_ticks()
    assert len({tick.label1.get_text() for tick in ticks}) == len(ticks)
