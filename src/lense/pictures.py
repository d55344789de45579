"""Pictures of the method: the map with its classes, walks across it, and how training went.

Colours run from dark for the best class to light for the worst in one scale that people of any colour vision, and
printers without colour, can tell apart. Nothing here needs a display.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from scipy.stats import t as student

from lense.errors import LenseError
from lense.files import replacing
from lense.types import Float32s, Float64s, Int64s

Floats = Float32s | Float64s

Rows = Sequence[tuple[int, float, float]]

_SCALE = "YlGnBu"
_DARKEST, _LIGHTEST = 1.0, 0.35
WALK_COLOUR = "#D55E00"
GOAL_COLOUR = "#F0E442"
_LINES = ("#225EA8", "#D55E00")
_FORMATS: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""The formats, and what each must not tell, so that the same figure gives the same bytes."""
_MOST_PLACES = 250
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.4",
    "axes.linewidth": 0.8,
    "xtick.color": "0.4",
    "ytick.color": "0.4",
    "xtick.labelcolor": "0.15",
    "ytick.labelcolor": "0.15",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.title_fontsize": 9,
    "legend.handletextpad": 0.5,
    "legend.handlelength": 1.5,
    "svg.hashsalt": "lense",
    "pdf.fonttype": 42,  # whole fonts, since publishers refuse Type 3
}


_KEY_WIDTH = 1.36
"""Inches that the name of a class takes in a legend."""


def draw_map(points: Floats, labels: Int64s, goal: Floats, cutoffs: Sequence[float]) -> Figure:
    """The samples at ``points`` (N, 2), coloured by their ``labels`` (N), and the ``goal`` (2).

    Labels are 1..K with K = len(cutoffs) + 1; the legend tells the ratios of each class that has samples. Neither
    directions nor units mean anything on the map, so it fills the picture, with the goal towards the right.
    """
    turn = turn_of(points, goal)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(6.4, 4.2)
        axes = figure.add_subplot()
        _scatter(axes, points @ turn, labels, len(cutoffs) + 1)
        star = _mark(axes, goal @ turn, "*", GOAL_COLOUR, 14, "goal")
        keys = [*_class_keys(labels, cutoffs), star]
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
    """Maps as in :func:`draw_map` in a grid, by the names of its ``rows`` and ``columns``; some panels may be missing.

    Each map fills its panel, so that distances compare within a panel alone. Its note stands below it, and the
    ``remark`` below all of them.
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
                _scatter(axes, panel.points @ turn, panel.labels, len(cutoffs) + 1, sizes=(3, 10))
                axes.spines[:].set_visible(True)
                star = _mark(axes, panel.goal @ turn, "*", GOAL_COLOUR, 11, "goal")
                axes.set_xlabel(panel.note, fontsize=8, color="0.35")
            if i == 0:
                axes.set_title(column, fontsize=10)
            if j == 0:
                axes.set_ylabel(row)
        labels = np.concatenate([panel.labels for panel in panels.values()]) if panels else np.array([], np.int64)
        keys = [*_class_keys(labels, cutoffs), *([] if star is None else [star])]
        if keys:
            fitting = int(figure.get_figwidth() / _KEY_WIDTH)
            figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), fitting), title=remark)
    return figure


def draw_walks(
    points: Floats, labels: Int64s, goal: Floats, cutoffs: Sequence[float], paths: Floats, distances: Floats
) -> Figure:
    """B walks of T steps: ``paths`` (T + 1, B, 2) on the map of :func:`draw_map`, ``distances`` (T + 1, B) to the goal.

    Left, the walk that ends at the median distance, from its start (circle) to its end (square), over the others, which
    are faint; long walks are drawn through some 250 of their places, evenly spaced in time. Right, the mean distance
    after each step with its 95 % confidence interval, mean ± t s / sqrt(B), where t is the quantile of Student's
    distribution with B - 1 degrees of freedom.
    """
    turn = turn_of(points, goal)
    typical = int(np.argsort(distances[-1], kind="stable")[(distances.shape[1] - 1) // 2])
    with matplotlib.rc_context(STYLE):
        figure = new_figure(9.2, 4.3)
        left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
        _scatter(left, points @ turn, labels, len(cutoffs) + 1, alpha=0.4)
        ends = _draw_paths(left, paths @ turn, typical)
        star = _mark(left, goal @ turn, "*", GOAL_COLOUR, 14, "goal")
        keys = [*_class_keys(labels, cutoffs), star, *ends]
        figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 7))
        _draw_mean_distance(right, distances)
    return figure


def draw_training(encoder: Rows, looks: Rows) -> Figure:
    """How training went. ``encoder``: (epoch, loss, held-out loss). ``looks``: (step, distance, ratio or nan).

    The lowest held-out loss and the shortest distance are marked; the ratio has a panel if any is known.
    """
    has_ratios = any(np.isfinite(ratio) for _, _, ratio in looks)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(9.2, 3.6)
        panels = figure.subplot_mosaic("LD;LR" if has_ratios else "LD")
        _draw_losses(panels["L"], *_columns(encoder))
        steps, distances, ratios = _columns(looks)
        nearest = _lowest(distances)
        _draw_looks(panels["D"], steps, distances, nearest, "distance to the goal")
        panels["D"].set_ylim(bottom=0)
        if has_ratios:
            panels["R"].sharex(panels["D"])
            _draw_looks(panels["R"], steps, ratios, nearest, "ratio")
            panels["D"].set_xlabel("")
            panels["D"].tick_params(labelbottom=False)
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure as PNG, SVG or PDF, as the name of the file says; the same figure gives the same bytes."""
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise LenseError(f"{path} cannot be drawn: give the picture a name that ends in {' or '.join(_FORMATS)}.")
    with matplotlib.rc_context(STYLE), replacing(path) as part:
        figure.savefig(part, format=suffix.removeprefix("."), dpi=200, metadata=_FORMATS[suffix])


def as_image(figure: Figure) -> NDArray[np.uint8]:
    """The figure as bytes (height, width, 3): red, green and blue."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.array(canvas.buffer_rgba(), dtype=np.uint8)[:, :, :3].copy()  # type: ignore[no-untyped-call]


def class_names(cutoffs: Sequence[float]) -> list[str]:
    """The classes by their ratios: "1: above 95 %", "2: 80 to 95 %", ..., "4: up to 60 %"."""
    percents = [f"{100 * cutoff:g}" for cutoff in cutoffs]
    between = [f"{low} to {high} %" for high, low in pairwise(percents)]
    ranges = [f"above {percents[0]} %", *between, f"up to {percents[-1]} %"]
    return [f"{number}: {text}" for number, text in enumerate(ranges, start=1)]


def new_figure(width: float, height: float) -> Figure:
    margins = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08)
    figure = Figure(figsize=(width, height), dpi=120, layout=margins)
    FigureCanvasAgg(figure)
    return figure


def turn_of(points: Floats, goal: Floats) -> Float64s:
    """The rotation (2, 2) after which ``points`` vary most along the first axis, with the goal right of their mean."""
    centre = points.mean(axis=0)
    along = np.linalg.svd(points - centre, full_matrices=False)[2][0]
    x, y = along if (goal - centre) @ along >= 0 else -along
    return np.array([[x, -y], [y, x]])


def class_colours(num_classes: int) -> Float64s:
    """Colours (K, 4) of the classes, the best first."""
    colours: Float64s = matplotlib.colormaps[_SCALE](np.linspace(_DARKEST, _LIGHTEST, num_classes))
    return colours


def _class_keys(labels: Int64s, cutoffs: Sequence[float]) -> list[Line2D]:
    """Legend entries of the classes that have samples."""
    colours, names = class_colours(len(cutoffs) + 1), class_names(cutoffs)
    style: Any = {"linestyle": "none", "marker": "o", "markersize": 6, "markeredgewidth": 0}
    return [Line2D([], [], color=colours[label - 1], label=names[label - 1], **style) for label in np.unique(labels)]


def _scatter(
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


def _mark(axes: Axes, point: Floats, marker: str, colour: str, size: float, name: str) -> Line2D:
    """One point that stands out from all others."""
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


def _draw_paths(axes: Axes, paths: Floats, shown: int) -> list[Line2D]:
    """Walk number ``shown`` with its start and its end over the others; the legend entries of its ends."""
    last = len(paths) - 1
    paths = paths[np.linspace(0, last, min(last, _MOST_PLACES) + 1).round().astype(np.int64)]
    others = np.delete(paths, shown, axis=1)
    axes.plot(others[:, :, 0], others[:, :, 1], color="0.45", linewidth=0.5, alpha=0.4, zorder=2)
    axes.plot(*paths[:, shown].T, color=WALK_COLOUR, linewidth=1.0, zorder=3)
    return [
        _mark(axes, paths[0, shown], "o", WALK_COLOUR, 7.5, "start of a walk"),
        _mark(axes, paths[-1, shown], "s", WALK_COLOUR, 7.5, "its end"),
    ]


def _draw_mean_distance(axes: Axes, distances: Floats) -> None:
    steps, mean = np.arange(len(distances)), distances.mean(axis=1)
    half = _confidence(distances)
    count = distances.shape[1]
    axes.plot(steps, mean, color=_LINES[0], linewidth=1.6, label=f"mean of {count} walks" if count > 1 else "one walk")
    if count > 1:
        band: Any = {"color": _LINES[0], "alpha": 0.2, "linewidth": 0, "label": "95 % confidence"}
        axes.fill_between(steps, mean - half, mean + half, **band)
    room_for_the_legend = 1.2
    axes.set_ylim(0, room_for_the_legend * (mean + half).max() or 1)
    axes.set_xlim(0, max(len(distances) - 1, 1))
    axes.set(xlabel="step", ylabel="distance to the goal")
    _whole_numbers(axes)
    axes.legend(loc="upper right")


def _confidence(distances: Floats) -> Float64s:
    """Half the widths (T + 1) of the 95 % confidence intervals of the means; 0 for a single walk."""
    count = distances.shape[1]
    if count == 1:
        return np.zeros(len(distances))
    half: Float64s = student.ppf(0.975, count - 1) * distances.std(axis=1, ddof=1) / np.sqrt(count)
    return half


def _columns(rows: Rows) -> Float64s:
    return np.array(rows, dtype=np.float64).reshape(-1, 3).T


def _draw_losses(axes: Axes, epochs: Float64s, loss: Float64s, held_out: Float64s) -> None:
    axes.plot(epochs, loss, color=_LINES[0], linewidth=1.4, label="learnt samples")
    axes.plot(epochs, held_out, color=_LINES[1], linewidth=1.4, label="held-out samples")
    _ring(axes, epochs, held_out, _lowest(held_out), "lowest")
    axes.set(xlabel="epoch", ylabel="loss")
    _whole_numbers(axes)


def _draw_looks(axes: Axes, steps: Float64s, values: Float64s, nearest: int | None, name: str) -> None:
    axes.plot(steps, values, color=_LINES[0], linewidth=1.4, marker=".")
    _ring(axes, steps, values, nearest, "nearest policy")
    axes.set(xlabel="step", ylabel=name)
    _whole_numbers(axes)


def _lowest(values: Float64s) -> int | None:
    return int(np.nanargmin(values)) if np.isfinite(values).any() else None


def _ring(axes: Axes, xs: Float64s, ys: Float64s, at: int | None, name: str) -> None:
    """Ring value number ``at``, if it is known, and tell it in the legend."""
    if at is not None and np.isfinite(ys[at]):
        style: Any = {"marker": "o", "markersize": 9, "markerfacecolor": "none", "color": "black", "linestyle": "none"}
        axes.add_line(Line2D([xs[at]], [ys[at]], label=f"{name}: {ys[at]:.3g}", clip_on=False, **style))
        axes.legend(loc="best")


def _whole_numbers(axes: Axes) -> None:
    """Few ticks along the horizontal axis, with commas between thousands."""
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter("{x:,.0f}")
