"""What a pruner is: fitted on a train graph, it finds in any graph the part that is worth solving."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cache, wraps
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, cast, get_type_hints

import numpy as np

from lense._util.files import recover, replacing_folder, system_errors, write_json
from lense._util.measuring import Stopwatch
from lense._util.options import check_budget_is_number, check_seed, converted, is_number, takes_random_state, with_seed
from lense._util.types import AnyArray
from lense.errors import LenseError, choose
from lense.graph import AnyGraph, Graph, Scan, open_graph
from lense.graph.adapters import AdaptedGraph, adapt
from lense.graph.convert import as_labels
from lense.graph.subgraph import Subgraph, shares_pruned
from lense.problems import Problem, Solution, get_problem
from lense.problems.base import Pruned
from lense.problems.parts import MODES, solve_part
from lense.pruners.calibration import Expected
from lense.pruners.model_files import FILES, FORMAT, is_model, read_arrays, write_arrays

_TAKE_A_GRAPH = ("fit", "prune", "parts", "expected", "solve")
Method = TypeVar("Method", bound=Callable[..., Any])


def _taking_any_graph(method: Method) -> Method:
    """``method(self, graph, ...)`` for any graph that :func:`lense.open_graph` takes, its answer in the owner's ids."""

    @wraps(method)
    def call(self: "Pruner", graph: AnyGraph, *args: Any, **named: Any) -> Any:
        options = with_seed(named)
        if isinstance(graph, Graph):
            return method(self, graph, *args, **options)
        if isinstance(graph, Scan):
            raise LenseError(
                f"{type(self).__name__}.prune takes a graph in memory: for a scan, call lense.prune(scan, pruner=…)."
            )
        given = adapt(graph, arcs=self.problem_.uses_direction)
        return _in_ids_of(given, method(self, given.graph, *args, **options))

    return cast(Method, call)


def _in_ids_of(given: AdaptedGraph, answer: Any) -> Any:
    if isinstance(answer, list):
        return [_in_ids_of(given, one) for one in answer]
    if isinstance(answer, Solution):
        return replace(answer, vertices=given.names(given.graph.labels[answer.indices]))
    if not isinstance(answer, Subgraph):
        return answer
    if given.ids is None:
        return replace(answer, given=given)
    labels = as_labels(given.names(answer.vertices))
    return replace(answer, given=given, graph=replace(answer.graph, labels=labels))


class Pruner(ABC):
    """A pruner for one problem and budget. Arguments of the constructor are stored as given; what is learnt ends in _.

    Subclass it, give it a ``name`` and a :meth:`prune`; if it learns, also :meth:`fit`, :meth:`learnt` and
    :meth:`restore`, so that it can be saved. Named in the entry-point group ``lense.pruners``, every command knows it.
    A graph is whatever :func:`lense.open_graph` takes; methods of a subclass find it converted to a :class:`Graph`.
    Graphs are passed as they were read. A pruner prepares them for the problem (edge probabilities, say), unless they
    are said to be ``prepared``. So ``prune`` begins with :meth:`prepared` and ``fit`` with :meth:`prepared_to_fit`,
    which also check what the user gave.
    """

    name: ClassVar[str]
    randomised: ClassVar[bool] = False
    """Whether two seeds may prune one graph in two ways."""
    learns: ClassVar[bool] = False
    """Whether it must be fitted before it can prune, whatever its arguments are."""
    needs_learn: ClassVar[bool] = False
    """Whether it needs the extra ``learn``, though its module does not."""
    forces: ClassVar[bool] = False
    """Whether it finds vertices that every optimum holds."""

    def __init__(self, problem: str | Problem = "mvc", budget: float = 100) -> None:
        self.problem, self.budget = problem, budget

    def __init_subclass__(cls) -> None:
        for name in _TAKE_A_GRAPH:
            if name in vars(cls):
                setattr(cls, name, _taking_any_graph(vars(cls)[name]))
        if "__init__" in vars(cls):
            setattr(cls, "__init__", takes_random_state(vars(cls)["__init__"]))  # noqa: B010 (mypy allows no other way)

    def __repr__(self) -> str:
        fitted = "" if not self.needs_fit else ", fitted" if self.is_fitted else ", not fitted"
        budget = f"{self.budget:g}" if is_number(self.budget) else repr(self.budget)
        return f"{type(self).__name__}(problem={self.problem_.name!r}, budget={budget}{fitted})"

    def _repr_html_(self) -> str:
        from lense._util.cards import card, line  # for notebooks alone

        facts = {name: str(value) for name, value in self.get_params().items()}
        facts["problem"] = f"{self.problem_.name}, solved by {self.problem_.solver}"
        if self.learns:
            facts["fitted"] = "yes" if self.is_fitted else "no"
        caption, points = self.picture() if self.is_fitted else ("", [])
        return card(type(self).__name__, facts, line(points, caption), caption if points else "")

    def picture(self) -> tuple[str, list[tuple[float, float]]]:
        """What a notebook draws of a fitted pruner: a caption, and points of a line; no points for no picture."""
        return "", []

    @_taking_any_graph
    def fit(self, graph: AnyGraph, *, prepared: bool = False) -> Self:
        """Learn from a train graph; a pruner that learns nothing only checks what it was given."""
        self.prepared_to_fit(graph, prepared)
        return self

    @abstractmethod
    def prune(self, graph: AnyGraph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        """The part of ``graph`` to solve on, within the budget fitted for or another one."""

    @_taking_any_graph
    def parts(
        self, graph: AnyGraph, *, episodes: int = 10, budget: float | None = None, seed: int = 0, prepared: bool = False
    ) -> list[Subgraph]:
        """What :meth:`prune` finds with ``episodes`` seeds from ``seed`` on; one part if it uses no random numbers."""
        whole = self.prepared(graph, prepared, budget, seed)
        seeds = range(seed, seed + (episodes if self.randomised else 1))
        return [self.prune(whole, budget=budget, seed=one, prepared=True) for one in seeds]

    @classmethod
    def supports(cls, problem: Problem) -> bool:
        """Whether it can prune for ``problem`` at all; comparisons leave it out where it cannot."""
        return True

    @_taking_any_graph
    def expected(self, graph: AnyGraph, *, budget: float | None = None, prepared: bool = False) -> Expected | None:
        """What to expect of the part that :meth:`prune` would keep, if the pruner knows."""
        return None

    @property
    def problem_(self) -> Problem:
        """The problem itself, where the constructor was given its name."""
        if isinstance(self.problem, str):
            return _named_problem(self.problem)
        if not isinstance(self.problem, Problem):
            raise LenseError(f"A problem is given by its name or as a Problem, not as {_kind(self.problem)}.")
        return self.problem

    @property
    def needs_fit(self) -> bool:
        """Whether it must be fitted before it can prune, with the arguments that it has."""
        return self.learns

    @property
    def is_fitted(self) -> bool:
        return not self.needs_fit or bool(self.learnt())

    def prepared(self, graph: AnyGraph, prepared: bool, budget: float | None = None, seed: int = 0) -> Graph:
        """``graph`` as the problem needs it; raises unless it can be pruned for that budget with that seed."""
        self.check_fitted()
        return self._prepared(graph, prepared, self.budget if budget is None else budget, seed)

    def prepared_to_fit(self, graph: AnyGraph, prepared: bool) -> Graph:
        """``graph`` as the problem needs it; raises unless it can be learnt from with this pruner's budget and seed."""
        return self._prepared(graph, prepared, self.budget, getattr(self, "seed", 0))

    def _prepared(self, graph: AnyGraph, prepared: bool, budget: float, seed: int) -> Graph:
        opened = open_graph(graph, arcs=self.problem_.uses_direction)
        check_budget_is_number(budget)
        check_seed(seed)
        whole = opened if prepared else self.problem_.prepare(opened)
        self.problem_.check_budget(whole, budget)
        return whole

    def check_fitted(self) -> None:
        """Raise unless there is something to prune with."""
        if not self.is_fitted:
            raise LenseError(
                f"This {type(self).__name__} is not fitted yet: call fit with a train graph, or load a model."
            )

    @_taking_any_graph
    def solve(
        self,
        graph: AnyGraph,
        *,
        budget: float | None = None,
        seed: int = 0,
        mode: str = "subgraph",
        certify: bool = True,
        prepared: bool = False,
        **pruning: Any,
    ) -> Solution:
        """The heuristic on the pruned graph, its answer scored on the whole ``graph`` and bounded there.

        In the ``mode`` "subgraph" the heuristic sees the pruned graph alone, in "ground-set" it sees the whole graph
        but may choose the part's roots alone. ``pruning`` goes to :meth:`prune`. The solution's ``pruned`` describes
        the part; it is None where the pruner kept the whole graph.
        """
        choose(mode, MODES, "mode")
        budget = self.budget if budget is None else budget
        whole = self.prepared(graph, prepared, budget, seed)
        with Stopwatch() as watch:
            part = self.prune(whole, budget=budget, seed=seed, prepared=True, **pruning)
        return self.solve_kept(whole, part, budget, seed=seed, seconds=watch.seconds, mode=mode, certify=certify)

    def solve_kept(
        self,
        whole: Graph,
        part: Subgraph,
        budget: float,
        *,
        seed: int = 0,
        seconds: float = 0.0,
        mode: str = "subgraph",
        certify: bool = True,
    ) -> Solution:
        """The same once the ``part`` of a prepared graph is known, which it took so many ``seconds`` to find."""
        problem, rng = self.problem_, np.random.default_rng(seed)
        if part.graph is whole:
            return problem.solve(whole, budget, rng, certify=certify)
        solution = solve_part(problem, whole, part, budget, rng, mode=mode, certify=certify)
        sizes = part.graph.num_vertices, part.graph.num_edges
        return replace(
            solution,
            pruned=Pruned(*sizes, *shares_pruned(whole, part), seconds, mode, part.roots.size, self.name),
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments by name, as scikit-learn's tools ask for them."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor by name: all of them, or none where one is wrong."""
        params = with_seed(params, self.get_params())
        for name, value in params.items():
            choose(name, self.get_params(), f"parameter of {type(self).__name__}")
            if check := {"budget": check_budget_is_number, "seed": check_seed}.get(name):
                check(value)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def learnt(self) -> Mapping[str, AnyArray]:
        """What :meth:`fit` learnt, as arrays by name; nothing before it."""
        return {}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        """Undo :meth:`learnt`; a KeyError or ValueError says that the arrays are not its own."""
        raise NotImplementedError(f"{type(self).__name__} learns, so it must say how to restore what it learnt.")

    def save(self, folder: str | Path, *, beside: Callable[[Path], None] | None = None) -> None:
        """Write everything needed to prune to a folder; :func:`lense.load` reads it.

        ``beside`` may write more into the folder. One rename makes it a model, so that at any moment there is the old
        one or the new one.
        """
        self.check_fitted()
        target = Path(folder)
        recover(target)
        if target.exists() and not (target.is_dir() and (not any(target.iterdir()) or is_model(target))):
            raise LenseError(f"{target} exists and is no model: choose another folder, or delete it.")
        with system_errors(target, "written"):
            target.parent.mkdir(parents=True, exist_ok=True)
            with replacing_folder(target, FILES) as made:
                self._write(made)
                if beside is not None:
                    beside(made)

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any], problem: Problem, device: str) -> Self:
        """The pruner saved in ``folder``, whose ``config`` is read already; see :func:`lense.load`."""
        hints = get_type_hints(cls.__init__)
        params = {name: converted(name, value, hints.get(name, Any)) for name, value in config["params"].items()}
        if "device" in signature(cls).parameters:
            params["device"] = device
        make: Any = cls  # whose constructor takes more than this one's
        pruner: Self = make(problem, config["budget"], **params)
        if pruner.needs_fit:
            path = folder / "learnt.safetensors"
            try:
                pruner.restore(read_arrays(path))
            except (KeyError, ValueError, TypeError, RuntimeError) as error:
                raise LenseError(f"{path} does not belong to a {cls.name} with this configuration.") from error
        return pruner

    def _write(self, target: Path) -> None:
        if self.needs_fit:
            write_arrays(target / "learnt.safetensors", self.learnt())
        write_json(target / "config.json", self._config())

    def _config(self) -> dict[str, Any]:
        """What :meth:`read` needs besides what was learnt."""
        elsewhere = ("problem", "budget", "device")
        return {
            **self._identity(),
            "params": {name: value for name, value in self.get_params().items() if name not in elsewhere},
        }

    def _identity(self) -> dict[str, Any]:
        problem = self.problem_
        return {
            "format": FORMAT,
            "lense": version("lense"),
            "pruner": self.name,
            "problem": problem.name,
            "options": asdict(problem),
            "budget": self.budget,
        }


def _kind(value: object) -> str:
    """The type of ``value`` in words, such as "a list" or "a networkx Graph"."""
    package, name = type(value).__module__.partition(".")[0], type(value).__name__
    words = name if package == "builtins" else f"{package} {name}"
    return f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words}"


@cache  # finding a problem by its name looks through all packages installed
def _named_problem(name: str) -> Problem:
    return get_problem(name)
