"""What a folder of results keeps of a model's walks, made ready for a page without walking for long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.types import Int64s
from lense.evaluation import Yardstick
from lense.experiments.comparison import LENSE, WHOLE, Whole
from lense.experiments.maps import WalkPicture, WayFigures
from lense.experiments.models import model_digest, walks
from lense.experiments.rivals import Rivals
from lense.experiments.store import Record, Store
from lense.experiments.study import Case, Cell, make_source
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.navigation.swaps import random_roots
from lense.problems import Problem
from lense.pruners.model_files import graph_digest
from lense.report.blocks import Block, rounded
from lense.report.drawing import drawing_block
from lense.report.samples import on_the_map
from lense.report.walks import (
    MOST_MEASURED,
    Place,
    curves,
    measured_steps,
    median_walk,
    paths,
    places_at,
    ratios_at,
)

if TYPE_CHECKING:
    from lense.navigation.batches import GraphTensors

MOST_SWAPS = 100_000
"""Walks that need embeddings take seconds if steps times roots are no more, and are walked anew only then."""
MOST_EDGES_SOLVED = 200_000
"""On test graphs of no more edges the heuristic is run where no comparison of pruners kept what it finds."""
SLOW, MOST_MEASURED_SLOWLY = 1.0, 8
"""Of a heuristic that takes more seconds on the whole graph, ratios are measured at fewer places."""
_SAME = 1e-3


@dataclass(frozen=True)
class Followed:
    """The ``walks`` for the map if any, what the page ``says`` of them, ``curves``, and a ``drawing`` or none."""

    walks: dict[str, Any] | None
    says: str
    curves: Sequence[Block] = ()
    drawing: Block | None = None


@dataclass(frozen=True)
class _Ends:
    """Walks of which the ends are known, their ``roots`` (B, M) and places, and what is needed to look closer."""

    cell: Cell
    case: Case
    tensors: "GraphTensors"
    roots: Int64s
    last: list[Place]

    @property
    def shown(self) -> int:
        return median_walk(np.array([place["distance"] for place in self.last]))


class SharedTensors:
    """The latest graph with its vertex features, which take long to find and are the same for several problems."""

    def __init__(self) -> None:
        self._latest: dict[tuple[str, bool, bool], GraphTensors] = {}

    def of(self, model: LeNSE, graph: Graph, digest: str) -> "GraphTensors":
        """As :meth:`LeNSE.tensors` of the graph with that digest."""
        key = digest, model.settings_.encoder.ranks, model.problem_.uses_direction
        if type(model.problem_).features is not Problem.features:  # which looks at nothing but these and the graph
            return model.tensors(graph)
        if key not in self._latest:
            self._latest = {key: model.tensors(graph)}
        return self._latest[key]


def followed(results: Path, name: str, folder: Path, model: LeNSE, shared: SharedTensors) -> Followed:
    """The walks of the model called ``name`` in ``folder`` that ``results`` keep.

    The one shown is walked anew, unless that needs embeddings at too many steps. Then the whole way is known where the
    experiment ``walk`` was run, or else the ends alone. Sizes, and the subgraph to draw, need the graph.
    """
    digest, link, cell = model_digest(folder), f"walk-{name}", _cell(model, name)
    ends = _ends(results, cell, digest, model, shared)
    known = None if cell is None else _of_model(WalkPicture().store(results), cell, digest)
    recorded: WayFigures | None = None if known is None else known.found
    if isinstance(ends, str):
        return Followed(None, ends) if recorded is None else _recorded(model, recorded, link)
    if not model.settings_.q_learning.sees_subgraph or model.num_steps(ends.tensors) * model.num_roots() <= MOST_SWAPS:
        return _walked_anew(model, ends, _yardstick(results, model, ends), link)
    if recorded is not None and _are_the_same(recorded, ends):
        return _recorded(model, recorded, link, ends)
    return _joined(model, ends)


def _cell(model: LeNSE, name: str) -> Cell | None:
    """The graph, problem and seed of a model; None where its graph is not known by name."""
    about = model.report_["trained_on"].get("source")
    named = isinstance(about, Mapping) and "graph" in about
    seed = int(name.rpartition("-")[2])
    if not named:
        return None
    return Cell(replace(make_source(str(about["graph"]), model.problem_.name), from_file=True), seed)


def _of_model(store: Store[Any], cell: Cell, digest: str | None) -> Record[Any] | None:
    """The record of a cell, if it is done and comes from the model as it is now."""
    record = store.get(cell.key)
    return None if record is None or record.figures is None or record.model != digest else record


def _ends(results: Path, cell: Cell | None, digest: str | None, model: LeNSE, shared: SharedTensors) -> _Ends | str:
    """The ends of the walks that ``results`` keep of a model, or in words why they are not known."""
    kept = None if cell is None else _of_model(walks(results), cell, digest)
    if kept is None or cell is None:
        return "The folder keeps no walks of this model."
    source, found = cell.source, kept.found
    if not source.is_at_hand:
        return f"Its walks and the pruned subgraph are drawn only where the graph is at hand ({source.how_to_get})."
    case = source.case(cell.seed)
    if graph_digest(case.test) != found.graph:
        return f"Its walks were on another graph than {source.title} is here, and so are not drawn."
    if model.num_roots() >= case.test.num_vertices:
        return f"The test graph of {source.title} has too few vertices to walk on, and is not pruned."
    tensors, roots = shared.of(model, case.test, found.graph), np.array(found.roots, np.int64)
    pruned = _of_model(Rivals().store(results), replace(cell, variant=LENSE), digest)
    ratios = [None] * len(roots) if pruned is None else pruned.found.subgraph.ratio
    known = ratios if len(ratios) == len(roots) else [None] * len(roots)
    last = _places(model, case, tensors, model.num_steps(tensors), roots, known)
    return _Ends(cell, case, tensors, roots, last)


def _places(
    model: LeNSE, case: Case, tensors: "GraphTensors", step: int, roots: Int64s, ratios: Sequence[float | None]
) -> list[Place]:
    """Places of all walks at one step, with their ``roots`` (B, M)."""
    parts = [subgraph(case.test, one) for one in roots]
    found = places_at(model, [step] * len(roots), parts, model.embed(tensors, roots), ratios)
    return [{"walk": number, **place} for number, place in enumerate(found, start=1)]


def _yardstick(results: Path, model: LeNSE, ends: _Ends) -> Yardstick | None:
    """What ratios are measured by, unless the heuristic would have to be run on a large graph for it."""
    case, seed = ends.case, ends.cell.seed
    whole = Rivals().store(results).get(replace(ends.cell, variant=WHOLE).key)
    if whole is not None and whole.figures is not None and whole.budget == model.budget:
        found: Whole = whole.figures
        return found.yardstick(case, model.budget, seed)
    if case.test.num_edges > MOST_EDGES_SOLVED:
        return None
    return Yardstick(case.problem, case.test, model.budget, seed=seed)


def _are_the_same(recorded: WayFigures, ends: _Ends) -> bool:
    """Whether recorded walks end where the kept ones do; on another machine they may take another way."""
    last = recorded.distances[-1]
    return len(last) == len(ends.last) and bool(
        np.allclose(last, [place["distance"] for place in ends.last], atol=_SAME)
    )


def _walked_anew(model: LeNSE, ends: _Ends, yardstick: Yardstick | None, link: str) -> Followed:
    shown, steps = ends.shown, measured_steps(model.num_steps(ends.tensors))
    sets = _roots_along(model, ends, steps)
    parts = [subgraph(ends.case.test, roots) for roots in sets]
    ratios: Sequence[float | None] = [None] * len(sets)
    if yardstick is not None:
        most = MOST_MEASURED if yardstick.best.seconds <= SLOW else MOST_MEASURED_SLOWLY
        ratios = ratios_at(parts, yardstick, shown, most)
    embeddings = model.embed(ends.tensors, sets)
    places = places_at(model, steps.tolist(), parts, embeddings, ratios)
    is_kept = np.array_equal(np.sort(sets[-1]), np.sort(ends.roots[shown]))
    if is_kept and yardstick is None:
        places[-1]["ratio"] = ends.last[shown]["ratio"]
    return Followed(
        {
            "shown": [place["at"] for place in places],
            "others": [],
            "places": places,
            "ends": _but(shown, ends.last) if is_kept else ends.last,
        },
        f"Shown of {_counted(len(ends.last))} of {model.num_steps(ends.tensors):,} steps on the test graph is the one "
        f"that ends at the median distance, with straight lines between {len(places):,} places along it. "
        f"{_about_ratios(ratios)} {_AS_KEPT if is_kept else _ELSEWHERE}",
        curves(places, link=link),
        _drawing(model, ends),
    )


_AS_KEPT = "Of the others the ends are shown."
_ELSEWHERE = (
    "Walked anew for this page it came to another end than the kept walk, as it can where a machine rounds otherwise: "
    "the kept end is among the ends shown, and its subgraph is the one drawn."
)


def _about_ratios(ratios: Sequence[float | None]) -> str:
    measured = sum(ratio is not None for ratio in ratios)
    if not measured:
        return (
            "Ratios along it are not measured, since the folder does not keep the heuristic's solution of the whole "
            "graph and finding it would take long."
        )
    where = "all" if measured == len(ratios) else f"{measured:,}"
    return f"At {where} of them the heuristic was run on the subgraph there."


def _roots_along(model: LeNSE, ends: _Ends, steps: Int64s) -> Int64s:
    """The roots (S, M) at ``steps`` (S) of the walk shown, walked anew without the map where it is not needed."""
    seed, places = ends.cell.seed + ends.shown, steps.tolist()
    return model.find_roots(ends.tensors, episodes=1, seed=seed, places=places)[:, 0]


def _recorded(model: LeNSE, recorded: WayFigures, link: str, ends: _Ends | None = None) -> Followed:
    points, distances = on_the_map(model, np.array(recorded.paths)), np.array(recorded.distances)
    shown, steps = median_walk(distances[-1]), measured_steps(len(distances) - 1)
    unknown = {"ratio": None, "vertices": None, "edges": None}
    places: list[Place] = [
        {"step": step, "at": point, "distance": distance, **unknown}
        for step, point, distance in zip(
            steps.tolist(), rounded(points[steps, shown]), distances[steps, shown].tolist(), strict=True
        )
    ]
    if ends is not None:
        places[-1] |= {name: ends.last[shown][name] for name in unknown}
    return Followed(
        {**paths(points, shown), "places": places, "ends": [] if ends is None else _but(shown, ends.last)},
        f"Shown are {_counted(distances.shape[1])} of {len(distances) - 1:,} steps on the test graph, and strongly the "
        "one that ends at the median distance; ratios and sizes on the way are not kept.",
        curves(places, np.delete(distances, shown, axis=1), link),
        None if ends is None else _drawing(model, ends),
    )


def _joined(model: LeNSE, ends: _Ends) -> Followed:
    """Starts and ends, with straight lines for the ways that nobody kept."""
    shown, seeds = ends.shown, range(ends.cell.seed, ends.cell.seed + len(ends.roots))
    starts = random_roots(ends.tensors.num_vertices, model.num_roots(), seeds)
    first = _places(model, ends.case, ends.tensors, 0, starts, [None] * len(starts))
    lines = [[a["at"], b["at"]] for a, b in zip(first, ends.last, strict=True)]
    return Followed(
        {
            "shown": lines[shown],
            "others": _but(shown, lines),
            "places": [first[shown], ends.last[shown]],
            "ends": _but(shown, ends.last),
            "is_straight": True,
        },
        f"Shown are {_counted(len(lines))} of {model.num_steps(ends.tensors):,} steps on the test graph, and strongly "
        "the one that ends at the median distance. The folder keeps where they ended and not the way there, so "
        "straight lines join starts and ends; 'lense reproduce walk' for this graph and problem keeps the way.",
        drawing=_drawing(model, ends),
    )


def _drawing(model: LeNSE, ends: _Ends) -> Block:
    case = ends.case
    part = subgraph(case.test, ends.roots[ends.shown])
    return drawing_block(case.problem, case.test, part, model.budget, [ends.cell.seed, ends.shown])


def _but(shown: int, everything: Sequence[Any]) -> list[Any]:
    return [one for i, one in enumerate(everything) if i != shown]


def _counted(walks: int) -> str:
    return f"{walks:,} walks" if walks > 1 else "1 walk"
