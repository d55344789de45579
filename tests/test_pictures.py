"""Pictures: what is in them, not which pixels."""

import math
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.spatial.distance import pdist

from lense.errors import LenseError
from lense.pictures import (
    MapPanel,
    as_image,
    class_names,
    draw_map,
    draw_maps,
    draw_training,
    draw_walks,
    save_figure,
)
from lense.types import Float64s, Int64s

CUTOFFS = (0.95, 0.8, 0.6)
NAMES = ["1: above 95 %", "2: 80 to 95 %", "3: 60 to 80 %", "4: up to 60 %"]


class Case(NamedTuple):
    """What ``draw_walks`` takes."""

    points: Float64s
    labels: Int64s
    goal: Float64s
    cutoffs: tuple[float, ...]
    paths: Float64s
    distances: Float64s


def case(samples: int = 40, steps: int = 30, walks: int = 5, seed: int = 0) -> Case:
    """Classes in a row, from the goal at the right to the worst at the left, and walks from there to the goal."""
    rng = np.random.default_rng(seed)
    labels = np.arange(samples) % 4 + 1
    points = np.stack([-3.0 * labels, np.zeros(samples)], axis=1) + rng.normal(size=(samples, 2))
    goal = points[labels == 1].mean(axis=0)
    along = np.linspace(0, 1, steps + 1)[:, None, None]
    paths = (1 - along) * [-12.0, 0.0] + along * goal + 0.3 * rng.normal(size=(steps + 1, walks, 2))
    return Case(points, labels, goal, CUTOFFS, paths, np.linalg.norm(paths - goal, axis=2))


def map_of(drawn: Case) -> Figure:
    return draw_map(*drawn[:4])


def samples_of(axes: Axes) -> tuple[Float64s, Float64s]:
    """Places (N, 2) and colours (N, 4) of the samples drawn."""
    (scatter,) = axes.collections
    return np.asarray(scatter.get_offsets()), np.asarray(scatter.get_facecolor())


def class_colours(figure: Figure) -> Float64s:
    """Colours (K, 4) of the classes in the legend of a map."""
    *classes, _goal = figure.legends[0].legend_handles
    return np.array([key.get_color() for key in classes if isinstance(key, Line2D)])


def lines_with(axes: Axes, marker: str) -> list[Line2D]:
    return [line for line in axes.get_lines() if line.get_marker() == marker]


def places_of(line: Line2D) -> Float64s:
    return np.asarray(line.get_xydata())


def place_of(mark: Line2D) -> Float64s:
    (place,) = places_of(mark)
    return np.asarray(place)


def legend_of(drawn: Figure | Axes) -> list[str]:
    legend = drawn.legends[0] if isinstance(drawn, Figure) else drawn.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


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


def test_the_legend_names_the_classes_and_the_goal() -> None:
    assert legend_of(map_of(case())) == [*NAMES, "goal"]


def test_a_class_without_samples_is_left_out_and_the_others_keep_their_colours() -> None:
    drawn = case()
    kept = drawn.labels != 2
    figure = draw_map(drawn.points[kept], drawn.labels[kept], drawn.goal, CUTOFFS)
    assert legend_of(figure) == [NAMES[0], *NAMES[2:], "goal"]
    np.testing.assert_array_equal(class_colours(figure), class_colours(map_of(drawn))[[0, 2, 3]])


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
    assert legend_of(draw_walks(*case())) == [*NAMES, "goal", "start of a walk", "its end"]


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


def test_an_image_is_bytes_with_three_colours() -> None:
    figure = map_of(case())
    image = as_image(figure)
    width, height = (figure.get_size_inches() * figure.dpi).round().astype(int)
    assert image.dtype == np.uint8
    assert image.shape == (height, width, 3)
    assert image.max() == 255 > image.min()


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.png", b"\x89PNG"),
        ("a.PNG", b"\x89PNG"),
        ("a.svg", b"<?xml"),
        ("b.map.svg", b"<?xml"),
        ("a.pdf", b"%PDF"),
    ],
)
def test_the_name_tells_the_format_and_the_bytes_are_the_same_again(
    name: str, beginning: bytes, tmp_path: Path
) -> None:
    written = []
    for _ in range(2):
        save_figure(draw_walks(*case()), tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0].startswith(beginning)
    assert written[0] == written[1]
    assert b"CreationDate" not in written[0]
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.gif", "a", ".png", "a.png.gz"])
def test_other_names_are_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=r"cannot be drawn: .* \.png or \.svg or \.pdf\.$"):
        save_figure(map_of(case()), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_drawing_leaves_the_old_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"old")
    figure = map_of(case())
    figure.set_size_inches(1e6, 1e6)
    with pytest.raises((ValueError, MemoryError)):
        save_figure(figure, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_no_display_is_ever_looked_for() -> None:
    script = "import sys, lense.pictures; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


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
