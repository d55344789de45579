"""The three panels of the scalability study."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from lense.plots.scaling import draw_scaling


def row(share: int, whole: float, navigation: float, heuristic: float) -> dict[str, Any]:
    return {
        "edges_pct": share,
        "pruner": "lense",
        "speed_up": whole / (navigation + heuristic),
        "speed_up_stderr": None,
        "seconds_on_graph": whole,
        "seconds_navigation": navigation,
        "seconds_heuristic": heuristic,
        "vertices": 10 * share,
        "edges": 20 * share,
        "graph_vertices": 100 * share,
        "graph_edges": 300 * share,
        "ratio": 0.88 + share / 1000,
    }


ROWS = [row(50, 1.0, 3.0, 1.0), row(100, 8.0, 3.0, 1.0)]


def bars(axes: Axes) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_speed_ups_are_bars_from_one_hatched_below_it_and_pale_where_the_answer_is_poor() -> None:
    axes = draw_scaling(ROWS, "title").axes[0]
    assert [(bar.get_y(), bar.get_height()) for bar in bars(axes)] == [(1, 0.25 - 1), (1, 2.0 - 1)]
    assert [bool(bar.get_hatch()) for bar in bars(axes)] == [True, False]
    assert [bar.get_alpha() for bar in bars(axes)] == [0.4, 1]
    assert [text.get_text() for text in axes.texts] == ["0.25\nat 0.93", "2\nat 0.98"]
