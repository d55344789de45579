"""Ratio against share pruned for many pruners, with the front of those that no other beats in both."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator, PercentFormatter

from lense.plots import STYLE, new_figure

_OWN = "#D55E00"
_PAPER = "#0072B2"
_SUCCESSORS = "#009E73"
_FLOOR = "0.35"
_OTHERS = "#CC79A7"
_LOOKS: dict[str, tuple[str, str]] = {
    "lense": (_OWN, "*"),
    "gnn-r": (_PAPER, "o"),
    "gnn-t": (_PAPER, "s"),
    "gcomb-p": (_PAPER, "^"),
    "quickprune": (_SUCCESSORS, "o"),
    "sparsification": (_SUCCESSORS, "s"),
    "combhelper": (_SUCCESSORS, "^"),
    "gcn": (_SUCCESSORS, "D"),
    "top-degree": (_FLOOR, "o"),
    "degree-discount": (_FLOOR, "s"),
    "k-core": (_FLOOR, "^"),
    "random": (_FLOOR, "x"),
    "random-walk": (_FLOOR, "+"),
    "degree-walk": (_FLOOR, "D"),
}
_LOWEST_SHOWN = 0.8
_TEXT_WIDTH = 0.1
_MORE_MARKERS = "os^Dvphd8"
PANELS = (
    ("subgraph", "vertices_pruned", "as a subgraph", "vertices pruned"),
    ("subgraph", "edges_pruned", "as a subgraph", "edges pruned"),
    ("ground-set", "vertices_pruned", "as a ground set", "vertices not to choose from"),
)


def draw_fronts(found: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """Three panels: ratio against vertices and edges pruned as a subgraph, and against vertices pruned as a ground set.

    ``found`` are rows of :class:`lense.experiments.comparison.OneGraph`; bars are standard errors,
    the stairs join the front. Ratios below 0.8 stand at the lower edge with their value.
    """
    looks = looks_of([row["pruner"] for row in found])
    with matplotlib.rc_context(STYLE):
        figure = new_figure(11.5, 4.6)
        panels = figure.subplots(1, len(PANELS))
        for axes, (mode, share, name, label) in zip(panels, PANELS, strict=True):
            _draw_panel(axes, found, looks, mode, share)
            axes.set_title(name, fontsize=10, loc="left")
            axes.set_xlabel(f"share of {label}")
        panels[0].set_ylabel("ratio to the heuristic on the whole graph")
        keys = [_key(name, *looks[name]) for name in looks]
        keys.append(Line2D([], [], color="0.6", linewidth=1, label="front"))
        figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 8))
        if title:
            figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def looks_of(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each pruner; those registered by others share a colour."""
    unknown = [name for name in names if name not in _LOOKS]
    more = {name: (_OTHERS, _MORE_MARKERS[i % len(_MORE_MARKERS)]) for i, name in enumerate(unknown)}
    return {name: _LOOKS.get(name) or more[name] for name in names}


def _draw_panel(
    axes: Axes, found: Sequence[Mapping[str, Any]], looks: dict[str, tuple[str, str]], mode: str, share: str
) -> None:
    solved = [row for row in found if row[mode] is not None]
    front = sorted((row[mode][share], row[mode]["ratio"]) for row in solved if row[mode]["front"][share])
    if front:
        # each point of the front at the end of its stair: whatever lies below the stairs is beaten
        pruned, ratios = zip(*[(-1.0, front[0][1]), *front, (front[-1][0], -1.0)], strict=True)
        axes.step(pruned, ratios, where="pre", color="0.6", linewidth=1, zorder=1)
    bottom, top = shown_ratios([row[mode]["ratio"] for row in solved])
    _tell_those_below(axes, [(row[mode][share], row[mode]["ratio"]) for row in solved], bottom)
    for row in solved:
        colour, marker = looks[row["pruner"]]
        figures: dict[str, Any] = row[mode]
        is_below = figures["ratio"] < bottom
        axes.errorbar(
            figures[share],
            bottom if is_below else figures["ratio"],
            yerr=None if is_below else figures["ratio_stderr"],
            clip_on=False,
            color=colour,
            marker=marker,
            markersize=11 if marker == "*" else 6,
            markeredgecolor=None if marker in "x+" else "white",
            markeredgewidth=1.5 if marker in "x+" else 0.5,
            elinewidth=1,
            zorder=3 if row["pruner"] == "lense" else 2,
        )
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.yaxis.set_major_locator(MultipleLocator(0.05))
    axes.yaxis.set_major_formatter("{x:.2f}")
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(bottom, top)
    axes.grid(color="0.93")
    axes.set_axisbelow(True)


def _tell_those_below(axes: Axes, points: Sequence[tuple[float, float]], bottom: float) -> None:
    """Write ratios too low to be shown at the lower edge above their places, stacked where these are close."""
    labelled: list[float] = []
    for pruned, ratio in sorted(points, key=lambda point: point[1]):
        if ratio < bottom:
            line = sum(abs(pruned - other) < _TEXT_WIDTH for other in labelled)
            place = (0, 8 + 10 * line)
            axes.annotate(f"{ratio:.2f}", (pruned, bottom), place, textcoords="offset points", ha="center", fontsize=8)
            labelled.append(pruned)


def shown_ratios(ratios: Sequence[float]) -> tuple[float, float]:
    """What the axis of ratios shows: the upper part, where the front lies; lower ratios stand there as numbers."""
    room = 0.02
    lowest, highest = min(ratios, default=1.0), max(ratios, default=1.0)
    return max(lowest - room, _LOWEST_SHOWN), max(highest, 1.0) + room


def _key(name: str, colour: str, marker: str) -> Line2D:
    return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=10 if marker == "*" else 6, label=name)
