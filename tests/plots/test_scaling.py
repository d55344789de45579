"""The three panels of the scalability study."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from lense.plots.scaling import draw_scaling


def row(share: int, whole: float, navigation: float, heuristic: float) -> dict[str, Any]:
    return {
        "edges_pct": share,
        "speed_up": whole / (navigation + heuristic),
        "speed_up_stderr": None,
        "seconds_on_graph": whole,
        "seconds_navigation": navigation,
        "seconds_heuristic": heuristic,
        "vertices": 10 * share,
        "edges": 20 * share,
        "graph_vertices": 100 * share,
        "graph_edges": 300 * share,
        "ratio": 0.9 + share / 1000,
    }


ROWS = [row(50, 1.0, 3.0, 1.0), row(100, 8.0, 3.0, 1.0)]


def heights(axes: Axes) -> list[list[float]]:
    return [[bar.get_height() for bar in bars] for bars in axes.containers if hasattr(bars, "patches")]


def bars(axes: Axes) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_speed_ups_are_bars_from_one_and_those_below_one_are_hatched() -> None:
    axes = draw_scaling(ROWS, "title").axes[0]
    assert axes.get_yscale() == "log"
    assert heights(axes) == [[0.25 - 1, 2.0 - 1]]
    assert [bar.get_y() for bar in bars(axes)] == [1, 1]
    assert [bool(bar.get_hatch()) for bar in axes.patches] == [True, False]
    assert [text.get_text() for text in axes.texts] == ["0.25\nat 0.95", "2\nat 1.00"]


def test_run_time_is_stacked_and_the_whole_graphs_is_shown() -> None:
    axes = draw_scaling(ROWS).axes[1]
    assert heights(axes) == [[3.0, 3.0], [1.0, 1.0]]
    assert [bar.get_y() for bar in axes.containers[1].patches] == [3.0, 3.0]  # type: ignore[attr-defined]
    assert np.asarray(axes.lines[0].get_ydata()).tolist() == [1.0]
    assert [text.get_text() for text in axes.texts][2::3] == ["1", "↑ 8"]


def test_every_bar_can_be_seen_or_read_however_small_it_is() -> None:
    """A hundredth of the longest bar would be less than a line in print."""
    speed_ups, times, _ = draw_scaling([row(50, 0.02, 2.0, 0.003), row(100, 900.0, 8.0, 0.02)]).axes
    bottom, top = np.log(speed_ups.get_ylim())
    lengths = [abs(np.log(bar.get_y() + bar.get_height())) / (top - bottom) for bar in bars(speed_ups)]
    assert min(lengths) > 0.05
    assert [text.get_text() for text in times.texts] == ["2", "0.003", "0.02", "8", "0.02", "↑ 900"]
    assert len({text.get_color() for text in times.texts}) == 3


@pytest.mark.parametrize(("seconds", "unit"), [(100.0, "seconds"), (200.0, "minutes")])
def test_long_times_are_said_in_minutes(seconds: float, unit: str) -> None:
    axes = draw_scaling([row(100, 1.0, seconds, 0.0)]).axes[1]
    assert axes.get_ylabel() == f"run time in {unit}"


def test_sizes_are_lines_of_what_is_kept_and_what_there_is() -> None:
    axes = draw_scaling(ROWS).axes[2]
    assert [np.asarray(line.get_ydata()).tolist() for line in axes.lines[:4]] == [
        [15000, 30000],
        [1000, 2000],
        [5000, 10000],
        [500, 1000],
    ]
