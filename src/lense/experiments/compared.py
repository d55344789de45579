"""Experiments that are comparisons of pruners: which cells are done, and their rows beside the paper's."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from lense.experiments.cases import Source
from lense.experiments.experiment import ANOTHER_MODEL, DONE, FAILED, NO_DATA, NOT_RUN, Experiment, State
from lense.experiments.marks import MARKS, mark, marked, with_error
from lense.experiments.plan import LENSE, WHOLE, Comparison, model_digest, pruner_record, whole_record
from lense.experiments.rows import Table, ceiling, rows
from lense.experiments.store import Record, Store, read_plan
from lense.experiments.study import (
    Cell,
    Study,
    graph_name,
    model_folder,
    model_pattern,
    pair_name,
    problem_label,
    source_of,
)
from lense.experiments.tables import grouped
from lense.paper import BUDGET, RESULTS, published

_LESS = 5
LESS = f"{MARKS['worse']} beside P_V / P_E: over {_LESS} points fewer of one of them are pruned than in the paper."
SHARES = ("vertices_pruned_pct", "edges_pruned_pct")
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

    def comparison(self, study: Study, source: Source, pruners: tuple[str, ...], seeds: tuple[int, ...]) -> Comparison:
        return Comparison(
            source,
            study.budget,
            pruners,
            seeds,
            study.episodes,
            settings=study.settings,
            model=model_pattern(study, source),
            walks=study.out / "walks",
            device=study.device,
        )

    def pieces(self, study: Study, source: Source) -> Store:
        folder = study.out / "rivals" / pair_name(source)
        return Store(folder, self.comparison(study, source, (), ()).plan())

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.experiments.compare import compare
        from lense.experiments.shared_models import shared_model

        pieces, names = self.pieces(study, cell.source), self.pruners()
        walked = pruner_record(pieces, LENSE, cell.seed)
        if walked is None or walked["status"] != "done" or self._is_outdated(study, cell, walked):
            shared_model(study, cell.source, cell.seed)
        else:  # so that no model is trained for others, which ask for its size alone
            names = tuple(name for name in names if name != LENSE)
        compare(self.comparison(study, cell.source, names, (cell.seed,)), pieces.folder, jobs=1)
        return {}

    def sound_state(self, study: Study, cell: Cell) -> State:
        pieces = self.pieces(study, cell.source)
        known = {name: pruner_record(pieces, name, cell.seed) for name in self.pruners()}
        failed = [(name, one["error"]) for name, one in known.items() if one is not None and one["status"] != "done"]
        missing = [name for name, one in known.items() if one is None]
        if failed:
            return State(FAILED, f"{failed[0][0]}: {failed[0][1]}")
        if not missing:
            return State(NOT_RUN, ANOTHER_MODEL) if self._is_outdated(study, cell, known.get(LENSE)) else State(DONE)
        own = super().sound_state(study, cell)
        if len(missing) == len(known) or own.kind == FAILED:
            return State(NOT_RUN) if own.kind == DONE else own
        return State(NOT_RUN, ", ".join(missing))

    def _is_outdated(self, study: Study, cell: Cell, known: Record | None) -> bool:
        """Whether LeNSE's piece came of another model than the one that lies there now."""
        if known is None or "given_model" not in known:
            return False
        return model_digest(model_folder(study, cell.source, cell.seed)) not in (None, known["given_model"])

    def found(self, study: Study) -> list[tuple[Source, int]]:
        """Also what comparisons found that no experiment has run, as when files were copied."""
        known = []
        for path in sorted((study.out / "rivals").glob("*/plan.json")):
            source = source_of(read_plan(path))
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
        pieces = self.pieces(study, source)
        known = [pruner_record(pieces, name, seed) for name in self.pruners() for seed in study.seeds]
        return [one for one in known if one is not None]

    def wholes(self, study: Study, source: Source) -> list[Record]:
        store = self.pieces(study, source)
        known = [whole_record(store, seed) for seed in study.seeds]
        return [one for one in known if one is not None]

    def frame(self, study: Study, source: Source) -> Record:
        """What is the same for all pruners of a graph and problem: what C is at most."""
        wholes = self.wholes(study, source)
        return {"C_ceiling": ceiling(wholes) if wholes else None}

    def _row(self, study: Study, source: Source, pruner: str, row: Record | None) -> Record:
        part: dict[str, Any] = (row and row["subgraph"]) or {}
        ground: dict[str, Any] = (row and row["ground-set"]) or {}
        paper = published_columns(source.problem, source.paper_graph if study.budget == BUDGET else None, pruner)
        ratio, stderr, theirs = part.get("ratio"), part.get("ratio_stderr"), paper["paper_ratio"]
        return {
            "problem": problem_label(source),
            "graph": graph_name(source),
            "method": METHODS.get(pruner, pruner),
            "ratio": ratio,
            "ratio_stderr": stderr,
            **percentages(part),
            "seeds": row["seeds"] if row else 0,
            "mark": None
            if ratio is None or theirs is None
            else mark(ratio, stderr, theirs, paper["paper_ratio_stderr"]),
            **paper,
            "ground_set_ratio": ground.get("ratio"),
            "C": ground.get("combined"),
        }

    def _note(self, study: Study, source: Source, row: Record | None) -> str:
        if row is None:
            return self.why_empty(study, source)
        return f"failed: {row['error']}" if row["error"] else ""


def published_columns(problem: str, graph: str | None, pruner: str) -> Record:
    """The paper's figures, empty where it has none."""
    known = published(problem, graph, pruner)
    return {
        "paper_ratio": known and known.ratio,
        "paper_ratio_stderr": known and known.ratio_stderr,
        **{f"paper_{name}": value for name, value in percentages(known._asdict() if known else {}).items()},
    }


def percentages(figures: Record) -> Record:
    """The shares pruned under the names and in the unit of the paper's table."""
    shares = {name: figures.get(name) for name in ("vertices_pruned", "edges_pruned")}
    return {f"{name}_pct": None if share is None else 100 * share for name, share in shares.items()}


HEADINGS = ("problem", "graph", "method", "ratio", "P_V / P_E", "in the paper", "P_V / P_E", "C")


_TERMINAL_HEADINGS = ("graph", "method", "ratio", "P_V / P_E", "paper", "P_V / P_E")


def cells(row: Record) -> tuple[str, ...]:
    """A row for people: names, ours with marks, the paper's, C and what it is at most."""
    at_most = "–" if row["C"] is None else f"{row['C']:.3f} of {row['C_ceiling']:.3f}"
    return row["problem"], row["graph"], row["method"], *_compared(row), at_most


def _compared(row: Record, *, for_terminal: bool = False) -> tuple[str, str, str, str]:
    """Our ratio and shares, or why there are none, and the paper's; for a terminal in line and without its error."""
    ours = why_none(row)
    if row["ratio"] is not None:
        ours = marked(with_error(row["ratio"], row["ratio_stderr"]), row["mark"], in_front=for_terminal)
    error = None if for_terminal else row["paper_ratio_stderr"]
    theirs = "–" if row["paper_ratio"] is None else with_error(row["paper_ratio"], error)
    pruned = marked(shares(row), "worse" if prunes_less(row) else None, in_front=for_terminal)
    return ours, pruned, theirs, shares(row, "paper_")


def why_none(row: Record) -> str:
    """Why there are no figures, in a word or two."""
    return row["note"].partition(":")[0] or "–"


def terminal_tables(title: str, rows: Sequence[Record]) -> list[Table]:
    """A table for each problem, narrow enough for a terminal; a graph without figures has one line that says why."""
    made: list[Table] = []
    for problem, mine in grouped(rows, "problem").items():
        lines: list[tuple[str, ...]] = []
        for graph, methods in grouped(mine, "graph").items():
            if all(row["ratio"] is None for row in methods):
                lines.append((graph, "", why_none(methods[0]).replace(NO_DATA, "no data"), "", "", ""))
                continue
            names = [graph, *[""] * (len(methods) - 1)]
            lines += [
                (name, row["method"], *_compared(row, for_terminal=True))
                for name, row in zip(names, methods, strict=True)
            ]
        made.append((f"{title}: {problem}", _TERMINAL_HEADINGS, lines))
    return made


def prunes_less(row: Record) -> bool:
    """Whether more than 5 points fewer of the vertices or of the edges are pruned than in the paper."""
    return any(is_less(row, name) for name in SHARES)


def is_less(row: Record, name: str) -> bool:
    """Whether one of the :data:`SHARES` is more than 5 points below the paper's."""
    ours, theirs = row[name], row[f"paper_{name}"]
    return None not in (ours, theirs) and bool(ours < theirs - _LESS)


def shares(row: Record, prefix: str = "") -> str:
    """Shares of vertices and edges pruned, in per cent."""
    vertices, edges = (row[f"{prefix}{name}"] for name in SHARES)
    return "–" if vertices is None else f"{vertices:.0f} / {edges:.0f}"
