"""Pruners on one footing: the same graphs, problem, heuristic, seeds and machine for all of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lense.errors import LenseError
from lense.experiments.experiment import Experiment
from lense.experiments.models import known_model, shared_model, shared_parts
from lense.experiments.records import Measures, Record, Shares, Size, same_length
from lense.experiments.rows import ceiling, comparison_page, comparison_rows
from lense.experiments.study import Case, Cell, Study, file_digest, named
from lense.experiments.tables import Row, comma_separated, write_figure
from lense.files import write_text
from lense.paper import BUDGET
from lense.parts import MODES, Subgraph
from lense.stopwatch import Stopwatch

if TYPE_CHECKING:
    from lense.evaluation import Yardstick
    from lense.pruners import Pruner

LENSE, WHOLE = "lense", "whole-graph"
"""The pruner whose size others get, and the variant of the heuristic on the whole graph."""
_QUICK = 1.0
_AS_EVER = (None, "auto")
"""Options of reading that leave the choice to the file."""
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

    def __post_init__(self) -> None:
        same_length(self, "vertices", "edges", "roots")


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
    """The names of the pruners registered, LeNSE first."""
    return tuple(sorted(entry_points(group="lense.pruners").names, key=lambda name: (name != LENSE, name)))


class Comparison(Experiment):
    """Pruners with their cells: first the heuristic on the whole graph, then LeNSE, then those that get its size."""

    figures = Whole | Pruned
    keeps_walks = True

    @property
    def pruners(self) -> tuple[str, ...]:
        return all_pruners()

    @property
    def variants(self) -> tuple[str, ...]:
        return WHOLE, *self.pruners

    def stages(self, study: Study) -> list[list[Cell]]:
        cells = [cell for stage in super().stages(study) for cell in stage]
        order = {WHOLE: 0, LENSE: 1}
        return [[cell for cell in cells if order.get(cell.variant, 2) == i] for i in range(3)]

    def model(self, study: Study, cell: Cell) -> Path | None:
        return known_model(study, cell.source, cell.seed) if cell.variant == LENSE else None

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

    def run_cell(self, study: Study, cell: Cell) -> Whole | Pruned:
        case = cell.source.case(cell.seed)
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
        if cell.variant == LENSE and self.keeps_walks:
            parts = shared_parts(study, cell.source, cell.seed)
        else:
            parts = pruner.parts(case.test, episodes=study.episodes, **options) if pruner.randomised else [part]
        subgraph, ground_set = (measures(yardstick, parts, mode) for mode in MODES)
        if not subgraph.known("ratio") and not ground_set.known("ratio"):
            raise LenseError(subgraph.errors[0])
        sizes = Parts(
            [part.graph.num_vertices for part in parts],
            [part.graph.num_edges for part in parts],
            [part.roots.size for part in parts],
        )
        size = {name: round(float(np.mean(getattr(sizes, name)))) for name in ("vertices", "roots")}
        if cell.variant == LENSE:
            walker: Any = pruner
            size["steps"] = walker.num_steps(case.test, study.budget)
        return Pruned(fitting, pruning, sizes, size, subgraph, ground_set, given)

    def _fitted(self, study: Study, case: Case, cell: Cell, size: Mapping[str, int]) -> "tuple[Pruner, Costs]":
        """The pruner, ready to prune, and what fitting it took."""
        from lense.pruners import pruner_class

        if cell.variant == LENSE:
            is_given = known_model(study, cell.source, cell.seed) is not None
            with Stopwatch() as watch:
                model = shared_model(study, cell.source, cell.seed)
            return model, Costs(note="given") if is_given else Costs(watch.seconds)
        kind: Any = pruner_class(cell.variant)
        params: dict[str, Any] = {**size, "seed": cell.seed, "device": study.device}
        known = {name: value for name, value in params.items() if name in signature(kind).parameters}
        pruner: Pruner = kind(case.problem, study.budget, **known)
        if not pruner.learns:
            return pruner, Costs()
        return _costs(lambda: pruner.fit(case.train, prepared=True), again=False)


def _whole(study: Study, case: Case, seed: int) -> Whole:
    from lense.evaluation import Yardstick
    from lense.parts import subgraph

    case.problem.check_budget(case.test, study.budget)
    yardstick = Yardstick(case.problem, case.test, study.budget, seed=seed)
    best = yardstick.best
    ceiling = measures(yardstick, [subgraph(case.test, best.vertices)])
    train, test = (Size(graph.num_vertices, graph.num_edges) for graph in (case.train, case.test))
    found = [ceiling.known(name) for name in ("ratio", "vertices_pruned", "edges_pruned")]
    shares = Shares(*(values[0] for values in found)) if all(found) else None
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
    names = ("ratio", "vertices_pruned", "edges_pruned", "seconds")
    columns: dict[str, list[float | None]] = {name: [] for name in names}
    errors: dict[str, None] = {}
    for episode, part in enumerate(parts):
        try:
            found: object = yardstick.measure(part, episode, mode)
        except LenseError as error:
            found, errors[str(error)] = None, None
        for name in names:
            columns[name].append(None if found is None else rounded(name, getattr(found, name)))
    return Measures(**columns, errors=list(errors))


def rounded(name: str, value: float) -> float:
    """A figure with no more digits than mean something: there are tens of thousands of them."""
    return float(f"{value:.4g}") if name == "seconds" else round(value, 8)


def size_taken(name: str, size: Mapping[str, int]) -> dict[str, int] | None:
    """As much of a size as the constructor of a pruner asks for; None if it asks for nothing of the kind."""
    from lense.pruners import pruner_class

    takes = [key for key in ("vertices", "roots", "steps") if key in signature(pruner_class(name)).parameters]
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


class Compared(Comparison):
    """What ``lense compare`` runs: chosen pruners on one graph of the user's, in a folder of its own."""

    name = "records"
    keeps_walks = False

    def __init__(self, *pruners: str) -> None:
        self._pruners = tuple(dict.fromkeys(pruners))

    @property
    def pruners(self) -> tuple[str, ...]:
        return self._pruners

    def stages(self, study: Study) -> list[list[Cell]]:
        """Also the cells of other pruners compared in that folder before LeNSE was, which have sizes of their own."""
        first, walked, others = super().stages(study)
        asked = {cell.key for cell in others}
        for source in study.sources:
            for seed in study.seeds:
                cells = (Cell(source, seed, name) for name in all_pruners() if name != LENSE)
                others += [cell for cell in cells if cell.key in self.records(study) and cell.key not in asked]
        return [first, walked, others]

    def must_succeed(self, cell: Cell) -> bool:
        return cell.variant == WHOLE

    def rows(self, study: Study) -> list[Row]:
        """A row for each pruner of the study's only source, also of those that an earlier command compared."""
        (source,) = study.sources
        known = [record for record in self.records(study).values() if record.variant != WHOLE]
        order = {name: i for i, name in enumerate(all_pruners())}
        known.sort(key=lambda record: (order.get(record.variant, len(order)), record.variant, record.seed))
        return comparison_rows(known, source.paper_graph if study.budget == BUDGET else None)

    def columns(self, study: Study) -> Mapping[str, str]:
        return {}  # its page has several tables


def compare(study: Study, pruners: Sequence[str]) -> Row:
    """Run what is not in ``study.out`` yet; a summary of all that was compared there, also kept as tables and a plot.

    Cells that failed are run again by the next call. The folder keeps to its plan: another one is refused.
    """
    experiment = Compared(*pruners)
    _check(study, pruners)
    plan, path = plan_of(study), study.out / "plan.json"
    known = json.loads(path.read_text()) if path.is_file() else plan
    if known != plan:
        names = sorted(name for name in {*known, *plan} if known.get(name) != plan.get(name))
        raise LenseError(f"{study.out} holds a comparison with another {', '.join(names)}: choose another folder.")
    is_new = not study.out.exists()
    write_text(path, json.dumps(plan, indent=1) + "\n")
    try:
        experiment.run(study)
    finally:
        if not experiment.records(study):  # a start that fails leaves no trace
            path.unlink()
            if is_new:
                study.out.rmdir()
    return summary(study)


def _check(study: Study, pruners: Sequence[str]) -> None:
    """Raise for what no pruner can mend."""
    from lense.pruners import pruner_class

    if not pruners:
        raise LenseError("A comparison needs at least one pruner.")
    for name in pruners:
        pruner_class(name)
    study.check()
    if study.model is not None and LENSE in pruners:
        for seed in study.seeds:
            shared_model(study, study.sources[0], seed)


def plan_of(study: Study) -> Row:
    """What every record of a comparison depends on, whichever pruners and seeds there are."""
    (source,) = study.sources
    plan = {
        "graph": source.name,
        "train": None if source.train is None else named(source.train),
        "files": [digest for graph in (source.graph, source.train) if (digest := file_digest(graph)) is not None],
        "reading": {name: str(value) for name, value in sorted(source.reading.items()) if value not in _AS_EVER},
        "train_share": None if source.paper_graph else source.train_share,
        "problem": source.problem,
        "options": source.text_options,
        "budget": study.budget,
        "episodes": study.episodes,
        "preset": study.preset,
        "settings": {name: str(value) for name, value in sorted(study.settings.items())},
        "model": None if study.model is None else Path(study.model).name,
    }
    made: Row = json.loads(json.dumps(plan))
    return made


def summary(study: Study) -> Row:
    """Rows, ceiling and circumstances of all that was compared in ``study.out``, which are also written there."""
    from lense.plots.fronts import draw_fronts

    (source,), experiment = study.sources, Compared()
    wholes = [record for record in experiment.records(study).values() if record.variant == WHOLE]
    if not wholes:
        raise LenseError(f"{study.out} holds no results: run the comparison first.")
    rows, title = experiment.rows(study), f"{source.problem} on {source.title}, budget {study.budget:g}"
    page = comparison_page(title, rows, wholes)
    files = [write_text(study.out / "table.csv", comma_separated(rows)), write_text(study.out / "table.md", page)]
    files += [write_figure(study.out / f"front.{kind}", draw_fronts(rows, title)) for kind in ("png", "svg")]
    return {
        "graph": source.title,
        "problem": source.problem,
        "budget": study.budget,
        "episodes": study.episodes,
        "rows": rows,
        "solver": wholes[0].found.solver,
        "wholes": wholes,
        "combined_ceiling": ceiling([whole.found for whole in wholes]),
        "folder": str(study.out),
        "files": sorted(file.name for file in files),
    }
