"""The paper's comparison of losses of the encoder: ratios, and the maps side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lense.experiments.compare import measures
from lense.experiments.experiment import Experiment
from lense.experiments.maps import map_panel
from lense.experiments.models import encoder_of, known_model, map_of, shared_model, shared_parts, variant_of
from lense.experiments.records import Map, Measures
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import LEGEND, Row, ours_and_theirs, with_error
from lense.paper import LOSS_RATIOS
from lense.statistics import Mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "infonce"
"""The loss that models have by default."""
_TITLES = {OURS: "InfoNCE", "cross-entropy": "cross-entropy", "ordinal": "ordinal"}
_COLUMNS = {loss.replace("-", "_"): title for loss, title in _TITLES.items()}


@dataclass(frozen=True)
class LossFigures:
    """A model trained with one loss: how well its map keeps the classes apart, and its walks on the test graph."""

    encoder: dict[str, float | None]
    parts: Measures
    map: Map | None = None


class Losses(Experiment):
    """The same training with each loss of the paper; the model of the default one is the shared one."""

    name = "losses"
    title = "Ratios with each loss of the encoder"
    figures = LossFigures
    pairs = tuple((graph, problem) for problem, graph in LOSS_RATIOS)
    variants = tuple(_TITLES)
    notes = (f"In brackets the paper's. {LEGEND}",)

    def model(self, study: Study, cell: Cell) -> Path | None:
        return known_model(study, cell.source, cell.seed, variant_of(changes(cell.variant)))

    def run_cell(self, study: Study, cell: Cell) -> LossFigures:
        from lense.evaluation import Yardstick

        case, asked = cell.source.case(cell.seed), (study, cell.source, cell.seed, changes(cell.variant))
        model, parts = shared_model(*asked), shared_parts(*asked)
        yardstick = Yardstick(case.problem, case.test, study.budget, seed=cell.seed)
        return LossFigures(encoder_of(model), measures(yardstick, parts), map_of(model))

    def columns(self, study: Study) -> Mapping[str, str]:
        return _COLUMNS

    def row(self, study: Study, source: Source) -> Row:
        """The columns of the paper's table, then standard errors, the paper's figures, marks, and shares pruned."""
        found = {_column(loss): self.done(study, source, loss) for loss in _TITLES}
        means = {
            (loss, name): Mean.of([one.parts.known(name) for one in known])
            for loss, known in found.items()
            for name in ("ratio", "vertices_pruned", "edges_pruned")
            if known
        }
        ratios = {loss: mean for (loss, name), mean in means.items() if name == "ratio"}
        paper = LOSS_RATIOS.get((source.problem, source.paper_graph or ""), {})
        return {
            **ours_and_theirs(list(_COLUMNS), ratios, {_column(loss): ratio for loss, ratio in paper.items()}),
            **{f"{loss}_{name}_pct": 100 * mean.value for (loss, name), mean in means.items() if name != "ratio"},
            **{f"{loss}_seeds": len(known) for loss, known in found.items()},
        }

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
        """For each graph and problem the maps of the first seed that has any, with the ratios of all seeds below."""
        from lense.plots import draw_maps

        for source, row in zip(study.sources, rows, strict=True):
            for seed in self.seeds(study):
                known = {_column(loss): self.record(study, source, seed, loss) for loss in _TITLES}
                maps = {loss: figures.map for loss, figures in known.items() if figures is not None and figures.map}
                if len(maps) > 1:
                    name = f"{source.problem}, {source.graph_name}"
                    panels = {(name, _COLUMNS[loss]): map_panel(one, _ratio(row, loss)) for loss, one in maps.items()}
                    cutoffs = next(iter(maps.values())).cutoffs
                    yield f"{self.name}-{source.pair_name}", draw_maps(panels, [name], list(_COLUMNS.values()), cutoffs)
                    break


def changes(loss: str) -> dict[str, str]:
    """What differs in the settings of a model with that loss: nothing else, so that losses alone are compared."""
    return {} if loss == OURS else {"loss": loss}


def _ratio(row: Row, name: str) -> str:
    """The ratio of a loss as in the table, for a figure."""
    return "" if row[name] is None else f"ratio {with_error(row[name], row[f'{name}_stderr'])}"


def _column(loss: str) -> str:
    return loss.replace("-", "_")
