"""The paper's multi-budget table: smaller budgets on the subgraphs that were found for a large one."""

from collections.abc import Mapping
from dataclasses import dataclass

from lense.experiments.experiment import Experiment
from lense.experiments.study import Cell, Study
from lense.experiments.tables import LEGEND, Row, named_columns, ours_and_theirs
from lense.paper import BUDGETS, MULTI_BUDGET


@dataclass(frozen=True)
class OneBudget:
    """The heuristic's score and seconds on the whole graph within a budget, and the ratio to it of each walk."""

    budget: float
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
        from lense.evaluation import Yardstick

        case, parts, found = cell.source.case(cell.seed), self.model(study, cell).parts(), []
        for budget in _budgets(study):
            yardstick = Yardstick(case.problem, case.test, budget, seed=cell.seed)
            ratios = [yardstick.ratio(part, episode) for episode, part in enumerate(parts)]
            found.append(OneBudget(budget, yardstick.best.score, yardstick.best.seconds, ratios))
        return BudgetFigures(found)

    def columns(self, study: Study) -> Mapping[str, str]:
        return named_columns({f"b{budget:g}": f"b = {budget:g}" for budget in _budgets(study)})

    def values(self, figures: BudgetFigures) -> dict[str, list[float]]:
        return {f"b{one.budget:g}": one.ratios for one in figures.budgets}

    def rows(self, study: Study) -> list[Row]:
        """The columns of the paper's table, then standard errors, the paper's figures, and marks."""
        names, made = [f"b{budget:g}" for budget in _budgets(study)], []
        for source in study.sources:
            paper = MULTI_BUDGET.get((source.problem, source.paper_graph or ""), ())
            theirs = dict(zip((f"b{budget}" for budget in BUDGETS), paper, strict=False))
            figures = ours_and_theirs(names, self.means(study, source), theirs, self.digits)
            made.append(self.row(study, source, {**figures, "seeds": len(self.done(study, source))}))
        return made


def _budgets(study: Study) -> tuple[float, ...]:
    """The paper's, up to the one that subgraphs are found for."""
    return *(budget for budget in BUDGETS if budget < study.budget), study.budget
