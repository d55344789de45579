"""Pruners on one graph: what is kept of each, and rows and tables of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.classes import registered
from lense._util.measuring import Mean
from lense.errors import LenseError
from lense.experiments.store import Measures, Record, Shares, Size
from lense.experiments.study import Case, Source, source_of
from lense.experiments.tables import NONE, RATIO, SHARES, Row, Table, said, titled
from lense.graph.subgraph import Subgraph
from lense.paper import BUDGET, published
from lense.problems import get_problem
from lense.problems.parts import MODES

if TYPE_CHECKING:
    from lense.evaluation import Yardstick

LENSE, WHOLE = "lense", "whole-graph"
"""The pruner whose size others get, and the variant of the heuristic on the whole graph."""
MEASURED = ("ratio", *SHARES, "seconds")
PART = "{ratio} at {vertices_pruned:%.0f} / {edges_pruned:%.0f}"
"""Such as "0.978 at 8 / 69", with per cent of vertices and edges pruned."""
_ROOTS = ("roots_per_budget=1", "roots_per_budget=1.5", "roots_per_budget=3", "target=0.99")
OTHER_SIZES = {"discount-roots": _ROOTS, "top-roots": _ROOTS}
"""Parameters with which pruners whose size is a choice are compared, besides those that they have by default."""


@dataclass(frozen=True)
class Whole:
    """The heuristic on the whole test graph, which every ratio is to; the ceiling is the part of its own solution."""

    train: Size
    test: Size
    solver: str
    score: float
    stderr: float
    seconds: float
    vertices: list[int]
    ceiling: Shares | None = None

    def yardstick(self, case: Case, budget: float, seed: int) -> "Yardstick":
        """What ratios are measured by, with this solution of the whole graph."""
        from lense.evaluation import Yardstick
        from lense.problems import Solution

        best = Solution(
            problem=case.problem.name,
            solver=self.solver,
            budget=budget,
            indices=np.array(self.vertices, np.int64),
            score=self.score,
            stderr=self.stderr,
            seconds=self.seconds,
        )
        return Yardstick(case.problem, case.test, budget, seed=seed, best=best)


@dataclass(frozen=True)
class Costs:
    """Seconds and memory of one fit, or of pruning once; of ``walks`` side by side, of all of them."""

    seconds: float | None = None
    peak_bytes: int | None = None
    walks: int = 1
    note: str = ""


@dataclass(frozen=True)
class Parts:
    """The sizes of what was kept, a value for each part."""

    vertices: list[int]
    edges: list[int]
    roots: list[int]


@dataclass(frozen=True)
class Pruned:
    """One pruner with one seed: what it took, what it kept, and what the heuristic reached with that in both modes.

    ``given_size`` is as much of LeNSE's ``size`` as the pruner takes: None for one that takes none.
    """

    fit: Costs
    prune: Costs
    parts: Parts
    size: dict[str, int]
    subgraph: Measures
    ground_set: Measures
    given_size: dict[str, int] | None = None

    def measures(self, mode: str) -> Measures:
        found: Measures = getattr(self, mode.replace("-", "_"))
        return found


def measures(yardstick: "Yardstick", parts: Sequence[Subgraph], mode: str = "subgraph") -> Measures:
    """What the heuristic reaches with each of the parts."""
    columns: dict[str, list[float | None]] = {name: [] for name in MEASURED}
    errors: dict[str, None] = {}
    for episode, part in enumerate(parts):
        try:
            found: object = yardstick.measure(part, episode, mode)
        except LenseError as error:
            found, errors[str(error)] = None, None
        for name in MEASURED:
            columns[name].append(None if found is None else rounded(name, getattr(found, name)))
    return Measures(**columns, errors=list(errors))


def rounded(name: str, value: float) -> float:
    """A figure with no more digits than mean something: there are tens of thousands of them."""
    return float(f"{value:.4g}") if name == "seconds" else round(value, 8)


@cache  # which packages are installed does not change meanwhile, and to look takes long for one of many cells
def all_pruners() -> tuple[str, ...]:
    """The names of the pruners registered, LeNSE first; those of :data:`OTHER_SIZES` also with those."""
    names = sorted(registered("lense.pruners"), key=lambda name: (name != LENSE, name))
    return tuple(one for name in names for one in (name, *(f"{name}:{size}" for size in OTHER_SIZES.get(name, ()))))


def in_order(pruners: Iterable[str]) -> list[str]:
    """Those registered in their order, then all others."""
    order = {name: i for i, name in enumerate(all_pruners())}
    return sorted(pruners, key=lambda name: (order.get(name, len(order)), name))


def takes_part(pruner: str, source: Source) -> bool:
    """Whether a pruner is for the problem of ``source``; one that cannot run here is taken to be."""
    return _is_for(pruner, source.problem, tuple(source.text_options.items()))


@cache
def _is_for(pruner: str, problem: str, options: tuple[tuple[str, str], ...]) -> bool:
    from lense.pruners.registry import can_run, pruner_class, pruner_names

    if pruner not in pruner_names() or not can_run(pruner) or problem not in registered("lense.problems"):
        return True
    return pruner_class(pruner).supports(get_problem(problem, **dict(options)))


def left_out(pruners: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """A line for each problem that some of the pruners are not for."""
    found: dict[str, dict[str, None]] = {}
    for source in sources:
        for name in (name for name in pruners if not takes_part(name, source)):
            found.setdefault(source.problem, {})[name] = None
    return [f"left out, not being for {problem}: {', '.join(names)}" for problem, names in found.items()]


@dataclass(frozen=True)
class OneGraph:
    """All ``records`` of pruners on one graph with one problem."""

    records: Sequence[Record[Any]]

    @property
    def source(self) -> Source:
        return source_of(self.records[0])

    @cached_property
    def wholes(self) -> list[Record[Whole]]:
        """The heuristic on the whole graph, for each seed."""
        return [record for record in self.records if record.variant == WHOLE and record.figures is not None]

    @property
    def unit(self) -> float:
        """The seconds of the heuristic on the whole graph."""
        return float(np.mean([whole.found.seconds for whole in self.wholes]))

    @property
    def ceiling(self) -> float | None:
        """C = ratio x share pruned of a ratio of 1 with no vertex kept but the b of the solution: 1 - b / n."""
        return _mean(1 - len(one.found.vertices) / one.found.test.vertices for one in self.wholes)

    @property
    def sizes(self) -> str:
        """Vertices and edges of the test graphs."""
        return ", ".join(f"{one.found.test.vertices:,} and {one.found.test.edges:,}" for one in self.wholes)

    @cached_property
    def rows(self) -> list[Row]:
        """One row for each pruner, LeNSE first; those that failed with every seed say why.

        Figures are means over seeds of the means over parts; the standard error of a ratio is that over the seeds, or
        over the parts if there is but one seed. The paper's figures for its graphs and its budget stand beside.
        """
        names = in_order({record.variant for record in self.records} - {WHOLE})
        rows = [_row(name, [record for record in self.records if record.variant == name]) for name in names]
        for mode in MODES:
            _mark_fronts([row[mode] for row in rows if row[mode] is not None])
        return rows

    @cached_property
    def by_pruner(self) -> dict[str, Row]:
        return {row["pruner"]: row for row in self.rows}

    def time(self, seconds: float | None, *, relative: bool = True) -> str:
        """Seconds in multiples of what the heuristic takes on the whole graph, which machines have in common."""
        if seconds is None:
            return NONE
        if not relative:
            return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.1f} s"
        return multiple(seconds / self.unit)

    def tables(self, *, relative: bool = False) -> list[Table]:
        """The rows for people: as subgraphs, as ground sets, and what they cost; * marks the front by vertices pruned.

        Times are in seconds, or if ``relative`` in multiples of what the heuristic takes on the whole graph.
        """
        time = partial(self.time, relative=relative)
        subgraphs, ground_sets = ([(row["pruner"], *_pruned(row[mode])) for row in self.rows] for mode in MODES)
        papers = [said(PART.replace(" at", ","), row["paper"] or {}) for row in self.rows]
        top, whole = said("ceiling|1.000|{top:%.1f} %|{top}", {"top": self.ceiling}), time(self.unit)
        return [
            (
                "As a subgraph (P_V, P_E: shares of vertices and edges pruned)",
                ("pruner", "ratio", "P_V", "P_E", "in the paper"),
                [(*line[:4], paper) for line, paper in zip(subgraphs, papers, strict=True)],
            ),
            (
                "As a ground set, to choose from for the whole graph",
                ("pruner", "ratio", "P_V", "C = ratio x P_V"),
                [*((*line[:3], line[4]) for line in ground_sets), tuple(top.split("|"))],
            ),
            (
                "What it takes" + (", in multiples of the heuristic's time on the whole graph" if relative else ""),
                ("pruner", "fit", "prune", "solve: subgraph", "ground set", "memory"),
                [*(_spent(row, time) for row in self.rows), ("whole graph", "", "", whole, whole, "")],
            ),
        ]

    def failures(self) -> list[str]:
        """What went wrong, once for all pruners to which it happened, and which pruners miss some of the seeds."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            if row["error"] is not None:
                failed = f" ({row['failed']} of {row['failed'] + row['seeds']} seeds)" if row["failed"] else ""
                found.setdefault(row["error"], []).append(f"{row['pruner']}{failed}")
        seeds = len(self.wholes)
        few = [row["pruner"] for row in self.rows if row["seeds"] + row["failed"] < seeds]
        lines = [f"failed: {', '.join(names)}: {error}" for error, names in found.items()]
        return [*lines, *([f"not run with all {seeds} seeds: {', '.join(few)}"] if few else [])]

    def page(self, title: str) -> str:
        """The comparison as a page of Markdown."""
        about = (
            f"Heuristic: {self.wholes[0].found.solver}. Seeds: {', '.join(str(whole.seed) for whole in self.wholes)}; "
            f"vertices and edges of their test graphs: {self.sizes}. A ratio is followed by its standard error over "
            "the seeds; * marks the front of ratio against vertices pruned. C is the ground-set ratio times the share "
            "of vertices that are not to choose from; its ceiling 1 - b / n is that of a ratio of 1 with b vertices "
            "kept. Memory is the most that fitting or pruning holds beyond what was there before."
        )
        tables, failures = map(titled, self.tables(relative=True)), (f"- {line}" for line in self.failures())
        return "\n".join([f"# {title}", "", about, "", *tables, *failures]).rstrip() + "\n"


def multiple(times: float) -> str:
    """A multiple with two digits, or as many as it has before the point."""
    return f"{times:,.0f}" if times >= 100 or times == 0 else f"{times:.2g}"


def _row(name: str, records: Sequence[Record[Pruned]]) -> Row:
    done, first = [record.figures for record in records if record.figures is not None], records[0]
    errors = [record.error for record in records if record.error is not None]
    errors += [error for one in done for mode in MODES for error in one.measures(mode).errors]
    paper = published(first.problem, source_of(first).paper_graph if first.budget == BUDGET else None, name)
    return {
        "pruner": name,
        "seeds": len(done),
        "failed": len(records) - len(done),
        "error": errors[0] if errors else None,
        **{mode: _figures([one.measures(mode) for one in done]) for mode in MODES},
        "fit_note": next((one.fit.note for one in done if one.fit.note), None),
        "fit_seconds": _mean(one.fit.seconds for one in done),
        "prune_seconds": _mean(one.prune.seconds for one in done),
        "prune_walks": next((one.prune.walks for one in done if one.prune.walks > 1), 1),
        "peak_bytes": max((c.peak_bytes for one in done for c in (one.fit, one.prune) if c.peak_bytes), default=None),
        "vertices": _mean(count for one in done for count in one.parts.vertices),
        "roots": _mean(count for one in done for count in one.parts.roots),
        "paper": None if paper is None else paper._asdict(),
    }


def _figures(by_seed: Sequence[Measures]) -> Row | None:
    """Means in one mode, or None where the heuristic found nothing in any part."""
    solved = [one for one in by_seed if one.known("ratio")]
    if not solved:
        return None
    means = {name: Mean.of([one.known(name) for one in solved]) for name in MEASURED}
    products = [np.multiply(one.known("ratio"), one.known("vertices_pruned")).tolist() for one in solved]
    values = {name: mean.value for name, mean in means.items()}
    return {**values, "combined": Mean.of(products).value, "ratio_stderr": means["ratio"].stderr, "front": {}}


def _mean(values: Iterable[float | None]) -> float | None:
    return Mean.of([[value] for value in values if value is not None]).value


def _mark_fronts(solved: Sequence[Row]) -> None:
    """Say of each whether no other has both a higher ratio and a larger share pruned, or one of them as high."""
    for share in SHARES:
        points = [(one["ratio"], one[share]) for one in solved]
        for one, point in zip(solved, points, strict=True):
            one["front"][share] = not any(p != point and p[0] >= point[0] and p[1] >= point[1] for p in points)


def _pruned(figures: Row | None) -> tuple[str, ...]:
    """Ratio, both shares, and C."""
    if figures is None:
        return "failed", NONE, NONE, NONE
    star = " *" if figures["front"]["vertices_pruned"] else "  "
    cells = said(f"{RATIO}{star}|{{vertices_pruned:%.1f}} %|{{edges_pruned:%.1f}} %|{{combined}}", figures)
    return tuple(cells.split("|"))


def _spent(row: Row, time: Callable[[float | None], str]) -> tuple[str, ...]:
    pruning = time(row["prune_seconds"]) + (f" ({row['prune_walks']} walks)" if row["prune_walks"] > 1 else "")
    solving = (time(None if row[mode] is None else row[mode]["seconds"]) for mode in MODES)
    mebibytes = None if row["peak_bytes"] is None else row["peak_bytes"] / 2**20
    memory = NONE if mebibytes is None else "< 1 MiB" if mebibytes < 1 else f"{mebibytes:,.0f} MiB"
    return row["pruner"], row["fit_note"] or time(row["fit_seconds"]), pruning, *solving, memory
