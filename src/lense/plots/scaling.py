"""The scalability study: speed-up, ratio, run time and size against the share of the edges."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lense.plots.fronts import styles_of
from lense.plots.style import new_figure, styled

_LINE: dict[str, Any] = {"marker": "o", "markersize": 4}
_WHOLE: dict[str, Any] = {**_LINE, "color": "0.25", "linestyle": "--", "linewidth": 1.2}
_PANELS = (
    ("speed-up", "times as fast", ("speed_up",), None),
    ("answer", "ratio", ("ratio",), None),
    ("run time", "seconds (dotted: pruning alone)", ("seconds", "seconds_navigation"), "seconds_on_graph"),
    ("what is kept", "edges (dotted: vertices)", ("edges", "vertices"), "graph_edges"),
)
"""Title, vertical axis, the columns drawn of each pruner, the second dotted, and that of the whole graph."""


@styled
def draw_scaling(rows: Sequence[Mapping[str, Any]], title: str, titles: Mapping[str, str]) -> Figure:
    """Draw four panels with lines for each pruner; bars are standard errors.

    Parameters
    ----------
    rows
        Those of :class:`lense.experiments.scalability.Scalability`, one for each pruner and share of edges.
    title
        What stands above the panels.
    titles
        Names of pruners in the legend, where they differ.
    """
    every = [{**row, "seconds": row["seconds_navigation"] + row["seconds_heuristic"]} for row in rows]
    styles = styles_of(row["pruner"] for row in every)
    figure = new_figure(12.5, 3.7)
    for axes, (name, label, columns, whole) in zip(figure.subplots(1, len(_PANELS)), _PANELS, strict=True):
        if name != "answer":
            axes.set_yscale("log")
        for pruner, (colour, _) in styles.items():
            mine = [row for row in every if row["pruner"] == pruner]
            shares = [row["edges_pct"] for row in mine]
            for column, line in zip(columns, ("-", ":"), strict=False):
                values = np.array([row[column] for row in mine], np.float64)
                errors = [row.get(f"{column}_stderr") or 0.0 for row in mine]
                axes.errorbar(shares, values, errors, color=colour, linestyle=line, **_LINE)
        if whole is None:
            axes.axhline(1, **{**_WHOLE, "marker": ""})
        else:
            on_graph = {row["edges_pct"]: row[whole] for row in reversed(every)}  # the first that was timed
            axes.plot(on_graph.keys(), on_graph.values(), **_WHOLE)
        axes.set_title(name)
        axes.set(xlabel="per cent of the test graph's edges", ylabel=label)
        axes.set_xticks(sorted({row["edges_pct"] for row in every}))
    keys = [Line2D([], [], color=styles[name][0], label=titles.get(name, name), **_LINE) for name in styles]
    figure.legend(handles=[*keys, Line2D([], [], label="whole graph", **_WHOLE)], loc="outside lower center", ncols=9)
    figure.suptitle(title, x=0.01, ha="left")
    return figure
