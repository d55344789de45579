"""Ratio against share pruned for many pruners, with the front of those that no other beats in both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lense._util.classes import registered
from lense._util.measuring import undominated
from lense.plots.style import MARKERS, PALETTE, new_figure, styled

LOWEST = 0.5
_RATIOS, _HEIGHTS = (LOWEST, 0.9, 0.95, 1.0, 1.02, 2.0), (0.0, 0.2, 0.35, 0.9, 1.05, 1.6)
"""Ratios and their places: half of the axis is for 0.95 to 1, where most of them lie."""
_RATIO_TICKS = (0.5, 0.7, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0, 1.02, 1.1, 1.3)
_SHARE_TICKS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
_WIDE_SHARE_TICKS = (0.0, 0.9, 0.99, 0.999, 0.9999)
_LARGEST = 0.9999
PANELS = (
    ("subgraph", "vertices_pruned", "Subgraph: vertices pruned", "vertices pruned"),
    ("subgraph", "edges_pruned", "Subgraph: edges pruned", "edges pruned"),
    ("ground-set", "vertices_pruned", "Ground set: vertices ruled out", "vertices not to choose from"),
)
"""Mode, share, what a panel shows, and what its horizontal axis says."""
Rows = Sequence[Mapping[str, Any]]
Points = Mapping[str, Sequence[tuple[float, float]]]
"""Of each pruner the share of edges pruned and the ratio on each graph."""


@styled
def draw_fronts(found: Rows, title: str = "") -> Figure:
    """Draw ratio against vertices and edges pruned as a subgraph, and against vertices ruled out.

    Bars are standard errors, the stairs join the front, and thin lines join sizes of one pruner. Ratios below 0.5 stand
    at the lower edge with their value.

    Parameters
    ----------
    found
        A row for each pruner, as in :attr:`lense.experiments.comparison.OneGraph.rows`.
    title
        What stands above the panels.
    """
    figure = new_figure(12.5, 5.6)
    for axes, (mode, share, name, label) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        solved = [row for row in found if row[mode] is not None]
        points = [(row[mode][share], row[mode]["ratio"]) for row in solved]
        spread_axes(axes, points)
        _draw_stairs(axes, [point for row, point in zip(solved, points, strict=True) if row[mode]["front"][share]])
        _draw_marks(axes, solved, mode, share)
        axes.set_title(name)
        axes.set_xlabel(f"share of {label}")
    _add_legend(figure, styles_of(row["pruner"] for row in found))
    if title:
        figure.suptitle(title, x=0.01, ha="left")
    return figure


@styled
def draw_overview(panels: Mapping[str, Points]) -> Figure:
    """Draw ratio against edges pruned: large marks are means over graphs, named on the front of them.

    Parameters
    ----------
    panels
        For each panel, by its title, the share of edges pruned and the ratio on each graph, by pruner.
    """
    styles = styles_of(name for points in panels.values() for name in points)
    figure = new_figure(4.3 * max(len(panels), 2), 5.4)
    for axes, (title, points) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        means = {name: tuple(np.mean(some, axis=0).tolist()) for name, some in points.items()}
        rounded = [(round(share, 3), round(ratio, 3)) for share, ratio in means.values()]
        front = [name for name, is_best in zip(means, undominated(rounded), strict=True) if is_best]
        spread_axes(axes, [one for some in points.values() for one in some])
        _draw_stairs(axes, [means[name] for name in front])
        for name, mean in means.items():
            look, large = _mark(*styles[name]), 12 if name in stars() else 7
            for places, size, alpha in ((points[name], 3, 0.35), ([mean], large, 1.0)):
                shown = np.maximum(places, [-1, LOWEST]).T
                axes.plot(*shown, zorder=size, markersize=size, alpha=alpha, clip_on=False, **look)
            if name in front:
                text: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9, "color": look["color"]}
                axes.annotate(name, (mean[0], max(mean[1], LOWEST)), (7, 4), zorder=20, **text)
        axes.set_title(title)
        axes.set_xlabel("share of edges pruned")
    _add_legend(figure, styles)
    return figure


def stars() -> list[str]:
    """The pruners that are drawn as larger stars above all others."""
    return sorted(name for name, kind in registered("lense.pruners").items() if getattr(kind, "is_star", False))


def base_name(pruner: str) -> str:
    """The name of a pruner without its parameters."""
    return pruner.partition(":")[0]


def styles_of(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each pruner, whatever its parameters: by its place among those registered, then others."""
    bases = dict.fromkeys(map(base_name, names))
    strong = stars()
    others = [name for name in dict.fromkeys([*sorted(registered("lense.pruners")), *bases]) if name not in strong]
    colours = PALETTE[len(strong) :]
    styles = {name: (colour, "*") for name, colour in zip(strong, PALETTE, strict=False)}
    for i, name in enumerate(others):
        styles[name] = colours[i % len(colours)], MARKERS[i // len(colours) % len(MARKERS)]
    return {name: look for name, look in styles.items() if name in bases}


def spread_axes(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    """Give axes the scales, limits and ticks for these pairs of a share and a ratio.

    The vertical axis spreads 0.95 to 1. The horizontal one goes by -log10 of the share kept, so that 90, 99 and 99.9 %
    are evenly spaced.
    """
    shares, ratios = np.array([(0.5, 1.0), *points]).max(axis=0)
    top, right = ratios + 0.01, 1 - 0.75 * (1 - min(shares, _LARGEST))
    heights = (lambda ratio: np.interp(ratio, _RATIOS, _HEIGHTS), lambda place: np.interp(place, _HEIGHTS, _RATIOS))
    nines = (lambda share: -np.log10(1 - np.minimum(share, _LARGEST)), lambda place: 1 - 10.0 ** -np.asarray(place))
    axes.set_yscale("function", functions=heights)
    axes.set_xscale("function", functions=nines)
    axes.set(xlim=(-0.1, right), ylim=(LOWEST, top))
    ticks = _SHARE_TICKS if right < _SHARE_TICKS[-1] else _WIDE_SHARE_TICKS
    shown = [tick for tick in ticks if tick <= right]
    axes.set_xticks(shown, [f"{100 * tick:g} %" for tick in shown])
    shown = [tick for tick in _RATIO_TICKS if tick <= top]
    axes.set_yticks(shown, [f"{tick:.2f}" for tick in shown])
    axes.minorticks_off()
    axes.tick_params(labelsize=9)
    axes.axhspan(0.95, 1.0, color="0.97", zorder=0)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)


def _draw_stairs(axes: Axes, front: Iterable[Sequence[float]]) -> None:
    """Join the shares and ratios of a front: whatever lies below the stairs is beaten."""
    if points := sorted(map(tuple, front)):
        pruned, ratios = zip(*[(-1.0, points[0][1]), *points, (points[-1][0], -1.0)], strict=True)
        axes.step(pruned, ratios, where="pre", color="0.6", linewidth=1, zorder=1)


def _add_legend(figure: Figure, styles: Mapping[str, tuple[str, str]]) -> None:
    """Name the vertical axis of the first panel, and all marks below the panels."""
    figure.axes[0].set_ylabel("ratio to the heuristic on the whole graph")
    keys = [
        Line2D([], [], label=name, markersize=10 if marker == "*" else 6, **_mark(colour, marker))
        for name, (colour, marker) in styles.items()
    ]
    keys.append(Line2D([], [], color="0.6", linewidth=1, label="front"))
    figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 7))


def _draw_marks(axes: Axes, rows: Rows, mode: str, share: str) -> None:
    """Marks with their errors: strong ones below, small ones for other sizes of a pruner, which a line joins."""
    low: list[float] = []  # the places of values below the axes, which are written above each other
    for base, (colour, marker) in styles_of(row["pruner"] for row in rows).items():
        own = [row for row in rows if base_name(row["pruner"]) == base]
        places = {row["pruner"]: (min(row[mode][share], _LARGEST), max(row[mode]["ratio"], LOWEST)) for row in own}
        axes.plot(*np.array(sorted(places.values())).T, color=colour, linewidth=0.8, alpha=0.6, zorder=1.5)
        for row in own:
            name, ratio, place = row["pruner"], row[mode]["ratio"], places[row["pruner"]]
            is_star = name in stars()
            level = 2 if is_star else 3
            if ratio >= LOWEST:
                axes.errorbar(*place, row[mode]["ratio_stderr"], color=colour, elinewidth=0.8, zorder=level)
            else:
                text: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "color": colour}
                height = 3 + 10 * sum(abs(other - place[0]) < 0.02 for other in low)
                axes.annotate(f"{ratio:.2f}", place, (5, height), **text)
                low.append(place[0])
            size = 12 if is_star else 4 if ":" in name else 6
            axes.plot(*place, zorder=level, markersize=size, clip_on=False, label=name, **_mark(colour, marker))


def _mark(colour: str, marker: str) -> dict[str, Any]:
    """A mark that is hollow but for the strong, since many pruners may have the same place."""
    face = colour if marker == "*" else "none"
    return {"marker": marker, "color": colour, "markerfacecolor": face, "markeredgewidth": 1.2, "linestyle": ""}
