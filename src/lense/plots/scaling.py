"""The three panels of the scalability study."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

from lense.plots import STYLE, new_figure

_NAVIGATION, _HEURISTIC = "#D55E00", "#0072B2"
_VERTICES, _EDGES = "#009E73", "#CC79A7"
_GOOD, _BAD = 0.95, "0.6"
_WIDTH = 0.62
_MINUTE = 60
_WIDE_RANGE = 20


def draw_scaling(rows: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """(A) speed-up and ratio, (B) run time of navigation and heuristic, and the whole graph's, (C) sizes of the part.

    ``rows`` are those of :class:`lense.experiments.scalability.Scalability`, one for each share of the edges.
    """
    places, shares = np.arange(len(rows)), [f"{row['edges_pct']}" for row in rows]
    with matplotlib.rc_context(STYLE):
        figure = new_figure(10.5, 3.6)
        panels = figure.subplots(1, 3)
        _draw_speed_up(panels[0], places, rows)
        _draw_times(panels[1], places, rows)
        _draw_sizes(panels[2], places, rows)
        for letter, axes in zip("ABC", panels, strict=True):
            axes.set_title(letter, fontsize=11, fontweight="bold", loc="left")
            axes.set_xticks(places, shares)
            axes.set_xlim(-0.6, len(rows) - 0.4)
            axes.set_xlabel("per cent of the test graph's edges")
        if title:
            figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def _draw_speed_up(axes: Axes, places: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Bars up from 1 where pruning pays, and hatched ones down from 1 where it costs more than it saves.

    Those are grey where the answer is much worse than the heuristic's own, which no speed makes up for.
    On a logarithmic scale, twice as fast and half as fast are as long, and none is too short to be seen.
    """
    values, errors = _column(rows, "speed_up"), np.array([row["speed_up_stderr"] or 0.0 for row in rows])
    axes.set_yscale("log", nonpositive="clip")
    bars = axes.bar(places, values - 1, _WIDTH, bottom=1, yerr=errors, color=_HEURISTIC, ecolor="0.2", capsize=2)
    is_bad = _column(rows, "ratio") < _GOOD
    for bar, value, bad in zip(bars, values, is_bad, strict=True):
        colour = _BAD if bad else _HEURISTIC
        bar.set(**({"facecolor": "white", "edgecolor": colour, "hatch": "////"} if value < 1 else {"color": colour}))
    line = axes.axhline(1, color="0.2", linewidth=1, linestyle="--", label="the heuristic alone")
    for place, value, error, row in zip(places, values, errors, rows, strict=True):
        axes.annotate(f"{_number(value)}\nat {row['ratio']:.2f}", (place, max(value + error, 1.0)), (0, 3), **_ABOVE)
    low, high = float(values.min()), float((values + errors).max())
    bottom, top = min(low, 1.0) / 1.3, max(high, 1.0) * 1.3
    _leave_room(axes, bottom, top)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7) if top / bottom < _WIDE_RANGE else (1,)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel("speed-up (at which ratio)")
    costly = Patch(facecolor="white", edgecolor=_HEURISTIC, hatch="////", label="pruning costs more than it saves")
    bad = Patch(color=_BAD, label=f"ratio below {_GOOD:g}")
    axes.legend(handles=[line, *([costly] if low < 1 else []), *([bad] if is_bad.any() else [])], loc="upper left")


_ABOVE: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom", "fontsize": 8}
_LINE_HEIGHT = 9
_LEGEND_ROOM = 0.45


def _leave_room(axes: Axes, low: float, high: float) -> None:
    """Limits of a logarithmic axis with room for the legend above what is drawn."""
    axes.set_ylim(low, high * (high / low) ** _LEGEND_ROOM)


def _draw_times(axes: Axes, places: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Stacked bars of LeNSE's run time; the whole graph's as a dash, or as a number where it lies far above.

    Bars that are stacked cannot have a logarithmic scale. So each part of a bar stands as a number above it, in its
    colour and in the order of the parts, however small the part is.
    """
    navigation, heuristic, whole = (
        _column(rows, f"seconds_{name}") for name in ("navigation", "heuristic", "on_graph")
    )
    longest = float((navigation + heuristic).max())
    unit, name = (_MINUTE, "minutes") if longest > 2 * _MINUTE else (1, "seconds")
    top = 1.15 * max(longest, float(whole[whole < 2 * longest].max(initial=0)))
    bars: dict[str, Any] = {"width": _WIDTH, "linewidth": 0}
    below = navigation / unit
    axes.bar(places, below, color=_NAVIGATION, label="navigation", **bars)
    axes.bar(places, heuristic / unit, bottom=below, color=_HEURISTIC, label="heuristic on the subgraph", **bars)
    dashes: dict[str, Any] = {"color": "black", "linestyle": "none", "marker": "_", "markersize": 22}
    near = whole <= top
    axes.plot(places[near], whole[near] / unit, markeredgewidth=2, **dashes)
    for place, *parts, is_near in zip(places, navigation, heuristic, whole, near, strict=True):
        height = max(parts[0] + parts[1], parts[2] if is_near else 0.0)
        texts = [_number(seconds / unit) for seconds in parts]
        texts[2] = texts[2] if is_near else f"↑ {texts[2]}"
        for i, (text, colour) in enumerate(zip(texts, (_NAVIGATION, _HEURISTIC, "black"), strict=True)):
            axes.annotate(text, (place, height / unit), (0, 3 + _LINE_HEIGHT * i), color=colour, **_ABOVE)
    far = "" if near.all() else " (↑: above)"
    axes.plot([], [], label=f"heuristic on the graph{far}", **{**dashes, "markersize": 12, "markeredgewidth": 2})
    axes.set_ylim(0, 1.7 * top / unit)
    axes.set_ylabel(f"run time in {name}")
    axes.legend(loc="upper left", reverse=True)


def _draw_sizes(axes: Axes, places: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Lines of vertices and edges kept, and thin ones of those that there are, on a logarithmic scale."""
    for name, colour, marker in (("edges", _EDGES, "s"), ("vertices", _VERTICES, "o")):
        kept, whole = _column(rows, name), _column(rows, f"graph_{name}")
        axes.plot(places, whole, color=colour, linewidth=1, linestyle=":", marker=marker, markerfacecolor="white")
        axes.plot(places, kept, color=colour, linewidth=1.6, marker=marker, label=f"{name} kept")
    axes.plot(
        [], [], color="0.4", linewidth=1, linestyle=":", marker="o", markerfacecolor="white", label="of the graph"
    )
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    _leave_room(axes, low, high)
    if high / low < _WIDE_RANGE:
        axes.yaxis.set_minor_formatter(LogFormatterSciNotation(labelOnlyBase=False))
    else:
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel("size")
    axes.legend(loc="upper left", ncols=2)


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> Any:
    return np.array([row[name] for row in rows], dtype=float)


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"
