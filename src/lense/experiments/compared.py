"""Experiments that are comparisons of pruners: which cells are done, and their rows beside the paper's."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from lense.experiments.cases import Source
from lense.experiments.compare import compare
from lense.experiments.experiment import ANOTHER_MODEL, DONE, FAILED, NOT_RUN, Experiment, State
from lense.experiments.marks import MARKS, mark, with_error
from lense.experiments.pieces import WHOLE, pruner_record, whole_record
from lense.experiments.plan import Comparison, folder_digest
from lense.experiments.rows import ceiling, rows
from lense.experiments.shared_models import model_folder, model_pattern, shared_model
from lense.experiments.store import Record, Store, read_record
from lense.experiments.study import Cell, Study, graph_name, pair_name, problem_label, source_of
from lense.paper import BUDGET, RESULTS
from lense.pruners import LeNSE
from lense.pruners.model_files import is_model

_LESS = 5
METHODS = {"lense": "LeNSE", "gnn-r": "GNN-R", "gnn-t": "GNN-T", "gcomb-p": "GCOMB-P"}
"""The pruners of the paper's table 1 under the names they have there."""


class ComparedPruners(Experiment):
    """Pruners on the test graphs of the paper; all such experiments share the pieces in the folder ``rivals``."""

    pairs = tuple((graph, problem) for problem, graph in RESULTS)

    @abstractmethod
    def pruners(self) -> tuple[str, ...]:
        """The names of those compared."""

    def model(self, study: Study, cell: Cell) -> None:
        """Pieces tell of their models themselves."""

    def listed(self) -> tuple[str, ...]:
        """The names of those that have a row in the table."""
        return self.pruners()

    def comparison(self, study: Study, source: Source, seeds: tuple[int, ...]) -> Comparison:
        return Comparison(
            source,
            study.budget,
            self.pruners(),
            seeds,
            study.episodes,
            settings=study.settings,
            model=model_pattern(study, source),
            walks=study.out / "walks",
            device=study.device,
        )

    def pieces(self, study: Study, source: Source) -> Store:
        folder = study.out / "rivals" / pair_name(source)
        return Store(folder, self.comparison(study, source, ()).plan())

    def figures(self, study: Study, cell: Cell) -> Record:
        shared_model(study, cell.source, cell.seed)
        compare(self.comparison(study, cell.source, (cell.seed,)), self.pieces(study, cell.source).folder, jobs=1)
        return {}

    def state(self, study: Study, cell: Cell) -> State:
        known = {name: self._piece(study, cell, name) for name in self.pruners()}
        failed = [(name, one["error"]) for name, one in known.items() if one is not None and one["status"] != "done"]
        missing = [name for name, one in known.items() if one is None]
        if failed:
            return State(FAILED, f"{failed[0][0]}: {failed[0][1]}")
        if not missing:
            return State(NOT_RUN, ANOTHER_MODEL) if self._is_outdated(study, cell) else State(DONE)
        own = super().state(study, cell)
        if len(missing) == len(known) or own.kind == FAILED:
            return State(NOT_RUN) if own.kind == DONE else own
        return State(NOT_RUN, ", ".join(missing))

    def _is_outdated(self, study: Study, cell: Cell) -> bool:
        """Whether LeNSE's piece came of another model than the one that lies there now."""
        folder, known = model_folder(study, cell.source, cell.seed), self._piece(study, cell, LeNSE.name) or {}
        return "given_model" in known and is_model(folder) and known["given_model"] != folder_digest(folder)

    def found(self, study: Study) -> list[tuple[Source, int]]:
        """Also what comparisons found that no experiment has run, as when files were copied."""
        known = []
        for path in sorted((study.out / "rivals").glob("*/plan.json")):
            source = source_of(read_record(path))
            seeds = (piece.removeprefix(f"{WHOLE}.") for piece in self.pieces(study, source).pieces())
            known += [(source, int(seed)) for seed in seeds if seed.isdigit()]
        return [*super().found(study), *known]

    def rows(self, study: Study) -> Iterator[Record]:
        """A row for each graph, problem and pruner, with the columns of the paper's table first."""
        for source in study.sources:
            paper_graph = source.paper_graph if study.budget == BUDGET else None
            found = {row["pruner"]: row for row in rows(self.records(study, source), source.problem, paper_graph)}
            more = self.frame(study, source)
            for name in self.listed():
                row = found.get(name)
                yield {**self._row(study, source, name, row), **more, "note": self._note(study, source, row)}

    def records(self, study: Study, source: Source) -> list[Record]:
        cells = [Cell(source, seed) for seed in study.seeds]
        known = [self._piece(study, cell, name) for name in self.pruners() for cell in cells]
        return [one for one in known if one is not None]

    def wholes(self, study: Study, source: Source) -> list[Record]:
        store = self.pieces(study, source)
        known = [whole_record(store, seed) for seed in study.seeds]
        return [one for one in known if one is not None]

    def frame(self, study: Study, source: Source) -> Record:
        """What is the same for all pruners of a graph and problem: what C is at most."""
        wholes = self.wholes(study, source)
        return {"C_ceiling": round(ceiling(wholes), 4) if wholes else None}

    def _piece(self, study: Study, cell: Cell, name: str) -> Record | None:
        return pruner_record(self.pieces(study, cell.source), name, cell.seed)

    def _row(self, study: Study, source: Source, pruner: str, row: Record | None) -> Record:
        part: dict[str, Any] = (row and row["subgraph"]) or {}
        ground: dict[str, Any] = (row and row["ground-set"]) or {}
        paper = published_columns(source.problem, source.paper_graph if study.budget == BUDGET else None, pruner)
        ratio, stderr, theirs = part.get("ratio"), part.get("ratio_stderr"), paper["paper_ratio"]
        return {
            "problem": problem_label(source),
            "graph": graph_name(source),
            "method": METHODS.get(pruner, pruner),
            "ratio": rounded(ratio),
            "ratio_stderr": rounded(stderr),
            **percentages(part),
            "seeds": row["seeds"] if row else 0,
            "mark": None
            if ratio is None or theirs is None
            else mark(ratio, stderr, theirs, paper["paper_ratio_stderr"]),
            **paper,
            "ground_set_ratio": rounded(ground.get("ratio")),
            "C": rounded(ground.get("combined")),
        }

    def _note(self, study: Study, source: Source, row: Record | None) -> str:
        if row is None:
            return self.why_empty(study, source)
        return f"failed: {row['error']}" if row["error"] else ""


def published_columns(problem: str, graph: str | None, pruner: str) -> Record:
    """The paper's figures, empty where it has none."""
    from lense.paper import published

    known = published(problem, graph, pruner)
    return {
        "paper_ratio": known and known.ratio,
        "paper_ratio_stderr": known and known.ratio_stderr,
        **{f"paper_{name}": value for name, value in percentages(known._asdict() if known else {}).items()},
    }


def percentages(figures: Record) -> Record:
    """The shares pruned under the names and in the unit of the paper's table."""
    shares = {name: figures.get(name) for name in ("vertices_pruned", "edges_pruned")}
    return {f"{name}_pct": None if share is None else round(100 * share, 2) for name, share in shares.items()}


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def cells(row: Record) -> tuple[str, ...]:
    """A row for people: names, ours, the mark, the paper's, C and what it is at most."""
    at_most = "–" if row["C"] is None else f"{row['C']:.3f} of {row['C_ceiling']:.3f}"
    ours = (
        row["note"].partition(":")[0] or "–" if row["ratio"] is None else with_error(row["ratio"], row["ratio_stderr"])
    )
    theirs = "–" if row["paper_ratio"] is None else with_error(row["paper_ratio"], row["paper_ratio_stderr"])
    shown_mark = MARKS.get(row["mark"], "")
    names = (row["problem"], row["graph"], row["method"])
    return (
        *names,
        ours,
        shares(row) + (f" {MARKS['worse']}" if prunes_less(row) else ""),
        shown_mark,
        theirs,
        shares(row, "paper_"),
        at_most,
    )


def prunes_less(row: Record) -> bool:
    """Whether more than 5 points fewer of the vertices or of the edges are pruned than in the paper."""
    pairs = [(row[name], row[f"paper_{name}"]) for name in ("vertices_pruned_pct", "edges_pruned_pct")]
    return any(None not in pair and pair[0] < pair[1] - _LESS for pair in pairs)


HEADINGS = ("problem", "graph", "method", "ratio", "P_V / P_E", "", "in the paper", "P_V / P_E", "C")


def shares(row: Record, prefix: str = "") -> str:
    """Shares of vertices and edges pruned, in per cent."""
    vertices, edges = row[f"{prefix}vertices_pruned_pct"], row[f"{prefix}edges_pruned_pct"]
    return "–" if vertices is None else f"{vertices:.0f} / {edges:.0f}"
