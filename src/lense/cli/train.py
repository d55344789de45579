"""``lense train``: learn to prune from a train graph."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.cli.models import (
    Device,
    GraphName,
    circumstances,
    is_dataset,
    open_prepared,
    paper_split,
    percent,
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
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.pruners import LeNSE


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

        from lense.graph.files import system_errors
        from lense.problems import seeded_problem
        from lense.pruners import LeNSE
        from lense.stopwatch import Stopwatch

        is_of_paper = is_dataset(graph)
        if preset in ("paper", "literal") and not is_of_paper:
            raise LenseError(f"--preset {preset} is for the paper's graphs and {graph} is a file: take --preset auto.")
        changes, options = _shared_out(parse_settings(settings), problem)
        task = seeded_problem(problem, seed, options)
        model = LeNSE(
            task,
            whole_if_possible(budget),
            preset=preset,
            paper_graph=graph if is_of_paper else None,
            settings=changes,
            seed=seed,
            device=device,
        )
        options_of_reading = reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops)
        whole = open_prepared(task, graph, options_of_reading)
        learnt_from = paper_split(task, graph, whole, seed)[0] if is_of_paper else whole
        with Stopwatch() as watch:
            model.fit(
                learnt_from,
                prepared=True,
                source=_source(graph, seed if is_of_paper else None),
                checkpoint=stages,
                tensorboard=tensorboard,
            )
        with system_errors(out, "written"):
            model.save(out)
        shutil.rmtree(stages)
    record = _record(model, out, watch.seconds)
    if as_json:
        print_json(record)
    elif not quiet:
        _show(record)


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


def _shared_out(given: dict[str, str], problem: str) -> tuple[dict[str, str], dict[str, str]]:
    """What ``--set`` gave, as settings of the training and as options of the problem."""
    from dataclasses import fields

    import lense.settings
    from lense.problems.base import problem_class

    if "seed" in given:
        raise LenseError("A training has one seed for everything: give it as --seed, not with --set.")
    of_training = {field.name for field in fields(lense.settings.Settings)}
    of_problem = {field.name for field in fields(problem_class(problem))} - of_training
    known = dict.fromkeys([*sorted(of_training), *sorted(of_problem)])
    for name in given:
        choose(name, known, f"setting of a training for {problem}")
    return (
        {name: value for name, value in given.items() if name in of_training},
        {name: value for name, value in given.items() if name in of_problem},
    )


def _source(graph: str, split_seed: int | None) -> dict[str, Any]:
    """What the model's configuration tells of its train graph; no folders, which are nobody's business."""
    part = "whole" if split_seed is None else "train side of the paper's split"
    return {"graph": Path(graph).name, "part": part, "split_seed": split_seed}


def _record(model: "LeNSE", out: Path, seconds: float) -> dict[str, Any]:
    from dataclasses import asdict

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
    from lense.pictures import class_names

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
