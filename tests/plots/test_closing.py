"""The picture of cores that close."""

import numpy as np
from matplotlib.lines import Line2D

from lense.plots.closing import draw_closing

ROUNDS = [
    {"rule": "intervals", "dropped": 80, "forced": 5, "live": 15},
    {"rule": "cliques", "dropped": 10, "forced": 5, "live": 0},
]


def heights(line: Line2D) -> list[float]:
    values: list[float] = np.asarray(line.get_ydata()).tolist()
    return values


def test_a_line_begins_with_all_vertices_and_each_round_has_the_mark_of_its_rule() -> None:
    figure = draw_closing({"one, mvc": (100, ROUNDS), "other, bmc": (50, ROUNDS[:1])}, "Cores")
    (axes,) = figure.axes
    lines = {str(line.get_label()): heights(line) for line in axes.lines}
    assert lines["one, mvc"] == [100, 15, 0]
    assert lines["other, bmc"] == [50, 15]
    marked = [heights(line) for line in axes.lines if line.get_marker() == "^"]
    assert marked == [[0], []]
    assert {text.get_text() for legend in figure.legends for text in legend.get_texts()} >= {"cliques", "one, mvc"}
    assert axes.get_title("left") == "Cores"
