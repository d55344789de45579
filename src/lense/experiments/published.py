"""The pruners of later studies on their own objectives: C on whole graphs, beside the published means."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from lense.experiments.compare import OneGraph
from lense.experiments.comparison import WHOLE, Comparison, all_pruners
from lense.experiments.study import Case, Cell, Source, Study
from lense.experiments.tables import Row, grouped, number, short, titled
from lense.graph import open_graph
from lense.paper import PUBLISHED, PUBLISHED_C, STUDY_PROBLEMS

_GRAPHS = ("facebook", "wiki", "deezer", "slashdot")
_UNPUBLISHED = ("llm2prune", "top-roots", "discount-roots", "core")
"""Pruners that are not in the study, and stand below those that are."""


class Published(Comparison):
    """Not in the paper: QuickPrune and its rivals on domination, cut, and im with p = 0.01.

    What a pruner keeps is a ground set of the whole graph. Those that learn do so from the train side of the split,
    whose edges are part of that graph.
    """

    name = "published"
    title = "Pruners on the objectives of their own studies"
    pairs = tuple((graph, problem) for problem in STUDY_PROBLEMS for graph in _GRAPHS)
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {"im": {"model": "constant", "probability": "0.01"}}
    notes = (
        "P_V is the share of vertices that are not to choose from, and C the ratio times P_V. With a ratio of 1 and b "
        "vertices kept it is 1 - b / n. It can be higher where fewer than b vertices are as good, or where a ratio is "
        "above 1.",
    )

    @property
    def listed(self) -> tuple[str, ...]:
        """The pruners that have a row in the table."""
        return tuple(name for name in (*PUBLISHED, "gcomb-p", *_UNPUBLISHED) if name in all_pruners())

    @property
    def variants(self) -> tuple[str, ...]:
        return WHOLE, *self.listed

    def case(self, cell: Cell) -> Case:
        return _whole_case(cell.source, cell.seed)

    def found(self, study: Study, source: Source) -> OneGraph:
        """All that is done of a graph and problem."""
        cells = (Cell(source, seed, name) for name in self.variants for seed in study.seeds)
        known = (self.records(study).get(cell.key) for cell in cells)
        return OneGraph([record for record in known if record is not None])

    def rows(self, study: Study) -> list[Row]:
        made = []
        for source in study.sources:
            found = self.found(study, source)
            for name in self.listed:
                ground = found.by_pruner.get(name, {}).get("ground-set") or {}
                figures = {
                    "pruner": name,
                    "ratio": ground.get("ratio"),
                    "ratio_stderr": ground.get("ratio_stderr"),
                    "vertices_pruned": ground.get("vertices_pruned"),
                    "C": ground.get("combined"),
                    "C_ceiling": found.ceiling if found.wholes else None,
                    "seeds": found.by_pruner.get(name, {}).get("seeds", 0),
                }
                made.append(self.named(study, source, figures, name))
        return made

    def columns(self, study: Study) -> Mapping[str, str]:
        names = ("problem", "graph", "pruner", "ratio")
        return {
            **{name: name for name in names},
            "vertices_pruned": "P_V",
            "C": "C",
            "C_ceiling": "1 - b / n",
            "note": "note",
        }

    def cell(self, row: Row, name: str) -> str:
        return short(row[name]) if name == "note" else number(row[name], self.digits)

    def more(self, study: Study) -> list[str]:
        """The means over graphs, beside the published ones."""
        by_problem = {name.partition("+")[0]: rows for name, rows in grouped(self.rows(study), "problem").items()}
        known = [problem for problem in STUDY_PROBLEMS if problem in by_problem]
        headings = ("pruner", *(f"{problem}: {whose}" for problem in known for whose in ("ours", "theirs")))
        lines = [
            (name, *(text for problem in known for text in (_ours(name, by_problem[problem]), _theirs(name, problem))))
            for name in self.listed
        ]
        title = "C, and ratio x share of vertices pruned: means over our graphs, and over eight of theirs"
        return ["", "## Beside the published means", "", titled((title, headings, lines)).rstrip()]


@lru_cache(maxsize=1)  # as for split graphs: the cells of one seed follow one another
def _whole_case(source: Source, seed: int) -> Case:
    case = source.case(seed)
    graph = source.graph
    if isinstance(graph, str):
        graph = open_graph(graph, arcs=case.problem.uses_direction, **source.reading)
    return replace(case, test=case.problem.prepare(graph))


def _ours(pruner: str, rows: Iterable[Row]) -> str:
    asked = [row for row in rows if row["pruner"] == pruner]
    done = [row for row in asked if row["C"] is not None]
    if not done:
        return "not run"
    means = (float(np.mean([row[name] for row in done])) for name in ("C", "ratio", "vertices_pruned"))
    return _in_words(*means) + (f", {len(done)} of {len(asked)} graphs" if len(done) < len(asked) else "")


def _theirs(pruner: str, problem: str) -> str:
    place = STUDY_PROBLEMS.index(problem)
    if pruner not in PUBLISHED_C:
        return "–"
    return _in_words(PUBLISHED_C[pruner][place], *(PUBLISHED[pruner][place] if pruner in PUBLISHED else ()))


def _in_words(combined: float, *factors: float) -> str:
    """Such as "0.980 (0.993 x 0.987)"."""
    return f"{combined:.3f}" + (f" ({' x '.join(f'{factor:.3f}' for factor in factors)})" if factors else "")
