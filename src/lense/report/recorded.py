"""The models in a folder of results, one for each graph and problem, with a walk on its test graph."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from lense._util.progress import progress
from lense.experiments.comparison import LENSE, WHOLE
from lense.experiments.rivals import Rivals
from lense.experiments.study import Cell, Source, model_digest, shipped_folder, source_of
from lense.navigation import LeNSE
from lense.paper import RESULTS
from lense.pruners import load
from lense.pruners.model_files import graph_digest, is_model, read_config
from lense.report.blocks import Block, section
from lense.report.model import configuration_section, training_section
from lense.report.walks import ABOUT_MAPS, map_block, walk_sections

_NAME = re.compile(r"(?P<pair>.+)-(?P<seed>\d+)")


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
    lead = "Map, walk, pruned subgraph, training and configuration of the model for a graph and a problem."
    places = {f"{problem} on {graph}": i for i, (problem, graph) in enumerate(RESULTS)}
    choices.sort(key=lambda choice: (places.get(choice["name"], len(places)), choice["name"]))
    return [{**section("Models", lead=lead), "choices": choices}]


def _lowest_seeds(results: Path) -> dict[str, Path]:
    """The folder of one model for each graph and problem, by names such as "wiki-mvc-0".

    The models lie in the folder of results; where seed 0 has none there, it is the bundled one if that was compared.
    Models of other losses and switches have names of another form.
    """
    lowest: dict[str, tuple[int, Path]] = {}
    for record in Rivals().store(results).records().values():
        if (record.variant, record.seed) == (LENSE, 0):
            shipped = shipped_folder(source_of(record), record.budget)
            if shipped is not None and model_digest(shipped) == record.model:
                lowest[source_of(record).pair_name] = 0, shipped
    for path in sorted((results / "models").glob("*")):
        found = _NAME.fullmatch(path.name)
        if found is not None and is_model(path):
            pair, seed = found["pair"], int(found["seed"])
            lowest[pair] = min((seed, path), lowest.get(pair, (seed, path)), key=lambda one: one[0])
    return {f"{pair}-{seed}": path for pair, (seed, path) in lowest.items()}


def _choice(results: Path, name: str, folder: Path, model: LeNSE) -> Block:
    """What the page shows of one model."""
    pair, _, seed = name.rpartition("-")
    problem = model.problem_.name
    return {
        "name": f"{problem} on {pair.removesuffix(f'-{problem}')}",
        "group": problem,
        "note": f"Budget {model.budget:g}, heuristic {model.problem_.solver}, seed {seed}.",
        "sections": [
            *_walk_sections(results, model, int(seed), link=f"walk-{name}"),
            training_section(model),
            configuration_section(read_config(folder), model),
        ],
    }


def _walk_sections(results: Path, model: LeNSE, seed: int, link: str) -> Iterable[Block]:
    """The map with a walk on the test graph, and the subgraph that it ends with; the map alone without that graph.

    Ratios are to the recorded solution of the whole graph; without it none are measured.
    """
    trained_on = model.report_["trained_on"]
    about, why = trained_on.get("source"), "The graph that it was trained on is not known."
    if isinstance(about, Mapping) and "graph" in about:
        source = Source(str(about["graph"]), model.problem_.name, from_file=True)
        cell = Cell(source, seed)
        if not source.is_available:
            why = f"Its walk is drawn only where the graph is found ({source.how_to_get})."
        elif graph_digest(cell.case.train) != trained_on["digest"]:
            why = f"It was trained on another graph than {source.title} is here."
        elif model.num_roots() >= cell.case.test.num_vertices:
            why = f"The test graph of {source.title} has too few vertices to walk on."
        else:
            whole, yardstick = Rivals().store(results).records().get(replace(cell, variant=WHOLE).key), None
            if whole is not None and whole.error is None and whole.budget == model.budget:
                yardstick = whole.found.yardstick(cell.case, model.budget, seed)
            where = ("Map and walk", "the test graph")
            return walk_sections(model, cell.case.test, model.budget, *where, seed=seed, yardstick=yardstick, link=link)
    return [section("Map", map_block(model, link=link), lead=f"{ABOUT_MAPS} {why}")]
