"""The page of a model: what it is, what it was trained on, its map and its training; and how it did on a graph."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lense.navigation import LeNSE
from lense.pruners import Pruner
from lense.pruners.model_files import read_config
from lense.report.blocks import Block, facts, section
from lense.report.samples import map_block
from lense.report.trials import Trial

_IDENTITY = ("pruner", "problem", "budget", "preset", "paper_graph", "seed", "lense")
_PARTS = {
    "trained_on": "Trained on",
    "settings": "Settings",
    "params": "Parameters",
    "options": "Options of the problem",
    "versions": "Versions",
}
_CURVES = (
    ("Loss of the encoder", "encoder", "epoch", (("loss", "learnt samples"), ("held_out_loss", "held-out samples"))),
    ("Distance to the goal", "navigator", "step", (("distance", "mean of the walks"),)),
    ("Ratio on the train graph", "navigator", "step", (("ratio", "mean of the walks"),)),
)

ABOUT_MAPS = (
    "Each point is a labelled subgraph of the train graph; its class is the share of the whole graph's score "
    "that the heuristic reaches on it. The walks should end near the star."
)


def model_page(model: Pruner, folder: str | Path, found: Trial | None = None) -> Block:
    """The page of the ``model`` read from ``folder``; with what was ``found`` on a graph, if it was tried on one."""
    config = read_config(Path(folder))
    name = Path(folder).resolve().name
    kind = "LeNSE" if isinstance(model, LeNSE) else model.name
    lead = f"{kind} for {model.problem_.name} by {model.problem_.solver}, budget {model.budget:g}."
    sections = []
    if isinstance(model, LeNSE):
        sections = [*_tried(model, found), training_section(model)]
    return {
        "title": f"Model {name}",
        "lead": lead,
        "sections": [*sections, configuration_section(config, model)],
    }


def _tried(model: LeNSE, found: Trial | None) -> list[Block]:
    if found is None:
        return [section("Map", map_block(model), lead=ABOUT_MAPS)]
    return [
        found.results,
        section("Map and walks", map_block(model, found.walks), *found.curves, lead=f"{ABOUT_MAPS} {found.caption}"),
        found.drawing,
    ]


def training_section(model: LeNSE) -> Block:
    """How the losses, and the walks on the train graph, went while the model was trained."""
    curves = []
    for title, stage, axis, quantities in _CURVES:
        known = [(name, model.log_.series(stage, quantity)) for quantity, name in quantities]
        series = [{"name": name, "points": _points(points)} for name, points in known if points]
        if any(y is not None for one in series for _, y in one["points"]):
            curves.append(
                {"kind": "lines", "title": title, "x": axis, "series": series, "zero": quantities[0][0] == "distance"}
            )
    return section("Training", *curves, facts("How it ended", _report(model)))


def _points(series: list[tuple[int, float]]) -> list[tuple[int, float | None]]:
    return [(step, value if math.isfinite(value) else None) for step, value in series]


def _report(model: LeNSE) -> Mapping[str, Any]:
    return {
        name: model.report_[name]
        for name in ("classes", "heuristic_score", "encoder", "navigator")
        if name in model.report_
    }


def configuration_section(config: Mapping[str, Any], model: Pruner) -> Block:
    """What a model is, and all that it was trained with."""
    identity = {"pruner": model.name, **{name: config[name] for name in _IDENTITY if config.get(name) is not None}}
    known = {**config, "versions": model.report_.get("versions") if isinstance(model, LeNSE) else None}
    more = [facts(title, known[key]) for key, title in _PARTS.items() if isinstance(known.get(key), Mapping)]
    return section("Configuration", facts("Model", identity), *more)
