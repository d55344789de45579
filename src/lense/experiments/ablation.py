"""What each departure from the paper is worth: every switch of LeNSE's settings at the paper's choice, alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lense.experiments.comparison import SHARES, measures
from lense.experiments.experiment import Experiment
from lense.experiments.store import Measures
from lense.experiments.study import Cell, Study
from lense.experiments.tables import Row, with_error
from lense.paper import PAPER_CHOICES
from lense.statistics import Mean
from lense.stopwatch import Stopwatch

OURS, LITERAL = "ours", "literal"
_FIGURES = {
    "ratio": "ratio",
    "vertices_pruned": "P_V",
    "edges_pruned": "P_E",
    "train_ratio": "ratio on the train graph",
    "train_edges": "edges kept there",
}


@dataclass(frozen=True)
class AblationFigures:
    """The walks of a model on the test graph, and those of the same policy on the ``train`` graph; ``seconds`` are
    those of the training, unless the model was there already.
    """

    test: Measures
    train: Measures
    seconds: float | None = None


class Ablation(Experiment):
    """The shared model, one training for each switch, and one with all of them at the paper's choice."""

    name = "ablation"
    title = "Ablation: what changes with each switch at the paper's choice"
    figures = AblationFigures
    pairs = (("facebook", "mvc"), ("wiki", "mvc"), ("facebook", "im"), ("wiki", "im"))
    notes = (
        "The first line has our figures, all others the difference to them: means with their standard errors over "
        "graphs, problems and seeds (cells). Shares are of 1. literal has every switch at the paper's choice.",
    )
    most_seeds = 2

    @property
    def variants(self) -> tuple[str, ...]:
        return OURS, *PAPER_CHOICES, LITERAL

    def changes(self, variant: str) -> dict[str, Any]:
        if variant == LITERAL:
            return {"preset": LITERAL}
        return {} if variant == OURS else {variant: PAPER_CHOICES[variant]}

    def run_cell(self, study: Study, cell: Cell) -> AblationFigures:
        train, shared = cell.case.train, self.model(study, cell)
        was_there = shared.folder is not None
        with Stopwatch() as watch:
            model = shared.load()
        options: dict[str, Any] = {"budget": study.budget, "seed": cell.seed, "prepared": True}
        there = model.parts(train, episodes=study.episodes, **options)
        on_test = measures(cell.yardstick(study.budget), shared.parts())
        on_train = measures(cell.yardstick(study.budget, train), there)
        return AblationFigures(on_test, on_train, None if was_there else watch.seconds)

    def values(self, figures: AblationFigures) -> dict[str, list[float]]:
        kept = [1 - pruned for pruned in figures.train.known("edges_pruned")]
        train = {"train_ratio": figures.train.known("ratio"), "train_edges": kept}
        return {**{name: figures.test.known(name) for name in ("ratio", *SHARES)}, **train}

    def rows(self, study: Study) -> list[Row]:
        """A row for each switch: differences to ours on the same graph, problem and seed, and their means over all."""
        return [self._row(study, variant) for variant in self.variants]

    def _row(self, study: Study, variant: str) -> Row:
        pairs = [(source, seed) for source in study.sources for seed in self.seeds(study)]
        both = [(self.record(study, *pair, variant), self.record(study, *pair, OURS)) for pair in pairs]
        known = [(one, ours) for one, ours in both if one is not None and ours is not None]
        row: Row = {"switch": variant, "paper": str(self.changes(variant).get(variant, ""))}
        for name in _FIGURES:
            means = [[float(np.mean(self.values(one)[name])) for one in both] for both in known]
            values = [one if variant == OURS else one - ours for one, ours in means]
            row[name], row[f"{name}_stderr"] = Mean.of([[value] for value in values])
        row["seconds"] = Mean.of([[one.seconds] for one, _ in known if one.seconds is not None]).value
        notes = (self.why_empty(study, source, variant) for source in study.sources)
        return {**row, "cells": len(known), "note": next(filter(None, notes), "")}

    def columns(self, study: Study) -> Mapping[str, str]:
        return {"switch": "switch", **_FIGURES, "cells": "cells", "note": "note"}

    def cell(self, row: Row, name: str) -> str:
        if name == "switch":
            return f"{row[name]} = {row['paper']}" if row["paper"] else row[name]
        if name not in _FIGURES or row[name] is None:
            return super().cell(row, name)
        text = with_error(row[name], row[f"{name}_stderr"])
        return text if row["switch"] == OURS or row[name] < 0 else f"+{text}"
