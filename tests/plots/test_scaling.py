"""The three panels of the scalability study."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from lense.plots.scaling import draw_scaling


def row(share: int, whole: float, navigation: float, heuristic: float, pruner: str = "lense") -> dict[str, Any]:
    size = 20 if pruner == "lense" else 10
    return {
        "edges_pct": share,
        "pruner": pruner,
        "speed_up": whole / (navigation + heuristic),
        "speed_up_stderr": None,
        "seconds_on_graph": whole,
        "seconds_navigation": navigation,
        "seconds_heuristic": heuristic,
        "vertices": size // 2 * share,
        "edges": size * share,
        "graph_vertices": 100 * share,
        "graph_edges": 300 * share,
        "ratio": 0.88 + share / 1000,
    }


ROWS = [row(50, 1.0, 3.0, 1.0), row(100, 8.0, 3.0, 1.0)]
BOTH = [*ROWS, row(50, 1.0, 0.2, 0.3, "core"), row(100, 8.0, 0.2, 0.2, "core")]


def bars(axes: Axes) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def drawn(axes: Axes) -> list[list[float]]:
    return [np.asarray(line.get_ydata()).tolist() for line in axes.lines]


def test_speed_ups_are_bars_from_one_hatched_below_it_and_pale_where_the_answer_is_poor() -> None:
    axes = draw_scaling(ROWS, "title").axes[0]
    assert [(bar.get_y(), bar.get_height()) for bar in bars(axes)] == [(1, 0.25 - 1), (1, 2.0 - 1)]
    assert [bool(bar.get_hatch()) for bar in bars(axes)] == [True, False]
    assert [bar.get_alpha() for bar in bars(axes)] == [0.4, 1]
    assert [text.get_text() for text in axes.texts] == ["0.25\nat 0.93", "2\nat 0.98"]


def test_pruners_stand_side_by_side_with_times_and_sizes_in_colours_of_their_own() -> None:
    speed_ups, times, sizes = draw_scaling(BOTH, "", {"lense": "LeNSE"}).axes
    lense, core = bars(speed_ups)[:2], bars(speed_ups)[2:]
    assert [len({to_hex(bar.get_edgecolor()) for bar in some}) for some in (lense, core, [*lense, *core])] == [1, 1, 2]
    for left, right in zip(lense, core, strict=True):
        assert left.get_x() + left.get_width() <= right.get_x()
    for axes in (times, sizes):
        assert len({line.get_color() for line in axes.lines}) == 3
    assert drawn(times) == [[1.0, 8.0], [4.0, 4.0], [3.0, 3.0], [0.5, 0.4], [0.2, 0.2]]
    assert drawn(draw_scaling(ROWS).axes[2]) == [[15000, 30000], [1000, 2000], [5000, 10000], [500, 1000]]
