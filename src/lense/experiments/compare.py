"""Pruners on one footing: the same graphs, problem, heuristic, seeds and machine for all; and ``lense compare``."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from lense._util.classes import name_of
from lense._util.files import read_json, write_text
from lense._util.measuring import Stopwatch
from lense.errors import LenseError
from lense.experiments.comparison import (
    LENSE,
    WHOLE,
    Costs,
    OneGraph,
    Parts,
    Pruned,
    Whole,
    all_pruners,
    measures,
    takes_part,
)
from lense.experiments.experiment import Experiment
from lense.experiments.models import SharedModel
from lense.experiments.store import LOCK, Record, Shares, Size
from lense.experiments.study import TRAIN_SHARE, Case, Cell, Source, Study, file_digest, named
from lense.experiments.tables import SHARES, Row, comma_separated, write_figure
from lense.graph import Graph
from lense.paper import BUDGET
from lense.problems import Problem
from lense.problems.parts import MODES
from lense.pruners.base import Pruner

FILES = ("front.png", "front.svg", "table.csv", "table.md")
_SIZES = ("vertices", "roots", "steps")
_QUICK = 1.0
_AS_EVER = (None, "auto")
"""Options of reading that leave the choice to the file."""
_NOT_PLANNED = ("out", "sources", "seeds", "device", "jobs", "backend", "from_file")
"""What records of one folder need not have in common."""
Result = TypeVar("Result")


class Comparison(Experiment):
    """Pruners with their cells: first the heuristic on the whole graph, then LeNSE, then those that get its size."""

    figures = Whole | Pruned

    @property
    def listed(self) -> tuple[str, ...]:
        """The names of the pruners that have a row in the table."""
        return all_pruners()

    @property
    def variants(self) -> tuple[str, ...]:
        return WHOLE, *self.listed

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

    def found(self, study: Study, source: Source) -> OneGraph:
        """All that was compared on a graph and problem."""
        cells = (Cell(source, seed, name) for name in self.variants for seed in study.seeds)
        known = (self.records(study).get(cell.key) for cell in cells)
        return OneGraph([record for record in known if record is not None and takes_part(record.variant, source)])

    def rows(self, study: Study) -> list[Row]:
        """A row for each graph, problem and pruner."""
        made = []
        for source in study.sources:
            one = self.found(study, source)
            made += [self.row(study, source, name, one) for name in self.listed if takes_part(name, source)]
        return made

    def row(self, study: Study, source: Source, pruner: str, one: OneGraph) -> Row:
        """What the table has of a pruner."""
        return one.by_pruner.get(pruner, {})

    def case(self, cell: Cell) -> Case:
        """The problem, what pruners learn from, and what they prune."""
        return cell.case

    def run_cell(self, study: Study, cell: Cell) -> Whole | Pruned:
        case = self.case(cell)
        if cell.variant == WHOLE:
            return _whole(study, case, cell.seed)
        whole = self.record(study, cell.source, cell.seed, WHOLE)
        if whole is None:
            raise LenseError("The heuristic failed on the whole graph.")
        given = size_taken(cell.variant, self.lense_size(study, cell))
        pruner, fitting = self._fitted(study, case, cell, given or {})
        options: dict[str, Any] = {"budget": study.budget, "seed": cell.seed, "prepared": True}
        part, pruning = _costs(lambda: pruner.prune(case.test, **options))
        parts = [part]
        if cell.variant == LENSE:
            parts = self.model(study, cell).parts()
        elif pruner.randomised:
            parts = pruner.parts(case.test, episodes=study.episodes, **options)
        yardstick = whole.yardstick(case, study.budget, cell.seed)
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

    def _fitted(self, study: Study, case: Case, cell: Cell, size: Mapping[str, int]) -> tuple[Pruner, Costs]:
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
    from lense.graph.subgraph import subgraph

    case.problem.check_budget(case.test, study.budget)
    yardstick = Yardstick(case.problem, case.test, study.budget, seed=seed)
    best = yardstick.best
    top = measures(yardstick, [subgraph(case.test, best.indices)])
    train, test = (Size(graph.num_vertices, graph.num_edges) for graph in (case.train, case.test))
    shares = Shares(*(top.known(name)[0] for name in ("ratio", *SHARES))) if top.known("ratio") else None
    return Whole(train, test, best.solver, best.score, best.stderr, best.seconds, best.indices.tolist(), shares)


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
    from lense._util.measuring import PeakMemory

    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    if again and watch.seconds < _QUICK:
        second = _costs(work, again=False)[1]
        return result, Costs(min(watch.seconds, second.seconds or 0.0), second.peak_bytes)
    return result, Costs(watch.seconds, peak.bytes)


class Compared(Comparison):
    """The cells of a comparison on one graph of the user's, in a folder of its own."""

    name = "records"
    needed = WHOLE
    needs_learn = False

    def __init__(self, *pruners: str | type[Pruner]) -> None:
        self.asked = (WHOLE, *(name_of(one, "lense.pruners", Pruner) for one in pruners))

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.asked, *all_pruners())))

    def cells(self, study: Study) -> list[Cell]:
        """Also those of other pruners compared in that folder before LeNSE was, which have sizes of their own."""
        known = {key for key in self.records(study) if key[-1] != LENSE}
        return [cell for cell in super().cells(study) if cell.variant in self.asked or cell.key in known]


def compare(
    graph: str | Graph,
    problem: str | type[Problem] = "mvc",
    budget: float = BUDGET,
    pruners: Sequence[str | type[Pruner]] | None = None,
    *,
    out: str | PathLike[str],
    train: str | Graph | None = None,
    train_share: float = TRAIN_SHARE,
    seeds: Sequence[int] = (0, 1, 2),
    episodes: int = 10,
    model: str | PathLike[str] | None = None,
    device: str = "auto",
    jobs: int = 1,
    backend: str | None = None,
    **options: Any,
) -> OneGraph:
    """Compare pruners on one graph: the same split, heuristic, budget and seeds for each.

    Parameters
    ----------
    graph
        A file, the name of a data set, or a :class:`lense.Graph`.
    problem, budget, **options
        The problem, what may be chosen, and the problem's options.
    pruners
        Names, such as ``"top-roots:roots_per_budget=3"``, or classes; by default all that can run here.
    out
        The folder for records, tables and figures. The same call continues an interrupted comparison there.
    train, train_share
        A graph to learn from, or the share of the edges of ``graph`` to split off for that.
    seeds, episodes
        What is repeated, and how many prunings by pruners that use random numbers.
    model
        A trained LeNSE, so that none is trained; ``{seed}`` in its name stands for the seed.
    device, jobs, backend
        Where to train, how many cells run at a time, and where ("loky" or "dask").

    Returns
    -------
    OneGraph
        ``rows`` has a dictionary for each pruner, with ``ratio``, ``vertices_pruned``, ``edges_pruned`` and times.
    """
    source = Source(graph, problem, options=options, train=train, train_share=train_share)  # type: ignore[arg-type]
    study = Study(
        Path(out),
        (source,),
        tuple(seeds),
        budget,
        episodes,
        device,
        jobs,
        model=None if model is None else fspath(model),
        backend=backend,
    )
    return run_comparison(study, runnable_pruners() if pruners is None else pruners)


def runnable_pruners() -> tuple[str, ...]:
    """The pruners for which everything is installed."""
    from lense.pruners.registry import can_run

    return tuple(name for name in all_pruners() if can_run(name))


def run_comparison(study: Study, pruners: Sequence[str | type[Pruner]]) -> OneGraph:
    """Run what is not in ``study.out`` yet; all that was compared there, which is also written as ``FILES``.

    A pruner is given by its name, as "./mine.py:TwoSteps", or as a class; one of a notebook is known in this process
    alone, so that there must be one job. Cells that failed are run again by the next call. The folder keeps to its
    plan: another one is refused.
    """
    experiment = Compared(*pruners)
    _check(study, experiment.asked[1:])
    plan, path = plan_of(study), study.out / "plan.json"
    known = read_json(path) if path.is_file() else plan
    if not isinstance(known, dict):
        raise LenseError(f"{path} is not the plan of a comparison: choose another folder.")
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
                (study.out / LOCK).unlink(missing_ok=True)
                with suppress(OSError):  # a training that can go on is kept
                    study.out.rmdir()
    found = OneGraph(list(experiment.records(study).values()))
    _write(study, found)
    return found


def _check(study: Study, pruners: Sequence[str]) -> None:
    """Raise for what no pruner can mend."""
    from lense.pruners.registry import parse_pruner

    if not pruners:
        raise LenseError("A comparison needs at least one pruner.")
    for name in pruners:
        parse_pruner(name)
    study.check()
    (source,) = study.sources
    if not any(takes_part(name, source) for name in pruners):
        raise LenseError(f"None of these pruners is for {source.problem}: {', '.join(pruners)}.")
    if study.model is not None and LENSE in pruners:
        for seed in study.seeds:
            SharedModel(study, source, seed).load()


def plan_of(study: Study) -> Row:
    """What every record of a comparison depends on, whichever pruners and seeds there are."""
    (source,) = study.sources
    given = {name: value for name, value in {**vars(source), **vars(study)}.items() if name not in _NOT_PLANNED}
    plan = given | {
        "graph": named(source.graph),
        "train": None if source.train is None else named(source.train),
        "files": [digest for graph in (source.graph, source.train) if (digest := file_digest(graph)) is not None],
        "reading": {name: value for name, value in source.reading.items() if value not in _AS_EVER},
        "train_share": None if source.paper_graph else source.train_share,
        "options": source.text_options,
        "model": None if study.model is None else Path(study.model).name,
    }
    made: Row = json.loads(json.dumps(plan, default=str))
    return made


def _write(study: Study, found: OneGraph) -> None:
    from lense.plots.fronts import draw_fronts

    title = f"{study.sources[0].problem} on {study.sources[0].title}, budget {study.budget:g}"
    for name in FILES[:2]:
        write_figure(study.out / name, draw_fronts(found.rows, title))
    for name, text in zip(FILES[2:], (comma_separated(found.rows), found.page(title)), strict=True):
        write_text(study.out / name, text)
