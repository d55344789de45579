"""Every pruner on every graph and problem, as subgraphs and as ground sets, with the fronts of ratio and pruning."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lense.experiments.compare import multiple
from lense.experiments.comparison import WHOLE, Whole, all_pruners, percentages, shares
from lense.experiments.study import Study
from lense.experiments.table1 import PaperComparison
from lense.experiments.tables import Row, Table, titled
from lense.paper import QUICKPRUNE_STUDY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PROBLEMS = ("mvc", "bmc", "im")
_STUDY = "Beside the study of QuickPrune's authors (arXiv 2410.17945)"


class Rivals(PaperComparison):
    """Not in the paper; a figure for each graph and problem, and tables of all pruners side by side."""

    name = "rivals"
    title = "Pruners on one footing"

    def rows(self, study: Study) -> list[Row]:
        return [row for row in super().rows(study) if row["ratio"] is not None or row["paper_ratio"] is not None]

    def more(self, study: Study) -> list[str]:
        """Every pruner on every graph, a table for each problem; and beside what was published."""
        compared: Compared = {}
        for source in study.sources:
            rows, wholes = self.found(study, source), self.done(study, source, WHOLE)
            if rows and wholes:
                compared.setdefault(source.problem_label, {})[source.graph_name] = by_pruner(rows, wholes)
        pages = ((title, "\n".join(map(titled, tables)).rstrip()) for title, tables in side_by_side(compared).items())
        return [line for title, page in pages for line in ("", f"## {title}", "", page)]

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        from lense.plots.fronts import draw_fronts

        for source in study.sources:
            if found := self.found(study, source):
                title = f"{source.problem} on {source.graph_name}, budget {study.budget:g}"
                yield f"{self.name}-{source.pair_name}", draw_fronts(found, title)


Compared = dict[str, dict[str, dict[str, Row]]]
"""Rows by problem, graph and pruner."""


def by_pruner(rows: Sequence[Row], wholes: Sequence[Whole]) -> dict[str, Row]:
    """Rows by pruner, each with the ``unit`` of times: the heuristic's on the whole graph."""
    unit = float(np.mean([whole.seconds for whole in wholes]))
    return {row["pruner"]: {**row, "unit": unit} for row in rows}


def side_by_side(compared: Compared) -> dict[str, list[Table]]:
    """Several comparisons, a table for each problem, by what the cells say; and beside what was published."""
    there = {name for graphs in compared.values() for rows in graphs.values() for name in rows}
    pruners = [*(name for name in all_pruners() if name in there), *sorted(there - {*all_pruners()})]
    problems = sorted(compared, key=lambda problem: ([*_PROBLEMS, problem].index(problem), problem))
    made: dict[str, list[Table]] = {}
    for title, cell in _CELLS.items():
        for problem in problems:
            graphs = dict(sorted(compared[problem].items()))
            lines = [
                (name, *(cell(rows[name]) if name in rows else "–" for rows in graphs.values())) for name in pruners
            ]
            made.setdefault(title, []).append((problem, ("pruner", *graphs), lines))
    known = [problem for problem in problems if problem in _PROBLEMS]
    headings = ("pruner", *(f"{problem}: ours, theirs" for problem in known))
    lines = [(name, *(_beside(name, problem, compared[problem]) for problem in known)) for name in pruners]
    return {**made, _STUDY: [("C of ground sets, means over graphs", headings, lines)]} if known else made


def _subgraph(row: Row) -> str:
    figures = row["subgraph"]
    return "failed" if figures is None else f"{figures['ratio']:.3f} at {shares(percentages(figures))}"


def _ground_set(row: Row) -> str:
    figures = row["ground-set"]
    return "failed" if figures is None else f"{figures['combined']:.3f} ({figures['ratio']:.3f})"


def _time(row: Row) -> str:
    return multiple(row["unit"], row["prune_seconds"])


_CELLS = {
    "As subgraphs: ratio at P_V / P_E": _subgraph,
    "As ground sets: C and in brackets the ratio": _ground_set,
    "Time to prune, in multiples of the heuristic's on the whole graph": _time,
}


def _beside(pruner: str, problem: str, graphs: dict[str, dict[str, Row]]) -> str:
    """C of a pruner, the mean over our graphs, and the mean over theirs."""
    known = [rows[pruner]["ground-set"] for rows in graphs.values() if pruner in rows]
    theirs = dict(zip(_PROBLEMS, QUICKPRUNE_STUDY.get(pruner, ()), strict=False)).get(problem)
    ours = "failed" if None in known else f"{np.mean([one['combined'] for one in known]):.3f}" if known else "–"
    return f"{ours}, {'–' if theirs is None else f'{theirs:.3f}'}"
