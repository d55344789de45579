"""Ratio against share pruned for many pruners, with the front of those that no other beats in both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Affine2D, ScaledTranslation

from lense._util.classes import registered
from lense._util.types import Bools, Float64s
from lense.plots.style import MARKERS, PALETTE, STYLE, new_figure

STRONG = ("core", "lense")
"""The package's own pruners, which are drawn as larger stars above all others."""
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


def draw_fronts(found: Rows, title: str = "") -> Figure:
    """Three panels: ratio against vertices and edges pruned as a subgraph, and against vertices ruled out.

    ``found`` has a row for each pruner, as in :attr:`lense.experiments.comparison.OneGraph.rows`; bars are standard
    errors, the stairs join the front, and thin lines join sizes of one pruner, which are small and hollow. Ratios below
    0.5 stand at the lower edge with their value. Marks that would cover others move aside, with a line to their place.
    """
    with matplotlib.rc_context(STYLE):
        figure = new_figure(12.5, 5.6)
        for axes, (mode, share, name, label) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
            solved = [row for row in found if row[mode] is not None]
            points = np.array([(row[mode][share], row[mode]["ratio"]) for row in solved]).reshape(-1, 2)
            spread_axes(axes, points[:, 1].tolist(), points[:, 0].tolist())
            draw_stairs(axes, points[[row[mode]["front"][share] for row in solved]].tolist() if solved else [])
            axes.set_title(name, fontsize=10, loc="left")
            axes.set_xlabel(f"share of {label}")
        figure.axes[0].set_ylabel("ratio to the heuristic on the whole graph")
        add_legend(figure, [row["pruner"] for row in found])
        if title:
            figure.suptitle(title, fontsize=11, x=0.01, ha="left")
        figure.draw_without_rendering()  # marks find their places when the panels have theirs
        for axes, (mode, share, *_) in zip(figure.axes, PANELS, strict=True):
            _draw_marks(axes, [row for row in found if row[mode] is not None], mode, share)
    return figure


def draw_overview(problems: Mapping[str, Points], graphs: Mapping[str, int]) -> Figure:
    """Ratio against edges pruned, a panel for each problem. Large marks are means over graphs, small ones are graphs.

    Names stand on the front of the means. ``graphs`` says how many there are of each problem.
    """
    styles = styles_of(name for points in problems.values() for name in points)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(4.3 * max(len(problems), 2), 5.4)
        panels = figure.subplots(1, len(problems), squeeze=False)[0]
        for axes, (problem, points) in zip(panels, problems.items(), strict=True):
            means, every = means_of(points), [one for some in points.values() for one in some]
            spread_axes(axes, [ratio for _, ratio in every], [share for share, _ in every])
            front = front_of(means)
            draw_stairs(axes, [means[name] for name in front])
            for name, mean in means.items():
                size = 14 if name in STRONG else 9 if name in front else 7
                for places, width, level, alpha in ((points[name], 3, 2, 0.35), ([mean], size, 4, 1.0)):
                    shown = np.maximum(places, [-1, LOWEST]).T
                    _draw_mark(axes, *styles[name], shown, width, level, alpha=alpha)
                if name in front:
                    text: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9, "color": styles[name][0]}
                    axes.annotate(name, (mean[0], max(mean[1], LOWEST)), (7, 4), zorder=5, **text)
            count = f"{graphs[problem]} graph{'' if graphs[problem] == 1 else 's'}"
            axes.set_title(f"{problem}, {count}", fontsize=10, loc="left")
            axes.set_xlabel("share of edges pruned")
        panels[0].set_ylabel("ratio to the heuristic on the whole graph")
        add_legend(figure, styles)
    return figure


def means_of(points: Points) -> dict[str, tuple[float, float]]:
    """The mean share and ratio of each pruner over its graphs."""
    return {name: tuple(np.mean(some, axis=0).tolist()) for name, some in points.items() if len(some)}


def front_of(means: Mapping[str, tuple[float, float]]) -> list[str]:
    """The pruners that no other beats in both share and ratio, to three digits."""
    rounded = {name: (round(share, 3), round(ratio, 3)) for name, (share, ratio) in means.items()}
    return [
        name
        for name, (share, ratio) in rounded.items()
        if not any((a, b) != (share, ratio) and a >= share and b >= ratio for a, b in rounded.values())
    ]


def base_name(pruner: str) -> str:
    """The name of a pruner without its parameters."""
    return pruner.partition(":")[0]


def styles_of(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each pruner, whatever its parameters: by its place among those registered, then others."""
    bases = dict.fromkeys(map(base_name, names))
    others = [name for name in dict.fromkeys([*sorted(registered("lense.pruners")), *bases]) if name not in STRONG]
    colours = PALETTE[len(STRONG) :]
    styles = {name: (colour, "*") for name, colour in zip(STRONG, PALETTE, strict=False)}
    for i, name in enumerate(others):
        styles[name] = colours[i % len(colours)], MARKERS[i // len(colours) % len(MARKERS)]
    return {name: look for name, look in styles.items() if name in bases}


def spread_axes(axes: Axes, ratios: Sequence[float], shares: Sequence[float]) -> None:
    """Give axes the scales, limits and ticks for these ratios and shares.

    The vertical axis spreads 0.95 to 1. The horizontal one goes by -log10 of the share kept, so that 90, 99 and 99.9 %
    are evenly spaced.
    """
    top, right = max([*ratios, 1.0]) + 0.01, 1 - 0.75 * (1 - min(max([*shares, 0.5]), _LARGEST))
    axes.set_yscale(
        "function",
        functions=(
            lambda ratio: np.interp(ratio, _RATIOS, _HEIGHTS),
            lambda place: np.interp(place, _HEIGHTS, _RATIOS),
        ),
    )
    axes.set_xscale(
        "function",
        functions=(
            lambda share: -np.log10(1 - np.minimum(share, _LARGEST)),
            lambda place: 1 - 10.0 ** -np.asarray(place),
        ),
    )
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


def draw_stairs(axes: Axes, front: Iterable[Sequence[float]]) -> None:
    """Join the shares and ratios of a front: whatever lies below the stairs is beaten."""
    if points := sorted(map(tuple, front)):
        pruned, ratios = zip(*[(-1.0, points[0][1]), *points, (points[-1][0], -1.0)], strict=True)
        axes.step(pruned, ratios, where="pre", color="0.6", linewidth=1, zorder=1)


def add_legend(figure: Figure, names: Iterable[str]) -> None:
    """A key for each pruner below the panels, and one for the front."""
    keys = [
        Line2D([], [], linestyle="", color=colour, marker=marker, markersize=10 if marker == "*" else 6, label=name)
        for name, (colour, marker) in styles_of(names).items()
    ]
    keys.append(Line2D([], [], color="0.6", linewidth=1, label="front"))
    figure.legend(handles=keys, loc="outside lower center", ncols=min(len(keys), 7))


def _draw_marks(axes: Axes, rows: Rows, mode: str, share: str) -> None:
    """Marks with their errors. Those of other sizes of a pruner stay in place, and all others move apart."""

    def turn(row: Mapping[str, Any]) -> tuple[bool, ...]:
        return ":" in row["pruner"], row["pruner"] not in STRONG, not row[mode]["front"][share]

    rows, styles = sorted(rows, key=turn), styles_of(row["pruner"] for row in rows)
    names = [row["pruner"] for row in rows]
    ratios = np.array([row[mode]["ratio"] for row in rows])
    places = np.array([(min(row[mode][share], _LARGEST), max(row[mode]["ratio"], LOWEST)) for row in rows])
    sizes = np.array([4 if ":" in name else 12 if name in STRONG else 6 for name in names])
    is_small, is_low = np.array([":" in name for name in names]), ratios < LOWEST
    for base, (colour, _) in styles.items():
        line = sorted(place for name, place in zip(names, places.tolist(), strict=True) if base_name(name) == base)
        axes.plot(*np.array(line).T, color=colour, linewidth=0.8, alpha=0.6, zorder=1.5)
    if not names:
        return
    inches = axes.get_figure(root=True).dpi_scale_trans  # type: ignore[union-attr]
    points = Affine2D().scale(72)
    half = 0.45 * sizes[:, None] * [[-1, -1, 1, 1]]
    half[is_low] = [-4.5, 2.5, 24.5, 11.5]  # above the edge, with room for the ratio
    boxes = np.tile((axes.transData + inches.inverted() + points).transform(places), 2) + half
    frame = np.array(axes.get_window_extent().transformed(inches.inverted() + points).extents)
    moves = np.zeros((len(names), 2))
    moves[~is_small] = spread(boxes[~is_small], boxes[is_small], frame, is_low)
    moves += np.outer(is_low, [0.0, 7.0])
    for row, place, move, size in zip(rows, places, moves, sizes, strict=True):
        name, figures, (colour, marker) = row["pruner"], row[mode], styles[base_name(row["pruner"])]
        offset: dict[str, Any] = {"xy": tuple(place), "textcoords": "offset points"}
        level = 4 if name in STRONG else 2 if ":" in name else 3
        if figures["ratio"] >= LOWEST:
            axes.errorbar(place[0], place[1], figures["ratio_stderr"], color=colour, elinewidth=0.8, zorder=level)
        else:
            text: dict[str, Any] = {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.5}, "fontsize": 8}
            text |= {"xytext": (move[0] + 5, move[1] - 0.5), "va": "center", "color": colour}
            axes.annotate(f"{figures['ratio']:.2f}", **text, **offset)
        if move.any():
            line_style = {"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", xytext=tuple(move), arrowprops=line_style, zorder=2.5, **offset)
        moved = axes.transData + ScaledTranslation(move[0] / 72, move[1] / 72, inches)
        _draw_mark(axes, colour, marker, place, size, level, transform=moved, is_hollow=":" in name, label=name)


def _draw_mark(
    axes: Axes, colour: str, marker: str, places: Any, size: float, level: float, is_hollow: bool = False, **more: Any
) -> None:
    more |= {"markerfacecolor": "white" if is_hollow else colour, "markeredgecolor": colour if is_hollow else "white"}
    edge = 1 if is_hollow else 0.5 if level > 2 else 0
    style: dict[str, Any] = {"linestyle": "", "markersize": size, "markeredgewidth": edge, "clip_on": False}
    axes.plot(*places, marker, color=colour, zorder=level, **style, **more)


_MOVES = np.array([(r * np.cos(a), r * np.sin(a)) for r in range(8, 60, 4) for a in np.radians(range(90, 450, 30))])
"""In points, the nearest first, and of these those upwards, where there is most room."""


def spread(boxes: Float64s, fixed: Float64s, frame: Float64s, must_fit: Bools) -> Float64s:
    """How far each box (N, 4) moves so that it covers none before it, nor one of the ``fixed``; the first stay.

    A box has a left, bottom, right and top. One that finds no place within the ``frame`` stays as well.
    """
    moves, taken = np.zeros((len(boxes), 2)), np.empty((0, 4))
    for i, box in enumerate(boxes):
        if _meets(box[None], taken)[0] or (must_fit[i] and not _is_inside(box[None], frame)[0]):
            moved = box + np.tile(_MOVES, 2)
            free = _is_inside(moved, frame) & ~_meets(moved, np.vstack([taken, fixed]))
            moves[i] = _MOVES[free.argmax()] if free.any() else 0
        taken = np.vstack([taken, box + np.tile(moves[i], 2)])
    return moves


def _is_inside(boxes: Float64s, frame: Float64s) -> Any:
    return (boxes[:, :2] >= frame[:2]).all(axis=1) & (boxes[:, 2:] <= frame[2:]).all(axis=1)


def _meets(boxes: Float64s, others: Float64s) -> Bools:
    covers = (boxes[:, None, :2] < others[:, 2:]) & (others[:, :2] < boxes[:, None, 2:])
    return np.asarray(np.any(np.all(covers, axis=2), axis=1), np.bool_)
