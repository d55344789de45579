"""Curves of a training: the encoder's losses, and the distance and ratio at each look at the policy."""

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lense._util.types import Float64s
from lense.plots.style import LINES, STYLE, new_figure, whole_numbers

Rows = Sequence[tuple[int, float, float]]


def draw_training(encoder: Rows, looks: Rows) -> Figure:
    """Curves of a training. ``encoder``: (epoch, loss, held-out loss). ``looks``: (step, distance, ratio or nan).

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


def _columns(rows: Rows) -> Float64s:
    return np.array(rows, dtype=np.float64).reshape(-1, 3).T


def _draw_losses(axes: Axes, epochs: Float64s, loss: Float64s, held_out: Float64s) -> None:
    axes.plot(epochs, loss, color=LINES[0], linewidth=1.4, label="learnt samples")
    axes.plot(epochs, held_out, color=LINES[1], linewidth=1.4, label="held-out samples")
    _ring(axes, epochs, held_out, _lowest(held_out), "lowest")
    axes.set(xlabel="epoch", ylabel="loss")
    whole_numbers(axes)


def _draw_looks(axes: Axes, steps: Float64s, values: Float64s, nearest: int | None, name: str) -> None:
    axes.plot(steps, values, color=LINES[0], linewidth=1.4, marker=".")
    _ring(axes, steps, values, nearest, "nearest policy")
    axes.set(xlabel="step", ylabel=name)
    whole_numbers(axes)


def _lowest(values: Float64s) -> int | None:
    return int(np.nanargmin(values)) if np.isfinite(values).any() else None


def _ring(axes: Axes, xs: Float64s, ys: Float64s, at: int | None, name: str) -> None:
    """Draw a ring around value number ``at``, if it is known, and name it in the legend."""
    if at is not None and np.isfinite(ys[at]):
        style: Any = {"marker": "o", "markersize": 9, "markerfacecolor": "none", "color": "black", "linestyle": "none"}
        axes.add_line(Line2D([xs[at]], [ys[at]], label=f"{name}: {ys[at]:.3g}", clip_on=False, **style))
        axes.legend(loc="best")
