"""How training went, drawn."""

import math

import numpy as np
import pytest

from lense.plots import as_image, draw_training
from tests.plots.drawn import legend_of, place_of, places_of

EPOCHS = [(1, 4.0, 4.5), (2, 2.0, 2.6), (3, 1.5, 2.9)]
LOOKS = [(100, 0.9, 0.7), (200, 0.2, 0.95), (300, 0.3, 0.97)]


def test_training_shows_both_losses_with_the_lowest_held_out_one() -> None:
    axes = draw_training(EPOCHS, LOOKS).axes[0]
    learnt, held_out, ring = axes.get_lines()
    np.testing.assert_array_equal(places_of(learnt), [row[:2] for row in EPOCHS])
    np.testing.assert_array_equal(places_of(held_out), [row[::2] for row in EPOCHS])
    np.testing.assert_array_equal(place_of(ring), [2, 2.6])
    assert legend_of(axes) == ["learnt samples", "held-out samples", "lowest: 2.6"]


def test_training_shows_distances_and_ratios_with_those_of_the_nearest_policy() -> None:
    _, distance, ratio = draw_training(EPOCHS, LOOKS).axes
    for axes, column, ringed in ((distance, 1, 0.2), (ratio, 2, 0.95)):
        line, ring = axes.get_lines()
        np.testing.assert_array_equal(places_of(line), [(row[0], row[column]) for row in LOOKS])
        np.testing.assert_array_equal(place_of(ring), [200, ringed])
        assert legend_of(axes) == [f"nearest policy: {ringed}"]
    assert distance.get_ylim()[0] == 0
    assert (distance.get_ylabel(), ratio.get_ylabel()) == ("distance to the goal", "ratio")
    assert (distance.get_xlabel(), ratio.get_xlabel()) == ("", "step")
    assert distance.get_xlim() == ratio.get_xlim()


def test_a_ratio_may_be_unknown_here_and_there() -> None:
    _, distance, ratio = draw_training(EPOCHS, [(100, 0.2, math.nan), (200, 0.3, 0.9), (300, 0.4, 0.8)]).axes
    assert distance.get_xlim() == ratio.get_xlim()
    assert len(ratio.get_lines()) == 1


def test_without_ratios_there_is_no_panel_for_them() -> None:
    figure = draw_training(EPOCHS, [(step, distance, math.nan) for step, distance, _ in LOOKS])
    assert [axes.get_xlabel() for axes in figure.axes] == ["epoch", "step"]


@pytest.mark.parametrize(("encoder", "looks"), [([], []), (EPOCHS[:1], LOOKS[:1]), ([(1, math.nan, math.nan)], [])])
def test_training_that_has_hardly_begun_can_be_drawn(
    encoder: list[tuple[int, float, float]], looks: list[tuple[int, float, float]]
) -> None:
    figure = draw_training(encoder, looks)
    assert as_image(figure).min() < 255
    ticks = figure.axes[0].xaxis.get_major_ticks()
    assert len({tick.label1.get_text() for tick in ticks}) == len(ticks)
