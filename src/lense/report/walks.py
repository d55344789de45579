"""The map of a model and walks across it, as a page draws them: paths, places along them, and curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

from lense._util.progress import progress
from lense._util.types import Float32s, Float64s, Int64s
from lense.evaluation import Yardstick
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation import LeNSE
from lense.plots.maps import GOAL_COLOUR, WALK_COLOUR, class_colours, class_names, median_walk, turn_of
from lense.report.blocks import Block, rounded, section
from lense.report.drawing import evenly

if TYPE_CHECKING:
    from torch import Tensor

    from lense.navigation.encoder import GraphTensors

MOST_MEASURED = 40
"""Places shown along a walk."""
MOST_DRAWN, MOST_DRAWN_FAINT = 250, 100
"""Points of a path on the map: of the walk shown, and of each other."""
ABOUT_MAPS = (
    "Each point is a labelled subgraph of the train graph; its class is the share of the whole graph's score "
    "that the heuristic reaches on it. The walks should end near the star."
)
_FEWEST_FOR_A_CURVE = 2
Place = dict[str, Any]


def map_block(model: LeNSE, walks: dict[str, Any] | None = None, link: str = "walk") -> Block:
    """The samples in the colours of :mod:`lense.plots`, in random order so that no class hides another.

    Pointing at a place of the ``walks`` marks it in every chart of the same ``link``.
    """
    samples, cutoffs = model.map_.samples, model.map_.cutoffs
    order = np.random.default_rng(0).permutation(samples.labels.size)
    colours = [matplotlib.colors.to_hex(colour) for colour in class_colours(len(cutoffs) + 1)]
    known = set(samples.labels.tolist())
    return {
        "kind": "map",
        "title": "",
        "classes": [
            {"name": name, "colour": colour, "known": number in known}
            for number, (name, colour) in enumerate(zip(class_names(cutoffs), colours, strict=True), start=1)
        ],
        "points": rounded(on_the_map(model, samples.points[order])),
        "labels": samples.labels[order].tolist(),
        "goal": rounded(on_the_map(model, samples.goal)),
        "colours": {"goal": GOAL_COLOUR, "walk": WALK_COLOUR},
        "walks": walks,
        "link": link,
    }


def on_the_map(model: LeNSE, points: "Float32s | Float64s | Tensor") -> Float64s:
    """Points (..., 2) of the model's picture, or embeddings (..., d), turned as in :func:`lense.plots.draw_map`."""
    flat = points if isinstance(points, np.ndarray) else model.map_.picture(points).numpy()
    turned: Float64s = flat @ turn_of(model.map_.samples.points, model.map_.samples.goal)
    return turned


@dataclass(frozen=True)
class FollowedWalks:
    """Walks across the map: what ``map_block`` draws of them, their ``curves``, and the part that the one shown keeps.

    ``steps`` is how many each took.
    """

    drawn: dict[str, Any]
    curves: list[Block]
    part: Subgraph
    shown: int
    steps: int

    def section(self, model: LeNSE, title: str, caption: str) -> Block:
        return section(title, map_block(model, self.drawn), *self.curves, lead=f"{ABOUT_MAPS} {caption}")


def follow_walks(
    model: LeNSE,
    graph: Graph,
    budget: float,
    *,
    episodes: int = 1,
    seed: int = 0,
    yardstick: Yardstick | None = None,
    most: int = MOST_MEASURED,
) -> FollowedWalks:
    """Walk on a prepared ``graph``, and look closer at the walk that ends at the median distance.

    With a ``yardstick``, ratios are measured at ``most`` places along it.
    """
    tensors = model.tensors(graph)
    walked = model.walk(tensors, episodes=episodes, budget=budget, seed=seed)
    distances = walked.distances.numpy()
    shown = median_walk(distances[-1])
    places, parts = places_along(model, graph, tensors, budget, seed, shown, yardstick, most)
    drawn = {**paths(on_the_map(model, walked.embeddings), shown), "places": places}
    others = np.delete(distances, shown, axis=1)
    return FollowedWalks(drawn, curves(places, others), parts[-1], shown, len(distances) - 1)


def places_along(
    model: LeNSE,
    graph: Graph,
    tensors: "GraphTensors",
    budget: float,
    seed: int,
    shown: int,
    yardstick: Yardstick | None,
    most: int = MOST_MEASURED,
) -> tuple[list[Place], list[Subgraph]]:
    """Up to 40 places along the walk with number ``shown`` among those of a ``seed``, and the subgraphs there."""
    steps = evenly(model.num_steps(tensors, budget) + 1, MOST_MEASURED)
    sets = model.find_roots(tensors, episodes=1, budget=budget, seed=seed + shown, places=steps.tolist())[:, 0]
    parts = [subgraph(graph, roots) for roots in sets]
    ratios: list[float | None] = [None] * len(parts)
    if yardstick is not None:
        measured = evenly(len(parts), most).tolist()
        with progress("measuring along a walk", len(measured)) as advance:
            for place in measured:
                ratios[place] = yardstick.ratio(parts[place], shown)
                advance(1)
    return places_of(model, tensors, steps.tolist(), sets, parts, ratios), parts


def places_of(
    model: LeNSE,
    tensors: "GraphTensors",
    steps: Sequence[int],
    roots: Int64s,
    parts: Sequence[Subgraph],
    ratios: Sequence[float | None],
) -> list[Place]:
    """What a page says of S subgraphs with their ``steps``, ``roots`` (S, M) and ``ratios``."""
    embeddings = model.embed(tensors, roots)
    distances = (embeddings - model.map_.goal).norm(dim=1).tolist()
    return [
        {
            "step": step,
            "at": at,
            "ratio": ratio,
            "vertices": part.graph.num_vertices,
            "edges": part.graph.num_edges,
            "distance": distance,
        }
        for step, at, ratio, part, distance in zip(
            steps, rounded(on_the_map(model, embeddings)), ratios, parts, distances, strict=True
        )
    ]


def paths(points: Float64s, shown: int) -> dict[str, list[Any]]:
    """Walks on the map, ``points`` (T + 1, B, 2): the one ``shown`` strongly, and the ``others``."""
    faint = points[evenly(len(points), MOST_DRAWN_FAINT)]
    return {
        "shown": rounded(points[evenly(len(points), MOST_DRAWN), shown]),
        "others": [rounded(faint[:, i]) for i in range(points.shape[1]) if i != shown],
    }


def curves(places: Sequence[Place], others: Float32s | Float64s | None = None, link: str = "walk") -> list[Block]:
    """The ratio, where it is known at two ``places`` or more, and the distance over the steps of a walk.

    Distances (T + 1, B) of the ``others`` are drawn faintly.
    """
    faint = []
    if others is not None:
        steps = evenly(len(others), MOST_DRAWN_FAINT)
        faint = [{"points": [*zip(steps.tolist(), rounded(one), strict=True)]} for one in others[steps].T]

    def curve(title: str, name: str, **more: Any) -> Block:
        points = [(place["step"], place[name]) for place in places]
        series = [{"name": name, "points": points}]
        return {"kind": "lines", "title": title, "x": "step", "link": link, "series": series, "faint": [], **more}

    far = curve(f"Distance to the goal along the {'walks' if faint else 'walk'}", "distance", faint=faint, zero=True)
    if sum(place["ratio"] is not None for place in places) < _FEWEST_FOR_A_CURVE:
        return [far]
    return [curve("Ratio along the walk", "ratio"), far]
