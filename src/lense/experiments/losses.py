"""The paper's comparison of losses of the encoder: ratios, and the maps side by side."""

from dataclasses import asdict
from pathlib import Path

from lense.experiments.cases import Source
from lense.experiments.experiment import Experiment, Made
from lense.experiments.map_records import has_map, map_panel, map_record
from lense.experiments.marks import LEGEND, Mean, ours_and_theirs, told, with_error
from lense.experiments.rows import Table
from lense.experiments.store import Record, finite
from lense.experiments.study import Cell, Study, graph_name, model_folder, pair_name, problem_label
from lense.experiments.tables import asked_for, ours_above_theirs, write_pictures, write_table
from lense.paper import LOSS_RATIOS
from lense.walking.settings import LOSS_NAMES

TITLES = {"infonce": "InfoNCE", "ranked": "ranked InfoNCE", "cross-entropy": "cross-entropy", "ordinal": "ordinal"}


class Losses(Experiment):
    """The same training with each loss of the paper, and with the default one, whose model is the shared one."""

    name = "losses"
    pairs = tuple((graph, problem) for problem, graph in LOSS_RATIOS)
    variants = LOSS_NAMES

    def model(self, study: Study, cell: Cell) -> Path:
        return model_folder(study, cell.source, cell.seed, cell.variant)

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.evaluation import Yardstick
        from lense.experiments.shared_models import shared_model, shared_parts

        case, model = cell.source.case(cell.seed), shared_model(study, cell.source, cell.seed, cell.variant)
        parts = shared_parts(study, cell.source, cell.seed, cell.variant)
        yardstick = Yardstick(case.problem, case.test, study.budget, seed=cell.seed)
        measured = [asdict(yardstick.measure(part, episode)) for episode, part in enumerate(parts)]
        return {"encoder": finite(model.report_["encoder"]), "parts": measured, **map_record(model)}

    def make(self, study: Study) -> Made:
        everything = self.shown(study)
        rows = [self._row(everything, source) for source in everything.sources]
        headings = ("problem", "graph", *(TITLES[loss] for loss in LOSS_NAMES), "note")
        lines = [
            (
                row["problem"],
                row["graph"],
                *(told(row, _column(loss)) for loss in LOSS_NAMES),
                row["note"].partition(":")[0],
            )
            for row in rows
        ]
        table: Table = ("Ratios with each loss of the encoder", headings, lines)
        pairs = zip(everything.sources, rows, strict=True)
        files = [file for source, row in pairs for file in self._draw(everything, source, row)]
        files += write_table(study.out, self.name, table, rows, notes=[f"In brackets the paper's. {LEGEND}"])
        columns = {_column(loss): TITLES[loss] for loss in LOSS_NAMES}
        shown = ours_above_theirs(table[0], asked_for(study, rows), columns, errors=False)
        notes = [LEGEND, "Standard errors are in losses.md and losses.csv.", *self._not_drawn(everything)]
        return Made(shown, files, notes)

    def _not_drawn(self, study: Study) -> list[str]:
        """A line about cells that are done but keep no map, as those of earlier versions do."""
        cells = (Cell(source, study.seeds[0], loss) for source in study.sources for loss in LOSS_NAMES)
        records = ((cell.name, self.record(study, cell)) for cell in cells)
        without = [name for name, record in records if record is not None and not has_map(record)]
        return [f"No map is kept, and none drawn anew, of {', '.join(without)}."] if without else []

    def _row(self, study: Study, source: Source) -> Record:
        """The columns of the paper's table, then standard errors, the paper's figures, marks, and shares pruned."""
        found = {loss: self.done(study, source, loss) for loss in LOSS_NAMES}
        paper = LOSS_RATIOS.get((source.problem, source.paper_graph or ""), {})
        means = {
            (_column(loss), figure): Mean.of([[part[figure] for part in record["parts"]] for record in records])
            for loss, records in found.items()
            for figure in ("ratio", "vertices_pruned", "edges_pruned")
            if records
        }
        ratios = {name: mean for (name, figure), mean in means.items() if figure == "ratio"}
        notes = (self.why_empty(study, source, loss) for loss in LOSS_NAMES)
        return {
            "problem": problem_label(source),
            "graph": graph_name(source),
            **ours_and_theirs(
                [_column(loss) for loss in LOSS_NAMES],
                ratios,
                {_column(loss): ratio for loss, ratio in paper.items()},
            ),
            **{f"{name}_{figure}_pct": 100 * mean.value for (name, figure), mean in means.items() if figure != "ratio"},
            **{f"{_column(loss)}_seeds": len(records) for loss, records in found.items()},
            "note": next(filter(None, notes), ""),
        }

    def _draw(self, study: Study, source: Source, row: Record) -> list[Path]:
        """The maps of the first seed that has any, with the ratios of all seeds below."""
        from lense.plots import draw_maps

        for seed in study.seeds:
            records = {loss: self.record(study, Cell(source, seed, loss)) for loss in LOSS_NAMES}
            maps = {loss: record for loss, record in records.items() if record is not None and has_map(record)}
            if len(maps) > 1:
                name = f"{source.problem}, {graph_name(source)}"
                panels = {(name, TITLES[loss]): map_panel(record, _ratio(row, loss)) for loss, record in maps.items()}
                cutoffs = next(iter(maps.values()))["cutoffs"]
                figure = draw_maps(panels, [name], list(TITLES.values()), cutoffs)
                return write_pictures(study.out / f"{self.name}-{pair_name(source)}", figure)
        return []


def _ratio(row: Record, loss: str) -> str:
    """The ratio of a loss as in the table, for a figure."""
    name = _column(loss)
    return "" if row[name] is None else f"ratio {with_error(row[name], row[f'{name}_stderr'])}"


def _column(loss: str) -> str:
    return loss.replace("-", "_")
