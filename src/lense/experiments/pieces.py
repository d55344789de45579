"""One piece of a comparison: the heuristic on a whole graph, or one pruner with one seed."""

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lense.circumstances import circumstances
from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments.cases import Case
from lense.experiments.kept_walks import kept_walks
from lense.experiments.plan import WHOLE as WHOLE
from lense.experiments.plan import Comparison, folder_digest, pruner_record, whole_record
from lense.experiments.store import Record, Store, sentence
from lense.graph import Graph
from lense.memory import PeakMemory
from lense.parts import Subgraph
from lense.parts.solving import MODES
from lense.problems import Solution
from lense.pruners import LeNSE, Pruner, load, pruner_class
from lense.pruners.model_files import graph_digest, is_model
from lense.pruners.walks import SwapWalk
from lense.stopwatch import Stopwatch
from lense.torch_device import torch_device

log = logging.getLogger(__name__)

_QUICK = 1.0
Result = TypeVar("Result")


def solve_whole(plan: Comparison, store: Store, seed: int) -> Record:
    """The heuristic on the whole test graph of a seed, which every ratio of that seed is to."""
    known = whole_record(store, seed)
    if known is not None:
        return known
    case = plan.source.case(seed)
    case.problem.check_budget(case.test, plan.budget)
    best = Yardstick(case.problem, case.test, plan.budget, seed=seed).best
    record = {
        "seed": seed,
        "train": {"vertices": case.train.num_vertices, "edges": case.train.num_edges},
        "test": {"vertices": case.test.num_vertices, "edges": case.test.num_edges},
        "solver": best.solver,
        "score": best.score,
        "stderr": best.stderr,
        "seconds": best.seconds,
        "vertices": best.vertices.tolist(),
        **circumstances(),
    }
    store.write(f"{WHOLE}.{seed}", record)
    return record


def whole_solution(plan: Comparison, record: Record) -> Solution:
    """The solution on the whole test graph, as its piece tells it."""
    return Solution(
        problem=plan.source.problem,
        solver=record["solver"],
        budget=plan.budget,
        vertices=np.array(record["vertices"], np.int64),
        score=record["score"],
        stderr=record["stderr"],
        seconds=record["seconds"],
    )


def run_piece(
    plan: Comparison, store: Store, name: str, seed: int, best: Record, size: Mapping[str, int] | None
) -> Record:
    """One pruner on the case of one seed, unless that is done already."""
    taken, folder = size_taken(name, size), plan.model_for(seed) if name == LeNSE.name else None
    given: Record = {"pruner": name, "seed": seed, "given_size": taken}
    if folder is not None:
        given["given_model"] = folder_digest(folder)
    known = pruner_record(store, name, seed)
    if known is not None and known["status"] == "done" and all(known.get(key) == value for key, value in given.items()):
        return known
    try:
        figures = _figures(plan, store, name, seed, best, taken)
    except Exception as error:  # whatever stops one pruner must not stop the others; its row says what it was
        log.warning("%s fails with seed %d: %s", name, seed, sentence(error))
        log.debug("what failed", exc_info=True)
        figures = {"status": "failed", "error": sentence(error)}
    record = {**given, **figures, "device": torch_device(plan.device).type, **circumstances()}
    store.write(f"{name}.{seed}", record)
    return record


def record_death(store: Store, name: str, seed: int) -> Record:
    """The record of a pruner whose process did not live to write one."""
    record = {"pruner": name, "seed": seed, "given_size": {}, "status": "failed", "error": "Its process died."}
    store.write(f"{name}.{seed}", {**record, **circumstances()})
    return record


def size_taken(name: str, size: Mapping[str, int] | None) -> dict[str, int]:
    """As much of a size as the constructor of a pruner asks for."""
    takes = signature(pruner_class(name)).parameters
    return {key: value for key, value in (size or {}).items() if key in takes}


def _figures(plan: Comparison, store: Store, name: str, seed: int, best: Record, size: Mapping[str, int]) -> Record:
    case = plan.source.case(seed)
    pruner, fitting = _fitted(plan, store, case, name, seed, size)
    parts, pruning = pruned_parts(plan, case, pruner, seed)
    yardstick = Yardstick(case.problem, case.test, plan.budget, seed=seed, best=whole_solution(plan, best))
    measured = {mode: [_measured(yardstick, part, i, mode) for i, part in enumerate(parts)] for mode in MODES}
    if all("error" in one for modes in measured.values() for one in modes):
        raise LenseError(measured["subgraph"][0]["error"])
    return {
        "status": "done",
        "fit": fitting,
        "prune": pruning,
        "parts": [
            {"vertices": part.graph.num_vertices, "edges": part.graph.num_edges, "roots": part.roots.size}
            for part in parts
        ],
        "size": _size(pruner, parts, case.test),
        **measured,
    }


def pruned_parts(plan: Comparison, case: Case, pruner: Pruner, seed: int) -> tuple[list[Subgraph], Record]:
    """What the pruner keeps, and what one pruning costs, which for walks side by side is not a share of them all.

    Of walks that are kept, the cost is that of all of them side by side.
    """
    options: dict[str, Any] = {"budget": plan.budget, "seed": seed}
    model = plan.model_for(seed)
    if plan.walks is not None and model is not None and isinstance(pruner, LeNSE | SwapWalk):
        name, depends_on = _walks_of(pruner, Path(model))
        walked = kept_walks(plan.walks, name, pruner, depends_on, case.test, episodes=plan.episodes, **options)
        return walked.parts, {"seconds": walked.seconds, "peak_bytes": None, "side_by_side": plan.episodes}
    part, costs = _costs(lambda: pruner.prune(case.test, prepared=True, **options))
    if not pruner.randomised or plan.episodes == 1:
        return [part], costs
    return pruner.parts(case.test, episodes=plan.episodes, prepared=True, **options), costs


def _walks_of(pruner: LeNSE | SwapWalk, model: Path) -> tuple[str, Record]:
    """The name under which walks are kept, and what they depend on besides the graph."""
    if isinstance(pruner, LeNSE):
        return model.name, {"model": folder_digest(model)}
    return f"{model.name}.{pruner.name}", {"num_roots": pruner.roots, "steps": pruner.steps}


def _measured(yardstick: Yardstick, part: Subgraph, episode: int, mode: str) -> Record:
    try:
        found = yardstick.measure(part, episode, mode)
    except LenseError as error:
        return {"error": str(error)}
    return {**asdict(found), "combined": found.combined}


def _size(pruner: Pruner, parts: Sequence[Subgraph], graph: Graph) -> Record:
    """What another pruner needs to know in order to keep as much: vertices, roots and steps of a walk."""
    size = {
        "vertices": round(float(np.mean([part.graph.num_vertices for part in parts]))),
        "roots": round(float(np.mean([part.roots.size for part in parts]))),
    }
    return {**size, "steps": pruner.num_steps(graph)} if isinstance(pruner, LeNSE) else size


def _fitted(
    plan: Comparison, store: Store, case: Case, name: str, seed: int, size: Mapping[str, int]
) -> tuple[Pruner, Record]:
    """The pruner, ready to prune, and what fitting it took; read from the folder where it was fitted before."""
    given = plan.model_for(seed)
    if name == LeNSE.name and given is not None:
        return load(given, problem=case.problem, device=plan.device), {**_NO_COSTS, "given": True}
    pruner = _made(plan, case, name, seed, size)
    if not pruner.learns:
        return pruner, _NO_COSTS
    folder, piece = store.path("models", f"{name}.{seed}"), f"fit.{name}.{seed}"
    identity = {"given": dict(size), "train": graph_digest(case.train)}
    known = store.read(piece)
    if known is not None and is_model(folder) and all(known[key] == value for key, value in identity.items()):
        return load(folder, problem=case.problem, device=plan.device), known["costs"]
    training, options = store.path("training", f"{name}.{seed}"), {}
    resumed = training.exists()
    if isinstance(pruner, LeNSE):
        source = {"graph": plan.source.title, "part": "train side of a split", "split_seed": seed}
        options = {"source": source, "checkpoint": training}
    _, costs = _costs(lambda: pruner.fit(case.train, prepared=True, **options), again=False)
    if resumed:
        costs = {**_NO_COSTS, "resumed": True}
    pruner.save(folder)
    store.write(piece, {**identity, "costs": costs, **circumstances()})
    if training.exists():
        shutil.rmtree(training)
    return pruner, costs


_NO_COSTS: Record = {"seconds": None, "peak_bytes": None}


def _made(plan: Comparison, case: Case, name: str, seed: int, size: Mapping[str, int]) -> Pruner:
    kind: Any = pruner_class(name)
    takes = signature(kind).parameters
    params: dict[str, Any] = {**size, "seed": seed, "device": plan.device}
    if kind is LeNSE:
        params |= {"preset": plan.lense_preset, "paper_graph": plan.source.paper_graph, "settings": plan.settings}
    made: Pruner = kind(case.problem, plan.budget, **{key: value for key, value in params.items() if key in takes})
    return made


def _costs(work: Callable[[], Result], *, again: bool = True) -> tuple[Result, Record]:
    """What ``work`` returns, and its time and memory.

    The first run also loads code and arranges the graph's arrays; quick work is therefore run twice, and the second
    run's memory counts.
    """
    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    seconds = watch.seconds
    if again and seconds < _QUICK:
        with PeakMemory() as peak, Stopwatch() as watch:
            work()
        seconds = min(seconds, watch.seconds)
    return result, {"seconds": seconds, "peak_bytes": peak.bytes}
