"""Cores: lossless ones that close round by round, and whether targets are met as often as expected."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from lense._util.types import AnyArray
from lense.plots.style import MARKERS, PALETTE, STYLE, new_figure, whole_numbers

_EDGES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001])
_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Shares that are evenly spaced on both axes, so that those near 1 do not cover one another."""


def draw_closing(rounds: Mapping[str, tuple[int, Sequence[Mapping[str, Any]]]], title: str = "") -> Figure:
    """Live vertices after each round, on a logarithmic scale that shows 0, one line for each graph.

    ``rounds`` has for each name the number of vertices at the start, and the rounds as in the details of an exact
    solution: "rule" and "live" of each.
    """
    rules = dict.fromkeys(one["rule"] for _, done in rounds.values() for one in done)
    markers = dict(zip(rules, MARKERS, strict=False))
    with matplotlib.rc_context(STYLE):
        figure = new_figure(7.6, 4.2)
        axes = figure.subplots()
        for (name, (start, done)), colour in zip(rounds.items(), PALETTE * len(rounds), strict=False):
            live = [start, *(one["live"] for one in done)]
            axes.plot(live, color=colour, linewidth=1.4, label=name)
            for i, one in enumerate(done, start=1):
                axes.plot(i, live[i], markers[one["rule"]], color=colour, markersize=4.5)
        axes.set_yscale("symlog", linthresh=1, linscale=0.4)
        axes.set_ylim(bottom=-0.15)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        whole_numbers(axes)
        axes.set(xlabel="round", ylabel="live vertices")
        axes.set_title(title, fontsize=11, loc="left")
        figure.legend(loc="outside right upper", title="graph, problem", alignment="left")
        style: Any = {"linestyle": "none", "color": "0.4", "markersize": 4.5}
        keys = [Line2D([], [], marker=marker, label=rule, **style) for rule, marker in markers.items()]
        figure.legend(handles=keys, loc="outside right lower", title="decided by", alignment="left")
    return figure


def draw_reliability(cases: Mapping[str, Sequence[tuple[float, bool]]]) -> Figure:
    """The share of targets that were met against the confidence, a panel for each problem.

    ``cases`` has, by the name of a problem, the confidence of each case and whether its target was met. Cases of about
    the same confidence share a mark, which names their number; its bar is the 95 % interval of Wilson.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(3.3 * max(len(cases), 1), 3.8)
        panels = figure.subplots(1, max(len(cases), 1), squeeze=False)[0]
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
    sure, met = np.array([one[0] for one in cases]), np.array([one[1] for one in cases], np.float64)
    places = np.digitize(sure, _EDGES)
    groups = [places == place for place in np.unique(places)]
    x = np.array([sure[group].mean() for group in groups])
    y = np.array([met[group].mean() for group in groups])
    counts = np.array([group.sum() for group in groups])
    low, high = _wilson(y, counts)
    for place, height, count in zip(x, y, counts, strict=True):
        text: dict[str, Any] = {"textcoords": "offset points", "va": "center", "color": look["color"], "fontsize": 8}
        side, move = ("left", 6) if place < _EDGES[-2] else ("right", -6)
        axes.annotate(f"{count:,}", (place, height), (move, 0), ha=side, **text)
    axes.errorbar(x, y, [y - low, high - y], **look, linestyle="none", capsize=2, clip_on=False)


def _spread(axes: Axes) -> None:
    """The same scale on both axes, so that the diagonal is straight."""
    ranks = np.arange(len(_TICKS), dtype=np.float64)
    for axis, set_scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        set_scale("function", functions=(lambda x: np.interp(x, _TICKS, ranks), lambda y: np.interp(y, ranks, _TICKS)))
        axis.set_major_locator(FixedLocator(_TICKS))
        axis.set_major_formatter(FixedFormatter([f"{tick:g}" for tick in _TICKS]))
        axis.set_minor_locator(NullLocator())
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.grid(color="0.93")
    axes.set_axisbelow(True)


def _wilson(share: AnyArray, count: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The 95 % interval of a share of so many cases."""
    z = 1.96
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / (1 + z**2 / count)
    return np.minimum(middle - half, share), np.maximum(middle + half, share)
