"""A user's functions, called with the user's type of graph: checked, timed, and answered by numbers of vertices."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lense._util.measuring import Stopwatch
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.adapters import View
from lense.graph.fingerprint import Fingerprint, fingerprint
from lense.graph.subgraph import Subgraph
from lense.kernels.rows import rows_between
from lense.problems import Problem
from lense.problems.base import Heuristic, Rng, finite, heuristic, vertex_set
from lense.solving.options import SolveOptions

OwnHeuristic = Callable[..., Any]
"""``f(graph, budget)`` that returns vertices; arguments called ``candidates`` and ``rng`` are given if it has them."""
OwnObjective = Callable[[Any, Any], float]
OwnCheck = Callable[[Any, Any], bool]
_PASSED = ("candidates", "rng")


class Ground(NamedTuple):
    """A graph that the user's functions are called with: the whole one, or a part of it.

    ``theirs`` is an object of their type, ``vertices`` are the numbers of its vertices in the whole graph, and
    ``graph`` is it as a :class:`Graph`. ``ids`` and ``numbers`` turn vertices of the whole graph into what ``theirs``
    calls them, and back.
    """

    graph: Graph
    vertices: Int64s
    theirs: Any
    ids: Callable[[Int64s], list[Any]]
    numbers: Callable[[Any, str], Int64s]


class Run(NamedTuple):
    """What one call of the heuristic chose, by numbers in the whole graph, and the CPU seconds of the call itself."""

    vertices: Int64s
    seconds: float


class OwnFunction:
    """The one wrapper around a user's heuristic: converts the graph, checks the answer, and times the call."""

    def __init__(self, function: OwnHeuristic, view: View, whole: Graph, seed: int = 0) -> None:
        self.function, self.view, self.whole, self.seed, self.name = function, view, whole, seed, name_of(function)
        self.takes = {name for name in _PASSED if name in _parameters(function)}

    @property
    def takes_candidates(self) -> bool:
        return "candidates" in self.takes

    @cached_property
    def _untouched(self) -> Fingerprint:
        """The whole graph before the first call with it."""
        return fingerprint(self.view.of(self.whole))

    def everything(self) -> Ground:
        """The whole graph."""
        whole, view = self.whole, self.view
        return Ground(
            whole,
            np.arange(whole.num_vertices),
            view.of(whole),
            lambda vertices: view.vertices(whole, vertices),
            lambda answer, who: view.numbers(whole, answer, who),
        )

    def induced(self, vertices: Int64s) -> Ground:
        """The part of the graph that some vertices induce: all edges between them, as they are."""
        part, whole = self.view.induced(vertices, self.whole), self.whole
        given = np.empty(0, np.float32) if whole.weights is None else whole.weights
        indptr, indices, weights = rows_between(whole.indptr, whole.indices, given, part.vertices)
        graph = Graph(
            indptr, indices, None if whole.weights is None else weights, whole.directed, whole.labels[part.vertices]
        )
        return Ground(graph, part.vertices, part.graph, part.ids, part.numbers)

    def touching(self, part: Subgraph, vertices: Int64s) -> Ground:
        """A part that has its roots, their neighbours, and no edges but those at the roots.

        ``vertices`` are its numbers in the whole graph.
        """
        view, graph = self.view, part.graph
        return Ground(
            graph,
            vertices,
            view.of(graph),
            lambda chosen: view.vertices(graph, np.searchsorted(vertices, chosen)),
            lambda answer, who: vertices[view.numbers(graph, answer, who)],
        )

    def run(self, ground: Ground, budget: float, candidates: Int64s | None = None) -> Run:
        """What the function chooses on ``ground``; it may change neither its graph nor its mind about vertices."""
        is_part = ground.graph is not self.whole
        spent = int(budget) if float(budget).is_integer() else budget
        more: dict[str, Any] = {}
        if self.takes_candidates:
            more["candidates"] = ground.ids(ground.vertices if candidates is None else candidates)
        if "rng" in self.takes:
            more["rng"] = np.random.default_rng(self.seed)
        before = fingerprint(ground.theirs) if is_part else self._untouched
        where = _of_part(ground, spent) if is_part else ""
        with Stopwatch() as watch:
            try:
                answer = self.function(ground.theirs, spent, **more)
                if isinstance(answer, Iterator):
                    answer = list(answer)  # a generator works while it is read
            except Exception as error:
                if where:
                    error.add_note(f"lense called {self.name}{where}; prune=False calls it with the whole graph alone.")
                if where and isinstance(error, LenseError):
                    raise RuntimeError(str(error)) from error  # a function that calls lense fails as any other
                raise
        if fingerprint(ground.theirs) != before:
            raise LenseError(f"{self.name} changed the graph that it was given: let it work on a copy.")
        vertices = ground.numbers(answer, self.name)
        if self.takes_candidates and candidates is not None and not np.isin(vertices, candidates).all():
            raise LenseError(f"{self.name} returned a vertex that is not a candidate{where}.")
        return Run(vertices, watch.cpu)

    def solving(self, problem: Problem) -> Problem:
        """``problem`` with this as its only heuristic, for pruners that are named; nobody knows what it takes."""

        def limited(_: Problem, graph: Graph, budget: float, rng: Rng, candidates: Int64s | None = None) -> Int64s:
            return self._run_on(graph, budget, candidates)

        def unlimited(_: Problem, graph: Graph, budget: float, rng: Rng) -> Int64s:
            return self._run_on(graph, budget, None)

        kind = type(problem)
        make: Any = type(kind.__name__, (kind,), {"seconds": Problem.seconds, "__doc__": kind.__doc__})
        method: Heuristic = heuristic(self.name)(limited if self.takes_candidates else unlimited)
        make.heuristics = {self.name: method}
        made: Problem = make(
            **{**{one.name: getattr(problem, one.name) for one in fields(problem)}, "solver": self.name}
        )
        return made

    def _run_on(self, graph: Graph, budget: float, candidates: Int64s | None) -> Int64s:
        """The answer on a part that a pruner made, by its own numbers."""
        view = self.view
        ground = Ground(
            graph,
            np.arange(graph.num_vertices),
            view.of(graph),
            lambda vertices: view.vertices(graph, vertices),
            lambda answer, who: view.numbers(graph, answer, who),
        )
        return self.run(ground, budget, candidates).vertices


@dataclass(frozen=True, kw_only=True)
class OwnProblem(Problem):
    """A problem of which nothing is known but the user's heuristic, and the value of a set of vertices."""

    name: ClassVar[str] = "own"
    value: Callable[[Graph, Int64s], float]

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return float(self.value(graph, vertex_set(graph, vertices)))

    @heuristic("nothing")
    def nothing(self, graph: Graph, budget: int, rng: Rng) -> list[int]:
        """Replaced by the user's."""
        return []


def own_problem(objective: OwnObjective, view: View) -> OwnProblem:
    """The problem of maximising ``objective``, to be solved by a user's heuristic."""

    def value(graph: Graph, vertices: Int64s) -> float:
        found = objective(view.of(graph), view.vertices(graph, vertices))
        return finite(found, f"The objective {name_of(objective)}")

    return OwnProblem(value=value)


def check_functions(heuristic: Any, objective: Any, problem: Any, options: SolveOptions) -> None:
    """Raise for what is no function, for one that lacks the other, and for options that only functions have."""
    if not (heuristic is None or isinstance(heuristic, str) or callable(heuristic)):
        raise LenseError(f"heuristic= is the name of one or a function, not {heuristic!r}.")
    options.check_own(heuristic, objective)
    is_named = problem is not None or options.pruner is not None or options.model is not None
    if objective is None:
        if callable(heuristic) and not is_named:
            raise LenseError(
                f"lense cannot score what {name_of(heuristic)} chooses: pass objective=, or the problem= it is for."
            )
        return
    if not callable(objective):
        raise LenseError(f"objective= is a function, not {objective!r}.")
    if not callable(heuristic):
        raise LenseError("A problem with an objective of your own needs your heuristic too: give heuristic=f.")
    if options.settings:
        names = ", ".join(options.settings)
        raise LenseError(f"{names} are options of a problem, and objective= has none: leave them out.")


def name_of(function: Any) -> str:
    """How reasons and errors call a function."""
    return getattr(function, "__name__", type(function).__name__)


def _of_part(ground: Ground, budget: float) -> str:
    """The end of a sentence about a call with less than the whole graph."""
    return f" for a part of the graph, with {ground.vertices.size:,} vertices and a budget of {budget:,}"


def _parameters(function: OwnHeuristic) -> Mapping[str, Parameter]:
    try:
        return signature(function).parameters
    except ValueError:  # some functions written in C do not say
        return {}
