"""What there is to choose from on the page, and what to expect of a choice."""

from functools import cache
from typing import Any

from lense._util.classes import known_class, known_names
from lense.app.asking import GENERATED, rivals, ways
from lense.graph.datasets import DATASETS, graph_files
from lense.problems.base import GROUP as PROBLEMS
from lense.pruners.calibration import GRID

_WAYS = {
    "auto": "whichever takes less time",
    "whole": "the whole graph",
    "core": "core: a part that keeps the target",
    "lense": "lense: where a learnt walk ends",
    "bounds": "bounds: a part that loses nothing",
    "exact": "exact: find an optimum, and prove it",
}
_FIELDS = {
    "n": "vertices",
    "m": "edges of a new vertex",
    "average_degree": "average degree",
    "exponent": "exponent",
    "communities": "communities",
    "degree_in": "degree inside",
    "degree_out": "degree outside",
    "scale": "log2 of the vertices",
    "num_edges": "edges to draw",
}
_COMPARED = ("core", "lense", "bounds", "quickprune", "top-roots", "top-degree", "k-core", "random")
"""The pruners that are compared unless the user changes it."""


def choices() -> dict[str, Any]:
    """The graphs at hand, problems with their solvers and ways, and generators with their parameters."""
    return {
        "graphs": [{"name": name, "about": _about(name)} for name in graph_files()],
        "problems": list(_problems()),
        "generators": [
            {
                "name": name,
                "fields": [{"name": key, "title": _FIELDS[key], "value": value} for key, value in known.items()],
            }
            for name, known in GENERATED.items()
        ],
    }


def _about(name: str) -> str:
    known = DATASETS.get(name)
    return "" if known is None else f"{known.vertices:,} vertices, {known.edges:,} edges"


def _problems() -> list[dict[str, Any]]:
    names = sorted(known_names(PROBLEMS), key=lambda name: (name != "mvc", name))  # the default of lense.solve first
    return [_problem(name) for name in names]


@cache
def _problem(name: str) -> dict[str, Any]:
    kind = known_class(name, PROBLEMS)
    able = ["auto", "whole", *ways(name), *(["exact"] if kind.pair_loss is not None else [])]
    return {
        "name": name,
        "about": kind.goal,
        "solvers": list(kind.heuristics),
        "ways": [{"name": way, "about": _WAYS.get(way, way)} for way in able],
        "rivals": [{"name": rival, "is_chosen": rival in _COMPARED} for rival in rivals(name)],
    }


def expectations(problem: str, budget: float, target: float) -> dict[str, Any]:
    """Roots against the ratio to expect, by the calibration of the core that ships, and what the target would take."""
    from lense.errors import choose

    choose(problem, {one["name"]: None for one in _problems()}, "problem")
    core = _core(problem)
    if core is None:
        return {"points": [], "chosen": None}
    calibration = core.calibration_
    found = [calibration.of_size(budget, target, max(1, round(share * budget))) for share in GRID]
    return {
        "points": [_point(one) for one in found],
        "chosen": _point(calibration.smallest(budget, target, core.confidence)),
    }


def _point(expected: Any) -> dict[str, float]:
    return {"roots": expected.roots, "ratio": round(expected.ratio, 5), "sure": round(expected.confidence, 3)}


@cache
def _core(problem: str) -> Any:
    from lense.problems import get_problem
    from lense.pruners.shipped import shipped_core

    return shipped_core(get_problem(known_class(problem, PROBLEMS)))
