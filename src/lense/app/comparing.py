"""Pruners side by side on one graph; the plot fills while they run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lense._util.classes import known_class
from lense._util.progress import Advance, reporting_to
from lense.app.asking import Compare, Generated, Task
from lense.app.events import Events
from lense.app.looking import generated
from lense.app.recipe import COMPARED_EPISODES, COMPARED_SEEDS, recipe
from lense.experiments import Source, Study
from lense.experiments.compare import Compared, run_comparison
from lense.experiments.comparison import OneGraph
from lense.graph import write_graph
from lense.problems.base import GROUP as PROBLEMS
from lense.pruners.model_files import SHIPPED
from lense.pruners.registry import GROUP as PRUNERS
from lense.pruners.shipped import DEFAULTS
from lense.report import results_page, write_page
from lense.report.blocks import Block, table, text
from lense.report.results import fronts_block

_FILES = {"table.csv": "Table (CSV)", "front.png": "Plot (PNG)", "report.html": "Report (HTML)"}


def compare_pruners(task: Task, events: Events) -> dict[str, Any]:
    """The same cells as ``lense compare``, with what is known after each of them sent as an event."""
    ask = task.ask
    assert isinstance(ask, Compare)
    study = _study(task, ask)

    @contextmanager
    def reporter(description: str, total: float | None) -> Iterator[Advance]:
        """A plot after each cell."""
        with events.task(description, total) as outer:

            def advance(amount: float, /, note: str = "") -> None:
                outer(amount, note)
                if description == f"running {Compared.name}":
                    _send(events, study)

            yield advance

    with reporting_to(reporter):
        found = run_comparison(study, [known_class(name, PRUNERS) for name in ask.pruners])
    with events.stage("Writing the report"):
        write_page(Path(task.folder) / "report.html", results_page(study.out))
        for name in ("table.csv", "front.png"):
            (study.out / name).replace(Path(task.folder) / name)
    return {
        "kind": "compare",
        "title": f"Pruners for {ask.problem} on {task.title}, budget {ask.budget:,}",
        "blocks": [*_blocks(found), text(*found.failures())],
        "recipe": recipe(task),
        "files": [{"name": name, "title": title} for name, title in _FILES.items()],
    }


def _study(task: Task, ask: Compare) -> Study:
    folder = Path(task.folder)
    graph = task.source
    if isinstance(ask.graph, Generated):
        graph = str(folder / "graph.npz")
        write_graph(generated(ask.graph), graph)
    source = Source(
        graph, known_class(ask.problem, PROBLEMS), options={"solver": ask.solver}, reading=ask.reading.options()
    )
    model = str(SHIPPED / DEFAULTS[ask.problem]) if "lense" in ask.pruners and ask.problem in DEFAULTS else None
    seeds = tuple(range(ask.seed, ask.seed + COMPARED_SEEDS))
    return Study(folder / "comparison", (source,), seeds, ask.budget, COMPARED_EPISODES, model=model)


def _send(events: Events, study: Study) -> None:
    known = OneGraph(list(Compared().records(study).values()))
    if known.wholes and known.rows:
        events.send(partial=_blocks(known))


def _blocks(found: OneGraph) -> list[Block]:
    return [fronts_block(found.rows), *(table(*one) for one in found.tables())]
