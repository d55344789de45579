"""The paper's table 1: LeNSE and its three rivals, between ceiling and floors."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.measuring import Mean
from lense.experiments.compare import Comparison
from lense.experiments.comparison import LENSE, OneGraph, all_pruners
from lense.experiments.store import Store
from lense.experiments.study import Source, Study
from lense.experiments.tables import LEGEND, MARKS, NONE, RATIO, SHARES, Column, Row, grouped, mark, said, short
from lense.paper import BUDGET, RESULTS, published

METHODS = {"lense": "LeNSE", "gnn-r": "GNN-R", "gnn-t": "GNN-T", "gcomb-p": "GCOMB-P"}
"""The pruners of the paper's table under the names they have there."""
BESIDE = ("core", "bounds", "discount-roots", "top-roots")
"""Pruners that stand below those of the paper: simple rules, and what came after it."""
FLOORS = {"random-walk": "floor_random_", "degree-walk": "floor_degree_", "rank-walk": "floor_rank_"}
"""Walks like LeNSE's that learn nothing, or nothing but which feature to follow, and how their columns begin."""
FRAME = {"ceiling": "ceiling_", **{name.replace("-", " "): prefix for name, prefix in FLOORS.items()}}
_LESS = 5
LESS = f"{MARKS['worse']} beside P_V / P_E: over {_LESS} points fewer of one of them are pruned than in the paper."
_SHARES = "{#vertices_pruned_pct:.0f} / {#edges_pruned_pct:.0f}"
"""Those of a prefix instead of #."""
_EXPLANATION = (
    "P_V and P_E are per cent of vertices and edges pruned, C is the ground-set ratio times the share of vertices "
    "that are not to choose from. The ceiling is the subgraph of the whole graph's solution; the floors are walks "
    "with random swaps, with the swap of largest gain in degree, and with that of largest gain in rank by the feature "
    "that separates the solution best."
)


def _ratio(row: Row) -> str:
    return short(row["note"]) or NONE if row["ratio"] is None else said(f"{RATIO}{{mark: mark}}", row)


def _pruned(row: Row) -> str:
    less = any(is_less(row, share) for share in SHARES)
    return said(_SHARES.replace("#", "") + "{less: mark}", {**row, "less": "worse" if less else None})


def _framed(prefix: str) -> Column:
    """The ratio and shares of a ceiling or floor, once for all pruners of a graph and problem."""
    text = f"{{{prefix}ratio}} at {_SHARES.replace('#', prefix)}"
    heading = next(name for name, one in FRAME.items() if one == prefix)
    return heading, lambda row: said(text, row) if row["method"] == METHODS[LENSE] else ""


_COMPARED: tuple[Column, ...] = (
    ("graph", "{graph}"),
    ("method", "{method}"),
    ("ratio", _ratio),
    ("P_V / P_E", _pruned),
    ("in the paper", "{paper_ratio}{paper_ratio_stderr: ± }"),
    ("P_V / P_E", _SHARES.replace("#", "paper_")),
)


class PaperComparison(Comparison):
    """Pruners on the test graphs of the paper; all such experiments share their records."""

    pairs = tuple((graph, problem) for problem, graph in RESULTS)
    notes = (f"{LEGEND} {LESS}",)

    def store(self, out: Path) -> Store[Any]:
        return Store(out / "rivals.jsonl", self.figures)

    def row(self, study: Study, source: Source, pruner: str, one: OneGraph) -> Row:
        """The columns of the paper's table first, ours and theirs."""
        row = one.by_pruner.get(pruner)
        part, ground = ((row and row[mode]) or {} for mode in ("subgraph", "ground-set"))
        known = published(source.problem, source.paper_graph if study.budget == BUDGET else None, pruner)
        paper: Row = {} if known is None else known._asdict()
        ours, theirs = (Mean(each.get("ratio"), each.get("ratio_stderr")) for each in (part, paper))
        failed = f"failed: {row['error']}" if row and row["error"] else ""
        return {
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
            **self.frame(one),
            "note": failed if row else self.why_empty(study, source, pruner),
        }

    def frame(self, one: OneGraph) -> Row:
        """What is the same for all pruners of a graph and problem."""
        return {}

    def columns(self, study: Study) -> Sequence[Column]:
        return [("problem", "{problem}"), *_COMPARED, ("C", "{C} of {C_ceiling}")]

    def narrow(self, study: Study) -> Sequence[Column]:
        return _COMPARED


class Table1(PaperComparison):
    """Ratio, P_V and P_E of LeNSE, GNN-R, GNN-T and GCOMB-P, and below them of those that need less than LeNSE."""

    name = "table1"
    title = "Table 1"

    @property
    def listed(self) -> tuple[str, ...]:
        return (*METHODS, *(name for name in BESIDE if name in all_pruners()))

    @property
    def variants(self) -> tuple[str, ...]:
        return (*super().variants, *(name for name in FLOORS if name in all_pruners()))

    def frame(self, one: OneGraph) -> Row:
        tops = [asdict(whole.found.ceiling) for whole in one.wholes if whole.found.ceiling is not None]
        top = {name: float(np.mean([each[name] for each in tops])) for name in ("ratio", *SHARES)} if tops else {}
        floors = {prefix: one.by_pruner.get(name, {}).get("subgraph") or {} for name, prefix in FLOORS.items()}
        made: Row = {}
        for prefix, figures in {"ceiling_": top, **floors}.items():
            made |= {f"{prefix}ratio": figures.get("ratio"), **_percentages(figures, prefix)}
        return made

    def columns(self, study: Study) -> Sequence[Column]:
        return [*super().columns(study), *map(_framed, FRAME.values())]

    def more(self, study: Study) -> list[str]:
        return ["", _EXPLANATION]

    def in_print(self, rows: Sequence[Row]) -> str:
        """A tabular for each problem as in the paper, ours above the paper's; then their ceilings and floors.

        Pruners that the paper does not have are left out.
        """
        problems = grouped([row for row in rows if row["method"] in METHODS.values()], "problem")
        legend = f"{LEGEND} {LESS}".translate(_ESCAPES).replace(r"P\_V / P\_E", "$P_V$ or $P_E$")
        compared = [_compared_in_print(problem, mine) for problem, mine in problems.items()]
        framed = [_framed_in_print(problem, mine) for problem, mine in problems.items()]
        small = r"{\noindent\footnotesize\setlength{\tabcolsep}{5pt}%"
        parts = [f"{small}\n{part}}}" for part in (*compared, rf"{legend}\par", *framed) if part]
        head = "% needs the package booktabs; each tabular can stand in a table of its own\n"
        return head + "\n\n\\medskip\n".join(parts) + "\n"


def _percentages(figures: Row, prefix: str = "") -> Row:
    """The shares pruned under the names and in the unit of the paper's table."""
    shares = {name: figures.get(name) for name in SHARES}
    return {f"{prefix}{name}_pct": None if share is None else 100 * share for name, share in shares.items()}


def is_less(row: Row, name: str) -> bool:
    """Whether a share pruned is more than 5 points below the paper's."""
    ours, theirs = row[f"{name}_pct"], row[f"paper_{name}_pct"]
    return None not in (ours, theirs) and bool(ours < theirs - _LESS)


_TITLES = {"mvc": "Max Vertex Cover", "bmc": "Budgeted Max-Cut", "im": "Influence Maximisation"}
_SUBHEADINGS = ("Ratio", "$P_V$", "$P_E$")
_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "–": "--",
        "▲": r"$\uparrow$",
        "▼": r"$\downarrow$",
        "≈": r"$\approx$",
    }
)


def _compared_in_print(problem: str, rows: Sequence[Row]) -> str:
    body: list[str] = []
    for graph, methods in grouped(rows, "graph").items():
        ours = [cell for row in methods for cell in _triple(row, with_marks=True)]
        if all(row["ratio"] is None for row in methods):
            ours = [rf"\multicolumn{{{len(ours)}}}{{c}}{{{(short(methods[0]['note']) or '–').translate(_ESCAPES)}}}"]
        theirs = [cell for row in methods for cell in _triple(row, "paper_")]
        body += [r"\addlinespace[2pt]"] if body else []
        body += [_line(graph.translate(_ESCAPES), "ours", *ours), _line("", "paper", *theirs)]
    return _tabular(_TITLES.get(problem, problem), ("Graph", ""), list(METHODS.values()), body)


def _framed_in_print(problem: str, rows: Sequence[Row]) -> str:
    """Empty where no ceiling is known."""
    known = [row for row in rows if row["method"] == METHODS[LENSE] and row["ceiling_ratio"] is not None]
    cells = {row["graph"]: [cell for one in ("", *FRAME.values()) for cell in _triple(row, one)] for row in known}
    body = [_line(graph.translate(_ESCAPES), *found) for graph, found in cells.items()]
    groups = [METHODS[LENSE], *(name.capitalize() for name in FRAME)]
    return _tabular(f"{_TITLES.get(problem, problem)}: ceiling and floors", ("Graph",), groups, body) if known else ""


def _triple(row: Row, prefix: str = "", *, with_marks: bool = False) -> list[str]:
    """Ratio and both shares as the paper prints them, with the standard error of LeNSE's ratio in brackets."""
    ratio, stderr = row[f"{prefix}ratio"], row.get(f"{prefix}ratio_stderr")
    if ratio is None:
        return ["--"] * 3
    error = f" ({stderr:.3f})" if stderr is not None and row["method"] == METHODS[LENSE] else ""
    texts = [f"{ratio:.3f}{error}", *(f"{row[f'{prefix}{name}_pct']:.0f}%" for name in SHARES)]
    kinds = (row["mark"], *("worse" if is_less(row, name) else None for name in SHARES))
    marks = [_raised(kind) if with_marks and kind else "" for kind in kinds]
    return [f"{text.translate(_ESCAPES)}{mark}" for text, mark in zip(texts, marks, strict=True)]


def _raised(kind: str) -> str:
    """A mark that takes no room, so that figures stay in line."""
    return rf"\rlap{{$^{{{MARKS[kind].translate(_ESCAPES).strip('$')}}}$}}"


def _line(*cells: str) -> str:
    return " & ".join(cells) + r" \\"


def _tabular(title: str, words: Sequence[str], groups: Sequence[str], body: Sequence[str]) -> str:
    """Three columns of figures for each of the ``groups`` after those of ``words``."""
    width, first = len(_SUBHEADINGS), len(words) + 1
    starts = [first + width * i for i in range(len(groups))]
    lines = [
        rf"\begin{{tabular}}{{{'l' * len(words)}{'r' * width * len(groups)}}}",
        r"\toprule",
        _line(*("" for _ in words), *(rf"\multicolumn{{{width}}}{{c}}{{{name}}}" for name in groups)),
        " ".join(rf"\cmidrule(lr){{{start}-{start + width - 1}}}" for start in starts),
        _line(*words, *_SUBHEADINGS * len(groups)),
        r"\midrule",
        _line(rf"\multicolumn{{{len(words) + width * len(groups)}}}{{c}}{{{title}}}"),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)
