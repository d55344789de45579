"""What the commands around models share: their options, finding a model, and the graph it is for."""

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.problems import Problem
    from lense.pruners import LeNSE

GraphName = Annotated[str, typer.Argument(help="A graph file, or a name from 'lense data list'.")]
ProblemName = Annotated[
    str | None,
    typer.Option("--problem", "-p", help="mvc, bmc, im, or one registered by you; that of --model unless given."),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option("--model", "-m", help="A folder that 'lense train' wrote; else the model shipped for the problem."),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="How many vertices to choose; what the model was trained for unless given."),
]
Stop = Annotated[
    str,
    typer.Option("--stop", help="The subgraph of a walk that counts: final, nearest (to the goal), or settled."),
]
Device = Annotated[str, typer.Option("--device", help="cpu, cuda, or auto for a GPU if there is one.")]


def find_model(
    folder: Path | None, problem: str | None, options: Mapping[str, Any], *, seed: int, device: str
) -> "tuple[Problem, LeNSE | None]":
    """The problem, and the model in ``folder`` or the one shipped for it, or None where none ships.

    The problem of a model in a folder has the options it was trained with, but for those in ``options``; its lots are
    drawn from ``seed``.
    """
    from lense.problems import seeded_problem
    from lense.problems.base import problem_class
    from lense.pruners.shipped import shipped_model

    if folder is None:
        task = named_problem(problem, options, seed)
        return task, shipped_model(task, device)
    if problem is not None:
        problem_class(problem)
    model = load_model(folder, device)
    name = model.problem_.name
    if problem not in (None, name):
        raise LenseError(f"The model in {folder} is for the problem {name}, not for {problem}.")
    task = seeded_problem(name, seed, {**trained_options(model), **options})
    return task, model.set_params(problem=task)


def named_problem(problem: str | None, options: Mapping[str, Any], seed: int) -> "Problem":
    from lense.problems import seeded_problem

    if problem is None:
        raise LenseError("Say with --problem what to solve, or with --model what was trained for it.")
    return seeded_problem(problem, seed, options)


def need_model(
    folder: Path | None, problem: str | None, options: Mapping[str, Any], *, seed: int, device: str
) -> "LeNSE":
    """As :func:`find_model`, but there must be one."""
    task, model = find_model(folder, problem, options, seed=seed, device=device)
    if model is None:
        raise LenseError(
            f"No model ships for the problem {task.name}: train one with 'lense train' and name it as --model."
        )
    return model


def load_model(folder: Path, device: str) -> "LeNSE":
    from lense.pruners import load

    model: LeNSE = load(folder, device=device)
    return model


def trained_options(model: "LeNSE") -> dict[str, Any]:
    """The options of the problem that a model was trained for, less the seed."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(model.problem_).items() if name != "seed"}


def open_prepared(task: "Problem", graph: str, reading: Mapping[str, Any]) -> "Graph":
    """A graph by file or name, as the problem needs it."""
    from lense.graph import open_graph

    return task.prepare(open_graph(graph, arcs=task.uses_direction, **reading))


def is_dataset(graph: str) -> bool:
    """Whether a graph is named as one of the paper's, and is no file."""
    from lense.graph import DATASETS

    return graph in DATASETS and not Path(graph).is_file()


def paper_split(task: "Problem", graph: str, whole: "Graph", seed: int) -> "tuple[Graph, Graph]":
    """The train and the test side of one of the paper's graphs, which is prepared already."""
    from lense.graph import DATASETS, split

    return split(whole, DATASETS[graph].train_fraction(arcs=task.uses_direction), seed)


def circumstances() -> dict[str, Any]:
    """The versions and the machine that a result came of."""
    from importlib.metadata import version

    import torch

    from lense.threads import available_cores

    return {
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("lense", "torch", "torch_geometric", "numpy", "numba")},
        },
        "machine": {
            "platform": platform.platform(),
            "cores": available_cores(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        },
    }


def whole_if_possible(value: float) -> float:
    """A number without a fraction as an integer, as people and JSON like to see it."""
    return int(value) if float(value).is_integer() else value


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def model_name(folder: Path | None) -> str:
    """How a record tells which model it came of."""
    return "shipped" if folder is None else str(folder)
