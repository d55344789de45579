"""The three panels of the scalability study."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from lense.plots.fronts import styles_of
from lense.plots.style import STYLE, new_figure

_WHOLE = "0.25"
_GRAPH: dict[str, Any] = {"color": _WHOLE, "linestyle": "--", "linewidth": 1.2, "marker": "s", "markersize": 4}
_GOOD = 0.95
_HATCHES = "////"
Rows = Sequence[Mapping[str, Any]]
Pruners = Sequence[tuple[str, str, Rows]]
"""Title, colour and rows of each."""


def draw_scaling(rows: Rows, title: str = "", titles: Mapping[str, str] = MappingProxyType({})) -> Figure:
    """Speed-up and ratio, run times beside the whole graph's, and sizes of the part, for each pruner.

    ``rows`` are those of :class:`lense.experiments.scalability.Scalability`, one for each pruner and share of edges.
    ``titles`` are the names of pruners in the legends, where they differ.
    """
    shares = sorted({row["edges_pct"] for row in rows})
    styles = styles_of(row["pruner"] for row in rows)
    pruners = [
        (titles.get(name, name), styles[name][0], [row for row in rows if row["pruner"] == name])
        for name in sorted(styles, reverse=True)
    ]
    panels = {
        "speed-up, and at which ratio": _draw_speed_ups,
        "run time": _draw_times,
        "what is kept": _draw_sizes,
    }
    with matplotlib.rc_context(STYLE):
        figure = new_figure(12.5, 4.0)
        for axes, name in zip(figure.subplots(1, 3, width_ratios=(1.6, 1, 1)), panels, strict=True):
            axes.set_yscale("log")
            keys = panels[name](axes, shares, pruners)
            low, high = axes.get_ylim()
            axes.set_ylim(low, high * (high / low) ** 0.45)  # room for the legend
            axes.legend(handles=keys, loc="upper left", ncols=2 if name == "what is kept" else 1)
            axes.set_title(name, fontsize=10, loc="left")
            axes.set_xticks(range(len(shares)), [f"{share}" for share in shares])
            axes.set_xlim(-0.6, len(shares) - 0.4)
            axes.set_xlabel("per cent of the test graph's edges")
        if title:
            figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def _draw_speed_ups(axes: Axes, shares: Sequence[int], pruners: Pruners) -> list[Artist]:
    """Bars up from 1 where pruning pays, and hatched ones down from 1 where it costs more than it saves.

    They are pale where the answer is much worse than the heuristic's own, which no speed makes up for. On a logarithmic
    scale, twice as fast and half as fast are as long, and none is too short to be seen.
    """
    width, everything = 0.8 / len(pruners), [row for *_, rows in pruners for row in rows]
    for i, (_, colour, rows) in enumerate(pruners):
        for row in rows:
            place = shares.index(row["edges_pct"]) + (i - (len(pruners) - 1) / 2) * width
            value, error = row["speed_up"], row["speed_up_stderr"] or 0.0
            style: dict[str, Any] = {"facecolor": colour}
            if value < 1:
                style = {"facecolor": "white", "hatch": _HATCHES}
            style |= {"edgecolor": colour, "ecolor": "0.2", "alpha": 0.4 if row["ratio"] < _GOOD else 1}
            axes.bar(place, value - 1, 0.94 * width, bottom=1, yerr=error, **style)
            text = f"{f'{value:.3g}' if value < 100 else f'{value:,.0f}'}\nat {row['ratio']:.2f}"
            size, top = 8 if len(pruners) == 1 else 6.5, (place, max(value + error, 1.0))
            axes.annotate(text, top, (0, 3), textcoords="offset points", ha="center", va="bottom", fontsize=size)
    axes.axhline(1, color="0.2", linewidth=1, linestyle="--")
    tops = [row["speed_up"] + (row["speed_up_stderr"] or 0.0) for row in everything]
    axes.set_ylim(min(1.0, *(row["speed_up"] for row in everything)) / 1.3, max(1.0, *tops) * 1.3)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylabel("times as fast as the heuristic alone")
    keys: list[Artist] = [Patch(color=colour, label=name) for name, colour, _ in pruners]
    if any(row["speed_up"] < 1 for row in everything):
        keys.append(Patch(facecolor="white", edgecolor="0.3", hatch=_HATCHES, label="costs more than it saves"))
    if any(row["ratio"] < _GOOD for row in everything):
        keys.append(Patch(color="0.8", label=f"pale: ratio below {_GOOD:g}"))
    return keys


def _draw_times(axes: Axes, shares: Sequence[int], pruners: Pruners) -> list[Artist]:
    """Lines of pruning and heuristic together, dotted ones of pruning alone, and the heuristic's on the whole graph.

    The heuristic on the whole graph is that of the first pruner that has it for a share.
    """
    whole = {row["edges_pct"]: row["seconds_on_graph"] for *_, rows in reversed(pruners) for row in rows}
    axes.plot([shares.index(share) for share in sorted(whole)], [whole[share] for share in sorted(whole)], **_GRAPH)
    keys: list[Artist] = [Line2D([], [], label="heuristic on the whole graph", **_GRAPH)]
    for title, colour, rows in pruners:
        places, pruning = [shares.index(row["edges_pct"]) for row in rows], _column(rows, "seconds_navigation")
        look: dict[str, Any] = {"color": colour, "marker": "o", "markersize": 5, "linewidth": 1.6}
        axes.plot(places, pruning + _column(rows, "seconds_heuristic"), **look)
        axes.plot(places, pruning, color=colour, linestyle=":", linewidth=1.2)
        keys.append(Line2D([], [], label=f"{title}, then heuristic", **look))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylabel("seconds")
    return [*keys, Line2D([], [], color="0.5", linestyle=":", label="pruning alone")]


def _draw_sizes(axes: Axes, shares: Sequence[int], pruners: Pruners) -> list[Artist]:
    """Lines of edges and vertices kept, and of those that there are."""
    every = {row["edges_pct"]: row for *_, rows in pruners for row in rows}
    marks = {"edges": "s", "vertices": "o"}
    for name, marker in marks.items():
        sizes = [every[share][f"graph_{name}"] for share in shares]
        axes.plot(range(len(shares)), sizes, color=_WHOLE, linestyle="--", linewidth=1, marker=marker, markersize=4)
        for _, colour, rows in pruners:
            places, style = [shares.index(row["edges_pct"]) for row in rows], "-" if name == "edges" else ":"
            axes.plot(places, _column(rows, name), color=colour, linestyle=style, marker=marker, markersize=5)
    axes.set_ylabel("vertices and edges")
    return [
        *(Line2D([], [], color="0.4", linestyle="", marker=marker, label=name) for name, marker in marks.items()),
        Line2D([], [], color=_WHOLE, linestyle="--", label="of the whole graph"),
        *(Line2D([], [], color=colour, label=f"kept by {name}") for name, colour, _ in pruners),
    ]


def _column(rows: Rows, name: str) -> Any:
    return np.array([row[name] for row in rows], dtype=float)
