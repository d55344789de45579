"""What the commands around models share: finding a model, and the graph it is for."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from lense._util.environment import has_learn
from lense.cli.options import Pruning, Reading, Task
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.graph import Graph
    from lense.navigation import LeNSE
    from lense.problems import Problem
    from lense.pruners import Pruner

LENSE, CORE = "lense", "core"


def find_pruner(task: Task, pruning: Pruning, *, seed: int) -> "tuple[Problem, Pruner | None]":
    """The problem, and what to prune with: the model asked for, the pruner asked for, or the core that ships.

    There is no pruner where none ships for the problem. The problem of a model has the options it was trained with,
    but for those that were set; its random numbers depend on ``seed``.
    """
    from lense.pruners.shipped import shipped_model

    if pruning.model is not None:
        return _trained(task, pruning, seed)
    if pruning.pruner not in (None, CORE, LENSE):
        return _unfitted(task, pruning, seed)
    problem = named_problem(task.problem, task.options(), seed)
    if pruning.pruner == LENSE:
        model = shipped_model(problem, pruning.device)
        return problem, None if model is None else model.set_params(**_sized(pruning, LENSE))
    return problem, _core(task, pruning, problem)


def _core(task: Task, pruning: Pruning, problem: "Problem") -> "Pruner | None":
    """The core that ships for the problem, for the budget and of the size asked for."""
    from lense.pruners.shipped import shipped_core

    core = shipped_core(problem)
    if core is None:
        return None
    _check_device(pruning, CORE)
    budget = {} if task.budget is None else {"budget": task.budget}
    return core.set_params(**budget, **_sized(pruning, CORE))


def _sized(pruning: Pruning, name: str) -> dict[str, Any]:
    """What ``--target`` and ``--size`` say, which is for a core alone, or ``--swaps``, which is for LeNSE alone."""
    given = {key: value for key in ("target", "size") if (value := getattr(pruning, key)) is not None}
    if given and name != CORE:
        raise LenseError(f"--target and --size are for the pruner core, and a {name} has neither: leave them out.")
    if pruning.swaps == 1:
        return given
    if name != LENSE:
        raise LenseError(f"--swaps is for the walks of LeNSE, and a {name} does not walk so: leave it out.")
    return {"swaps": pruning.swaps}


def _trained(task: Task, pruning: Pruning, seed: int) -> "tuple[Problem, Pruner]":
    from lense.problems import seeded_problem
    from lense.problems.base import problem_class
    from lense.pruners import load, pruner_class

    wanted = None if task.problem is None else problem_class(task.problem).name
    kind = None if pruning.pruner is None else pruner_class(pruning.pruner).name
    model: Pruner = load(str(pruning.model), device=pruning.device)
    known = model.problem_.name
    if wanted not in (None, known):
        raise LenseError(f"The model in {pruning.model} is for the problem {known}, not for {task.problem}.")
    if kind not in (None, model.name):
        raise LenseError(f"The model in {pruning.model} is a {model.name}, not a {pruning.pruner}.")
    _check_device(pruning, model.name)
    sized = _sized(pruning, model.name)
    problem = seeded_problem(known, seed, {**_trained_options(model), **task.options()})
    _check_used(problem, task.options())
    return problem, model.set_params(problem=problem, **sized)


def _check_device(pruning: Pruning, name: str) -> None:
    """Raise where ``--device`` asks for what there is not, or for a GPU that the pruner has no use for."""
    from lense._util.environment import DEVICES
    from lense.pruners.registry import pruner_parameters

    choose(pruning.device, dict.fromkeys(DEVICES), "device")
    if pruning.device == "cuda" and "device" not in pruner_parameters(name):
        raise LenseError(f"--device says where torch runs, and the pruner {name} does not use torch: leave it out.")


def _trained_options(model: "Pruner") -> dict[str, Any]:
    """The options of the problem that a model was trained for, less the seed."""
    return {name: value for name, value in asdict(model.problem_).items() if name != "seed"}


def _unfitted(task: Task, pruning: Pruning, seed: int) -> "tuple[Problem, Pruner]":
    """A problem, and a pruner for it that needs no training; what was set is shared out among both."""
    from lense.pruners import get_pruner, pruner_class

    name = str(pruning.pruner)
    if pruner_class(name).learns:
        raise _learns(name, {})
    _check_device(pruning, name)
    _sized(pruning, name)
    of_pruner, of_problem = shared_out(task.options(), task.problem, name)
    problem = named_problem(task.problem, of_problem, seed)
    if task.budget is None:
        raise LenseError("Say with --budget how many vertices to choose.")
    pruner = get_pruner(name, problem, task.budget, **of_pruner)
    if pruner.needs_fit:
        raise _learns(name, of_pruner)
    return problem, pruner


def _learns(name: str, settings: Mapping[str, Any]) -> LenseError:
    words = "".join(f" --set {key}={value}" for key, value in settings.items())
    return LenseError(
        f"The pruner {name} learns: train it with 'lense train --pruner {name}{words}' and name its folder as --model."
    )


def expectation(record: Mapping[str, Any]) -> str:
    """What a pruner that has a target says before it prunes."""
    ratio, sure = record["expected_ratio"], record["confidence"]
    unlike = f"; {record['unlike']}" if record["unlike"] else ""
    return f"{ratio:.3f} of the whole graph's score, {100 * sure:.0f} % sure of the target{unlike}"


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
        from lense.navigation.settings import PRESETS

        choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset in ("paper", "literal") and not is_dataset(graph):
        raise LenseError(f"--preset {preset} is for the paper's graphs and {graph} is none: take --preset auto.")
    return preset


def _settings_of(pruner: str) -> set[str]:
    if pruner == LENSE and has_learn():
        from lense.navigation.settings import SETTING_NAMES

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
    """As :func:`find_pruner`, but there must be a pruner."""
    problem, pruner = find_pruner(task, pruning, seed=seed)
    if pruner is None:
        raise LenseError(
            f"No model ships for the problem {problem.name}: train one with 'lense train' and name it as --model."
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


def how_to_walk(pruner: "Pruner", stop: str) -> dict[str, str]:
    """What ``--stop`` asks of :meth:`Pruner.prune`, which only walks know."""
    if pruner.name == LENSE:
        return {"stop": stop}
    if stop != "final":
        raise LenseError(f"--stop is for the walks of LeNSE, and a {pruner.name} does not walk.")
    return {}


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


def model_name(pruning: Pruning, pruner: "Pruner") -> str:
    """How a record names what was pruned with."""
    if pruning.model is not None:
        return str(pruning.model)
    return "shipped" if pruner.name in (CORE, LENSE) else pruner.name
