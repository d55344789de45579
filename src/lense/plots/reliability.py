"""Whether what was said to be likely happened as often."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from lense._util.types import AnyArray
from lense.plots import STYLE, new_figure

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_MARKERS = ("o", "s", "^", "D")
_EDGES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001])
_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Shares that are as far from one another on both axes, so that those near 1 do not lie on one another."""


def draw_reliability(said: Mapping[str, Sequence[tuple[float, bool]]]) -> Figure:
    """The share of targets that were met against how sure it was said to be, a panel for each problem.

    ``said`` has, by the name of a problem, how sure each case was and whether its target was met. Cases about as sure
    as one another share a mark, which names their number; its bar is the 95 % interval of Wilson.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(3.3 * max(len(said), 1), 3.8)
        panels = figure.subplots(1, max(len(said), 1), squeeze=False)[0]
        for axes, name, colour, marker in zip(panels, said, _COLOURS * 2, _MARKERS * 2, strict=False):
            _spread(axes)
            (as_said,) = axes.plot(_TICKS, _TICKS, color="0.6", linewidth=1, linestyle="--", label="as often as said")
            _draw_groups(axes, said[name], {"color": colour, "marker": marker})
            axes.set_title(f"{name}, {len(said[name]):,} cases", fontsize=10, loc="left")
            axes.set_xlabel("how sure the core said it was")
            axes.legend(handles=[as_said], loc="lower right")
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
