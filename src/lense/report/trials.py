"""A model tried on a graph: its figures, one walk followed step by step, and the subgraph that it ends with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lense._util.environment import environment
from lense.evaluation import Evaluation, Yardstick, evaluate
from lense.evaluation.evaluating import FLOORS
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.report.blocks import Block, Cell, facts, section, table
from lense.report.drawing import drawing_block
from lense.report.walks import (
    curves,
    measured_steps,
    median_walk,
    paths,
    places_at,
    points_of,
    ratios_at,
)


@dataclass(frozen=True)
class Trial:
    """Blocks of a page: the ``results``, the ``walks`` for the map and in words, ``curves``, and a ``drawing``."""

    results: Block
    walks: dict[str, Any]
    caption: str
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

    Every figure is by :func:`lense.evaluation.evaluate` or the same yardstick. ``paper`` is the paper's row.
    """
    found = evaluate(model, graph, episodes=episodes, seed=seed, prepared=True)
    tensors = model.tensors(graph)
    walked = model.walk(tensors, episodes=episodes, seed=seed)
    shown = median_walk(walked.distances[-1].numpy())
    steps = len(walked.distances) - 1
    measured = measured_steps(steps)
    sets = model.find_roots(tensors, episodes=1, seed=seed + shown, places=measured.tolist())[:, 0]
    parts = [subgraph(graph, roots) for roots in sets]
    ratios = ratios_at(parts, Yardstick(model.problem_, graph, model.budget, seed=seed), shown)
    places = places_at(model, measured.tolist(), parts, walked.embeddings[measured, shown], ratios)
    walks = f"{f'{episodes:,} walks' if episodes > 1 else 'One walk'} of {steps:,} steps on {name}"
    median = ", of which the one that ends at the median distance is drawn strongly" if episodes > 1 else ""
    return Trial(
        results=_results(model, graph, found, name, seed, paper),
        walks={**paths(points_of(model, walked.embeddings), shown), "places": places},
        caption=f"{walks}{median}; at {len(places)} places along it the heuristic was run on the subgraph there.",
        curves=curves(places, np.delete(walked.distances.numpy(), shown, axis=1)),
        drawing=drawing_block(model.problem_, graph, parts[-1], model.budget, [seed, shown]),
    )


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
                **environment(),
            },
            is_open=False,
        ),
    )


def _row(name: str, figures: Mapping[str, Any]) -> tuple[Cell, ...]:
    stderr = figures.get("ratio_stderr")
    ratio = f"{figures['ratio']:.3f}" + ("" if stderr is None else f" ± {stderr:.3f}")
    shares = ((f"{100 * figures[key]:.1f} %", figures[key]) for key in ("vertices_pruned", "edges_pruned"))
    return (name, None), (ratio, figures["ratio"]), *shares
