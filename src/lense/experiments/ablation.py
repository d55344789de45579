"""LeNSE used or trained otherwise: with smaller budgets, and with each switch at the paper's choice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lense._util.measuring import Mean, Stopwatch
from lense.experiments.comparison import measures
from lense.experiments.experiment import Experiment
from lense.experiments.store import Measures
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import LEGEND, SHARES, Column, Row, beside, format_cell, ours_and_theirs
from lense.paper import BUDGETS, MULTI_BUDGET, PAPER_CHOICES

_TWO = 2
"""Digits of the paper's multi-budget table."""
OURS, LITERAL = "ours", "literal"
_FIGURES = {
    "ratio": "ratio",
    "vertices_pruned": "P_V",
    "edges_pruned": "P_E",
    "train_ratio": "ratio on the train graph",
    "train_edges": "edges kept there",
}


@dataclass(frozen=True)
class OneBudget:
    """The heuristic's score and seconds on the whole graph within a budget, and the ratio to it of each walk."""

    budget: int | float
    score: float
    seconds: float
    ratios: list[float]


@dataclass(frozen=True)
class BudgetFigures:
    budgets: list[OneBudget]


class Budgets(Experiment):
    """Ratios within each budget to the heuristic on the whole graph within the same budget."""

    name = "budgets"
    place = 2
    title = "Ratios for several budgets on the subgraphs found for the last of them"
    figures = BudgetFigures
    pairs = tuple((graph, problem) for problem, graph in MULTI_BUDGET)
    notes = (f"In brackets the paper's. {LEGEND}",)

    def run_cell(self, study: Study, cell: Cell) -> BudgetFigures:
        parts, found = self.model(study, cell).parts(), []
        for budget in _budgets(study).values():
            yardstick = cell.yardstick(budget)
            ratios = [yardstick.ratio(part, episode) for episode, part in enumerate(parts)]
            found.append(OneBudget(budget, yardstick.best.score, yardstick.best.seconds, ratios))
        return BudgetFigures(found)

    def values(self, figures: BudgetFigures) -> dict[str, list[float]]:
        return {f"b{one.budget:g}": one.ratios for one in figures.budgets}

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        paper = MULTI_BUDGET.get((source.problem, source.paper_graph or ""), ())
        theirs = dict(zip((f"b{budget}" for budget in BUDGETS), paper, strict=False))
        figures = ours_and_theirs(_budgets(study), self.means(study, source), theirs, _TWO)
        return {**figures, "seeds": len(self.done(study, source))}

    def columns(self, study: Study) -> Sequence[Column]:
        problem, graph, note = super().columns(study)
        return [problem, graph, *beside({name: f"b = {b:g}" for name, b in _budgets(study).items()}, _TWO), note]


def _budgets(study: Study) -> dict[str, float]:
    """The paper's by the names of their columns, up to the one that subgraphs are found for."""
    budgets = (*(budget for budget in BUDGETS if budget < study.budget), study.budget)
    return {f"b{budget:g}": budget for budget in budgets}


@dataclass(frozen=True)
class AblationFigures:
    """Walks on the test and on the ``train`` graph; ``seconds`` of the training, unless the model was there already."""

    test: Measures
    train: Measures
    seconds: float | None = None


class Ablation(Experiment):
    """The shared model, one training for each switch, and one with all of them at the paper's choice."""

    name = "ablation"
    place = 10
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
        there = model.parts(train, episodes=study.episodes, budget=study.budget, seed=cell.seed, prepared=True)
        on_test = measures(cell.yardstick(study.budget), shared.parts())
        on_train = measures(cell.yardstick(study.budget, train), there)
        return AblationFigures(on_test, on_train, None if was_there else watch.seconds)

    def values(self, figures: AblationFigures) -> dict[str, list[float]]:
        kept = [1 - pruned for pruned in figures.train.known("edges_pruned")]
        train = {"train_ratio": figures.train.known("ratio"), "train_edges": kept}
        return {**{name: figures.test.known(name) for name in ("ratio", *SHARES)}, **train}

    def rows(self, study: Study) -> list[Row]:
        """A row for each switch: differences to ours on the same graph, problem and seed, and their means over all."""
        cells = [(source, seed) for source in study.sources for seed in self.seeds(study)]
        ours = [self.record(study, *cell, OURS) for cell in cells]
        rows = []
        for variant in self.variants:
            found = zip((self.record(study, *cell, variant) for cell in cells), ours, strict=True)
            known = [(one, other) for one, other in found if one is not None and other is not None]
            row: Row = {"switch": variant, "paper": str(self.changes(variant).get(variant, ""))}
            for name in _FIGURES:
                means = [[float(np.mean(self.values(one)[name])) for one in both] for both in known]
                values = [one if variant == OURS else one - other for one, other in means]
                row[name], row[f"{name}_stderr"] = Mean.of([[value] for value in values])
            row["seconds"] = Mean.of([[one.seconds] for one, _ in known if one.seconds is not None]).value
            notes = (self.why_empty(study, source, variant) for source in study.sources)
            rows.append({**row, "cells": len(known), "note": next(filter(None, notes), "")})
        return rows

    def columns(self, study: Study) -> Sequence[Column]:
        figures = [(heading, _signed(name)) for name, heading in _FIGURES.items()]
        return [("switch", _switch), *figures, ("cells", "{cells}"), ("note", "{note:short}")]


def _switch(row: Row) -> str:
    return f"{row['switch']} = {row['paper']}" if row["paper"] else str(row["switch"])


def _signed(name: str) -> Callable[[Row], str]:
    """How a figure is shown: differences with their sign."""
    template = f"{{{name}:S.3f}}{{{name}_stderr: ± }}"
    return lambda row: format_cell(template.replace("S", "" if row["switch"] == OURS else "+"), row)
