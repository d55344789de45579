"""All pruners on all graphs at once: ratio against edges pruned, a panel for each problem."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lense.plots import STYLE, new_figure
from lense.plots.fronts import LOWEST, STRONG, add_legend, draw_stairs, looks_of, spread_axes

Points = Mapping[str, Sequence[tuple[float, float]]]
"""Of each pruner the share of edges pruned and the ratio on each graph."""


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


def draw_overview(problems: Mapping[str, Points], graphs: Mapping[str, int]) -> Figure:
    """Large marks are means over graphs, with names on the front of these; small ones are single graphs.

    ``graphs`` says how many there are of each problem.
    """
    looks = looks_of(name for points in problems.values() for name in points)
    with matplotlib.rc_context(STYLE):
        figure = new_figure(4.3 * max(len(problems), 2), 5.4)
        panels = figure.subplots(1, len(problems), squeeze=False)[0]
        for axes, (problem, points) in zip(panels, problems.items(), strict=True):
            means, every = means_of(points), [one for some in points.values() for one in some]
            spread_axes(axes, [ratio for _, ratio in every], [share for share, _ in every])
            front = front_of(means)
            draw_stairs(axes, [means[name] for name in front])
            for name in means:
                _draw_pruner(axes, name, looks[name], points[name], means[name], is_named=name in front)
            count = f"{graphs[problem]} graph{'' if graphs[problem] == 1 else 's'}"
            axes.set_title(f"{problem}, {count}", fontsize=10, loc="left")
            axes.set_xlabel("share of edges pruned")
        panels[0].set_ylabel("ratio to the heuristic on the whole graph")
        add_legend(figure, looks)
    return figure


def _draw_pruner(
    axes: Axes,
    name: str,
    look: tuple[str, str],
    points: Sequence[tuple[float, float]],
    mean: tuple[float, float],
    *,
    is_named: bool,
) -> None:
    (colour, marker), place = look, (mean[0], max(mean[1], LOWEST))
    shown = [(share, max(ratio, LOWEST)) for share, ratio in points]
    single: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": ""}
    axes.plot(*zip(*shown, strict=True), **single, markeredgewidth=0, markersize=3, alpha=0.35, zorder=2)
    edge: dict[str, Any] = {"markeredgewidth": 1.6}
    if marker not in "x+":
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    level = 4.5 if name in STRONG else 4
    axes.plot(
        *place, **single, **edge, markersize=14 if marker == "*" else 9 if is_named else 7, zorder=level, clip_on=False
    )
    if is_named:
        axes.annotate(name, place, (7, 4), textcoords="offset points", fontsize=9, color=colour, zorder=5)
