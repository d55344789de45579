"""Cores: whether targets are met as often as expected."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import binomtest

from lense.plots.style import MARKERS, PALETTE, STYLE, new_figure

_EDGES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001])
_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Shares that are evenly spaced on both axes, so that those near 1 do not cover one another."""


def draw_reliability(cases: Mapping[str, Sequence[tuple[float, bool]]]) -> Figure:
    """The share of targets that were met against the confidence, a panel for each problem.

    ``cases`` has, by the name of a problem, the confidence of each case and whether its target was met. Cases of about
    the same confidence share a mark, which names their number; its bar is the 95 % interval of Wilson.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(3.3 * len(cases), 3.8)
        panels = figure.subplots(1, len(cases), squeeze=False)[0]
        for axes, name, colour, marker in zip(panels, cases, PALETTE * 9, MARKERS * 9, strict=False):
            _spread(axes)
            (diagonal,) = axes.plot(_TICKS, _TICKS, color="0.6", linewidth=1, linestyle="--", label="as often as said")
            _draw_groups(axes, cases[name], {"color": colour, "marker": marker})
            axes.set_title(f"{name}, {len(cases[name]):,} cases", fontsize=10, loc="left")
            axes.set_xlabel("how sure the core said it was")
            axes.legend(handles=[diagonal], loc="lower right")
        panels[0].set_ylabel("share of targets that were met")
    return figure


def _draw_groups(axes: Axes, cases: Sequence[tuple[float, bool]], look: dict[str, Any]) -> None:
    sure, met = np.array(cases, np.float64).T
    places = np.digitize(sure, _EDGES)
    groups = [places == place for place in np.unique(places)]
    x, y = (np.array([values[group].mean() for group in groups]) for values in (sure, met))
    counts = [int(group.sum()) for group in groups]
    wilson = [
        binomtest(int(met[group].sum()), count).proportion_ci(method="wilson")
        for group, count in zip(groups, counts, strict=True)
    ]
    for place, height, count in zip(x, y, counts, strict=True):
        text: dict[str, Any] = {"textcoords": "offset points", "va": "center", "color": look["color"], "fontsize": 8}
        side, move = ("left", 6) if place < _EDGES[-2] else ("right", -6)
        axes.annotate(f"{count:,}", (place, height), (move, 0), ha=side, **text)
    errors = [y - [one.low for one in wilson], [one.high for one in wilson] - y]
    axes.errorbar(x, y, np.maximum(errors, 0), **look, linestyle="none", capsize=2, clip_on=False)


def _spread(axes: Axes) -> None:
    """The same scale on both axes, so that the diagonal is straight."""
    ranks = np.arange(len(_TICKS), dtype=np.float64)
    functions = (lambda x: np.interp(x, _TICKS, ranks), lambda y: np.interp(y, ranks, _TICKS))
    names = [f"{tick:g}" for tick in _TICKS]
    axes.set_xscale("function", functions=functions)
    axes.set_yscale("function", functions=functions)
    axes.set_xticks(_TICKS, names)
    axes.set_yticks(_TICKS, names)
    axes.minorticks_off()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.grid(color="0.93")
    axes.set_axisbelow(True)
