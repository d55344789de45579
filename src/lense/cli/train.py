"""``lense train``: learn to prune from a train graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.cli.models import (
    Device,
    GraphName,
    PrunerName,
    is_dataset,
    open_prepared,
    paper_split,
    percent,
    shared_out,
    whole_if_possible,
)
from lense.cli.session import (
    Directed,
    FileFormat,
    Ids,
    Json,
    KeepDuplicates,
    KeepLoops,
    NoWeights,
    Quiet,
    Seed,
    Settings,
    Threads,
    Verbose,
    check_place,
    duration,
    parse_settings,
    print_facts,
    print_json,
    quantity,
    reading,
    session,
)
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.problems import Problem
    from lense.pruners import LeNSE, Pruner


def train(
    graph: GraphName,
    problem: Annotated[str, typer.Option("--problem", "-p", help="mvc, bmc, im, or one registered by you.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write the model to.")],
    budget: Annotated[float, typer.Option("--budget", "-b", help="How many vertices a solution has.")] = 100,
    preset: Annotated[
        str,
        typer.Option(
            help="Settings: auto to fit the graph, quick for a minute or two, paper for one of its graphs, "
            "literal for the same with every choice the paper's."
        ),
    ] = "auto",
    pruner: PrunerName = None,
    device: Device = "auto",
    settings: Settings = None,
    seed: Seed = 0,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps the training until the model is written; beside --out unless given."),
    ] = None,
    tensorboard: Annotated[Path | None, typer.Option(help="Folder to log to for TensorBoard.")] = None,
    directed: Directed = None,
    file_format: FileFormat = None,
    ids: Ids = "auto",
    no_weights: NoWeights = False,
    keep_duplicates: KeepDuplicates = False,
    keep_self_loops: KeepLoops = False,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Learn from a train graph to prune graphs like it; the same command after an interruption goes on.

    Of a graph of the paper the train side of its split is learnt from, of a file the whole graph.
    """
    stages = out.absolute().with_name(f"{out.absolute().name}.training") if checkpoint is None else checkpoint
    _check_folder(out, "config.json", "model")
    _check_folder(stages, "training.json", "interrupted training")
    with session(quiet=quiet, verbose=verbose, threads=threads):
        import shutil

        from lense.files import system_errors
        from lense.problems import seeded_problem
        from lense.pruners import LeNSE, Pruner
        from lense.stopwatch import Stopwatch

        name = _learner(pruner, preset, tensorboard)
        is_of_paper = is_dataset(graph)
        if preset in ("paper", "literal") and not is_of_paper:
            raise LenseError(f"--preset {preset} is for the paper's graphs and {graph} is a file: take --preset auto.")
        changes, options = shared_out(parse_settings(settings), problem, name)
        task = seeded_problem(problem, seed, options)
        model: Pruner
        how: dict[str, Any] = {}
        if name == LeNSE.name:
            paper_graph = graph if is_of_paper else None
            size = whole_if_possible(budget)
            model = LeNSE(
                task, size, preset=preset, paper_graph=paper_graph, settings=changes, seed=seed, device=device
            )
            source = _source(graph, seed if is_of_paper else None)
            how = {"source": source, "checkpoint": stages, "tensorboard": tensorboard}
        else:
            model = _rival(name, task, whole_if_possible(budget), {**changes, "seed": seed, "device": device})
        options_of_reading = reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops)
        whole = open_prepared(task, graph, options_of_reading)
        learnt_from = paper_split(task, graph, whole, seed)[0] if is_of_paper else whole
        with Stopwatch() as watch:
            model.fit(learnt_from, prepared=True, **how)
        with system_errors(out, "written"):
            model.save(out)
        if stages.exists():
            shutil.rmtree(stages)
    lense = model if isinstance(model, LeNSE) else None
    record = _rival_record(model, out, watch.seconds) if lense is None else _record(lense, out, watch.seconds)
    if as_json:
        print_json(record)
    elif not quiet:
        _show_rival(record) if lense is None else _show(record)


def _learner(pruner: str | None, preset: str, tensorboard: Path | None) -> str:
    """The name of the pruner to train, once it is known to learn, and that what was asked is not for LeNSE alone."""
    from lense.pruners import LeNSE, pruner_class

    name = LeNSE.name if pruner is None else pruner
    if not pruner_class(name).learns:
        raise LenseError(f"The pruner {name} learns nothing: use it at once with 'lense prune --pruner {name}'.")
    if name != LeNSE.name and (preset != "auto" or tensorboard is not None):
        raise LenseError(f"--preset and --tensorboard are for LeNSE, not for {name}: set its parameters with --set.")
    return name


def _rival(name: str, task: "Problem", budget: float, params: dict[str, Any]) -> "Pruner":
    """Another pruner than LeNSE, with those of the parameters that it takes."""
    from lense.pruners import get_pruner
    from lense.pruners.registry import pruner_parameters

    known = pruner_parameters(name)
    return get_pruner(name, task, budget, **{key: value for key, value in params.items() if key in known})


def _rival_record(model: "Pruner", out: Path, seconds: float) -> dict[str, Any]:
    from lense.circumstances import circumstances

    return {
        "model": str(out),
        "pruner": model.name,
        "problem": model.problem_.name,
        "budget": model.budget,
        "report": getattr(model, "report_", {}),
        "seconds": seconds,
        **circumstances(),
    }


def _show_rival(record: dict[str, Any]) -> None:
    print_facts(
        "Model",
        {
            "pruner": f"{record['pruner']} for {record['problem']}, budget {record['budget']:g}",
            **{name.replace("_", " "): quantity(value) for name, value in record["report"].items()},
            "time": duration(record["seconds"]),
            "written to": record["model"],
        },
    )


def _check_folder(folder: Path, mark: str, what: str) -> None:
    """Raise unless ``folder`` can be written to and is new, empty or a ``what``, as the file ``mark`` tells."""
    if folder.is_dir():
        if any(folder.iterdir()) and not (folder / mark).is_file():
            raise LenseError(f"{folder} exists and is no {what}: choose another folder, or delete it.")
        check_place(folder / mark)
    elif folder.exists():
        raise LenseError(f"{folder} is a file: name a folder for the {what}.")
    else:
        check_place(folder)


def _source(graph: str, split_seed: int | None) -> dict[str, Any]:
    """What the model's configuration tells of its train graph; no folders, which are nobody's business."""
    part = "whole" if split_seed is None else "train side of the paper's split"
    return {"graph": Path(graph).name, "part": part, "split_seed": split_seed}


def _record(model: "LeNSE", out: Path, seconds: float) -> dict[str, Any]:
    from dataclasses import asdict

    from lense.circumstances import circumstances

    ratios = dict(model.log_.series("navigator", "ratio"))
    looks = [
        {"step": step, "distance": distance, "ratio": ratios.get(step)}
        for step, distance in model.log_.series("navigator", "distance")
    ]
    return {
        "model": str(out),
        "problem": model.problem_.name,
        "budget": model.budget,
        "preset": model.preset,
        "settings": asdict(model.settings_),
        **{name: value for name, value in model.report_.items() if name != "versions"},
        "looks": looks,
        "seconds": seconds,
        "seed": model.seed,
        **circumstances(),
    }


def _show(record: dict[str, Any]) -> None:
    from lense.plots import class_names

    encoder, navigator, settings, source = (record[name] for name in ("encoder", "navigator", "settings", "trained_on"))
    names = class_names(settings["cutoffs"])
    print_facts(
        "Model",
        {
            "problem": f"{record['problem']}, budget {record['budget']:g}",
            "train graph": f"{source['vertices']:,} vertices, {source['edges']:,} edges",
            "a walk": f"{settings['roots']:,} roots, {settings['test_steps']:,} steps",
            "classes": ", ".join(names[label - 1] for label in record["classes"]),
            "map": f"{percent(encoder['neighbour_accuracy'])} of the held-out samples lie among their class",
            "": f"order of the classes {encoder['order']:.2f} (1 is perfect), silhouette {encoder['silhouette']:.2f}, "
            f"after {encoder['epochs']} epochs",
            "navigator": f"{navigator['transitions']:,} steps, {navigator['updates']:,} updates; "
            f"the policy kept ends {quantity(navigator['distance'])} from the goal",
            "ratio on train graph": ", ".join(f"{look['ratio']:.3f}" for look in record["looks"])
            + " at the looks during training",
            "time": duration(record["seconds"]),
            "written to": record["model"],
        },
    )
