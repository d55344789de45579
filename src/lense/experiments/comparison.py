"""Pruners on one footing: the same graphs, problem, heuristic, seeds and machine for all of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lense.errors import LenseError
from lense.experiments.experiment import Experiment
from lense.experiments.store import Measures, Record, Shares, Size
from lense.experiments.study import Case, Cell, Source, Study
from lense.parts import MODES, Subgraph
from lense.problems import get_problem
from lense.stopwatch import Stopwatch

if TYPE_CHECKING:
    from lense.evaluation import Yardstick
    from lense.pruners import Pruner

LENSE, WHOLE = "lense", "whole-graph"
"""The pruner whose size others get, and the variant of the heuristic on the whole graph."""
SHARES = ("vertices_pruned", "edges_pruned")
MEASURED = ("ratio", *SHARES, "seconds")
_ROOTS = ("roots_per_budget=1", "roots_per_budget=1.5", "roots_per_budget=3", "target=0.99")
OTHER_SIZES = {"discount-roots": _ROOTS, "top-roots": _ROOTS}
"""Parameters with which pruners whose size is a choice are compared, besides those that they have by default."""
_SIZES = ("vertices", "roots", "steps")
_QUICK = 1.0
Result = TypeVar("Result")


@dataclass(frozen=True)
class Whole:
    """The heuristic on the whole test graph, which every ratio is to; the ceiling is the part of its own solution."""

    train: Size
    test: Size
    solver: str
    score: float
    stderr: float
    seconds: float
    vertices: list[int]
    ceiling: Shares | None = None


@dataclass(frozen=True)
class Costs:
    """Seconds and memory of one fit, or of pruning once; of ``walks`` side by side, of all of them."""

    seconds: float | None = None
    peak_bytes: int | None = None
    walks: int = 1
    note: str = ""


@dataclass(frozen=True)
class Parts:
    """The sizes of what was kept, a value for each part."""

    vertices: list[int]
    edges: list[int]
    roots: list[int]


@dataclass(frozen=True)
class Pruned:
    """One pruner with one seed: what it took, what it kept, and what the heuristic reached with that in both modes.

    ``given_size`` is as much of LeNSE's ``size`` as the pruner takes: None for one that takes none.
    """

    fit: Costs
    prune: Costs
    parts: Parts
    size: dict[str, int]
    subgraph: Measures
    ground_set: Measures
    given_size: dict[str, int] | None = None

    def measures(self, mode: str) -> Measures:
        found: Measures = getattr(self, mode.replace("-", "_"))
        return found


@cache  # which packages are installed does not change meanwhile, and to look takes long for one of many cells
def all_pruners() -> tuple[str, ...]:
    """The names of the pruners registered, LeNSE first; those of :data:`OTHER_SIZES` also with those."""
    names = sorted(entry_points(group="lense.pruners").names, key=lambda name: (name != LENSE, name))
    return tuple(one for name in names for one in (name, *(f"{name}:{size}" for size in OTHER_SIZES.get(name, ()))))


def takes_part(pruner: str, source: Source) -> bool:
    """Whether a pruner is for the problem of ``source``; one that is not installed here is taken to be."""
    return _is_for(pruner, source.problem, tuple(source.text_options.items()))


@cache
def _is_for(pruner: str, problem: str, options: tuple[tuple[str, str], ...]) -> bool:
    from lense.pruners.registry import pruner_class, pruner_entries

    if pruner not in pruner_entries() or problem not in entry_points(group="lense.problems").names:
        return True
    return pruner_class(pruner).supports(get_problem(problem, **dict(options)))


def left_out(pruners: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """A line for each problem that some of the pruners are not for."""
    found: dict[str, dict[str, None]] = {}
    for source in sources:
        for name in pruners:
            if not takes_part(name, source):
                found.setdefault(source.problem, {})[name] = None
    return [f"left out, not being for {problem}: {', '.join(names)}" for problem, names in found.items()]


class Comparison(Experiment):
    """Pruners with their cells: first the heuristic on the whole graph, then LeNSE, then those that get its size."""

    figures = Whole | Pruned

    def cells(self, study: Study) -> list[Cell]:
        """Without those of pruners that are not for the problem."""
        return [cell for cell in super().cells(study) if takes_part(cell.variant, cell.source)]

    def stage(self, cell: Cell) -> int:
        return {WHOLE: 0, LENSE: 1}.get(cell.variant, 2)

    def digest(self, study: Study, cell: Cell) -> str | None:
        return super().digest(study, cell) if cell.variant == LENSE else None

    def outdated(self, study: Study, cell: Cell, known: Record[Whole | Pruned]) -> str:
        figures = known.figures
        if isinstance(figures, Pruned) and figures.given_size is not None and cell.variant != LENSE:
            size = self.lense_size(study, cell)
            if size and figures.given_size != {name: size[name] for name in figures.given_size or size}:
                return "LeNSE's size is another one"
        return super().outdated(study, cell, known)

    def lense_size(self, study: Study, cell: Cell) -> Mapping[str, int]:
        """The size of LeNSE's parts; nothing where LeNSE is not done."""
        known = self.record(study, cell.source, cell.seed, LENSE)
        return {} if known is None else known.size

    def case(self, cell: Cell) -> Case:
        """The problem, what pruners learn from, and what they prune."""
        return cell.source.case(cell.seed)

    def run_cell(self, study: Study, cell: Cell) -> Whole | Pruned:
        case = self.case(cell)
        if cell.variant == WHOLE:
            return _whole(study, case, cell.seed)
        whole = self.record(study, cell.source, cell.seed, WHOLE)
        if whole is None:
            raise LenseError("The heuristic failed on the whole graph.")
        yardstick = yardstick_of(study, case, cell.seed, whole)
        given = size_taken(cell.variant, self.lense_size(study, cell))
        pruner, fitting = self._fitted(study, case, cell, given or {})
        options: dict[str, Any] = {"budget": study.budget, "seed": cell.seed, "prepared": True}
        part, pruning = _costs(lambda: pruner.prune(case.test, **options))
        if cell.variant == LENSE:
            parts = self.model(study, cell).parts()
        else:
            parts = pruner.parts(case.test, episodes=study.episodes, **options) if pruner.randomised else [part]
        subgraph, ground_set = (measures(yardstick, parts, mode) for mode in MODES)
        if not subgraph.known("ratio") and not ground_set.known("ratio"):
            raise LenseError(subgraph.errors[0])
        counts = [(one.graph.num_vertices, one.graph.num_edges, one.roots.size) for one in parts]
        sizes = Parts(*map(list, zip(*counts, strict=True)))
        size = {name: round(float(np.mean(getattr(sizes, name)))) for name in ("vertices", "roots")}
        if cell.variant == LENSE:
            walker: Any = pruner
            size["steps"] = walker.num_steps(case.test, study.budget)
        return Pruned(fitting, pruning, sizes, size, subgraph, ground_set, given)

    def _fitted(self, study: Study, case: Case, cell: Cell, size: Mapping[str, int]) -> "tuple[Pruner, Costs]":
        """The pruner, ready to prune, and what fitting it took."""
        from lense.pruners.registry import get_pruner, parse_pruner, pruner_parameters

        if cell.variant == LENSE:
            shared = self.model(study, cell)
            is_given = shared.folder is not None
            with Stopwatch() as watch:
                model = shared.load()
            return model, Costs(note="given") if is_given else Costs(watch.seconds)
        name, own = parse_pruner(cell.variant)
        params: dict[str, Any] = {**size, "seed": cell.seed, "device": study.device}
        known = {key: value for key, value in params.items() if key in pruner_parameters(name)}
        pruner = get_pruner(name, case.problem, study.budget, **{**known, **own})
        if not pruner.needs_fit:
            return pruner, Costs()
        return _costs(lambda: pruner.fit(case.train, prepared=True), again=False)


def _whole(study: Study, case: Case, seed: int) -> Whole:
    from lense.evaluation import Yardstick
    from lense.parts import subgraph

    case.problem.check_budget(case.test, study.budget)
    yardstick = Yardstick(case.problem, case.test, study.budget, seed=seed)
    best = yardstick.best
    top = measures(yardstick, [subgraph(case.test, best.vertices)])
    train, test = (Size(graph.num_vertices, graph.num_edges) for graph in (case.train, case.test))
    shares = Shares(*(top.known(name)[0] for name in ("ratio", *SHARES))) if top.known("ratio") else None
    return Whole(train, test, best.solver, best.score, best.stderr, best.seconds, best.vertices.tolist(), shares)


def yardstick_of(study: Study, case: Case, seed: int, whole: Whole) -> "Yardstick":
    """What ratios are measured by, with the solution of the whole graph that a record keeps."""
    from lense.evaluation import Yardstick
    from lense.problems import Solution

    best = Solution(
        problem=case.problem.name,
        solver=whole.solver,
        budget=study.budget,
        vertices=np.array(whole.vertices, np.int64),
        score=whole.score,
        stderr=whole.stderr,
        seconds=whole.seconds,
    )
    return Yardstick(case.problem, case.test, study.budget, seed=seed, best=best)


def measures(yardstick: "Yardstick", parts: Sequence[Subgraph], mode: str = "subgraph") -> Measures:
    """What the heuristic reaches with each of the parts."""
    columns: dict[str, list[float | None]] = {name: [] for name in MEASURED}
    errors: dict[str, None] = {}
    for episode, part in enumerate(parts):
        try:
            found: object = yardstick.measure(part, episode, mode)
        except LenseError as error:
            found, errors[str(error)] = None, None
        for name in MEASURED:
            columns[name].append(None if found is None else rounded(name, getattr(found, name)))
    return Measures(**columns, errors=list(errors))


def rounded(name: str, value: float) -> float:
    """A figure with no more digits than mean something: there are tens of thousands of them."""
    return float(f"{value:.4g}") if name == "seconds" else round(value, 8)


def size_taken(name: str, size: Mapping[str, int]) -> dict[str, int] | None:
    """As much of a size as the constructor of a pruner asks for; None if it asks for nothing of the kind."""
    from lense.pruners.registry import parse_pruner, pruner_parameters

    pruner, own = parse_pruner(name)
    takes = [key for key in _SIZES if key in pruner_parameters(pruner) and key not in own]
    return {key: size[key] for key in takes if key in size} if takes and name != LENSE else None


def _costs(work: Callable[[], Result], *, again: bool = True) -> tuple[Result, Costs]:
    """What ``work`` returns, and its time and memory.

    The first run also loads code and arranges the graph's arrays; quick work is therefore run twice, and the second
    run's memory counts.
    """
    from lense.memory import PeakMemory

    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    seconds = watch.seconds
    if again and seconds < _QUICK:
        with PeakMemory() as peak, Stopwatch() as watch:
            work()
        seconds = min(seconds, watch.seconds)
    return result, Costs(seconds, peak.bytes)
