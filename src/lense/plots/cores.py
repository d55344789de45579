"""Cores: whether targets are met as often as expected."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import binomtest

from lense.plots.style import MARKERS, PALETTE, new_figure, styled

_EDGES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0001])
_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Shares that are evenly spaced on both axes, so that those near 1 do not cover one another."""


@styled
def draw_reliability(cases: Mapping[str, Sequence[tuple[float, bool]]]) -> Figure:
    """Draw the share of targets that were met against the confidence, a panel for each problem.

    Cases of about the same confidence share a mark, which names their number; its bar is the 95 % interval of Wilson.

    Parameters
    ----------
    cases
        By the name of a problem, the confidence of each case and whether its target was met.
    """
    figure, ranks = new_figure(3.3 * len(cases), 3.8), np.arange(len(_TICKS))
    scale = (lambda share: np.interp(share, _TICKS, ranks), lambda rank: np.interp(rank, ranks, _TICKS))
    panels = figure.subplots(1, len(cases), squeeze=False)[0]
    for axes, name, colour, marker in zip(panels, cases, PALETTE * 9, MARKERS * 9, strict=False):
        axes.set_xscale("function", functions=scale)
        axes.set_yscale("function", functions=scale)
        axes.set(xticks=_TICKS, yticks=_TICKS, xlim=(0, 1), ylim=(0, 1))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.grid(color="0.93")
        axes.set_axisbelow(True)
        axes.plot(_TICKS, _TICKS, color="0.6", linewidth=1, linestyle="--", label="as often as said")
        axes.legend(loc="lower right")
        _draw_groups(axes, cases[name], {"color": colour, "marker": marker})
        axes.set_title(f"{name}, {len(cases[name]):,} cases")
        axes.set_xlabel("how sure the core said it was")
    panels[0].set_ylabel("share of targets that were met")
    return figure


def _draw_groups(axes: Axes, cases: Sequence[tuple[float, bool]], look: dict[str, Any]) -> None:
    sure, met = np.array(cases, np.float64).T
    places = np.digitize(sure, _EDGES)
    for place in np.unique(places):
        group = places == place
        x, y, count = sure[group].mean(), met[group].mean(), int(group.sum())
        low, high = binomtest(int(met[group].sum()), count).proportion_ci(method="wilson")
        side, move = ("left", 6) if x < _EDGES[-2] else ("right", -6)
        text: dict[str, Any] = {"textcoords": "offset points", "va": "center", "color": look["color"], "fontsize": 8}
        axes.annotate(f"{count:,}", (x, y), (move, 0), ha=side, **text)
        errors = np.maximum([[y - low], [high - y]], 0)
        axes.errorbar(x, y, errors, **look, capsize=2, clip_on=False)
