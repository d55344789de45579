"""A learnt LeNSE: as it was fitted, or in the files of a folder, of which only those needed are read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.environment import need_learn
from lense._util.files import read_json, system_errors, write_json
from lense._util.options import is_count, is_number
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError
from lense.navigation.inference import QValues, WalkPlan, values_of
from lense.navigation.training_log import TrainingLog
from lense.pruners.model_files import check_numbers, read_arrays

if TYPE_CHECKING:  # torch is not imported before it is needed: walks on a CPU do without
    from torch import Tensor

    from lense.navigation.encoder import Encoder
    from lense.navigation.picture import PictureMap
    from lense.navigation.q_network import QNetwork
    from lense.navigation.settings import Settings

_REPORTED = ("trained_on", "navigator")


@dataclass(frozen=True)
class MapSamples:
    """The training samples on the map: ``points`` (N, 2), ``labels`` (N), and the ``goal`` (2)."""

    points: Float32s
    labels: Int64s
    goal: Float32s


@dataclass(frozen=True)
class SubgraphMap:
    """The map of subgraphs: its ``encoder``, the ``goal`` (d), a ``picture`` in two dimensions and the ``samples``
    there, whose classes are separated at the falling ``cutoffs``.
    """

    encoder: "Encoder"
    goal: "Tensor"
    picture: "PictureMap"
    samples: MapSamples
    cutoffs: tuple[float, ...]


@dataclass(frozen=True)
class Learnt:
    """Everything that training found: how to walk, the map, the settings, the log and a report."""

    network: "QNetwork"
    plan: WalkPlan
    map: SubgraphMap
    settings: "Settings"
    log: TrainingLog
    report: dict[str, Any]

    @cached_property
    def values(self) -> QValues:
        return self.network.in_numpy()

    def write(self, target: Path) -> None:
        """All but the configuration, to an empty folder."""
        import torch

        from lense.navigation.checkpoint import save_tensors

        samples = self.map.samples
        drawn = {"points": samples.points, "labels": samples.labels, "goal": samples.goal}
        arrays = {f"samples.{name}": torch.from_numpy(np.asarray(value)) for name, value in drawn.items()}
        save_tensors(target / "navigator.safetensors", self.network.state_dict())
        save_tensors(target / "encoder.safetensors", self.map.encoder.state_dict())
        save_tensors(target / "goal.safetensors", {"goal": self.map.goal})
        save_tensors(target / "map.safetensors", {**self.map.picture.state_dict(), **arrays})
        self.log.write(target / "training.csv")
        write_json(target / "report.json", self.report)


class Stored:
    """What :class:`Learnt` holds, in a folder. The values of swaps are read at once, the rest when it is asked for."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        self.folder, self._config = folder, config
        check_numbers(folder / "config.json", config, num_features=1)
        for name in ("encoder.safetensors", "goal.safetensors", "map.safetensors", "training.csv"):
            if not (folder / name).is_file():
                raise LenseError(f"There is no file {folder / name}, which a model needs.")
        check_numbers(folder / "config.json", config["walks"], roots=1, steps=0, longest=0)
        self.plan = WalkPlan(**config["walks"])
        if not is_number(self.plan.train_degree) or not isinstance(self.plan.ranks, bool):
            raise LenseError(f"{folder / 'config.json'} is damaged: its walks are not right; copy the model again.")
        path = folder / "navigator.safetensors"
        self.values = values_of(read_arrays(path), path)
        self.report = _checked_report(folder / "report.json")

    @cached_property
    def network(self) -> "QNetwork":
        need_learn("The network of a LeNSE")
        from lense.navigation.q_network import QNetwork

        return QNetwork.of(self.values.weights)

    @cached_property
    def settings(self) -> "Settings":
        need_learn("Reading LeNSE's training settings")
        from lense.navigation.settings import Settings

        try:
            return Settings().changed(**self._config["settings"])
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise LenseError(f"{self.folder / 'config.json'} is damaged: {error}; copy the model again.") from error

    @cached_property
    def log(self) -> TrainingLog:
        return TrainingLog(self.folder / "training.csv")

    @cached_property
    def map(self) -> SubgraphMap:
        need_learn("The map of a LeNSE")
        from lense.navigation.checkpoint import load_tensors, loaded
        from lense.navigation.encoder_training import new_encoder
        from lense.navigation.picture import PictureMap

        settings = self.settings.encoder
        path = self.folder / "encoder.safetensors"
        num_features = self._config["num_features"]
        encoder = loaded(lambda: new_encoder(num_features, settings), load_tensors(path)[0], path)
        path = self.folder / "map.safetensors"
        tensors = load_tensors(path)[0]
        samples = _taken_samples(tensors, path)
        picture = loaded(lambda: PictureMap(settings.embedding_dim), tensors, path)
        return SubgraphMap(
            encoder.requires_grad_(False),
            self._goal(settings.embedding_dim),
            picture.requires_grad_(False),
            samples,
            self._cutoffs(),
        )

    def _cutoffs(self) -> tuple[float, ...]:
        cutoffs = self._config.get("cutoffs")
        if not isinstance(cutoffs, list) or not all(is_number(one) and isfinite(one) for one in cutoffs):
            raise LenseError(f"{self.folder / 'config.json'} is damaged: its cutoffs are {cutoffs!r}.")
        return tuple(cutoffs)

    def _goal(self, embedding_dim: int) -> "Tensor":
        from lense.navigation.checkpoint import check_finite, load_tensors

        path = self.folder / "goal.safetensors"
        goal = load_tensors(path)[0].get("goal")
        if goal is None or tuple(goal.shape) != (embedding_dim,):
            raise LenseError(f"{path} does not belong to this model: it holds no goal of {embedding_dim} numbers.")
        check_finite({"goal": goal}, path)
        return goal

    def write(self, target: Path) -> None:
        """A copy of the files."""
        Learnt(self.network, self.plan, self.map, self.settings, self.log, self.report).write(target)


def _taken_samples(tensors: "dict[str, Tensor]", path: Path) -> MapSamples:
    """The samples on the map, which are taken out of ``tensors``."""
    from lense.navigation.checkpoint import check_finite

    points, labels, goal = (tensors.pop(f"samples.{name}", None) for name in ("points", "labels", "goal"))
    if points is None or labels is None or goal is None:
        raise LenseError(f"{path} does not belong to this model: it holds no samples.")
    fits = tuple(points.shape) == (labels.numel(), 2) and labels.dim() == 1 and tuple(goal.shape) == (2,)
    if not fits or labels.is_floating_point() or labels.is_complex() or points.is_complex() or goal.is_complex():
        raise LenseError(f"{path} is damaged: its samples are not points of the plane with a class each.")
    check_finite({"points": points, "goal": goal}, path)
    return MapSamples(points.float().numpy(), labels.long().numpy(), goal.float().numpy())


def _checked_report(path: Path) -> dict[str, Any]:
    """What a model says of its training; the parts that others rely on are known to be there and to be what they are.

    A report has more in it, which is only shown.
    """
    report = read_json(path)
    trained_on, navigator = ((report.get(key) if isinstance(report, dict) else None) for key in _REPORTED)
    if (
        not isinstance(trained_on, dict)
        or not isinstance(navigator, dict)
        or not all(is_count(trained_on.get(name)) for name in ("vertices", "edges"))
        or not isinstance(trained_on.get("digest"), str)
        or not isinstance(trained_on.get("source"), str | dict | None)
        or not is_number(navigator.get("ratio"))
    ):
        raise LenseError(f"{path} is not the report of a model: copy the model again.")
    return dict(report)


class Stages:
    """The folder that keeps a training as it goes, or none; it belongs to one training alone."""

    def __init__(self, folder: str | Path | None, fingerprint: Mapping[str, Any]) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        with system_errors(self.folder, "written"):
            self.folder.mkdir(parents=True, exist_ok=True)
        known, same = self.folder / "training.json", json.loads(json.dumps(fingerprint))
        if not (self.folder / "ratios.json").exists():
            known.unlink(missing_ok=True)  # of a training that failed before it began
        if known.exists() and read_json(known) != same:
            raise LenseError(
                f"{self.folder} holds another training (graph, settings or seed differ): delete or move it."
            )
        if not known.exists():
            write_json(known, same)

    def file(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / name
