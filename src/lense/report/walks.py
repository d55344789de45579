"""Walks as a page draws them: paths across the map, places along them, and curves over their steps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.progress import progress
from lense._util.types import Float32s, Float64s, Int64s
from lense.evaluation import Yardstick
from lense.graph.subgraph import Subgraph
from lense.navigation import LeNSE
from lense.report.blocks import Block, rounded
from lense.report.samples import on_the_map

if TYPE_CHECKING:
    from torch import Tensor

MOST_MEASURED = 40
MOST_DRAWN = 250
MOST_DRAWN_FAINT = 100
_FEWEST_FOR_A_CURVE = 2
Place = dict[str, Any]
Floats = Float32s | Float64s


def median_walk(last: Floats) -> int:
    """Which of the walks ends at the median of the ``last`` distances (B), as in :func:`lense.plots.draw_walks`."""
    return int(np.argsort(last, kind="stable")[(last.size - 1) // 2])


def spread(last: int, most: int) -> Int64s:
    """At most so many steps between 0 and ``last``, both among them, evenly spaced."""
    steps: Int64s = np.linspace(0, last, min(last + 1, most)).round().astype(np.int64)
    return steps


def paths(points: Floats, shown: int) -> dict[str, list[Any]]:
    """Walks on the map, ``points`` (T + 1, B, 2): the one ``shown`` strongly, and the ``others``."""
    last = len(points) - 1
    faint = points[spread(last, MOST_DRAWN_FAINT)]
    return {
        "shown": rounded(points[spread(last, MOST_DRAWN), shown]),
        "others": [rounded(faint[:, i]) for i in range(points.shape[1]) if i != shown],
    }


def points_of(model: LeNSE, embeddings: "Tensor") -> Float64s:
    """Where embeddings (..., d) lie on the page's map (..., 2)."""
    return on_the_map(model, model.map_.picture(embeddings).numpy())


def places_at(
    model: LeNSE,
    steps: Sequence[int],
    parts: Sequence[Subgraph],
    embeddings: "Tensor",
    ratios: Sequence[float | None],
) -> list[Place]:
    """What a page says of S subgraphs, with their ``steps``, ``embeddings`` (S, d) and ``ratios``."""
    points = rounded(points_of(model, embeddings))
    distances = (embeddings - model.map_.goal).norm(dim=1).tolist()
    return [
        {
            "step": step,
            "at": point,
            "ratio": ratio,
            "vertices": part.graph.num_vertices,
            "edges": part.graph.num_edges,
            "distance": distance,
        }
        for step, point, ratio, part, distance in zip(steps, points, ratios, parts, distances, strict=True)
    ]


def ratios_at(
    parts: Sequence[Subgraph], yardstick: Yardstick, episode: int, most: int = MOST_MEASURED
) -> list[float | None]:
    """Ratios of the subgraphs along a walk, None at all but ``most`` of them.

    ``episode`` is the walk's number among those that the yardstick measures.
    """
    ratios: list[float | None] = [None] * len(parts)
    measured = spread(len(parts) - 1, most).tolist()
    with progress("measuring along a walk", len(measured)) as advance:
        for place in measured:
            ratios[place] = yardstick.ratio(parts[place], episode)
            advance(1)
    return ratios


def measured_steps(last: int) -> Int64s:
    """The steps at which places are shown along a walk of ``last`` steps."""
    return spread(last, MOST_MEASURED)


def curves(places: Sequence[Place], others: Floats | None = None, link: str = "walk") -> list[Block]:
    """The distance over the steps of the walk with these ``places``, faintly the distances (T + 1, B) of ``others``,
    and the ratio where it is known at two places or more.

    A place pointed at is marked in every chart of the same ``link``.
    """
    shared = {"kind": "lines", "x": "step", "link": link}
    faint = [] if others is None else _faint(others)
    far = {
        **shared,
        "title": f"Distance to the goal along the {'walks' if faint else 'walk'}",
        "series": [_series("distance", places)],
        "faint": faint,
        "zero": True,
    }
    if sum(place["ratio"] is not None for place in places) < _FEWEST_FOR_A_CURVE:
        return [far]
    return [{**shared, "title": "Ratio along the walk", "series": [_series("ratio", places)], "faint": []}, far]


def _series(name: str, places: Sequence[Place]) -> dict[str, Any]:
    return {"name": name, "points": [(place["step"], place[name]) for place in places]}


def _faint(distances: Floats) -> list[dict[str, Any]]:
    """Curves of the distances (T + 1, B) of walks."""
    steps = spread(len(distances) - 1, MOST_DRAWN_FAINT)
    return [{"points": [*zip(steps.tolist(), rounded(one), strict=True)]} for one in distances[steps].T]
