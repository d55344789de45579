"""Every pruner on every graph and problem, as subgraphs and as ground sets, with the fronts of ratio and pruning."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from lense.experiments.compare import OneGraph, multiple, ratio_and_shares
from lense.experiments.comparison import all_pruners, left_out
from lense.experiments.study import Study
from lense.experiments.table1 import PaperComparison
from lense.experiments.tables import Row, Table, titled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PROBLEMS = ("mvc", "bmc", "im")
_TITLES = (
    "As subgraphs: ratio at P_V / P_E",
    "As ground sets: C and in brackets the ratio",
    "Time to prune, in multiples of the heuristic's on the whole graph",
)


class Rivals(PaperComparison):
    """Not in the paper; a figure for each graph and problem, and tables of all pruners side by side."""

    name = "rivals"
    title = "Pruners on one footing"

    def rows(self, study: Study) -> list[Row]:
        return [row for row in super().rows(study) if row["ratio"] is not None or row["paper_ratio"] is not None]

    def more(self, study: Study) -> list[str]:
        """Every pruner on every graph, a table for each problem."""
        tables = side_by_side([self.found(study, source) for source in study.sources])
        pages = ((title, "\n".join(map(titled, some)).rstrip()) for title, some in tables.items())
        missing = (f"- {line}" for line in left_out(self.listed, study.sources))
        return [*missing, *(line for title, page in pages for line in ("", f"## {title}", "", page))]

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        from lense.plots.fronts import draw_fronts

        for source in study.sources:
            if found := self.found(study, source).rows:
                title = f"{source.problem} on {source.graph_name}, budget {study.budget:g}"
                yield f"{self.name}-{source.pair_name}", draw_fronts(found, title)


def side_by_side(compared: Iterable[OneGraph]) -> dict[str, list[Table]]:
    """Several comparisons, a table for each problem, by what the cells say."""
    found: dict[str, dict[str, OneGraph]] = {}
    for one in compared:
        if one.rows and one.wholes:
            found.setdefault(one.source.problem_label, {})[one.source.graph_name] = one
    there = {name for graphs in found.values() for one in graphs.values() for name in one.by_pruner}
    pruners = [*(name for name in all_pruners() if name in there), *sorted(there - {*all_pruners()})]
    problems = sorted(found, key=lambda problem: ([*_PROBLEMS, problem].index(problem), problem))
    made: dict[str, list[Table]] = {title: [] for title in _TITLES} if problems else {}
    for i, tables in enumerate(made.values()):
        for problem in problems:
            graphs = dict(sorted(found[problem].items()))
            lines = [(name, *(_cells(name, one)[i] for one in graphs.values())) for name in pruners]
            tables.append((problem, ("pruner", *graphs), lines))
    return made


def _cells(pruner: str, one: OneGraph) -> tuple[str, ...]:
    if pruner not in one.by_pruner:
        return ("–",) * len(_TITLES)
    row = one.by_pruner[pruner]
    part, ground = row["subgraph"], row["ground-set"]
    return (
        "failed" if part is None else ratio_and_shares(part),
        "failed" if ground is None else f"{ground['combined']:.3f} ({ground['ratio']:.3f})",
        multiple(one.unit, row["prune_seconds"]),
    )
