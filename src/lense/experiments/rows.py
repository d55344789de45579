"""A row for each pruner: means over seeds, what lies on the front, and tables of it."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from lense.experiments.store import Record
from lense.paper import published

MODES = ("subgraph", "ground-set")
"""Those of ``lense.parts.solving``, which is not loaded to look at results, since it takes torch."""
_TEXT = {"problem", "graph", "method", "pruner", "model", "note"}
_DIGITS = 10
_FIGURES = ("ratio", "vertices_pruned", "edges_pruned", "seconds", "combined")


def rows(records: Sequence[Record], problem: str = "", paper_graph: str | None = None) -> list[Record]:
    """One row for each pruner, in the order of the records; those that failed with every seed say why.

    Figures are means over seeds of the means over parts; the standard error of a ratio is that over the seeds, or over
    the parts if there is but one seed. ``paper_graph`` names the graph in the paper, whose figures then stand beside.
    """
    names = list(dict.fromkeys(record["pruner"] for record in records))
    found = [_row(name, [record for record in records if record["pruner"] == name]) for name in names]
    for row in found:
        known = published(problem, paper_graph, row["pruner"])
        row["paper"] = None if known is None else known._asdict()
    for mode in MODES:
        for share in ("vertices_pruned", "edges_pruned"):
            _mark_front(found, mode, share)
    return found


def _row(name: str, records: Sequence[Record]) -> Record:
    done = [record for record in records if record["status"] == "done"]
    errors = [record["error"] for record in records if record["status"] != "done"]
    errors += [one["error"] for record in done for mode in MODES for one in record[mode] if "error" in one]
    return {
        "pruner": name,
        "seeds": len(done),
        "failed": len(records) - len(done),
        "error": errors[0] if errors else None,
        **{mode: _figures([record[mode] for record in done]) for mode in MODES},
        "fit_note": next((note for record in done for note in ("given", "resumed") if note in record["fit"]), None),
        "fit_seconds": _mean(record["fit"]["seconds"] for record in done),
        "prune_seconds": _mean(record["prune"]["seconds"] for record in done),
        "prune_walks": next(
            (record["prune"]["side_by_side"] for record in done if "side_by_side" in record["prune"]), 1
        ),
        "peak_bytes": _most(record[stage]["peak_bytes"] for record in done for stage in ("fit", "prune")),
        "vertices": _mean(part["vertices"] for record in done for part in record["parts"]),
        "roots": _mean(part["roots"] for record in done for part in record["parts"]),
    }


def _figures(by_seed: Sequence[Sequence[Mapping[str, Any]]]) -> Record | None:
    """Means in one mode, or None where the heuristic found nothing in any part."""
    solved = [[one for one in parts if "error" not in one] for parts in by_seed]
    solved = [parts for parts in solved if parts]
    if not solved:
        return None
    means = {name: np.array([np.mean([one[name] for one in parts]) for parts in solved]) for name in _FIGURES}
    ratios = means["ratio"] if len(solved) > 1 else np.array([one["ratio"] for one in solved[0]])
    stderr = float(ratios.std(ddof=1) / np.sqrt(ratios.size)) if ratios.size > 1 else None
    return {**{name: float(values.mean()) for name, values in means.items()}, "ratio_stderr": stderr}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _most(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)


def _mark_front(found: Sequence[Record], mode: str, share: str) -> None:
    """Tell of each row whether no other has both a higher ratio and a larger share pruned, or one of them as high."""
    points = [(row[mode]["ratio"], row[mode][share]) for row in found if row[mode] is not None]
    for row in found:
        if row[mode] is not None:
            ratio, pruned = row[mode]["ratio"], row[mode][share]
            beaten = any(r >= ratio and p >= pruned and (r, p) != (ratio, pruned) for r, p in points)
            row[mode].setdefault("front", {})[share] = not beaten


def ceiling(wholes: Sequence[Record]) -> float:
    """C = ratio x share pruned of a ratio of 1 with no vertex kept but the b of the solution: 1 - b / n, the mean."""
    return float(np.mean([1 - len(whole["vertices"]) / whole["test"]["vertices"] for whole in wholes]))


Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""A title, headings, and rows of cells."""


def is_text(heading: str) -> bool:
    """Whether a column of a table holds words, which are aligned to the left, and not figures."""
    return heading in _TEXT


def tables(found: Sequence[Record], wholes: Sequence[Record], *, relative: bool = False) -> list[Table]:
    """The rows for people: as subgraphs, as ground sets, and what they cost; * marks the front by vertices pruned.

    Times are in seconds, or if ``relative`` in multiples of what the heuristic takes on the whole graph, which is what
    may be compared between machines.
    """
    unit = float(np.mean([whole["seconds"] for whole in wholes]))
    told = partial(_multiple, unit) if relative else _time
    highest = ceiling(wholes)
    return [
        (
            "As a subgraph (P_V, P_E: shares of vertices and edges pruned)",
            ("pruner", "ratio", "P_V", "P_E", "in the paper"),
            [(row["pruner"], *_pruned(row["subgraph"]), _paper(row["paper"])) for row in found],
        ),
        (
            "As a ground set, to choose from for the whole graph",
            ("pruner", "ratio", "P_V", "C = ratio x P_V"),
            [
                *((row["pruner"], *_pruned(row["ground-set"])[:2], _combined(row["ground-set"])) for row in found),
                ("ceiling", "1.000", f"{100 * highest:.1f} %", f"{highest:.3f}"),
            ],
        ),
        (
            "What it takes" + (", in multiples of the heuristic's time on the whole graph" if relative else ""),
            ("pruner", "fit", "prune", "solve: subgraph", "ground set", "memory"),
            [*(_costs(row, told) for row in found), ("whole graph", "", "", told(unit), told(unit), "")],
        ),
    ]


def _pruned(figures: Mapping[str, Any] | None) -> tuple[str, str, str]:
    if figures is None:
        return "failed", "–", "–"
    stderr = "" if figures["ratio_stderr"] is None else f" ± {figures['ratio_stderr']:.3f}"
    star = " *" if figures["front"]["vertices_pruned"] else "  "
    shares = (f"{100 * figures[name]:.1f} %" for name in ("vertices_pruned", "edges_pruned"))
    return f"{figures['ratio']:.3f}{stderr}{star}", *shares  # type: ignore[return-value]


def _combined(figures: Mapping[str, Any] | None) -> str:
    return "–" if figures is None else f"{figures['combined']:.3f}"


def _costs(row: Record, told: Callable[[float | None], str]) -> tuple[str, ...]:
    fitting = row["fit_note"] or told(row["fit_seconds"])
    pruning = told(row["prune_seconds"]) + (f" ({row['prune_walks']} walks)" if row["prune_walks"] > 1 else "")
    solving = (None if row[mode] is None else row[mode]["seconds"] for mode in MODES)
    return row["pruner"], fitting, pruning, *map(told, solving), _memory(row["peak_bytes"])


def failures(found: Sequence[Record], num_seeds: int) -> list[str]:
    """What went wrong, once for all pruners to which it happened, and which pruners lack some of the seeds."""
    told: dict[str, list[str]] = {}
    for row in found:
        if row["error"] is not None:
            failed = f" ({row['failed']} of {row['failed'] + row['seeds']} seeds)" if row["failed"] else ""
            told.setdefault(row["error"], []).append(f"{row['pruner']}{failed}")
    lines = [f"failed: {', '.join(names)}: {error}" for error, names in told.items()]
    few = [row["pruner"] for row in found if row["seeds"] + row["failed"] < num_seeds]
    return [*lines, *([f"not run with all {num_seeds} seeds: {', '.join(few)}"] if few else [])]


def markdown(table: Table) -> str:
    """A table with its title as Markdown."""
    title, headings, lines = table
    return f"{title}:\n\n{markdown_lines(headings, lines)}"


def markdown_lines(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Rows of cells as Markdown, words aligned to the left and figures to the right."""
    rule = tuple("---" if is_text(heading) else "---:" for heading in headings)
    return "".join(f"| {' | '.join(cell.strip() for cell in line)} |\n" for line in (headings, rule, *lines))


def comma_separated(found: Sequence[Record]) -> str:
    """Every figure of every row as CSV, to ten digits, so that who rounds it rounds once; empty where there is none."""
    flat = [_flat(row) for row in found]
    names = list(dict.fromkeys(name for row in flat for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return file.getvalue()


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        full = f"{prefix}{name}".replace("-", "_")
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{full}_")
        else:
            flat[full] = f"{value:.{_DIGITS}g}" if isinstance(value, float) else value
    return flat


def _paper(row: Mapping[str, float] | None) -> str:
    if row is None:
        return "–"
    return f"{row['ratio']:.3f}, {100 * row['vertices_pruned']:.0f} / {100 * row['edges_pruned']:.0f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:,.1f} s"


def _multiple(unit: float, seconds: float | None) -> str:
    if seconds is None:
        return "–"
    times = seconds / unit
    return f"{times:,.0f}" if times >= 100 or times == 0 else f"{times:.2g}"


def _memory(number_of_bytes: float | None) -> str:
    if number_of_bytes is None:
        return "–"
    return "< 1 MiB" if number_of_bytes < 2**20 else f"{number_of_bytes / 2**20:,.0f} MiB"
