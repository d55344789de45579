"""Pruners by name, and pruners from folders."""

from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

from lense._util.classes import known_class, name_of, registered, typed_class
from lense._util.environment import DEVICES, device_type, has_learn
from lense._util.options import converted, with_seed
from lense.errors import LenseError, choose
from lense.problems import Problem, get_problem
from lense.problems.base import GROUP as PROBLEMS
from lense.pruners.base import Pruner
from lense.pruners.model_files import model_folder, read_config

GROUP = "lense.pruners"


def pruner_names() -> list[str]:
    return list(registered(GROUP))


def pruner_class(name: str | type[Pruner]) -> type[Pruner]:
    """Return the class of a pruner.

    Only for what the user typed: what a file or a request names goes through :func:`lense._util.classes.known_class`.

    Parameters
    ----------
    name : str or class
        The name it is registered as, or a file and the class in it: ``./mine.py:TwoSteps``.
    """
    found: type[Pruner] = typed_class(name_of(name, GROUP, Pruner), GROUP, Pruner)
    return found


def pruner_parameters(name: str | type[Pruner]) -> dict[str, Any]:
    """The types of a pruner's parameters besides problem and budget, by name."""
    make: Any = pruner_class(name)
    hints = get_type_hints(make.__init__)
    return {key: hints.get(key, Any) for key in signature(make).parameters if key not in ("problem", "budget")}


def parse_pruner(text: str) -> tuple[str, dict[str, Any]]:
    """Split a name from parameters: "top-roots:roots_per_budget=3", or "./mine.py:TwoSteps:roots=3"."""
    file, dot_py, rest = text.rpartition(".py:")
    first, *words = [word.strip() for word in rest.split(":")]
    name, known = f"{file}{dot_py}{first}".strip(), dict[str, Any]()
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise LenseError(f"'{text}' gives no value for '{word}': write NAME:PARAMETER=VALUE.")
        known[key] = converted(key, value, choose(key, pruner_parameters(name), f"parameter of {name}"))
    pruner_class(name)
    return name, known


def can_run(name: str) -> bool:
    """Whether all is installed that a pruner needs."""
    return has_learn() or not pruner_class(parse_pruner(name)[0]).needs_learn


def get_pruner(name: str | type[Pruner], problem: str | Problem, budget: float, **params: Any) -> Pruner:
    """Make a pruner.

    Parameters
    ----------
    name : str or class
        As for :func:`pruner_class`.
    problem, budget
        As for :class:`Pruner`.
    **params
        The pruner's own parameters, which may be text; ``random_state`` is ``seed``.
    """
    known, make = pruner_parameters(name), pruner_class(name)
    given = {
        key: converted(key, value, choose(key, known, f"parameter of {make.name}"))
        for key, value in with_seed(params, known).items()
    }
    return make(problem, budget, **given)


def load(model: str | Path, *, problem: Problem | None = None, device: str = "cpu") -> Any:
    """Load a trained pruner.

    Only JSON and safetensors are read, so that no file can run code.

    Parameters
    ----------
    model
        A folder that :meth:`Pruner.save` wrote, else the name of a bundled model: "facebook-mvc".
    problem
        The problem with other options, in place of the one it was fitted for.
    device
        Where torch runs: "cpu", "cuda", or "auto" for a GPU if there is one.

    Returns
    -------
    Pruner
        The fitted pruner.

    Raises
    ------
    LenseError
        If there is no such model, it is damaged, or it is for another problem.

    Examples
    --------
    >>> import lense
    >>> lense.load("core-mvc")
    Core(problem='mvc', budget=100, fitted)
    """
    choose(device, dict.fromkeys(DEVICES), "device")
    path = model_folder(model)
    config = read_config(path)
    try:
        chosen = problem or _problem_in(path, config)
        if chosen.name != config["problem"]:
            raise LenseError(f"The model in {path} is for the problem {config['problem']}, not for {chosen.name}.")
        kind = _named_in(path, config.get("pruner", "lense"), GROUP)
        if device == "cuda" and "device" in signature(kind).parameters:
            device_type(device)
        return kind.read(path, config, chosen, device)
    except (KeyError, TypeError, AttributeError) as error:
        raise LenseError(
            f"{path / 'config.json'} misses something that a model needs ({error}): copy the model again."
        ) from error


def _problem_in(folder: Path, config: Mapping[str, Any]) -> Problem:
    kind = _named_in(folder, config["problem"], PROBLEMS)
    return get_problem(kind, **{name: value for name, value in config["options"].items() if name not in kind.retired})


def _named_in(folder: Path, name: object, group: str) -> Any:
    """The class that a model names, which must be known: files name no code."""
    try:
        return known_class(name, group)
    except LenseError as error:
        what = "problem" if group == PROBLEMS else "pruner"
        raise LenseError(
            f"{folder / 'config.json'}: {str(error).removesuffix('.')}; if it is yours, name its file with --{what} "
            "or pass its class."
        ) from error
