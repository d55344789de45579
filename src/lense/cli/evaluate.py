"""``lense evaluate``: how good the parts are that a pruner keeps, beside the paper's, between ceiling and floors."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from lense._util.formatting import duration, percent
from lense.cli.models import (
    LENSE,
    is_dataset,
    model_name,
    need_pruner,
    open_prepared,
    paper_split,
)
from lense.cli.options import Pruning, Reading, Running, Task, grouped, pruning_option, running_option
from lense.cli.session import check_place, expectation, print_facts, print_json, print_table
from lense.cli.standard_input import from_standard_input
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.evaluation import Evaluation
    from lense.graph import Graph
    from lense.pruners import Pruner

AnyPruner = TypeVar("AnyPruner", bound="Pruner")

_BUDGET = 100
"""For a pruner that is good for any budget, where none is given: the paper's."""


@grouped(without=("stop",))
def evaluate(
    *,
    graph: Annotated[
        str,
        pruning_option(
            "--graph",
            "-g",
            help="A graph file, a name from 'lense data list', or - for standard input.",
            callback=from_standard_input,
        ),
    ],
    task: Task,
    pruning: Pruning,
    episodes: Annotated[
        int, pruning_option("--episodes", "-e", min=1, help="How many prunings, if they depend on the seed.")
    ] = 10,
    floors: Annotated[bool, pruning_option("--floors/--no-floors", help="Also measure what needs no learning.")] = True,
    reading: Reading,
    picture: Annotated[Path | None, running_option(help="Draw the walks of LeNSE to a .png or .svg file.")] = None,
    running: Running,
) -> None:
    """Prune a test graph several times, and compare with the heuristic on the whole of it.

    Of a graph of the paper the test side of its split is taken, of a file the whole graph.
    """
    if picture is not None:
        check_picture(picture)
    with running.session():
        from lense.evaluation import evaluate

        seed = running.seed
        pruner, test, split_seed = on_test_graph(lambda own: _pruner(task, pruning, own), graph, reading, seed)
        if picture is not None and pruner.name != LENSE:
            raise LenseError(f"--picture draws the walks of LeNSE, and a {pruner.name} does not walk.")
        found = evaluate(pruner, test, episodes=episodes, seed=seed, floors=floors, prepared=True)
        if picture is not None:
            _draw(pruner, test, found.episodes, seed, picture)
        record = _record(found, pruner, model_name(pruning, pruner), test, graph, seed)
        record["graph"]["split_seed"] = split_seed if is_dataset(graph) else None
    if running.as_json:
        print_json(record)
        return
    _show(record)
    if picture is not None:
        running.say(f"  The walks are drawn in {picture}.")


def check_picture(picture: Path) -> None:
    """Raise unless a picture can be written there, before long work is done for it."""
    check_place(picture)
    if picture.suffix.lower() not in (".png", ".svg"):
        raise LenseError(f"{picture} cannot be drawn: give the picture a name that ends in .png or .svg.")


def _pruner(task: Task, pruning: Pruning, seed: int) -> "Pruner":
    """The pruner asked for, with its own budget if it has learnt for one."""
    learnt = pruning.model is not None or pruning.pruner == LENSE
    if task.budget is None and not learnt:
        task = replace(task, budget=_BUDGET)
    pruner = need_pruner(task, pruning, seed=seed)
    if task.budget not in (None, pruner.budget):
        raise LenseError(
            f"A model is evaluated for the budget it has learnt for, {pruner.budget:g}: leave out --budget."
        )
    return pruner


def on_test_graph(
    find: Callable[[int], AnyPruner], graph: str, reading: Reading, seed: int
) -> "tuple[AnyPruner, Graph, int]":
    """What ``find`` gives for a seed, the prepared graph to test it on, and the seed of the paper's split.

    That seed is the one of the split that the pruner learnt from, if it did learn from that graph.
    """
    pruner = find(seed)
    split_seed = _split_seed(pruner, graph, seed)
    if split_seed != seed:
        pruner = find(split_seed)
    whole = open_prepared(pruner.problem_, graph, reading)
    test = paper_split(pruner.problem_, graph, whole, split_seed)[1] if is_dataset(graph) else whole
    return pruner, test, split_seed


def _split_seed(pruner: "Pruner", graph: str, seed: int) -> int:
    from lense._util.options import is_count

    source = (_trained_on(pruner) or {}).get("source")
    if is_dataset(graph) and isinstance(source, dict) and source.get("graph") == graph:
        known = source.get("split_seed")
        return known if is_count(known) else seed
    return seed


def _trained_on(pruner: "Pruner") -> dict[str, Any] | None:
    """What is known of the graph that a pruner learnt from."""
    known: dict[str, Any] | None = getattr(pruner, "report_", {}).get("trained_on")
    return known


def paper_row(pruner: "Pruner", graph: str) -> dict[str, float | None] | None:
    """What the paper's table says about such a pruner on one of its graphs, if it does."""
    from lense.paper import published

    row = published(pruner.problem_.name, graph if is_dataset(graph) else None, pruner.name)
    return None if row is None else row._asdict()


def _draw(model: Any, graph: "Graph", episodes: int, seed: int, picture: Path) -> None:
    """Draw the walks of a LeNSE; they are the ones that were measured, walked again."""
    from lense._util.files import system_errors
    from lense.plots import save_figure

    with system_errors(picture, "written"):
        save_figure(model.draw_walks(model.walk(graph, episodes=episodes, seed=seed)), picture)


def _record(found: "Evaluation", pruner: "Pruner", source: str, test: "Graph", graph: str, seed: int) -> dict[str, Any]:
    from lense._util.environment import environment

    return {
        **found.as_dict(),
        "paper": paper_row(pruner, graph),
        "model": {
            "source": source,
            "pruner": pruner.name,
            "problem": pruner.problem_.name,
            "solver": pruner.problem_.solver,
            "budget": pruner.budget,
            "trained_on": _trained_on(pruner),
        },
        "graph": {
            "source": graph,
            "part": "test side of the paper's split" if is_dataset(graph) else "whole",
            "vertices": test.num_vertices,
            "edges": test.num_edges,
        },
        "seed": seed,
        **environment(),
    }


def _show(record: dict[str, Any]) -> None:
    from lense.evaluation.evaluating import FLOORS

    model, graph, seconds, episodes = (record[name] for name in ("model", "graph", "seconds", "episodes"))
    name = "LeNSE" if model["pruner"] == LENSE else model["pruner"]
    rows: list[tuple[str, dict[str, Any]]] = [(name, record)]
    if record["paper"] is not None:
        rows.append((f"{name} in the paper", record["paper"]))
    rows.append(("ceiling: the solution's own subgraph", record["ceiling"]))
    rows += [(f"floor: {FLOORS[floor]}", figures) for floor, figures in record["floor"].items()]
    print_table(
        f"{model['problem']} by {model['solver']}, budget {model['budget']:g}, on {graph['vertices']:,} vertices and "
        f"{graph['edges']:,} edges: " + ("one pruning" if episodes == 1 else f"means of {episodes} prunings"),
        ("subgraph", "ratio", "vertices pruned", "edges pruned"),
        [(words, _ratio(row), percent(row["vertices_pruned"]), percent(row["edges_pruned"])) for words, row in rows],
    )
    if record["expected_ratio"] is not None:
        print_facts("Before", {"expected": expectation(record)})
    print_facts(
        "Time",
        {
            "pruning": duration(seconds["prune"]) + ("" if episodes == 1 else f" for all {episodes} together"),
            "heuristic": f"{duration(seconds['heuristic_on_subgraph'])} on a subgraph, "
            f"{duration(seconds['heuristic_on_graph'])} on the whole graph",
        },
    )


def _ratio(row: dict[str, Any]) -> str:
    stderr = row.get("ratio_stderr")
    return f"{row['ratio']:.3f}" + ("        " if stderr is None else f" ± {stderr:.3f}")
