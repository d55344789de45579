"""The table, the targets and the picture of ``python -m benchmarks.black_box``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes

from benchmarks.black_box_graphs import GRAPHS
from lense.experiments.tables import markdown
from lense.plots import STYLE, new_figure, save_figure

Record = dict[str, Any]
RULES = ("one-hop 1.5b", "one-hop 3b", "one-hop 10b", "induced 10%", "candidates 3b", "candidates 10b", "top b")
ORACLES = ("oracle one-hop", "oracle induced")
KEPT, FLOOR, FASTER, COST, SHARE = 0.99, 0.985, 3.0, 1.25, 0.5
"""What counts as f's score, what no answer may be below, and the targets for savings and costs."""
HEADINGS = (
    *("problem", "graph", "b", "f, s", "lense ×", "ratio", "target met", "found by"),
    *("rule", "rule ×", "ratio", "oracle ×", "ratio"),
)
LOWEST, HIGHEST = 0.8, 1.04
"""The ratios that the picture shows; those outside are drawn at its edges."""


@dataclass(frozen=True)
class Row:
    """One problem on one graph: the records of all methods, by name."""

    methods: dict[str, Record]

    @property
    def whole(self) -> Record:
        return self.methods["whole"]

    @property
    def lense(self) -> Record:
        return self.methods["lense"]

    @property
    def rule(self) -> Record | None:
        """The ten-line rule that saves most at f's score, or else the one with the best score."""
        return best(self.methods[name] for name in RULES if name in self.methods)

    @property
    def oracle(self) -> Record | None:
        return best(self.methods[name] for name in ORACLES if name in self.methods)

    @property
    def counted(self) -> float:
        """What lense saves: 1 where its score is below the floor."""
        return float(self.lense["saving"]) if reaches(self.lense, FLOOR) else 1.0

    def rule_saves(self, rules: Sequence[str] = RULES) -> float | None:
        """The largest saving of a rule at f's score, where it is large enough to count."""
        savings = [
            one["saving"] for name, one in self.methods.items() if name in rules and reaches(one, KEPT) and saves(one)
        ]
        return max(savings, default=None)


def reaches(record: Record, ratio: float) -> bool:
    return record["ratio"] is not None and record["ratio"] >= ratio


def saves(record: Record) -> bool:
    return record["saving"] is not None and record["saving"] >= FASTER


def best(found: Any) -> Record | None:
    """The largest saving at f's score, or else the best score, of records of methods that ended."""
    ended = [one for one in found if one["ratio"] is not None]
    return max(
        ended, key=lambda one: (reaches(one, KEPT), one["saving"] if reaches(one, KEPT) else one["ratio"]), default=None
    )


def rows(records: Sequence[Record]) -> list[Row]:
    """The cells that have both the heuristic on the whole graph and the default."""
    by_cell: dict[tuple[str, str], dict[str, Record]] = {}
    for one in records:
        by_cell.setdefault((one["problem"], one["graph"]), {})[one["method"]] = one
    return [Row(methods) for methods in by_cell.values() if {"whole", "lense"} <= methods.keys()]


def targets(found: Sequence[Row]) -> list[str]:
    """One line for each target."""
    fast = [row for row in found if saves(row.lense) and reaches(row.lense, KEPT)]
    sure = [row.lense for row in found if row.lense["ratio"] is not None and row.lense["met_target"] is not False]
    low = sum(one["ratio"] < FLOOR for one in sure)
    costs = [1 / row.lense["saving"] for row in found if row.lense["saving"]]
    worst = min((one["ratio"] for one in sure), default=float("nan"))
    mean, above = geometric([row.counted for row in found]), sum(cost > COST for cost in costs)
    lines = [
        f"At least {FASTER:g}× faster at ≥ {KEPT} of f's score: {len(fast)} of {len(found)} cells (target: half).",
        f"Worst score, unless `met_target` is False: {worst:.3f} of f's; {low} of {len(sure)} cells are below {FLOOR}"
        " (target: none).",
        f"Most CPU time: {max(costs, default=0):.2f} times f's; {above} of {len(costs)} cells are above {COST}"
        " (target: none).",
        f"Geometric mean of the saving: {mean:.2f}× (target: 3×). A cell with an error, or with a score below {FLOOR}"
        " of f's, counts as 1×.",
    ]
    for what, names in (("a ten-line rule", RULES), ("a ten-line rule that calls f", RULES[:-1])):
        pairs = [(row.counted, rule) for row in found if (rule := row.rule_saves(names)) is not None]
        shares = [mine / theirs for mine, theirs in pairs]
        half = sum(share >= SHARE for share in shares)
        lines.append(
            f"Where {what} saves {FASTER:g}× at ≥ {KEPT}: lense saves at least half as much in {half} of {len(pairs)}"
            f" cells (target: all), and {geometric(shares):.2f} times as much in the geometric mean."
        )
    estimated = [(row.lense.get("estimated_seconds"), row.whole["cpu_seconds"]) for row in found]
    ranges = [(low, high, seconds) for (low, high), seconds in ((one, took) for one, took in estimated if one)]
    if ranges:
        inside = sum(low <= seconds <= high for low, high, seconds in ranges)
        off = [float(np.exp(abs(np.log(seconds / np.sqrt(low * high))))) for low, high, seconds in ranges]
        lines.append(
            f"f's CPU time on the whole graph is within the estimated range in {inside} of {len(ranges)} cells. The"
            f" middle of the range is off by a factor of {np.median(off):.1f} in the median, {max(off):.1f} at worst."
        )
    errors = [row for row in found if "error" in row.lense]
    return [*lines, *(f"Error in {_name(row)}: {row.lense['error']}" for row in errors)]


def geometric(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values)))) if values else float("nan")


def _name(row: Row) -> str:
    return f"{row.whole['problem']} on {row.whole['graph']}"


def table(found: Sequence[Row]) -> str:
    """A row for each cell."""
    return markdown(HEADINGS, [_cells(row) for row in found])


def _cells(row: Row) -> tuple[str, ...]:
    met = {True: "yes", False: "no", None: "unknown"}[row.lense.get("met_target")]
    rule = row.rule
    return (
        row.whole["problem"],
        f"{row.whole['graph']} ({GRAPHS[row.whole['graph']]})" if row.whole["graph"] in GRAPHS else row.whole["graph"],
        str(row.whole["budget"]),
        f"{row.whole['cpu_seconds']:.1f}",
        *_figures(row.lense),
        met,
        row.lense.get("found_by") or "",
        "" if rule is None else rule["method"],
        *_figures(rule),
        *_figures(row.oracle),
    )


def _figures(record: Record | None) -> tuple[str, str]:
    if record is None or "error" in record:
        return "error" if record is not None else "", ""
    return f"{record['saving']:.1f}", "invalid" if record["ratio"] is None else f"{record['ratio']:.3f}"


def page(found: Sequence[Row], intro: str) -> str:
    """All of it in Markdown: the targets over all cells and over each half, and the tables."""
    text = [intro]
    halves = {name: [row for row in found if row.whole["split"] == name] for name in ("develop", "test")}
    for title, chosen in {"All problems": found, **{f"Problems to {name} on": halves[name] for name in halves}}.items():
        if chosen:
            text.append(f"## {title}\n\n" + "".join(f"- {one}\n" for one in targets(chosen)))
            text += [] if chosen is found else [table(chosen)]
    return "\n".join(text)


def draw(found: Sequence[Row], path: Path) -> None:
    """Saving against score, one mark for each cell: lense, and next to it the best ten-line rule."""
    with matplotlib.rc_context(STYLE):
        figure = new_figure(8, 4.4)
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        _draw(left, found, lambda row: row.lense, "lense, by default")
        _draw(right, found, lambda row: row.rule, "the best of seven rules, with hindsight")
        left.set_ylabel("times as fast as f on the whole graph")
        left.legend(loc="upper left")
        figure.supxlabel("score, as a share of f's on the whole graph", fontsize=10)
    save_figure(figure, path)


def _draw(axes: Axes, found: Sequence[Row], side: Callable[[Row], Record | None], title: str) -> None:
    axes.axvspan(KEPT, HIGHEST + 0.01, color="0.93", zorder=0)
    axes.axhline(1, color="0.6", linewidth=0.8, zorder=1)
    axes.axhline(FASTER, color="0.6", linewidth=0.8, linestyle="--", zorder=1)
    for split, colour, marker in (("develop", "#0072B2", "o"), ("test", "#D55E00", "^")):
        all_marks = [side(row) for row in found if row.whole["split"] == split]
        marks = [one for one in all_marks if one is not None and one["ratio"] is not None]
        axes.plot(
            np.clip([one["ratio"] for one in marks], LOWEST, HIGHEST),
            [one["saving"] for one in marks],
            marker,
            color=colour,
            markersize=6,
            alpha=0.75,
            markeredgewidth=0,
            label=f"{split} problems",
        )
    axes.set(yscale="log", xlim=(LOWEST - 0.01, HIGHEST + 0.01), title=title)
    axes.set_xticks([0.8, 0.85, 0.9, 0.95, 0.99], ["≤ 0.8", "0.85", "0.9", "0.95", "0.99"])
    axes.set_yticks([1, 3, 10, 100], ["1", "3", "10", "100"])
    axes.minorticks_off()
