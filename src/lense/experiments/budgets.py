"""The paper's multi-budget table: smaller budgets on the subgraphs that were found for a large one."""

from lense.experiments.cases import Source
from lense.experiments.experiment import Experiment, Made
from lense.experiments.marks import LEGEND, Mean, ours_and_theirs, told
from lense.experiments.rows import Table
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study, graph_name, problem_label
from lense.experiments.tables import asked_for, ours_above_theirs, write_table
from lense.paper import BUDGETS, MULTI_BUDGET

_DIGITS = 2


class Budgets(Experiment):
    """Ratios within each budget to the heuristic on the whole graph within the same budget."""

    name = "budgets"
    pairs = tuple((graph, problem) for problem, graph in MULTI_BUDGET)

    def budgets(self, study: Study) -> tuple[float, ...]:
        """The paper's, up to the one that subgraphs are found for."""
        return *(budget for budget in BUDGETS if budget < study.budget), study.budget

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.evaluation import Yardstick
        from lense.experiments.shared_models import shared_parts

        parts, case = shared_parts(study, cell.source, cell.seed), cell.source.case(cell.seed)
        found = []
        for budget in self.budgets(study):
            yardstick = Yardstick(case.problem, case.test, budget, seed=cell.seed)
            measured = [yardstick.measure(part, episode) for episode, part in enumerate(parts)]
            found.append(
                {
                    "budget": budget,
                    "score": yardstick.best.score,
                    "seconds_on_graph": yardstick.best.seconds,
                    "seconds_on_subgraphs": [one.seconds for one in measured],
                    "ratios": [one.ratio for one in measured],
                }
            )
        return {"budgets": found}

    def make(self, study: Study) -> Made:
        everything, names = self.shown(study), self._columns(study)
        rows = [self._row(everything, source) for source in everything.sources]
        columns = {name: name.replace("b", "b = ") for name in names}
        headings = ("problem", "graph", *columns.values(), "note")
        lines = [
            (row["problem"], row["graph"], *(told(row, name, _DIGITS) for name in names), row["note"].partition(":")[0])
            for row in rows
        ]
        table: Table = (f"Ratios for several budgets on subgraphs found for {study.budget:g}", headings, lines)
        files = write_table(study.out, self.name, table, rows, notes=[f"In brackets the paper's. {LEGEND}"])
        shown = ours_above_theirs(table[0], asked_for(study, rows), columns, _DIGITS, errors=False)
        return Made(shown, files, [LEGEND, "Standard errors are in budgets.md and budgets.csv."])

    def _row(self, study: Study, source: Source) -> Record:
        """The columns of the paper's table, then standard errors, the paper's figures, and marks."""
        records, names = self.done(study, source), self._columns(study)
        paper = MULTI_BUDGET.get((source.problem, source.paper_graph or ""), ())
        theirs = {f"b{budget}": ratio for budget, ratio in zip(BUDGETS, paper, strict=False) if f"b{budget}" in names}
        ours = {
            name: Mean.of([record["budgets"][i]["ratios"] for record in records])
            for i, name in enumerate(names)
            if records
        }
        return {
            "problem": problem_label(source),
            "graph": graph_name(source),
            **ours_and_theirs(names, ours, theirs, _DIGITS),
            "seeds": len(records),
            "note": self.why_empty(study, source),
        }

    def _columns(self, study: Study) -> list[str]:
        return [f"b{budget:g}" for budget in self.budgets(study)]
