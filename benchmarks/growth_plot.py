"""The picture of how times grow: one curve for each operation, named at its start, over lines of linear growth."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from scipy.optimize import isotonic_regression

from lense.plots import STYLE, new_figure, save_figure

# by Okabe and Ito, for people of any colour vision; without their yellow, which is hard to see on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#332288", "#8B5A2B")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
NAME_SPACING = 0.27
"""The least distance of two names, in powers of ten."""


@dataclass(frozen=True)
class Curve:
    """Times, in units of the picture, over numbers of edges."""

    name: str
    edges: Sequence[float]
    times: Sequence[float]


def draw(curves: Sequence[Curve], references: Sequence[str], path: Path) -> None:
    """Write the picture; curves named in ``references`` are black, and the first of them is the unit."""
    with matplotlib.rc_context(STYLE):
        figure = new_figure(8, 5.4)
        axes = figure.add_subplot(xscale="log", yscale="log")
        _draw_curves(axes, curves, references)
        _draw_guides(axes, curves)
        axes.set(xlabel="edges", ylabel=f"time, in units of {references[0]} over the smallest graph")
    save_figure(figure, path)


def _draw_curves(axes: Axes, curves: Sequence[Curve], references: Sequence[str]) -> None:
    left, _ = _ends(curves)
    heights = name_heights([curve.times[0] for curve in curves])
    styles = iter(zip(COLOURS, MARKERS, strict=True))
    for curve, height in zip(curves, heights, strict=True):
        is_reference = curve.name in references
        colour, marker = ("black", ".") if is_reference else next(styles)
        line = "--" if is_reference else "-"
        axes.plot(curve.edges, curve.times, line, color=colour, marker=marker, markersize=5.5, linewidth=1.6)
        axes.annotate(
            curve.name,
            xy=(curve.edges[0], curve.times[0]),
            xytext=(left * 0.7, height),
            horizontalalignment="right",
            verticalalignment="center",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 1, "shrinkB": 3},
        )


def _draw_guides(axes: Axes, curves: Sequence[Curve]) -> None:
    left, right = _ends(curves)
    low, high = min(min(curve.times) for curve in curves) / 3, max(max(curve.times) for curve in curves) * 3
    for start in 10.0 ** np.arange(-9, 12):
        (guide,) = axes.plot([left, right], [start, start * right / left], color="0.85", linewidth=0.8, zorder=0)
    axes.legend([guide], ["linear growth"], loc="lower right", frameon=True, framealpha=1, edgecolor="none")
    axes.set(xlim=(left / 13, right * 1.3), ylim=(low, high))
    axes.set_xticks(10.0 ** np.arange(np.floor(np.log10(left)), np.log10(right) + 0.5))
    axes.minorticks_off()


def _ends(curves: Sequence[Curve]) -> tuple[float, float]:
    """The fewest and the most edges."""
    return min(curve.edges[0] for curve in curves), max(curve.edges[-1] for curve in curves)


def name_heights(starts: Sequence[float]) -> list[float]:
    """Heights as near to ``starts`` as names can stand without overlap: least squares, in logarithms."""
    order = np.argsort(starts)
    room = NAME_SPACING * np.arange(order.size)
    placed = np.empty(order.size)
    placed[order] = isotonic_regression(np.log10(np.asarray(starts)[order]) - room).x + room
    return [float(height) for height in 10.0**placed]
