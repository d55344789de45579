"""LeNSE and other pruners: the paper's table 1, all pruners side by side, and the objectives of later studies."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from lense._util.classes import known_class, registered
from lense._util.measuring import Mean
from lense.experiments import comparison
from lense.experiments.comparison import LENSE, PART, WHOLE, Comparison, OneGraph, in_order, left_out, takes_part
from lense.experiments.experiment import Experiment, Pictures
from lense.experiments.study import Study
from lense.experiments.tables import (
    LEGEND,
    MARKS,
    NONE,
    RATIO,
    SHARES,
    Column,
    Row,
    Table,
    format_cell,
    grouped,
    mark,
    short,
    titled,
)
from lense.navigation.baselines import DegreeWalk, RandomWalk, RankWalk
from lense.paper import BUDGET, COMPARED, PUBLISHED, PUBLISHED_C, RESULTS, STUDY_PROBLEMS, published
from lense.pruners.registry import GROUP as PRUNERS

METHODS = {name: known_class(name, PRUNERS).get_title() for name in COMPARED}
"""The pruners of the paper's table under the names they have there."""
BASELINES = {one.name: f"floor_{one.name.removesuffix('-walk')}_" for one in (RandomWalk, DegreeWalk, RankWalk)}
"""Walks like LeNSE's that learn nothing, or nothing but which feature to follow, and how their columns begin."""
FRAME = {"ceiling": "ceiling_", **{name.replace("-", " "): prefix for name, prefix in BASELINES.items()}}
_LESS = 5
LESS = f"{MARKS['worse']} beside P_V / P_E: over {_LESS} points fewer of one of them are pruned than in the paper."
_PERCENTS = "{#vertices_pruned_pct:.0f} / {#edges_pruned_pct:.0f}"
"""Those of a prefix instead of #."""
_CELLS = Comparison("rivals")
"""The cells on the paper's graphs, of which there are two tables."""


def _paper_rows(experiment: Experiment, study: Study, listed: Sequence[str]) -> list[Row]:
    """A row for each graph, problem and pruner: the columns of the paper's table first, ours and theirs."""
    rows = []
    for source in study.sources:
        one = _CELLS.compared(study, source)
        frame = _frame(one) if isinstance(experiment, Table1) else {}
        for pruner in (name for name in listed if takes_part(name, source)):
            row = one.by_pruner.get(pruner)
            part, ground = ((row and row[mode]) or {} for mode in ("subgraph", "ground-set"))
            known = published(source.problem, source.paper_graph if study.budget == BUDGET else None, pruner)
            paper: Row = {} if known is None else known._asdict()
            ours, theirs = (Mean(each.get("ratio"), each.get("ratio_stderr")) for each in (part, paper))
            failed = f"failed: {row['error']}" if row and row["error"] else ""
            rows.append(
                {
                    "problem": source.problem_label,
                    "graph": source.graph_name,
                    "method": METHODS.get(pruner, pruner),
                    "ratio": ours.value,
                    "ratio_stderr": ours.stderr,
                    **_percentages(part),
                    "seeds": row["seeds"] if row else 0,
                    "mark": mark(ours, theirs),
                    "paper_ratio": theirs.value,
                    "paper_ratio_stderr": theirs.stderr,
                    **_percentages(paper, "paper_"),
                    "ground_set_ratio": ground.get("ratio"),
                    "C": ground.get("combined"),
                    "C_ceiling": one.ceiling,
                    **frame,
                    "note": failed if row else experiment.why_empty(study, source, pruner),
                }
            )
    return rows


def _frame(one: OneGraph) -> Row:
    """The ceiling and the floors, which are the same for all pruners of a graph and problem."""
    tops = [asdict(whole.found.ceiling) for whole in one.wholes if whole.found.ceiling is not None]
    top = {name: float(np.mean([each[name] for each in tops])) for name in ("ratio", *SHARES)} if tops else {}
    floors = {prefix: one.by_pruner.get(name, {}).get("subgraph") or {} for name, prefix in BASELINES.items()}
    made: Row = {}
    for prefix, figures in {"ceiling_": top, **floors}.items():
        made |= {f"{prefix}ratio": figures.get("ratio"), **_percentages(figures, prefix)}
    return made


def _percentages(figures: Row, prefix: str = "") -> Row:
    """The shares pruned under the names and in the unit of the paper's table."""
    shares = {name: figures.get(name) for name in SHARES}
    return {f"{prefix}{name}_pct": None if share is None else 100 * share for name, share in shares.items()}


def _is_less(row: Row, name: str) -> bool:
    """Whether a share pruned is more than 5 points below the paper's."""
    ours, theirs = row[f"{name}_pct"], row[f"paper_{name}_pct"]
    return None not in (ours, theirs) and bool(ours < theirs - _LESS)


def _ratio(row: Row) -> str:
    return short(row["note"]) or NONE if row["ratio"] is None else format_cell(f"{RATIO}{{mark: mark}}", row)


def _pruned(row: Row) -> str:
    less = any(_is_less(row, share) for share in SHARES)
    return format_cell(_PERCENTS.replace("#", "") + "{less: mark}", {**row, "less": "worse" if less else None})


_COMPARED: tuple[Column, ...] = (
    ("graph", "{graph}"),
    ("method", "{method}"),
    ("ratio", _ratio),
    ("P_V / P_E", _pruned),
    ("in the paper", "{paper_ratio}{paper_ratio_stderr: ± }"),
    ("P_V / P_E", _PERCENTS.replace("#", "paper_")),
)
_ALL_COMPARED: tuple[Column, ...] = (("problem", "{problem}"), *_COMPARED, ("C", "{C} of {C_ceiling}"))


def _framed(heading: str, prefix: str) -> Column:
    """The ratio and shares of a ceiling or floor, once for all pruners of a graph and problem."""
    text = f"{{{prefix}ratio}} at {_PERCENTS.replace('#', prefix)}"
    return heading, lambda row: format_cell(text, row) if row["method"] == METHODS[LENSE] else ""


class Table1(Experiment):
    """Ratio, P_V and P_E of LeNSE, GNN-R, GNN-T and GCOMB-P, and below them of those that need less than LeNSE."""

    name = "table1"
    title = "Table 1"
    place = 1
    pairs = tuple((graph, problem) for problem, graph in RESULTS)
    narrow = _COMPARED
    notes = (f"{LEGEND} {LESS}",)
    beside = ("core", "bounds", "discount-roots", "top-roots")
    """Pruners below those of the paper: simple rules, and what came after it."""
    runner = _CELLS

    @property
    def variants(self) -> tuple[str, ...]:
        known = comparison.all_pruners()
        return (WHOLE, *METHODS, *(name for name in (*self.beside, *BASELINES) if name in known))

    def rows(self, study: Study) -> list[Row]:
        return _paper_rows(self, study, [name for name in self.variants[1:] if name not in BASELINES])

    def columns(self, study: Study) -> Sequence[Column]:
        return [*_ALL_COMPARED, *(_framed(*one) for one in FRAME.items())]

    def more(self, study: Study) -> list[str]:
        return [
            "",
            "P_V and P_E are per cent of vertices and edges pruned, C is the ground-set ratio times the share of "
            "vertices that are not to choose from. The ceiling is the subgraph of the whole graph's solution; the "
            "floors are walks with random swaps, with the swap of largest gain in degree, and with that of largest "
            "gain in rank by the feature that separates the solution best.",
        ]


_SIDES = (
    "As subgraphs: ratio at P_V / P_E",
    "As ground sets: C and in brackets the ratio",
    "Time to prune, in multiples of the heuristic's on the whole graph",
)


class Rivals(Experiment):
    """Not in the paper; a figure for each graph and problem, and tables of all pruners side by side."""

    name = "rivals"
    title = "Pruners on one footing"
    place = 7
    pairs = Table1.pairs
    narrow = _COMPARED
    notes = Table1.notes
    runner = _CELLS

    @property
    def variants(self) -> tuple[str, ...]:
        return _CELLS.variants

    def rows(self, study: Study) -> list[Row]:
        recorded = {record.variant for record in self.records(study).values()}
        rows = _paper_rows(self, study, in_order({*self.variants, *recorded} - {WHOLE}))
        return [row for row in rows if row["ratio"] is not None or row["paper_ratio"] is not None]

    def columns(self, study: Study) -> Sequence[Column]:
        return _ALL_COMPARED

    def more(self, study: Study) -> list[str]:
        """Every pruner on every graph, a table for each problem."""
        tables = side_by_side([_CELLS.compared(study, source) for source in study.sources])
        pages = ((title, "\n".join(map(titled, some)).rstrip()) for title, some in tables.items())
        missing = (f"- {line}" for line in left_out(self.variants[1:], study.sources))
        return [*missing, *(line for title, page in pages for line in ("", f"## {title}", "", page))]

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        from lense.plots.fronts import draw_fronts

        for source in study.sources:
            if found := _CELLS.compared(study, source).rows:
                title = f"{source.problem} on {source.graph_name}, budget {study.budget:g}"
                yield f"{self.name}-{source.pair_name}", draw_fronts(found, title)


def side_by_side(compared: Iterable[OneGraph]) -> dict[str, list[Table]]:
    """Several comparisons, a table for each problem, by what the cells say."""
    known = [one for one in compared if one.rows and one.wholes]
    pruners = in_order({name for one in known for name in one.by_pruner})
    labels = {one.source.problem_label for one in known}
    made: dict[str, list[Table]] = {title: [] for title in _SIDES} if known else {}
    order = list(registered("lense.problems"))
    for problem in sorted(labels, key=lambda label: ([*order, label].index(label), label)):
        graphs = {one.source.graph_name: one for one in known if one.source.problem_label == problem}
        cells = [[_cells(name, graphs[graph]) for graph in sorted(graphs)] for name in pruners]
        for i, tables in enumerate(made.values()):
            lines = [(name, *(cell[i] for cell in some)) for name, some in zip(pruners, cells, strict=True)]
            tables.append((problem, ("pruner", *sorted(graphs)), lines))
    return made


def _cells(pruner: str, one: OneGraph) -> tuple[str, ...]:
    if pruner not in one.by_pruner:
        return (NONE,) * len(_SIDES)
    row = one.by_pruner[pruner]
    shown = zip(("subgraph", "ground-set"), (PART, "{combined} ({ratio})"), strict=True)
    solved = ("failed" if row[mode] is None else format_cell(template, row[mode]) for mode, template in shown)
    return *solved, one.time(row["prune_seconds"])


_GRAPHS = ("facebook", "wiki", "deezer", "slashdot")
_FACTORS = "{C} ({ratio} x {vertices_pruned})"


class Published(Experiment):
    """Not in the paper: QuickPrune and its rivals on domination, cut, and im with p = 0.01.

    What a pruner keeps is a ground set of the whole graph. Those that learn do so from the train side of the split,
    whose edges are part of that graph.
    """

    name = "published"
    title = "Pruners on the objectives of their own studies"
    place = 8
    pairs = tuple((graph, problem) for problem in STUDY_PROBLEMS for graph in _GRAPHS)
    beside = ("gcomb-p", "llm2prune", "top-roots", "discount-roots", "core")
    """Pruners below those of which the studies have all figures."""
    options: ClassVar[dict[str, dict[str, Any]]] = {"im": {"model": "constant", "probability": "0.01"}}
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
    runner = Comparison("published", on_whole=True)

    @property
    def variants(self) -> tuple[str, ...]:
        known = comparison.all_pruners()
        return WHOLE, *(name for name in (*PUBLISHED, *self.beside) if name in known)

    def rows(self, study: Study) -> list[Row]:
        rows = []
        for source in study.sources:
            one = self.runner.compared(study, source)
            for pruner in (name for name in self.variants[1:] if takes_part(name, source)):
                found = one.by_pruner.get(pruner, {})
                ground = found.get("ground-set") or {}
                figures = {
                    "pruner": pruner,
                    **{name: ground.get(name) for name in ("ratio", "ratio_stderr", "vertices_pruned")},
                    "C": ground.get("combined"),
                    "C_ceiling": one.ceiling,
                    "seeds": found.get("seeds", 0),
                }
                rows.append(self.named(study, source, pruner, figures))
        return rows

    def more(self, study: Study) -> list[str]:
        """The means over graphs, beside the published ones."""
        by_problem = {name.partition("+")[0]: rows for name, rows in grouped(self.rows(study), "problem").items()}
        known = [problem for problem in STUDY_PROBLEMS if problem in by_problem]
        headings = ("pruner", *(f"{problem}: {whose}" for problem in known for whose in ("ours", "theirs")))
        lines = [
            (name, *(text for problem in known for text in (_ours(name, by_problem[problem]), _theirs(name, problem))))
            for name in self.variants[1:]
        ]
        title = "C, and ratio x share of vertices pruned: means over our graphs, and over eight of theirs"
        return ["", "## Beside the published means", "", titled((title, headings, lines)).rstrip()]


def _ours(pruner: str, rows: Iterable[Row]) -> str:
    asked = [row for row in rows if row["pruner"] == pruner]
    done = [row for row in asked if row["C"] is not None]
    if not done:
        return "not run"
    means = {name: Mean.of([[row[name]] for row in done]).value for name in ("C", "ratio", "vertices_pruned")}
    return format_cell(_FACTORS, means) + (f", {len(done)} of {len(asked)} graphs" if len(done) < len(asked) else "")


def _theirs(pruner: str, problem: str) -> str:
    place = STUDY_PROBLEMS.index(problem)
    if pruner not in PUBLISHED_C:
        return NONE
    if pruner not in PUBLISHED:
        return f"{PUBLISHED_C[pruner][place]:.3f}"
    ratio, share = PUBLISHED[pruner][place]
    return format_cell(_FACTORS, {"C": PUBLISHED_C[pruner][place], "ratio": ratio, "vertices_pruned": share})
