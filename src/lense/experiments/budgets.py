"""The paper's multi-budget table: smaller budgets on the subgraphs that were found for a large one."""

from collections.abc import Mapping
from dataclasses import dataclass

from lense.experiments.experiment import Experiment
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import LEGEND, Row, ours_and_theirs
from lense.paper import BUDGETS, MULTI_BUDGET


@dataclass(frozen=True)
class OneBudget:
    """The heuristic's score and seconds on the whole graph within a budget, and the ratio to it of each walk."""

    budget: int | float
    score: float
    seconds: float
    ratios: list[float]


@dataclass(frozen=True)
class BudgetFigures:
    budgets: list[OneBudget]


class Budgets(Experiment):
    """Ratios within each budget to the heuristic on the whole graph within the same budget."""

    name = "budgets"
    title = "Ratios for several budgets on the subgraphs found for the last of them"
    figures = BudgetFigures
    pairs = tuple((graph, problem) for problem, graph in MULTI_BUDGET)
    notes = (f"In brackets the paper's. {LEGEND}",)
    digits = 2

    def run_cell(self, study: Study, cell: Cell) -> BudgetFigures:
        parts, found = self.model(study, cell).parts(), []
        for budget in _budgets(study):
            yardstick = cell.yardstick(budget)
            ratios = [yardstick.ratio(part, episode) for episode, part in enumerate(parts)]
            found.append(OneBudget(budget, yardstick.best.score, yardstick.best.seconds, ratios))
        return BudgetFigures(found)

    def columns(self, study: Study) -> Mapping[str, str]:
        budgets = {f"b{budget:g}": f"b = {budget:g}" for budget in _budgets(study)}
        return {"problem": "problem", "graph": "graph", **budgets, "note": "note"}

    def values(self, figures: BudgetFigures) -> dict[str, list[float]]:
        return {f"b{one.budget:g}": one.ratios for one in figures.budgets}

    def row_of(self, study: Study, source: Source) -> Row:
        """The columns of the paper's table, then standard errors, the paper's figures, and marks."""
        names = [f"b{budget:g}" for budget in _budgets(study)]
        paper = MULTI_BUDGET.get((source.problem, source.paper_graph or ""), ())
        theirs = dict(zip((f"b{budget}" for budget in BUDGETS), paper, strict=False))
        figures = ours_and_theirs(names, self.means(study, source), theirs, self.digits)
        return {**figures, "seeds": len(self.done(study, source))}


def _budgets(study: Study) -> tuple[float, ...]:
    """The paper's, up to the one that subgraphs are found for."""
    return *(budget for budget in BUDGETS if budget < study.budget), study.budget
