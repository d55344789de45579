"""Walks as a page draws them: paths across the map, places along them, and curves over their steps."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lense.evaluation import Yardstick
from lense.navigation import Walk
from lense.navigation.environment import Observation
from lense.navigation.walk import Policy, greedy_policy
from lense.progress import progress
from lense.pruners import LeNSE
from lense.report.blocks import Block, rounded
from lense.report.samples import on_the_map
from lense.subgraphs import subgraph
from lense.types import Float32s, Float64s, Int64s

MOST_MEASURED = 40
MOST_DRAWN = 250
MOST_DRAWN_FAINT = 100
Place = dict[str, Any]
Floats = Float32s | Float64s


def median_walk(last: Floats) -> int:
    """Which of the walks ends at the median of the ``last`` distances (B), as in :func:`lense.pictures.draw_walks`."""
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


def points_of(model: LeNSE, embeddings: Tensor) -> Float64s:
    """Where embeddings (..., d) lie on the page's map (..., 2)."""
    return on_the_map(model, model.picture_(embeddings).numpy())


def measured_places(
    model: LeNSE, walked: Walk, which: int, sets: Tensor, yardstick: Yardstick, episode: int
) -> list[Place]:
    """Places along one of the walks, whose roots at the steps of :func:`measured_steps` are ``sets`` (S, M).

    ``episode`` is its number among those that the yardstick measures.
    """
    steps = measured_steps(len(walked.distances) - 1)
    points = points_of(model, walked.embeddings[steps, which])
    places = []
    with progress("measuring along a walk", steps.size) as advance:
        for step, roots, point in zip(steps.tolist(), sets.numpy(), rounded(points), strict=True):
            part = subgraph(yardstick.graph, roots)
            measured = yardstick.measure(part, episode)
            places.append(
                {
                    "step": step,
                    "at": point,
                    "ratio": measured.ratio,
                    "vertices": part.graph.num_vertices,
                    "edges": part.graph.num_edges,
                    "distance": float(walked.distances[step, which]),
                }
            )
            advance(1)
    return places


def measured_steps(last: int) -> Int64s:
    """The steps at which places are shown along a walk of ``last`` steps."""
    return spread(last, MOST_MEASURED)


def curves(distances: Floats, shown: int, places: Sequence[Place], link: str = "walk") -> list[Block]:
    """Distances (T + 1, B) of the walks over their steps, and the ratio where it is known at every place.

    A place pointed at is marked in every chart of the same ``link``.
    """
    steps = spread(len(distances) - 1, MOST_DRAWN_FAINT)
    others = np.delete(distances[steps], shown, axis=1)
    faint = [{"points": [*zip(steps.tolist(), rounded(one), strict=True)]} for one in others.T]
    shared = {"kind": "lines", "x": "step", "link": link}
    far = {
        **shared,
        "title": f"Distance to the goal along the {'walks' if faint else 'walk'}",
        "series": [{"name": "distance", "points": [(place["step"], place["distance"]) for place in places]}],
        "faint": faint,
        "zero": True,
    }
    if any(place["ratio"] is None for place in places):
        return [far]
    ratios = [{"name": "ratio", "points": [(place["step"], place["ratio"]) for place in places]}]
    return [{**shared, "title": "Ratio along the walk", "series": ratios, "faint": []}, far]


class Follow:
    """The policy of a model, which keeps the roots ``met`` (B, M) before some of its steps."""

    def __init__(self, model: LeNSE, steps: Int64s) -> None:
        self.met: list[Tensor] = []
        self._policy: Policy = greedy_policy(model.navigator_, model.encoder_)
        self._wanted, self._step = set(steps.tolist()), 0

    def __call__(self, observation: Observation, info: dict[str, Any]) -> Tensor:
        if self._step in self._wanted:
            self.met.append(info["roots"].cpu())
        self._step += 1
        return self._policy(observation, info)

    def roots(self, last: Tensor) -> Tensor:
        """The roots (S, B, M) at all steps, of which the walk ended with the ``last`` (B, M)."""
        return torch.stack([*self.met, last])
