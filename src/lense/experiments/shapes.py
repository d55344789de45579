"""What a plan and a piece of each kind must hold, so that whoever reads one can rely on it."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lense.paper import BUDGETS

WHOLE = "whole-graph"
"""What the piece of the heuristic on a whole graph is called, before its seed."""


@dataclass(frozen=True)
class Each:
    """A list of one or more, each of the same ``shape``."""

    shape: Any


@dataclass(frozen=True)
class Array:
    """Finite numbers in nested lists; dimensions of one name are equally long within a record, and none is empty."""

    dimensions: tuple[str | int, ...]
    are_whole: bool = False


@dataclass(frozen=True)
class Either:
    """One of several; what is wrong with a value is told by the first."""

    shapes: tuple[Any, ...]


Shape = Any
"""``float`` for finite numbers, ``int``, ``str``, None, one of the classes above, a list of exactly these items, or a
dictionary of names, of which those that end in "?" may be missing.
"""

_SIZE = {"vertices": int, "edges": int}
_SHARES = {"ratio": float, "vertices_pruned": float, "edges_pruned": float}
_MEASURED = Each(Either(({**_SHARES, "seconds": float, "combined": float}, {"error": str})))
_COSTS = {"seconds": Either((float, None)), "peak_bytes": Either((float, None)), "side_by_side?": int}
_CIRCUMSTANCES: Mapping[str, Shape] = {"versions?": {}, "machine?": {}}
_SOURCE = {"graph": str, "problem": str, "options": {}, "train_share": Either((float, None))}

_PLANS: Mapping[str, Mapping[str, Shape]] = {"compare": {**_SOURCE, "budget": float}, "budgets": {"budget": float}}
_CELL = {"status": str, "config": {**_SOURCE, "seed": int}}
_MAP: Mapping[str, Shape] = {
    "cutoffs": Array(("cutoffs",)),
    "labels": Array(("samples",), are_whole=True),
    "points": Array(("samples", 2)),
    "goal": Array((2,)),
}
_MAP_IF_ANY = {f"{name}?": shape for name, shape in _MAP.items()}
_FIGURES: Mapping[str, Shape] = {
    "table1": {"ceiling": _SHARES},
    "scalability": {
        "solver": str,
        "graph": _SIZE,
        "heuristic_on_graph": float,
        "features": float,
        "episodes": Each({"walk": float, "heuristic": float, "ratio": float, **_SIZE}),
    },
    "losses": {"parts": Each(_SHARES), **_MAP_IF_ANY},
    "walk": {
        **_MAP,
        "distances": Array(("places", "walks")),
        "paths": Array(("places", "walks", 2)),
    },
    "maps": {
        "encoder": dict.fromkeys(("neighbour_accuracy", "order", "silhouette"), Either((float, None))),
        **_MAP_IF_ANY,
    },
}
_WALKS = {"roots": Array(("walks", "roots"), are_whole=True), "graph": str, "seed": int, "seconds": float}
_WHOLE = {
    "seed": int,
    "test": _SIZE,
    "solver": str,
    "score": float,
    "stderr": float,
    "seconds": float,
    "vertices": Array(("solution",), are_whole=True),
    **_CIRCUMSTANCES,
}
_FIT = {"given": {}, "train": str, "costs": _COSTS}
_PRUNER = {"pruner": str, "seed": int, "status": str, "given_size": {}, **_CIRCUMSTANCES}
_PRUNED = {
    "fit": _COSTS,
    "prune": _COSTS,
    "parts": Each({**_SIZE, "roots": int}),
    "size?": {"vertices": int, "roots": int, "steps?": int},
    "subgraph": _MEASURED,
    "ground-set": _MEASURED,
}


def fault_of_plan(plan: Any) -> str:
    """What is wrong with a plan, in words that follow "since", or nothing."""
    experiment = plan.get("experiment") if isinstance(plan, dict) else None
    return fault(plan, {"experiment": str, **_PLANS.get(str(experiment), {})})


def fault_of_piece(plan: Mapping[str, Any], piece: str, record: Any) -> str:
    """What is wrong with the record of a piece under a plan, in words that follow "since", or nothing."""
    return next(filter(None, (fault(record, shape) for shape in _shapes(plan, piece, record))), "")


def _shapes(plan: Mapping[str, Any], piece: str, record: Any) -> list[Shape]:
    """What a piece must hold: first what all of its kind do, then what depends on whether it is done."""
    experiment = plan.get("experiment")
    done = isinstance(record, dict) and record.get("status") == "done"
    match experiment:
        case "compare" if piece.startswith(f"{WHOLE}."):
            return [_WHOLE]
        case "compare" if piece.startswith("fit."):
            return [_FIT]
        case "compare":
            return [_PRUNER, _PRUNED if done else {"error": str}]
        case "walks":
            return [_WALKS]
        case "models":
            return [{"status": str, "config": {}}]
        case "budgets":
            figures: Shape = {"budgets": _budgets(plan)}
        case _:
            figures = _FIGURES.get(str(experiment), {})
    return [_CELL, figures if done else {"error": str}]


def _budgets(plan: Mapping[str, Any]) -> Shape:
    """Ratios within each of the paper's budgets up to the one of the plan, with as many walks."""
    count = 1 + sum(budget < plan["budget"] for budget in BUDGETS)
    return [{"budget": float, "ratios": Array(("walks",))}] * count


def fault(value: Any, shape: Shape) -> str:
    """What is wrong with a value, in words that follow "since", or nothing."""
    return _fault(value, shape, "", {})


def _fault(value: Any, shape: Shape, place: str, sizes: dict[str, int]) -> str:
    match shape:
        case dict():
            return _fault_of_names(value, shape, place, sizes)
        case list():
            if not isinstance(value, list) or len(value) != len(shape):
                return f"{place} is no list of {len(shape)}"
            return _first_fault(zip(value, shape, strict=True), place, sizes)
        case Each():
            if not isinstance(value, list) or not value:
                return f"{place} is no list of one or more"
            return _first_fault(((item, shape.shape) for item in value), place, sizes)
        case Either():
            found = [_fault(value, one, place, sizes) for one in shape.shapes]
            return found[0] if all(found) else ""
        case Array():
            return _fault_of_array(value, shape, place, sizes)
        case _:
            return "" if _is_a(value, shape) else f"{place} is no {_WORDS[shape]}"


_WORDS = {float: "number", int: "whole number", str: "text", None: "null"}


def _fault_of_names(value: Any, shape: Mapping[str, Shape], place: str, sizes: dict[str, int]) -> str:
    if not isinstance(value, dict):
        return f"{place or 'it'} is no record"
    for name, inner in shape.items():
        plain = name.removesuffix("?")
        there = f"{place}.{plain}" if place else plain
        if plain in value:
            if told := _fault(value[plain], inner, there, sizes):
                return told
        elif plain == name:
            return f"it lacks {there}"
    return ""


def _first_fault(items: Any, place: str, sizes: dict[str, int]) -> str:
    told = (_fault(item, shape, f"{place}[{i}]", sizes) for i, (item, shape) in enumerate(items))
    return next(filter(None, told), "")


def _is_a(value: Any, kind: type | None) -> bool:
    if kind is None or kind is str:
        return value is None if kind is None else isinstance(value, str)
    kinds = (int,) if kind is int else (int, float)
    is_number = isinstance(value, kinds) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # neither infinite nor nan


def _fault_of_array(value: Any, shape: Array, place: str, sizes: dict[str, int]) -> str:
    try:
        array = np.array(value)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    if array.dtype.kind not in ("iu" if shape.are_whole else "iuf") or not np.isfinite(array).all():
        return f"{place} does not hold {'whole ' if shape.are_whole else ''}numbers alone"
    wanted = [_size(name, sizes) for name in shape.dimensions]
    if array.ndim != len(wanted) or not array.size or not _fits(array.shape, wanted):
        return f"{place} has not as many numbers as it must"
    sizes |= {name: size for name, size in zip(shape.dimensions, array.shape, strict=True) if isinstance(name, str)}
    return ""


def _size(name: str | int, sizes: Mapping[str, int]) -> int | None:
    return name if isinstance(name, int) else sizes.get(name)


def _fits(found: Sequence[int], wanted: Sequence[int | None]) -> bool:
    return all(size in (None, there) for there, size in zip(found, wanted, strict=True))
