"""Results as typed records, one line of JSON each, in one file for each experiment."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from filelock import FileLock
from pydantic import ConfigDict, TypeAdapter, ValidationError

from lense._util.files import system_errors, write_text
from lense.errors import LenseError

LOCK = ".lock"
Found = TypeVar("Found")
Key = tuple[str, str, int, str]
"""What sets a cell apart from all others of an experiment: graph, problem with its options, seed and variant."""
_READ: dict[Path, tuple[Any, dict[Key, "Record[Any]"]]] = {}
"""What files hold, until they change: tables ask for thousands of cells one by one."""


@dataclass(frozen=True, kw_only=True)
class Record(Generic[Found]):
    """What one cell found, or the ``error`` that it failed with, and where it comes from.

    ``graph`` is a name or a file, ``file`` the sha256 of that file. ``variant`` is the pruner, loss, share of edges or
    switch, where the experiment has several. ``model`` is the sha256 of the model that the figures come from.
    """

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True, "allow_inf_nan": False}

    graph: str
    problem: str
    options: dict[str, str] = field(default_factory=dict)
    seed: int
    variant: str = ""
    train_share: float | None = None
    file: str | None = None
    budget: int | float
    episodes: int
    figures: Found | None = None
    error: str | None = None
    model: str | None = None
    seconds: float | None = None
    device: str = "cpu"
    versions: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str | int | None] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return self.graph, label(self.problem, self.options), self.seed, self.variant

    @property
    def found(self) -> Found:
        """The figures of a cell that is done."""
        assert self.figures is not None
        return self.figures


@dataclass(frozen=True)
class Size:
    vertices: int
    edges: int


@dataclass(frozen=True)
class Shares:
    """A ratio, and the shares of vertices and edges pruned."""

    ratio: float
    vertices_pruned: float
    edges_pruned: float


@dataclass(frozen=True)
class Measures:
    """A value for each part that a heuristic was run on, None where it found nothing, and the reasons."""

    ratio: list[float | None]
    vertices_pruned: list[float | None]
    edges_pruned: list[float | None]
    seconds: list[float | None]
    errors: list[str] = field(default_factory=list)

    def known(self, name: str) -> list[float]:
        """The values of a column, of those parts that could be solved."""
        return [value for value in getattr(self, name) if value is not None]


@dataclass(frozen=True)
class RecordedMap:
    """The labelled samples (N, 2) of a model, its goal (2), and the cut-offs between classes."""

    cutoffs: list[float]
    labels: list[int]
    points: list[list[float]]
    goal: list[float]

    @property
    def arrays(self) -> tuple[list[list[float]], list[int], list[float]]:
        return self.points, self.labels, self.goal


class Store(Generic[Found]):
    """The records of one experiment in the file ``path``, sorted by their keys.

    The file is replaced at once or not at all, and by one process at a time, so that processes and machines can share
    the work and a kill loses nothing. No folder is made before there is a record to keep.
    """

    def __init__(self, path: Path, figures: Any) -> None:
        self.path, self.figures = path, figures

    def records(self) -> Mapping[Key, Record[Found]]:
        """All records by their keys; raises where a line is not what the type of its figures says."""
        try:
            known = self.path.stat()
        except FileNotFoundError:
            return {}
        stamp = known.st_mtime_ns, known.st_size, known.st_ino
        if _READ.get(self.path, (None,))[0] != stamp:
            _READ[self.path] = stamp, _newest(self._lines())
        return _READ[self.path][1]

    def keep(self, *records: Record[Found]) -> None:
        """Put records into the file, each in place of an older one of its cell; any number of processes may do so."""
        with system_errors(self.path.parent, "written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.parent / LOCK):  # the system releases it if this process dies
                found = _newest([*self.records().values(), *records])
                write_text(self.path, "".join(f"{as_line(record)}\n" for record in found.values()))

    def _lines(self) -> Iterator[Record[Found]]:
        for number, line in enumerate(self.path.read_bytes().splitlines(), start=1):
            try:
                yield from_line(line, self.figures)
            except ValueError as fault:
                raise LenseError(
                    f"{self.path}, line {number} is damaged, since {fault}: delete the line and run the command again "
                    "that made it."
                ) from None


def _newest(records: Iterable[Record[Any]]) -> dict[Key, Record[Any]]:
    """The last record of each cell, sorted by their keys; a failure does not replace what was found."""
    found: dict[Key, Record[Any]] = {}
    for record in records:
        if record.error is None or found.get(record.key, record).error is not None:
            found[record.key] = record
    return dict(sorted(found.items()))


def label(problem: str, options: Mapping[str, str]) -> str:
    """A problem with its options, such as "bmc+solver-mip"."""
    return problem + "".join(f"+{name}-{value}" for name, value in sorted(options.items()))


def as_line(record: Record[Any]) -> str:
    """The record as JSON in one line, without fields that have their default."""

    def not_default(value: Any) -> dict[str, Any]:
        usual = {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(value)}
        return {name: item for name, default in usual.items() if (item := getattr(value, name)) != default}

    return json.dumps(record, default=not_default, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def from_line(line: str | bytes, figures: Any) -> Record[Any]:
    """What :func:`as_line` wrote, with figures of the given type; ValueError says what is wrong."""
    try:
        record = _reader(figures).validate_json(line)
    except ValidationError as error:
        # where figures may be of several types, the wrong types fail at once, and the right one further in
        fault = max(error.errors(include_url=False), key=lambda one: len(one["loc"]))
        place = ".".join(map(str, fault["loc"])) or "it"
        raise ValueError(f"{place} is not right ({fault['msg']})") from None
    if (record.figures is None) == (record.error is None):
        raise ValueError("it needs either figures or an error")
    return record


@cache
def _reader(figures: Any) -> TypeAdapter[Record[Any]]:
    return TypeAdapter(Record[figures])
