"""Walks across a map with their mean distance from the goal, and curves of the training."""

import math

import numpy as np
import pytest

from lense.plots import as_image, draw_training, draw_walks
from tests.plots.drawn import case, lines_with, place_of, places_of

EPOCHS = [(1, 4.0, 4.5), (2, 2.0, 2.6), (3, 1.5, 2.9)]
POLICIES = [(100, 0.9, 0.7), (200, 0.2, 0.95), (300, 0.3, 0.97)]


@pytest.mark.parametrize(("steps", "walks"), [(100, 10), (5000, 3), (0, 4), (20, 1)])
def test_one_walk_stands_out_from_the_others_and_ends_at_the_median_distance(steps: int, walks: int) -> None:
    drawn = case(steps=steps, walks=walks)
    left = draw_walks(*drawn).axes[0]
    (start,), (end,), (star,) = (lines_with(left, marker) for marker in "os*")
    paths = lines_with(left, marker="None")
    assert len(paths) == walks
    (shown,) = [path for path in paths if path.get_color() == start.get_color()]
    np.testing.assert_array_equal(places_of(shown)[0], place_of(start))
    np.testing.assert_array_equal(places_of(shown)[-1], place_of(end))
    assert len(places_of(shown)) <= 260
    length = np.linalg.norm(place_of(end) - place_of(star))
    assert length == pytest.approx(np.sort(drawn.distances[-1])[(walks - 1) // 2])


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


def test_training_shows_both_losses_with_the_lowest_held_out_one() -> None:
    axes = draw_training(EPOCHS, POLICIES).axes[0]
    learnt, held_out, ring = axes.get_lines()
    np.testing.assert_array_equal(places_of(learnt), [row[:2] for row in EPOCHS])
    np.testing.assert_array_equal(places_of(held_out), [row[::2] for row in EPOCHS])
    np.testing.assert_array_equal(place_of(ring), [2, 2.6])


def test_training_shows_distances_and_ratios_with_those_of_the_nearest_policy() -> None:
    _, distance, ratio = draw_training(EPOCHS, POLICIES).axes
    for axes, column, ringed in ((distance, 1, 0.2), (ratio, 2, 0.95)):
        line, ring = axes.get_lines()
        np.testing.assert_array_equal(places_of(line), [(row[0], row[column]) for row in POLICIES])
        np.testing.assert_array_equal(place_of(ring), [200, ringed])
    assert distance.get_xlim() == ratio.get_xlim()


def test_a_ratio_may_be_unknown_here_and_there_or_everywhere() -> None:
    _, _, ratio = draw_training(EPOCHS, [(100, 0.2, math.nan), (200, 0.3, 0.9), (300, 0.4, 0.8)]).axes
    assert len(ratio.get_lines()) == 1
    figure = draw_training(EPOCHS, [(step, distance, math.nan) for step, distance, _ in POLICIES])
    assert [axes.get_xlabel() for axes in figure.axes] == ["epoch", "step"]


@pytest.mark.parametrize(
    ("encoder", "policies"), [([], []), (EPOCHS[:1], POLICIES[:1]), ([(1, math.nan, math.nan)], [])]
)
def test_training_that_has_hardly_begun_can_be_drawn(
    encoder: list[tuple[int, float, float]], policies: list[tuple[int, float, float]]
) -> None:
    figure = draw_training(encoder, policies)
    assert as_image(figure).min() < 255
    ticks = figure.axes[0].xaxis.get_major_ticks()
    assert len({tick.label1.get_text() for tick in ticks}) == len(ticks)
