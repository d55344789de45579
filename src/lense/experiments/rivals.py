"""All pruners side by side: on the paper's graphs, and on the objectives of the studies that came after it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from lense._util.measuring import Mean
from lense.experiments.compare import Comparison
from lense.experiments.comparison import PART, OneGraph, all_pruners, in_order, left_out
from lense.experiments.experiment import Pictures
from lense.experiments.study import Case, Cell, Source, Study
from lense.experiments.table1 import PaperComparison
from lense.experiments.tables import NONE, Row, Table, grouped, said, titled
from lense.graph import open_graph
from lense.paper import PUBLISHED, PUBLISHED_C, STUDY_PROBLEMS

_PROBLEMS = ("mvc", "bmc", "im")
_TITLES = (
    "As subgraphs: ratio at P_V / P_E",
    "As ground sets: C and in brackets the ratio",
    "Time to prune, in multiples of the heuristic's on the whole graph",
)
_GRAPHS = ("facebook", "wiki", "deezer", "slashdot")
_UNPUBLISHED = ("llm2prune", "top-roots", "discount-roots", "core")
"""Pruners that are not in the later studies, and stand below those that are."""
_FACTORS = "{C} ({ratio} x {vertices_pruned})"


class Rivals(PaperComparison):
    """Not in the paper; a figure for each graph and problem, and tables of all pruners side by side."""

    name = "rivals"
    title = "Pruners on one footing"

    def rows(self, study: Study) -> list[Row]:
        return [row for row in super().rows(study) if row["ratio"] is not None or row["paper_ratio"] is not None]

    def more(self, study: Study) -> list[str]:
        """Every pruner on every graph, a table for each problem."""
        tables = side_by_side([self.found(study, source) for source in study.sources])
        pages = ((title, "\n".join(map(titled, some)).rstrip()) for title, some in tables.items())
        missing = (f"- {line}" for line in left_out(self.listed, study.sources))
        return [*missing, *(line for title, page in pages for line in ("", f"## {title}", "", page))]

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        from lense.plots.fronts import draw_fronts

        for source in study.sources:
            if found := self.found(study, source).rows:
                title = f"{source.problem} on {source.graph_name}, budget {study.budget:g}"
                yield f"{self.name}-{source.pair_name}", draw_fronts(found, title)


def side_by_side(compared: Iterable[OneGraph]) -> dict[str, list[Table]]:
    """Several comparisons, a table for each problem, by what the cells say."""
    known = [one for one in compared if one.rows and one.wholes]
    pruners = in_order({name for one in known for name in one.by_pruner})
    labels = {one.source.problem_label for one in known}
    made: dict[str, list[Table]] = {title: [] for title in _TITLES} if known else {}
    for problem in sorted(labels, key=lambda label: ([*_PROBLEMS, label].index(label), label)):
        graphs = {one.source.graph_name: one for one in known if one.source.problem_label == problem}
        cells = [[_cells(name, graphs[graph]) for graph in sorted(graphs)] for name in pruners]
        for i, tables in enumerate(made.values()):
            lines = [(name, *(cell[i] for cell in some)) for name, some in zip(pruners, cells, strict=True)]
            tables.append((problem, ("pruner", *sorted(graphs)), lines))
    return made


def _cells(pruner: str, one: OneGraph) -> tuple[str, ...]:
    if pruner not in one.by_pruner:
        return (NONE,) * len(_TITLES)
    row = one.by_pruner[pruner]
    shown = zip(("subgraph", "ground-set"), (PART, "{combined} ({ratio})"), strict=True)
    solved = ("failed" if row[mode] is None else said(template, row[mode]) for mode, template in shown)
    return *solved, one.time(row["prune_seconds"])


class Published(Comparison):
    """Not in the paper: QuickPrune and its rivals on domination, cut, and im with p = 0.01.

    What a pruner keeps is a ground set of the whole graph. Those that learn do so from the train side of the split,
    whose edges are part of that graph.
    """

    name = "published"
    title = "Pruners on the objectives of their own studies"
    pairs = tuple((graph, problem) for problem in STUDY_PROBLEMS for graph in _GRAPHS)
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {"im": {"model": "constant", "probability": "0.01"}}
    shown = (
        ("pruner", "{pruner}"),
        ("ratio", "{ratio}"),
        ("P_V", "{vertices_pruned}"),
        ("C", "{C}"),
        ("1 - b / n", "{C_ceiling}"),
    )
    notes = (
        "P_V is the share of vertices that are not to choose from, and C the ratio times P_V. With a ratio of 1 and b "
        "vertices kept it is 1 - b / n. It can be higher where fewer than b vertices are as good, or where a ratio is "
        "above 1.",
    )

    @property
    def listed(self) -> tuple[str, ...]:
        return tuple(name for name in (*PUBLISHED, "gcomb-p", *_UNPUBLISHED) if name in all_pruners())

    def case(self, cell: Cell) -> Case:
        return _whole_case(cell.source, cell.seed)

    def row(self, study: Study, source: Source, pruner: str, one: OneGraph) -> Row:
        found = one.by_pruner.get(pruner, {})
        ground = found.get("ground-set") or {}
        figures = {
            "pruner": pruner,
            **{name: ground.get(name) for name in ("ratio", "ratio_stderr", "vertices_pruned")},
            "C": ground.get("combined"),
            "C_ceiling": one.ceiling,
            "seeds": found.get("seeds", 0),
        }
        return self.named(study, source, pruner, figures)

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
    means = {name: Mean.of([[row[name]] for row in done]).value for name in ("C", "ratio", "vertices_pruned")}
    return said(_FACTORS, means) + (f", {len(done)} of {len(asked)} graphs" if len(done) < len(asked) else "")


def _theirs(pruner: str, problem: str) -> str:
    place = STUDY_PROBLEMS.index(problem)
    if pruner not in PUBLISHED_C:
        return NONE
    if pruner not in PUBLISHED:
        return f"{PUBLISHED_C[pruner][place]:.3f}"
    ratio, share = PUBLISHED[pruner][place]
    return said(_FACTORS, {"C": PUBLISHED_C[pruner][place], "ratio": ratio, "vertices_pruned": share})
