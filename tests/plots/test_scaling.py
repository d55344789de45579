"""The panels of the scalability study."""

from typing import Any

import numpy as np

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


def test_every_panel_has_a_line_for_each_pruner_and_one_for_the_whole_graph() -> None:
    figure = draw_scaling(ROWS, "title", {"lense": "LeNSE"})
    lines = [[np.asarray(line.get_ydata()).tolist() for line in axes.lines] for axes in figure.axes]
    assert lines == [
        [[0.25, 2.0], [1, 1]],
        [[0.93, 0.98], [1, 1]],
        [[4.0, 4.0], [3.0, 3.0], [8.0, 1.0]],
        [[1000.0, 2000.0], [500.0, 1000.0], [30000, 15000]],
    ]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["LeNSE", "whole graph"]
