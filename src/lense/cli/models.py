"""What the commands around models share: finding a model, and the graph it is for."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from lense._util.environment import has_learn
from lense.cli.options import Pruning, Reading, Task, solve_options
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.navigation import LeNSE
    from lense.problems import Problem
    from lense.pruners import Pruner

LENSE, CORE = "lense", "core"


def shared_out(
    given: Mapping[str, Any], problem: str | None, pruner: str = LENSE
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``--set`` gave, as settings of a pruner and as options of the problem."""
    from lense.problems.base import problem_class

    if problem is None:
        raise _no_problem()
    of_pruner = _settings_of(pruner)
    of_problem = {field.name for field in fields(problem_class(problem))} - of_pruner
    known = dict.fromkeys([*sorted(of_pruner), *sorted(of_problem)])
    for name in given:
        choose(name, known, f"setting of {pruner} for {problem}")
    return (
        {name: value for name, value in given.items() if name in of_pruner},
        {name: value for name, value in given.items() if name in of_problem},
    )


def checked_preset(preset: str, graph: str) -> str:
    """The settings of LeNSE to begin with, which must be known, and fit the graph; "" leaves the choice."""
    if preset:
        from lense.navigation.training import PRESETS

        choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset in ("paper", "literal") and not is_dataset(graph):
        raise LenseError(f"--preset {preset} is for the paper's graphs and {graph} is none: take --preset auto.")
    return preset


def _settings_of(pruner: str) -> set[str]:
    if pruner == LENSE and has_learn():
        from lense.navigation.training import SETTING_NAMES

        return set(SETTING_NAMES)
    from lense.pruners.registry import pruner_parameters

    if pruner == LENSE:
        return set()  # its settings are those of networks that cannot be trained here
    return set(pruner_parameters(pruner)) - {"seed", "device"}


def named_problem(problem: str | None, options: Mapping[str, Any], seed: int) -> "Problem":
    """The problem that ``--problem`` names, with options by name; its random numbers depend on ``seed``."""
    from lense.problems import seeded_problem

    if problem is None:
        raise _no_problem()
    named = seeded_problem(problem, seed, options)
    _check_used(named, options)
    return named


def _check_used(problem: "Problem", options: Iterable[str]) -> None:
    """Raise if an option was set that the solver does not use."""
    for name in options:
        if not problem.uses(name):
            able = " or ".join(problem.solvers_with.get(name, ("another",)))
            raise LenseError(
                f"--set {name} is for the solver {able}, and {problem.solver} does not use it: leave it out."
            )


def _no_problem() -> LenseError:
    return LenseError("Say with --problem what to solve, or with --model what was trained for it.")


def need_pruner(task: Task, pruning: Pruning, *, seed: int) -> "Pruner":
    """What to prune with: the model asked for, the pruner asked for, or the core that ships."""
    from lense.solving.options import find_setup

    if pruning.model is None:
        task.check_problem()
    options = replace(solve_options(task, pruning), seed=seed)
    pruner = find_setup(task.problem, task.budget, None, options).pruner
    if pruner is None:
        raise LenseError(
            f"No model ships for the problem {task.problem}: train one with 'lense train' and name it as --model."
        )
    return pruner


def need_lense(task: Task, pruning: Pruning, *, seed: int) -> "LeNSE":
    """As :func:`need_pruner`, but it must be a LeNSE."""
    from lense.navigation import LeNSE

    pruner = need_pruner(task, pruning, seed=seed)
    if not isinstance(pruner, LeNSE):
        raise LenseError(
            f"The model in {pruning.model} is a {pruner.name} and does not walk: measure it with 'lense evaluate'."
        )
    return pruner


def open_prepared(problem: "Problem", graph: str, reading: Reading) -> "Graph":
    """A graph by file or name, as the problem needs it."""
    from lense.graph import open_graph

    return problem.prepare(open_graph(graph, arcs=problem.uses_direction, **reading.options()))


def is_dataset(graph: str) -> bool:
    """Whether a graph is named as one of the paper's, and is no file."""
    from lense.graph import datasets

    return datasets.is_dataset(graph)


def paper_split(problem: "Problem", graph: str, whole: "Graph", seed: int) -> "tuple[Graph, Graph]":
    """The train and the test side of one of the paper's graphs, which is prepared already."""
    from lense.graph import DATASETS, split

    return split(whole, DATASETS[graph].train_fraction(arcs=problem.uses_direction), seed)


def whole_if_possible(value: float) -> float:
    """A number without a fraction as an integer, as people and JSON like to see it."""
    return int(value) if float(value).is_integer() else value
