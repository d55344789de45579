"""The paper's maps of all graphs and problems in one figure, and how well each keeps the classes apart."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lense.experiments.experiment import Experiment, Made
from lense.experiments.map_records import has_map, map_panel, map_record
from lense.experiments.rows import Table
from lense.experiments.store import Record, finite
from lense.experiments.study import Cell, Study, graph_name, problem_label
from lense.experiments.tables import asked_for, write_pictures, write_table
from lense.paper import RESULTS

_FIGURES = {"neighbour_accuracy": "among their class", "order": "order of classes", "silhouette": "silhouette"}


class Maps(Experiment):
    """The map of the first seed's model for each graph and problem."""

    name = "maps"
    pairs = tuple((graph, problem) for problem, graph in RESULTS)

    def seeds(self, study: Study) -> tuple[int, ...]:
        return study.seeds[:1]

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.experiments.shared_models import shared_model

        model = shared_model(study, cell.source, cell.seed)
        return {"encoder": finite(model.report_["encoder"]), **map_record(model)}

    def make(self, study: Study) -> Made:
        everything = self.shown(study)
        rows = []
        for source in everything.sources:
            row: Record = {"problem": problem_label(source), "graph": graph_name(source), **dict.fromkeys(_FIGURES)}
            for record in self.done(everything, source):
                row |= {name: record["encoder"][name] for name in _FIGURES}
            rows.append({**row, "note": self.why_empty(everything, source)})
        table = _table(rows)
        files = [*self._draw(everything), *write_table(study.out, self.name, table, rows)]
        return Made([_table(asked_for(study, rows))], files)

    def _draw(self, study: Study) -> list[Path]:
        """Problems as rows and graphs as columns, those alone that have a map; a line names the other graphs."""
        from lense.plots import draw_maps

        maps = {
            (problem_label(source), graph_name(source)): record
            for source in study.sources
            for record in self.done(study, source)
            if has_map(record)
        }
        if not maps:
            return []
        problems, graphs = (list(dict.fromkeys(key[i] for key in maps)) for i in (0, 1))
        common = Counter(tuple(record["cutoffs"]) for record in maps.values()).most_common(1)[0][0]
        panels = {key: map_panel(record, _other_classes(record["cutoffs"], common)) for key, record in maps.items()}
        figure = draw_maps(panels, problems, graphs, common, self._without_maps(study, graphs))
        return write_pictures(study.out / self.name, figure)

    def _without_maps(self, study: Study, graphs: Sequence[str]) -> str:
        """Which graphs are not among those that have a map, and why."""
        others: dict[str, dict[str, None]] = {}
        for source in study.sources:
            if graph_name(source) not in graphs:
                why = self.why_empty(study, source).partition(":")[0]
                others.setdefault(why, {})[graph_name(source)] = None
        return "; ".join(f"{why}: {', '.join(names)}" for why, names in others.items())


def _table(rows: Sequence[Record]) -> Table:
    lines = [
        (row["problem"], row["graph"], *(_text(row[name]) for name in _FIGURES), row["note"].partition(":")[0])
        for row in rows
    ]
    return "Maps: held-out samples", ("problem", "graph", *_FIGURES.values(), "note"), lines


def _other_classes(cutoffs: Sequence[float], common: Sequence[float]) -> str:
    """What to say of a map whose classes are not those of the legend."""
    if tuple(cutoffs) == tuple(common):
        return ""
    return f"here class 1 is above {cutoffs[0]:.1%},\nthe last up to {cutoffs[-1]:.1%}"


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
