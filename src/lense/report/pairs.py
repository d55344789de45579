"""The models in a folder of results, one for each graph and problem, of which the reader chooses one to look at."""

import re
from pathlib import Path

from lense._util.progress import progress
from lense.experiments.models import model_digest, shipped_folder, walks
from lense.experiments.study import source_of
from lense.navigation import LeNSE
from lense.paper import RESULTS
from lense.pruners import load
from lense.pruners.model_files import is_model, read_config
from lense.report.blocks import Block, section
from lense.report.kept import SharedTensors, followed
from lense.report.model import ABOUT_MAPS, configuration_section, training_section
from lense.report.samples import map_block

_NAME = re.compile(r"(?P<pair>.+)-(?P<seed>\d+)")


def models_section(results: Path) -> list[Block]:
    """The section with the models of the lowest seeds; none where there are no models."""
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
    order = [f"{problem} on {graph}" for problem, graph in RESULTS]
    places = {name: i for i, name in enumerate(order)}
    choices.sort(key=lambda choice: (places.get(choice["name"], len(places)), choice["name"]))
    return [{**section("Models", lead=lead), "choices": choices}]


def _lowest_seeds(results: Path) -> dict[str, Path]:
    """The folder of one model for each graph and problem, by names such as "wiki-mvc-0".

    They lie in the folder of results; where seed 0 has none there, it is the model that ships if the results' walks are
    its own. Models of other losses and switches have names of another form.
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


def _choice(results: Path, name: str, folder: Path, model: LeNSE, shared: SharedTensors) -> Block:
    """What the page shows of one model; nothing of it but its name is looked up elsewhere on the page."""
    found, config = followed(results, name, folder, model, shared), read_config(folder)
    problem, seed = model.problem_.name, name.rpartition("-")[2]
    graph = name.removesuffix(f"-{problem}-{seed}")
    title = "Map" if found.walks is None else "Map and walks"
    pictures = map_block(model, found.walks, link=f"walk-{name}")
    return {
        "name": f"{problem} on {graph}",
        "group": problem,
        "note": f"Budget {model.budget:g}, heuristic {model.problem_.solver}, seed {seed}.",
        "sections": [
            section(title, pictures, *found.curves, lead=f"{ABOUT_MAPS} {found.says}"),
            *([] if found.drawing is None else [found.drawing]),
            training_section(model),
            configuration_section(config, model),
        ],
    }
