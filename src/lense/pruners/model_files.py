"""The files of a model and of a training in progress: JSON and safetensors, checked when they are read."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lense.errors import LenseError
from lense.files import read_json, system_errors, write_json
from lense.graph import Graph
from lense.types import AnyArray, Float32s, Int64s
from lense.walking.checkpoint import load_module, load_tensors, save_tensors
from lense.walking.picture import PictureMap
from lense.walking.settings import Settings

FORMAT = 1


@dataclass(frozen=True)
class MapSamples:
    """The training samples on the map: ``points`` (N, 2), ``labels`` (N), and the ``goal`` (2)."""

    points: Float32s
    labels: Int64s
    goal: Float32s


class Stages:
    """The folder that keeps a training as it goes, or none; it belongs to one training alone."""

    def __init__(self, folder: str | Path | None, fingerprint: Mapping[str, Any]) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is None:
            return
        with system_errors(self._folder, "written"):
            self._folder.mkdir(parents=True, exist_ok=True)
        known, same = self._folder / "training.json", json.loads(json.dumps(fingerprint))
        if not (self._folder / "ratios.json").exists():
            known.unlink(missing_ok=True)  # of a training that failed before it began
        if known.exists() and read_json(known) != same:
            raise LenseError(
                f"{self._folder} holds another training (graph, settings or seed differ): delete or move it."
            )
        if not known.exists():
            write_json(known, same)

    def file(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / name


def graph_digest(graph: Graph) -> str:
    """A sha256 of the edges, weights and directedness of a graph."""
    digest = hashlib.sha256(b"directed" if graph.directed else b"undirected")
    for array in (graph.indptr, graph.indices, graph.weights):
        if array is not None:
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def read_config(folder: Path) -> dict[str, Any]:
    if not folder.exists():
        raise LenseError(f"There is no model {folder}.")
    if not is_model(folder):
        raise LenseError(f"{folder} is no model: a model is a folder with a config.json, as lense train writes it.")
    config = read_json(folder / "config.json")
    found = config.get("format") if isinstance(config, dict) else None
    if not isinstance(found, int):
        raise LenseError(f"{folder / 'config.json'} is not that of a model, since it names no format.")
    if found > FORMAT:
        raise LenseError(
            f"The model in {folder} has format {found}, of lense {config.get('lense', 'in a later version')}, "
            f"but this version reads up to format {FORMAT}: upgrade lense."
        )
    check_numbers(folder / "config.json", config, budget=0)
    return dict(config)


def check_numbers(path: Path, config: Mapping[str, Any], **least_values: float) -> None:
    """Raise unless these numbers of a configuration are such, and at least so large; the budget may be a fraction."""
    for name, least in least_values.items():
        value = config.get(name)
        kinds = (int, float) if name == "budget" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds) or value < least:
            raise LenseError(f"{path} is damaged: its {name} is {value!r}; copy the model anew.")


def is_model(folder: Path) -> bool:
    return (folder / "config.json").is_file()


def read_goal(path: Path, settings: Settings) -> Tensor:
    goal = load_tensors(path)[0].get("goal")
    if goal is None or tuple(goal.shape) != (settings.embedding_dim,):
        raise LenseError(f"{path} does not belong to this model: it holds no goal of {settings.embedding_dim} numbers.")
    return goal


def read_map(path: Path, settings: Settings) -> tuple[PictureMap, MapSamples]:
    tensors = load_tensors(path)[0]
    names = ("samples.points", "samples.labels", "samples.goal")
    if not all(name in tensors for name in names):
        raise LenseError(f"{path} does not belong to this model: it holds no samples.")
    points, labels, goal = (tensors.pop(name).numpy() for name in names)
    picture = PictureMap(settings.embedding_dim)
    load_module(picture, tensors, path)
    return picture.requires_grad_(False), MapSamples(points, labels, goal)


def read_arrays(path: Path) -> dict[str, AnyArray]:
    """What :func:`write_arrays` wrote."""
    return {name: tensor.numpy() for name, tensor in load_tensors(path)[0].items()}


def write_arrays(path: Path, arrays: Mapping[str, AnyArray]) -> None:
    save_tensors(path, {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})
