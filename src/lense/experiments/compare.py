"""Pruners on one graph: what was found as rows and tables, and ``lense compare``, which runs those chosen."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.experiments.comparison import (
    LENSE,
    MEASURED,
    SHARES,
    WHOLE,
    Comparison,
    Pruned,
    Whole,
    all_pruners,
    takes_part,
)
from lense.experiments.models import SharedModel
from lense.experiments.store import Measures, Record
from lense.experiments.study import Cell, Source, Study, file_digest, named, source_of
from lense.experiments.tables import Row, Table, comma_separated, titled, with_error, write_figure
from lense.files import read_json, write_text
from lense.paper import BUDGET, published
from lense.parts import MODES
from lense.statistics import Mean

FILES = ("front.png", "front.svg", "table.csv", "table.md")
_AS_EVER = (None, "auto")
"""Options of reading that leave the choice to the file."""


class Compared(Comparison):
    """The cells of a comparison on one graph of the user's, in a folder of its own."""

    name = "records"
    needed = WHOLE

    def __init__(self, *pruners: str) -> None:
        self.asked = (WHOLE, *pruners)

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.asked, *all_pruners())))

    def cells(self, study: Study) -> list[Cell]:
        """Also those of other pruners compared in that folder before LeNSE was, which have sizes of their own."""
        known = {key for key in self.records(study) if key[-1] != LENSE}
        return [cell for cell in super().cells(study) if cell.variant in self.asked or cell.key in known]

    def rows(self, study: Study) -> list[Row]:
        """A row for each pruner, also of those that an earlier command compared."""
        return OneGraph(list(self.records(study).values())).rows

    def columns(self, study: Study) -> Mapping[str, str]:
        return {}  # its page has several tables


def compare(study: Study, pruners: Sequence[str]) -> "OneGraph":
    """Run what is not in ``study.out`` yet; all that was compared there, which is also written as ``FILES``.

    Cells that failed are run again by the next call. The folder keeps to its plan: another one is refused.
    """
    experiment = Compared(*pruners)
    _check(study, pruners)
    plan, path = plan_of(study), study.out / "plan.json"
    known = read_json(path) if path.is_file() else plan
    if not isinstance(known, dict):
        raise LenseError(f"{path} is not the plan of a comparison: choose another folder.")
    if known != plan:
        names = sorted(name for name in {*known, *plan} if known.get(name) != plan.get(name))
        raise LenseError(f"{study.out} holds a comparison with another {', '.join(names)}: choose another folder.")
    is_new = not study.out.exists()
    write_text(path, json.dumps(plan, indent=1) + "\n")
    try:
        experiment.run(study)
    finally:
        if not experiment.records(study):  # a start that fails leaves no trace
            path.unlink()
            if is_new:
                study.out.rmdir()
    found = OneGraph(list(experiment.records(study).values()))
    _write(study, found)
    return found


def _check(study: Study, pruners: Sequence[str]) -> None:
    """Raise for what no pruner can mend."""
    from lense.pruners.registry import parse_pruner

    if not pruners:
        raise LenseError("A comparison needs at least one pruner.")
    for name in pruners:
        parse_pruner(name)
    study.check()
    (source,) = study.sources
    if not any(takes_part(name, source) for name in pruners):
        raise LenseError(f"None of these pruners is for {source.problem}: {', '.join(pruners)}.")
    if study.model is not None and LENSE in pruners:
        for seed in study.seeds:
            SharedModel(study, study.sources[0], seed).load()


def plan_of(study: Study) -> Row:
    """What every record of a comparison depends on, whichever pruners and seeds there are."""
    (source,) = study.sources
    plan = {
        "graph": named(source.graph),
        "train": None if source.train is None else named(source.train),
        "files": [digest for graph in (source.graph, source.train) if (digest := file_digest(graph)) is not None],
        "reading": {name: str(value) for name, value in sorted(source.reading.items()) if value not in _AS_EVER},
        "train_share": None if source.paper_graph else source.train_share,
        "problem": source.problem,
        "options": source.text_options,
        "budget": study.budget,
        "episodes": study.episodes,
        "preset": study.preset,
        "settings": {name: str(value) for name, value in sorted(study.settings.items())},
        "model": None if study.model is None else Path(study.model).name,
    }
    made: Row = json.loads(json.dumps(plan))
    return made


def _write(study: Study, found: "OneGraph") -> None:
    from lense.plots.fronts import draw_fronts

    title = f"{study.sources[0].problem} on {study.sources[0].title}, budget {study.budget:g}"
    for name in FILES[:2]:
        write_figure(study.out / name, draw_fronts(found.rows, title))
    for name, text in zip(FILES[2:], (comma_separated(found.rows), found.page(title)), strict=True):
        write_text(study.out / name, text)


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
    def ceiling(self) -> float:
        """C = ratio x share pruned of a ratio of 1 with no vertex kept but the b of the solution: 1 - b / n."""
        return float(np.mean([1 - len(one.found.vertices) / one.found.test.vertices for one in self.wholes]))

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
        order = {name: i for i, name in enumerate(all_pruners())}
        found = {record.variant for record in self.records} - {WHOLE}
        names = sorted(found, key=lambda name: (order.get(name, len(order)), name))
        rows = [_row(name, [record for record in self.records if record.variant == name]) for name in names]
        for mode in MODES:
            solved = [row[mode] for row in rows if row[mode] is not None]
            for share in SHARES:
                _mark_front(solved, share)
        return rows

    @cached_property
    def by_pruner(self) -> dict[str, Row]:
        return {row["pruner"]: row for row in self.rows}

    def tables(self, *, relative: bool = False) -> list[Table]:
        """The rows for people: as subgraphs, as ground sets, and what they cost; * marks the front by vertices pruned.

        Times are in seconds, or if ``relative`` in multiples of what the heuristic takes on the whole graph, which is
        what may be compared between machines.
        """

        def time(seconds: float | None) -> str:
            if relative or seconds is None:
                return multiple(self.unit, seconds)
            return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.1f} s"

        subgraphs, ground_sets = ([(row["pruner"], *_pruned(row[mode])) for row in self.rows] for mode in MODES)
        papers = ["–" if row["paper"] is None else ratio_and_shares(row["paper"], ", ") for row in self.rows]
        top, whole = ("ceiling", "1.000", f"{100 * self.ceiling:.1f} %", f"{self.ceiling:.3f}"), time(self.unit)
        return [
            (
                "As a subgraph (P_V, P_E: shares of vertices and edges pruned)",
                ("pruner", "ratio", "P_V", "P_E", "in the paper"),
                [(*line[:4], paper) for line, paper in zip(subgraphs, papers, strict=True)],
            ),
            (
                "As a ground set, to choose from for the whole graph",
                ("pruner", "ratio", "P_V", "C = ratio x P_V"),
                [*((*line[:3], line[4]) for line in ground_sets), top],
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


def _mark_front(solved: Sequence[Row], share: str) -> None:
    """Say of each whether no other has both a higher ratio and a larger share pruned, or one of them as high."""
    points = [(one["ratio"], one[share]) for one in solved]
    for one, (ratio, pruned) in zip(solved, points, strict=True):
        beaten = any(r >= ratio and p >= pruned and (r, p) != (ratio, pruned) for r, p in points)
        one["front"][share] = not beaten


def _pruned(figures: Row | None) -> tuple[str, ...]:
    """Ratio, both shares, and C."""
    if figures is None:
        return "failed", "–", "–", "–"
    ratio = with_error(figures["ratio"], figures["ratio_stderr"])
    star = " *" if figures["front"]["vertices_pruned"] else "  "
    return f"{ratio}{star}", *(f"{100 * figures[name]:.1f} %" for name in SHARES), f"{figures['combined']:.3f}"


def _spent(row: Row, time: Callable[[float | None], str]) -> tuple[str, ...]:
    fitting = row["fit_note"] or time(row["fit_seconds"])
    pruning = time(row["prune_seconds"]) + (f" ({row['prune_walks']} walks)" if row["prune_walks"] > 1 else "")
    solving = (None if row[mode] is None else row[mode]["seconds"] for mode in MODES)
    mebibytes = None if row["peak_bytes"] is None else row["peak_bytes"] / 2**20
    memory = "–" if mebibytes is None else "< 1 MiB" if mebibytes < 1 else f"{mebibytes:,.0f} MiB"
    return row["pruner"], fitting, pruning, *map(time, solving), memory


def multiple(unit: float, seconds: float | None) -> str:
    """Seconds in multiples of a unit."""
    times = None if seconds is None else seconds / unit
    return "–" if times is None else f"{times:,.0f}" if times >= 100 or times == 0 else f"{times:.2g}"


def ratio_and_shares(figures: Row, between: str = " at ") -> str:
    """Such as "0.978 at 8 / 69", with per cent of vertices and edges pruned."""
    return f"{figures['ratio']:.3f}{between}" + " / ".join(f"{100 * figures[name]:.0f}" for name in SHARES)
