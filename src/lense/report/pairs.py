"""The models in a folder of results, one for each graph and problem, of which the reader chooses one to look at."""

import re
from pathlib import Path

from lense.paper import RESULTS
from lense.progress import progress
from lense.pruners import LeNSE, load
from lense.pruners.model_files import is_model, read_config
from lense.report.blocks import Block, section
from lense.report.kept import SharedTensors, followed
from lense.report.model import ABOUT_MAPS, configuration_section, training_section
from lense.report.samples import map_block

_NAME = re.compile(r"(?P<pair>.+)-(?P<seed>\d+)")


def models_section(results: Path) -> list[Block]:
    """The section with the models of the lowest seeds; none where there are no models."""
    folders, choices, shared = _lowest_seeds(results / "models"), [], SharedTensors()
    with progress("reading models", len(folders)) as advance:
        for folder in folders:
            model = load(folder)
            if isinstance(model, LeNSE):
                choices.append(_choice(results, folder, model, shared))
            advance(1, note=folder.name)
    if not choices:
        return []
    lead = "Map, walks, pruned subgraph, training and configuration of the model for a graph and a problem."
    order = [f"{problem} on {graph}" for problem, graph in RESULTS]
    places = {name: i for i, name in enumerate(order)}
    choices.sort(key=lambda choice: (places.get(choice["name"], len(places)), choice["name"]))
    return [{**section("Models", lead=lead), "choices": choices}]


def _lowest_seeds(folder: Path) -> list[Path]:
    """The folder of one model for each graph and problem; those of other losses have names of another form."""
    lowest: dict[str, tuple[int, Path]] = {}
    for path in sorted(folder.glob("*")):
        found = _NAME.fullmatch(path.name)
        if found is not None and is_model(path):
            pair, seed = found["pair"], int(found["seed"])
            lowest[pair] = min(lowest.get(pair, (seed, path)), (seed, path))
    return [path for _, path in lowest.values()]


def _choice(results: Path, folder: Path, model: LeNSE, shared: SharedTensors) -> Block:
    """What the page shows of one model; nothing of it but its name is looked up elsewhere on the page."""
    found, config = followed(results, folder, model, shared), read_config(folder)
    problem, seed = model.problem_.name, folder.name.rpartition("-")[2]
    graph = folder.name.removesuffix(f"-{problem}-{seed}")
    title = "Map" if found.walks is None else "Map and walks"
    pictures = map_block(model, found.walks, link=f"walk-{folder.name}")
    return {
        "name": f"{problem} on {graph}",
        "group": problem,
        "note": f"Budget {model.budget:g}, heuristic {model.problem_.solver}, seed {seed}.",
        "sections": [
            section(title, pictures, *found.curves, lead=f"{ABOUT_MAPS} {found.told}"),
            *([] if found.drawing is None else [found.drawing]),
            training_section(model),
            configuration_section(config, model),
        ],
    }
