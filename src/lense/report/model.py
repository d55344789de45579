"""The page of a model: what it is, its map and its training, and how it does on a graph."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lense._util.environment import environment
from lense.errors import LenseError
from lense.evaluation import BASELINES, Yardstick, evaluate, find_test_side
from lense.experiments.tables import RATIO, format_cell
from lense.graph import Graph
from lense.navigation import LeNSE
from lense.pruners import Pruner
from lense.pruners.model_files import is_model, model_folder, read_config
from lense.pruners.registry import load
from lense.report.blocks import Block, facts, section, table
from lense.report.results import results_page
from lense.report.walks import ABOUT_MAPS, map_block, walk_sections
from lense.solving.options import SolveOptions

_IDENTITY = ("pruner", "problem", "budget", "preset", "paper_graph", "seed", "lense")
_PARTS = {
    "trained_on": "Trained on",
    "settings": "Settings",
    "params": "Parameters",
    "options": "Options of the problem",
    "versions": "Versions",
}
_CURVES = (
    ("Loss of the encoder", "encoder", "epoch", {"loss": "learnt samples", "held_out_loss": "held-out samples"}),
    ("Distance to the goal", "navigator", "step", {"distance": "mean of the walks"}),
    ("Ratio on the train graph", "navigator", "step", {"ratio": "mean of the walks"}),
)


def page_of(
    source: str | Path,
    graph: str | None = None,
    *,
    episodes: int = 10,
    seed: int = 0,
    reading: Mapping[str, Any] | None = None,
) -> Block:
    """Describe a model, and try it on a graph; or show results.

    Parameters
    ----------
    source
        The folder or the name of a model, or a folder for :func:`results_page`.
    graph
        For a model: a file, or a data set, of which the test side of its split is taken.
    episodes, seed
        How many walks, and the seed of the first.
    reading
        Options of :func:`lense.read_graph` for the file.

    Returns
    -------
    dict
        A page for :func:`write_page`.

    Raises
    ------
    LenseError
        If there is neither a model nor results.
    """
    folder = model_folder(source)
    if not folder.is_dir():
        raise LenseError(f"{source} is a file: name a model, or a folder of results.")
    if not is_model(folder):
        if graph is not None:
            raise LenseError(f"graph= is to try a model on, and {source} is none: leave it out.")
        return results_page(folder)
    if graph is None:
        return model_page(load(folder), folder)
    side = find_test_side(graph, options=SolveOptions(model=folder, device="cpu", seed=seed, reading=reading or {}))
    name = Path(graph).name if side.split_seed is None else f"{graph}, test side of the paper's split"
    tried = trial(side.pruner, side.graph, name=name, episodes=episodes, seed=seed, paper=side.paper)
    return model_page(side.pruner, folder, tried)


def model_page(model: Pruner, folder: str | Path, tried: Sequence[Block] = ()) -> Block:
    """Describe a model: its configuration, and of a LeNSE its map and training.

    Parameters
    ----------
    model, folder
        The model, and where it lies.
    tried
        What :func:`trial` returned for a graph, if it was tried on one.

    Returns
    -------
    dict
        A page for :func:`write_page`.
    """
    config = read_config(Path(folder))
    kind, sections = model.name, []
    if isinstance(model, LeNSE):
        kind, first = "LeNSE", section("Map", map_block(model), lead=ABOUT_MAPS)
        sections = [*(tried or [first]), _training_section(model)]
    return {
        "title": f"Model {Path(folder).resolve().name}",
        "lead": f"{kind} for {model.problem_.name} by {model.problem_.solver}, budget {model.budget:g}.",
        "sections": [*sections, _configuration_section(config, model)],
    }


def _training_section(model: LeNSE) -> Block:
    """The losses, and the walks on the train graph, while the model was trained."""
    curves = []
    for title, stage, axis, quantities in _CURVES:
        series = [
            {"name": name, "points": [(step, value if math.isfinite(value) else None) for step, value in points]}
            for quantity, name in quantities.items()
            if (points := model.log_.series(stage, quantity))
        ]
        if any(y is not None for one in series for _, y in one["points"]):
            curves.append(
                {"kind": "lines", "title": title, "x": axis, "series": series, "zero": "distance" in quantities}
            )
    ends = ("classes", "heuristic_score", "encoder", "navigator")
    known = {name: model.report_[name] for name in ends if name in model.report_}
    return section("Training", *curves, facts("How it ended", known))


def _configuration_section(config: Mapping[str, Any], model: Pruner) -> Block:
    """What a model is, and all that it was trained with."""
    identity = {"pruner": model.name, **{name: config[name] for name in _IDENTITY if config.get(name) is not None}}
    known = {**config, "versions": model.report_.get("versions") if isinstance(model, LeNSE) else None}
    more = [facts(title, known[key]) for key, title in _PARTS.items() if isinstance(known.get(key), Mapping)]
    return section("Configuration", facts("Model", identity), *more)


def trial(
    model: Pruner,
    graph: Graph,
    *,
    name: str,
    episodes: int = 10,
    seed: int = 0,
    paper: Mapping[str, float | None] | None = None,
) -> list[Block]:
    """Try a LeNSE on a graph: the figures of :func:`lense.evaluate`, walks, and what one of them ends with.

    Parameters
    ----------
    model, graph
        A LeNSE on the CPU, where walking again takes the same way, and a graph prepared for its problem.
    name
        What the page calls the graph.
    episodes, seed
        How many walks, and the seed of the first.
    paper
        The paper's row to show beside ours.

    Returns
    -------
    list of dict
        Sections for :func:`model_page`.

    Raises
    ------
    LenseError
        If the model does not walk.
    """
    if not isinstance(model, LeNSE):
        raise LenseError(f"The model is a {model.name} and does not walk: measure it with 'lense evaluate'.")
    found = evaluate(model, graph, episodes=episodes, seed=seed, prepared=True)
    yardstick = Yardstick(model.problem_, graph, model.budget, seed=seed)
    figures = found.as_dict()
    rows = {
        "LeNSE": figures,
        "LeNSE in the paper": paper,
        "ceiling: the solution's own subgraph": figures["ceiling"],
        **{f"baseline: {BASELINES[rule]}": row for rule, row in figures["baselines"].items()},
    }
    cells = (RATIO, "{vertices_pruned:%.1f} %", "{edges_pruned:%.1f} %")
    results = section(
        f"Results on {name}",
        table(
            "Ratio to the heuristic on the whole graph, and shares pruned",
            ("subgraph", "ratio", "P_V", "P_E"),
            [(what, *(format_cell(cell, row) for cell in cells)) for what, row in rows.items() if row is not None],
            note="A ratio is followed by its standard error over the walks. P_V and P_E are the shares of vertices and "
            "edges that the heuristic is spared.",
        ),
        facts(
            "How it was measured",
            {
                "graph": f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges",
                "heuristic": model.problem_.solver,
                "walks": f"{found.episodes:,} with {model.num_roots():,} roots each, seed {seed}",
                "seconds": {what.replace("_", " "): f"{value:.3g} s" for what, value in figures["seconds"].items()},
                **environment(),
            },
            is_open=False,
        ),
    )
    walked = walk_sections(
        model, graph, model.budget, "Map and walks", name, episodes=episodes, seed=seed, yardstick=yardstick
    )
    return [results, *walked]
