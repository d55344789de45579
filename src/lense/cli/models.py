"""What the commands around models share: their options, finding a model, and the graph it is for."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.parts import Subgraph
    from lense.problems import Problem
    from lense.pruners import LeNSE, Pruner

GraphName = Annotated[str, typer.Argument(help="A graph file, or a name from 'lense data list'.")]
ProblemName = Annotated[
    str | None,
    typer.Option("--problem", "-p", help="mvc, bmc, im, or one registered by you; that of --model unless given."),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option("--model", "-m", help="A folder that 'lense train' wrote, or a name from 'lense models list'."),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="How many vertices to choose; what the model was trained for unless given."),
]
Stop = Annotated[
    str,
    typer.Option("--stop", help="The subgraph of a walk that counts: final, nearest (to the goal), or settled."),
]
PrunerName = Annotated[
    str | None,
    typer.Option("--pruner", help="Another pruner than LeNSE, such as quickprune; a wrong name lists them."),
]
Device = Annotated[str, typer.Option("--device", help="cpu, cuda, or auto for a GPU if there is one.")]


def find_model(
    folder: Path | None,
    problem: str | None,
    options: Mapping[str, Any],
    *,
    seed: int,
    device: str,
    name: str | None = None,
    budget: float | None = None,
) -> "tuple[Problem, Pruner | None]":
    """The problem, and what to prune with: that in ``folder``, the pruner called ``name``, or the LeNSE that ships.

    In place of a folder there can be the name of a model that ships. There is no pruner where none ships. The problem
    of a model in a folder has the options it was trained with, but for those in ``options``; its lots are drawn from
    ``seed``.
    """
    from lense.problems import seeded_problem
    from lense.problems.base import problem_class
    from lense.pruners import load
    from lense.pruners.shipped import named_model, shipped_model

    if folder is None and name not in (None, "lense"):
        return _unfitted(str(name), problem, options, seed, budget)
    if folder is None:
        task = named_problem(problem, options, seed)
        return task, shipped_model(task, device)
    if problem is not None:
        problem_class(problem)
    shipped = None if folder.exists() else named_model(str(folder), device=device)
    model: Pruner = load(folder, device=device) if shipped is None else shipped
    known = model.problem_.name
    if problem not in (None, known):
        raise LenseError(f"The model in {folder} is for the problem {known}, not for {problem}.")
    if name not in (None, model.name):
        raise LenseError(f"The model in {folder} is a {model.name}, not a {name}.")
    task = seeded_problem(known, seed, {**trained_options(model), **options})
    return task, model.set_params(problem=task)


def _unfitted(
    name: str, problem: str | None, options: Mapping[str, Any], seed: int, budget: float | None
) -> "tuple[Problem, Pruner]":
    """A problem, and a pruner for it that needs no training; ``options`` are those of both."""
    from lense.pruners import get_pruner, pruner_class

    if pruner_class(name).learns:
        raise LenseError(
            f"The pruner {name} learns: train it with 'lense train --pruner {name}' and name its folder as --model."
        )
    of_pruner, of_problem = shared_out(options, problem, name)
    task = named_problem(problem, of_problem, seed)
    if budget is None:
        raise LenseError("Say with --budget how many vertices to choose.")
    return task, get_pruner(name, task, budget, **of_pruner)


def shared_out(
    given: Mapping[str, Any], problem: str | None, pruner: str = "lense"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``--set`` gave, as settings of a pruner and as options of the problem."""
    from dataclasses import fields

    import lense.walking.settings
    from lense.problems.base import problem_class
    from lense.pruners.registry import pruner_parameters

    if problem is None:
        raise LenseError("Say with --problem what to solve, or with --model what was trained for it.")
    if "seed" in given:
        raise LenseError("There is one seed for everything: give it as --seed, not with --set.")
    if pruner == "lense":
        of_pruner = {field.name for field in fields(lense.walking.settings.Settings)}
    else:
        of_pruner = set(pruner_parameters(pruner)) - {"seed", "device"}
    of_problem = {field.name for field in fields(problem_class(problem))} - of_pruner
    known = dict.fromkeys([*sorted(of_pruner), *sorted(of_problem)])
    for name in given:
        choose(name, known, f"setting of {pruner} for {problem}")
    return (
        {name: value for name, value in given.items() if name in of_pruner},
        {name: value for name, value in given.items() if name in of_problem},
    )


def named_problem(problem: str | None, options: Mapping[str, Any], seed: int) -> "Problem":
    from lense.problems import seeded_problem

    if problem is None:
        raise LenseError("Say with --problem what to solve, or with --model what was trained for it.")
    return seeded_problem(problem, seed, options)


def need_model(
    folder: Path | None, problem: str | None, options: Mapping[str, Any], *, seed: int, device: str
) -> "LeNSE":
    """As :func:`find_model`, but there must be one, and it must be a LeNSE."""
    from lense.pruners import LeNSE

    _, model = find_model(folder, problem, options, seed=seed, device=device)
    if model is None:
        raise no_model(problem)
    if not isinstance(model, LeNSE):
        raise LenseError(f"The model in {folder} is a {model.name} and does not walk: measure it with 'lense compare'.")
    return model


def no_model(problem: str | None) -> LenseError:
    return LenseError(f"No model ships for the problem {problem}: train one with 'lense train' and name it as --model.")


def pruned(model: "Pruner", graph: "Graph", budget: float | None, seed: int, stop: str) -> "Subgraph":
    """The part of a prepared graph that a pruner keeps; ``stop`` is for walks."""
    from lense.pruners import LeNSE

    if isinstance(model, LeNSE):
        return model.prune(graph, budget=budget, seed=seed, stop=stop, prepared=True)
    if stop != "final":
        raise LenseError(f"--stop is for the walks of LeNSE, and a {model.name} does not walk.")
    return model.prune(graph, budget=budget, seed=seed, prepared=True)


def trained_options(model: "Pruner") -> dict[str, Any]:
    """The options of the problem that a model was trained for, less the seed."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(model.problem_).items() if name != "seed"}


def open_prepared(task: "Problem", graph: str, reading: Mapping[str, Any]) -> "Graph":
    """A graph by file or name, as the problem needs it."""
    from lense.graph import open_graph

    return task.prepare(open_graph(graph, arcs=task.uses_direction, **reading))


def is_dataset(graph: str) -> bool:
    """Whether a graph is named as one of the paper's, and is no file."""
    from lense.graph import datasets

    return datasets.is_dataset(graph)


def paper_split(task: "Problem", graph: str, whole: "Graph", seed: int) -> "tuple[Graph, Graph]":
    """The train and the test side of one of the paper's graphs, which is prepared already."""
    from lense.graph import DATASETS, split

    return split(whole, DATASETS[graph].train_fraction(arcs=task.uses_direction), seed)


def whole_if_possible(value: float) -> float:
    """A number without a fraction as an integer, as people and JSON like to see it."""
    return int(value) if float(value).is_integer() else value


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def model_name(folder: Path | None, pruner: "Pruner") -> str:
    """How a record tells which model it came of."""
    if folder is not None:
        return str(folder)
    return "shipped" if pruner.name == "lense" else pruner.name
