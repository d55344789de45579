"""The base class of experiments: cells that run once each, and a table made from those that are done."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, final

from lense._util.environment import need_learn
from lense._util.measuring import Mean, Stopwatch
from lense._util.processes import Piece, run_pieces, start_workers
from lense._util.progress import progress
from lense.errors import LenseError
from lense.experiments.store import Key, Record, Store
from lense.experiments.study import LARGE_TRAIN_SHARE, Cell, SharedModel, Source, Study, check_names, source_of
from lense.experiments.tables import Column, Row, Table, grouped, short, table, write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pictures = Iterator[tuple[str, "Figure"]]
log = logging.getLogger(__name__)

DONE, FAILED, NOT_RUN, OUTDATED, NO_DATA = "done", "failed", "not run", "outdated", "data not at hand"


class Made(NamedTuple):
    """Tables of what was asked for, and the files written."""

    tables: Sequence[Table]
    files: Sequence[Path]


class Experiment:
    """One table or figure. Override attributes and methods as needed; those marked ``@final`` are helpers to call.

    A method's ``study`` says what is run or shown, and where; a ``cell`` is one piece of it, and ``figures`` are what
    :meth:`run_cell` found there. A row of the table is about a ``source`` (a graph with a problem) and a ``line``: the
    variant, or "" where rows cover all variants.
    """

    name: str
    title: str
    place: ClassVar[int] = 100  # experiments run together in the order of their places
    figures: ClassVar[Any]  # the type that run_cell returns
    pairs: ClassVar[tuple[tuple[str, str], ...]] = ()  # the graphs and problems of the paper's own table or figure
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # of problems that do not run with the default ones
    takes_options: ClassVar[bool] = False  # whether it runs with other options of its problem
    most_seeds: ClassVar[int | None] = None
    needed: str | None = None  # the variant that all others depend on: its failure is raised
    is_timed: ClassVar[bool] = False  # whether it measures times: then cells run one at a time
    needs_learn: bool = True  # whether its cells need the extra "learn"
    any_episodes: ClassVar[bool] = False  # whether one table may mix cells with different numbers of walks

    measured: ClassVar[tuple[str, ...]] = ()
    """Names of a row's figures: means of :meth:`values`, or with "_stderr" their standard errors."""
    shown: ClassVar[tuple[Column, ...]] = ()
    """The table's columns between the names of graph and problem and the note."""
    narrow: ClassVar[tuple[Column, ...]] = ()
    """The columns for a terminal, in one table for each problem, where those of the page are too many."""
    notes: ClassVar[tuple[str, ...]] = ()  # lines below the table
    by_variant: ClassVar[bool] = False
    """Whether each variant has its own row; else ``line`` is empty, and a row covers all variants."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The ways to run each graph, problem and seed."""
        return ("",)

    @property
    def runner(self) -> "Experiment":
        """The experiment whose cells and records the table shows."""
        return self

    # Hooks to run cells

    def run_cell(self, study: Study, cell: Cell) -> Any:
        """Run one cell and return its figures. Whatever it raises becomes the cell's record."""
        raise NotImplementedError

    def takes(self, study: Study, cell: Cell) -> bool:
        """Whether there is such a cell."""
        return True

    def stage(self, cell: Cell) -> int:
        """The stage of a cell: it starts when all cells of lower stages are done."""
        return 0

    def changes(self, variant: str) -> Mapping[str, Any]:
        """Settings of the shared model that a variant changes."""
        return {}

    def model(self, study: Study, cell: Cell) -> SharedModel:
        """The shared model of a cell."""
        return SharedModel(study, cell.source, cell.seed, self.changes(cell.variant))

    def digest(self, study: Study, cell: Cell) -> str | None:
        """The digest of the model that a cell's figures come from, if there is one."""
        return self.model(study, cell).digest

    def outdated(self, study: Study, cell: Cell, known: Record[Any]) -> str:
        """Why a record no longer holds; empty if it does."""
        return ""

    # Hooks to show results

    def values(self, figures: Any) -> Mapping[str, Sequence[float]]:
        """A cell's values for each column, one for each walk."""
        return {}

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        """The figures of a graph and problem, unrounded."""
        means, row = self.means(study, source, line), Row()
        for name in self.measured:
            mean = means[name.removesuffix("_stderr")]
            row[name] = mean.stderr if name.endswith("_stderr") else mean.value
        return row

    def rows(self, study: Study) -> list[Row]:
        """The whole table: by default, rows for each graph and problem."""
        return [
            self.named(study, source, line, self.row_of(study, source, line))
            for source in study.sources
            for line in (self.variants if self.by_variant else ("",))
        ]

    def columns(self, study: Study) -> Sequence[Column]:
        """The columns of the table on the page."""
        return [("problem", "{problem}"), ("graph", "{graph}"), *self.shown, ("note", "{note:short}")]

    def more(self, study: Study) -> list[str]:
        """Further lines of Markdown below the table."""
        return []

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        """Pairs of a file name, without suffix, and a figure."""
        return iter(())

    # Helpers of hooks

    @final
    def record(self, study: Study, source: Source, seed: int, variant: str = "") -> Any | None:
        """The figures of a cell, or None where it is not done."""
        return getattr(self.records(study).get(Cell(source, seed, variant).key), "figures", None)

    @final
    def done(self, study: Study, source: Source, variant: str = "") -> list[Any]:
        """The figures of those seeds that are done."""
        found = (self.record(study, source, seed, variant) for seed in self.seeds(study))
        return [figures for figures in found if figures is not None]

    @final
    def means(self, study: Study, source: Source, variant: str = "") -> defaultdict[str, Mean]:
        """The means over seeds of the means over walks; that of nothing where no seed is done."""
        by_seed: defaultdict[str, list[Sequence[float]]] = defaultdict(list)
        for figures in self.done(study, source, variant):
            for name, values in self.values(figures).items():
                by_seed[name].append(values)
        return defaultdict(Mean, {name: Mean.of(values) for name, values in by_seed.items()})

    @final
    def named(self, study: Study, source: Source, line: str, figures: Row) -> Row:
        """Figures of a graph and problem with the names of both, and a note of what is missing."""
        notes = (self.why_empty(study, source, variant) for variant in ((line,) if line else self.variants))
        note = next(filter(None, notes), "")
        return {"problem": source.problem_label, "graph": source.graph_name, **figures, "note": note}

    @final
    def why_empty(self, study: Study, source: Source, variant: str = "") -> str:
        """Why seeds of a row are missing, by the first that is, and if some are there how many."""
        states = [self.state(study, Cell(source, seed, variant)) for seed in self.seeds(study)]
        missing = [state for state in states if state != DONE]
        if not missing or len(missing) == len(states):
            return missing[0] if missing else ""
        return f"{len(states) - len(missing)} of {len(states)} seeds: {missing[0]}"

    # What commands and pages call

    @final
    def source(self, graph: str, problem: str, options: Mapping[str, Any] | None = None) -> Source:
        """A graph with a problem as the experiment runs it, unless ``options`` say otherwise."""
        options = {**self.options.get(problem, {}), **(options or {})}
        return Source(graph, problem, options, train_share=LARGE_TRAIN_SHARE)

    @final
    def seeds(self, study: Study) -> tuple[int, ...]:
        return study.seeds[: self.most_seeds]

    @final
    def cells(self, study: Study) -> list[Cell]:
        """What is asked for, by stage."""
        cells = (Cell(*one) for one in product(study.sources, self.seeds(study), self.variants))
        return sorted((cell for cell in cells if self.runner.takes(study, cell)), key=self.runner.stage)

    @final
    def store(self, out: Path) -> Store[Any]:
        return Store(out / f"{self.runner.name}.jsonl", self.runner.figures)

    @final
    def records(self, study: Study) -> Mapping[Key, Record[Any]]:
        """All records of the experiment; raises where they are of another budget or number of walks."""
        known = self.store(study.out).records()
        for record in known.values():
            wrong = f"with another budget, {record.budget:g}" if record.budget != study.budget else ""
            if record.episodes != study.episodes and not self.any_episodes:
                wrong = wrong or f"with {record.episodes} walks each"
            if wrong:
                raise LenseError(f"{study.out} has results {wrong}: choose another folder.")
        return known

    @final
    def state(self, study: Study, cell: Cell) -> str:
        """How far a cell is, and if it is not done, why."""
        known, runner = self.records(study).get(cell.key), self.runner
        if known is None:
            return NOT_RUN if cell.source.is_available else f"{NO_DATA}: {cell.source.how_to_get}"
        if known.error is not None:
            return f"{FAILED}: {known.error}"
        why = runner.outdated(study, cell, known)
        if not cell.source.from_file and known.file != cell.source.file_digest:
            why = "the graph has changed since"
        elif not why and runner.digest(study, cell) not in (None, known.model):
            why = "the model has changed since"
        return f"{OUTDATED}: {why}" if why else DONE

    @final
    def states(self, study: Study) -> list[Row]:
        """For each graph and problem of a study, the names of its cells by their state."""
        rows = []
        for source in study.sources:
            by_state: dict[str, list[str]] = {}
            for cell in self.cells(replace(study, sources=(source,))):
                by_state.setdefault(self.state(study, cell), []).append(cell.name)
            names = {"experiment": self.name, "graph": source.graph_name, "problem": source.problem_label}
            rows.append({**names, "cells": by_state})
        return rows

    @final
    def everything(self, study: Study) -> Study:
        """The same study with the rows of the paper and all that the store knows of."""
        known = list(self.records(study).values())
        seeds = dict.fromkeys([*study.seeds, *sorted(record.seed for record in known)])  # those asked for come first
        own = (self.source(graph, problem) for graph, problem in self.pairs)
        sources: dict[str, Source] = {}
        for source in (*own, *study.sources, *map(source_of, known)):
            sources.setdefault(source.pair_name, source)  # what the user named counts before what a record says
        return replace(study, sources=tuple(sources.values()), seeds=tuple(seeds))

    @final
    def run(self, study: Study) -> None:
        """Run the cells that are not done yet and whose graphs are here, ``study.jobs`` at a time."""
        backend, workers = study.backend, None
        if self.is_timed and backend is not None:
            log.warning("%s measures times, so its cells run here, one after the other.", self.name)
            backend = None
        with ExitStack() as opened:
            for _, cells in groupby(self.cells(study), self.runner.stage):
                waiting = [cell for cell in cells if cell.source.is_available and self.state(study, cell) != DONE]
                if not waiting:
                    continue
                if self.needs_learn:
                    need_learn(f"The experiment {self.name}")
                if backend is not None and workers is None:
                    workers = opened.enter_context(start_workers(backend, study.jobs))
                pieces, jobs = [(self.runner, study, cell) for cell in waiting], 1 if self.is_timed else study.jobs
                done = opened.enter_context(closing(run_pieces(_run_cell, pieces, jobs, _record_death, workers)))
                with progress(f"running {self.name}", len(pieces)) as advance:
                    for cell, record in done:
                        store = self.store(study.out)
                        if store.records().get(record.key) != record:  # a worker wrote to its own folder, or died
                            store.keep(record)
                        advance(1, note=cell.name)

    @final
    def make(self, study: Study) -> Made:
        """Write tables and figures of all that is done to ``study.out``; what was asked for is returned."""
        from lense.plots import save_figure

        everything = self.everything(study)
        rows = self.rows(everything)
        files = [
            save_figure(figure, study.out / f"{name}{suffix}")
            for name, figure in self.pictures(everything, rows)
            for suffix in (".pdf", ".png")
        ]
        notes = [*self.notes, *self.more(everything)]
        files += write_table(study.out, self.name, self.table(everything, rows), rows, notes)
        names = {(source.problem_label, source.graph_name) for source in study.sources}
        asked = [row for row in rows if (row.get("problem"), row.get("graph")) in {*names, (None, None)}]
        return Made(self.in_terminal(everything, asked), files)

    @final
    def table(self, study: Study, rows: Sequence[Row]) -> Table:
        return table(self.title, self.columns(study), rows)

    @final
    def in_terminal(self, study: Study, rows: Sequence[Row]) -> list[Table]:
        """The table for a terminal."""
        if not self.narrow:
            return [self.table(study, rows)]
        return [table(f"{self.title}: {name}", self.narrow, mine) for name, mine in grouped(rows, "problem").items()]


def _run_cell(experiment: Experiment, study: Study, cell: Cell) -> tuple[Cell, Record[Any]]:
    """Run one cell and keep its record, also if it fails: the others run on, and the next run tries it again."""
    known: Row = {}
    try:
        with Stopwatch() as watch:
            known["figures"] = experiment.run_cell(study, cell)
        known["seconds"] = watch.seconds
    except Exception as error:
        if cell.variant == experiment.needed:
            raise
        log.warning("%s fails for %s: %s", experiment.name, cell.name, error)
        log.debug("what failed", exc_info=True)
        known["error"] = error
    record = study.record(cell, model=experiment.digest(study, cell), **known)
    experiment.store(study.out).keep(record)
    return cell, record


def _record_death(piece: Piece) -> tuple[Cell, Record[Any]]:
    """The record of a cell whose process died before it wrote one."""
    experiment, study, cell = piece
    if cell.variant == experiment.needed:
        raise LenseError(f"The process of {cell.name} died twice, possibly for lack of memory.")
    return cell, study.record(cell, error="Its process died.")


def status(
    study: Study, experiments: Iterable[Experiment], graphs: Sequence[str] = (), problems: Sequence[str] = ()
) -> list[Row]:
    """The states of all cells of these experiments. Nothing is run or written."""
    check_names(graphs, problems)
    study.check()
    return [
        row
        for experiment in experiments
        for row in experiment.states(experiment.everything(study))
        if (not graphs or row["graph"] in graphs) and (not problems or row["problem"].partition("+")[0] in problems)
    ]


SUMMARY = ("experiment", "cells", DONE, FAILED, NOT_RUN, OUTDATED, "no data")


def summary(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """How many cells there are of each experiment in a status, and how many in which state."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row["experiment"]].update(short(state) for state, cells in row["cells"].items() for _ in cells)
    kinds = (*SUMMARY[2:-1], NO_DATA)
    return [(name, f"{found.total()}", *(f"{found[kind]}" for kind in kinds)) for name, found in counts.items()]


def undone(rows: Sequence[Row], most: int = 6) -> list[str]:
    """A line for each state of cells that are not done, with the names of the first few."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for state, cells in row["cells"].items():
            if state != DONE:
                found.setdefault(f"{row['experiment']}, {state}", []).extend(cells)
    more = {state: f" and {len(cells) - most} more" if len(cells) > most else "" for state, cells in found.items()}
    return [f"{state}: {', '.join(cells[:most])}{more[state]}" for state, cells in found.items()]
