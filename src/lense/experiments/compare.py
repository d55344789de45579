"""Pruners on one footing: the same graphs, problem, heuristic, seeds and machine for all of them."""

import logging
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed

from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments.cases import Case, Source
from lense.experiments.store import Record, Store, circumstances
from lense.graph import Graph
from lense.graph.datasets import content_digest
from lense.memory import PeakMemory
from lense.paper import HYPERPARAMETERS
from lense.problems import Solution
from lense.progress import progress
from lense.pruners import LeNSE, Pruner, load, pruner_class
from lense.pruners.model_files import graph_digest
from lense.pruners.registry import pruner_entries
from lense.stopwatch import Stopwatch
from lense.subgraphs import Subgraph
from lense.subgraphs.within import MODES
from lense.torch_device import torch_device

log = logging.getLogger(__name__)

_QUICK = 1.0
WHOLE = "whole-graph"
Result = TypeVar("Result")


@dataclass(frozen=True)
class Comparison:
    """What to compare: ``pruners`` by name, on the cases of ``source`` for each of ``seeds``.

    Those that draw lots prune ``episodes`` times. LeNSE is trained with a ``preset`` and ``settings``, or read from the
    folder ``model``, where ``{seed}`` stands for the seed; those that take a size get that of LeNSE's parts, if LeNSE
    is among the pruners and did not fail.
    """

    source: Source
    budget: float
    pruners: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    episodes: int = 10
    preset: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    device: str = "cpu"

    @property
    def lense_preset(self) -> str:
        """The preset given, else the paper's for a row of the paper, else the one that looks at the graph."""
        is_paper_row = (self.source.problem, self.source.paper_graph) in HYPERPARAMETERS
        return self.preset or ("paper" if is_paper_row else "auto")

    def model_for(self, seed: int) -> str | None:
        """The folder of the model for one of the seeds."""
        return None if self.model is None else self.model.replace("{seed}", str(seed))

    def plan(self) -> Record:
        """What every piece depends on, whichever pruners and seeds there are."""
        source = self.source
        return {
            "experiment": "compare",
            "graph": _named(source.graph),
            "train": None if source.train is None else _named(source.train),
            "train_share": None if source.paper_graph else source.train_share,
            "problem": source.problem,
            "options": {name: str(value) for name, value in sorted(source.options.items())},
            "budget": self.budget,
            "episodes": self.episodes,
            "lense": {
                "preset": self.lense_preset,
                "settings": {name: str(value) for name, value in sorted(self.settings.items())},
                "model": None if self.model is None else Path(self.model).name,
            },
        }


def all_pruners() -> tuple[str, ...]:
    """The pruners registered, LeNSE first."""
    return tuple(sorted(pruner_entries(), key=lambda name: (name != LeNSE.name, name)))


def compare(plan: Comparison, folder: str | Path, *, jobs: int = 1) -> list[Record]:
    """Run what is not in ``folder`` yet, ``jobs`` pieces at a time through joblib; all records asked for.

    A record is that of one pruner and seed: times, memory, and figures of each part in both modes; or why it failed.
    Pieces that failed are tried again by the next call.
    """
    _check(plan)
    store = Store(folder, plan.plan())
    others = [name for name in plan.pruners if name != LeNSE.name]
    with progress("comparing pruners", len(plan.seeds) * (1 + len(plan.pruners))) as advance:
        bests = _run(_solve_whole, [(plan, store.folder, seed) for seed in plan.seeds], jobs, advance)
        walked: list[Record] = []
        if LeNSE.name in plan.pruners:
            first = [(plan, store.folder, LeNSE.name, seed, best, None) for seed, best in _seeds(plan, bests)]
            walked = _run(_run_piece, first, jobs, advance)
        sizes = {record["seed"]: record.get("size") for record in walked}
        rest = [
            (plan, store.folder, name, seed, best, sizes.get(seed))
            for seed, best in _seeds(plan, bests)
            for name in others
        ]
        return [*walked, *_run(_run_piece, rest, jobs, advance)]


def _check(plan: Comparison) -> None:
    """Raise for what no pruner can mend."""
    if not plan.pruners or not plan.seeds:
        raise LenseError("A comparison needs at least one pruner and one seed.")
    if plan.episodes < 1:
        raise LenseError(f"A comparison needs at least one episode, not {plan.episodes}.")
    torch_device(plan.device)
    for name in plan.pruners:
        pruner_class(name)
    for folder in {plan.model_for(seed) for seed in plan.seeds}:
        if folder is not None and not isinstance(load(folder, problem=plan.source.problem_for(0)), LeNSE):
            raise LenseError(f"The model in {folder} is no LeNSE: only that can be given, the others are fitted anew.")


def _seeds(plan: Comparison, bests: Sequence[Record]) -> Iterable[tuple[int, Record]]:
    return zip(plan.seeds, bests, strict=True)


def _run(work: Callable[..., Record], pieces: Sequence[tuple[Any, ...]], jobs: int, advance: Any) -> list[Record]:
    """``work`` on each of the pieces, in order."""
    records = []
    for record in Parallel(n_jobs=jobs, return_as="generator")(delayed(work)(*piece) for piece in pieces):
        records.append(record)
        advance(1, note=f"{record.get('pruner', WHOLE)}, seed {record['seed']}")
    return records


def _solve_whole(plan: Comparison, folder: Path, seed: int) -> Record:
    """The heuristic on the whole test graph of a seed, which every ratio of that seed is to."""
    store, piece = Store(folder, plan.plan()), f"{WHOLE}.{seed}"
    known = store.read(piece)
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
    store.write(piece, record)
    return record


def _run_piece(
    plan: Comparison, folder: Path, name: str, seed: int, best: Record, size: Mapping[str, int] | None
) -> Record:
    """One pruner on the case of one seed, unless that is done already."""
    store, piece = Store(folder, plan.plan()), f"{name}.{seed}"
    taken = _fitting(pruner_class(name), size)
    given = {"pruner": name, "seed": seed, "given_size": taken}
    known = store.read(piece)
    if known is not None and known["status"] == "done" and all(known[key] == value for key, value in given.items()):
        return known
    try:
        figures = _figures(plan, store, name, seed, best, taken)
    except Exception as error:  # whatever stops one pruner must not stop the others; its row says what it was
        log.warning("%s fails with seed %d: %s", name, seed, error)
        log.debug("what failed", exc_info=True)
        figures = {"status": "failed", "error": _sentence(error)}
    record = {**given, **figures, "device": plan.device, **circumstances()}
    store.write(piece, record)
    return record


def _figures(plan: Comparison, store: Store, name: str, seed: int, best: Record, size: Mapping[str, int]) -> Record:
    case = plan.source.case(seed)
    pruner, fitting = _fitted(plan, store, case, name, seed, size)
    parts, pruning = _costs(
        lambda: pruner.parts(case.test, episodes=plan.episodes, budget=plan.budget, seed=seed, prepared=True)
    )
    solution = Solution(
        problem=case.problem.name,
        solver=best["solver"],
        budget=plan.budget,
        vertices=np.array(best["vertices"], np.int64),
        score=best["score"],
        stderr=best["stderr"],
        seconds=best["seconds"],
    )
    yardstick = Yardstick(case.problem, case.test, plan.budget, seed=seed, best=solution)
    measured = {mode: [_measured(yardstick, part, i, mode) for i, part in enumerate(parts)] for mode in MODES}
    if all("error" in one for modes in measured.values() for one in modes):
        raise LenseError(measured["subgraph"][0]["error"])
    return {
        "status": "done",
        "fit": fitting,
        "prune": {"seconds": pruning["seconds"] / len(parts), "peak_bytes": pruning["peak_bytes"]},
        "parts": [
            {"vertices": part.graph.num_vertices, "edges": part.graph.num_edges, "roots": part.roots.size}
            for part in parts
        ],
        "size": _size(pruner, parts),
        **measured,
    }


def _measured(yardstick: Yardstick, part: Subgraph, episode: int, mode: str) -> Record:
    try:
        found = yardstick.measure(part, episode, mode)
    except LenseError as error:
        return {"error": str(error)}
    return {**asdict(found), "combined": found.combined}


def _size(pruner: Pruner, parts: Sequence[Subgraph]) -> Record:
    """What another pruner needs to know in order to keep as much: vertices, roots and steps of a walk."""
    size = {
        "vertices": round(float(np.mean([part.graph.num_vertices for part in parts]))),
        "roots": round(float(np.mean([part.roots.size for part in parts]))),
    }
    return {**size, "steps": pruner.settings_.test_steps} if isinstance(pruner, LeNSE) else size


def _fitting(kind: type[Pruner], size: Mapping[str, int] | None) -> dict[str, int]:
    """As much of a size as the constructor of a pruner asks for."""
    return {name: value for name, value in (size or {}).items() if name in signature(kind).parameters}


def _fitted(
    plan: Comparison, store: Store, case: Case, name: str, seed: int, size: Mapping[str, int]
) -> tuple[Pruner, Record]:
    """The pruner, ready to prune, and what fitting it took; read from the folder where it was fitted before."""
    given = plan.model_for(seed)
    if name == LeNSE.name and given is not None:
        return load(given, problem=case.problem, device=plan.device), {
            "seconds": None,
            "peak_bytes": None,
            "given": True,
        }
    pruner = _made(plan, case, name, seed, size)
    if not pruner.learns:
        return pruner, {"seconds": None, "peak_bytes": None}
    folder, piece = store.path("models", f"{name}.{seed}"), f"fit.{name}.{seed}"
    identity = {"given": dict(size), "train": graph_digest(case.train)}
    known = store.read(piece)
    if known is not None and all(known[key] == value for key, value in identity.items()):
        return load(folder, problem=case.problem, device=plan.device), known["costs"]
    options: dict[str, Any] = {}
    if isinstance(pruner, LeNSE):
        source = {"graph": plan.source.title, "part": "train side of a split", "split_seed": seed}
        options = {"source": source, "checkpoint": store.path("training", f"{name}.{seed}")}
    _, costs = _costs(lambda: pruner.fit(case.train, prepared=True, **options), again=False)
    pruner.save(folder)
    store.write(piece, {**identity, "costs": costs, **circumstances()})
    shutil.rmtree(store.path("training", f"{name}.{seed}"), ignore_errors=True)
    return pruner, costs


def _made(plan: Comparison, case: Case, name: str, seed: int, size: Mapping[str, int]) -> Pruner:
    kind: Any = pruner_class(name)
    takes = signature(kind).parameters
    params: dict[str, Any] = {**size, "seed": seed, "device": plan.device}
    if kind is LeNSE:
        params |= {"preset": plan.lense_preset, "paper_graph": plan.source.paper_graph, "settings": plan.settings}
    made: Pruner = kind(case.problem, plan.budget, **{key: value for key, value in params.items() if key in takes})
    return made


def _costs(work: Callable[[], Result], *, again: bool = True) -> tuple[Result, Record]:
    """What ``work`` returns, and its time and memory; quick work is run a second time, since the first loads code."""
    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    seconds = watch.seconds
    if again and seconds < _QUICK:
        with Stopwatch() as watch:
            work()
        seconds = min(seconds, watch.seconds)
    return result, {"seconds": seconds, "peak_bytes": peak.bytes}


def _named(graph: str | Graph) -> str:
    return graph if isinstance(graph, str) else f"sha256 {content_digest(graph)}"


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return (
        text if isinstance(error, LenseError) else f"{type(error).__name__}: {text}" if text else type(error).__name__
    )
