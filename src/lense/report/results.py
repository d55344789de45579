"""The page of results: what they come to, tables and figures of the paper, models, and comparisons of pruners."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib

from lense.errors import LenseError
from lense.experiments import EXPERIMENTS
from lense.experiments.comparison import LENSE, Comparison, OneGraph, in_order, multiple
from lense.experiments.experiment import NO_DATA, NOT_RUN, Experiment
from lense.experiments.rivals import METHODS, Rivals, Table1, is_less, side_by_side
from lense.experiments.scalability import Scalability
from lense.experiments.store import Record
from lense.experiments.study import Study
from lense.experiments.tables import SHARES, Row
from lense.plots import new_figure
from lense.plots.fronts import LOWEST, PANELS, STRONG, base_name, draw_overview, means_of, spread_axes, styles_of
from lense.report.blocks import Block, facts, figure, image, section, table, text
from lense.report.recorded import models_section

_SEVERAL = 2
_CONCLUDED = (Table1.name, Scalability.name)
_STAR = "* no other pruner has both a higher ratio and more vertices pruned."
_GOOD, _FAST_ENOUGH = 0.98, 0.95
_MOST_NAMED = 3
_PROBLEMS = ("mvc", "bmc", "im")
_OVERVIEW = "All pruners on all graphs: ratio against edges pruned"
_CAPTION = (
    "Large marks are means over graphs, and small ones single graphs; names stand on the front of the means. Both axes "
    "are spread towards 1."
)


def results_page(folder: str | Path) -> Block:
    """The page of what 'lense reproduce' or 'lense compare' left in ``folder``, finished or not."""
    path = Path(folder)
    found, studies, models = _compared(path), _studies(path), models_section(path)
    reproduced = [_reproduced(path, EXPERIMENTS[name], *known) for name, known in studies.items()]
    if not found and not reproduced and not models:
        raise LenseError(
            f"{path} holds neither a model nor results: name a folder that 'lense train', 'lense compare' or "
            "'lense reproduce' wrote."
        )
    pairs = len(models[0]["choices"]) if models else 0
    lead = [
        "Tables of the paper again." if reproduced else "",
        f"Models for {pairs} pairs of graph and problem." if pairs > 1 else "",
        "A model for one graph and problem." if pairs == 1 else "",
        f"{len(found)} comparisons of pruners." if len(found) > 1 else "",
        "A comparison of pruners." if len(found) == 1 else "",
    ]
    name, compared = path.resolve().name, [one for _, one in found]
    tables = {} if len(found) < _SEVERAL else side_by_side(compared)
    overview = [
        table(f"{problem}. {kind}", headings, lines)
        for kind, by_problem in tables.items()
        for problem, headings, lines in by_problem
    ]
    return {
        "title": "Results" if name == "results" else f"Results in {name}",
        "lead": " ".join(filter(None, lead)),
        "sections": [
            *conclusion_section(compared, *(studies[name][1] if name in studies else [] for name in _CONCLUDED)),
            *reproduced,
            *models,
            *([section(Rivals.title, *overview)] if tables else []),
            *(_comparison(folder, one) for folder, one in found),
        ],
    }


def _studies(folder: Path) -> dict[str, tuple[Study, list[Row]]]:
    """For each experiment with records in a folder, a study of all of them and the rows of its table.

    Rivals have no table here, but a section for each graph and problem.
    """
    made = {}
    for name, experiment in EXPERIMENTS.items():
        known = [] if isinstance(experiment, Rivals) else list(experiment.store(folder).records().values())
        if known:
            seeds = tuple(sorted({record.seed for record in known}))
            study = experiment.everything(Study(folder, (), seeds, known[0].budget, known[0].episodes))
            made[name] = study, experiment.rows(study)
    return made


def _reproduced(folder: Path, experiment: Experiment, study: Study, rows: Sequence[Row]) -> Block:
    """The table of an experiment below its figures; rows without figures are in a folded one."""
    name = experiment.name
    files = sorted([*folder.glob(f"{name}.png"), *folder.glob(f"{name}-*.png")])
    blocks = [image(file.read_bytes(), file.stem, file.stem.removeprefix(name)[1:]) for file in files]
    empty = [row for row in rows if str(row.get("note", "")).startswith((NO_DATA, NOT_RUN))]
    known = [row for row in rows if row not in empty]
    _, headings, lines = experiment.table(study, known or empty)
    blocks.append(table("", headings, lines))
    if known and empty:
        lines = experiment.table(study, empty)[2]
        title = f"{len(lines)} {'row' if len(lines) == 1 else 'rows'} without data"
        blocks.append(table(title, headings, lines, folded=True))
    return section(experiment.title, *blocks, text(*experiment.notes, *filter(None, experiment.more(study))))


def _compared(folder: Path) -> list[tuple[Path, OneGraph]]:
    """Each comparison: of each graph and problem in the folder, and of each folder of one below it."""
    stores = [Rivals().store(folder), *(Comparison().store(path.parent) for path in sorted(folder.rglob("plan.json")))]
    made = []
    for store in stores:
        pairs: dict[tuple[str, str], list[Record[Any]]] = {}
        for record in store.records().values():
            pairs.setdefault(record.key[:2], []).append(record)
        made += [(store.path.parent, OneGraph(records)) for records in pairs.values()]
    return made


def _comparison(folder: Path, one: OneGraph) -> Block:
    first = one.records[0]
    title = f"{first.problem} on {Path(first.graph).name}, budget {first.budget:g}"
    if not one.wholes:
        return section(title, text("The heuristic has not run on the whole graph yet, so there are no ratios."))
    return section(
        title,
        fronts_block(one.rows),
        *(table(*columns) for columns in one.tables(relative=True)),
        text(_STAR, *one.failures()),
        facts("Circumstances", _circumstances(folder, one.records), is_open=False),
        lead=f"Heuristic: {one.wholes[0].found.solver}. Vertices and edges of the test graphs: {one.sizes}.",
    )


def _circumstances(folder: Path, records: Sequence[Record[Any]]) -> dict[str, Any]:
    """Plan, seeds, versions and machines; all of them where records come from several."""
    first = records[0]

    def different(values: Sequence[str]) -> str:
        return "; ".join(dict.fromkeys(filter(None, values))) or "–"

    def listed(values: Mapping[str, Any]) -> str:
        return ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)

    return {
        "folder": folder.resolve().name,
        "graph": first.graph,
        "options": first.options,
        "train share": first.train_share,
        "budget": first.budget,
        "prunings by those that are random": first.episodes,
        "seeds": sorted({record.seed for record in records}),
        "devices": different([record.device for record in records]),
        "versions": different([listed(record.versions) for record in records]),
        "machine": different([listed(record.machine) for record in records]),
    }


def fronts_block(found: Sequence[Row]) -> Block:
    """Ratio against share pruned, for rows of :class:`lense.experiments.comparison.OneGraph`."""
    looks = styles_of(row["pruner"] for row in found)
    return {
        "kind": "fronts",
        "title": "Ratio against share pruned",
        "looks": {name: [matplotlib.colors.to_hex(colour), marker] for name, (colour, marker) in looks.items()},
        "panels": [_panel(found, *panel) for panel in PANELS],
    }


def _panel(found: Sequence[Row], mode: str, share: str, title: str, axis: str) -> Block:
    """Places are shares of the axes' lengths; what is strong is drawn last, above the others."""
    solved = sorted((row for row in found if row[mode] is not None), key=lambda row: row["pruner"] in STRONG)
    axes = new_figure(1, 1).add_subplot()
    spread_axes(axes, [row[mode]["ratio"] for row in solved], [row[mode][share] for row in solved])
    places = axes.transScale + axes.transLimits

    def place(pruned: float, ratio: float) -> list[float]:
        at: list[float] = places.transform((pruned, ratio)).tolist()
        return at

    def point(row: Row) -> dict[str, Any]:
        figures = row[mode]
        pruned, ratio, stderr = figures[share], figures["ratio"], figures["ratio_stderr"] or 0.0
        x, y = place(pruned, ratio)
        return {
            "pruner": row["pruner"],
            "look": base_name(row["pruner"]),
            "share": pruned,
            "front": figures["front"][share],
            "x": x,
            "y": y,
            "error": [place(pruned, ratio - stderr)[1], place(pruned, ratio + stderr)[1]],
            "is_below": ratio < LOWEST,
            **{name: figures[name] for name in ("ratio", "ratio_stderr", "vertices_pruned", "edges_pruned")},
            **{name: row[name] for name in ("fit_seconds", "prune_seconds")},
            "solve_seconds": figures["seconds"],
        }

    return {
        "title": title,
        "x": f"share of {axis}",
        "xTicks": [[place(tick.get_loc(), 1)[0], tick.label1.get_text()] for tick in axes.xaxis.get_major_ticks()],
        "yTicks": [[place(0, tick.get_loc())[1], tick.label1.get_text()] for tick in axes.yaxis.get_major_ticks()],
        "points": [point(row) for row in solved],
    }


def conclusion_section(compared: Sequence[OneGraph], table1: Sequence[Row], scaling: Sequence[Row]) -> list[Block]:
    """What the records come to in a few lines, and one figure of all pruners; none where there is too little."""
    known = [one for one in compared if one.wholes and one.rows]
    lines, pictures = [_beside_the_paper(table1)], list[Block]()
    if len(known) >= _SEVERAL:
        lines += [_best(known), _on_fronts(known), _times(known)]
        found: dict[str, list[OneGraph]] = {}
        for one in sorted(known, key=lambda one: [*_PROBLEMS, one.source.problem].index(one.source.problem)):
            found.setdefault(one.source.problem, []).append(one)
        points = {name: _points(some) for name, some in found.items()}
        overview = draw_overview(points, {name: len(some) for name, some in found.items()})
        pictures = [figure(overview, "overview", _OVERVIEW), text(_CAPTION)]
    lines = list(filter(None, [*lines, _speed(scaling)]))
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
    """Edges pruned and ratios on each graph, for each pruner with its default parameters."""
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
    names = dict.fromkeys([max(good, key=lambda name: good[name][0]), *([LENSE] if LENSE in means else [])])
    best, *others = (
        f"{_name(name)} prunes {100 * means[name][0]:.1f} % of the edges at {means[name][1]:.3f}" for name in names
    )
    most = f"Over {len(compared)} graphs and problems, {best}: most of those that keep a mean ratio of {_GOOD:g}."
    return " ".join([most, *(f"{one}." for one in others)])


def _on_fronts(compared: Sequence[OneGraph]) -> str:
    """Which pruners are most often not beaten."""
    counts: Counter[str] = Counter()
    for one in compared:
        solved = [row for row in one.rows if row["subgraph"] is not None]
        counts.update({base_name(row["pruner"]) for row in solved if row["subgraph"]["front"]["edges_pruned"]})
    names = [f"{_name(name)} in {count}" for name, count in counts.most_common(_MOST_NAMED)]
    return f"Nothing has both a higher ratio and more edges pruned than {', '.join(names)} of {len(compared)}."


def _times(compared: Sequence[OneGraph]) -> str:
    """What pruning takes beside the heuristic."""
    found: dict[str, list[float]] = {}
    for one in compared:
        for row in one.rows:
            if row["prune_seconds"] is not None and row["pruner"] in STRONG:
                found.setdefault(row["pruner"], []).append(row["prune_seconds"] / one.unit)
    times = [f"{multiple(median(times))} times for {_name(name)}" for name, times in sorted(found.items())]
    if not times:
        return ""
    return (
        f"To prune takes, as a median, {' and '.join(times)} what the heuristic takes on the whole graph: from 1 on, "
        "pruning for one quick run costs more than it saves."
    )


def _speed(rows: Sequence[Row]) -> str:
    """The largest speed-up with an expensive heuristic."""
    good = [row for row in rows if row["speed_up"] is not None and row["ratio"] >= _FAST_ENOUGH]
    best = {row["pruner"]: row for row in sorted(good, key=lambda row: float(row["speed_up"]))}
    lines = [
        f"{_name(name)} is up to {row['speed_up']:.3g} times as fast, at {row['ratio']:.3f} "
        f"({row['problem']} on {row['graph']}, {row['edges_pct']} % of its edges)"
        for name, row in sorted(best.items())
    ]
    return f"With a heuristic that takes long, {'; '.join(lines)}." if lines else ""


def _name(pruner: str) -> str:
    return METHODS.get(pruner, pruner)
