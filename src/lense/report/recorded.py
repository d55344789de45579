"""The models in a folder of results, one for each graph and problem, with their recorded walks."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.progress import progress
from lense.experiments.comparison import LENSE, WHOLE
from lense.experiments.rivals import Rivals
from lense.experiments.store import Record, Store
from lense.experiments.study import Cell, RecordedWalks, make_source, model_digest, shipped_folder, source_of, walks
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.paper import RESULTS
from lense.plots.maps import median_walk
from lense.pruners import load
from lense.pruners.model_files import graph_digest, is_model, read_config
from lense.report.blocks import Block, section
from lense.report.drawing import end_section
from lense.report.model import configuration_section, training_section
from lense.report.walks import ABOUT_MAPS, MOST_MEASURED, curves, map_block, places_along, places_of

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
    folders, choices = _lowest_seeds(results), []
    with progress("reading models", len(folders)) as advance:
        for name, folder in folders.items():
            model = load(folder)
            if isinstance(model, LeNSE):
                choices.append(_choice(results, name, folder, model))
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


def _choice(results: Path, name: str, folder: Path, model: LeNSE) -> Block:
    """What the page shows of one model."""
    problem, seed = model.problem_.name, name.rpartition("-")[2]
    return {
        "name": f"{problem} on {name.removesuffix(f'-{problem}-{seed}')}",
        "group": problem,
        "note": f"Budget {model.budget:g}, heuristic {model.problem_.solver}, seed {seed}.",
        "sections": [
            *_walk_sections(results, name, folder, model),
            training_section(model),
            configuration_section(read_config(folder), model),
        ],
    }


def _walk_sections(results: Path, name: str, folder: Path, model: LeNSE) -> list[Block]:
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
            return _walked_again(results, model, cell, recorded, link)
    return [section("Map", map_block(model, link=link), lead=f"{ABOUT_MAPS} {why}")]


def _of_model(store: Store[Any], cell: Cell, digest: str | None) -> Record[Any] | None:
    """The record of a cell, if it is done and comes from the model as it is now."""
    record = store.get(cell.key)
    return None if record is None or record.figures is None or record.model != digest else record


def _obstacle(model: LeNSE, cell: Cell, recorded: RecordedWalks) -> str:
    """Why a model cannot walk again on the graph of its recorded walks; "" if it can."""
    source = cell.source
    if not source.is_available:
        return f"Its walks and the pruned subgraph are drawn only where the graph is found ({source.how_to_get})."
    graph = source.case(cell.seed).test
    if graph_digest(graph) != recorded.graph:
        return f"Its walks were on another graph than {source.title} is here, and so are not drawn."
    if model.num_roots() >= graph.num_vertices:
        return f"The test graph of {source.title} has too few vertices to walk on, and is not pruned."
    return ""


def _walked_again(results: Path, model: LeNSE, cell: Cell, recorded: Record[RecordedWalks], link: str) -> list[Block]:
    """The walk of median distance, walked again, and of the others the ends."""
    case, store = cell.source.case(cell.seed), Rivals().store(results)
    tensors, roots = model.tensors(case.test), np.array(recorded.found.roots, np.int64)
    steps, parts = model.num_steps(tensors), [subgraph(case.test, one) for one in roots]
    compared = _of_model(store, replace(cell, variant=LENSE), recorded.model)
    ratios = [None] * len(roots) if compared is None else compared.found.subgraph.ratio
    if len(ratios) != len(roots):
        ratios = [None] * len(roots)
    ends = places_of(model, tensors, [steps] * len(roots), roots, parts, ratios)
    ends = [{"walk": number, **end} for number, end in enumerate(ends, start=1)]
    shown = median_walk(np.array([end["distance"] for end in ends]))
    whole, yardstick, most = store.get(replace(cell, variant=WHOLE).key), None, MOST_MEASURED
    if whole is not None and whole.figures is not None and whole.budget == model.budget:
        yardstick = whole.figures.yardstick(case, model.budget, cell.seed)
        most = MOST_MEASURED if yardstick.best.seconds <= SLOW else MOST_MEASURED_SLOWLY
    places, along = places_along(model, case.test, tensors, model.budget, cell.seed, shown, yardstick, most)
    is_recorded = np.array_equal(np.sort(along[-1].roots), np.sort(roots[shown]))
    if is_recorded and yardstick is None:
        places[-1]["ratio"] = ends[shown]["ratio"]
    drawn = {
        "shown": [place["at"] for place in places],
        "others": [],
        "places": places,
        "ends": [end for i, end in enumerate(ends) if i != shown or not is_recorded],
    }
    if yardstick is None:
        measured = "Ratios along it are not measured: the folder has no solution of the whole graph to compare with."
    else:
        count = sum(place["ratio"] is not None for place in places)
        where = "all" if count == len(places) else f"{count:,}"
        measured = f"At {where} of them the heuristic was run on the subgraph there."
    caption = (
        f"Shown of {len(ends):,} walk{'s' if len(ends) > 1 else ''} of {steps:,} steps on the test graph is the one "
        f"that ends at the median distance, with straight lines between {len(places):,} places along it. {measured} "
        f"{_AS_RECORDED if is_recorded else _ELSEWHERE}"
    )
    lead = f"{ABOUT_MAPS} {caption}"
    return [
        section("Map and walks", map_block(model, drawn, link), *curves(places, link=link), lead=lead),
        end_section(case.problem, case.test, parts[shown], model.budget, [cell.seed, shown]),
    ]
