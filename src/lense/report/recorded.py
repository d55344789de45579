"""The models in a folder of results, one for each graph and problem, with their recorded walks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.progress import progress
from lense._util.types import Int64s
from lense.experiments.comparison import LENSE, WHOLE
from lense.experiments.rivals import Rivals
from lense.experiments.store import Record, Store
from lense.experiments.study import Cell, Walks, make_source, model_digest, shipped_folder, source_of, walks
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.paper import RESULTS
from lense.problems import Problem
from lense.pruners import load
from lense.pruners.model_files import graph_digest, is_model, read_config
from lense.report.blocks import Block, section
from lense.report.drawing import end_section
from lense.report.model import configuration_section, training_section
from lense.report.walks import (
    ABOUT_MAPS,
    MOST_MEASURED,
    Place,
    curves,
    map_block,
    median_walk,
    places_along,
    places_of,
)

if TYPE_CHECKING:
    from lense.navigation.encoder import GraphTensors

SLOW, MOST_MEASURED_SLOWLY = 1.0, 8
"""Of a heuristic that takes more seconds on the whole graph, ratios are measured at fewer places."""
_NAME = re.compile(r"(?P<pair>.+)-(?P<seed>\d+)")
_AS_RECORDED = "Of the others the ends are shown."
_ELSEWHERE = (
    "Walking again led to another end than the recorded walk, as it can on a machine that rounds differently: the "
    "recorded end is among the ends shown, and its subgraph is the one drawn."
)


def models_section(results: Path) -> list[Block]:
    """The section with the models of the lowest seeds, of which the reader chooses one; none without models."""
    folders, choices, shared = _lowest_seeds(results), [], SharedTensors()
    with progress("reading models", len(folders)) as advance:
        for name, folder in folders.items():
            model = load(folder)
            if isinstance(model, LeNSE):
                choices.append(_choice(results, name, folder, model, shared))
            advance(1, note=name)
    if not choices:
        return []
    lead = "Map, walks, pruned subgraph, training and configuration of the model for a graph and a problem."
    places = {f"{problem} on {graph}": i for i, (problem, graph) in enumerate(RESULTS)}
    choices.sort(key=lambda choice: (places.get(choice["name"], len(places)), choice["name"]))
    return [{**section("Models", lead=lead), "choices": choices}]


def _lowest_seeds(results: Path) -> dict[str, Path]:
    """The folder of one model for each graph and problem, by names such as "wiki-mvc-0".

    The models lie in the folder of results; where seed 0 has none there, it is the bundled one if the walks are its
    own. Models of other losses and switches have names of another form.
    """
    lowest: dict[str, tuple[int, Path]] = {}
    for record in walks(results).records().values():
        shipped = shipped_folder(source_of(record), record.budget)
        if record.seed == 0 and shipped is not None and model_digest(shipped) == record.model:
            lowest[source_of(record).pair_name] = 0, shipped
    for path in sorted((results / "models").glob("*")):
        found = _NAME.fullmatch(path.name)
        if found is not None and is_model(path):
            pair, seed = found["pair"], int(found["seed"])
            lowest[pair] = min((seed, path), lowest.get(pair, (seed, path)), key=lambda one: one[0])
    return {f"{pair}-{seed}": path for pair, (seed, path) in lowest.items()}


def _choice(results: Path, name: str, folder: Path, model: LeNSE, shared: "SharedTensors") -> Block:
    """What the page shows of one model."""
    problem, seed = model.problem_.name, name.rpartition("-")[2]
    return {
        "name": f"{problem} on {name.removesuffix(f'-{problem}-{seed}')}",
        "group": problem,
        "note": f"Budget {model.budget:g}, heuristic {model.problem_.solver}, seed {seed}.",
        "sections": [
            *_walk_sections(results, name, folder, model, shared),
            training_section(model),
            configuration_section(read_config(folder), model),
        ],
    }


class SharedTensors:
    """The latest graph with its vertex features, which take long to find and are the same for several problems."""

    def __init__(self) -> None:
        self._latest: dict[tuple[str, bool, bool], GraphTensors] = {}

    def of(self, model: LeNSE, graph: Graph, digest: str) -> "GraphTensors":
        """As :meth:`LeNSE.tensors` of the graph with that digest."""
        key = digest, model.settings_.encoder.ranks, model.problem_.uses_direction
        if type(model.problem_).features is not Problem.features:  # which looks at nothing but these and the graph
            return model.tensors(graph)
        if key not in self._latest:
            self._latest = {key: model.tensors(graph)}
        return self._latest[key]


def _walk_sections(results: Path, name: str, folder: Path, model: LeNSE, shared: SharedTensors) -> list[Block]:
    """The map with the walks that ``results`` recorded of a model, and the subgraph that the one shown ends with.

    That one is walked again, which needs the graph.
    """
    about, digest, link = model.report_["trained_on"].get("source"), model_digest(folder), f"walk-{name}"
    why = "The folder keeps no walks of this model."
    if isinstance(about, Mapping) and "graph" in about:
        source = replace(make_source(str(about["graph"]), model.problem_.name), from_file=True)
        cell = Cell(source, int(name.rpartition("-")[2]))
        recorded = _of_model(walks(results), cell, digest)
        if recorded is not None and not (why := _obstacle(model, cell, recorded.found)):
            return _walked_again(results, model, cell, recorded, shared, link)
    return [section("Map", map_block(model, link=link), lead=f"{ABOUT_MAPS} {why}")]


def _of_model(store: Store[Any], cell: Cell, digest: str | None) -> Record[Any] | None:
    """The record of a cell, if it is done and comes from the model as it is now."""
    record = store.get(cell.key)
    return None if record is None or record.figures is None or record.model != digest else record


def _obstacle(model: LeNSE, cell: Cell, recorded: Walks) -> str:
    """Why a model cannot walk again on the graph of its recorded walks; "" if it can."""
    source = cell.source
    if not source.is_at_hand:
        return f"Its walks and the pruned subgraph are drawn only where the graph is found ({source.how_to_get})."
    graph = source.case(cell.seed).test
    if graph_digest(graph) != recorded.graph:
        return f"Its walks were on another graph than {source.title} is here, and so are not drawn."
    if model.num_roots() >= graph.num_vertices:
        return f"The test graph of {source.title} has too few vertices to walk on, and is not pruned."
    return ""


def _walked_again(
    results: Path, model: LeNSE, cell: Cell, recorded: Record[Walks], shared: SharedTensors, link: str
) -> list[Block]:
    """The walk of median distance, walked again, and of the others the ends."""
    case = cell.source.case(cell.seed)
    tensors = shared.of(model, case.test, recorded.found.graph)
    roots = np.array(recorded.found.roots, np.int64)
    ends, parts = _ends(results, model, cell, tensors, roots, recorded.model)
    shown = median_walk(np.array([end["distance"] for end in ends]))
    whole = Rivals().store(results).get(replace(cell, variant=WHOLE).key)
    yardstick = None
    if whole is not None and whole.figures is not None and whole.budget == model.budget:
        yardstick = whole.figures.yardstick(case, model.budget, cell.seed)
    most = MOST_MEASURED if yardstick is None or yardstick.best.seconds <= SLOW else MOST_MEASURED_SLOWLY
    places, along = places_along(model, case.test, tensors, model.budget, cell.seed, shown, yardstick, most)
    is_recorded = np.array_equal(np.sort(along[-1].roots), np.sort(roots[shown]))
    if is_recorded and yardstick is None:
        places[-1]["ratio"] = ends[shown]["ratio"]
    measured = 0 if yardstick is None else sum(place["ratio"] is not None for place in places)
    drawn = {
        "shown": [place["at"] for place in places],
        "others": [],
        "places": places,
        "ends": [end for i, end in enumerate(ends) if i != shown or not is_recorded],
    }
    caption = (
        f"Shown of {_counted(len(ends))} of {model.num_steps(tensors):,} steps on the test graph is the one that ends "
        f"at the median distance, with straight lines between {len(places):,} places along it. "
        f"{_about_ratios(measured, len(places))} {_AS_RECORDED if is_recorded else _ELSEWHERE}"
    )
    return [
        section(
            "Map and walks", map_block(model, drawn, link), *curves(places, link=link), lead=f"{ABOUT_MAPS} {caption}"
        ),
        end_section(case.problem, case.test, parts[shown], model.budget, [cell.seed, shown]),
    ]


def _ends(
    results: Path, model: LeNSE, cell: Cell, tensors: "GraphTensors", roots: Int64s, digest: str | None
) -> tuple[list[Place], list[Any]]:
    """Where all walks end, with the ratios that a comparison of pruners recorded, and the subgraphs there."""
    parts = [subgraph(cell.source.case(cell.seed).test, one) for one in roots]
    pruned = _of_model(Rivals().store(results), replace(cell, variant=LENSE), digest)
    ratios: Sequence[float | None] = [] if pruned is None else pruned.found.subgraph.ratio
    ratios = ratios if len(ratios) == len(roots) else [None] * len(roots)
    places = places_of(model, tensors, [model.num_steps(tensors)] * len(roots), roots, parts, ratios)
    return [{"walk": number, **place} for number, place in enumerate(places, start=1)], parts


def _about_ratios(measured: int, places: int) -> str:
    if measured:
        where = "all" if measured == places else f"{measured:,}"
        return f"At {where} of them the heuristic was run on the subgraph there."
    return "Ratios along it are not measured: the folder has no solution of the whole graph to compare with."


def _counted(number: int) -> str:
    return f"{number:,} walks" if number > 1 else "1 walk"
