"""A learnt LeNSE: as it was fitted, or in the files of a folder, of which only those needed are read."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lense._util.environment import need_learn
from lense._util.files import read_json, replacing, system_errors, write_json
from lense._util.options import is_count, is_number
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError
from lense.navigation.inference import QValues, WalkPlan, values_of
from lense.pruners.model_files import check_numbers, read_arrays, write_arrays

if TYPE_CHECKING:  # walks on a CPU do without torch
    from torch import Tensor

    from lense.navigation.encoder import Encoder, PictureMap
    from lense.navigation.training import Settings

_COLUMNS = ("stage", "step", "quantity", "value")
_RENAMED = {"looks": "evaluations"}
"""Settings that models of earlier versions have under other names."""


class TrainingLog:
    """The figures of a training: rows (stage, step, quantity, value); a row written again replaces the old one.

    A log continues the rows that its ``file`` has. Values are also scalars in the folder ``tensorboard``.
    """

    def __init__(self, file: Path | None = None, tensorboard: str | Path | None = None) -> None:
        self._file = file
        self._rows = {} if file is None or not file.exists() else _read_log(file)
        self._board = None if tensorboard is None else _tensorboard(tensorboard)

    def __call__(self, stage: str, step: int, **values: float) -> None:
        """Log figures, and update the file."""
        for quantity, value in values.items():
            self._rows[stage, step, quantity] = value
            if self._board is not None:
                self._board.add_scalar(f"{stage}/{quantity}", value, step)
        self.write()

    def series(self, stage: str, quantity: str) -> list[tuple[int, float]]:
        """The values of one quantity by step."""
        return sorted((step, value) for (s, step, q), value in self._rows.items() if (s, q) == (stage, quantity))

    def write(self, file: Path | None = None) -> None:
        if (target := file or self._file) is None:
            return
        with replacing(target) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
            rows = csv.writer(stream)
            rows.writerow(_COLUMNS)
            rows.writerows((*key, value) for key, value in self._rows.items())

    def close(self) -> None:
        self.write()
        if self._board is not None:
            self._board.close()


def _read_log(file: Path) -> dict[tuple[str, int, str], float]:
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            rows = csv.DictReader(stream)
            if tuple(rows.fieldnames or ()) != _COLUMNS:
                raise ValueError("the first line does not name the columns")
            return {(r["stage"], int(r["step"]), r["quantity"]): float(r["value"]) for r in rows}
    except (KeyError, TypeError, ValueError, csv.Error, IsADirectoryError) as error:
        raise LenseError(f"{file} is not a training log: move it or choose another folder.") from error


def _tensorboard(folder: str | Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise LenseError("TensorBoard is missing: pip install 'lense[tensorboard]', or leave it out.") from error
    return SummaryWriter(folder)


class Stages:
    """The folder that keeps one training as it goes, or none."""

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


@dataclass(frozen=True)
class DrawnSamples:
    """The training samples on the map: ``points`` (N, 2), ``labels`` (N), and the ``goal`` (2)."""

    points: Float32s
    labels: Int64s
    goal: Float32s


@dataclass(frozen=True)
class SubgraphMap:
    """The ``encoder``, the ``goal`` (d), a ``picture`` of the map and the ``samples`` in it, classed at ``cutoffs``."""

    encoder: "Encoder"
    goal: "Tensor"
    picture: "PictureMap"
    samples: DrawnSamples
    cutoffs: tuple[float, ...]


@dataclass(frozen=True)
class Learnt:
    """Everything that training found."""

    values: QValues
    plan: WalkPlan
    map: SubgraphMap
    settings: "Settings"
    log: TrainingLog
    report: dict[str, Any]
    folder: Path | None = None


class Stored:
    """What :class:`Learnt` holds, in a folder: the policy is read at once, the rest when it is needed."""

    def __init__(self, folder: Path, config: Mapping[str, Any]) -> None:
        self.folder, self._config = folder, config
        path = folder / "config.json"
        check_numbers(path, config, num_features=1)
        for name in ("encoder.safetensors", "goal.safetensors", "map.safetensors", "training.csv"):
            if not (folder / name).is_file():
                raise LenseError(f"There is no file {folder / name}, which a model needs.")
        check_numbers(path, config["walks"], roots=1, steps=0, longest=0)
        self.plan = WalkPlan(**config["walks"])
        if not is_number(self.plan.train_degree) or not isinstance(self.plan.ranks, bool):
            raise LenseError(f"{path} is damaged: its walks are not right; copy the model again.")
        weights = folder / "navigator.safetensors"
        self.values = values_of(read_arrays(weights), weights)
        self.report = _checked_report(folder / "report.json")

    @cached_property
    def settings(self) -> "Settings":
        need_learn("Reading LeNSE's training settings")
        from lense.navigation.training import Settings

        try:
            known = self._config["settings"].items()
            return Settings().changed(**{_RENAMED.get(name, name): value for name, value in known})
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise LenseError(f"{self.folder / 'config.json'} is damaged: {error}; copy the model again.") from error

    @cached_property
    def log(self) -> TrainingLog:
        return TrainingLog(self.folder / "training.csv")

    @cached_property
    def map(self) -> SubgraphMap:
        need_learn("The map of a LeNSE")
        from lense.navigation.checkpoints import load_tensors, loaded
        from lense.navigation.encoder import Encoder, PictureMap

        settings, num_features = self.settings.encoder, self._config["num_features"]
        paths = [self.folder / f"{name}.safetensors" for name in ("encoder", "map", "goal")]
        weights, drawn, target = (load_tensors(path)[0] for path in paths)
        sizes = num_features, settings.vertex_dim, settings.embedding_dim
        encoder = loaded(lambda: Encoder(*sizes), weights, paths[0])
        samples = _taken_samples(drawn, paths[1])
        picture = loaded(lambda: PictureMap(settings.embedding_dim), drawn, paths[1])
        goal, size = target.get("goal"), settings.embedding_dim
        if goal is None or tuple(goal.shape) != (size,):
            raise LenseError(f"{paths[2]} does not belong to this model: it holds no goal of {size} numbers.")
        cutoffs = self._config.get("cutoffs")
        if not isinstance(cutoffs, list) or not all(is_number(one) and isfinite(one) for one in cutoffs):
            raise LenseError(f"{self.folder / 'config.json'} is damaged: its cutoffs are {cutoffs!r}.")
        return SubgraphMap(encoder, goal, picture, samples, tuple(cutoffs))


def write_files(learnt: Learnt | Stored, target: Path) -> None:
    """All but the configuration, to an empty folder."""
    from lense.navigation.checkpoints import arrays_of

    known, samples = learnt.map, learnt.map.samples
    drawn = {"points": samples.points, "labels": samples.labels, "goal": samples.goal}
    files: dict[str, Mapping[str, Any]] = {
        "navigator": learnt.values.weights,
        "encoder": arrays_of(known.encoder),
        "goal": {"goal": known.goal.numpy()},
        "map": {**arrays_of(known.picture), **{f"samples.{name}": array for name, array in drawn.items()}},
    }
    for name, arrays in files.items():
        write_arrays(target / f"{name}.safetensors", arrays, facts={})
    learnt.log.write(target / "training.csv")
    write_json(target / "report.json", learnt.report)


def _taken_samples(tensors: "dict[str, Tensor]", path: Path) -> DrawnSamples:
    """Take the samples out of ``tensors``."""
    points, labels, goal = (tensors.pop(f"samples.{name}", None) for name in ("points", "labels", "goal"))
    if points is None or labels is None or goal is None:
        raise LenseError(f"{path} does not belong to this model: it holds no samples.")
    fits = tuple(points.shape) == (labels.numel(), 2) and labels.dim() == 1 and tuple(goal.shape) == (2,)
    if not fits or labels.is_floating_point() or any(one.is_complex() for one in (points, labels, goal)):
        raise LenseError(f"{path} is damaged: its samples are not points of the plane with a class each.")
    return DrawnSamples(points.float().numpy(), labels.long().numpy(), goal.float().numpy())


def _checked_report(path: Path) -> dict[str, Any]:
    """What a model says of its training; what others rely on is checked."""
    report = read_json(path)
    parts = [report.get(key) if isinstance(report, dict) else None for key in ("trained_on", "navigator")]
    trained_on, navigator = (part if isinstance(part, dict) else {} for part in parts)
    if not (
        all(is_count(trained_on.get(name)) for name in ("vertices", "edges"))
        and isinstance(trained_on.get("digest"), str)
        and isinstance(trained_on.get("source"), str | dict | None)
        and is_number(navigator.get("ratio"))
    ):
        raise LenseError(f"{path} is not the report of a model: copy the model again.")
    return dict(report)
