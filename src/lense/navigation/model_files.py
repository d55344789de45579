"""The files of a LeNSE besides its policy, and those of an unfinished training."""

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lense._util.files import read_json, replacing, system_errors, write_json
from lense._util.options import is_count, is_number
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError

if TYPE_CHECKING:  # walks on a CPU do without torch
    from torch import Tensor

    from lense.navigation.encoder import Encoder, EncoderSettings, PictureMap

_COLUMNS = ("stage", "step", "quantity", "value")


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
        if self._file is not None:
            self.write(self._file)

    def series(self, stage: str, quantity: str) -> list[tuple[int, float]]:
        """The values of one quantity by step."""
        return sorted((step, value) for (s, step, q), value in self._rows.items() if (s, q) == (stage, quantity))

    def write(self, file: Path) -> None:
        with replacing(file) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
            rows = csv.writer(stream)
            rows.writerow(_COLUMNS)
            rows.writerows((*key, value) for key, value in self._rows.items())

    def close(self) -> None:
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
        has_begun = (self.folder / "ratios.json").exists()  # else a training failed before it labelled anything
        if has_begun and known.exists() and read_json(known) != same:
            raise LenseError(
                f"{self.folder} holds another training (graph, settings or seed differ): delete or move it."
            )
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

    def files(self) -> dict[str, Mapping[str, Any]]:
        """Its tensors by the names of their files."""
        drawn = {f"samples.{name}": array for name, array in vars(self.samples).items()}
        picture = {**self.picture.state_dict(), **drawn}
        return {"encoder": self.encoder.state_dict(), "goal": {"goal": self.goal}, "map": picture}


def read_map(folder: Path, config: Mapping[str, Any], settings: "EncoderSettings") -> SubgraphMap:
    """The map of the model in ``folder``, whose ``config`` is read already."""
    from lense.navigation.checkpoints import load_tensors, loaded
    from lense.navigation.encoder import Encoder, PictureMap

    paths = [folder / f"{name}.safetensors" for name in ("encoder", "map", "goal")]
    weights, drawn, target = (load_tensors(path)[0] for path in paths)
    num_features, size = config["num_features"], settings.embedding_dim
    encoder = loaded(lambda: Encoder(num_features, settings.vertex_dim, size), weights, paths[0])
    samples = _taken_samples(drawn, paths[1])
    picture = loaded(lambda: PictureMap(size), drawn, paths[1])
    goal, cutoffs = target.get("goal"), config.get("cutoffs")
    if goal is None or tuple(goal.shape) != (size,):
        raise LenseError(f"{paths[2]} does not belong to this model: it holds no goal of {size} numbers.")
    if not isinstance(cutoffs, list) or not all(is_number(one) and isfinite(one) for one in cutoffs):
        raise LenseError(f"{folder / 'config.json'} is damaged: its cutoffs are {cutoffs!r}.")
    return SubgraphMap(encoder, goal, picture, samples, tuple(cutoffs))


def _taken_samples(tensors: "dict[str, Tensor]", path: Path) -> DrawnSamples:
    """Take the samples out of ``tensors``."""
    points, labels, goal = (tensors.pop(f"samples.{name}", None) for name in ("points", "labels", "goal"))
    if points is None or labels is None or goal is None:
        raise LenseError(f"{path} does not belong to this model: it holds no samples.")
    fits = tuple(points.shape) == (labels.numel(), 2) and labels.dim() == 1 and tuple(goal.shape) == (2,)
    if not fits or labels.is_floating_point() or any(one.is_complex() for one in (points, labels, goal)):
        raise LenseError(f"{path} is damaged: its samples are not points of the plane with a class each.")
    return DrawnSamples(points.float().numpy(), labels.long().numpy(), goal.float().numpy())


def read_report(path: Path) -> dict[str, Any]:
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
