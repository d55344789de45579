"""What an experiment is: cells that are run once each, a table made of those that are done, and how far it is.

To add one, write a subclass of :class:`Experiment`, and name it in ``lense.experiments``: ``run_cell`` finds the
figures of one cell, ``values`` gives them names, and ``shown`` says which columns people see.
"""

import logging
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from lense._util.environment import need_learn
from lense._util.measuring import Mean, Stopwatch
from lense._util.processes import Backend, Piece, run_pieces, start_backend
from lense._util.progress import progress
from lense.errors import LenseError
from lense.experiments.models import SharedModel
from lense.experiments.store import Key, Record, Store, as_line
from lense.experiments.study import Cell, Source, Study, make_source, source_of
from lense.experiments.tables import Column, Row, Table, grouped, short, table, write_figure, write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pictures = Iterator[tuple[str, "Figure"]]
log = logging.getLogger(__name__)

DONE, FAILED, NOT_RUN, OUTDATED, NO_DATA = "done", "failed", "not run", "outdated", "data not at hand"
DIED = "Its process died."
_STDERR = "_stderr"


class Made(NamedTuple):
    """What was made of the results: tables of what was asked for, and the files written."""

    tables: Sequence[Table]
    files: Sequence[Path]


class Experiment(ABC):
    """One table or figure."""

    name: ClassVar[str]
    title: ClassVar[str]
    figures: ClassVar[Any]
    """The type of what a cell finds."""
    pairs: ClassVar[tuple[tuple[str, str], ...]]
    """The graphs and problems of the paper's own table or figure."""
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Options of problems, by the names of those that are not run with the default ones."""
    measured: ClassVar[tuple[str, ...]] = ()
    """The figures of a row: means of :meth:`values` by their names, or if these end so, their standard errors."""
    shown: ClassVar[tuple[Column, ...]] = ()
    """The columns that people see between the names of graph and problem and the note."""
    notes: ClassVar[tuple[str, ...]] = ()
    """What stands below the table."""
    by_variant: ClassVar[bool] = False
    """Whether each variant has a row of its own; the ``line`` of a row of all variants is empty."""
    most_seeds: ClassVar[int | None] = None
    needed: ClassVar[str | None] = None
    """The variant without which nothing else makes sense, so that its failure is raised."""
    is_timed: ClassVar[bool] = False
    """Whether times are what it is about, so that no two cells may run at once."""
    needs_learn: ClassVar[bool] = True
    """Whether its cells need the extra ``learn``."""
    any_episodes: ClassVar[bool] = False
    """Whether cells with other numbers of walks may stand in one table."""

    @abstractmethod
    def run_cell(self, study: Study, cell: Cell) -> Any:
        """Run one cell: its figures. Whatever it raises becomes the cell's record."""

    @property
    def variants(self) -> tuple[str, ...]:
        """What a graph, problem and seed is run with."""
        return ("",)

    def values(self, figures: Any) -> Mapping[str, Sequence[float]]:
        """What a cell found by the names of columns, a value for each walk."""
        return {}

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        """The figures of a graph and problem, unrounded."""
        means = self.means(study, source, line)
        return {
            name: means[name.removesuffix(_STDERR)].stderr if name.endswith(_STDERR) else means[name].value
            for name in self.measured
        }

    def rows(self, study: Study) -> list[Row]:
        """The whole table: rows for each graph and problem, unless it is made otherwise."""
        return [
            self.named(study, source, line, self.row_of(study, source, line))
            for source in study.sources
            for line in (self.variants if self.by_variant else ("",))
        ]

    def columns(self, study: Study) -> Sequence[Column]:
        """The columns that people see."""
        return [("problem", "{problem}"), ("graph", "{graph}"), *self.shown, ("note", "{note:short}")]

    def narrow(self, study: Study) -> Sequence[Column]:
        """Those that a terminal has room for, where it has not for all of them."""
        return ()

    def more(self, study: Study) -> list[str]:
        """What else stands on the table's page, as lines of Markdown."""
        return []

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        """Figures by the names of their files, without suffix."""
        return iter(())

    def in_print(self, rows: Sequence[Row]) -> str:
        """The table as LaTeX, if there is to be one."""
        return ""

    def source(self, graph: str, problem: str, options: Mapping[str, Any] | None = None) -> Source:
        """A graph with a problem as the experiment runs it, unless ``options`` say otherwise."""
        return make_source(graph, problem, {**self.options.get(problem, {}), **(options or {})})

    def changes(self, variant: str) -> Mapping[str, Any]:
        """What differs for a variant in the settings of the shared model."""
        return {}

    def model(self, study: Study, cell: Cell) -> SharedModel:
        """The shared model of a cell."""
        return SharedModel(study, cell.source, cell.seed, self.changes(cell.variant))

    def digest(self, study: Study, cell: Cell) -> str | None:
        """That of the shared model as it is now, if a cell's figures come from it and it is there."""
        return self.model(study, cell).digest

    def stage(self, cell: Cell) -> int:
        """Cells of a stage begin when those of all lower stages are done."""
        return 0

    def seeds(self, study: Study) -> tuple[int, ...]:
        return study.seeds[: self.most_seeds]

    def cells(self, study: Study) -> list[Cell]:
        """What is asked for."""
        pairs = [(source, seed) for source in study.sources for seed in self.seeds(study)]
        return sorted((Cell(*pair, variant) for pair in pairs for variant in self.variants), key=self.stage)

    def store(self, out: Path) -> Store[Any]:
        return Store(out / f"{self.name}.jsonl", self.figures)

    def run(self, study: Study) -> None:
        """Run the cells that are not done yet and whose graphs are at hand, ``study.jobs`` at a time."""
        place: str | Backend | None = self._place(study)
        jobs = 1 if self.is_timed else study.jobs
        with ExitStack() as workers:
            for _, cells in groupby(self.cells(study), self.stage):
                waiting = [cell for cell in cells if cell.source.is_at_hand and self.state(study, cell) != DONE]
                if not waiting:
                    continue
                if self.needs_learn:
                    need_learn(f"The experiment {self.name}")
                if isinstance(place, str):
                    place = workers.enter_context(closing(start_backend(place, study.jobs)))
                pieces = [(self, study, cell) for cell in waiting]
                done = workers.enter_context(closing(run_pieces(_run_cell, pieces, jobs, _keep_death, place)))
                with progress(f"running {self.name}", len(pieces)) as advance:
                    for cell, record in done:
                        self._see(study, record)
                        advance(1, note=cell.name)

    def _place(self, study: Study) -> str | None:
        """The backend that cells run at, if it is another than this machine."""
        if self.is_timed and study.backend is not None:
            log.warning("%s measures times, so its cells run here, one after the other.", self.name)
            return None
        return study.backend

    def _see(self, study: Study, record: Record[Any]) -> None:
        """Keep a record that a worker wrote to a folder of its own, or that has not come through yet."""
        known = self.store(study.out).get(record.key)
        if known is None or as_line(known) != as_line(record):
            self.store(study.out).keep(record)

    def make(self, study: Study) -> Made:
        """Write tables and figures of all that is done to ``study.out``; what was asked for is shown."""
        everything = self.everything(study)
        rows = self.rows(everything)
        files = [
            write_figure(study.out / f"{name}{suffix}", figure)
            for name, figure in self.pictures(everything, rows)
            for suffix in (".pdf", ".png")
        ]
        notes = [*self.notes, *self.more(everything)]
        files += write_table(study.out, self.name, self.table(everything, rows), rows, notes, self.in_print(rows))
        names = {(source.problem_label, source.graph_name) for source in study.sources}
        asked = [row for row in rows if (row.get("problem"), row.get("graph")) in {*names, (None, None)}]
        return Made(self.in_terminal(everything, asked), files)

    def table(self, study: Study, rows: Sequence[Row]) -> Table:
        return table(self.title, self.columns(study), rows)

    def in_terminal(self, study: Study, rows: Sequence[Row]) -> list[Table]:
        """The table for a terminal; where it has columns of its own there, a table for each problem."""
        columns, problems = self.narrow(study), grouped(rows, "problem") if self.narrow(study) else {}
        made = [table(f"{self.title}: {problem}", columns, mine) for problem, mine in problems.items()]
        return made if columns else [self.table(study, rows)]

    def everything(self, study: Study) -> Study:
        """The same study with the rows of the paper and all that the store knows of, whatever was asked for."""
        known = list(self.records(study).values())
        seeds = dict.fromkeys([*study.seeds, *sorted(record.seed for record in known)])  # those asked for come first
        own = (self.source(graph, problem) for graph, problem in self.pairs)
        sources: dict[str, Source] = {}
        for source in (*own, *study.sources, *map(source_of, known)):
            sources.setdefault(source.pair_name, source)  # what the user named counts before what a record says
        return replace(study, sources=tuple(sources.values()), seeds=tuple(seeds))

    def named(self, study: Study, source: Source, line: str, figures: Row) -> Row:
        """Figures of a graph and problem with the names of both, and a note of what is missing."""
        notes = (self.why_empty(study, source, variant) for variant in ((line,) if line else self.variants))
        names = {"problem": source.problem_label, "graph": source.graph_name}
        return {**names, **figures, "note": next(filter(None, notes), "")}

    def records(self, study: Study) -> Mapping[Key, Record[Any]]:
        """All records of the experiment; raises where they are of another budget or number of walks."""
        known = self.store(study.out).records()
        for record in known.values():
            if record.budget != study.budget:
                raise LenseError(
                    f"{study.out} has results with another budget, {record.budget:g}: choose another folder."
                )
            if record.episodes != study.episodes and not self.any_episodes:
                raise LenseError(f"{study.out} has results with {record.episodes} walks each: choose another folder.")
        return known

    def record(self, study: Study, source: Source, seed: int, variant: str = "") -> Any | None:
        """The figures of a cell, or None where it is not done."""
        known = self.records(study).get(Cell(source, seed, variant).key)
        return None if known is None else known.figures

    def done(self, study: Study, source: Source, variant: str = "") -> list[Any]:
        """The figures of those seeds that are done."""
        found = (self.record(study, source, seed, variant) for seed in self.seeds(study))
        return [figures for figures in found if figures is not None]

    def means(self, study: Study, source: Source, variant: str = "") -> defaultdict[str, Mean]:
        """The means over seeds of the means over walks; that of nothing where no seed is done."""
        by_seed: defaultdict[str, list[Sequence[float]]] = defaultdict(list)
        for figures in self.done(study, source, variant):
            for name, values in self.values(figures).items():
                by_seed[name].append(values)
        return defaultdict(Mean, {name: Mean.of(values) for name, values in by_seed.items()})

    def state(self, study: Study, cell: Cell) -> str:
        """How far a cell is, and if it is not done, why."""
        known = self.records(study).get(cell.key)
        if known is None:
            return NOT_RUN if cell.source.is_at_hand else f"{NO_DATA}: {cell.source.how_to_get}"
        if known.error is not None:
            return f"{FAILED}: {known.error}"
        if not cell.source.from_file and known.file != cell.source.file_digest:
            return f"{OUTDATED}: the graph has changed since"
        why = self.outdated(study, cell, known)
        return f"{OUTDATED}: {why}" if why else DONE

    def outdated(self, study: Study, cell: Cell, known: Record[Any]) -> str:
        """Why a record is no longer what the cell would find, if it is not."""
        digest = self.digest(study, cell)
        return "the model has changed since" if digest not in (None, known.model) else ""

    def why_empty(self, study: Study, source: Source, variant: str = "") -> str:
        """Why seeds of a row are missing, by the first that is, and if some are there how many."""
        states = [self.state(study, Cell(source, seed, variant)) for seed in self.seeds(study)]
        missing = [state for state in states if state != DONE]
        if not missing or len(missing) == len(states):
            return missing[0] if missing else ""
        return f"{len(states) - len(missing)} of {len(states)} seeds: {missing[0]}"

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


def _run_cell(experiment: Experiment, study: Study, cell: Cell) -> tuple[Cell, Record[Any]]:
    """Run one cell and keep its record, also if it fails: the others go on, and the next run tries it again."""
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


def _keep_death(piece: Piece) -> tuple[Cell, Record[Any]]:
    """Record that the process of a cell did not live to write its record."""
    experiment, study, cell = piece
    if cell.variant == experiment.needed:
        raise LenseError(f"The process of {cell.name} died twice, for want of memory maybe.")
    record = study.record(cell, error=DIED)
    experiment.store(study.out).keep(record)
    return cell, record


def reproduce(experiment: Experiment, study: Study) -> Made:
    """Run what is missing, then write tables and figures of everything there is."""
    study.check()
    experiment.run(study)
    return experiment.make(study)


def status(
    study: Study, experiments: Iterable[Experiment], graphs: Sequence[str] = (), problems: Sequence[str] = ()
) -> list[Row]:
    """The states of all cells of these experiments. Nothing is run or written."""
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
