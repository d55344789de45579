"""What a folder of results keeps of a model's walks, made ready for a page without walking for long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments.cases import Case, Source
from lense.experiments.experiment import data_missing
from lense.experiments.plan import folder_digest
from lense.experiments.store import Record, read_record
from lense.experiments.study import is_at_hand, make_source
from lense.navigation.environment import SubgraphWalks
from lense.pruners import LeNSE
from lense.pruners.model_files import graph_digest
from lense.report.blocks import Block, rounded
from lense.report.drawing import drawing_block
from lense.report.samples import on_the_map
from lense.report.walks import (
    Follow,
    Place,
    curves,
    measured_places,
    measured_steps,
    median_walk,
    paths,
    points_of,
)
from lense.subgraphs import subgraph

MOST_SWAPS = 100_000
"""Walks in which steps times roots are no more take seconds, and are walked anew to be measured on the way."""
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
    """Walks of which starts and ends are known: places of each, and what is needed to look closer."""

    case: Case
    seed: int
    roots: Sequence[Sequence[int]]
    first: list[Place]
    last: list[Place]

    @property
    def shown(self) -> int:
        return median_walk(np.array([place["distance"] for place in self.last]))


def followed(results: Path, folder: Path, model: LeNSE) -> Followed:
    """The walks of the model in ``folder`` that ``results`` keep.

    Short ones are walked anew. Of others the whole way is known where the experiment ``walk`` was run, or else their
    ends alone. Sizes, and the subgraph to draw, need the graph.
    """
    digest = folder_digest(folder)
    ends = _ends(results, folder.name, digest, model)
    recorded = _of_model(results / "walk" / "pieces" / f"{folder.name}.json", "model", digest, ("paths", "distances"))
    if isinstance(ends, str):
        return Followed(None, ends) if recorded is None else _recorded(model, recorded, f"walk-{folder.name}")
    if model.settings_.test_steps * model.num_roots() <= MOST_SWAPS:
        return _walked_anew(model, ends, f"walk-{folder.name}")
    if recorded is not None and _are_the_same(recorded, ends):
        return _recorded(model, recorded, f"walk-{folder.name}", ends)
    return _joined(model, ends)


def _of_model(path: Path, key: str, digest: str, needs: Sequence[str]) -> Record | None:
    """The record in a file, if there is one and it tells of the model as it is now."""
    record = read_record(path) if path.is_file() else {}
    if record.get(key) != digest or record.get("status", "done") != "done":
        return None
    if missing := [name for name in needs if name not in record]:
        raise LenseError(f"{path} is damaged, since it lacks {missing[0]}: delete it to run that piece again.")
    return record


def _ends(results: Path, name: str, digest: str, model: LeNSE) -> _Ends | str:
    """Where the walks that ``results`` keep of a model start and end, or in words why that is not known."""
    kept = _of_model(results / "walks" / "pieces" / f"{name}.json", "model", digest, ("graph", "seed", "roots"))
    source = _source(model)
    if kept is None or source is None:
        return "The folder keeps no walks of this model."
    if not is_at_hand(source):
        return f"Its walks and the pruned subgraph are drawn only where the graph is at hand ({data_missing(source)})."
    case = source.case(kept["seed"])
    if graph_digest(case.test) != kept["graph"]:
        return f"Its walks were on another graph than {source.title} is here, and so are not drawn."
    first, last = _places(model, case, kept["seed"], kept["roots"], _ratios(results, name, digest))
    return _Ends(case, kept["seed"], kept["roots"], first, last)


def _source(model: LeNSE) -> Source | None:
    about = model.report_["trained_on"].get("source")
    named = isinstance(about, Mapping) and "graph" in about
    return make_source(about["graph"], model.problem_.name) if named else None


def _ratios(results: Path, name: str, digest: str) -> list[float] | None:
    """The ratio of each walk's end, where the comparison of pruners measured it."""
    pair, _, seed = name.rpartition("-")
    path = results / "rivals" / pair / "pieces" / f"{LeNSE.name}.{seed}.json"
    record = _of_model(path, "given_model", digest, ("subgraph",))
    return None if record is None else [one["ratio"] for one in record["subgraph"]]


def _places(
    model: LeNSE, case: Case, seed: int, roots: Sequence[Sequence[int]], ratios: Sequence[float] | None
) -> tuple[list[Place], list[Place]]:
    """The starts of walks from ``seed`` on, and their ends in ``roots`` (B, M)."""
    environment = SubgraphWalks(
        model.tensors(case.test),
        model.encoder_,
        model.goal_,
        num_roots=model.num_roots(),
        num_envs=len(roots),
        max_steps=1,
    )
    first, last = environment.reset(seed=seed), environment.reset(seed=seed, options={"roots": roots})
    unknown = [None] * len(roots)
    known = ratios if ratios is not None and len(ratios) == len(roots) else unknown
    return (
        _observed(model, case, *first, 0, unknown),
        _observed(model, case, *last, model.settings_.test_steps, known),
    )


def _observed(
    model: LeNSE,
    case: Case,
    seen: Mapping[str, Any],
    info: Mapping[str, Any],
    step: int,
    ratios: Sequence[float | None],
) -> list[Place]:
    points = rounded(points_of(model, seen["embedding"]))
    parts = [subgraph(case.test, roots) for roots in info["roots"].numpy()]
    return [
        {
            "walk": number,
            "step": step,
            "at": point,
            "ratio": ratio,
            "vertices": part.graph.num_vertices,
            "edges": part.graph.num_edges,
            "distance": distance,
        }
        for number, (point, part, distance, ratio) in enumerate(
            zip(points, parts, info["distance"].tolist(), ratios, strict=True), start=1
        )
    ]


def _are_the_same(recorded: Record, ends: _Ends) -> bool:
    """Whether recorded walks end where the kept ones do; on another machine they may take another way."""
    last = recorded["distances"][-1]
    return len(last) == len(ends.last) and bool(
        np.allclose(last, [place["distance"] for place in ends.last], atol=_SAME)
    )


def _walked_anew(model: LeNSE, ends: _Ends, link: str) -> Followed:
    shown, case, steps = ends.shown, ends.case, model.settings_.test_steps
    follow = Follow(model, measured_steps(steps))
    walked = model.walk(case.test, episodes=1, seed=ends.seed + shown, policy=follow)
    yardstick = Yardstick(case.problem, case.test, model.budget, seed=ends.seed)
    places = measured_places(model, walked, 0, follow.roots(walked.roots)[:, 0], yardstick, shown)
    return Followed(
        {**paths(points_of(model, walked.embeddings), 0), "places": places, "ends": _but(shown, ends.last)},
        f"Shown of {_counted(len(ends.last))} of {steps:,} steps on the test graph is the one that ends at the median "
        f"distance; at {len(places)} places along it the heuristic was run on the subgraph there. Of the others the "
        "ends are shown.",
        curves(walked.distances.numpy(), 0, places, link),
        _drawing(model, ends, walked.roots[0].tolist()),
    )


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
        curves(distances, shown, places, link),
        None if ends is None else _drawing(model, ends, ends.roots[shown]),
    )


def _joined(model: LeNSE, ends: _Ends) -> Followed:
    """Starts and ends, with straight lines for the ways that nobody kept."""
    shown, lines = ends.shown, [[a["at"], b["at"]] for a, b in zip(ends.first, ends.last, strict=True)]
    return Followed(
        {
            "shown": lines[shown],
            "others": _but(shown, lines),
            "places": [ends.first[shown], ends.last[shown]],
            "ends": _but(shown, ends.last),
            "is_straight": True,
        },
        f"Shown are {_counted(len(lines))} of {model.settings_.test_steps:,} steps on the test graph, and strongly the "
        "one that ends at the median distance. The folder keeps where they ended and not the way there, so straight "
        "lines join starts and ends; 'lense reproduce walk' for this graph and problem keeps the way.",
        drawing=_drawing(model, ends, ends.roots[shown]),
    )


def _drawing(model: LeNSE, ends: _Ends, roots: Sequence[int]) -> Block:
    case = ends.case
    part = subgraph(case.test, np.array(roots, np.int64))
    return drawing_block(case.problem, case.test, part, model.budget, [ends.seed, ends.shown])


def _but(shown: int, everything: Sequence[Any]) -> list[Any]:
    return [one for i, one in enumerate(everything) if i != shown]


def _counted(walks: int) -> str:
    return f"{walks:,} walks" if walks > 1 else "1 walk"
