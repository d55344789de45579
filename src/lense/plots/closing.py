"""A lossless core that closes round by round."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from lense.plots import STYLE, new_figure
from lense.plots.style import whole_numbers

_COLOURS = ("#225EA8", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#7F5539", "#222222")
_MARKERS = {"intervals": "o", "edges": "s", "cliques": "^", "convex": "v", "probing": "D", "bound": "x"}


def draw_closing(rounds: Mapping[str, tuple[int, Sequence[Mapping[str, Any]]]], title: str = "") -> Figure:
    """Live vertices after each round, on a logarithmic scale that shows 0, one line for each graph.

    ``rounds`` has for each name the number of vertices at the start, and the rounds as in the details of an exact
    solution: "rule" and "live" of each.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(7.6, 4.2)
        axes = figure.subplots()
        for (name, (start, done)), colour in zip(rounds.items(), _COLOURS * len(rounds), strict=False):
            live = [start, *(one["live"] for one in done)]
            axes.plot(range(len(live)), live, color=colour, linewidth=1.4, label=name)
            for rule, marker in _MARKERS.items():
                places = [i + 1 for i, one in enumerate(done) if one["rule"] == rule]
                axes.plot(places, [live[i] for i in places], marker, color=colour, markersize=4.5)
        axes.set_yscale("symlog", linthresh=1, linscale=0.4)
        axes.set_ylim(bottom=-0.15)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        whole_numbers(axes)
        axes.set_xlabel("round")
        axes.set_ylabel("live vertices")
        figure.legend(loc="outside right upper", title="graph, problem", alignment="left")
        figure.legend(handles=_rules(), loc="outside right lower", title="decided by", alignment="left")
        if title:
            axes.set_title(title, fontsize=11, loc="left")
    return figure


def _rules() -> list[Line2D]:
    return [
        Line2D([], [], linestyle="none", marker=marker, color="0.4", markersize=4.5, label=rule)
        for rule, marker in _MARKERS.items()
    ]
