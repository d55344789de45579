"""The map of subgraphs with its classes.

Colours run from dark for the best class to light for the worst. The scale works for people of any colour vision, and
on printers without colour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lense._util.types import Float32s, Float64s, Int64s
from lense.plots.style import STYLE, new_figure

Floats = Float32s | Float64s

GOAL_COLOUR = "#F0E442"

_SCALE = "YlGnBu"
_DARKEST, _LIGHTEST = 1.0, 0.35
_KEY_WIDTH = 1.36
"""The width in inches of the name of a class in a legend."""


def draw_map(points: Floats, labels: Int64s, goal: Floats, cutoffs: Sequence[float]) -> Figure:
    """The samples at ``points`` (N, 2), coloured by their ``labels`` (N), and the ``goal`` (2).

    Labels are 1..K with K = len(cutoffs) + 1; the legend gives the ratios of each class that has samples. Directions
    and units mean nothing on the map, so it is turned to have the goal on the right, and scaled to fill the picture.
    """
    turn = turn_of(points, goal)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(6.4, 4.2)
        axes = figure.add_subplot()
        scatter(axes, points @ turn, labels, len(cutoffs) + 1)
        star = mark(axes, goal @ turn, "*", GOAL_COLOUR, 14, "goal")
        keys = [*class_keys(labels, cutoffs), star]
        figure.legend(handles=keys, loc="outside right upper", title="class: ratio", alignment="left")
    return figure


@dataclass(frozen=True)
class MapPanel:
    """What :func:`draw_map` shows, as one panel of many."""

    points: Floats
    labels: Int64s
    goal: Floats
    note: str = ""


def draw_maps(
    panels: Mapping[tuple[str, str], MapPanel],
    rows: Sequence[str],
    columns: Sequence[str],
    cutoffs: Sequence[float],
    remark: str = "",
) -> Figure:
    """Maps as in :func:`draw_map` in a grid with names of ``rows`` and ``columns``; some panels may be missing.

    Each map fills its panel, so distances compare only within a panel. The note of a panel is below it, and the
    ``remark`` is below all panels.
    """
    width, height = (2.0, 1.75) if len(columns) > 3 else (2.8, 2.5)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(max(width * len(columns) + 0.3, 4.2), height * len(rows) + 0.8)
        grid = figure.subplots(len(rows), len(columns), squeeze=False)
        star = None
        for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
            axes, panel = grid[i, j], panels.get((row, column))
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set(visible=True, color="0.85")
            if panel is None:
                axes.text(0.5, 0.5, "no model", ha="center", va="center", color="0.5", transform=axes.transAxes)
            else:
                turn = turn_of(panel.points, panel.goal)
                scatter(axes, panel.points @ turn, panel.labels, len(cutoffs) + 1, sizes=(3, 10))
                axes.spines[:].set_visible(True)
                star = mark(axes, panel.goal @ turn, "*", GOAL_COLOUR, 11, "goal")
                axes.set_xlabel(panel.note, fontsize=8, color="0.35")
            if i == 0:
                axes.set_title(column, fontsize=10)
            if j == 0:
                axes.set_ylabel(row)
        labels = np.concatenate([panel.labels for panel in panels.values()]) if panels else np.array([], np.int64)
        keys = [*class_keys(labels, cutoffs), *([] if star is None else [star])]
        if keys:
            fitting = int(figure.get_figwidth() / _KEY_WIDTH)
            figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), fitting), title=remark)
    return figure


def class_names(cutoffs: Sequence[float]) -> list[str]:
    """The classes by their ratios: "1: above 95 %", "2: 80 to 95 %", ..., "4: up to 60 %"."""
    percents = [f"{100 * cutoff:g}" for cutoff in cutoffs]
    between = [f"{low} to {high} %" for high, low in pairwise(percents)]
    ranges = [f"above {percents[0]} %", *between, f"up to {percents[-1]} %"]
    return [f"{number}: {text}" for number, text in enumerate(ranges, start=1)]


def class_colours(num_classes: int) -> Float64s:
    """Colours (K, 4) of the classes, the best first."""
    colours: Float64s = matplotlib.colormaps[_SCALE](np.linspace(_DARKEST, _LIGHTEST, num_classes))
    return colours


def turn_of(points: Floats, goal: Floats) -> Float64s:
    """The rotation (2, 2) after which ``points`` vary most along the first axis, with the goal right of their mean."""
    centre = points.mean(axis=0)
    along = np.linalg.svd(points - centre, full_matrices=False)[2][0]
    x, y = along if (goal - centre) @ along >= 0 else -along
    return np.array([[x, -y], [y, x]])


def class_keys(labels: Int64s, cutoffs: Sequence[float]) -> list[Line2D]:
    """Legend entries of the classes that have samples."""
    colours, names = class_colours(len(cutoffs) + 1), class_names(cutoffs)
    style: Any = {"linestyle": "none", "marker": "o", "markersize": 6, "markeredgewidth": 0}
    return [Line2D([], [], color=colours[label - 1], label=names[label - 1], **style) for label in np.unique(labels)]


def scatter(
    axes: Axes,
    points: Floats,
    labels: Int64s,
    num_classes: int,
    alpha: float = 0.85,
    sizes: tuple[float, float] = (5, 22),
) -> None:
    """The samples in random order, so that where classes overlap no class hides another."""
    order = np.random.default_rng(0).permutation(labels.size)
    size = np.clip(6000 / max(labels.size, 1), *sizes)
    axes.scatter(
        points[order, 0],
        points[order, 1],
        s=size,
        c=class_colours(num_classes)[labels[order] - 1],
        alpha=alpha,
        linewidths=0,
        rasterized=True,
    )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)


def mark(axes: Axes, point: Floats, marker: str, colour: str, size: float, name: str) -> Line2D:
    """One point, marked to stand out."""
    (mark,) = axes.plot(
        *np.asarray(point).reshape(2, 1),
        marker,
        color=colour,
        markersize=size,
        markeredgecolor="black",
        markeredgewidth=0.9,
        zorder=5,
        label=name,
    )
    return mark
