"""The files of a model: JSON and safetensors, checked when they are read."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from lense._util.files import parse_json, read_json, replacing, standing
from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph import Graph

FORMAT = 1
FILES = (
    "config.json",
    "learnt.safetensors",
    "navigator.safetensors",
    "encoder.safetensors",
    "goal.safetensors",
    "map.safetensors",
    "report.json",
    "training.csv",
    "map.png",
    "training.png",
)
"""All that a model of any kind has in its folder."""
_LEAST_BUDGET, _BEYOND = 1e-300, 1e12
"""The range of budgets and sizes."""
SHIPPED = Path(__file__).parents[1] / "models"
"""The folder of the models that come with the package."""


def model_folder(model: str | Path) -> Path:
    """The folder ``model`` if there is one, else that of the bundled model of this name."""
    if (folder := standing(Path(model))).exists():
        return folder
    shipped = {path.name: path for path in shipped_folders()}
    if str(model) in shipped:
        return shipped[str(model)]
    close = get_close_matches(str(model), shipped, n=1)
    hint = f"did you mean '{close[0]}'?" if close else "'lense models list' shows those that do."
    raise LenseError(f"There is no folder {model}, and no model ships under that name; {hint}")


def shipped_folders() -> list[Path]:
    return sorted(path for path in SHIPPED.iterdir() if is_model(path))


def graph_digest(graph: Graph) -> str:
    """A sha256 of the edges, weights and directedness of a graph."""
    digest = hashlib.sha256(b"directed" if graph.directed else b"undirected")
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def read_config(folder: Path) -> dict[str, Any]:
    if not is_model(folder):
        raise LenseError(f"{folder} is no model: a model is a folder with a config.json, as lense train writes it.")
    config = read_json(folder / "config.json")
    found = config.get("format") if isinstance(config, dict) else None
    if not isinstance(found, int):
        raise LenseError(f"{folder / 'config.json'} is not the configuration of a model, since it names no format.")
    if found > FORMAT:
        raise LenseError(
            f"The model in {folder} has format {found}, of lense {config.get('lense', 'in a later version')}, "
            f"but this version reads up to format {FORMAT}: upgrade lense."
        )
    check_numbers(folder / "config.json", config, budget=_LEAST_BUDGET)
    return dict(config)


def check_numbers(path: Path, config: Mapping[str, Any], **least_values: float) -> None:
    """Raise unless these values are whole numbers, or for the budget any number, at least so large."""
    for name, least in least_values.items():
        value = config.get(name)
        kinds = (int, float) if name == "budget" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < _BEYOND:
            raise LenseError(f"{path} is damaged: its {name} is {value!r}; copy the model again.")


def is_model(folder: Path) -> bool:
    return (folder / "config.json").is_file()


def read_arrays(path: Path) -> dict[str, AnyArray]:
    return read_with_facts(path)[0]


def read_with_facts(path: Path) -> tuple[dict[str, AnyArray], dict[str, Any]]:
    """The finite arrays that :func:`write_arrays` wrote, and the facts beside them."""
    if not path.is_file():
        raise LenseError(f"There is no file {path}, which a model needs.")
    try:
        with safe_open(path, framework="np") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            facts = dict(parse_json((file.metadata() or {}).get("facts", "{}")))
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise LenseError(f"{path} is damaged or no safetensors file: copy or train the model again.") from error
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise LenseError(
            f"{path} is damaged: it holds values that are not finite numbers; copy or train the model again."
        )
    return arrays, facts


def write_arrays(path: Path, arrays: Mapping[str, AnyArray], facts: Mapping[str, Any] | None = None) -> None:
    """Write arrays, and facts that JSON knows, as one file that others may read; raise OSError where it cannot be."""
    metadata = None if facts is None else {"facts": json.dumps(facts)}
    with replacing(path) as temporary:
        temporary.touch()
        mode = temporary.stat().st_mode
        try:
            save_file({name: np.array(array, order="C") for name, array in arrays.items()}, temporary, metadata)
        except SafetensorError as error:
            number = re.search(r"\(os error (\d+)\)", str(error))
            if number is None:
                raise
            raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from error
        temporary.chmod(mode)
