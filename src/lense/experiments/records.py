"""Results as typed records, one line of JSON each; type hints say what a line must hold."""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Generic, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from lense.errors import LenseError

Figures = TypeVar("Figures")


class FaultError(ValueError):
    """What is wrong with a value and where, in words that follow "since"."""


class Key(NamedTuple):
    """What sets a cell apart from all others of an experiment; files of records are sorted by it."""

    graph: str
    problem: str
    seed: int
    variant: str


@dataclass(frozen=True, kw_only=True)
class Record(Generic[Figures]):
    """What one cell found, or the ``error`` that it failed with, and where it comes from.

    ``graph`` is a name or a file, ``file`` the sha256 of that file. ``variant`` is the pruner, loss, share of edges or
    switch, where the experiment has several. ``model`` is the sha256 of the model that the figures come from.
    """

    graph: str
    problem: str
    options: dict[str, str] = field(default_factory=dict)
    seed: int
    variant: str = ""
    train_share: float | None = None
    file: str | None = None
    budget: float
    episodes: int
    figures: Figures | None = None
    error: str | None = None
    model: str | None = None
    seconds: float | None = None
    device: str = "cpu"
    versions: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str | int | None] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return Key(self.graph, label(self.problem, self.options), self.seed, self.variant)

    @property
    def found(self) -> Figures:
        """The figures of a cell that is done."""
        if self.figures is None:
            raise LenseError(f"There are no figures of {self.key}: {self.error}")
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
    """Parts that a heuristic was run on: lists with a value for each, None where it found nothing, and the reasons."""

    ratio: list[float | None]
    vertices_pruned: list[float | None]
    edges_pruned: list[float | None]
    seconds: list[float | None]
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        same_length(self, "ratio", "vertices_pruned", "edges_pruned", "seconds")

    def known(self, name: str) -> list[float]:
        """The values of a column, of those parts that could be solved."""
        return [value for value in getattr(self, name) if value is not None]


@dataclass(frozen=True)
class Map:
    """The labelled samples (N, 2) of a model and its goal (2) on the map, and the cut-offs between their classes."""

    cutoffs: list[float]
    labels: list[int]
    points: list[list[float]]
    goal: list[float]

    def __post_init__(self) -> None:
        same_length(self, "labels", "points")
        if {2} != {len(point) for point in [*self.points, self.goal]}:
            raise FaultError("a point has not two coordinates")


def same_length(record: Any, *names: str) -> None:
    """Raise :class:`FaultError` unless these lists of a record are equally long, and not empty."""
    lengths = {len(getattr(record, name)) for name in names}
    if len(lengths) > 1 or 0 in lengths:
        raise FaultError(f"{', '.join(names)} are not equally long, or empty")


def label(problem: str, options: dict[str, str]) -> str:
    """A problem with its options, such as "bmc+solver-mip"."""
    return problem + "".join(f"+{name}-{value}" for name, value in sorted(options.items()))


def as_line(record: Record[Any]) -> str:
    """The record as JSON in one line, without what is as by default."""
    return json.dumps(plain(record), allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def from_line(line: str, figures: Any) -> Record[Any]:
    """What :func:`as_line` wrote, whose figures are of the given type; :class:`FaultError` where it is not that."""
    try:
        value = json.loads(line, parse_constant=_refused)
    except ValueError:
        raise FaultError("it is not JSON") from None
    record: Record[Any] = _dataclass(value, Record, "", figures=figures | None)
    if (record.figures is None) == (record.error is None):
        raise FaultError("it needs either figures or an error")
    return record


def checked(value: Any, hint: Any, place: str = "") -> Any:
    """``value`` from JSON as the type that a hint names; strict, so that whoever reads it can rely on it."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if is_dataclass(hint):
        return _dataclass(value, hint, place)
    if origin in (Union, UnionType):
        return _either(value, inner, place)
    if origin is list:
        if not isinstance(value, list):
            raise FaultError(f"{place} is no list")
        return [checked(item, inner[0], f"{place}[{i}]") for i, item in enumerate(value)]
    if origin is dict:
        if not isinstance(value, dict):
            raise FaultError(f"{place} is no record")
        return {name: checked(item, inner[1], f"{place}.{name}") for name, item in value.items()}
    return _scalar(value, hint, place)


_WORDS = {float: "number", int: "whole number", str: "text", bool: "truth value", NoneType: "null"}


def _scalar(value: Any, hint: Any, place: str) -> Any:
    kinds = (int, float) if hint is float else (hint,)
    is_right = type(value) in kinds
    if is_right and hint is not NoneType and hint is not str:
        is_right = abs(value) <= sys.float_info.max and not math.isnan(value)
    if not is_right:
        raise FaultError(f"{place} is no {_WORDS[hint]}")
    return value


def _either(value: Any, hints: Sequence[Any], place: str) -> Any:
    """As the first hint that fits; where none does, what is wrong is said of the one with most names in common."""
    if value is None and NoneType in hints:
        return None
    names = set(value) if isinstance(value, dict) else set()
    some: list[Any] = [hint for hint in hints if hint is not NoneType]
    some.sort(key=lambda hint: -len(names & {*getattr(hint, "__annotations__", ())}))
    faults: list[FaultError] = []
    for hint in some:
        try:
            return checked(value, hint, place)
        except FaultError as fault:
            faults.append(fault)
    raise faults[0]


def _dataclass(value: Any, kind: Any, place: str, **changed: Any) -> Any:
    where = f"{place}." if place else ""
    if not isinstance(value, dict):
        raise FaultError(f"{place or 'it'} is no record")
    known = {**_hints(kind), **changed}
    for name in value:
        if name not in known:
            raise FaultError(f"it has {where}{name}, which nobody knows")
    for one in fields(kind):
        if one.name not in value and one.default is MISSING and one.default_factory is MISSING:
            raise FaultError(f"{where}{one.name} is missing")
    return kind(**{name: checked(item, known[name], f"{where}{name}") for name, item in value.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def plain(value: Any) -> Any:
    """A record in types that JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        given = {one.name: (getattr(value, one.name), one) for one in fields(value)}
        return {name: plain(item) for name, (item, one) in given.items() if not _is_default(item, one)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in value.items()} if isinstance(value, dict) else value


def _is_default(value: Any, one: Any) -> bool:
    if one.default_factory is not MISSING:
        return bool(value == one.default_factory())
    return one.default is not MISSING and bool(value == one.default)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
