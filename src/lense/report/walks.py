"""The map of a model and walks across it, as a page draws them: places along the walks, and curves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

from lense._util.progress import progress
from lense._util.types import Float32s, Float64s
from lense.evaluation import Yardstick
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation import LeNSE
from lense.plots.maps import GOAL_COLOUR, WALK_COLOUR, class_colours, class_names, median_walk, turn_of
from lense.report.blocks import Block, rounded, section
from lense.report.drawing import evenly

if TYPE_CHECKING:
    from torch import Tensor

MOST_PLACES = 40
SECONDS = 10.0
"""About how long the heuristic may run on the subgraphs along a walk."""
ABOUT_MAPS = (
    "Each point is a labelled subgraph of the train graph; its class is the share of the whole graph's score "
    "that the heuristic reaches on it. The walks should end near the star."
)


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
    """Walks across the map of a ``model``: at ``places`` of the one shown, and paths and distances of the others.

    ``part`` is what the walk shown ends with, ``steps`` how many each took.
    """

    model: LeNSE
    places: list[dict[str, Any]]
    paths: Float64s
    distances: Float64s
    part: Subgraph
    shown: int
    steps: int

    def section(self, title: str, where: str, link: str = "walk") -> Block:
        """The map, the ratio where it was measured, and the distance to the goal; ``where`` names the graph."""
        others = [i for i in range(self.paths.shape[1]) if i != self.shown]
        walks = {
            "shown": [place["at"] for place in self.places],
            "others": [rounded(self.paths[:, i]) for i in others],
            "places": self.places,
        }
        steps = [place["step"] for place in self.places]
        faint = [{"points": list(zip(steps, rounded(self.distances[:, i]), strict=True))} for i in others]

        def curve(title: str, name: str, **more: Any) -> Block:
            series = [{"name": name, "points": [(place["step"], place[name]) for place in self.places]}]
            return {"kind": "lines", "title": title, "x": "step", "link": link, "series": series, "faint": [], **more}

        measured = sum(place["ratio"] is not None for place in self.places)
        ratio = [curve("Ratio along the walk", "ratio")] if measured else []
        far = curve("Distance to the goal", "distance", faint=faint, zero=True)
        count = self.paths.shape[1]
        lead = f"{ABOUT_MAPS} {f'{count:,} walks' if count > 1 else 'One walk'} of {self.steps:,} steps on {where}"
        lead += ", of which the one that ends at the median distance is drawn strongly." if count > 1 else "."
        lead += f" At {measured:,} places along it the heuristic was run on the subgraph there." if measured else ""
        return section(title, map_block(self.model, walks, link), *ratio, far, lead=lead)


def follow_walks(
    model: LeNSE,
    graph: Graph,
    budget: float,
    *,
    episodes: int = 1,
    seed: int = 0,
    yardstick: Yardstick | None = None,
) -> FollowedWalks:
    """Walk on a prepared ``graph``, and look closer at the walk that ends at the median distance.

    With a ``yardstick``, ratios are measured along it, at as many places as take about ten seconds.
    """
    tensors = model.tensors(graph)
    num_steps = model.num_steps(tensors, budget)
    steps = evenly(num_steps + 1, MOST_PLACES).tolist()
    sets = model.find_roots(tensors, episodes=episodes, budget=budget, seed=seed, places=steps)
    embeddings = [model.embed(tensors, roots) for roots in sets]
    paths = np.stack([on_the_map(model, one) for one in embeddings])
    distances = np.stack([(one - model.map_.goal).norm(dim=1).double().numpy() for one in embeddings])
    shown = median_walk(distances[-1])
    parts = [subgraph(graph, roots) for roots in sets[:, shown]]
    ratios = {} if yardstick is None else _ratios(parts, shown, yardstick)
    places = [
        {
            "step": step,
            "at": at,
            "ratio": ratios.get(i),
            "vertices": part.graph.num_vertices,
            "edges": part.graph.num_edges,
            "distance": float(distance),
        }
        for i, (step, at, part, distance) in enumerate(
            zip(steps, rounded(paths[:, shown]), parts, distances[:, shown], strict=True)
        )
    ]
    return FollowedWalks(model, places, paths, distances, parts[-1], shown, num_steps)


def _ratios(parts: list[Subgraph], episode: int, yardstick: Yardstick) -> Mapping[int, float]:
    """Ratios of evenly spaced parts, the first and the last among them, by their numbers."""
    affordable = max(2, int(SECONDS / max(yardstick.best.seconds, 1e-9)))
    measured, ratios = evenly(len(parts), affordable).tolist(), {}
    with progress("measuring along a walk", len(measured)) as advance:
        for i in measured:
            ratios[i] = yardstick.ratio(parts[i], episode)
            advance(1)
    return ratios
