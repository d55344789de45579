"""Results in a folder: one JSON file for each piece of work, written at once or not at all."""

import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from lense.errors import LenseError
from lense.experiments.shapes import fault_of_piece, fault_of_plan
from lense.files import replacing, system_errors

Record = dict[str, Any]
_NAME = r"[\w.+-]+"
_NUMBERS = re.compile(r"\[\n([-+.\deE,\s]+)\]")
"""A list of numbers alone, which takes one line; no text has a line break within it."""


class DamagedError(LenseError):
    """A piece is not what it was when it was written; ``told`` says which and how that shows, without advice."""

    def __init__(self, path: Path, fault: str) -> None:
        super().__init__(path, fault)  # what it is made of again where it comes from another process
        self.path, self.fault = path, fault

    @property
    def told(self) -> str:
        return f"{self.path}: {self.fault}"

    def __str__(self) -> str:
        return f"{self.path} is damaged, since {self.fault}: delete it and run the command again that made it."


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
                f"{self.folder} holds an experiment with another {', '.join(names)}: choose another folder."
            )

    @classmethod
    def of(cls, folder: Path) -> "Store":
        """The store in a folder, under the plan that lies there."""
        return cls(folder, read_plan(folder / "plan.json"))

    def read(self, piece: str) -> Record | None:
        """What was written for a piece, or None; raises :class:`DamagedError` if it is not what its kind must hold."""
        path = self._path(piece)
        if not path.is_file():
            return None
        try:
            record = json.loads(path.read_text(), parse_constant=_refused)
        except ValueError:  # also of bytes that are no text
            raise DamagedError(path, "it is not JSON") from None
        if fault := fault_of_piece(self.plan, piece, record):
            raise DamagedError(path, fault)
        known: Record = record
        return known

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

    def sound_records(self) -> Iterator[Record]:
        """The records of all pieces that are not damaged."""
        for piece in self.pieces():
            try:
                record = self.read(piece)
            except DamagedError:  # which damages() tells of
                continue
            if record is not None:
                yield record

    def path(self, *names: str) -> Path:
        """A place for other files of the experiment."""
        return self.folder.joinpath(*names)

    def _path(self, piece: str) -> Path:
        if not re.fullmatch(_NAME, piece):
            raise LenseError(f"'{piece}' cannot be the name of a result: take letters, digits and - . + _ alone.")
        return self.folder / (f"{piece}.json" if piece == "plan" else f"pieces/{piece}.json")


def _write(path: Path, record: Mapping[str, Any]) -> None:
    text = json.dumps(record, indent=1, allow_nan=False)
    with replacing(path) as temporary:
        temporary.write_text(_NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text) + "\n")


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def read_plan(path: Path) -> Record:
    """What all results in the folder of a plan depend on."""
    try:
        plan = json.loads(path.read_text(), parse_constant=_refused)
    except ValueError:
        plan = None
    if fault_of_plan(plan):
        raise LenseError(
            f"{path} is damaged, and without it nobody knows what the results in {path.parent} are of: copy it anew "
            "from where they were made, or move that folder away and run the command again."
        )
    known: Record = plan
    return known


def damages(out: Path) -> Iterator[DamagedError]:
    """What is wrong with each damaged piece in the folders of all plans in ``out`` or below; a damaged plan raises."""
    for path in sorted(out.glob("**/plan.json")):
        store = Store.of(path.parent)
        for piece in store.pieces():
            try:
                store.read(piece)
            except DamagedError as error:
                yield error


def check_results(out: Path) -> None:
    """Raise if some result cannot be read, before hours are spent on others."""
    for error in damages(out):
        raise error


def sentence(error: Exception) -> str:
    """What a record says of an error, in one line; faults of the package itself with the name of their kind."""
    text = " ".join(str(error).split())
    if isinstance(error, LenseError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def finite(figures: Mapping[str, float]) -> Record:
    """``figures`` with None in place of what is no number, which JSON does not know."""
    return {name: value if isfinite(value) else None for name, value in figures.items()}
