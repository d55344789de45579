"""How to solve: every option of the front door in one object, checked once, and the problem and pruner they name."""

import copy
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from lense._util.classes import is_in_file, known_class, known_names
from lense._util.environment import DEVICES
from lense._util.options import check_seed, with_seed
from lense.errors import LenseError, choose
from lense.problems import Problem, seeded_problem
from lense.problems.base import GROUP as PROBLEMS
from lense.problems.base import problem_class
from lense.problems.parts import MODES
from lense.pruners import Pruner, get_pruner, load, pruner_class
from lense.pruners.model_files import shipped_folders
from lense.pruners.registry import GROUP as PRUNERS
from lense.pruners.registry import can_run, pruner_parameters
from lense.pruners.shipped import shipped_core, shipped_model

READING = ("directed", "format", "columns", "header", "ids", "weights", "keep_duplicates", "keep_self_loops")
"""The options of :func:`lense.read_graph` that the front door takes beside a file."""
AnyProblem = str | Problem | type[Problem]
AnyPruner = str | PathLike[str] | Pruner | type[Pruner]


@dataclass(frozen=True, kw_only=True)
class SolveOptions:
    """How to solve, prune or advise.

    Python takes these as keyword arguments; the command line has flags for all but ``graph_type``.

    Parameters
    ----------
    prune
        Solve on a part of the graph; by default whichever is faster and keeps ``target`` of the score.
    target
        The share of the heuristic's own score that a part must keep; 0.99 by default.
    pruner
        The name of a pruner, a pruner class, the folder or name of a model, or a fitted pruner; by default the core.
    model
        The folder of a model, or the name of a bundled one, whatever pruner it is. Only in this object: as a keyword
        argument of :func:`lense.solve`, ``model`` is the cascade model of im; pass the folder as ``pruner``.
    size
        The number of roots of the core, in place of ``target``.
    mode
        ``"subgraph"`` solves on the part alone, ``"ground-set"`` on the whole graph, choosing from the part's roots.
    swaps, device
        For LeNSE: how many swaps a step of its walk makes, and where torch runs.
    certify
        Bound the optimum, so that the answer says how good it is.
    exact
        Find an optimum and prove it (mvc, bmc).
    time_limit
        Seconds after which ``exact`` returns the best answer found, and no larger core is tried.
    seed
        Of all random numbers; ``random_state`` is another name for it.
    stream
        Leave the graph on disk; by default only if it would not fit into memory.
    memory_limit
        The most memory to use for a graph on disk, in bytes or as "4GB".
    engine, scheduler
        Who reads a graph on disk: "local", or "dask" with the address of a scheduler.
    valid
        For your own heuristic: ``valid(graph, vertices)`` says whether an answer keeps a side condition. It is asked on
        the whole graph, and no other answer is returned.
    minimise
        The objective of your own is to be small; it should be positive.
    costs
        What each vertex takes of the budget, for your own heuristic: numbers, a mapping by id, a function of an id, or
        the name of a vertex attribute.
    candidates, required, forbidden
        Ids of the only vertices that may be chosen, of those that must be, and of those that may not be, for your own
        heuristic. An argument ``candidates`` of the heuristic gets the vertices to choose from; from the answer of any
        other, vertices that may not be chosen are left out.
    on_interrupt
        "raise", or "return" the best answer so far of your own heuristic on Ctrl-C.
    graph_type
        The type that your functions are called with, such as "networkx"; by default that of the graph.
    reading
        Options of :func:`lense.read_graph`, for a graph in a file.
    settings
        Options of the problem, and of a pruner that needs no training.

    Examples
    --------
    >>> import lense
    >>> star = lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    >>> options = lense.SolveOptions(exact=True, seed=1)
    >>> lense.solve(star, "mvc", 2, options=options).vertices
    [0, 3]
    """

    prune: bool | None = None
    target: float | None = None
    pruner: AnyPruner | None = None
    model: str | PathLike[str] | None = None
    size: int | None = None
    mode: str = "subgraph"
    swaps: int = 1
    device: str = "auto"
    certify: bool = True
    exact: bool = False
    time_limit: float | None = None
    seed: int = 0
    stream: bool | None = None
    memory_limit: int | str | None = None
    engine: str = "local"
    scheduler: str | None = None
    graph_type: str | None = None
    valid: Callable[[Any, Any], bool] | None = None
    minimise: bool = False
    costs: Any = None
    candidates: Iterable[Any] | None = None
    required: Iterable[Any] | None = None
    forbidden: Iterable[Any] | None = None
    on_interrupt: str = "raise"
    reading: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    HOW: ClassVar[tuple[str, ...]] = ("pruner", "size", "swaps", "device", "mode")
    """Options that say how to prune, and so that it is to be pruned."""
    OWN: ClassVar[tuple[str, ...]] = (
        *("valid", "minimise", "costs", "candidates", "required", "forbidden", "on_interrupt", "graph_type"),
    )
    """Options for a heuristic of the user's."""
    DEFAULT_TARGET: ClassVar[float] = 0.99

    @classmethod
    def of(cls, options: "SolveOptions | None", given: Mapping[str, Any]) -> "SolveOptions":
        """``options`` with the keyword arguments of a call: what is no option here is one of the problem."""
        known = {one.name for one in fields(cls)} - {"model", "reading", "settings"}
        own = options or cls()
        given = with_seed(given)
        reading = {name: value for name, value in given.items() if name in READING}
        settings = {name: value for name, value in given.items() if name not in known and name not in READING}
        return replace(
            own,
            **{name: value for name, value in given.items() if name in known},
            reading={**own.reading, **reading},
            settings={**own.settings, **settings},
        )

    def __post_init__(self) -> None:
        check_seed(self.seed)
        choose(self.mode, MODES, "mode")
        choose(self.device, dict.fromkeys(DEVICES), "device")
        choose(self.on_interrupt, dict.fromkeys(("raise", "return")), "on_interrupt")
        if self.time_limit is not None and not self.time_limit > 0:
            raise LenseError(
                f"The time limit must be a number of seconds above 0 (got time_limit={self.time_limit:g})."
            )
        if self.target is not None and not 0 < self.target <= 1:
            raise LenseError(f"The target must be above 0 and at most 1 (got {self.target:g}).")

    @property
    def kept(self) -> float:
        """The target, or its default."""
        return self.DEFAULT_TARGET if self.target is None else self.target

    @property
    def prunes(self) -> bool | None:
        """Whether to prune; None where that is to be decided."""
        if self.exact:
            return False
        says_how = bool(self._given(self.HOW)) or self.model is not None
        return True if says_how and self.prune is not False else self.prune

    def _given(self, names: tuple[str, ...]) -> list[str]:
        usual = {one.name: one.default for one in fields(self)}
        given = ((name, getattr(self, name), usual[name]) for name in names)
        # None is compared by identity: arrays of vertices or costs have no one truth value
        return [
            f"{name}="
            for name, value, default in given
            if value is not default and (default is None or value != default)
        ]

    def check_only(self, known: Collection[str], what: str) -> None:
        """Raise for options that the function called ``what`` does not have."""
        other = [one.name for one in fields(self) if one.name not in {*known, "reading", "settings"}]
        if unused := self._given(tuple(other)):
            raise LenseError(f"lense.{what} does not use {', '.join(unused)}: leave that out.")

    def check_own(self, heuristic: object, objective: object) -> None:
        """Raise for options that only a function of the user's has, and for a function that is none."""
        own = [name for name in self._given(self.OWN) if name != "graph_type="]
        if own and not callable(heuristic):
            raise LenseError(f"{', '.join(own)} are for a heuristic of your own: pass heuristic=f, or leave them out.")
        if self.minimise and objective is None:
            raise LenseError("minimise=True is for an objective of your own: pass objective=g, or leave it out.")
        if self.valid is not None and not callable(self.valid):
            raise LenseError(f"valid= is a function valid(graph, vertices), not {self.valid!r}.")
        if own and (self.pruner is not None or self.model is not None):
            raise LenseError(f"{', '.join(own)} have no effect with a named pruner: leave out one or the other.")

    def check(self) -> None:
        """Raise for options that have no effect beside others."""
        how = self._given(self.HOW)
        if self.exact:
            unused = how + self._given(("target",)) + ([] if self.prune is None else [f"prune={self.prune}"])
            unused += [] if self.certify else ["certify=False"]
            if unused:
                raise LenseError(f"exact=True searches the whole graph for a proof: leave out {', '.join(unused)}.")
        elif self.prune is False:
            unused = how + self._given(("target", "time_limit"))
            if unused:
                raise LenseError(
                    f"prune=False solves the whole graph, where {', '.join(unused)} cannot matter: choose one of them."
                )


@dataclass(frozen=True)
class Setup:
    """The problem to solve, its budget, what to prune with, and how records name that."""

    problem: Problem
    budget: float
    pruner: Pruner | None = None
    model: str | None = None


def find_setup(
    problem: AnyProblem | None,
    budget: float | None,
    heuristic: str | Callable[..., Any] | None = None,
    options: SolveOptions | None = None,
    *,
    prunes: bool | None = True,
) -> Setup:
    """What to solve, and what to prune with: the model or pruner asked for, or the core that ships for the problem.

    Where none ships, ``pruner`` is None. The problem of a model has the options it was trained with, but for those that
    are set; without a problem or a budget the model's count, else mvc and 100.
    """
    options = options or SolveOptions()
    settings = dict(options.settings)
    if isinstance(heuristic, str):
        if "solver" in settings:
            raise LenseError("heuristic= and the setting solver both name the heuristic: choose one of them.")
        settings["solver"] = heuristic
    model = _trained(options, problem)
    if model is not None:
        return _with_model(model, problem, budget, settings, options)
    name = "core" if options.pruner is None else options.pruner
    spent = 100 if budget is None else budget
    if name in ("core", "lense"):
        named = named_problem(problem, settings, options.seed)
        if prunes is False:
            return Setup(named, spent)
        shipped = shipped_core(named) if name == "core" else shipped_model(named, options.device)
        if shipped is None and options.pruner is not None:
            raise LenseError(f"No {name} ships for the problem {named.name}: train one, and give it as the model.")
        return _sized(Setup(named, spent, shipped, "shipped"), options, str(name))
    kind = pruner_class(name)  # type: ignore[arg-type]
    if kind.learns:
        raise _learns(kind, {})
    of_pruner, of_problem = shared_settings(settings, problem, kind)
    named = named_problem(problem, of_problem, options.seed)
    made = get_pruner(kind, named, spent, **of_pruner)
    if made.learns:
        raise _learns(kind, of_pruner)
    return _sized(Setup(named, spent, made, kind.name), options, kind.name)


def named_problem(problem: AnyProblem | None, settings: Mapping[str, Any], seed: int) -> Problem:
    """The problem with its settings, none of which may be without effect; mvc where none is named."""
    if isinstance(problem, Problem):
        if set(settings) - {"solver"}:
            raise LenseError("The options of a problem that is given as an object are set in it: leave them out.")
        return replace(problem, **settings) if settings else problem
    named = seeded_problem("mvc" if problem is None else problem, seed, settings)
    for name in settings:
        able = named.solvers_with.get(name, (named.solver,))
        if named.solver not in able:
            raise LenseError(
                f"The setting {name} is for the solver {' or '.join(able)}, and {named.solver} does not use it: leave "
                "it out."
            )
    return named


def shared_settings(
    given: Mapping[str, Any], problem: AnyProblem | None, pruner: type[Pruner]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """``given`` as parameters of a pruner, and as options of the problem.

    A name that both have is given as ``pruner.name`` or ``problem.name``; a problem that is an object has its options.
    """
    kind = type(problem) if isinstance(problem, Problem) else problem_class("mvc" if problem is None else problem)
    names = {"problem": {one.name for one in fields(kind)}, "pruner": pruner.setting_names()}
    both = set[str]() if isinstance(problem, Problem) else names["problem"] & names["pruner"]
    known = {
        f"{owner}.{name}" if name in both else name: (owner, name)
        for owner, own in names.items()
        for name in sorted(own)
    }
    shares: dict[str, dict[str, Any]] = {owner: {} for owner in names}
    for given_name, value in given.items():
        if given_name in both:
            raise LenseError(
                f"The setting {given_name} is one of the problem {kind.name} and one of the pruner {pruner.name}: call "
                f"it problem.{given_name} or pruner.{given_name}."
            )
        owner, name = choose(given_name, known, f"setting of {pruner.name} for {kind.name}")
        shares[owner][name] = value
    return shares["pruner"], shares["problem"]


def _trained(options: SolveOptions, problem: AnyProblem | None) -> Pruner | None:
    """The model that is named, or the fitted pruner that is given."""
    pruner, place = options.pruner, options.model
    if isinstance(pruner, Pruner):
        return copy.copy(pruner)
    is_class = isinstance(pruner, type) or (isinstance(pruner, str) and _names_pruner(pruner))
    if place is None:
        if pruner is None or is_class:
            return None
        place = str(pruner)
    elif not (pruner is None or is_class):
        raise LenseError("pruner= and the model both name a model: choose one of them.")
    wanted = None if not is_class else pruner_class(pruner).name  # type: ignore[arg-type]
    _know(problem)
    found: Pruner = load(str(place), device=options.device)
    if wanted not in (None, found.name):
        raise LenseError(f"The model in {place} is a {found.name}, not a {wanted}.")
    return found


def _know(problem: AnyProblem | None) -> None:
    """Look a problem's class up, so that a model, which names it but no code, finds one that is the user's own."""
    kind = type(problem) if isinstance(problem, Problem) else problem
    if kind is not None and (isinstance(kind, str) or kind.name not in known_names(PROBLEMS)):
        problem_class(kind)


def _names_pruner(name: str) -> bool:
    """Whether it is a pruner's name, rather than a model's; what is neither is taken for a wrong name of a pruner."""
    if name in known_names(PRUNERS) or is_in_file(name):
        return True
    return not Path(name).exists() and name not in (folder.name for folder in shipped_folders())


def _with_model(
    model: Pruner, problem: AnyProblem | None, budget: float | None, settings: dict[str, Any], options: SolveOptions
) -> Setup:
    own, is_object = model.problem_, isinstance(options.pruner, Pruner)
    wanted = problem if problem is None or isinstance(problem, Problem) else problem_class(problem)
    if wanted is not None and wanted.name != own.name:
        raise LenseError(f"The model is for the problem {own.name}, not for {wanted.name}.")
    if isinstance(wanted, Problem) or (wanted is None and is_object):
        named = named_problem(wanted or own, settings, options.seed)
    else:
        trained = {name: value for name, value in asdict(own).items() if name != "seed"}
        named = seeded_problem(wanted or type(own), options.seed, {**trained, **settings})
        named_problem(wanted or type(own), settings, options.seed)  # raises for settings without effect
    model.set_params(problem=named)
    place = options.model or (None if is_object else options.pruner)
    spent = model.budget if budget is None else budget
    return _sized(Setup(named, spent, model, str(place or model.name)), options, model.name)


def _sized(setup: Setup, options: SolveOptions, name: str) -> Setup:
    """The setup, its pruner set as the options say; raises for options that the pruner of that name does not have."""
    sizes = {key: value for key in ("target", "size") if (value := getattr(options, key)) is not None}
    if sizes and name != "core":
        raise LenseError(f"target= and size= are for the pruner core, and a {name} has neither: leave them out.")
    kind = name if setup.pruner is None else type(setup.pruner)
    if options.device == "cuda" and "device" not in pruner_parameters(kind):
        raise LenseError(f"device= says where torch runs, and the pruner {name} does not use torch: leave it out.")
    if options.swaps != 1 and name != "lense":
        raise LenseError(f"swaps= is for the walks of LeNSE, and a {name} does not walk so: leave it out.")
    if setup.pruner is not None:
        budget = {"budget": setup.budget} if name == "core" else {}
        setup.pruner.set_params(**budget, **sizes, **({} if options.swaps == 1 else {"swaps": options.swaps}))
    return setup


def _learns(kind: type[Pruner], settings: Mapping[str, Any]) -> LenseError:
    words = "".join(f" --set {key}={value}" for key, value in settings.items())
    return LenseError(
        f"The pruner {kind.name} learns: train it with 'lense train --pruner {kind.name}{words}', and give its folder "
        "as the model."
    )


WAYS = {
    "auto": "whichever takes less time",
    "whole": "the whole graph",
    "exact": "the whole graph, to find an optimum and prove it",
}
"""Ways to solve besides the pruners by their names."""


def ways(problem: str) -> dict[str, str]:
    """The ways to solve a known problem that need no training, and what each is."""
    is_exact = known_class(problem, PROBLEMS).pair_loss is not None
    known = {way: about for way, about in WAYS.items() if way != "exact" or is_exact}
    ready = [name for name, is_ready in pruners_for(problem).items() if is_ready]
    return known | {name: f"{name}: {known_class(name, PRUNERS).get_description()}" for name in ready}


def options_for(way: str, target: float, time_limit: float) -> dict[str, Any]:
    """The options that solve in one of the :func:`ways`, each without those that have no effect there."""
    match way:
        case "auto":
            return {"target": target}
        case "whole":
            return {"prune": False}
        case "exact":
            return {"exact": True, "time_limit": time_limit}
    takes_target = "target" in pruner_parameters(known_class(way, PRUNERS))
    return {"pruner": way, **({"target": target} if takes_target else {})}


@cache
def pruners_for(problem: str) -> dict[str, bool]:
    """The pruners that support a known problem, and whether each can be used without training."""
    known = find_setup(problem, None, prunes=False).problem
    able = (name for name in known_names(PRUNERS) if can_run(name))
    return {name: _is_ready(problem, name) for name in able if known_class(name, PRUNERS).supports(known)}


def _is_ready(problem: str, pruner: str) -> bool:
    try:
        find_setup(problem, None, options=SolveOptions(pruner=pruner))
    except LenseError:
        return False
    return True
