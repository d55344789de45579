"""Walks across the map, and how near they come to the goal."""

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.stats import t as student

from lense._util.measuring import standard_error
from lense._util.types import Float64s, Int64s
from lense.plots.maps import GOAL_COLOUR, Floats, class_keys, mark, scatter, turn_of
from lense.plots.style import LINES, STYLE, new_figure, whole_numbers

WALK_COLOUR = "#D55E00"

_MOST_PLACES = 250


def draw_walks(
    points: Floats, labels: Int64s, goal: Floats, cutoffs: Sequence[float], paths: Floats, distances: Floats
) -> Figure:
    """B walks of T steps: ``paths`` (T + 1, B, 2) on the map, ``distances`` (T + 1, B) to the goal.

    The map is that of :func:`~lense.plots.draw_map`.

    Left: the walk that ends at the median distance, from its start (circle) to its end (square), over the other walks,
    which are faint. Of long walks about 250 places are drawn, evenly spaced in time. Right: the mean distance after
    each step with its 95 % confidence interval, mean ± t s / sqrt(B), where t is the quantile of Student's distribution
    with B - 1 degrees of freedom.
    """
    turn = turn_of(points, goal)
    typical = int(np.argsort(distances[-1], kind="stable")[(distances.shape[1] - 1) // 2])
    with matplotlib.rc_context(STYLE):
        figure = new_figure(9.2, 4.3)
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        scatter(left, points @ turn, labels, len(cutoffs) + 1, alpha=0.4)
        ends = _draw_paths(left, paths @ turn, typical)
        star = mark(left, goal @ turn, "*", GOAL_COLOUR, 14, "goal")
        keys = [*class_keys(labels, cutoffs), star, *ends]
        figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 4))
        _draw_mean_distance(right, distances)
        left.set_title("Walks on the map of subgraphs", fontsize=10, loc="left")
        right.set_title("Distance to the goal at each step", fontsize=10, loc="left")
    return figure


def _draw_paths(axes: Axes, paths: Floats, shown: int) -> list[Line2D]:
    """Walk number ``shown`` with its start and its end over the others; the legend entries of both."""
    last = len(paths) - 1
    paths = paths[np.linspace(0, last, min(last, _MOST_PLACES) + 1).round().astype(np.int64)]
    others = np.delete(paths, shown, axis=1)
    faint: Any = {"color": "0.45", "linewidth": 0.5, "alpha": 0.4}
    axes.plot(others[:, :, 0], others[:, :, 1], zorder=2, **faint)
    axes.plot(*paths[:, shown].T, color=WALK_COLOUR, linewidth=1.0, zorder=3)
    return [
        mark(axes, paths[0, shown], "o", WALK_COLOUR, 7.5, "start of a walk"),
        mark(axes, paths[-1, shown], "s", WALK_COLOUR, 7.5, "its end"),
        *([Line2D([], [], label="the other walks", **faint)] if others.size else []),
    ]


def _draw_mean_distance(axes: Axes, distances: Floats) -> None:
    steps, mean = np.arange(len(distances)), distances.mean(axis=1)
    half = _confidence(distances)
    count = distances.shape[1]
    axes.plot(steps, mean, color=LINES[0], linewidth=1.6, label=f"mean of {count} walks" if count > 1 else "one walk")
    if count > 1:
        band: Any = {"color": LINES[0], "alpha": 0.2, "linewidth": 0, "label": "95 % confidence"}
        axes.fill_between(steps, mean - half, mean + half, **band)
    room_for_the_legend = 1.2
    axes.set_ylim(0, room_for_the_legend * (mean + half).max() or 1)
    axes.set_xlim(0, max(len(distances) - 1, 1))
    axes.set(xlabel="step", ylabel="distance to the goal")
    whole_numbers(axes)
    axes.legend(loc="upper right")


def _confidence(distances: Floats) -> Float64s:
    """Half the widths (T + 1) of the 95 % confidence intervals of the means; 0 for a single walk."""
    count = distances.shape[1]
    if count == 1:
        return np.zeros(len(distances))
    half: Float64s = student.ppf(0.975, count - 1) * np.array([standard_error(step) for step in distances])
    return half
