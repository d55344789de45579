"""Draw how the lossless cores of some graphs close: ``python examples/closing_cores.py docs/closing_cores.png``."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lense import Bounds, open_graph
from lense.plots import STYLE, new_figure, save_figure
from lense.plots.style import MARKERS, PALETTE, whole_numbers
from lense.problems.bounds import Round

CASES = (
    ("web-Google", "mvc"),
    ("slashdot", "bmc"),
    ("deezer", "bmc"),
    ("wiki", "bmc"),
    ("facebook", "mvc"),
    ("ca-GrQc", "mvc"),
)


def main(path: Path, budget: int = 100) -> None:
    """Draw the graphs of ``CASES``, which ``LENSE_DATA`` must have, at one budget."""
    rounds = {}
    for name, problem in CASES:
        graph = open_graph(name)
        core = Bounds(problem, budget).core(graph)
        rounds[f"{name}, {problem}"] = graph.num_vertices, core.rounds
    save_figure(draw_closing(rounds, f"Lossless cores, b = {budget}"), path)


def draw_closing(rounds: Mapping[str, tuple[int, Sequence[Round]]], title: str = "") -> Figure:
    """Live vertices after each round, on a logarithmic scale that shows 0, one line for each graph.

    ``rounds`` has for each name the number of vertices at the start, and the rounds.
    """
    rules = dict.fromkeys(one.rule for _, done in rounds.values() for one in done)
    markers = dict(zip(rules, MARKERS, strict=False))
    with matplotlib.rc_context(STYLE):
        figure = new_figure(7.6, 4.2)
        axes = figure.subplots()
        for (name, (start, done)), colour in zip(rounds.items(), PALETTE * len(rounds), strict=False):
            live = [start, *(one.live for one in done)]
            axes.plot(live, color=colour, linewidth=1.4, label=name)
            for i, one in enumerate(done, start=1):
                axes.plot(i, live[i], markers[one.rule], color=colour, markersize=4.5)
        axes.set_yscale("symlog", linthresh=1, linscale=0.4)
        axes.set_ylim(bottom=-0.15)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        whole_numbers(axes)
        axes.set(xlabel="round", ylabel="live vertices")
        axes.set_title(title, fontsize=11, loc="left")
        figure.legend(loc="outside right upper", title="graph, problem", alignment="left")
        style: Any = {"linestyle": "none", "color": "0.4", "markersize": 4.5}
        keys = [Line2D([], [], marker=marker, label=rule, **style) for rule, marker in markers.items()]
        figure.legend(handles=keys, loc="outside right lower", title="decided by", alignment="left")
    return figure


if __name__ == "__main__":
    main(Path(sys.argv[1]))
