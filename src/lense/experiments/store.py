"""Results in a folder: one JSON file for each piece of work, written at once or not at all."""

import json
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any

from lense.errors import LenseError
from lense.graph.files import system_errors
from lense.graph.formats.streams import replacing
from lense.threads import available_cores, num_threads

Record = dict[str, Any]
_NAME = r"[\w.+-]+"


class Store:
    """The pieces of one experiment, by name; ``plan`` is what all of them depend on.

    A folder that holds pieces of another plan is refused, so that no table ever mixes the two. Nothing is written, and
    no folder made, before there is a piece to keep.
    """

    def __init__(self, folder: str | Path, plan: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.plan: Record = json.loads(json.dumps(plan, allow_nan=False))
        path = self._path("plan")
        known = read_plan(path) if path.is_file() else None
        if known is not None and known != self.plan:
            names = sorted(name for name in {*known, *self.plan} if known.get(name) != self.plan.get(name))
            raise LenseError(
                f"{self.folder} holds another experiment (its {', '.join(names)} differ): choose another folder."
            )

    def read(self, piece: str, *, needs: Sequence[str] = ()) -> Record | None:
        """What was written for a piece, or None; it is damaged if it lacks one of the keys in ``needs``."""
        path = self._path(piece)
        record = read_record(path) if path.is_file() else None
        if record is not None and (missing := [name for name in needs if name not in record]):
            raise LenseError(f"{path} is damaged, since it lacks {missing[0]}: delete it to run that piece again.")
        return record

    def write(self, piece: str, record: Mapping[str, Any]) -> None:
        with system_errors(self.folder, "written"):
            (self.folder / "pieces").mkdir(parents=True, exist_ok=True)
            if not self._path("plan").exists():
                _write(self._path("plan"), self.plan)
            _write(self._path(piece), record)

    def pieces(self) -> list[str]:
        """The names of all pieces written, in order."""
        names = (path.name.removesuffix(".json") for path in (self.folder / "pieces").glob("[!.]*.json"))
        return sorted(name for name in names if re.fullmatch(_NAME, name))

    def path(self, *names: str) -> Path:
        """A place for other files of the experiment."""
        return self.folder.joinpath(*names)

    def _path(self, piece: str) -> Path:
        if not re.fullmatch(_NAME, piece):
            raise LenseError(f"'{piece}' cannot be the name of a result: take letters, digits and - . + _ alone.")
        return self.folder / (f"{piece}.json" if piece == "plan" else f"pieces/{piece}.json")


def _write(path: Path, record: Mapping[str, Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n")


def read_record(path: Path) -> Record:
    """The record in a file of a store."""
    if not path.is_file():
        raise LenseError(f"There is no result {path}.")
    try:
        record = json.loads(path.read_text())
    except ValueError as error:
        raise LenseError(f"{path} is damaged: delete it to run that piece again.") from error
    if not isinstance(record, dict):
        raise LenseError(f"{path} holds no record: delete it to run that piece again.")
    return record


def read_plan(path: Path, *, needs: Sequence[str] = ()) -> Record:
    """What all results in the folder of a plan depend on."""
    try:
        plan = json.loads(path.read_text())
    except ValueError:
        plan = None
    if not isinstance(plan, dict) or any(name not in plan for name in needs):
        raise LenseError(
            f"{path} is damaged, and without it nobody knows what the results in {path.parent} are of: copy it anew "
            "from where they were made, or move that folder away and run the command again."
        )
    return plan


def sentence(error: Exception) -> str:
    """What a record says of an error, in one line; faults of the package itself with the name of their kind."""
    text = " ".join(str(error).split())
    if isinstance(error, LenseError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def finite(figures: Mapping[str, float]) -> Record:
    """``figures`` with None in place of what is no number, which JSON does not know."""
    return {name: value if isfinite(value) else None for name, value in figures.items()}


def circumstances() -> Record:
    """The versions and the machine that a result came of."""
    import torch

    return {
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("lense", "torch", "torch_geometric", "numpy", "numba")},
        },
        "machine": {
            "platform": f"{platform.system()} on {platform.machine()}",
            "cores": available_cores(),
            "threads": num_threads(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        },
    }
