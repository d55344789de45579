"""Several comparisons side by side: every pruner on every graph and problem, beside what was published."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lense.errors import LenseError
from lense.experiments.plan import all_pruners
from lense.experiments.rows import Table, markdown_lines
from lense.experiments.store import read_plan

Cells = Mapping[str, str]

QUICKPRUNE_STUDY: dict[str, tuple[float, float, float]] = {
    "quickprune": (0.980, 0.954, 0.918),
    "sparsification": (0.953, 0.973, 0.966),
    "lense": (0.566, 0.581, 0.600),
    "gcomb-p": (0.077, 0.667, 0.814),
    "combhelper": (0.608, 0.544, 0.501),
    "gcn": (0.927, 0.911, 0.787),
}
"""C of cover, cut and im in the study of QuickPrune's authors (arXiv 2410.17945): means over eight graphs at k = 100.

The last two are products of their mean ratio and mean share pruned. Their cover counts vertices, their im has p = 0.01.
"""
_PROBLEMS = ("mvc", "bmc", "im")


class Overview:
    """The tables of the comparisons in the subfolders of ``folder``, by problem and graph."""

    def __init__(self, folder: str | Path) -> None:
        self.rows: dict[tuple[str, str], dict[str, Cells]] = {}
        for path in sorted(Path(folder).glob("*/table.csv")):
            plan = read_plan(path.with_name("plan.json"))
            with path.open(newline="") as file:
                self.rows[plan["problem"], plan["graph"]] = {row["pruner"]: row for row in csv.DictReader(file)}
        if not self.rows:
            raise LenseError(f"There are no comparisons in the subfolders of {folder}: run 'lense compare' first.")
        found = {name for rows in self.rows.values() for name in rows}
        self.pruners = [name for name in all_pruners() if name in found] + sorted(found - set(all_pruners()))
        order = {name: i for i, name in enumerate(_PROBLEMS)}
        self.columns = sorted(self.rows, key=lambda key: (order.get(key[0], len(order)), key))

    def subgraphs(self) -> list[Table]:
        """Ratio, and the shares of vertices and edges pruned, of each pruner: for each problem a table by graphs."""
        return self._tables(lambda row: f"{_number(row, 'subgraph_ratio')} at {_shares(row)}", "subgraph_ratio")

    def ground_sets(self) -> list[Table]:
        """C = ratio x share of vertices pruned, and the ratio, of each pruner: for each problem a table by graphs."""
        return self._tables(
            lambda row: f"{_number(row, 'ground_set_combined')} ({_number(row, 'ground_set_ratio')})",
            "ground_set_ratio",
        )

    def beside_the_study(self) -> list[Table]:
        """C of each pruner, the mean over our graphs, beside the mean of the QuickPrune study."""
        problems = [name for name in _PROBLEMS if any(problem == name for problem, _ in self.columns)]
        lines = []
        for pruner in self.pruners:
            theirs = dict(zip(_PROBLEMS, QUICKPRUNE_STUDY.get(pruner, ()), strict=False))
            cells = []
            for name in problems:
                found = [self.rows[key].get(pruner) for key in self.columns if key[0] == name]
                known = [row["ground_set_combined"] for row in found if row is not None]
                ours = "failed" if not all(known) else f"{sum(map(float, known)) / len(known):.3f}" if known else "–"
                cells.append(f"{ours}, {theirs[name]:.3f}" if name in theirs else f"{ours}, –")
            lines.append((pruner, *cells))
        return [("", ("pruner", *(f"{name}: ours, theirs" for name in problems)), lines)]

    def _tables(self, cell: Callable[[Cells], str], needed: str) -> list[Table]:
        return [
            self._of_problem(problem, cell, needed) for problem in dict.fromkeys(problem for problem, _ in self.columns)
        ]

    def _of_problem(self, problem: str, cell: Callable[[Cells], str], needed: str) -> Table:
        columns, lines = [key for key in self.columns if key[0] == problem], []
        for pruner in self.pruners:
            rows = [self.rows[key].get(pruner) for key in columns]
            cells = ["–" if row is None else cell(row) if row[needed] else "failed" for row in rows]
            lines.append((pruner, *cells))
        return problem, ("pruner", *(graph for _, graph in columns)), lines


def as_markdown(tables: Sequence[Table]) -> str:
    """Tables below each other, each below its title if it has one."""
    return "\n".join(
        f"{title}:\n\n{body}" if title else body
        for title, body in ((title, markdown_lines(headings, lines)) for title, headings, lines in tables)
    )


def _number(row: Cells, name: str) -> str:
    return f"{float(row[name]):.3f}"


def _shares(row: Cells) -> str:
    return " / ".join(f"{100 * float(row[f'subgraph_{what}_pruned']):.0f}" for what in ("vertices", "edges"))
