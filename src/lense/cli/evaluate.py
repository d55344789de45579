"""``lense evaluate``: how good the parts are that a pruner keeps, beside the paper's, between ceiling and baselines."""

from pathlib import Path
from typing import Annotated, Any

from lense._util.environment import environment
from lense._util.files import check_place
from lense._util.formatting import duration, percent
from lense.cli.options import (
    GRAPH,
    Pruning,
    Reading,
    Running,
    Task,
    grouped,
    pruning_option,
    running_option,
    solve_options,
)
from lense.cli.session import expectation, print_facts, print_json, print_table
from lense.cli.standard_input import from_standard_input
from lense.errors import LenseError


@grouped()
def evaluate(
    *,
    graph: Annotated[str, pruning_option("--graph", "-g", help=f"{GRAPH}.", callback=from_standard_input)],
    task: Task,
    pruning: Pruning,
    episodes: Annotated[
        int, pruning_option("--episodes", "-e", min=1, help="Number of prunings, if they depend on the seed.")
    ] = 10,
    baselines: Annotated[
        bool, pruning_option("--baselines/--no-baselines", help="Also measure pruners that need no training.")
    ] = True,
    reading: Reading,
    picture: Annotated[Path | None, running_option(help="Draw the walks of LeNSE to a .png or .svg file.")] = None,
    running: Running,
) -> None:
    """Prune a test graph several times, and compare with the heuristic on the whole of it.

    Uses the test side of the paper's split for its graphs, and the whole graph of a file.
    """
    if picture is not None:
        check_picture(picture)
    with running.session():
        from lense.evaluation import evaluate

        if pruning.model is None:
            task.check_problem()
        found = evaluate(
            None,
            graph,
            task.problem,
            task.budget,
            episodes=episodes,
            baselines=baselines,
            picture=picture,
            options=solve_options(task, pruning, reading, running),
        )
    record = {**found.as_dict(), **environment()}
    if running.as_json:
        print_json(record)
        return
    _show(record, found.title)
    if picture is not None:
        running.say(f"  The walks are drawn in {picture}.")


def check_picture(picture: Path) -> None:
    """Raise unless a picture can be written there, before long work is done for it."""
    check_place(picture)
    if picture.suffix.lower() not in (".png", ".svg"):
        raise LenseError(f"{picture} cannot be drawn: give the picture a name that ends in .png or .svg.")


def _show(record: dict[str, Any], title: str) -> None:
    from lense.evaluation import BASELINES

    model, graph, seconds, episodes = (record[name] for name in ("model", "graph", "seconds", "episodes"))
    rows: list[tuple[str, dict[str, Any]]] = [(title, record)]
    if record["paper"] is not None:
        rows.append((f"{title} in the paper", record["paper"]))
    rows.append(("ceiling: the solution's own subgraph", record["ceiling"]))
    rows += [(f"baseline: {BASELINES[name]}", figures) for name, figures in record["baselines"].items()]
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
