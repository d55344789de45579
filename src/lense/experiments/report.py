"""What a comparison found, as tables and a picture in its folder."""

from pathlib import Path
from typing import Any

from lense.errors import LenseError
from lense.experiments.compare import WHOLE, Comparison
from lense.experiments.fronts import draw_fronts
from lense.experiments.rows import ceiling, comma_separated, failures, markdown, rows, tables
from lense.experiments.store import Record, Store
from lense.graph.files import system_errors
from lense.graph.formats.streams import replacing
from lense.paper import BUDGET
from lense.pictures import save_figure


def summary(plan: Comparison, records: list[Record], folder: str | Path) -> Record:
    """Rows, ceiling and circumstances of a comparison; also written to ``folder`` as tables and a picture."""
    store = Store(folder, plan.plan())
    graph, problem = plan.source.title, plan.source.problem
    paper_graph = plan.source.paper_graph if plan.budget == BUDGET else None
    found, wholes = rows(records, problem, paper_graph), [_whole(store, seed) for seed in plan.seeds]
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
        "combined_ceiling": ceiling(wholes, plan.budget),
        "folder": str(store.folder),
        "files": sorted(made),
    }


def _whole(store: Store, seed: int) -> Record:
    record = store.read(f"{WHOLE}.{seed}")
    if record is None:
        raise LenseError(f"{store.folder} has no result for seed {seed}: run the comparison.")
    return record


def _page(plan: Comparison, found: list[Record], wholes: list[Record]) -> str:
    sizes = ", ".join(f"{whole['test']['vertices']:,} and {whole['test']['edges']:,}" for whole in wholes)
    lines = [
        f"# {plan.source.problem} on {plan.source.title}, budget {plan.budget:g}",
        "",
        f"Heuristic: {wholes[0]['solver']}. Seeds: {', '.join(map(str, plan.seeds))}; vertices and edges of their "
        f"test graphs: {sizes}. A ratio is followed by its standard error over the seeds; * marks the front of ratio "
        "against vertices pruned. C is the ground-set ratio times the share of vertices that are not to choose from.",
        "",
        *map(markdown, tables(found, wholes, plan.budget, relative=True)),
        *(f"- {line}" for line in failures(found)),
    ]
    return "\n".join(lines).rstrip() + "\n"
