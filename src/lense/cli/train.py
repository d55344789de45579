"""``lense train``: learn to prune from a train graph."""

import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lense._util.environment import need_learn
from lense._util.formatting import duration, percent, quantity
from lense.cli.models import (
    CORE,
    LENSE,
    checked_preset,
    is_dataset,
    named_problem,
    open_prepared,
    paper_split,
    shared_out,
    whole_if_possible,
)
from lense.cli.options import (
    Device,
    GraphName,
    ProblemName,
    PrunerName,
    Reading,
    Running,
    Settings,
    grouped,
    problem_option,
    pruning_option,
    running_option,
)
from lense.cli.session import check_folder, parse_settings, print_facts, print_json
from lense.cli.stopping import can_go_on
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.problems import Problem
    from lense.pruners import Pruner


@dataclass(frozen=True)
class Following:
    """What is kept of LeNSE's training as it goes."""

    checkpoint: Annotated[
        Path | None,
        running_option(
            help="Folder that keeps LeNSE's training until the model is written; beside --out unless given."
        ),
    ] = None
    tensorboard: Annotated[Path | None, running_option(help="Folder to log LeNSE's training to for TensorBoard.")] = (
        None
    )


@grouped()
def train(
    graph: GraphName,
    *,
    problem: ProblemName,
    budget: Annotated[float, problem_option("--budget", "-b", help="How many vertices a solution has.")] = 100,
    settings: Settings = None,
    pruner: PrunerName = None,
    preset: Annotated[
        str,
        pruning_option(
            help="Settings of LeNSE: auto to fit the graph, quick for a minute or two, paper for one of its graphs, "
            "literal for the same with every choice the paper's."
        ),
    ] = "auto",
    device: Device = "auto",
    reading: Reading,
    out: Annotated[Path, running_option("--out", "-o", help="The folder to write the model to.")],
    force: Annotated[
        bool, running_option("--force", help="Replace a model in --out that is for another pruner or problem.")
    ] = False,
    following: Following,
    running: Running,
) -> None:
    """Learn from a train graph to prune graphs like it: a core, in seconds, unless --pruner names another one.

    For example: lense train sample.txt --problem mvc --budget 100 --out my-model

    Of a graph of the paper the train side of its split is learnt from, of a file the whole graph. A training of LeNSE
    that was interrupted goes on with the same command.
    """
    check_folder(out, "config.json", "model")
    with running.session(), ExitStack() as holding:
        from lense._util.measuring import Stopwatch

        for_lense = {"preset": preset != "auto", **asdict(following)}
        name = _learner(pruner, [option for option, given in for_lense.items() if given])
        params, options = shared_out(parse_settings(settings), problem, name)
        task = named_problem(problem, options, running.seed)
        how: dict[str, Any] = {}
        if name == LENSE:
            params, how = _for_lense(graph, preset, params, running.seed)
            how |= {**asdict(following), "checkpoint": _stages(out, following.checkpoint)}
        model = _new(name, task, whole_if_possible(budget), {**params, "seed": running.seed, "device": device})
        if not force:
            _check_kind(out, model)
        whole = open_prepared(task, graph, reading)
        learnt_from = paper_split(task, graph, whole, running.seed)[0] if is_dataset(graph) else whole
        if name == LENSE and not running.quiet:
            _say_how_long(model, learnt_from, preset)
        _hold(holding, out, how.get("checkpoint") or out)
        if name == LENSE:
            can_go_on()
        with Stopwatch() as watch:
            model.fit(learnt_from, prepared=True, **how)
        _save(model, out, how.get("checkpoint"))
    record = _record_of_lense(model, out, watch.seconds) if name == LENSE else _record(model, out, watch.seconds)
    _print(record, _show_lense if name == LENSE else _show, running)


def _print(record: dict[str, Any], show: Callable[[dict[str, Any]], None], running: Running) -> None:
    if running.as_json:
        print_json(record)
    elif not running.quiet:
        show(record)


def _for_lense(graph: str, preset: str, settings: dict[str, Any], seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of LeNSE, and what its training knows of the graph."""
    paper_graph = graph if is_dataset(graph) else None
    params = {"preset": checked_preset(preset, graph), "paper_graph": paper_graph, "settings": settings}
    return params, {"source": _source(graph, seed)}


def _check_kind(out: Path, model: "Pruner") -> None:
    """Raise if there is a model in ``out`` that is for another pruner or problem."""
    from lense.pruners.model_files import is_model, read_config

    if not is_model(out):
        return
    try:
        config = read_config(out)
        found = f"{config.get('pruner', LENSE)} for {config.get('problem')}"
    except LenseError:
        found = "unreadable"
    if found != f"{model.name} for {model.problem_.name}":
        raise LenseError(
            f"{out} holds another model ({found}): add --force to replace it, or choose another folder for --out."
        )


def _hold(holding: ExitStack, *folders: Path) -> None:
    """Keep other trainings from the folders."""
    from lense._util.files import held

    for folder in {folder.absolute() for folder in folders}:
        holding.enter_context(held(folder, "training"))


def _say_how_long(model: Any, graph: "Graph", preset: str) -> None:
    """How long training will take here, on the standard error stream, and what is quicker."""
    from lense._util.torch_device import torch_device
    from lense.navigation.training import preset_settings, training_pace

    settings = model.chosen_settings(graph)
    device = torch_device(model.device)
    model.problem_.check_budget(graph, model.budget)
    pace = training_pace(model.problem_, graph, model.budget, settings, seed=model.seed, device=device)
    line = f"lense: training takes about {duration(pace.seconds(settings), 2)} here, or less if it ends early"
    if preset != "quick":
        quick_settings = preset_settings("quick", model.problem_.name, None, graph.num_vertices, model.budget)
        quick = duration(pace.seconds(quick_settings), 2)
        line += f"; --preset quick takes about {quick}"
    print(f"{line}; --pruner core learns in seconds", file=sys.stderr, flush=True)


def _learner(pruner: str | None, for_lense: Sequence[str]) -> str:
    """The name of the pruner to train; raises unless it takes the options that were given ``for_lense``."""
    from lense.pruners import pruner_class

    name = CORE if pruner is None else pruner
    pruner_class(name)  # refuses a name that no pruner has
    if name == LENSE:
        need_learn("Training LeNSE")
    if name != LENSE and for_lense:
        options = " and ".join(f"--{option}" for option in for_lense)
        raise LenseError(f"Only LeNSE takes {options}, the pruner {name} does not: add --pruner lense.")
    return name


def _stages(out: Path, checkpoint: Path | None) -> Path:
    """The folder that keeps an unfinished training."""
    stages = out.absolute().with_name(f"{out.absolute().name}.training") if checkpoint is None else checkpoint
    check_folder(stages, "training.json", "interrupted training")
    return stages


def _save(model: "Pruner", out: Path, stages: Path | None) -> None:
    """Write the model, and of LeNSE pictures beside it; then delete the folder that kept its training."""
    from lense._util.files import system_errors

    with system_errors(out, "written"):
        model.save(out, beside=partial(_draw, model) if model.name == LENSE else None)
    if stages is not None and stages.exists():
        shutil.rmtree(stages)


def _draw(model: Any, out: Path) -> None:
    """The map of the training samples, and how training went."""
    from lense.plots import save_figure

    save_figure(model.draw_map(), out / "map.png")
    save_figure(model.draw_training(), out / "training.png")


def _new(name: str, task: "Problem", budget: float, params: dict[str, Any]) -> "Pruner":
    """A pruner that has not learnt yet, with those of the parameters that it takes; raises unless it is to learn."""
    from lense.pruners import get_pruner
    from lense.pruners.registry import pruner_parameters

    known = pruner_parameters(name)
    made = get_pruner(name, task, budget, **{key: value for key, value in params.items() if key in known})
    if not made.needs_fit:
        raise LenseError(f"The pruner {name} learns nothing: use it at once with 'lense prune --pruner {name}'.")
    return made


def _record(model: "Pruner", out: Path, seconds: float) -> dict[str, Any]:
    from lense._util.environment import environment

    return {
        "model": str(out),
        "pruner": model.name,
        "problem": model.problem_.name,
        "budget": model.budget,
        "report": getattr(model, "report_", {}),
        "seconds": seconds,
        **environment(),
    }


def _show(record: dict[str, Any]) -> None:
    print_facts(
        "Model",
        {
            "pruner": f"{record['pruner']} for {record['problem']}, budget {record['budget']:g}",
            **{name.replace("_", " "): quantity(value) for name, value in record["report"].items()},
            "time": duration(record["seconds"]),
            "written to": record["model"],
        },
    )


def _source(graph: str, seed: int) -> dict[str, Any]:
    """What the model's configuration says about its train graph; no folders, which are nobody's business."""
    is_of_paper = is_dataset(graph)
    part = "train side of the paper's split" if is_of_paper else "whole"
    return {"graph": Path(graph).name, "part": part, "split_seed": seed if is_of_paper else None}


def _record_of_lense(model: Any, out: Path, seconds: float) -> dict[str, Any]:
    from lense._util.environment import environment

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
        "settings": model.settings_.as_dict(),
        "cutoffs": list(model.map_.cutoffs),
        **{name: value for name, value in model.report_.items() if name != "versions"},
        "looks": looks,
        "seconds": seconds,
        "seed": model.seed,
        **environment(),
    }


def _show_lense(record: dict[str, Any]) -> None:
    from lense.plots import class_names

    encoder, navigator, settings, source = (record[name] for name in ("encoder", "navigator", "settings", "trained_on"))
    names = class_names(record["cutoffs"])
    print_facts(
        "Model",
        {
            "problem": f"{record['problem']}, budget {record['budget']:g}",
            "train graph": f"{source['vertices']:,} vertices, {source['edges']:,} edges",
            "a walk": f"{settings['roots']:,} roots, {navigator['steps']:,} steps",
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
