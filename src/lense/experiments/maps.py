"""The paper's maps: of all graphs and problems, with walks across one of them, and with other losses of the encoder."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lense.experiments.comparison import measures
from lense.experiments.experiment import Experiment, Pictures
from lense.experiments.store import Measures, RecordedMap
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import LEGEND, SHARES, Row, beside, format_cell, ours_and_theirs
from lense.navigation import LeNSE
from lense.paper import LOSS_RATIOS, RESULTS

_DECIMALS = 4


@dataclass(frozen=True)
class MapFigures:
    """How well the map of a model keeps the classes of held-out samples apart, its walks if asked for, and the map."""

    encoder: dict[str, int | float | None]
    parts: Measures | None = None
    map: RecordedMap | None = None


class Maps(Experiment):
    """The map of the first seed's model for each graph and problem."""

    name = "maps"
    place = 6
    title = "Maps: held-out samples"
    figures = MapFigures
    measured = ("neighbour_accuracy", "order", "silhouette")
    shown = (
        ("among their class", "{neighbour_accuracy:.2f}"),
        ("order of classes", "{order:.2f}"),
        ("silhouette", "{silhouette:.2f}"),
    )
    pairs = tuple((graph, problem) for problem, graph in RESULTS)
    most_seeds = 1

    def run_cell(self, study: Study, cell: Cell) -> MapFigures:
        return _map_figures(self.model(study, cell).load())

    def values(self, figures: MapFigures) -> dict[str, list[float]]:
        return {name: [value] for name, value in figures.encoder.items() if value is not None}

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        """Problems as rows and graphs as columns, those alone that have a map."""
        from lense.plots import draw_maps

        found = [(source, one.map) for source in study.sources for one in self.done(study, source)]
        maps = {(source.problem_label, source.graph_name): one for source, one in found if one is not None}
        if maps:
            problems, graphs = (list(dict.fromkeys(key[i] for key in maps)) for i in (0, 1))
            common = list(Counter(tuple(one.cutoffs) for one in maps.values()).most_common(1)[0][0])
            notes = {
                key: f"here class 1 is above {one.cutoffs[0]:.1%},\nthe last up to {one.cutoffs[-1]:.1%}"
                for key, one in maps.items()
                if one.cutoffs != common
            }
            arrays = {key: one.arrays for key, one in maps.items()}
            yield self.name, draw_maps(arrays, problems, graphs, common, notes)


@dataclass(frozen=True)
class WalkFigures:
    """Walks of one model: their distances (T + 1, B) to the goal, and their paths (T + 1, B, 2) on the map."""

    map: RecordedMap
    distances: list[list[float]]
    paths: list[list[list[float]]]


class WalkPicture(Experiment):
    """Walks of one model, that of the first seed, on the test graph."""

    name = "walk"
    place = 5
    title = "Walks: mean distance to the goal"
    figures = WalkFigures
    measured = ("steps", "walks", "start", "end")
    shown = (
        ("steps", "{steps:.0f}"),
        ("walks", "{walks:.0f}"),
        ("distance at the start", "{start}"),
        ("at the end", "{end}"),
    )
    pairs = (("wiki", "bmc"),)
    most_seeds = 1

    def run_cell(self, study: Study, cell: Cell) -> WalkFigures:
        model = self.model(study, cell).load()
        walked = model.walk(cell.case.test, episodes=study.episodes, budget=study.budget, seed=cell.seed)
        return WalkFigures(_map_of(model), _rounded(walked.distances), _rounded(model.map_.picture(walked.embeddings)))

    def values(self, figures: WalkFigures) -> dict[str, list[float]]:
        far = figures.distances
        return {"steps": [len(far) - 1], "walks": [len(far[0])], "start": far[0], "end": far[-1]}

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        from lense.plots import draw_walks

        for source in study.sources:
            for one in self.done(study, source):
                points, labels, goal = map(np.array, one.map.arrays)
                figure = draw_walks(points, labels, goal, one.map.cutoffs, np.array(one.paths), np.array(one.distances))
                yield f"{self.name}-{source.pair_name}", figure


LOSSES = {"infonce": "InfoNCE", "cross-entropy": "cross-entropy", "ordinal": "ordinal"}
"""The losses of the paper with their titles, that of models by default first."""


class Losses(Experiment):
    """The same training with each loss of the paper; the model of the default one is the shared one."""

    name = "losses"
    place = 4
    title = "Ratios with each loss of the encoder"
    figures = MapFigures
    pairs = tuple((graph, problem) for problem, graph in LOSS_RATIOS)
    variants = tuple(LOSSES)
    shown = tuple(beside(LOSSES))
    notes = (f"In brackets the paper's. {LEGEND}",)

    def changes(self, variant: str) -> dict[str, str]:
        """The loss and nothing else, so that losses alone are compared."""
        return {} if variant == self.variants[0] else {"loss": variant}

    def run_cell(self, study: Study, cell: Cell) -> MapFigures:
        shared = self.model(study, cell)
        return _map_figures(shared.load(), measures(cell.yardstick(study.budget), shared.parts()))

    def values(self, figures: MapFigures) -> dict[str, list[float]]:
        return {name: figures.parts.known(name) for name in ("ratio", *SHARES) if figures.parts is not None}

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        found = {loss: self.means(study, source, loss) for loss in LOSSES}
        ours = {loss: means["ratio"] for loss, means in found.items() if means}
        row = ours_and_theirs(found, ours, LOSS_RATIOS.get((source.problem, source.paper_graph or ""), {}))
        for loss, means in found.items():
            row |= {f"{loss}_{name}_pct": 100 * (means[name].value or 0.0) for name in SHARES if means}
        return row | {f"{loss}_seeds": len(self.done(study, source, loss)) for loss in LOSSES}

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        """For each graph and problem the maps of the first seed that has any, with the ratios of all seeds below."""
        from lense.plots import draw_maps

        for source, row in zip(study.sources, rows, strict=True):
            by_seed = [{loss: self.record(study, source, seed, loss) for loss in LOSSES} for seed in self.seeds(study)]
            drawn = [{loss: one.map for loss, one in known.items() if one and one.map} for known in by_seed]
            maps = next((one for one in drawn if len(one) > 1), {})
            if maps:
                name = f"{source.problem}, {source.graph_name}"
                panels = {(name, LOSSES[loss]): one.arrays for loss, one in maps.items()}
                notes = {
                    (name, LOSSES[loss]): format_cell(f"ratio {{{loss}}}{{{loss}_stderr: ± }}", row) for loss in maps
                }
                cutoffs = next(iter(maps.values())).cutoffs
                figure = draw_maps(panels, [name], list(LOSSES.values()), cutoffs, notes)
                yield f"{self.name}-{source.pair_name}", figure


def _map_figures(model: LeNSE, parts: Measures | None = None) -> MapFigures:
    """The figures of a model's map; None for what is no number."""
    known = model.report_["encoder"].items()
    encoder = {name: None if value is None or not math.isfinite(value) else value for name, value in known}
    return MapFigures(encoder, parts, _map_of(model))


def _map_of(model: LeNSE) -> RecordedMap:
    samples = model.map_.samples
    return RecordedMap(
        list(model.map_.cutoffs), samples.labels.tolist(), _rounded(samples.points), _rounded(samples.goal)
    )


def _rounded(values: Any) -> list[Any]:
    """An array as nested lists of numbers with as many digits as a figure can show."""
    listed: list[Any] = np.round(np.asarray(values, np.float64), _DECIMALS).tolist()
    return listed
