"""Every pruner on every graph and problem, as subgraphs and as ground sets, with the fronts of ratio and pruning."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lense.experiments.compare import WHOLE
from lense.experiments.rows import SHARES, multiple
from lense.experiments.study import Study
from lense.experiments.table1 import PaperComparison
from lense.experiments.tables import Row, Table, titled
from lense.paper import QUICKPRUNE_STUDY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PROBLEMS = ("mvc", "bmc", "im")


class Rivals(PaperComparison):
    """Not in the paper; a figure for each graph and problem, and tables of all pruners side by side."""

    name = "rivals"
    title = "Pruners on one footing"

    def rows(self, study: Study) -> list[Row]:
        return [row for row in super().rows(study) if row["ratio"] is not None or row["paper_ratio"] is not None]

    def more(self, study: Study) -> list[str]:
        made = []
        for title, tables in self.overviews(study).items():
            made += ["", f"## {title}", "", "\n".join(map(titled, tables)).rstrip()]
        return made

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        from lense.plots.fronts import draw_fronts

        for source in study.sources:
            if found := self.found(study, source):
                title = f"{source.problem} on {source.graph_name}, budget {study.budget:g}"
                yield f"{self.name}-{source.pair_name}", draw_fronts(found, title)

    def overviews(self, study: Study) -> dict[str, list[Table]]:
        """Every pruner on every graph, a table for each problem; and beside what was published."""
        compared: dict[str, dict[str, dict[str, Row]]] = {}
        for source in sorted(study.sources, key=lambda source: source.graph_name):
            unit = float(np.mean([whole.seconds for whole in self.done(study, source, WHOLE)] or [1.0]))
            if found := {row["pruner"]: {**row, "unit": unit} for row in self.found(study, source)}:
                compared.setdefault(source.problem_label, {})[source.graph_name] = found
        problems = sorted(compared, key=lambda problem: ([*_PROBLEMS, problem].index(problem), problem))
        there = {name for graphs in compared.values() for rows in graphs.values() for name in rows}
        pruners = [name for name in self.pruners if name in there]
        made: dict[str, list[Table]] = {
            title: [
                (
                    problem,
                    ("pruner", *compared[problem]),
                    [(name, *(cell(rows.get(name)) for rows in compared[problem].values())) for name in pruners],
                )
                for problem in problems
            ]
            for title, cell in _CELLS.items()
        }
        if study_of_others := [problem for problem in problems if problem in _PROBLEMS]:
            headings = ("pruner", *(f"{problem}: ours, theirs" for problem in study_of_others))
            lines = [(name, *(_beside(name, one, compared[one]) for one in study_of_others)) for name in pruners]
            made[_STUDY] = [("C of ground sets, means over graphs", headings, lines)]
        return made


_STUDY = "Beside the study of QuickPrune's authors (arXiv 2410.17945)"


def _subgraph(row: Row | None) -> str:
    if row is None or row["subgraph"] is None:
        return "–" if row is None else "failed"
    pruned = " / ".join(f"{100 * row['subgraph'][name]:.0f}" for name in SHARES)
    return f"{row['subgraph']['ratio']:.3f} at {pruned}"


def _ground_set(row: Row | None) -> str:
    if row is None or row["ground-set"] is None:
        return "–" if row is None else "failed"
    return f"{row['ground-set']['combined']:.3f} ({row['ground-set']['ratio']:.3f})"


def _time(row: Row | None) -> str:
    return "–" if row is None else multiple(row["unit"], row["prune_seconds"])


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
