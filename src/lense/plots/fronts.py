"""Ratio against share pruned for many pruners, with the front of those that no other beats in both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from lense.plots import STYLE, new_figure

_LENSE, _CORE, _PAPER, _LATER, _RULES, _WALKS, _OTHERS = (
    *("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#9A7D0A", "#555555", "#56B4E9"),
)
_LOOKS: dict[str, tuple[str, str]] = {
    "lense": (_LENSE, "*"),
    "core": (_CORE, "D"),
    "bounds": (_CORE, "s"),
    "gnn-r": (_PAPER, "o"),
    "gnn-t": (_PAPER, "s"),
    "gcomb-p": (_PAPER, "^"),
    "quickprune": (_LATER, "o"),
    "sparsification": (_LATER, "s"),
    "combhelper": (_LATER, "^"),
    "gcn": (_LATER, "D"),
    "llm2prune": (_LATER, "v"),
    "top-roots": (_RULES, "o"),
    "discount-roots": (_RULES, "s"),
    "top-degree": (_RULES, "^"),
    "degree-discount": (_RULES, "D"),
    "k-core": (_RULES, "v"),
    "random": (_WALKS, "x"),
    "random-walk": (_WALKS, "+"),
    "degree-walk": (_WALKS, "D"),
    "rank-walk": (_WALKS, "^"),
}
_MORE_MARKERS = "os^Dvphd8"
STRONG = ("lense", "core")
LOWEST = 0.5
_RATIOS = (LOWEST, 0.9, 0.95, 1.0, 1.02, 2.0)
_HEIGHTS = (0.0, 0.2, 0.35, 0.9, 1.05, 1.6)
"""Places of those ratios: half of the axis is for 0.95 to 1, where most of them lie."""
_RATIO_TICKS = (0.5, 0.7, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0, 1.02, 1.1, 1.3)
_SHARE_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
_WIDE_SHARE_TICKS = (0.0, 0.9, 0.99, 0.999, 0.9999)
_LARGEST = 0.9999
_ROOM = 0.01
_TEXT_WIDTH = 0.25
PANELS = (
    ("subgraph", "vertices_pruned", "Subgraph: vertices pruned", "vertices pruned"),
    ("subgraph", "edges_pruned", "Subgraph: edges pruned", "edges pruned"),
    ("ground-set", "vertices_pruned", "Ground set: vertices ruled out", "vertices not to choose from"),
)
"""Mode, share, what a panel shows, and what its horizontal axis says."""


def draw_fronts(found: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """Three panels: ratio against vertices and edges pruned as a subgraph, and against vertices ruled out.

    ``found`` are rows of :class:`lense.experiments.comparison.OneGraph`; bars are standard errors, the stairs join the
    front, and thin lines join sizes of one pruner. Ratios below 0.5 stand at the lower edge with their value.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(12.5, 5.6)
        for axes, panel in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
            _draw_panel(axes, found, *panel)
        figure.axes[0].set_ylabel("ratio to the heuristic on the whole graph")
        add_legend(figure, [row["pruner"] for row in found])
        if title:
            figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    return figure


def base_name(pruner: str) -> str:
    """The name of a pruner without its parameters."""
    return pruner.partition(":")[0]


def looks_of(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each pruner, whatever its parameters; those registered by others share a colour."""
    bases = dict.fromkeys(map(base_name, names))
    unknown = [name for name in bases if name not in _LOOKS]
    more = {name: (_OTHERS, _MORE_MARKERS[i % len(_MORE_MARKERS)]) for i, name in enumerate(unknown)}
    return {name: look for name, look in (_LOOKS | more).items() if name in bases}


def ratio_place(ratio: Any) -> Any:
    """Where a ratio lies on its axis, which spreads 0.95 to 1."""
    return np.interp(ratio, _RATIOS, _HEIGHTS)


def share_place(share: Any) -> Any:
    """Where a share pruned lies: -log10 of the share kept, so that 90, 99 and 99.9 % are as far from one another."""
    return -np.log10(1 - np.minimum(share, _LARGEST))


def limits(ratios: Sequence[float], shares: Sequence[float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The least and the largest ratio and share that axes show."""
    top = max([*ratios, 1.0]) + _ROOM
    right = 1 - 0.75 * (1 - min(max([*shares, 0.5]), _LARGEST))
    return (LOWEST, top), (-0.1, right)


def axis_ticks(top: float, right: float) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
    """Ratios and shares to name, with their names."""
    shares = _SHARE_TICKS if right < _SHARE_TICKS[-1] else _WIDE_SHARE_TICKS
    return (
        [(tick, f"{tick:.2f}") for tick in _RATIO_TICKS if tick <= top],
        [(tick, f"{100 * tick:g} %") for tick in shares if tick <= right],
    )


def spread_axes(axes: Axes, ratios: Sequence[float], shares: Sequence[float]) -> None:
    """Give axes the scales, limits and ticks for these ratios and shares."""
    (bottom, top), (left, right) = limits(ratios, shares)
    axes.set_yscale("function", functions=(ratio_place, lambda place: np.interp(place, _HEIGHTS, _RATIOS)))
    axes.set_xscale("function", functions=(share_place, lambda place: 1 - 10.0 ** -np.asarray(place)))
    axes.set_ylim(bottom, top)
    axes.set_xlim(left, right)
    for axis, ticks in zip((axes.yaxis, axes.xaxis), axis_ticks(top, right), strict=True):
        axis.set_major_locator(FixedLocator([place for place, _ in ticks]))
        axis.set_major_formatter(FixedFormatter([name for _, name in ticks]))
        axis.set_minor_locator(NullLocator())
    axes.tick_params(labelsize=9)
    axes.axhspan(0.95, 1.0, color="0.97", zorder=0)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)


def draw_stairs(axes: Axes, front: Sequence[tuple[float, float]]) -> None:
    """Join the shares and ratios of a front: whatever lies below the stairs is beaten."""
    if front:
        points = sorted(front)
        pruned, ratios = zip(*[(-1.0, points[0][1]), *points, (points[-1][0], -1.0)], strict=True)
        axes.step(pruned, ratios, where="pre", color="0.6", linewidth=1, zorder=1)


def add_legend(figure: Figure, names: Iterable[str]) -> None:
    """A key for each pruner below the panels, and one for the front."""
    keys = [_key(name, *look) for name, look in looks_of(names).items()]
    keys.append(Line2D([], [], color="0.6", linewidth=1, label="front"))
    figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 7))


def _draw_panel(axes: Axes, found: Sequence[Mapping[str, Any]], mode: str, share: str, title: str, label: str) -> None:
    solved = [row for row in found if row[mode] is not None]
    points = [(row[mode][share], row[mode]["ratio"]) for row in solved]
    spread_axes(axes, [ratio for _, ratio in points], [pruned for pruned, _ in points])
    draw_stairs(axes, [point for point, row in zip(points, solved, strict=True) if row[mode]["front"][share]])
    _say_those_below(axes, points)
    looks = looks_of(row["pruner"] for row in found)
    for name, look in looks.items():
        mine = sorted(
            (row for row in solved if base_name(row["pruner"]) == name), key=lambda row: float(row[mode][share])
        )
        axes.plot(*_places(mine, mode, share), color=look[0], linewidth=0.8, alpha=0.6, zorder=1.5)
        for row in mine:
            _draw_point(axes, row["pruner"], row[mode], share, look)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(f"share of {label}")


def _places(rows: Sequence[Mapping[str, Any]], mode: str, share: str) -> tuple[list[float], list[float]]:
    return [row[mode][share] for row in rows], [max(row[mode]["ratio"], LOWEST) for row in rows]


def _draw_point(axes: Axes, pruner: str, figures: Mapping[str, Any], share: str, look: tuple[str, str]) -> None:
    """A mark with its error; hollow and small for another size of a pruner, at the lower edge for a low ratio."""
    (colour, marker), is_below, is_other = look, figures["ratio"] < LOWEST, ":" in pruner
    axes.errorbar(
        min(figures[share], _LARGEST),
        LOWEST if is_below else figures["ratio"],
        yerr=None if is_below else figures["ratio_stderr"],
        clip_on=False,
        color=colour,
        marker=marker,
        markersize=12 if marker == "*" else 4 if is_other else 8 if pruner in STRONG else 6,
        markerfacecolor="white" if is_other else colour,
        markeredgecolor=colour if is_other or marker in "x+" else "white",
        markeredgewidth=1.5 if marker in "x+" else 1 if is_other else 0.5,
        elinewidth=0.8,
        zorder=4 if pruner in STRONG else 2 if is_other else 3,
    )


def _say_those_below(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    """Write ratios too low to be shown at the lower edge above their places, stacked where these are close."""
    labelled: list[float] = []
    for pruned, ratio in sorted(points, key=lambda point: point[1]):
        if ratio < LOWEST:
            here = float(share_place(pruned))
            place = (0, 8 + 10 * sum(abs(here - other) < _TEXT_WIDTH for other in labelled))
            spot = (min(pruned, _LARGEST), LOWEST)
            axes.annotate(f"{ratio:.2f}", spot, place, textcoords="offset points", ha="center", fontsize=8)
            labelled.append(here)


def _key(name: str, colour: str, marker: str) -> Line2D:
    return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=10 if marker == "*" else 6, label=name)
