"""``lense evaluate``: how good a model's subgraphs are, beside the paper's and between ceiling and floors."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lense.cli.models import is_dataset, model_name, need_lense, open_prepared, paper_split, percent
from lense.cli.options import Pruning, Reading, Running, Task, grouped, pruning_option, running_option
from lense.cli.session import check_place, duration, print_facts, print_json, print_table

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.pruners import LeNSE


@grouped(without=("budget", "pruner"))
def evaluate(
    *,
    task: Task,
    graph: Annotated[str, pruning_option("--graph", "-g", help="A graph file, or a name from 'lense data list'.")],
    pruning: Pruning,
    episodes: Annotated[int, pruning_option("--episodes", "-e", min=1, help="How many walks.")] = 10,
    floors: Annotated[bool, pruning_option("--floors/--no-floors", help="Also walk without having learnt.")] = True,
    reading: Reading,
    picture: Annotated[Path | None, running_option(help="Draw the walks to a .png or .svg file.")] = None,
    running: Running,
) -> None:
    """Prune a test graph several times, and compare with the heuristic on the whole of it.

    Of a graph of the paper the test side of its split is taken, of a file the whole graph.
    """
    if picture is not None:
        check_picture(picture)
    with running.session():
        from lense.circumstances import circumstances
        from lense.evaluation import evaluate

        seed = running.seed
        pruner = need_lense(task, pruning, seed=seed)
        split_seed = split_seed_for(pruner, graph, seed)
        if split_seed != seed:
            pruner = need_lense(task, pruning, seed=split_seed)
        test = test_graph_for(pruner, graph, split_seed, reading)
        found = evaluate(pruner, test, episodes=episodes, seed=seed, stop=pruning.stop, floors=floors, prepared=True)
        if picture is not None:
            from lense.files import system_errors
            from lense.pictures import save_figure

            with system_errors(picture, "written"):
                save_figure(pruner.draw_walks(found.walk), picture)
    record: dict[str, Any] = {
        **found.as_dict(),
        "paper": paper_row(pruner, graph),
        "model": {
            "source": model_name(pruning, pruner),
            "problem": pruner.problem_.name,
            "solver": pruner.problem_.solver,
            "budget": pruner.budget,
            "roots": pruner.num_roots(),
            "stop": pruning.stop,
            "trained_on": pruner.report_["trained_on"],
        },
        "graph": {
            "source": graph,
            "part": "test side of the paper's split" if is_dataset(graph) else "whole",
            "split_seed": split_seed if is_dataset(graph) else None,
            "vertices": test.num_vertices,
            "edges": test.num_edges,
        },
        "seed": seed,
        **circumstances(),
    }
    if running.as_json:
        print_json(record)
    else:
        _show(record)
        if picture is not None:
            running.say(f"  The walks are drawn in {picture}.")


def check_picture(picture: Path) -> None:
    """Raise unless a picture can be written there, before long work is done for it."""
    from lense.errors import LenseError

    check_place(picture)
    if picture.suffix.lower() not in (".png", ".svg"):
        raise LenseError(f"{picture} cannot be drawn: give the picture a name that ends in .png or .svg.")


def split_seed_for(model: "LeNSE", graph: str, seed: int) -> int:
    """The seed of the split that the model learnt from, if it did learn from that graph."""
    trained_on: Any = model.report_["trained_on"]
    source = trained_on["source"]
    if is_dataset(graph) and isinstance(source, dict) and source.get("graph") == graph:
        known = source.get("split_seed")
        return seed if known is None else int(known)
    return seed


def test_graph_for(model: "LeNSE", graph: str, split_seed: int, reading: Reading) -> "Graph":
    whole = open_prepared(model.problem_, graph, reading)
    return paper_split(model.problem_, graph, whole, split_seed)[1] if is_dataset(graph) else whole


def paper_row(model: "LeNSE", graph: str) -> dict[str, float | None] | None:
    from lense.paper import published

    row = published(model.problem_.name, graph if is_dataset(graph) else None, "lense")
    return None if row is None else row._asdict()


def _show(record: dict[str, Any]) -> None:
    from lense.evaluation.evaluating import FLOORS

    model, graph, seconds = record["model"], record["graph"], record["seconds"]
    rows: list[tuple[str, dict[str, Any]]] = [("LeNSE", record)]
    if record["paper"] is not None:
        rows.append(("LeNSE in the paper", record["paper"]))
    rows.append(("ceiling: the solution's own subgraph", record["ceiling"]))
    rows += [(f"floor: {FLOORS[name]}", figures) for name, figures in record["floor"].items()]
    print_table(
        f"{model['problem']} by {model['solver']}, budget {model['budget']:g}, on {graph['vertices']:,} vertices and "
        f"{graph['edges']:,} edges: means of {record['episodes']} walks",
        ("subgraph", "ratio", "vertices pruned", "edges pruned"),
        [(name, _ratio(row), percent(row["vertices_pruned"]), percent(row["edges_pruned"])) for name, row in rows],
    )
    print_facts(
        "Time",
        {
            "features": duration(seconds["features"]),
            "walks": f"{duration(seconds['navigation'])} for all {record['episodes']} together",
            "heuristic": f"{duration(seconds['heuristic_on_subgraph'])} on a subgraph, "
            f"{duration(seconds['heuristic_on_graph'])} on the whole graph",
        },
    )


def _ratio(row: dict[str, Any]) -> str:
    stderr = row.get("ratio_stderr")
    return f"{row['ratio']:.3f}" + ("        " if stderr is None else f" ± {stderr:.3f}")
