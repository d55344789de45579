"""What an experiment is: cells that are run once each, a table made of those that are done, and how far it is."""

import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from lense.errors import LenseError
from lense.experiments.models import fold_shared, known_model, model_digest
from lense.experiments.records import Key, Record
from lense.experiments.running import Piece, run_pieces
from lense.experiments.store import Store
from lense.experiments.study import Cell, Source, Study, file_digest, make_source, merged, source_of
from lense.experiments.tables import Row, Table, beside, number, ours_above_theirs, short, write_figure, write_table
from lense.progress import progress
from lense.stopwatch import Stopwatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

log = logging.getLogger(__name__)

DONE, FAILED, NOT_RUN, OUTDATED, NO_DATA = "done", "failed", "not run", "outdated", "data not at hand"
DIED = "Its process died."


class State(NamedTuple):
    """How far a cell is, and if it is not done, why."""

    kind: str
    why: str = ""

    @property
    def text(self) -> str:
        return f"{self.kind}: {self.why}" if self.why else self.kind


@dataclass(frozen=True)
class Made:
    """What was made of the results: tables of what was asked for with notes on them, and the files written."""

    tables: Sequence[Table] = ()
    files: Sequence[Path] = field(default_factory=list)
    notes: Sequence[str] = ()


class Experiment(ABC):
    """One table or figure. Subclass it in a module of its own, and name it in ``lense.experiments.EXPERIMENTS``."""

    name: ClassVar[str]
    title: ClassVar[str]
    figures: ClassVar[Any]
    """The type of what a cell finds."""
    pairs: ClassVar[tuple[tuple[str, str], ...]]
    """The graphs and problems of the paper's own table or figure."""
    notes: ClassVar[tuple[str, ...]] = ()
    """What stands below the table."""
    digits: ClassVar[int] = 3
    kept_as: ClassVar[str] = ""
    """The name of the file of records, unless it is the experiment's own."""
    most_seeds: ClassVar[int | None] = None
    is_timed: ClassVar[bool] = False
    """Whether times are what it is about, so that no two cells may run at once."""
    any_episodes: ClassVar[bool] = False
    """Whether cells with other numbers of walks may stand in one table."""

    @property
    def variants(self) -> tuple[str, ...]:
        """What a graph, problem and seed is run with."""
        return ("",)

    @abstractmethod
    def run_cell(self, study: Study, cell: Cell) -> Any:
        """Run one cell: its figures. Whatever it raises becomes the cell's record."""

    @abstractmethod
    def columns(self, study: Study) -> Mapping[str, str]:
        """The columns of a row that people see, and their headings."""

    def row(self, study: Study, source: Source) -> Row:
        """All figures of a graph and problem, unrounded; the paper's and marks as ``ours_and_theirs`` has them."""
        raise NotImplementedError(f"{self.name} makes its rows otherwise.")

    def rows(self, study: Study) -> list[Row]:
        return [
            {
                "problem": source.problem_label,
                "graph": source.graph_name,
                **self.row(study, source),
                "note": next(filter(None, (self.why_empty(study, source, one) for one in self.variants)), ""),
            }
            for source in study.sources
        ]

    def table(self, study: Study, rows: Sequence[Row]) -> Table:
        """The rows for people."""
        columns = self.columns(study)
        lines = [
            (row["problem"], row["graph"], *(self.cell(row, one) for one in columns), short(row["note"]))
            for row in rows
        ]
        return self.title, ("problem", "graph", *columns.values(), "note"), lines

    def cell(self, row: Row, name: str) -> str:
        return beside(row, name, self.digits) if f"{name}_paper" in row else number(row[name], self.digits)

    def for_terminal(self, study: Study, rows: Sequence[Row]) -> list[Table]:
        """The rows in tables for a terminal."""
        columns = self.columns(study)
        if rows and all(f"{name}_paper" in rows[0] for name in columns):
            return ours_above_theirs(self.title, rows, columns, self.digits)
        return [self.table(study, rows)]

    def more(self, study: Study) -> list[str]:
        """What else stands on the table's page, as lines of Markdown."""
        return []

    def pictures(self, study: Study, rows: Sequence[Row]) -> Iterator[tuple[str, "Figure"]]:
        """Figures by the names of their files, without suffix."""
        return iter(())

    def in_print(self, rows: Sequence[Row]) -> str:
        """The table as LaTeX, if there is to be one."""
        return ""

    def model(self, study: Study, cell: Cell) -> Path | None:
        """The folder of the shared model that a cell's figures come from, if they do and it is there."""
        return known_model(study, cell.source, cell.seed)

    def must_succeed(self, cell: Cell) -> bool:
        """Whether nothing else makes sense where this cell fails."""
        return False

    def seeds(self, study: Study) -> tuple[int, ...]:
        return study.seeds[: self.most_seeds]

    def stages(self, study: Study) -> list[list[Cell]]:
        """What is asked for; a stage begins when the one before is done."""
        pairs = [(source, seed) for source in study.sources for seed in self.seeds(study)]
        return [[Cell(source, seed, variant) for source, seed in pairs for variant in self.variants]]

    def store(self, out: Path) -> Store[Any]:
        return Store(out / f"{self.kept_as or self.name}.jsonl", self.figures)

    def run(self, study: Study) -> None:
        """Run the cells that are not done yet and whose graphs are at hand, ``study.jobs`` at a time."""
        self._fold(study.out)
        try:
            for stage in self.stages(study):
                waiting = [one for one in stage if one.source.is_at_hand and self.state(study, one).kind != DONE]
                pieces = [(self, study, cell) for cell in waiting]
                with progress(f"running {self.name}", len(pieces)) as advance:
                    for name in run_pieces(run_cell, pieces, 1 if self.is_timed else study.jobs, _keep_death):
                        advance(1, note=name)
        finally:
            self._fold(study.out)

    def _fold(self, out: Path) -> None:
        self.store(out).fold()
        fold_shared(out)

    def make(self, study: Study) -> Made:
        """Write tables and figures of all that is done to ``study.out``; what was asked for is shown."""
        everything = self.shown(study)
        rows = self.rows(everything)
        files = [
            write_figure(study.out / f"{name}{suffix}", figure)
            for name, figure in self.pictures(everything, rows)
            for suffix in (".pdf", ".png")
        ]
        page, notes = self.table(everything, rows), [*self.notes, *self.more(everything)]
        files += write_table(study.out, self.name, page, rows, notes, self.in_print(rows))
        names = {(source.problem_label, source.graph_name) for source in study.sources}
        asked = [row for row in rows if (row.get("problem"), row.get("graph")) in {*names, (None, None)}]
        return Made(self.for_terminal(everything, asked), files, self.notes)

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

    def state(self, study: Study, cell: Cell) -> State:
        known = self.records(study).get(cell.key)
        if known is None:
            return State(NOT_RUN) if cell.source.is_at_hand else State(NO_DATA, cell.source.how_to_get)
        if known.error is not None:
            return State(FAILED, known.error)
        if known.file != file_digest(cell.source.graph):
            return State(OUTDATED, "the graph has changed since")
        why = self.outdated(study, cell, known)
        return State(OUTDATED, why) if why else State(DONE)

    def outdated(self, study: Study, cell: Cell, known: Record[Any]) -> str:
        """Why a record is no longer what the cell would find, if it is not."""
        digest = model_digest(self.model(study, cell))
        return "the model has changed since" if digest is not None and known.model != digest else ""

    def shown(self, study: Study) -> Study:
        """The same study with the rows of the paper and all that the store knows of, whatever was asked for."""
        known = list(self.records(study).values())
        seeds = dict.fromkeys([*study.seeds, *sorted(record.seed for record in known)])  # those asked for come first
        own = (make_source(graph, problem) for graph, problem in self.pairs)
        return replace(study, sources=merged(own, study.sources, map(source_of, known)), seeds=tuple(seeds))

    def why_empty(self, study: Study, source: Source, variant: str = "") -> str:
        """Why seeds of a row are missing, by the first that is, and if some are there how many."""
        states = [self.state(study, Cell(source, seed, variant)) for seed in self.seeds(study)]
        missing = [state.text for state in states if state.kind != DONE]
        if not missing or len(missing) == len(states):
            return missing[0] if missing else ""
        return f"{len(states) - len(missing)} of {len(states)} seeds: {missing[0]}"


def run_cell(experiment: Experiment, study: Study, cell: Cell) -> str:
    """Run one cell and keep its record, also if it fails: the others go on, and the next run tries it again."""
    try:
        with Stopwatch() as watch:
            figures = experiment.run_cell(study, cell)
    except Exception as error:
        if experiment.must_succeed(cell):
            raise
        log.warning("%s fails for %s: %s", experiment.name, cell.name, error)
        log.debug("what failed", exc_info=True)
        return _keep(experiment, study, cell, error=error)
    return _keep(experiment, study, cell, figures=figures, seconds=watch.seconds)


def _keep_death(piece: Piece) -> str:
    """Record that the process of a cell did not live to write its record."""
    experiment, study, cell = piece
    if experiment.must_succeed(cell):
        raise LenseError(f"The process of {cell.name} died twice, for want of memory maybe.")
    return _keep(experiment, study, cell, error=DIED)


def _keep(experiment: Experiment, study: Study, cell: Cell, **found: Any) -> str:
    digest = model_digest(experiment.model(study, cell))
    experiment.store(study.out).keep(study.record(cell, model=digest, **found))
    return cell.name


def reproduce(experiment: Experiment, study: Study) -> Made:
    """Run what is missing, then write tables and figures of everything there is."""
    study.check()
    experiment.run(study)
    return experiment.make(study)


def states(experiment: Experiment, study: Study) -> list[Row]:
    """For each graph and problem of a study, the names of its cells by their state."""
    rows = []
    for source in study.sources:
        by_state: dict[str, list[str]] = {}
        for cell in (cell for stage in experiment.stages(replace(study, sources=(source,))) for cell in stage):
            by_state.setdefault(experiment.state(study, cell).text, []).append(cell.name)
        names = {"experiment": experiment.name, "graph": source.graph_name, "problem": source.problem_label}
        rows.append({**names, "cells": by_state})
    return rows


def status(
    study: Study, experiments: Iterable[Experiment], graphs: Sequence[str] = (), problems: Sequence[str] = ()
) -> list[Row]:
    """The states of all cells of these experiments. Nothing is run or written."""
    study.check_request()
    return [
        row
        for experiment in experiments
        for row in states(experiment, experiment.shown(study))
        if (not graphs or row["graph"] in graphs) and (not problems or row["problem"].partition("+")[0] in problems)
    ]


SUMMARY = ("experiment", "cells", DONE, FAILED, NOT_RUN, OUTDATED, "no data")


def summary(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """How many cells there are of each experiment in a status, and how many in which state."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for state, cells in row["cells"].items():
            counts.setdefault(row["experiment"], Counter())[short(state)] += len(cells)
    kinds = (*SUMMARY[2:-1], NO_DATA)
    return [(name, f"{found.total()}", *(f"{found[kind]}" for kind in kinds)) for name, found in counts.items()]


def undone(rows: Sequence[Row], most: int = 6) -> list[str]:
    """A line for each state of cells that are not done, with the names of the first few."""
    by_state: dict[str, list[str]] = {}
    for row in rows:
        for state, cells in row["cells"].items():
            if state != DONE:
                by_state.setdefault(f"{row['experiment']}, {state}", []).extend(cells)
    more = {state: f" and {len(cells) - most} more" if len(cells) > most else "" for state, cells in by_state.items()}
    return [f"{state}: {', '.join(cells[:most])}{more[state]}" for state, cells in by_state.items()]
