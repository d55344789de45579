"""Every pruner on every graph and problem, as subgraphs and as ground sets, with the fronts of ratio and pruning."""

from pathlib import Path

from lense.experiments.cases import Source
from lense.experiments.compared import HEADINGS, LESS, ComparedPruners, cells, terminal_tables
from lense.experiments.experiment import Made
from lense.experiments.marks import LEGEND
from lense.experiments.overview import Overview, as_markdown
from lense.experiments.plan import all_pruners
from lense.experiments.rows import Table, tables
from lense.experiments.study import Study, pair_name
from lense.experiments.tables import asked_for, latex, write_figure, write_table, write_text


class Rivals(ComparedPruners):
    """Not in the paper; each graph and problem has a folder of its own with tables and pictures."""

    name = "rivals"

    def pruners(self) -> tuple[str, ...]:
        return all_pruners()

    def make(self, study: Study) -> Made:
        everything = self.shown(study)
        files = [file for source in everything.sources for file in self._make_pair(everything, source)]
        found = [row for row in self.rows(everything) if row["ratio"] is not None or row["paper_ratio"] is not None]
        table: Table = ("Pruners on one footing", HEADINGS, [cells(row) for row in found])
        legend = f"{LEGEND} {LESS}"
        notes = [legend, *(self._overview(study) if files else [])]
        written = write_table(study.out, self.name, table, found, notes=notes)
        return Made(terminal_tables(table[0], asked_for(study, found)), [*files, *written], [legend])

    def _make_pair(self, study: Study, source: Source) -> list[Path]:
        """The tables and the picture of one comparison, of those seeds that have begun."""
        from lense.experiments.fronts import draw_fronts
        from lense.experiments.report import summary

        wholes, records = self.wholes(study, source), self.records(study, source)
        if not wholes or not records:
            return []
        folder = study.out / "rivals" / pair_name(source)
        plan = self.comparison(study, source, self.pruners(), tuple(whole["seed"] for whole in wholes))
        made = summary(plan, folder)
        texts = [latex(table) for table in tables(made["rows"], wholes, relative=True)]
        return [
            *(folder / name for name in made["files"]),
            write_text(folder / "table.tex", "\n".join(texts)),
            write_figure(folder / "front.pdf", draw_fronts(made["rows"])),
        ]

    def _overview(self, study: Study) -> list[str]:
        shown = Overview(study.out / "rivals")
        return [
            "",
            "## As subgraphs: ratio at P_V / P_E",
            "",
            as_markdown(shown.subgraphs()),
            "## As ground sets: C and in brackets the ratio",
            "",
            as_markdown(shown.ground_sets()),
        ]
