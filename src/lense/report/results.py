"""The page of results: what they come to, tables and figures of the paper, models, and comparisons of pruners."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import matplotlib

from lense._util.classes import registered
from lense.errors import LenseError
from lense.experiments import EXPERIMENTS
from lense.experiments.comparison import LENSE, Comparison, OneGraph, in_order
from lense.experiments.experiment import NO_DATA, NOT_RUN, Experiment
from lense.experiments.rivals import METHODS, Rivals, Table1, is_less, side_by_side
from lense.experiments.scalability import Scalability
from lense.experiments.study import Study
from lense.experiments.tables import SHARES, Row
from lense.plots import new_figure
from lense.plots.fronts import LOWEST, PANELS, base_name, draw_overview, means_of, spread_axes, stars, styles_of
from lense.report.blocks import Block, facts, figure, image, section, table, text
from lense.report.recorded import models_section

_SEVERAL = 2
_STAR = "* no other pruner has both a higher ratio and more vertices pruned."
_GOOD, _FAST_ENOUGH = 0.98, 0.95
_OVERVIEW = "All pruners on all graphs: ratio against edges pruned"
_CAPTION = (
    "Large marks are means over graphs, and small ones single graphs; names stand on the front of the means. Both axes "
    "are spread towards 1."
)


def results_page(folder: str | Path) -> Block:
    """Show what 'lense reproduce' or 'lense compare' left in a folder or below it, finished or not."""
    path = Path(folder)
    found, studies, models = _compared(path), _studies(path), models_section(path)
    reproduced = [_reproduced(path, EXPERIMENTS[name], *known) for name, known in studies.items()]
    if not found and not reproduced and not models:
        raise LenseError(
            f"{path} holds neither a model nor results: name a folder that 'lense train', 'lense compare' or "
            "'lense reproduce' wrote."
        )
    counts = {"table": len(reproduced), "model": sum(len(one["choices"]) for one in models), "comparison": len(found)}
    lead = ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items() if count)
    name, compared = path.resolve().name, [one for _, one in found]
    overview = [
        table(f"{problem}. {kind}", headings, lines)
        for kind, by_problem in side_by_side(compared).items()
        for problem, headings, lines in by_problem
    ]
    table1, scaling = (studies[one.name][1] if one.name in studies else [] for one in (Table1, Scalability))
    return {
        "title": "Results" if name == "results" else f"Results in {name}",
        "lead": f"{lead}.",
        "sections": [
            *conclusion_section(compared, table1, scaling),
            *reproduced,
            *models,
            *([section(Rivals.title, *overview)] if len(found) >= _SEVERAL and overview else []),
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
    return [
        (store.path.parent, OneGraph(list(records)))
        for store in stores
        for _, records in groupby(store.records().values(), lambda record: record.key[:2])  # which are sorted by it
    ]


def _comparison(folder: Path, one: OneGraph) -> Block:
    first = one.records[0]
    title = f"{first.problem} on {Path(first.graph).name}, budget {first.budget:g}"
    if not one.wholes:
        return section(title, text("The heuristic has not run on the whole graph yet, so there are no ratios."))

    def listed(name: str) -> str:
        """The versions or machines of all records, which may come from several."""
        known = (getattr(record, name).items() for record in one.records)
        texts = (", ".join(f"{what} {value}" for what, value in items if value is not None) for items in known)
        return "; ".join(dict.fromkeys(filter(None, texts))) or "–"

    about = {
        "folder": folder.resolve().name,
        "graph": first.graph,
        "options": first.options,
        "train share": first.train_share,
        "budget": first.budget,
        "prunings by those that are random": first.episodes,
        "seeds": sorted({record.seed for record in one.records}),
        "devices": "; ".join(dict.fromkeys(record.device for record in one.records)),
        "versions": listed("versions"),
        "machine": listed("machine"),
    }
    return section(
        title,
        fronts_block(one.rows),
        *(table(*columns) for columns in one.tables()),
        text(_STAR, *one.failures()),
        facts("Environment", about, is_open=False),
        lead=f"Heuristic: {one.wholes[0].found.solver}. Vertices and edges of the test graphs: {one.sizes}.",
    )


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
    solved = sorted((row for row in found if row[mode] is not None), key=lambda row: row["pruner"] in stars())
    axes = new_figure(1, 1).add_subplot()
    spread_axes(axes, [row[mode]["ratio"] for row in solved], [row[mode][share] for row in solved])
    place = (axes.transScale + axes.transLimits).transform
    points = []
    for row in solved:
        figures, pruned = row[mode], row[mode][share]
        ratio, stderr = figures["ratio"], figures["ratio_stderr"] or 0.0
        (x, y), (_, low), (_, high) = place([(pruned, ratio + off) for off in (0.0, -stderr, stderr)]).tolist()
        point = {"look": base_name(row["pruner"]), "share": pruned, "front": figures["front"][share], "x": x, "y": y}
        point |= {name: row[name] for name in ("pruner", "fit_seconds", "prune_seconds")}
        point |= {name: figures[name] for name in ("ratio", "ratio_stderr", "vertices_pruned", "edges_pruned")}
        points.append(point | {"error": [low, high], "is_below": ratio < LOWEST, "solve_seconds": figures["seconds"]})
    return {
        "title": title,
        "x": f"share of {axis}",
        "xTicks": [[float(place((tick, 1))[0]), f"{100 * tick:g} %"] for tick in axes.get_xticks()],
        "yTicks": [[float(place((0, tick))[1]), f"{tick:.2f}"] for tick in axes.get_yticks()],
        "points": points,
    }


def conclusion_section(compared: Sequence[OneGraph], table1: Sequence[Row], scaling: Sequence[Row]) -> list[Block]:
    """What the records come to in a few lines, and one figure of all pruners; none where there is too little."""
    known = [one for one in compared if one.wholes and one.rows]
    lines, pictures = [_beside_the_paper(table1)], list[Block]()
    if len(known) >= _SEVERAL:
        lines.append(_best(known))
        found: dict[str, list[OneGraph]] = {}
        order = list(registered("lense.problems"))
        for one in sorted(known, key=lambda one: [*order, one.source.problem].index(one.source.problem)):
            found.setdefault(one.source.problem, []).append(one)
        counts = {name: "1 graph" if len(some) == 1 else f"{len(some)} graphs" for name, some in found.items()}
        overview = draw_overview({f"{name}, {counts[name]}": _points(some) for name, some in found.items()})
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
    for row in (row for one in compared for row in one.rows):
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
        f"{METHODS.get(name, name)} prunes {100 * means[name][0]:.1f} % of the edges at {means[name][1]:.3f}"
        for name in names
    )
    most = f"Over {len(compared)} graphs and problems, {best}: most of those that keep a mean ratio of {_GOOD:g}."
    return " ".join([most, *(f"{one}." for one in others)])


def _speed(rows: Sequence[Row]) -> str:
    """The largest speed-up with an expensive heuristic."""
    good = [row for row in rows if row["speed_up"] is not None and row["ratio"] >= _FAST_ENOUGH]
    best = {row["pruner"]: row for row in sorted(good, key=lambda row: float(row["speed_up"]))}
    lines = [
        f"{METHODS.get(name, name)} is up to {row['speed_up']:.3g} times as fast, at {row['ratio']:.3f} "
        f"({row['problem']} on {row['graph']}, {row['edges_pct']} % of its edges)"
        for name, row in sorted(best.items())
    ]
    return f"With a heuristic that takes long, {'; '.join(lines)}." if lines else ""
