"""Pictures of a model: its map of subgraphs, walks across the map, and curves of the training."""

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike
from scipy.stats import sem
from scipy.stats import t as student

from lense._util.types import Float32s, Float64s, Int64s
from lense.plots.style import LINES, new_figure, styled, whole_numbers

Floats = Float32s | Float64s
Curves = Sequence[tuple[int, float, float]]
MapArrays = tuple[ArrayLike, ArrayLike, ArrayLike]
"""The labelled samples (N, 2) of a map, their labels (N), and the goal (2)."""

GOAL_COLOUR, WALK_COLOUR = "#F0E442", "#D55E00"


@styled
def draw_map(points: Floats, labels: Int64s, goal: Floats, cutoffs: Sequence[float]) -> Figure:
    """Draw the labelled samples of a map; the legend gives the ratios of each class that has samples.

    Directions and units mean nothing on the map, so it is turned to have the goal on the right, and scaled to fill the
    picture.

    Parameters
    ----------
    points, labels
        The samples (N, 2) and their classes (N), numbered 1..K with K = len(cutoffs) + 1.
    goal
        The goal (2).
    cutoffs
        The ratios between classes, from the highest.
    """
    figure = new_figure(6.4, 4.2)
    _, star = _draw_samples(figure.add_subplot(), (points, labels, goal), cutoffs)
    keys = [*_class_keys(labels, cutoffs), star]
    figure.legend(handles=keys, loc="outside right upper", title="class: ratio", alignment="left")
    return figure


@styled
def draw_maps(
    panels: Mapping[tuple[str, str], MapArrays],
    rows: Sequence[str],
    columns: Sequence[str],
    cutoffs: Sequence[float],
    notes: Mapping[tuple[str, str], str],
) -> Figure:
    """Draw maps as in :func:`draw_map` in a grid; each fills its panel, so distances compare only within a panel.

    Parameters
    ----------
    panels
        Samples, labels and goal by the names of row and column; some may be missing.
    rows, columns
        The names of all rows and columns.
    cutoffs
        The ratios between classes, from the highest.
    notes
        What stands below a panel, by the names of row and column.
    """
    width, height = (2.0, 1.75) if len(columns) > 3 else (2.8, 2.5)
    figure = new_figure(max(width * len(columns) + 0.3, 4.2), height * len(rows) + 0.8)
    grid = figure.subplots(len(rows), len(columns), squeeze=False)
    keys = _class_keys(np.concatenate([np.asarray(labels) for _, labels, _ in panels.values()]), cutoffs)
    star = None
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        axes = grid[i, j]
        axes.set(xticks=[], yticks=[])
        if (row, column) in panels:
            _, star = _draw_samples(axes, panels[row, column], cutoffs, sizes=(3, 10), star=11)
            axes.set_xlabel(notes.get((row, column), ""), fontsize=8, color="0.35")
        else:
            axes.text(0.5, 0.5, "no model", ha="center", va="center", color="0.5", transform=axes.transAxes)
        axes.spines[:].set(visible=True, color="0.85")
        if i == 0:
            axes.set_title(column, loc="center")
        if j == 0:
            axes.set_ylabel(row)
    keys += [] if star is None else [star]
    fitting = int(figure.get_figwidth() / 1.36)
    figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), fitting))
    return figure


@styled
def draw_walks(
    points: Floats, labels: Int64s, goal: Floats, cutoffs: Sequence[float], paths: Floats, distances: Floats
) -> Figure:
    """Draw walks across the map, and their mean distance to the goal after each step.

    On the map, the walk that ends at the median distance, from its start (circle) to its end (square), is above the
    others, which are faint. The mean distance has its 95 % confidence interval by Student's distribution.

    Parameters
    ----------
    points, labels, goal, cutoffs
        As in :func:`draw_map`.
    paths
        Places (T + 1, B, 2) of B walks of T steps on the map.
    distances
        Their distances (T + 1, B) to the goal.
    """
    figure = new_figure(9.2, 4.3)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    turn, star = _draw_samples(left, (points, labels, goal), cutoffs, alpha=0.4)
    ends = _draw_paths(left, paths @ turn, median_walk(distances[-1]))
    keys = [*_class_keys(labels, cutoffs), star, *ends]
    figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 4))
    _draw_mean_distance(right, distances)
    left.set_title("Walks on the map of subgraphs")
    right.set_title("Distance to the goal at each step")
    return figure


def class_names(cutoffs: Sequence[float]) -> list[str]:
    """Name the classes by their ratios: "1: above 95 %", "2: 80 to 95 %", ..., "4: up to 60 %".

    Parameters
    ----------
    cutoffs
        The ratios between classes, from the highest.

    Returns
    -------
    list of str
        One name more than there are cut-offs.
    """
    percents = [f"{100 * cutoff:g}" for cutoff in cutoffs]
    between = [f"{low} to {high} %" for high, low in pairwise(percents)]
    ranges = [f"above {percents[0]} %", *between, f"up to {percents[-1]} %"]
    return [f"{number}: {text}" for number, text in enumerate(ranges, start=1)]


def class_colours(num_classes: int) -> Float64s:
    """Colours (K, 4) of the classes, from dark for the best to light, which also work without colour vision."""
    colours: Float64s = matplotlib.colormaps["YlGnBu"](np.linspace(1.0, 0.35, num_classes))
    return colours


def turn_of(points: Floats, goal: Floats) -> Float64s:
    """The rotation (2, 2) after which ``points`` vary most along the first axis, with the goal right of their mean."""
    centre = points.mean(axis=0)
    along = np.linalg.svd(points - centre, full_matrices=False)[2][0]
    x, y = along if (goal - centre) @ along >= 0 else -along
    return np.array([[x, -y], [y, x]])


def _class_keys(labels: Int64s, cutoffs: Sequence[float]) -> list[Line2D]:
    """Legend entries of the classes that have samples."""
    colours, names = class_colours(len(cutoffs) + 1), class_names(cutoffs)
    style: Any = {"linestyle": "none", "marker": "o", "markersize": 6, "markeredgewidth": 0}
    return [Line2D([], [], color=colours[label - 1], label=names[label - 1], **style) for label in np.unique(labels)]


def _draw_samples(
    axes: Axes,
    panel: MapArrays,
    cutoffs: Sequence[float],
    *,
    alpha: float = 0.85,
    sizes: tuple[float, float] = (5, 22),
    star: float = 14,
) -> tuple[Float64s, Line2D]:
    """The samples and the goal; how the map was turned, and the goal's mark."""
    points, labels, goal = map(np.asarray, panel)
    turn = turn_of(points, goal)
    order = np.random.default_rng(0).permutation(labels.size)  # so that where classes overlap none hides another
    colours = class_colours(len(cutoffs) + 1)[labels[order] - 1]
    size = np.clip(6000 / max(labels.size, 1), *sizes)
    x, y = (points @ turn)[order].T
    axes.scatter(x, y, s=size, c=colours, alpha=alpha, linewidths=0, rasterized=True)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    return turn, _mark(axes, goal @ turn, "*", GOAL_COLOUR, star, "goal", zorder=6)


def _mark(axes: Axes, point: Floats, marker: str, colour: str, size: float, name: str, *, zorder: float = 5) -> Line2D:
    """One point, marked to stand out."""
    style: Any = {"color": colour, "markersize": size, "markeredgecolor": "black", "markeredgewidth": 0.9}
    (line,) = axes.plot(*np.asarray(point).reshape(2, 1), marker, zorder=zorder, label=name, **style)
    return line


def median_walk(last: Floats) -> int:
    """Which of the walks ends at the median of the ``last`` distances (B)."""
    return int(np.argsort(last, kind="stable")[(last.size - 1) // 2])


def _draw_paths(axes: Axes, paths: Floats, shown: int) -> list[Line2D]:
    """Walk number ``shown`` with its start and its end over the others; the legend entries of both."""
    last = len(paths) - 1
    paths = paths[np.linspace(0, last, min(last, 250) + 1).round().astype(np.int64)]
    others = np.delete(paths, shown, axis=1)
    faint: Any = {"color": "0.45", "linewidth": 0.5, "alpha": 0.4}
    axes.plot(others[:, :, 0], others[:, :, 1], zorder=2, **faint)
    axes.plot(*paths[:, shown].T, color=WALK_COLOUR, linewidth=1.0, zorder=3)
    return [
        _mark(axes, paths[0, shown], "o", WALK_COLOUR, 7.5, "start of a walk"),
        _mark(axes, paths[-1, shown], "s", WALK_COLOUR, 7.5, "its end"),
        *([Line2D([], [], label="the other walks", **faint)] if others.size else []),
    ]


def _draw_mean_distance(axes: Axes, distances: Floats) -> None:
    (length, count), mean = distances.shape, distances.mean(axis=1)
    steps, half = np.arange(length), np.zeros(length)
    axes.plot(steps, mean, color=LINES[0], linewidth=1.6, label=f"mean of {count} walks" if count > 1 else "one walk")
    if count > 1:
        half = student.ppf(0.975, count - 1) * sem(distances, axis=1)
        band: Any = {"color": LINES[0], "alpha": 0.2, "linewidth": 0, "label": "95 % confidence"}
        axes.fill_between(steps, mean - half, mean + half, **band)
    room_for_the_legend = 1.2
    axes.set(xlabel="step", xlim=(0, max(length - 1, 1)))
    axes.set(ylabel="distance to the goal", ylim=(0, room_for_the_legend * (mean + half).max() or 1))
    whole_numbers(axes)
    axes.legend(loc="upper right")


@styled
def draw_training(encoder: Curves, evaluations: Curves) -> Figure:
    """Draw the curves of a training; the lowest held-out loss and the shortest distance are marked.

    Parameters
    ----------
    encoder
        Epoch, loss and held-out loss of each epoch.
    evaluations
        Step, distance and ratio, or NaN, of each evaluation; the ratio has a panel if any is known.
    """
    (epochs, learnt, held_out), (steps, distances, ratios) = (
        np.array(rows, dtype=np.float64).reshape(-1, 3).T for rows in (encoder, evaluations)
    )
    curves = [
        ("epoch", "loss", epochs, {"learnt samples": learnt, "held-out samples": held_out}, held_out, "lowest"),
        ("step", "distance to the goal", steps, {"": distances}, distances, "nearest policy"),
        ("step", "ratio", steps, {"": ratios}, distances, "nearest policy"),
    ]
    if not np.isfinite(ratios).any():
        del curves[-1]
    figure = new_figure(4.2 * len(curves), 3.2)
    for axes, (x, y, places, lines, by, best) in zip(figure.subplots(1, len(curves)), curves, strict=True):
        for (name, values), colour in zip(lines.items(), LINES, strict=False):
            axes.plot(places, values, color=colour, linewidth=1.4, marker="." if x == "step" else "", label=name)
        _ring_lowest(axes, places, values, by, best)
        axes.set(xlabel=x, ylabel=y)
        whole_numbers(axes)
    return figure


def _ring_lowest(axes: Axes, xs: Float64s, ys: Float64s, by: Float64s, name: str) -> None:
    """Draw a ring around the value where ``by`` is lowest, if both are known, and name it in the legend."""
    if np.isfinite(by).any() and np.isfinite(ys[at := int(np.nanargmin(by))]):
        style: Any = {"marker": "o", "markersize": 9, "markerfacecolor": "none", "color": "black", "linestyle": "none"}
        axes.add_line(Line2D([xs[at]], [ys[at]], label=f"{name}: {ys[at]:.3g}", clip_on=False, **style))
        axes.legend(loc="best")
