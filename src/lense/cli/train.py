"""``lense train``: learn to prune from a train graph."""

from pathlib import Path
from typing import Annotated, Any

from lense._util.formatting import duration, percent, quantity
from lense.cli.options import (
    Budget,
    Device,
    GraphName,
    ProblemName,
    PrunerName,
    Reading,
    Running,
    Settings,
    grouped,
    pruning_option,
    running_option,
)
from lense.cli.session import parse_settings, print_facts, print_json
from lense.cli.stopping import can_go_on

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
        from lense._util.environment import environment
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
    if running.as_json:
        print_json(record)
    elif not running.quiet:
        _show(record)


def _of_lense(model: Any) -> dict[str, Any]:
    """What the record of LeNSE says besides."""
    ratios = dict(model.log_.series("navigator", "ratio"))
    return {
        "preset": model.preset,
        "settings": model.settings_.as_dict(),
        "cutoffs": list(model.map_.cutoffs),
        **{name: value for name, value in model.report_.items() if name != "versions"},
        "looks": [
            {"step": step, "distance": distance, "ratio": ratios.get(step)}
            for step, distance in model.log_.series("navigator", "distance")
        ],
    }


def _show(record: dict[str, Any]) -> None:
    facts = {"pruner": f"{record['pruner']} for {record['problem']}, budget {record['budget']:g}"}
    if record["pruner"] == LENSE:
        facts |= _facts_of_lense(record)
    else:
        facts |= {name.replace("_", " "): quantity(value) for name, value in record["report"].items()}
    print_facts("Model", {**facts, "time": duration(record["seconds"]), "written to": record["model"]})


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
        "ratio on train graph": ", ".join(f"{one['ratio']:.3f}" for one in record["looks"])
        + " at the evaluations during training",
    }
