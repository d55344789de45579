"""The page of results: tables and figures of the paper, and comparisons of pruners."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import matplotlib

from lense._util.classes import registered
from lense.errors import LenseError
from lense.experiments import EXPERIMENTS
from lense.experiments.comparison import Comparison, OneGraph, in_order
from lense.experiments.experiment import NO_DATA, NOT_RUN, Experiment
from lense.experiments.rivals import Rivals, side_by_side
from lense.experiments.study import Study
from lense.experiments.tables import Row
from lense.plots import new_figure
from lense.plots.fronts import LOWEST, PANELS, base_name, draw_overview, spread_axes, stars, styles_of
from lense.report.blocks import Block, facts, figure, image, section, table, text

_SEVERAL = 2
_STAR = "* no other pruner has both a higher ratio and more vertices pruned."
_OVERVIEW = "All pruners on all graphs: ratio against edges pruned"
_CAPTION = (
    "Large marks are means over graphs, and small ones single graphs; names stand on the front of the means. Both axes "
    "are spread towards 1."
)


def results_page(folder: str | Path) -> Block:
    """Show what 'lense reproduce' or 'lense compare' left in a folder or below it, finished or not.

    Parameters
    ----------
    folder
        The folder of results.

    Returns
    -------
    dict
        A page for :func:`lense.report.write_page`.

    Raises
    ------
    LenseError
        If the folder holds no results, or damaged ones.
    """
    path = Path(folder)
    # rivals have no table here, but a section for each graph and problem
    tables = [one for one in EXPERIMENTS.values() if not isinstance(one, Rivals) and one.store(path).records()]
    found = _compared(path)
    if not found and not tables:
        raise LenseError(
            f"{path} holds neither a model nor results: name a folder that 'lense train', 'lense compare' or "
            "'lense reproduce' wrote."
        )
    counts = {"table": len(tables), "comparison": len(found)}
    lead = ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items() if count)
    name = path.resolve().name
    return {
        "title": "Results" if name == "results" else f"Results in {name}",
        "lead": f"{lead}.",
        "sections": [
            *(_reproduced(path, one) for one in tables),
            *_overview_section([one for _, one in found]),
            *(_comparison(where, one) for where, one in found),
        ],
    }


def _reproduced(folder: Path, experiment: Experiment) -> Block:
    """The table of all records of an experiment below its figures; rows without data are left out."""
    known = list(experiment.store(folder).records().values())
    seeds = tuple(sorted({record.seed for record in known}))
    study = experiment.everything(Study(folder, (), seeds, known[0].budget, known[0].episodes))
    rows = experiment.rows(study)
    shown = [row for row in rows if not str(row.get("note", "")).startswith((NO_DATA, NOT_RUN))]
    name = experiment.name
    files = sorted([*folder.glob(f"{name}.png"), *folder.glob(f"{name}-*.png")])
    images = (image(file.read_bytes(), file.stem, file.stem.removeprefix(name)[1:]) for file in files)
    _, headings, lines = experiment.table(study, shown or rows)
    notes = text(*experiment.notes, *filter(None, experiment.more(study)))
    return section(experiment.title, *images, table("", headings, lines), notes)


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
    spread_axes(axes, [(row[mode][share], row[mode]["ratio"]) for row in solved])
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


def _overview_section(compared: Sequence[OneGraph]) -> list[Block]:
    """One figure of all pruners on all graphs, and the tables of all comparisons; none for a single one."""
    known = [one for one in compared if one.wholes and one.rows]
    if len(known) < _SEVERAL:
        return []
    order = list(registered("lense.problems"))
    problems = sorted({one.source.problem for one in known}, key=lambda name: [*order, name].index(name))
    by_problem = {name: [one for one in known if one.source.problem == name] for name in problems}
    overview = draw_overview({name: _points(some) for name, some in by_problem.items()})
    tables = [
        table(f"{problem}. {kind}", headings, lines)
        for kind, some in side_by_side(known).items()
        for problem, headings, lines in some
    ]
    return [section(Rivals.title, figure(overview, "overview", _OVERVIEW), text(_CAPTION), *tables)]


def _points(compared: Sequence[OneGraph]) -> dict[str, list[tuple[float, float]]]:
    """Edges pruned and ratios on each graph, for each pruner with its default parameters."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in (row for one in compared for row in one.rows):
        if row["subgraph"] is not None and ":" not in row["pruner"]:
            found.setdefault(row["pruner"], []).append((row["subgraph"]["edges_pruned"], row["subgraph"]["ratio"]))
    return {name: found[name] for name in in_order(found)}
