"""Ratio against share pruned for many pruners, with the front of those that no other beats in both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator
from matplotlib.transforms import Transform

from lense.plots import STYLE, new_figure
from lense.plots.spreading import Frame, Spot, spread

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
_TEXT_WIDTH, _TEXT_HEIGHT = 20.0, 9.0
"""Of a ratio with two digits, in points."""
_LIFT = 7.0
"""Of marks that are too low, above the lower edge, in points."""
_POINTS = 72
_CLOSENESS = 0.45
"""Half of what marks are apart at least, in their sizes."""
PANELS = (
    ("subgraph", "vertices_pruned", "Subgraph: vertices pruned", "vertices pruned"),
    ("subgraph", "edges_pruned", "Subgraph: edges pruned", "edges pruned"),
    ("ground-set", "vertices_pruned", "Ground set: vertices ruled out", "vertices not to choose from"),
)
"""Mode, share, what a panel shows, and what its horizontal axis says."""


def draw_fronts(found: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """Three panels: ratio against vertices and edges pruned as a subgraph, and against vertices ruled out.

    ``found`` are rows of :class:`lense.experiments.comparison.OneGraph`; bars are standard errors, the stairs join the
    front, and thin lines join sizes of one pruner. Ratios below 0.5 stand at the lower edge with their value. Of marks
    that would cover one another all but the first move aside, each with a short line to its true place.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(12.5, 5.6)
        for axes, panel in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
            _draw_panel(axes, found, *panel)
        figure.axes[0].set_ylabel("ratio to the heuristic on the whole graph")
        add_legend(figure, [row["pruner"] for row in found])
        if title:
            figure.suptitle(title, fontsize=11, x=0.01, ha="left")
        figure.draw_without_rendering()
        for axes, (mode, share, *_) in zip(figure.axes, PANELS, strict=True):
            _draw_marks(axes, _marks(found, mode, share))
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
    """All of a panel but the marks, which find their places when the panels have got theirs."""
    solved = [row for row in found if row[mode] is not None]
    points = [(row[mode][share], row[mode]["ratio"]) for row in solved]
    spread_axes(axes, [ratio for _, ratio in points], [pruned for pruned, _ in points])
    draw_stairs(axes, [point for point, row in zip(points, solved, strict=True) if row[mode]["front"][share]])
    for name, look in looks_of(row["pruner"] for row in found).items():
        mine = sorted(
            (one for one in _marks(found, mode, share) if base_name(one.pruner) == name), key=lambda one: one.x
        )
        axes.plot([one.x for one in mine], [one.y for one in mine], color=look[0], linewidth=0.8, alpha=0.6, zorder=1.5)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(f"share of {label}")


class _Mark(NamedTuple):
    """A pruner in a panel, at its true place; ratios too low for the axis lie at its lower edge."""

    pruner: str
    x: float
    y: float
    ratio: float
    error: float | None
    look: tuple[str, str]
    on_front: bool

    @property
    def is_below(self) -> bool:
        return self.ratio < LOWEST

    @property
    def is_other_size(self) -> bool:
        return ":" in self.pruner

    @property
    def size(self) -> float:
        return 12 if self.look[1] == "*" else 4 if self.is_other_size else 8 if self.pruner in STRONG else 6

    @property
    def turn(self) -> tuple[bool, bool]:
        """Lower for those that choose their place first."""
        return self.pruner not in STRONG, not self.on_front


def _marks(found: Sequence[Mapping[str, Any]], mode: str, share: str) -> list[_Mark]:
    looks = looks_of(row["pruner"] for row in found)
    return [
        _Mark(
            row["pruner"],
            min(row[mode][share], _LARGEST),
            max(row[mode]["ratio"], LOWEST),
            row[mode]["ratio"],
            row[mode]["ratio_stderr"],
            looks[base_name(row["pruner"])],
            row[mode]["front"][share],
        )
        for row in found
        if row[mode] is not None
    ]


def _draw_marks(axes: Axes, marks: Sequence[_Mark]) -> None:
    """Marks with their errors; other sizes of a pruner are small and hollow, and stay where they are."""
    small = [one for one in marks if one.is_other_size]
    large = sorted((one for one in marks if not one.is_other_size), key=lambda one: one.turn)
    places = spread([_spot(axes, one) for one in large], [_spot(axes, one) for one in small], _frame(axes))
    for one in small:
        _draw_mark(axes, one, (one.x, one.y))
    for one, place in zip(large, places, strict=True):
        is_moved = place != _spot(axes, one)[:2] or one.is_below
        _draw_mark(axes, one, _from_points(axes, place) if is_moved else (one.x, one.y))


def _spot(axes: Axes, one: _Mark) -> Spot:
    """The place of a mark in points; one too low for the axis lies above its lower edge, since it has a text."""
    x, y = _POINTS * _inches(axes).transform(axes.transData.transform((one.x, one.y)))
    if one.is_below:
        return Spot(float(x), float(y) + _LIFT, _TEXT_HEIGHT / 2, _TEXT_WIDTH)
    return Spot(float(x), float(y), _CLOSENESS * one.size)


def _from_points(axes: Axes, place: tuple[float, float]) -> tuple[float, float]:
    x, y = axes.transData.inverted().transform(_inches(axes).inverted().transform(np.array(place) / _POINTS))
    return float(x), float(y)


def _frame(axes: Axes) -> Frame:
    left, bottom, right, top = _POINTS * axes.get_window_extent().transformed(_inches(axes)).extents
    return Frame(left, bottom, right, top)


def _inches(axes: Axes) -> Transform:
    """From pixels to inches."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure.dpi_scale_trans.inverted()


def _draw_mark(axes: Axes, one: _Mark, place: tuple[float, float]) -> None:
    """The error at the true place, and the mark at another if it must; a thin line joins the two."""
    colour, marker = one.look
    level = 4 if one.pruner in STRONG else 2 if one.is_other_size else 3
    if not one.is_below:
        axes.errorbar(one.x, one.y, one.error, color=colour, elinewidth=0.8, zorder=level)
    if place != (one.x, one.y):
        axes.plot(*zip((one.x, one.y), place, strict=True), color=colour, linewidth=0.8, zorder=2.5)
    axes.plot(
        *place,
        clip_on=False,
        color=colour,
        marker=marker,
        label=one.pruner,
        linestyle="",
        markersize=one.size,
        markerfacecolor="white" if one.is_other_size else colour,
        markeredgecolor=colour if one.is_other_size or marker in "x+" else "white",
        markeredgewidth=1.5 if marker in "x+" else 1 if one.is_other_size else 0.5,
        zorder=level,
    )
    if one.is_below:
        text: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 8, "color": colour}
        text["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        axes.annotate(f"{one.ratio:.2f}", place, (5, -0.5), **text)


def _key(name: str, colour: str, marker: str) -> Line2D:
    return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=10 if marker == "*" else 6, label=name)
