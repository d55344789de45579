"""The paper's comparison of losses of the encoder: ratios, and the maps side by side."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lense.experiments.comparison import SHARES, measures
from lense.experiments.experiment import Experiment
from lense.experiments.maps import MapFigures, map_figures, map_panel
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import LEGEND, Row, ours_and_theirs, with_error
from lense.paper import LOSS_RATIOS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "infonce"
"""The loss that models have by default."""
_TITLES = {OURS: "InfoNCE", "cross-entropy": "cross-entropy", "ordinal": "ordinal"}


class Losses(Experiment):
    """The same training with each loss of the paper; the model of the default one is the shared one."""

    name = "losses"
    title = "Ratios with each loss of the encoder"
    figures = MapFigures
    pairs = tuple((graph, problem) for problem, graph in LOSS_RATIOS)
    variants = tuple(_TITLES)
    headings = _TITLES
    notes = (f"In brackets the paper's. {LEGEND}",)

    def changes(self, variant: str) -> dict[str, str]:
        """The loss and nothing else, so that losses alone are compared."""
        return {} if variant == OURS else {"loss": variant}

    def run_cell(self, study: Study, cell: Cell) -> MapFigures:
        shared = self.model(study, cell)
        return map_figures(shared.load(), measures(cell.yardstick(study.budget), shared.parts()))

    def values(self, figures: MapFigures) -> dict[str, list[float]]:
        return {name: figures.parts.known(name) for name in ("ratio", *SHARES) if figures.parts is not None}

    def row_of(self, study: Study, source: Source) -> Row:
        """The columns of the paper's table, then standard errors, the paper's figures, marks, and shares pruned."""
        found = {loss: self.means(study, source, loss) for loss in _TITLES}
        ours = {loss: means["ratio"] for loss, means in found.items() if means}
        row = ours_and_theirs(found, ours, LOSS_RATIOS.get((source.problem, source.paper_graph or ""), {}))
        for loss, means in found.items():
            row |= {f"{loss}_{name}_pct": 100 * (means[name].value or 0.0) for name in SHARES if means}
        return row | {f"{loss}_seeds": len(self.done(study, source, loss)) for loss in _TITLES}

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        """For each graph and problem the maps of the first seed that has any, with the ratios of all seeds below."""
        from lense.plots import draw_maps

        for source, row in zip(study.sources, rows, strict=True):
            for seed in self.seeds(study):
                known = {loss: self.record(study, source, seed, loss) for loss in _TITLES}
                maps = {loss: figures.map for loss, figures in known.items() if figures is not None and figures.map}
                if len(maps) > 1:
                    name = f"{source.problem}, {source.graph_name}"
                    ratios = {loss: f"ratio {with_error(row[loss], row[f'{loss}_stderr'])}" for loss in maps}
                    panels = {(name, _TITLES[loss]): map_panel(one, ratios[loss]) for loss, one in maps.items()}
                    cutoffs = next(iter(maps.values())).cutoffs
                    yield f"{self.name}-{source.pair_name}", draw_maps(panels, [name], list(_TITLES.values()), cutoffs)
                    break
