"""The paper's table 1: LeNSE and its three rivals, between ceiling and floors."""

from collections.abc import Sequence

import numpy as np

from lense.experiments.cases import Source
from lense.experiments.compared import (
    HEADINGS,
    LESS,
    METHODS,
    SHARES,
    ComparedPruners,
    cells,
    is_less,
    percentages,
    shares,
    terminal_tables,
    why_none,
)
from lense.experiments.experiment import DONE, FAILED, NOT_RUN, Experiment, Made, State
from lense.experiments.marks import LEGEND, MARKS
from lense.experiments.plan import pruner_record, whole_record
from lense.experiments.rows import Table, rows
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study
from lense.experiments.tables import asked_for, escaped, grouped, grouped_latex, latex_row, write_table

_FLOORS = {"random-walk": "floor_random_", "degree-walk": "floor_degree_"}
_TITLES = {"mvc": "Max Vertex Cover", "bmc": "Budgeted Max-Cut", "im": "Influence Maximisation"}
_SUBHEADINGS = ("Ratio", "$P_V$", "$P_E$")


class Table1(ComparedPruners):
    """Ratio, P_V and P_E of LeNSE, GNN-R, GNN-T and GCOMB-P.

    The ceiling is the subgraph that the whole graph's solution itself induces. Floors are walks like LeNSE's by random
    swaps, and by the swap that gains most in degree.
    """

    name = "table1"

    def pruners(self) -> tuple[str, ...]:
        return (*METHODS, *_FLOORS)

    def listed(self) -> tuple[str, ...]:
        return tuple(METHODS)

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.evaluation import Figures, Yardstick
        from lense.experiments.pieces import whole_solution
        from lense.parts import subgraph

        if super().sound_state(study, cell).kind != DONE:
            super().figures(study, cell)
        plan, case = self.comparison(study, cell.source, (), (cell.seed,)), cell.source.case(cell.seed)
        best = whole_solution(plan, whole_record(self.pieces(study, cell.source), cell.seed) or {})
        yardstick = Yardstick(case.problem, case.test, study.budget, seed=cell.seed, best=best)
        found = Figures.of([yardstick.measure(subgraph(case.test, best.vertices))])
        return {"ceiling": found.as_dict()}

    def sound_state(self, study: Study, cell: Cell) -> State:
        pruned = super().sound_state(study, cell)
        if pruned.kind != DONE:
            return pruned
        own = Experiment.sound_state(self, study, cell)
        return own if own.kind in (DONE, FAILED) else State(NOT_RUN, "ceiling")

    def frame(self, study: Study, source: Source) -> Record:
        ceilings = [record["ceiling"] for record in self.done(study, source)]
        return {
            **super().frame(study, source),
            **_prefixed("ceiling_", _mean(ceilings)),
            **{name: value for found in self._floors(study, source) for name, value in found.items()},
        }

    def _floors(self, study: Study, source: Source) -> list[Record]:
        pieces = self.pieces(study, source)
        known = [pruner_record(pieces, name, seed) for name in _FLOORS for seed in study.seeds]
        found = {row["pruner"]: row["subgraph"] for row in rows([one for one in known if one is not None])}
        return [_prefixed(prefix, found.get(name) or {}) for name, prefix in _FLOORS.items()]

    def make(self, study: Study) -> Made:
        found = list(self.rows(self.shown(study)))
        headings = (*HEADINGS, *_FRAME)
        table: Table = ("Table 1", headings, [(*cells(row), *_framing(row)) for row in found])
        notes = [f"{LEGEND} {LESS}", "", _EXPLANATION]
        files = write_table(study.out, self.name, table, found, notes=notes, tex=_in_print(found))
        more = "Ceiling, floors, C and the paper's standard errors are in table1.md and table1.csv."
        return Made(terminal_tables("Table 1", asked_for(study, found)), files, [LEGEND, LESS, more])


_EXPLANATION = (
    "P_V and P_E are per cent of vertices and edges pruned, C is the ground-set ratio times the share of vertices "
    "that are not to choose from. The ceiling is the subgraph of the whole graph's solution; the floors are walks "
    "with random swaps and with the swap of largest gain in degree."
)
_FRAME = {"ceiling": "ceiling_", "random walk": "floor_random_", "degree walk": "floor_degree_"}
"""What frames LeNSE's row, and how the columns of it begin."""


def _framing(row: Record) -> tuple[str, ...]:
    """Ceiling and floors for people, beside LeNSE's row alone."""
    if row["method"] != METHODS["lense"]:
        return "", "", ""
    return tuple(
        "–" if row[f"{prefix}ratio"] is None else f"{row[f'{prefix}ratio']:.3f} at {shares(row, prefix)}"
        for prefix in _FRAME.values()
    )


def _in_print(found: Sequence[Record]) -> str:
    """A tabular for each problem as in the paper, ours above the paper's, then one of ceilings and floors for each."""
    problems = grouped(found, "problem")
    legend = escaped(f"{LEGEND} {LESS}").replace(r"P\_V / P\_E", "$P_V$ or $P_E$")
    parts = [
        *(_compared_in_print(problem, mine) for problem, mine in problems.items()),
        rf"{legend}\par",
        *(_framed_in_print(problem, mine) for problem, mine in problems.items()),
    ]
    small = r"{\noindent\footnotesize\setlength{\tabcolsep}{5pt}%"
    head = "% needs the package booktabs; each tabular can stand in a table of its own\n"
    return head + "\n\n\\medskip\n".join(f"{small}\n{part}}}" for part in parts if part) + "\n"


def _compared_in_print(problem: str, found: Sequence[Record]) -> str:
    body: list[str] = []
    for graph, methods in grouped(found, "graph").items():
        ours = [cell for row in methods for cell in _triple(row, with_marks=True)]
        if all(row["ratio"] is None for row in methods):
            ours = [rf"\multicolumn{{{len(ours)}}}{{c}}{{{escaped(why_none(methods[0]))}}}"]
        theirs = [cell for row in methods for cell in _triple(row, "paper_")]
        gap = [r"\addlinespace[2pt]"] if body else []
        body += [*gap, latex_row([escaped(graph), "ours", *ours]), latex_row(["", "paper", *theirs])]
    groups = dict.fromkeys(METHODS.values(), _SUBHEADINGS)
    return grouped_latex(_title(problem), ("Graph", ""), groups, body)


def _framed_in_print(problem: str, found: Sequence[Record]) -> str:
    """Empty where no ceiling is known."""
    known = [row for row in found if row["method"] == METHODS["lense"] and row["ceiling_ratio"] is not None]
    body = [
        latex_row(
            [escaped(row["graph"]), *(cell for prefix in ("", *_FRAME.values()) for cell in _triple(row, prefix))]
        )
        for row in known
    ]
    groups = dict.fromkeys((METHODS["lense"], *(name.capitalize() for name in _FRAME)), _SUBHEADINGS)
    return grouped_latex(f"{_title(problem)}: ceiling and floors", ("Graph",), groups, body) if known else ""


def _title(problem: str) -> str:
    return escaped(_TITLES.get(problem, problem))


def _triple(row: Record, prefix: str = "", *, with_marks: bool = False) -> list[str]:
    """Ratio and both shares as the paper prints them, with the standard error of LeNSE's ratio in brackets."""
    ratio, stderr = row[f"{prefix}ratio"], row.get(f"{prefix}ratio_stderr")
    if ratio is None:
        return ["--"] * 3
    error = f" ({stderr:.3f})" if stderr is not None and row["method"] == METHODS["lense"] else ""
    told = [f"{ratio:.3f}{error}", *(f"{row[f'{prefix}{name}']:.0f}%" for name in SHARES)]
    kinds = (row["mark"], *("worse" if is_less(row, name) else None for name in SHARES))
    marks = [_hung(kind) if with_marks and kind else "" for kind in kinds]
    return [f"{escaped(text)}{mark}" for text, mark in zip(told, marks, strict=True)]


def _hung(kind: str) -> str:
    """A mark that takes no room, so that figures stay in line."""
    return rf"\rlap{{$^{{{escaped(MARKS[kind]).strip('$')}}}$}}"


def _mean(figures: Sequence[Record]) -> Record:
    names = ("ratio", "vertices_pruned", "edges_pruned") if figures else ()
    return {name: float(np.mean([one[name] for one in figures])) for name in names}


def _prefixed(prefix: str, figures: Record) -> Record:
    columns = {"ratio": figures.get("ratio"), **percentages(figures)}
    return {f"{prefix}{name}": value for name, value in columns.items()}
