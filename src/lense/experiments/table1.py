"""The paper's table 1: LeNSE and its three rivals, between ceiling and floors."""

from collections.abc import Sequence

import numpy as np

from lense.evaluation import Figures, Yardstick
from lense.experiments.cases import Source
from lense.experiments.compared import HEADINGS, METHODS, ComparedPruners, cells, percentages, rounded, shares
from lense.experiments.experiment import DONE, FAILED, NOT_RUN, Experiment, Made, State
from lense.experiments.marks import LEGEND
from lense.experiments.pieces import whole_record, whole_solution
from lense.experiments.rows import Table, rows
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study
from lense.experiments.tables import write_table
from lense.subgraphs import subgraph

_FLOORS = {"random-walk": "floor_random_", "degree-walk": "floor_degree_"}


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
        if super().state(study, cell).kind != DONE:
            super().figures(study, cell)
        plan, case = self.comparison(study, cell.source, (cell.seed,)), cell.source.case(cell.seed)
        best = whole_solution(plan, whole_record(self.pieces(study, cell.source), cell.seed) or {})
        yardstick = Yardstick(case.problem, case.test, study.budget, seed=cell.seed, best=best)
        found = Figures.of([yardstick.measure(subgraph(case.test, best.vertices))])
        return {"ceiling": found.as_dict()}

    def state(self, study: Study, cell: Cell) -> State:
        pruned = super().state(study, cell)
        own = Experiment.state(self, study, cell)
        if pruned.kind != DONE or own.kind in (DONE, FAILED):
            return own if pruned.kind == DONE else pruned
        return State(NOT_RUN, "ceiling")

    def frame(self, study: Study, source: Source) -> Record:
        ceilings = [record["ceiling"] for record in self.done(study, source)]
        return {
            **super().frame(study, source),
            **_prefixed("ceiling_", _mean(ceilings)),
            **{name: value for found in self._floors(study, source) for name, value in found.items()},
        }

    def _floors(self, study: Study, source: Source) -> list[Record]:
        known = [self._piece(study, Cell(source, seed), name) for name in _FLOORS for seed in study.seeds]
        found = {row["pruner"]: row["subgraph"] for row in rows([one for one in known if one is not None])}
        return [_prefixed(prefix, found.get(name) or {}) for name, prefix in _FLOORS.items()]

    def make(self, study: Study) -> Made:
        everything = self.shown(study)
        found = list(self.rows(everything))
        headings = (*HEADINGS, "ceiling", "random walk", "degree walk")
        table: Table = ("Table 1", headings, [(*cells(row), *_framing(row)) for row in found])
        notes = [LEGEND, "", _EXPLANATION]
        return Made([table], write_table(study.out, self.name, table, found, left=3, notes=notes))


_EXPLANATION = (
    "P_V and P_E are per cent of vertices and edges pruned, C is the ground-set ratio times the share of vertices "
    "that are not to choose from. The ceiling is the subgraph of the whole graph's solution; the floors are walks "
    "with random swaps and with the swap of largest gain in degree. ▼ beside P_V / P_E: more than 5 points fewer of "
    "one of them are pruned than in the paper."
)


def _framing(row: Record) -> tuple[str, ...]:
    """Ceiling and floors for people, beside LeNSE's row alone."""
    if row["method"] != METHODS["lense"]:
        return "", "", ""
    prefixes = ("ceiling_", *_FLOORS.values())
    return tuple(
        "–" if row[f"{prefix}ratio"] is None else f"{row[f'{prefix}ratio']:.3f} at {shares(row, prefix)}"
        for prefix in prefixes
    )


def _mean(figures: Sequence[Record]) -> Record:
    names = ("ratio", "vertices_pruned", "edges_pruned") if figures else ()
    return {name: float(np.mean([one[name] for one in figures])) for name in names}


def _prefixed(prefix: str, figures: Record) -> Record:
    columns = {"ratio": rounded(figures.get("ratio")), **percentages(figures)}
    return {f"{prefix}{name}": value for name, value in columns.items()}
