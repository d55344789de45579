"""``lense compare``: chosen pruners on one graph of the user's, in a folder of its own, and the tables of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lense.errors import LenseError
from lense.experiments.comparison import (
    LENSE,
    SHARES,
    WHOLE,
    Comparison,
    Whole,
    all_pruners,
    ceiling,
    comparison_rows,
    percentages,
    shares,
)
from lense.experiments.models import SharedModel
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study, file_digest, named
from lense.experiments.tables import Row, Table, comma_separated, titled, with_error, write_figure
from lense.files import write_text
from lense.parts import MODES

_AS_EVER = (None, "auto")
"""Options of reading that leave the choice to the file."""


class Compared(Comparison):
    """The cells of a comparison."""

    name = "records"
    keeps_walks = False

    def __init__(self, *pruners: str) -> None:
        self._pruners = tuple(dict.fromkeys(pruners))

    @property
    def pruners(self) -> tuple[str, ...]:
        return self._pruners

    def cells(self, study: Study) -> list[Cell]:
        """Also those of other pruners compared in that folder before LeNSE was, which have sizes of their own."""
        others = [name for name in all_pruners() if name not in (LENSE, *self.pruners)]
        pairs = [(source, seed) for source in study.sources for seed in study.seeds]
        known = (Cell(*pair, name) for pair in pairs for name in others)
        return [*super().cells(study), *(cell for cell in known if cell.key in self.records(study))]

    def must_succeed(self, cell: Cell) -> bool:
        return cell.variant == WHOLE

    def rows(self, study: Study) -> list[Row]:
        """A row for each pruner of the study's only source, also of those that an earlier command compared."""
        known = [record for record in self.records(study).values() if record.variant != WHOLE]
        return comparison_rows(known, study.sources[0].paper_graph)

    def columns(self, study: Study) -> Mapping[str, str]:
        return {}  # its page has several tables


def compare(study: Study, pruners: Sequence[str]) -> Row:
    """Run what is not in ``study.out`` yet; a summary of all that was compared there, also kept as tables and a plot.

    Cells that failed are run again by the next call. The folder keeps to its plan: another one is refused.
    """
    experiment = Compared(*pruners)
    _check(study, pruners)
    plan, path = plan_of(study), study.out / "plan.json"
    known = json.loads(path.read_text()) if path.is_file() else plan
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
    return summary(study)


def _check(study: Study, pruners: Sequence[str]) -> None:
    """Raise for what no pruner can mend."""
    from lense.pruners import pruner_class

    if not pruners:
        raise LenseError("A comparison needs at least one pruner.")
    for name in pruners:
        pruner_class(name)
    study.check()
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


def summary(study: Study) -> Row:
    """Rows, ceiling and circumstances of all that was compared in ``study.out``, which are also written there."""
    from lense.plots.fronts import draw_fronts

    (source,), experiment = study.sources, Compared()
    wholes = [record for record in experiment.records(study).values() if record.variant == WHOLE]
    if not wholes:
        raise LenseError(f"{study.out} holds no results: run the comparison first.")
    rows, title = experiment.rows(study), f"{source.problem} on {source.title}, budget {study.budget:g}"
    page = comparison_page(title, rows, wholes)
    files = [write_text(study.out / "table.csv", comma_separated(rows)), write_text(study.out / "table.md", page)]
    files += [write_figure(study.out / f"front.{kind}", draw_fronts(rows, title)) for kind in ("png", "svg")]
    return {
        "graph": source.title,
        "problem": source.problem,
        "budget": study.budget,
        "episodes": study.episodes,
        "rows": rows,
        "solver": wholes[0].found.solver,
        "wholes": wholes,
        "combined_ceiling": ceiling([whole.found for whole in wholes]),
        "folder": str(study.out),
        "files": sorted(file.name for file in files),
    }


def comparison_page(title: str, rows: Sequence[Row], wholes: Sequence[Record[Whole]]) -> str:
    """One comparison as a page of Markdown."""
    found = [whole.found for whole in wholes]
    sizes = ", ".join(f"{whole.test.vertices:,} and {whole.test.edges:,}" for whole in found)
    lines = [
        f"# {title}",
        "",
        f"Heuristic: {found[0].solver}. Seeds: {', '.join(str(whole.seed) for whole in wholes)}; vertices and edges "
        f"of their test graphs: {sizes}. A ratio is followed by its standard error over the seeds; * marks the front "
        "of ratio against vertices pruned. C is the ground-set ratio times the share of vertices that are not to "
        "choose from; its ceiling 1 - b / n is that of a ratio of 1 with b vertices kept. Memory is the most that "
        "fitting or pruning holds beyond what was there before.",
        "",
        *map(titled, comparison_tables(rows, found, relative=True)),
        *(f"- {line}" for line in failures(rows, len(wholes))),
    ]
    return "\n".join(lines).rstrip() + "\n"


def comparison_tables(rows: Sequence[Row], wholes: Sequence[Whole], *, relative: bool = False) -> list[Table]:
    """The rows for people: as subgraphs, as ground sets, and what they cost; * marks the front by vertices pruned.

    Times are in seconds, or if ``relative`` in multiples of what the heuristic takes on the whole graph, which is what
    may be compared between machines.
    """
    unit, highest = float(np.mean([whole.seconds for whole in wholes])), ceiling(wholes)
    time = partial(multiple, unit) if relative else _time
    return [
        (
            "As a subgraph (P_V, P_E: shares of vertices and edges pruned)",
            ("pruner", "ratio", "P_V", "P_E", "in the paper"),
            [(row["pruner"], *_pruned(row["subgraph"]), _paper(row["paper"])) for row in rows],
        ),
        (
            "As a ground set, to choose from for the whole graph",
            ("pruner", "ratio", "P_V", "C = ratio x P_V"),
            [
                *((row["pruner"], *_pruned(row["ground-set"])[:2], _combined(row["ground-set"])) for row in rows),
                ("ceiling", "1.000", f"{100 * highest:.1f} %", f"{highest:.3f}"),
            ],
        ),
        (
            "What it takes" + (", in multiples of the heuristic's time on the whole graph" if relative else ""),
            ("pruner", "fit", "prune", "solve: subgraph", "ground set", "memory"),
            [*(_spent(row, time) for row in rows), ("whole graph", "", "", time(unit), time(unit), "")],
        ),
    ]


def failures(rows: Sequence[Row], num_seeds: int) -> list[str]:
    """What went wrong, once for all pruners to which it happened, and which pruners are missing some of the seeds."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["error"] is not None:
            failed = f" ({row['failed']} of {row['failed'] + row['seeds']} seeds)" if row["failed"] else ""
            found.setdefault(row["error"], []).append(f"{row['pruner']}{failed}")
    lines = [f"failed: {', '.join(names)}: {error}" for error, names in found.items()]
    few = [row["pruner"] for row in rows if row["seeds"] + row["failed"] < num_seeds]
    return [*lines, *([f"not run with all {num_seeds} seeds: {', '.join(few)}"] if few else [])]


def multiple(unit: float, seconds: float | None) -> str:
    """Seconds in multiples of a unit."""
    times = None if seconds is None else seconds / unit
    return "–" if times is None else f"{times:,.0f}" if times >= 100 or times == 0 else f"{times:.2g}"


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.1f} s"


def _pruned(figures: Row | None) -> tuple[str, str, str]:
    if figures is None:
        return "failed", "–", "–"
    star = " *" if figures["front"]["vertices_pruned"] else "  "
    vertices, edges = (f"{100 * figures[name]:.1f} %" for name in SHARES)
    return f"{with_error(figures['ratio'], figures['ratio_stderr'])}{star}", vertices, edges


def _combined(figures: Row | None) -> str:
    return "–" if figures is None else f"{figures['combined']:.3f}"


def _paper(row: Row | None) -> str:
    return "–" if row is None else f"{row['ratio']:.3f}, {shares(percentages(row))}"


def _spent(row: Row, time: Callable[[float | None], str]) -> tuple[str, ...]:
    fitting = row["fit_note"] or time(row["fit_seconds"])
    pruning = time(row["prune_seconds"]) + (f" ({row['prune_walks']} walks)" if row["prune_walks"] > 1 else "")
    solving = (None if row[mode] is None else row[mode]["seconds"] for mode in MODES)
    mebibytes = None if row["peak_bytes"] is None else row["peak_bytes"] / 2**20
    memory = "–" if mebibytes is None else "< 1 MiB" if mebibytes < 1 else f"{mebibytes:,.0f} MiB"
    return row["pruner"], fitting, pruning, *map(time, solving), memory
