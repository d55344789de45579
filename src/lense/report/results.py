"""The page of results: tables and figures of the paper, models, and comparisons, alone and side by side."""

from collections.abc import Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

import matplotlib

from lense.errors import LenseError
from lense.experiments import EXPERIMENTS
from lense.experiments.compare import Compared
from lense.experiments.comparison import OneGraph
from lense.experiments.experiment import NO_DATA, NOT_RUN, Experiment
from lense.experiments.rivals import Rivals, side_by_side
from lense.experiments.store import Record
from lense.experiments.study import Study
from lense.experiments.tables import Row
from lense.plots.fronts import PANELS, STRONG, axis_ticks, base_name, limits, looks_of, ratio_place, share_place
from lense.report.blocks import Block, facts, image, section, table, text
from lense.report.conclusion import conclusion_section
from lense.report.pairs import models_section

_SEVERAL = 2
_STAR = "* no other pruner has both a higher ratio and more vertices pruned."


def results_page(folder: str | Path) -> Block:
    """The page of what 'lense reproduce' or 'lense compare' left in ``folder``, as far as it is."""
    path = Path(folder)
    found, reproduced, models = _compared(path), _reproduced(path), models_section(path)
    if not found and not reproduced and not models:
        raise LenseError(
            f"{path} holds neither a model nor results: name a folder that 'lense train', 'lense compare' or "
            "'lense reproduce' wrote."
        )
    compared = (
        f"{len(found)} comparisons of pruners." if len(found) > 1 else "A comparison of pruners." if found else ""
    )
    trained = f"Models for {_counted(len(models[0]['choices']))}." if models else ""
    lead = " ".join(filter(None, ["Tables of the paper again." if reproduced else "", trained, compared]))
    name = path.resolve().name
    return {
        "title": "Results" if name == "results" else f"Results in {name}",
        "lead": lead,
        "sections": [
            *_conclusion(path, [one for _, one in found]),
            *reproduced,
            *models,
            *_overview([one for _, one in found]),
            *starmap(_comparison, found),
        ],
    }


def _counted(pairs: int) -> str:
    return f"{pairs} pairs of graph and problem" if pairs > 1 else "one graph and problem"


def _study(folder: Path, experiment: Experiment) -> Study | None:
    """A study of all that a folder has of an experiment; None where it has nothing."""
    known = list(experiment.store(folder).records().values())
    if not known:
        return None
    seeds = tuple(sorted({record.seed for record in known}))
    return experiment.everything(Study(folder, (), seeds, known[0].budget, known[0].episodes))


def _conclusion(folder: Path, compared: Sequence[OneGraph]) -> list[Block]:
    rows = {}
    for name in ("table1", "scalability"):
        study = _study(folder, EXPERIMENTS[name])
        rows[name] = [] if study is None else EXPERIMENTS[name].rows(study)
    return conclusion_section(compared, rows["table1"], rows["scalability"])


def _reproduced(folder: Path) -> list[Block]:
    """A section for each table of the paper that the folder has records of, ours beside the paper's."""
    made = []
    for experiment in EXPERIMENTS.values():
        study = None if isinstance(experiment, Rivals) else _study(folder, experiment)
        if study is not None:
            rows = experiment.rows(study)
            notes = [*experiment.notes, *filter(None, experiment.more(study))]
            pictures, tables = _pictures(folder, experiment.name), _with_and_without_data(experiment, study, rows)
            made.append(section(experiment.title, *pictures, *tables, text(*notes)))
    return made


def _with_and_without_data(experiment: Experiment, study: Study, rows: Sequence[Row]) -> list[Block]:
    """A table of the rows with figures, and a folded one of those without."""
    empty = [row for row in rows if str(row.get("note", "")).startswith((NO_DATA, NOT_RUN))]
    known = [row for row in rows if row not in empty]
    made = []
    for some, folded in ((known or empty, False), (empty if known else [], True)):
        if some:
            _, headings, lines = experiment.table(study, some)
            title = f"{len(lines)} {'row' if len(lines) == 1 else 'rows'} without data" if folded else ""
            made.append(table(title, headings, lines, folded=folded))
    return made


def _pictures(folder: Path, experiment: str) -> list[Block]:
    """The figures of an experiment: one, or one for each graph and problem."""
    files = sorted([*folder.glob(f"{experiment}.png"), *folder.glob(f"{experiment}-*.png")])
    return [image(file, file.stem.removeprefix(experiment).removeprefix("-")) for file in files]


def _compared(folder: Path) -> list[tuple[Path, OneGraph]]:
    """Each comparison: of each graph and problem in the folder, and of each folder of one below it."""
    stores = [Rivals().store(folder), *(Compared().store(path.parent) for path in sorted(folder.rglob("plan.json")))]
    made = []
    for store in stores:
        pairs: dict[tuple[str, str], list[Record[Any]]] = {}
        for record in store.records().values():
            pairs.setdefault(record.key[:2], []).append(record)
        made += [(store.path.parent, OneGraph(records)) for records in pairs.values()]
    return made


def _overview(found: Sequence[OneGraph]) -> list[Block]:
    """A section with several comparisons side by side."""
    if len(found) < _SEVERAL:
        return []
    tables = [
        table(f"{problem}. {kind}", headings, lines)
        for kind, by_problem in side_by_side(found).items()
        for problem, headings, lines in by_problem
    ]
    return [section(Rivals.title, *tables)]


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
    """Plan, seeds, versions and machines; records may come from several, and then all are named."""
    first = records[0]
    return {
        "folder": folder.resolve().name,
        "graph": first.graph,
        "options": first.options,
        "train share": first.train_share,
        "budget": first.budget,
        "prunings by those that are random": first.episodes,
        "seeds": sorted({record.seed for record in records}),
        "devices": _different([record.device for record in records]),
        "versions": _different([_in_words(record.versions) for record in records if record.versions]),
        "machine": _different([_in_words(record.machine) for record in records if record.machine]),
    }


def _in_words(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)


def _different(values: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(values)) or "–"


def fronts_block(found: Sequence[Row]) -> Block:
    """Ratio against share pruned, for rows of :class:`lense.experiments.comparison.OneGraph`."""
    looks = looks_of(row["pruner"] for row in found)
    return {
        "kind": "fronts",
        "title": "Ratio against share pruned",
        "looks": {name: [matplotlib.colors.to_hex(colour), marker] for name, (colour, marker) in looks.items()},
        "panels": [_panel(found, *panel) for panel in PANELS],
    }


def _panel(found: Sequence[Row], mode: str, share: str, title: str, axis: str) -> Block:
    """Places are shares of the axes' lengths; what is strong is drawn last, above the others."""
    solved = sorted((row for row in found if row[mode] is not None), key=lambda row: row["pruner"] in STRONG)
    ratios, shares = ([row[mode][name] for row in solved] for name in ("ratio", share))
    (bottom, top), (left, right) = limits(ratios, shares)

    def up(ratio: float) -> float:
        low, high = ratio_place(bottom), ratio_place(top)
        return float((ratio_place(ratio) - low) / (high - low))

    def along(pruned: float) -> float:
        low, high = share_place(left), share_place(right)
        return float((share_place(pruned) - low) / (high - low))

    ratio_ticks, share_ticks = axis_ticks(top, right)
    return {
        "title": title,
        "x": f"share of {axis}",
        "xTicks": [[along(tick), name] for tick, name in share_ticks],
        "yTicks": [[up(tick), name] for tick, name in ratio_ticks],
        "points": [
            {
                "pruner": row["pruner"],
                "look": base_name(row["pruner"]),
                "share": row[mode][share],
                "front": row[mode]["front"][share],
                "x": along(row[mode][share]),
                "y": up(row[mode]["ratio"]),
                "error": [up(row[mode]["ratio"] + sign * (row[mode]["ratio_stderr"] or 0.0)) for sign in (-1, 1)],
                "is_below": row[mode]["ratio"] < bottom,
                **{name: row[mode][name] for name in ("ratio", "ratio_stderr", "vertices_pruned", "edges_pruned")},
                "fit_seconds": row["fit_seconds"],
                "prune_seconds": row["prune_seconds"],
                "solve_seconds": row[mode]["seconds"],
            }
            for row in solved
        ],
    }
