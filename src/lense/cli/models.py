"""Models: ``train`` makes one, ``evaluate`` and ``demo`` measure it, ``models list`` shows those that ship."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lense._util.environment import environment
from lense._util.files import check_place
from lense._util.formatting import duration, percent, quantity
from lense.cli.options import (
    GRAPH,
    Budget,
    Device,
    Episodes,
    GraphName,
    ProblemName,
    PrunerName,
    Pruning,
    Reading,
    Running,
    Settings,
    Task,
    from_standard_input,
    grouped,
    parse_settings,
    problem_option,
    pruning_option,
    running_option,
    solve_options,
)
from lense.cli.output import expectation, print_facts, print_json, print_table
from lense.cli.stopping import can_go_on

app = typer.Typer(help="The bundled models.", no_args_is_help=True)
LENSE = "lense"


@grouped()
def train(
    graph: GraphName,
    *,
    problem: ProblemName,
    budget: Budget = 100,
    settings: Settings = None,
    pruner: PrunerName = None,
    preset: Annotated[
        str,
        pruning_option(
            help="Settings of LeNSE: auto to fit the graph, quick for a minute or two, paper for the paper's graphs, "
            "literal for the paper to the letter."
        ),
    ] = "auto",
    device: Device = "auto",
    reading: Reading,
    out: Annotated[Path, running_option("--out", "-o", help="Folder for the model.")],
    force: Annotated[
        bool, running_option("--force", help="Replace a model in --out that is for another pruner or problem.")
    ] = False,
    checkpoint: Annotated[
        Path | None, running_option(help="Folder that keeps an unfinished training of LeNSE (default: beside --out).")
    ] = None,
    tensorboard: Annotated[
        Path | None, running_option(help="Folder for a TensorBoard log of LeNSE's training.")
    ] = None,
    running: Running,
) -> None:
    """Train a pruner on a graph, to prune graphs like it: a core, in seconds, unless --pruner names another one.

    For example: lense train sample.txt --problem mvc --budget 100 --out my-model

    Of a graph of the paper the train side of its split is used, of a file the whole graph. The same command continues
    a training of LeNSE that was interrupted.
    """
    with running.session():
        import lense
        from lense._util.measuring import Stopwatch

        if pruner == LENSE:
            can_go_on()
        with Stopwatch() as watch:
            model: Any = lense.train(
                graph,
                problem,
                budget,
                pruner=pruner or "core",
                preset=preset,
                device=device,
                seed=running.seed,
                out=out,
                force=force,
                checkpoint=checkpoint,
                tensorboard=tensorboard,
                **reading.options(),
                settings=parse_settings(settings),
            )
    record = {
        "model": str(out),
        "pruner": model.name,
        "problem": model.problem_.name,
        "budget": model.budget,
        "seed": running.seed,
        **(_of_lense(model) if model.name == LENSE else {"report": getattr(model, "report_", {})}),
        "seconds": watch.seconds,
        **environment(),
    }
    facts = {"pruner": f"{model.name} for {model.problem_.name}, budget {model.budget:g}"}
    if model.name == LENSE:
        facts |= _facts_of_lense(record)
    else:
        facts |= {name.replace("_", " "): quantity(value) for name, value in record["report"].items()}
    facts |= {"time": duration(watch.seconds), "written to": str(out)}
    running.show("Model", record, facts, is_written=True)


def _of_lense(model: Any) -> dict[str, Any]:
    """What the record of LeNSE says besides."""
    ratios = dict(model.log_.series("navigator", "ratio"))
    return {
        "preset": model.preset,
        "settings": model.settings_.as_dict(),
        "cutoffs": list(model.map_.cutoffs),
        **{name: value for name, value in model.report_.items() if name != "versions"},
        "evaluations": [
            {"step": step, "distance": distance, "ratio": ratios.get(step)}
            for step, distance in model.log_.series("navigator", "distance")
        ],
    }


def _facts_of_lense(record: dict[str, Any]) -> dict[str, str]:
    from lense.plots import class_names

    encoder, navigator, settings, source = (record[name] for name in ("encoder", "navigator", "settings", "trained_on"))
    names = class_names(record["cutoffs"])
    return {
        "train graph": f"{source['vertices']:,} vertices, {source['edges']:,} edges",
        "a walk": f"{settings['roots']:,} roots, {navigator['steps']:,} steps",
        "classes": ", ".join(names[label - 1] for label in record["classes"]),
        "map": f"{percent(encoder['neighbour_accuracy'])} of the held-out samples lie among their class",
        "": f"order of the classes {encoder['order']:.2f} (1 is perfect), silhouette {encoder['silhouette']:.2f}, "
        f"after {encoder['epochs']} epochs",
        "navigator": f"{navigator['transitions']:,} steps, {navigator['updates']:,} updates; "
        f"the policy kept ends {quantity(navigator['distance'])} from the goal",
        "ratio on train graph": ", ".join(f"{one['ratio']:.3f}" for one in record["evaluations"])
        + " at the evaluations during training",
    }


@grouped()
def evaluate(
    *,
    graph: Annotated[str, pruning_option("--graph", "-g", help=f"{GRAPH}.", callback=from_standard_input)],
    task: Task,
    pruning: Pruning,
    episodes: Episodes = 10,
    baselines: Annotated[
        bool, pruning_option("--baselines/--no-baselines", help="Also measure pruners that need no training.")
    ] = True,
    reading: Reading,
    picture: Annotated[Path | None, running_option(help="Draw the walks of LeNSE: a .png, .svg or .pdf file.")] = None,
    running: Running,
) -> None:
    """Prune a test graph several times, and compare with the heuristic on the whole of it.

    Uses the test side of the paper's split for its graphs, and the whole graph of a file.
    """
    if picture is not None:
        check_place(picture)
    with running.session():
        from lense.evaluation import evaluate

        task.check(pruning.model, needs_budget=False)
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
    _show_figures(record, found.title)
    if picture is not None:
        running.say(f"  The walks are drawn in {picture}.")


def _show_figures(record: dict[str, Any], title: str) -> None:
    from lense.evaluation import BASELINES

    model, graph, seconds, episodes = (record[name] for name in ("model", "graph", "seconds", "episodes"))
    rows = {title: record, f"{title} in the paper": record["paper"]}
    rows["ceiling: the solution's own subgraph"] = record["ceiling"]
    rows |= {f"baseline: {BASELINES[name]}": figures for name, figures in record["baselines"].items()}
    print_table(
        f"{model['problem']} by {model['solver']}, budget {model['budget']:g}, on {graph['vertices']:,} vertices and "
        f"{graph['edges']:,} edges: " + ("one pruning" if episodes == 1 else f"means of {episodes} prunings"),
        ("subgraph", "ratio", "vertices pruned", "edges pruned"),
        [
            (words, _ratio(row), percent(row["vertices_pruned"]), percent(row["edges_pruned"]))
            for words, row in rows.items()
            if row is not None
        ],
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


@grouped()
def demo(
    *,
    vertices: Annotated[int, problem_option("--vertices", "-n", min=200, help="Size of the generated graph.")] = 10_000,
    running: Running,
) -> None:
    """Generate a graph, prune it with the bundled LeNSE of each problem, and compare with the whole graph.

    It is what 'lense evaluate --pruner lense' shows of such a graph.
    """
    with running.session():
        from lense.evaluation import evaluate
        from lense.graph.generate import EXAMPLES, make_graph
        from lense.pruners.shipped import DEFAULTS

        settings = {name: value for name, (_, value) in EXAMPLES["power-law"].items()} | {"n": vertices}
        graph = make_graph("power-law", settings, running.seed)
        found = [evaluate("lense", graph, name, episodes=1, seed=running.seed) for name in DEFAULTS]
    if running.as_json:
        print_json([one.as_dict() for one in found])
        return
    for one in found:
        _show_figures(one.as_dict(), one.title)
    running.say("  To try it on a page in your browser, with your own graph: lense app (needs lense[app])")


@app.command("list")
@grouped(without=("seed", "threads"))
def list_models(running: Running) -> None:
    """List the bundled models, and what each was trained for."""
    with running.session():
        from lense.pruners.shipped import shipped_cores, shipped_models

        cores, models = shipped_cores(), shipped_models()
    if running.as_json:
        print_json([*({"pruner": "core", **row} for row in cores), *({"pruner": "lense", **row} for row in models)])
        return
    about_cores = [
        (
            row["name"],
            row["solver"],
            f"{row['graphs_and_budgets']} graphs and budgets",
            f"{row['least_budget']:,} to {row['largest_budget']:,}",
        )
        for row in cores
    ]
    print_table("Cores, the default", ("name", "heuristic", "calibrated on", "budgets"), about_cores)
    names = ("name", "train edges", "budget", "seed", "roots", "steps", "ratio")
    print_table("LeNSE", names, [_cells(row) for row in models])
    running.say("  * taken by --pruner lense. Ratios are of walks on the train graph;")
    running.say("  on graphs that are much denser, walks take the steps in brackets.")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A row for people, no wider than a terminal."""
    name = f"{row['name']}{' *' if row['is_default'] else ''}"
    steps = f"{row['steps']:,}" + ("" if row["longest"] == row["steps"] else f" ({row['longest']:,})")
    counts = (f"{row[key]:,}" for key in ("train_edges", "budget", "seed", "roots"))
    return name, *counts, steps, f"{row['train_ratio']:.3f}"
