"""A model tried on a graph: its figures, one walk followed step by step, and the subgraph that it ends with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lense.evaluation import Evaluation, Yardstick, evaluate
from lense.evaluation.evaluating import FLOORS
from lense.experiments.store import circumstances
from lense.graph import Graph
from lense.navigation import Walk
from lense.navigation.environment import Observation
from lense.navigation.walk import Policy, greedy_policy
from lense.progress import progress
from lense.pruners import LeNSE
from lense.report.blocks import Block, Cell, facts, rounded, section, table
from lense.report.drawing import drawing_block
from lense.report.samples import on_the_map
from lense.subgraphs import subgraph
from lense.types import Int64s

MOST_MEASURED = 40
_MOST_DRAWN = 250
_MOST_DRAWN_FAINT = 100


@dataclass(frozen=True)
class Trial:
    """Blocks of a page: the ``results``, the ``walks`` for the map and in words, ``curves``, and a ``drawing``."""

    results: Block
    walks: dict[str, Any]
    walks_told: str
    curves: list[Block]
    drawing: Block


def trial(
    model: LeNSE,
    graph: Graph,
    *,
    name: str,
    episodes: int = 10,
    seed: int = 0,
    paper: Mapping[str, float | None] | None = None,
) -> Trial:
    """Evaluate ``model``, which must be on the CPU, on a prepared ``graph`` called ``name``; follow its median walk.

    Every figure comes of :func:`lense.evaluation.evaluate` or of the same yardstick. ``paper`` is the paper's row.
    """
    found = evaluate(model, graph, episodes=episodes, seed=seed, prepared=True)
    walked, shown = found.walk, _median_walk(found.walk)
    places = _places(model, graph, walked, shown, seed)
    steps = len(walked.distances) - 1
    told = f"{f'{episodes:,} walks' if episodes > 1 else 'One walk'} of {steps:,} steps on {name}"
    median = ", of which the one that ends at the median distance is drawn strongly" if episodes > 1 else ""
    return Trial(
        results=_results(model, graph, found, name, seed, paper),
        walks={
            "shown": _path(model, walked, shown, _MOST_DRAWN),
            "others": _others(model, walked, shown),
            "places": places,
        },
        walks_told=f"{told}{median}; at {len(places)} places along it the heuristic was run on the subgraph there.",
        curves=_curves(walked, shown, places),
        drawing=drawing_block(
            model.problem_, graph, subgraph(graph, walked.roots[shown].numpy()), model.budget, [seed, shown]
        ),
    )


def _median_walk(walked: Walk) -> int:
    """The walk that ends at the median distance, the same that :func:`lense.pictures.draw_walks` shows."""
    last = walked.distances[-1].numpy()
    return int(np.argsort(last, kind="stable")[(last.size - 1) // 2])


def _spread(last: int, most: int) -> Int64s:
    """At most so many steps between 0 and ``last``, both among them, evenly spaced."""
    steps: Int64s = np.linspace(0, last, min(last + 1, most)).round().astype(np.int64)
    return steps


def _places(model: LeNSE, graph: Graph, walked: Walk, shown: int, seed: int) -> list[dict[str, Any]]:
    steps = _spread(len(walked.distances) - 1, MOST_MEASURED)
    sets = _roots_at(model, graph, walked, steps, seed)[:, shown]
    points = on_the_map(model, model.picture_(walked.embeddings[steps, shown]).numpy())
    yardstick = Yardstick(model.problem_, graph, model.budget, seed=seed)
    places = []
    with progress("measuring along a walk", steps.size) as advance:
        for step, roots, point in zip(steps.tolist(), sets.numpy(), rounded(points), strict=True):
            part = subgraph(graph, roots)
            measured = yardstick.measure(part, shown)
            places.append(
                {
                    "step": step,
                    "at": point,
                    "ratio": measured.ratio,
                    "vertices": part.graph.num_vertices,
                    "edges": part.graph.num_edges,
                    "distance": float(walked.distances[step, shown]),
                }
            )
            advance(1)
    return places


def _roots_at(model: LeNSE, graph: Graph, walked: Walk, steps: Int64s, seed: int) -> Tensor:
    """The roots (S, B, M) of all walks after each of the ``steps`` (S), by walking them once more."""
    follow = _Follow(greedy_policy(model.navigator_, model.encoder_), steps)
    last = len(walked.distances) - 1
    again = model.walk(graph, episodes=walked.roots.shape[0], seed=seed, policy=follow, steps=last)
    return torch.stack([*follow.met, again.roots])


class _Follow:
    """A policy that keeps the roots it was asked about before some of its steps."""

    def __init__(self, policy: Policy, steps: Int64s) -> None:
        self.met: list[Tensor] = []
        self._policy, self._wanted, self._step = policy, set(steps.tolist()), 0

    def __call__(self, observation: Observation, info: dict[str, Any]) -> Tensor:
        if self._step in self._wanted:
            self.met.append(info["roots"].cpu())
        self._step += 1
        return self._policy(observation, info)


def _path(model: LeNSE, walked: Walk, which: int, most: int) -> list[Any]:
    steps = _spread(len(walked.distances) - 1, most)
    return rounded(on_the_map(model, model.picture_(walked.embeddings[steps, which]).numpy()))


def _others(model: LeNSE, walked: Walk, shown: int) -> list[list[Any]]:
    return [_path(model, walked, i, _MOST_DRAWN_FAINT) for i in range(walked.roots.shape[0]) if i != shown]


def _curves(walked: Walk, shown: int, places: list[dict[str, Any]]) -> list[Block]:
    steps = _spread(len(walked.distances) - 1, _MOST_DRAWN_FAINT)
    others = np.delete(walked.distances[steps].numpy(), shown, axis=1)
    faint = [{"points": [*zip(steps.tolist(), rounded(one), strict=True)]} for one in others.T]
    shared = {"kind": "lines", "x": "step", "link": "walk"}
    ratios = [(place["step"], place["ratio"]) for place in places]
    distances = [(place["step"], place["distance"]) for place in places]
    return [
        {**shared, "title": "Ratio along the walk", "series": [{"name": "ratio", "points": ratios}], "faint": []},
        {
            **shared,
            "title": "Distance to the goal along the walks",
            "series": [{"name": "distance", "points": distances}],
            "faint": faint,
            "zero": True,
        },
    ]


def _results(
    model: LeNSE, graph: Graph, found: Evaluation, name: str, seed: int, paper: Mapping[str, float | None] | None
) -> Block:
    figures = found.as_dict()
    rows: list[tuple[str, Mapping[str, Any]]] = [("LeNSE", figures)]
    if paper is not None:
        rows.append(("LeNSE in the paper", paper))
    rows.append(("ceiling: the solution's own subgraph", figures["ceiling"]))
    rows += [(f"floor: {FLOORS[floor]}", row) for floor, row in figures["floor"].items()]
    seconds = {what.replace("_", " "): f"{value:.3g} s" for what, value in figures["seconds"].items()}
    return section(
        f"Results on {name}",
        table(
            "Ratio to the heuristic on the whole graph, and shares pruned",
            ("subgraph", "ratio", "P_V", "P_E"),
            [_row(what, row) for what, row in rows],
            note="A ratio is followed by its standard error over the walks. P_V and P_E are the shares of vertices and "
            "edges that the heuristic is spared.",
        ),
        facts(
            "How it was measured",
            {
                "graph": f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges",
                "heuristic": model.problem_.solver,
                "walks": f"{found.episodes:,} with {model.num_roots():,} roots each, seed {seed}",
                "seconds": seconds,
                **circumstances(),
            },
            is_open=False,
        ),
    )


def _row(name: str, figures: Mapping[str, Any]) -> tuple[Cell, ...]:
    stderr = figures.get("ratio_stderr")
    ratio = f"{figures['ratio']:.3f}" + ("" if stderr is None else f" ± {stderr:.3f}")
    shares = ((f"{100 * figures[key]:.1f} %", figures[key]) for key in ("vertices_pruned", "edges_pruned"))
    return (name, None), (ratio, figures["ratio"]), *shares
