"""A row for each pruner that was compared: means over seeds, what lies on the front, and tables of it."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lense.experiments.records import Measures, Record
from lense.experiments.tables import Row, Table, short, titled, with_error
from lense.paper import published
from lense.parts import MODES
from lense.statistics import Mean

if TYPE_CHECKING:
    from lense.experiments.compare import Pruned, Whole

SHARES = ("vertices_pruned", "edges_pruned")
_FIGURES = ("ratio", *SHARES, "seconds")


def comparison_rows(records: "Sequence[Record[Pruned]]", paper_graph: str | None = None) -> list[Row]:
    """One row for each pruner, in the order of the records; those that failed with every seed say why.

    Figures are means over seeds of the means over parts; the standard error of a ratio is that over the seeds, or over
    the parts if there is but one seed. ``paper_graph`` names the graph in the paper, whose figures then stand beside.
    """
    names = list(dict.fromkeys(record.variant for record in records))
    rows = [_row(name, [record for record in records if record.variant == name]) for name in names]
    for row in rows:
        known = published(records[0].problem, paper_graph, row["pruner"])
        row["paper"] = None if known is None else known._asdict()
    for mode in MODES:
        for share in SHARES:
            _mark_front(rows, mode, share)
    return rows


def _row(name: str, records: "Sequence[Record[Pruned]]") -> Row:
    done = [record.figures for record in records if record.figures is not None]
    errors = [record.error for record in records if record.error is not None]
    errors += [error for one in done for mode in MODES for error in one.measures(mode).errors]
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
    }


def _figures(by_seed: Sequence[Measures]) -> Row | None:
    """Means in one mode, or None where the heuristic found nothing in any part."""
    solved = [one for one in by_seed if one.known("ratio")]
    if not solved:
        return None
    means = {name: Mean.of([one.known(name) for one in solved]) for name in _FIGURES}
    products = [np.multiply(one.known("ratio"), one.known("vertices_pruned")).tolist() for one in solved]
    return {
        **{name: mean.value for name, mean in means.items()},
        "combined": Mean.of(products).value,
        "ratio_stderr": means["ratio"].stderr,
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _mark_front(rows: Sequence[Row], mode: str, share: str) -> None:
    """Say of each row whether no other has both a higher ratio and a larger share pruned, or one of them as high."""
    points = [(row[mode]["ratio"], row[mode][share]) for row in rows if row[mode] is not None]
    for row in rows:
        if row[mode] is not None:
            ratio, pruned = row[mode]["ratio"], row[mode][share]
            beaten = any(r >= ratio and p >= pruned and (r, p) != (ratio, pruned) for r, p in points)
            row[mode].setdefault("front", {})[share] = not beaten


def ceiling(wholes: "Sequence[Whole]") -> float:
    """C = ratio x share pruned of a ratio of 1 with no vertex kept but the b of the solution: 1 - b / n, the mean."""
    return float(np.mean([1 - len(whole.vertices) / whole.test.vertices for whole in wholes]))


def comparison_tables(rows: Sequence[Row], wholes: "Sequence[Whole]", *, relative: bool = False) -> list[Table]:
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


def comparison_page(title: str, rows: Sequence[Row], wholes: "Sequence[Record[Whole]]") -> str:
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


def percentages(figures: Row) -> Row:
    """The shares pruned under the names and in the unit of the paper's table."""
    shares = {name: figures.get(name) for name in SHARES}
    return {f"{name}_pct": None if share is None else 100 * share for name, share in shares.items()}


def shares(row: Row, prefix: str = "") -> str:
    """Shares of vertices and edges pruned, in per cent."""
    vertices, edges = (row[f"{prefix}{name}_pct"] for name in SHARES)
    return "–" if vertices is None else f"{vertices:.0f} / {edges:.0f}"


def why_none(row: Row) -> str:
    """Why there are no figures, in a word or two."""
    return short(row["note"]) or "–"


def multiple(unit: float, seconds: float | None) -> str:
    """Seconds in multiples of a unit."""
    if seconds is None:
        return "–"
    times = seconds / unit
    return f"{times:,.0f}" if times >= 100 or times == 0 else f"{times:.2g}"


def _pruned(figures: Row | None) -> tuple[str, str, str]:
    if figures is None:
        return "failed", "–", "–"
    star = " *" if figures["front"]["vertices_pruned"] else "  "
    vertices, edges = (f"{100 * figures[name]:.1f} %" for name in SHARES)
    return f"{with_error(figures['ratio'], figures['ratio_stderr'])}{star}", vertices, edges


def _combined(figures: Row | None) -> str:
    return "–" if figures is None else f"{figures['combined']:.3f}"


def _spent(row: Row, time: Callable[[float | None], str]) -> tuple[str, ...]:
    fitting = row["fit_note"] or time(row["fit_seconds"])
    pruning = time(row["prune_seconds"]) + (f" ({row['prune_walks']} walks)" if row["prune_walks"] > 1 else "")
    solving = (None if row[mode] is None else row[mode]["seconds"] for mode in MODES)
    return row["pruner"], fitting, pruning, *map(time, solving), _memory(row["peak_bytes"])


def _paper(row: Any) -> str:
    if row is None:
        return "–"
    return f"{row['ratio']:.3f}, {100 * row['vertices_pruned']:.0f} / {100 * row['edges_pruned']:.0f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.1f} s"


def _memory(number_of_bytes: float | None) -> str:
    if number_of_bytes is None:
        return "–"
    return "< 1 MiB" if number_of_bytes < 2**20 else f"{number_of_bytes / 2**20:,.0f} MiB"
