"""The files of LeNSE: its goal and its map, and the folder of a training in progress."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from lense.errors import LenseError
from lense.files import read_json, system_errors, write_json
from lense.types import Float32s, Int64s
from lense.walking.checkpoint import load_module, load_tensors
from lense.walking.picture import PictureMap
from lense.walking.settings import Settings


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
