"""What each departure from the paper is worth: every switch of LeNSE's settings at the paper's choice, alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lense.experiments.compare import measures
from lense.experiments.experiment import Experiment
from lense.experiments.models import known_model, shared_model, shared_parts, variant_of
from lense.experiments.records import Measures
from lense.experiments.study import Cell, Study
from lense.experiments.tables import Row, Table, number, short, with_error
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

    def figure(self, name: str) -> list[float]:
        """One of the figures of the table, a value for each walk."""
        match name:
            case "train_ratio":
                return self.train.known("ratio")
            case "train_edges":
                return [1 - pruned for pruned in self.train.known("edges_pruned")]
            case _:
                return self.test.known(name)


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

    def model(self, study: Study, cell: Cell) -> Path | None:
        return known_model(study, cell.source, cell.seed, variant_of(changes(cell.variant)))

    def run_cell(self, study: Study, cell: Cell) -> AblationFigures:
        from lense.evaluation import Yardstick

        case, was_there = cell.source.case(cell.seed), self.model(study, cell) is not None
        asked = (study, cell.source, cell.seed, changes(cell.variant))
        with Stopwatch() as watch:
            model = shared_model(*asked)
        parts = shared_parts(*asked)
        options: dict[str, Any] = {"budget": study.budget, "seed": cell.seed, "prepared": True}
        at_home = model.parts(case.train, episodes=study.episodes, **options)
        test, train = (Yardstick(case.problem, one, study.budget, seed=cell.seed) for one in (case.test, case.train))
        return AblationFigures(measures(test, parts), measures(train, at_home), None if was_there else watch.seconds)

    def rows(self, study: Study) -> list[Row]:
        """A row for each switch: differences to ours on the same graph, problem and seed, and their means over all."""
        return [self._row(study, variant) for variant in self.variants]

    def _row(self, study: Study, variant: str) -> Row:
        pairs = [(source, seed) for source in study.sources for seed in self.seeds(study)]
        both = [(self.record(study, *pair, variant), self.record(study, *pair, OURS)) for pair in pairs]
        known = [(one, ours) for one, ours in both if one is not None and ours is not None]
        row: Row = {"switch": variant, "paper": str(changes(variant).get(variant, ""))}
        for name in _FIGURES:
            means = [[Mean.of([one.figure(name)]).value for one in cell] for cell in known]
            values = [one if variant == OURS else one - ours for one, ours in means]
            mean = Mean.of([[value] for value in values]) if values else None
            row |= {name: mean and mean.value, f"{name}_stderr": mean and mean.stderr}
        seconds = [one.seconds for one, _ in known if one.seconds is not None]
        row["seconds"] = Mean.of([[value] for value in seconds]).value if seconds else None
        notes = [self.why_empty(study, source, variant) for source in study.sources]
        return {**row, "cells": len(known), "note": next(filter(None, notes), "")}

    def columns(self, study: Study) -> Mapping[str, str]:
        return {**_FIGURES, "cells": "cells"}

    def table(self, study: Study, rows: Sequence[Row]) -> Table:
        columns = self.columns(study)
        lines = [(_name(row), *(self.cell(row, name) for name in columns), short(row["note"])) for row in rows]
        return self.title, ("switch", *columns.values(), "note"), lines

    def cell(self, row: Row, name: str) -> str:
        if name == "cells" or row[name] is None:
            return number(row[name])
        text = with_error(row[name], row[f"{name}_stderr"])
        return text if row["switch"] == OURS or row[name] < 0 else f"+{text}"


def changes(variant: str) -> dict[str, Any]:
    """What differs in the settings of a variant from the usual ones; for literal it is the preset."""
    if variant == LITERAL:
        return {"preset": LITERAL}
    return {} if variant == OURS else {variant: PAPER_CHOICES[variant]}


def _name(row: Row) -> str:
    return f"{row['switch']} = {row['paper']}" if row["paper"] else row["switch"]
