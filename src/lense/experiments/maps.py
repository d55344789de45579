"""The paper's maps of all graphs and problems in one figure, and its picture of walks across one of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lense.experiments.experiment import Experiment
from lense.experiments.models import encoder_of, map_of, rounded, shared_model
from lense.experiments.records import Map, same_length
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import Row, short
from lense.paper import RESULTS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lense.plots import MapPanel

_FIGURES = {"neighbour_accuracy": "among their class", "order": "order of classes", "silhouette": "silhouette"}


@dataclass(frozen=True)
class MapFigures:
    """How well the map of a model keeps the classes of held-out samples apart, and the map itself."""

    encoder: dict[str, float | None]
    map: Map | None = None


class Maps(Experiment):
    """The map of the first seed's model for each graph and problem."""

    name = "maps"
    title = "Maps: held-out samples"
    figures = MapFigures
    digits = 2
    pairs = tuple((graph, problem) for problem, graph in RESULTS)
    most_seeds = 1

    def run_cell(self, study: Study, cell: Cell) -> MapFigures:
        model = shared_model(study, cell.source, cell.seed)
        return MapFigures(encoder_of(model), map_of(model))

    def columns(self, study: Study) -> Mapping[str, str]:
        return _FIGURES

    def row(self, study: Study, source: Source) -> Row:
        found = [one.encoder for one in self.done(study, source)] or [{}]
        return {name: found[0].get(name) for name in _FIGURES}

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        """Problems as rows and graphs as columns, those alone that have a map; a line names the other graphs."""
        from lense.plots import draw_maps

        maps = {
            (source.problem_label, source.graph_name): one.map
            for source in study.sources
            for one in self.done(study, source)
            if one.map is not None
        }
        if maps:
            problems, graphs = (list(dict.fromkeys(key[i] for key in maps)) for i in (0, 1))
            common = list(Counter(tuple(one.cutoffs) for one in maps.values()).most_common(1)[0][0])
            panels = {key: map_panel(one, _other_classes(one.cutoffs, common)) for key, one in maps.items()}
            others: dict[str, dict[str, None]] = {}
            for row in rows:
                if row["graph"] not in graphs:
                    others.setdefault(short(row["note"]), {})[row["graph"]] = None
            without = "; ".join(f"{why}: {', '.join(names)}" for why, names in others.items())
            yield self.name, draw_maps(panels, problems, graphs, common, without)


@dataclass(frozen=True)
class WayFigures:
    """Walks of one model: their distances (T + 1, B) to the goal, and their paths (T + 1, B, 2) on the map."""

    map: Map
    distances: list[list[float]]
    paths: list[list[list[float]]]

    def __post_init__(self) -> None:
        same_length(self, "distances", "paths")


class WalkPicture(Experiment):
    """Walks of one model, that of the first seed, on the test graph."""

    name = "walk"
    title = "Walks: mean distance to the goal"
    figures = WayFigures
    pairs = (("wiki", "bmc"),)
    most_seeds = 1

    def run_cell(self, study: Study, cell: Cell) -> WayFigures:
        case, model = cell.source.case(cell.seed), shared_model(study, cell.source, cell.seed)
        walked = model.walk(case.test, episodes=study.episodes, budget=study.budget, seed=cell.seed)
        paths = model.map_.picture(walked.embeddings).numpy()
        return WayFigures(map_of(model), rounded(walked.distances.numpy()), rounded(paths))

    def columns(self, study: Study) -> Mapping[str, str]:
        return {"steps": "steps", "walks": "walks", "start": "distance at the start", "end": "at the end"}

    def row(self, study: Study, source: Source) -> Row:
        row: Row = dict.fromkeys(self.columns(study))
        for figures in self.done(study, source):
            distances = np.array(figures.distances)
            first, last = distances[[0, -1]].mean(axis=1).tolist()
            row = dict(zip(row, (len(distances) - 1, distances.shape[1], first, last), strict=True))
        return row

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        from lense.plots import draw_walks

        for source in study.sources:
            for one in self.done(study, source):
                points, goal, paths, distances = map(np.array, (one.map.points, one.map.goal, one.paths, one.distances))
                figure = draw_walks(points, np.array(one.map.labels), goal, one.map.cutoffs, paths, distances)
                yield f"{self.name}-{source.pair_name}", figure


def map_panel(one: Map, note: str = "") -> "MapPanel":
    """The map that a record keeps, as one panel of a figure."""
    from lense.plots import MapPanel

    return MapPanel(np.array(one.points), np.array(one.labels), np.array(one.goal), note)


def _other_classes(cutoffs: Sequence[float], common: Sequence[float]) -> str:
    """What to say of a map whose classes are not those of the legend."""
    if list(cutoffs) == list(common):
        return ""
    return f"here class 1 is above {cutoffs[0]:.1%},\nthe last up to {cutoffs[-1]:.1%}"
