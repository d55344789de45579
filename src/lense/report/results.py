"""The page of results: tables and figures of the paper, models, and comparisons, alone and side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

from lense.errors import LenseError
from lense.experiments.compare import all_pruners
from lense.experiments.fronts import PANELS, looks_of, shown_ratios
from lense.experiments.overview import Overview
from lense.experiments.pieces import WHOLE
from lense.experiments.rows import failures, rows, tables
from lense.experiments.store import Record, Store, check_results, read_plan
from lense.paper import BUDGET
from lense.report.blocks import Block, facts, image, section, table, text
from lense.report.pairs import models_section

_STAR = "* no other pruner has both a higher ratio and more vertices pruned."
_REPRODUCED = ("table1", "budgets", "scalability", "losses", "walk", "maps")


def comparisons(folder: Path) -> list[Path]:
    """The folders of comparisons, ``folder`` itself or below it, that have the results of some pruner."""
    plans = sorted(folder.rglob("plan.json"))
    return [plan.parent for plan in plans if read_plan(plan)["experiment"] == "compare" and _pruned(plan.parent)]


def results_page(folder: str | Path) -> Block:
    """The page of what 'lense reproduce' or 'lense compare' left in ``folder``, as far as it is."""
    path = Path(folder)
    check_results(path)
    found, reproduced, models = comparisons(path), _reproduced(path), models_section(path)
    if not found and not reproduced and not models:
        raise LenseError(
            f"{path} holds neither a model nor results: name a folder that 'lense train', 'lense compare' or "
            "'lense reproduce' wrote."
        )
    sections = [*reproduced, *models, *_overviews(found), *(_comparison(one) for one in found)]
    compared = (
        f"{len(found)} comparisons of pruners." if len(found) > 1 else "A comparison of pruners." if found else ""
    )
    trained = f"Models for {_counted(len(models[0]['choices']))}." if models else ""
    lead = " ".join(filter(None, ["Tables of the paper again." if reproduced else "", trained, compared]))
    name = path.resolve().name
    return {"title": "Results" if name == "results" else f"Results in {name}", "lead": lead, "sections": sections}


def _counted(pairs: int) -> str:
    return f"{pairs} pairs of graph and problem" if pairs > 1 else "one graph and problem"


def _reproduced(folder: Path) -> list[Block]:
    """A section for each table of the paper that 'lense reproduce' wrote to the folder, ours beside the paper's."""
    files = [folder / f"{name}.md" for name in _REPRODUCED]
    return [
        _page_of_table(file.read_text().splitlines(), _pictures(folder, file.stem)) for file in files if file.is_file()
    ]


def _pictures(folder: Path, experiment: str) -> list[Block]:
    """The figures of an experiment: one, or one for each graph and problem."""
    files = sorted([*folder.glob(f"{experiment}.png"), *folder.glob(f"{experiment}-*.png")])
    return [image(file, file.stem.removeprefix(experiment).removeprefix("-")) for file in files]


def _page_of_table(lines: Sequence[str], pictures: Sequence[Block]) -> Block:
    """A section of a page of Markdown: its title, figures, its table, and the notes below."""
    cells = [line for line in lines if line.startswith("|")]
    notes = [line for line in lines[1:] if line and not line.startswith("|")]
    columns = [name.strip() for name in cells[0].strip("| ").split(" | ")]
    rows = [[*row, *[""] * (len(columns) - len(row))] for row in _body("\n".join(cells))]
    return section(lines[0].lstrip("# "), *pictures, table("", columns, rows), text(*notes))


def _overviews(found: Sequence[Path]) -> list[Block]:
    """A section for each folder in which several comparisons with tables lie side by side."""
    with_tables = [one.parent for one in found if (one / "table.csv").is_file()]
    return [_overview(parent) for parent in dict.fromkeys(with_tables) if with_tables.count(parent) > 1]


def _overview(folder: Path) -> Block:
    overview = Overview(folder)
    kinds = (
        ("As a subgraph: ratio at P_V / P_E in per cent", overview.subgraphs()),
        ("As a ground set: C = ratio x P_V, and in brackets the ratio", overview.ground_sets()),
    )
    return section(
        f"All of {folder.resolve().name}",
        *(
            table(f"{problem}. {kind}", headings, lines)
            for kind, tables_of_kind in kinds
            for problem, headings, lines in tables_of_kind
        ),
    )


def _body(markdown: str) -> list[list[str]]:
    """The cells of a Markdown table without its headings, in which the name of a graph may hold anything."""
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in markdown.splitlines()[2:]]


def _comparison(folder: Path) -> Block:
    plan = read_plan(folder / "plan.json")
    wholes = sorted(_pieces(folder, WHOLE), key=lambda whole: int(whole["seed"]))
    if not wholes:
        name = f"{plan['problem']} on {Path(plan['graph']).name}"
        return section(name, text("The heuristic has not run on the whole graph yet, so there are no ratios."))
    return _section(folder, plan, _pruned(folder), wholes)


def _pruned(folder: Path) -> list[Record]:
    return [piece for piece in _pieces(folder) if "status" in piece]


def _pieces(folder: Path, kind: str = "") -> list[Record]:
    """The results there are, all or those of a kind."""
    store = Store.of(folder)
    records = (store.read(piece) for piece in store.pieces() if not kind or piece.startswith(f"{kind}."))
    return [record for record in records if record is not None]


def _section(folder: Path, plan: Record, records: list[Record], wholes: list[Record]) -> Block:
    paper_graph = plan["graph"] if plan["train_share"] is None and plan["budget"] == BUDGET else None
    order = {name: i for i, name in enumerate(all_pruners())}
    records.sort(key=lambda record: (order.get(record["pruner"], len(order)), record["pruner"], record["seed"]))
    found = rows(records, plan["problem"], paper_graph)
    graph = Path(plan["graph"]).name
    test = ", ".join(f"{one['test']['vertices']:,} and {one['test']['edges']:,}" for one in wholes)
    return section(
        f"{plan['problem']} on {graph}, budget {plan['budget']:g}",
        _fronts(found),
        *(table(title, columns, cells) for title, columns, cells in tables(found, wholes, relative=True)),
        text(_STAR, *failures(found, len(wholes))),
        facts("Plan", {name: value for name, value in plan.items() if name != "experiment"}, is_open=False),
        facts("Circumstances", _circumstances(folder, records, wholes), is_open=False),
        lead=f"Heuristic: {wholes[0]['solver']}. Vertices and edges of the test graphs: {test}.",
    )


def _circumstances(folder: Path, records: Sequence[Record], wholes: Sequence[Record]) -> dict[str, Any]:
    """Seeds, versions and machines; pieces may come of several, and then all are told."""
    everything = [*wholes, *records]
    return {
        "folder": folder.resolve().name,
        "seeds": [whole["seed"] for whole in wholes],
        "devices": _different([record["device"] for record in records if "device" in record]),
        "versions": _different([_in_words(one["versions"]) for one in everything if "versions" in one]),
        "machine": _different([_in_words(one["machine"]) for one in everything if "machine" in one]),
    }


def _in_words(values: Record) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)


def _different(values: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(values)) or "–"


def _fronts(found: Sequence[Record]) -> Block:
    looks = looks_of([row["pruner"] for row in found])
    return {
        "kind": "fronts",
        "title": "Ratio against share pruned",
        "looks": {name: [matplotlib.colors.to_hex(colour), marker] for name, (colour, marker) in looks.items()},
        "panels": [_panel(found, *panel) for panel in PANELS],
    }


def _panel(found: Sequence[Record], mode: str, share: str, title: str, axis: str) -> Block:
    solved = [row for row in found if row[mode] is not None]
    bottom, top = shown_ratios([row[mode]["ratio"] for row in solved])
    return {
        "title": title,
        "x": f"share of {axis}",
        "bottom": bottom,
        "top": top,
        "points": [
            {
                "pruner": row["pruner"],
                "share": row[mode][share],
                "front": row[mode]["front"][share],
                **{name: row[mode][name] for name in ("ratio", "ratio_stderr", "vertices_pruned", "edges_pruned")},
                "fit_seconds": row["fit_seconds"],
                "prune_seconds": row["prune_seconds"],
                "solve_seconds": row[mode]["seconds"],
            }
            for row in solved
        ],
    }
