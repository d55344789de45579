"""What results come to: a few lines computed from the records, and one figure of all pruners on all graphs."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from lense.experiments.comparison import LENSE, OneGraph, in_order, multiple
from lense.experiments.table1 import METHODS, is_less
from lense.experiments.tables import SHARES, Row
from lense.plots.overview import draw_overview, means_of
from lense.report.blocks import Block, figure, section, text

_GOOD, _FAST_ENOUGH = 0.98, 0.95
_MOST_NAMED = 3
_SEVERAL = 2
_PROBLEMS = ("mvc", "bmc", "im")
_TITLE = "All pruners on all graphs: ratio against edges pruned"
_CAPTION = (
    "Large marks are means over graphs, and small ones single graphs; names stand on the front of the means. Both axes "
    "are spread towards 1."
)


def conclusion_section(compared: Sequence[OneGraph], table1: Sequence[Row], scaling: Sequence[Row]) -> list[Block]:
    """The section that a page of results opens with; none where there is too little to conclude from."""
    known = [one for one in compared if one.wholes and one.rows]
    lines = [_beside_the_paper(table1)]
    if len(known) >= _SEVERAL:
        lines += [_best(known), _on_fronts(known), _times(known)]
    lines = list(filter(None, [*lines, _speed(scaling)]))
    pictures = [figure(_overview(known), "overview", _TITLE), text(_CAPTION)] if len(known) >= _SEVERAL else []
    return [section("Conclusion", text(*lines), *pictures)] if lines else []


def _beside_the_paper(rows: Sequence[Row]) -> str:
    """How often LeNSE reaches what the paper has."""
    own = [row for row in rows if row["method"] == METHODS[LENSE] and row["mark"] is not None]
    if not own:
        return ""
    reached = sum(row["mark"] != "worse" for row in own)
    pruned = sum(not any(is_less(row, name) for name in SHARES) for row in own)
    return (
        f"LeNSE reaches the paper's ratio, within two standard errors, in {reached} of {len(own)} rows of table 1, and "
        f"prunes as many vertices and edges, less 5 points, in {pruned}."
    )


def _points(compared: Sequence[OneGraph]) -> dict[str, list[tuple[float, float]]]:
    """Edges pruned and ratios on each graph of each pruner as it is by default."""
    found: dict[str, list[tuple[float, float]]] = {}
    for one in compared:
        for row in one.rows:
            if row["subgraph"] is not None and ":" not in row["pruner"]:
                found.setdefault(row["pruner"], []).append((row["subgraph"]["edges_pruned"], row["subgraph"]["ratio"]))
    return {name: found[name] for name in in_order(found)}


def _best(compared: Sequence[OneGraph]) -> str:
    """Who prunes most of those that keep a good ratio everywhere, and LeNSE beside."""
    means = means_of({name: some for name, some in _points(compared).items() if len(some) == len(compared)})
    good = {name: mean for name, mean in means.items() if mean[1] >= _GOOD}
    if not good:
        return f"No pruner keeps a mean ratio of {_GOOD:g} over all {len(compared)} graphs and problems."
    best = max(good, key=lambda name: good[name][0])
    others = [name for name in (LENSE,) if name in means and name != best]
    said = [
        f"{_name(name)} prunes {100 * means[name][0]:.1f} % of the edges at {means[name][1]:.3f}"
        for name in (best, *others)
    ]
    return (
        f"Over {len(compared)} graphs and problems, {said[0]}: most of those that keep a mean ratio of {_GOOD:g}."
        + "".join(f" {one}." for one in said[1:])
    )


def _on_fronts(compared: Sequence[OneGraph]) -> str:
    """Which pruners are most often not beaten."""
    counts: Counter[str] = Counter()
    for one in compared:
        solved = [row for row in one.rows if row["subgraph"] is not None]
        counts.update({row["pruner"].partition(":")[0] for row in solved if row["subgraph"]["front"]["edges_pruned"]})
    names = [f"{_name(name)} in {count}" for name, count in counts.most_common(_MOST_NAMED)]
    return f"Nothing has both a higher ratio and more edges pruned than {', '.join(names)} of {len(compared)}."


def _times(compared: Sequence[OneGraph]) -> str:
    """What pruning takes beside the heuristic."""
    found: dict[str, list[float]] = {}
    for one in compared:
        for row in one.rows:
            if row["prune_seconds"] is not None and row["pruner"] in (LENSE, "core"):
                found.setdefault(row["pruner"], []).append(row["prune_seconds"] / one.unit)
    if not found:
        return ""
    said = [f"{multiple(median(times))} times for {_name(name)}" for name, times in sorted(found.items())]
    return (
        f"To prune takes, as a median, {' and '.join(said)} what the heuristic takes on the whole graph: from 1 on, "
        "pruning for one quick run costs more than it saves."
    )


def _speed(rows: Sequence[Row]) -> str:
    """The largest speed-up with an expensive heuristic."""
    good = [row for row in rows if row["speed_up"] is not None and row["ratio"] >= _FAST_ENOUGH]
    best: dict[str, Row] = {}
    for row in sorted(good, key=lambda row: float(row["speed_up"])):
        best[row["pruner"]] = row
    said = [
        f"{_name(name)} is up to {row['speed_up']:.3g} times as fast, at {row['ratio']:.3f} "
        f"({row['problem']} on {row['graph']}, {row['edges_pct']} % of its edges)"
        for name, row in sorted(best.items())
    ]
    return f"With a heuristic that takes long, {'; '.join(said)}." if said else ""


def _name(pruner: str) -> str:
    return METHODS.get(pruner, pruner)


def _overview(compared: Sequence[OneGraph]) -> Any:
    found: dict[str, list[OneGraph]] = {}
    for one in compared:
        found.setdefault(one.source.problem, []).append(one)
    names = sorted(found, key=lambda name: ([*_PROBLEMS, name].index(name), name))
    return draw_overview({name: _points(found[name]) for name in names}, {name: len(found[name]) for name in names})
