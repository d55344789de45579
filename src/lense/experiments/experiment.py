"""What an experiment is: cells that are run once each, and tables and figures made of those that are done."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

from lense.circumstances import circumstances
from lense.experiments.cases import Source
from lense.experiments.plan import model_digest
from lense.experiments.rows import Table
from lense.experiments.store import DamagedError, Record, Store, sentence
from lense.experiments.study import (
    Cell,
    Study,
    check_writable,
    graph_name,
    is_at_hand,
    make_source,
    merged,
    model_folder,
    model_store,
    source_of,
)
from lense.experiments.workers import Piece, run_pieces
from lense.progress import progress
from lense.stopwatch import Stopwatch

log = logging.getLogger(__name__)

DONE, FAILED, NOT_RUN, NO_DATA, DAMAGED = "done", "failed", "not run", "data not at hand", "damaged"
ANOTHER_MODEL, ANOTHER_GRAPH = "the model is another one", "the graph is another one"


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
    """One table or figure of the paper. The results of each cell are one file, so that machines can share the work."""

    name: ClassVar[str]
    pairs: ClassVar[tuple[tuple[str, str], ...]]
    """The graphs and problems of the paper's own table or figure."""
    variants: ClassVar[tuple[str, ...]] = ("",)
    is_timed: ClassVar[bool] = False
    """Whether times are what it is about, so that no two cells may run at once."""

    @abstractmethod
    def figures(self, study: Study, cell: Cell) -> Record:
        """Run one cell; whatever it raises becomes the cell's record."""

    @abstractmethod
    def make(self, study: Study) -> Made:
        """Write tables and figures of all that is done to ``study.out``."""

    def plan(self, study: Study) -> Record:
        """What all cells depend on."""
        return {"experiment": self.name, **study.common_plan()}

    def own_sources(self) -> tuple[Source, ...]:
        return tuple(make_source(graph, problem) for graph, problem in self.pairs)

    def cells(self, study: Study) -> list[Cell]:
        """What is asked for."""
        return [
            Cell(source, seed, variant)
            for source in study.sources
            for seed in self.seeds(study)
            for variant in self.variants
        ]

    def seeds(self, study: Study) -> tuple[int, ...]:
        return study.seeds

    def run(self, study: Study) -> None:
        """Run the cells that are not done yet and whose graphs are at hand, ``study.jobs`` at a time."""
        waiting = [
            cell for cell in self.cells(study) if is_at_hand(cell.source) and self.sound_state(study, cell).kind != DONE
        ]
        if not waiting:
            return
        model_store(study)
        check_writable(study.out)
        jobs = 1 if self.is_timed else study.jobs
        with progress(f"reproducing {self.name}", len(waiting)) as advance:
            for name in run_pieces(_run_cell, [(self, study, cell) for cell in waiting], jobs, _keep_death):
                advance(1, note=name)

    def store(self, study: Study) -> Store:
        return Store(study.out / self.name, self.plan(study))

    def record(self, study: Study, cell: Cell) -> Record | None:
        """What the cell found, or None where it is not done."""
        known = self.store(study).read(cell.name)
        return known if known is not None and known["status"] == "done" else None

    def model(self, study: Study, cell: Cell) -> Path | None:
        """The folder of the model that the cell's figures come of, if they come of one alone."""
        return model_folder(study, cell.source, cell.seed)

    def state(self, study: Study, cell: Cell) -> State:
        """How far a cell is; its damaged pieces, if any, are told."""
        try:
            return self.sound_state(study, cell)
        except DamagedError as error:
            return State(DAMAGED, error.told)

    def sound_state(self, study: Study, cell: Cell) -> State:
        """How far a cell is; raises :class:`DamagedError` where a piece of it cannot be read."""
        known = self.store(study).read(cell.name)
        if known is not None and known["config"].get("file") != cell.config()["file"]:
            return State(NOT_RUN, ANOTHER_GRAPH)
        if known is not None and known["status"] == "done" and self._is_of_another_model(study, cell, known):
            return State(NOT_RUN, ANOTHER_MODEL)
        if known is not None:
            return State(DONE) if known["status"] == "done" else State(FAILED, str(known.get("error")))
        return State(NOT_RUN) if is_at_hand(cell.source) else State(NO_DATA, data_missing(cell.source))

    def _is_of_another_model(self, study: Study, cell: Cell, record: Record) -> bool:
        """Whether there is a model now, and it is not the one that the record tells of."""
        folder = self.model(study, cell)
        digest = None if folder is None else model_digest(folder)
        return digest is not None and record.get("model") != digest

    def found(self, study: Study) -> list[tuple[Source, int]]:
        """The sources and seeds that the store knows of."""
        configs = [record["config"] for record in self.store(study).sound_records()]
        return [(source_of(config), config["seed"]) for config in configs]

    def shown(self, study: Study) -> Study:
        """The same study with the rows of the paper and all that the store knows of, whatever was asked for."""
        found = self.found(study)
        seeds = dict.fromkeys([*study.seeds, *sorted(seed for _, seed in found)])  # those asked for come first
        sources = merged(self.own_sources(), study.sources, (source for source, _ in found))
        return replace(study, sources=sources, seeds=tuple(seeds))

    def done(self, study: Study, source: Source, variant: str = "") -> list[Record]:
        """The records of those seeds that are done."""
        records = (self.record(study, Cell(source, seed, variant)) for seed in self.seeds(study))
        return [record for record in records if record is not None]

    def why_empty(self, study: Study, source: Source, variant: str = "") -> str:
        """Why seeds of a row lack, by the first that does, and if some are there how many; nothing if none lacks."""
        states = [self.state(study, Cell(source, seed, variant)) for seed in self.seeds(study)]
        lacking = [state.text for state in states if state.kind != DONE]
        if not lacking or len(lacking) == len(states):
            return lacking[0] if lacking else ""
        return f"{len(states) - len(lacking)} of {len(states)} seeds: {lacking[0]}"


def data_missing(source: Source) -> str:
    return f"lense data get {source.paper_graph}" if source.paper_graph else f"{graph_name(source)} is not here"


def _run_cell(experiment: Experiment, study: Study, cell: Cell) -> str:
    """Run one cell and write its record, also if it fails: the others go on, and the next run tries it again."""
    watch = Stopwatch()
    try:
        with watch:
            figures = {"status": "done", **experiment.figures(study, cell)}
    except Exception as error:
        log.warning("%s fails for %s: %s", experiment.name, cell.name, error)
        log.debug("what failed", exc_info=True)
        figures = {"status": "failed", "error": sentence(error)}
    return _keep(experiment, study, cell, {**figures, "cell_seconds": watch.seconds})


def _keep_death(piece: Piece) -> str:
    """Record that the process of a cell did not live to write its record."""
    experiment, study, cell = piece
    return _keep(experiment, study, cell, {"status": "failed", "error": "Its process died."})


def _keep(experiment: Experiment, study: Study, cell: Cell, figures: Record) -> str:
    from lense.torch_device import torch_device

    device, folder = torch_device(study.device).type, experiment.model(study, cell)
    digest = None if folder is None else model_digest(folder)
    given = {} if digest is None else {"model": digest}
    record = {**figures, **given, "config": cell.config(), "device": device, **circumstances()}
    experiment.store(study).write(cell.name, record)
    return cell.name
