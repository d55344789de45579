"""The map of a model and walks across it, as a page draws them: places along the walks, curves, and where they end."""

from collections.abc import Iterator, Mapping
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
from lense.problems.parts import search_part
from lense.report.blocks import Block, rounded, section
from lense.report.drawing import drawing_section, evenly

if TYPE_CHECKING:
    from torch import Tensor

MOST_PLACES = 40
SECONDS = 10.0
"""About how long the heuristic may run on the subgraphs along a walk."""
_LINK = "walk"
ABOUT_MAPS = (
    "Each point is a labelled subgraph of the train graph; its class is the share of the whole graph's score "
    "that the heuristic reaches on it. The walks should end near the star."
)


def map_block(model: LeNSE, walks: dict[str, Any] | None = None) -> Block:
    """The samples in the colours of :mod:`lense.plots`, in random order so that no class hides another.

    Pointing at a place of the ``walks`` marks it in every chart of the same link.
    """
    samples, cutoffs = model.map_.samples, model.map_.cutoffs
    order = np.random.default_rng(0).permutation(samples.labels.size)
    known = set(samples.labels.tolist())
    classes = zip(class_names(cutoffs), class_colours(len(cutoffs) + 1), strict=True)
    return {
        "kind": "map",
        "title": "",
        "classes": [
            {"name": name, "colour": matplotlib.colors.to_hex(colour), "known": number in known}
            for number, (name, colour) in enumerate(classes, start=1)
        ],
        "points": rounded(_on_the_map(model, samples.points[order])),
        "labels": samples.labels[order].tolist(),
        "goal": rounded(_on_the_map(model, samples.goal)),
        "colours": {"goal": GOAL_COLOUR, "walk": WALK_COLOUR},
        "walks": walks,
        "link": _LINK,
    }


def _on_the_map(model: LeNSE, points: "Float32s | Float64s | Tensor") -> Float64s:
    """Points (..., 2) of the model's picture, or embeddings (..., d), turned as in :func:`lense.plots.draw_map`."""
    flat = points if isinstance(points, np.ndarray) else model.map_.picture(points).numpy()
    turned: Float64s = flat @ turn_of(model.map_.samples.points, model.map_.samples.goal)
    return turned


def walk_sections(
    model: LeNSE,
    graph: Graph,
    budget: float,
    title: str,
    where: str,
    *,
    episodes: int = 1,
    seed: int = 0,
    yardstick: Yardstick | None = None,
) -> Iterator[Block]:
    """Draw walks on a prepared ``graph``, which the page calls ``where``, then the subgraph that one of them ends with.

    That is the walk that ends at the median distance. With a ``yardstick``, ratios are measured along it, at as many
    places as take about ten seconds.
    """
    num_steps = model.num_steps(graph, budget)
    steps = evenly(num_steps + 1, MOST_PLACES).tolist()
    walked = model.walk(graph, episodes=episodes, budget=budget, seed=seed, places=steps)
    paths, distances = _on_the_map(model, walked.embeddings), walked.distances.double().numpy()
    shown = median_walk(distances[-1])
    others = [i for i in range(episodes) if i != shown]
    parts = [subgraph(graph, roots) for roots in walked.roots[:, shown]]
    ratios = {} if yardstick is None else _ratios(parts, shown, yardstick)
    places = [
        {
            "step": step,
            "at": at,
            "ratio": ratios.get(i),
            "vertices": part.graph.num_vertices,
            "edges": part.graph.num_edges,
            "distance": distance,
        }
        for i, (step, at, part, distance) in enumerate(
            zip(steps, rounded(paths[:, shown]), parts, distances[:, shown].tolist(), strict=True)
        )
    ]
    walks = {
        "shown": [place["at"] for place in places],
        "others": [rounded(paths[:, i]) for i in others],
        "places": places,
    }

    def curve(title: str, name: str, **more: Any) -> Block:
        series = [{"name": name, "points": [(place["step"], place[name]) for place in places]}]
        return {"kind": "lines", "title": title, "x": "step", "link": _LINK, "series": series, "faint": [], **more}

    faint = [{"points": list(zip(steps, rounded(distances[:, i]), strict=True))} for i in others]
    curves = [curve("Ratio along the walk", "ratio")] if ratios else []
    curves.append(curve("Distance to the goal", "distance", faint=faint, zero=True))
    lead = f"{ABOUT_MAPS} {f'{episodes:,} walks' if others else 'One walk'} of {num_steps:,} steps on {where}"
    lead += ", of which the one that ends at the median distance is drawn strongly." if others else "."
    lead += f" At {len(ratios):,} places along it the heuristic was run on the subgraph there." if ratios else ""
    yield section(title, map_block(model, walks), *curves, lead=lead)
    last = search_part(model.problem_, graph, parts[-1], budget, np.random.default_rng([seed, shown]))
    yield drawing_section(graph, parts[-1], last.indices, "Where the walk drawn above ends")


def _ratios(parts: list[Subgraph], episode: int, yardstick: Yardstick) -> Mapping[int, float]:
    """Ratios of evenly spaced parts, the first and the last among them, by their numbers."""
    affordable = max(2, int(SECONDS / max(yardstick.best.seconds, 1e-9)))
    measured, ratios = evenly(len(parts), affordable).tolist(), {}
    with progress("measuring along a walk", len(measured)) as advance:
        for i in measured:
            ratios[i] = yardstick.ratio(parts[i], episode)
            advance(1)
    return ratios
