"""What a folder of results keeps of a model's walks, made ready for a page without walking for long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lense.evaluation import Yardstick
from lense.experiments.cases import Case, Source
from lense.experiments.experiment import data_missing
from lense.experiments.pieces import whole_solution
from lense.experiments.plan import Comparison, folder_digest, whole_record
from lense.experiments.store import Record, Store, read_plan
from lense.experiments.study import is_at_hand, make_source, source_of
from lense.graph import Graph
from lense.parts import subgraph
from lense.problems import Problem, Solution
from lense.pruners import LeNSE
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
from lense.types import Int64s
from lense.walking.batches import GraphTensors
from lense.walking.encoder_training import embed
from lense.walking.environment import random_roots

MOST_SWAPS = 100_000
"""Walks that need embeddings take seconds if steps times roots are no more, and are walked anew only then."""
MOST_EDGES_SOLVED = 200_000
"""On test graphs of no more edges the heuristic is run where no comparison of pruners kept what it finds."""
SLOW, MOST_MEASURED_SLOWLY = 1.0, 8
"""Of a heuristic that takes more seconds on the whole graph, ratios are measured at fewer places."""
_SAME = 1e-3


@dataclass(frozen=True)
class Followed:
    """The ``walks`` for the map if there are any, what is ``told`` of them, ``curves``, and a ``drawing`` or none."""

    walks: dict[str, Any] | None
    told: str
    curves: Sequence[Block] = ()
    drawing: Block | None = None


@dataclass(frozen=True)
class _Ends:
    """Walks of which the ends are known, their ``roots`` (B, M) and places, and what is needed to look closer."""

    case: Case
    tensors: GraphTensors
    seed: int
    roots: Int64s
    last: list[Place]

    @property
    def shown(self) -> int:
        return median_walk(np.array([place["distance"] for place in self.last]))


class SharedTensors:
    """The latest graph with its vertex features, which take long to find and are the same for several problems."""

    def __init__(self) -> None:
        self._latest: dict[tuple[str, bool, bool], GraphTensors] = {}

    def of(self, model: LeNSE, graph: Graph, digest: str) -> GraphTensors:
        """As :meth:`LeNSE.tensors` of the graph with that digest."""
        key = digest, model.settings_.ranks, model.problem_.uses_direction
        if type(model.problem_).features is not Problem.features:  # which looks at nothing but these and the graph
            return model.tensors(graph)
        if key not in self._latest:
            self._latest = {key: model.tensors(graph)}
        return self._latest[key]


def followed(results: Path, folder: Path, model: LeNSE, shared: SharedTensors) -> Followed:
    """The walks of the model in ``folder`` that ``results`` keep.

    The one shown is walked anew, unless that needs embeddings at too many steps. Then the whole way is known where the
    experiment ``walk`` was run, or else the ends alone. Sizes, and the subgraph to draw, need the graph.
    """
    digest, link = folder_digest(folder), f"walk-{folder.name}"
    ends = _ends(results, folder.name, digest, model, shared)
    recorded = _of_model(results / "walk", folder.name, "model", digest)
    if isinstance(ends, str):
        return Followed(None, ends) if recorded is None else _recorded(model, recorded, link)
    if not model.settings_.sees_subgraph or model.num_steps(ends.tensors) * model.num_roots() <= MOST_SWAPS:
        return _walked_anew(model, ends, _yardstick(results, folder.name, model, ends), link)
    if recorded is not None and _are_the_same(recorded, ends):
        return _recorded(model, recorded, link, ends)
    return _joined(model, ends)


def _of_model(folder: Path, piece: str, key: str, digest: str) -> Record | None:
    """The record of a piece in a folder, if there is one and it tells of the model as it is now."""
    record = Store.of(folder).read(piece) if (folder / "plan.json").is_file() else None
    if record is None or record.get(key) != digest or record.get("status", "done") != "done":
        return None
    return record


def _ends(results: Path, name: str, digest: str, model: LeNSE, shared: SharedTensors) -> _Ends | str:
    """The ends of the walks that ``results`` keep of a model, or in words why they are not known."""
    kept = _of_model(results / "walks", name, "model", digest)
    source = _source(model)
    if kept is None or source is None:
        return "The folder keeps no walks of this model."
    if not is_at_hand(source):
        return f"Its walks and the pruned subgraph are drawn only where the graph is at hand ({data_missing(source)})."
    case = source.case(kept["seed"])
    if graph_digest(case.test) != kept["graph"]:
        return f"Its walks were on another graph than {source.title} is here, and so are not drawn."
    if model.num_roots() >= case.test.num_vertices:
        return f"The test graph of {source.title} has too few vertices to walk on, and is not pruned."
    tensors, roots = shared.of(model, case.test, kept["graph"]), np.array(kept["roots"], np.int64)
    ratios = _ratios(results, name, digest)
    known = ratios if ratios is not None and len(ratios) == len(roots) else [None] * len(roots)
    last = _places(model, case, tensors, model.num_steps(tensors), roots, known)
    return _Ends(case, tensors, kept["seed"], roots, last)


def _source(model: LeNSE) -> Source | None:
    about = model.report_["trained_on"].get("source")
    named = isinstance(about, Mapping) and "graph" in about
    return make_source(about["graph"], model.problem_.name) if named else None


def _ratios(results: Path, name: str, digest: str) -> list[float | None] | None:
    """The ratio of each walk's end, where the comparison of pruners measured it."""
    pair, _, seed = name.rpartition("-")
    record = _of_model(results / "rivals" / pair, f"{LeNSE.name}.{seed}", "given_model", digest)
    return None if record is None else [one.get("ratio") for one in record["subgraph"]]


def _places(
    model: LeNSE, case: Case, tensors: GraphTensors, step: int, roots: Int64s, ratios: Sequence[float | None]
) -> list[Place]:
    """Places of all walks at one step, with their ``roots`` (B, M)."""
    parts = [subgraph(case.test, one) for one in roots]
    found = places_at(model, [step] * len(roots), parts, embed(model.encoder_, tensors, roots), ratios)
    return [{"walk": number, **place} for number, place in enumerate(found, start=1)]


def _yardstick(results: Path, name: str, model: LeNSE, ends: _Ends) -> Yardstick | None:
    """What ratios are measured by, unless the heuristic would have to be run on a large graph for it."""
    case = ends.case
    best = _solution(results / "rivals" / name.rpartition("-")[0], model.budget, ends.seed)
    if best is None and case.test.num_edges > MOST_EDGES_SOLVED:
        return None
    return Yardstick(case.problem, case.test, model.budget, seed=ends.seed, best=best)


def _solution(compared: Path, budget: float, seed: int) -> Solution | None:
    """The heuristic's solution on the whole test graph, where the comparison of pruners kept it."""
    path = compared / "plan.json"
    plan = read_plan(path) if path.is_file() else {}
    record = whole_record(Store(compared, plan), seed) if plan.get("budget") == budget else None
    return None if record is None else whole_solution(Comparison(source_of(plan), budget, ()), record)


def _are_the_same(recorded: Record, ends: _Ends) -> bool:
    """Whether recorded walks end where the kept ones do; on another machine they may take another way."""
    last = recorded["distances"][-1]
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
    embeddings = embed(model.encoder_, ends.tensors, sets)
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
        f"{_told_of_ratios(ratios)} {_AS_KEPT if is_kept else _ELSEWHERE}",
        curves(places, link=link),
        _drawing(model, ends),
    )


_AS_KEPT = "Of the others the ends are shown."
_ELSEWHERE = (
    "Walked anew for this page it came to another end than the kept walk, as it can where a machine rounds otherwise: "
    "the kept end is among the ends shown, and its subgraph is the one drawn."
)


def _told_of_ratios(ratios: Sequence[float | None]) -> str:
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
    return model.roots_along(ends.tensors, steps.tolist(), episodes=1, seed=ends.seed + ends.shown)[:, 0]


def _recorded(model: LeNSE, recorded: Record, link: str, ends: _Ends | None = None) -> Followed:
    points, distances = on_the_map(model, np.array(recorded["paths"])), np.array(recorded["distances"])
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
    shown, seeds = ends.shown, range(ends.seed, ends.seed + len(ends.roots))
    starts = random_roots(ends.tensors, model.num_roots(), seeds).numpy()
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
    return drawing_block(case.problem, case.test, part, model.budget, [ends.seed, ends.shown])


def _but(shown: int, everything: Sequence[Any]) -> list[Any]:
    return [one for i, one in enumerate(everything) if i != shown]


def _counted(walks: int) -> str:
    return f"{walks:,} walks" if walks > 1 else "1 walk"
