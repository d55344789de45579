"""A map with walks across it, and how to read what was drawn of it."""

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lense._util.types import Float64s, Int64s
from lense.plots import draw_map

CUTOFFS = (0.95, 0.8, 0.6)
NAMES = ["1: above 95 %", "2: 80 to 95 %", "3: 60 to 80 %", "4: up to 60 %"]


class Case(NamedTuple):
    """What ``draw_walks`` takes."""

    points: Float64s
    labels: Int64s
    goal: Float64s
    cutoffs: tuple[float, ...]
    paths: Float64s
    distances: Float64s


def case(samples: int = 40, steps: int = 30, walks: int = 5, seed: int = 0) -> Case:
    """Classes in a row, from the goal at the right to the worst at the left, and walks from there to the goal."""
    rng = np.random.default_rng(seed)
    labels = np.arange(samples) % 4 + 1
    points = np.stack([-3.0 * labels, np.zeros(samples)], axis=1) + rng.normal(size=(samples, 2))
    goal = points[labels == 1].mean(axis=0)
    along = np.linspace(0, 1, steps + 1)[:, None, None]
    paths = (1 - along) * [-12.0, 0.0] + along * goal + 0.3 * rng.normal(size=(steps + 1, walks, 2))
    return Case(points, labels, goal, CUTOFFS, paths, np.linalg.norm(paths - goal, axis=2))


def map_of(drawn: Case) -> Figure:
    return draw_map(*drawn[:4])


def samples_of(axes: Axes) -> tuple[Float64s, Float64s]:
    """Places (N, 2) and colours (N, 4) of the samples drawn."""
    (scatter,) = axes.collections
    return np.asarray(scatter.get_offsets()), np.asarray(scatter.get_facecolor())


def lines_with(axes: Axes, marker: str) -> list[Line2D]:
    return [line for line in axes.get_lines() if line.get_marker() == marker]


def places_of(line: Line2D) -> Float64s:
    return np.asarray(line.get_xydata())


def place_of(mark: Line2D) -> Float64s:
    (place,) = places_of(mark)
    return np.asarray(place)


def legend_of(drawn: Figure | Axes) -> list[str]:
    legend = drawn.legends[0] if isinstance(drawn, Figure) else drawn.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]
