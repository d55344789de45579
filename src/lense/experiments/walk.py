"""The paper's picture of walks: one across the map, and the mean distance to the goal over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lense.experiments.cases import Source
from lense.experiments.experiment import Experiment, Made
from lense.experiments.map_records import map_record, rounded
from lense.experiments.rows import Table
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study, graph_name, pair_name, problem_label
from lense.experiments.tables import asked_for, write_pictures, write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class WalkPicture(Experiment):
    """Walks of one model, that of the first seed, on the test graph."""

    name = "walk"
    pairs = (("wiki", "bmc"),)

    def seeds(self, study: Study) -> tuple[int, ...]:
        return study.seeds[:1]

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.experiments.shared_models import shared_model

        case, model = cell.source.case(cell.seed), shared_model(study, cell.source, cell.seed)
        walked = model.walk(case.test, episodes=study.episodes, budget=study.budget, seed=cell.seed)
        paths = model.picture_(walked.embeddings).numpy()
        return {**map_record(model), "distances": rounded(walked.distances.numpy()), "paths": rounded(paths)}

    def make(self, study: Study) -> Made:
        everything = self.shown(study)
        rows = [self._row(everything, source) for source in everything.sources]
        files = [
            file
            for source in everything.sources
            for record in self.done(everything, source)
            for file in write_pictures(study.out / f"{self.name}-{pair_name(source)}", draw(record))
        ]
        files += write_table(study.out, self.name, _table(rows), rows)
        return Made([_table(asked_for(study, rows))], files)

    def _row(self, study: Study, source: Source) -> Record:
        row: Record = {"problem": problem_label(source), "graph": graph_name(source), **dict.fromkeys(_COLUMNS[2:])}
        for record in self.done(study, source):
            distances = np.array(record["distances"])
            first, last = distances[[0, -1]].mean(axis=1).tolist()
            row |= {"steps": len(distances) - 1, "walks": distances.shape[1], "start": first, "end": last}
        return {**row, "note": self.why_empty(study, source)}


_COLUMNS = ("problem", "graph", "steps", "walks", "start", "end")


def _table(rows: Sequence[Record]) -> Table:
    headings = ("problem", "graph", "steps", "walks", "distance at the start", "at the end", "note")
    lines = [(*(_text(row[name]) for name in _COLUMNS), row["note"].partition(":")[0]) for row in rows]
    return "Walks: mean distance to the goal", headings, lines


def draw(record: Record) -> "Figure":
    """The picture of a cell's walks."""
    from lense.plots import draw_walks

    points, goal, paths, distances = (np.array(record[name]) for name in ("points", "goal", "paths", "distances"))
    return draw_walks(points, np.array(record["labels"]), goal, record["cutoffs"], paths, distances)


def _text(value: float | str | None) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else f"{value}"
