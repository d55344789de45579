"""What a comparison found, as tables and a picture in its folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lense.errors import LenseError
from lense.experiments.fronts import draw_fronts
from lense.experiments.plan import WHOLE, Comparison, all_pruners, pruner_record, whole_record
from lense.experiments.rows import ceiling, comma_separated, failures, markdown, rows, tables
from lense.experiments.store import Record, Store
from lense.files import replacing, system_errors
from lense.paper import BUDGET
from lense.plots import save_figure


def summary(plan: Comparison, folder: str | Path) -> Record:
    """Rows, ceiling and circumstances of all that was compared in ``folder``; also kept there as tables and a picture.

    Rows are those of every pruner and seed found there, so that a later comparison of a few adds to them.
    """
    store = Store(folder, plan.plan())
    graph, problem = plan.source.title, plan.source.problem
    paper_graph = plan.source.paper_graph if plan.budget == BUDGET else None
    wholes = [record for seed in _seeds(store) if (record := whole_record(store, seed)) is not None]
    if not wholes:
        raise LenseError(f"{store.folder} holds no results: run the comparison first.")
    found = rows(_records(store, [whole["seed"] for whole in wholes]), problem, paper_graph)
    made: dict[str, Any] = {
        "table.csv": comma_separated(found),
        "table.md": _page(plan, found, wholes),
        "front.png": draw_fronts(found, f"{problem} on {graph}, budget {plan.budget:g}"),
        "front.svg": draw_fronts(found),
    }
    with system_errors(store.folder, "written"):
        for name, content in made.items():
            if isinstance(content, str):
                with replacing(store.folder / name) as temporary:
                    temporary.write_text(content)
            else:
                save_figure(content, store.folder / name)
    return {
        "graph": graph,
        "problem": problem,
        "solver": wholes[0]["solver"],
        "budget": plan.budget,
        "episodes": plan.episodes,
        "rows": found,
        "wholes": wholes,
        "combined_ceiling": ceiling(wholes),
        "folder": str(store.folder),
        "files": sorted(made),
    }


def _seeds(store: Store) -> list[int]:
    """The seeds for which the heuristic was run on the whole graph."""
    told = (piece.removeprefix(f"{WHOLE}.") for piece in store.pieces())
    return sorted(int(seed) for seed in told if seed.isdigit())


def _records(store: Store, seeds: Sequence[int]) -> list[Record]:
    """All pieces, by pruner and seed; LeNSE comes first, those no longer registered last."""
    there = {piece.rsplit(".", 1)[0] for piece in store.pieces() if not piece.startswith(("fit.", f"{WHOLE}."))}
    names = [*(name for name in all_pruners() if name in there), *sorted(there - set(all_pruners()))]
    known = (pruner_record(store, name, seed) for name in names for seed in seeds)
    return [record for record in known if record is not None]


def _page(plan: Comparison, found: list[Record], wholes: list[Record]) -> str:
    sizes = ", ".join(f"{whole['test']['vertices']:,} and {whole['test']['edges']:,}" for whole in wholes)
    seeds = ", ".join(str(whole["seed"]) for whole in wholes)
    lines = [
        f"# {plan.source.problem} on {plan.source.title}, budget {plan.budget:g}",
        "",
        f"Heuristic: {wholes[0]['solver']}. Seeds: {seeds}; vertices and edges of their test graphs: {sizes}. "
        "A ratio is followed by its standard error over the seeds; * marks the front of ratio against vertices pruned. "
        "C is the ground-set ratio times the share of vertices that are not to choose from; its ceiling 1 - b / n is "
        "that of a ratio of 1 with b vertices kept. Memory is the most that fitting or pruning holds beyond what was "
        "there before.",
        "",
        *map(markdown, tables(found, wholes, relative=True)),
        *(f"- {line}" for line in failures(found, len(wholes))),
    ]
    return "\n".join(lines).rstrip() + "\n"
