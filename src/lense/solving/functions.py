"""A user's functions, called with the user's type of graph: checked, timed, and answered by numbers of vertices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lense._util.measuring import Stopwatch
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.adapters import View
from lense.graph.fingerprint import Fingerprint, fingerprint
from lense.graph.subgraph import Subgraph
from lense.kernels.rows import rows_between
from lense.problems import Problem
from lense.problems.base import Heuristic, Rng, finite, heuristic, vertex_set

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

    def touching(self, part: Subgraph) -> Ground:
        """A part of the graph that has its roots, their neighbours, and no edges but those at the roots."""
        view, graph = self.view, part.graph
        return Ground(
            graph,
            part.vertices,
            view.of(graph),
            lambda vertices: view.vertices(graph, np.searchsorted(part.vertices, vertices)),
            lambda answer, who: part.vertices[view.numbers(graph, answer, who)],
        )

    def run(self, ground: Ground, budget: float, candidates: Int64s | None = None) -> Run:
        """What the function chooses on ``ground``; it may change neither its graph nor its mind about vertices."""
        is_part = ground.vertices.size < self.whole.num_vertices
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
            except Exception as error:
                if where:
                    error.add_note(f"lense called {self.name}{where}; prune=False calls it with the whole graph alone.")
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


class OwnOptions(NamedTuple):
    """What a user says of an own problem beside its heuristic, in numbers of vertices: see ``SolveOptions``."""

    costs: Float64s | None
    allowed: Int64s
    required: Int64s


def own_options(
    given: View,
    whole: Graph,
    *,
    costs: Any,
    candidates: Any,
    required: Any,
    forbidden: Any,
    budget: float,
) -> OwnOptions:
    """The options in numbers of vertices, once they are known to fit the graph and each other."""
    n = whole.num_vertices

    def numbers(ids: Any, what: str) -> Int64s:
        return np.unique(given.numbers(given.given.graph, ids, f"{what}=")) if ids is not None else np.arange(0)

    is_allowed = np.ones(n, np.bool_)
    if candidates is not None:
        is_allowed[:] = False
        is_allowed[numbers(candidates, "candidates")] = True
    barred, needed = numbers(forbidden, "forbidden"), numbers(required, "required")
    if np.isin(needed, barred).any():
        raise LenseError("A vertex is both required and forbidden: take it out of one of them.")
    is_allowed[barred] = False
    is_allowed[needed] = True
    prices = None if costs is None else _costs(given, whole, costs)
    if not is_allowed.any():
        raise LenseError("candidates= and forbidden= leave no vertex to choose from.")
    spent = float(needed.size if prices is None else prices[needed].sum())
    if spent > budget:
        raise LenseError(f"The required vertices take {spent:g} of a budget of {budget:g}.")
    return OwnOptions(prices, np.flatnonzero(is_allowed), needed)


def _costs(view: View, whole: Graph, costs: Any) -> Float64s:
    """What each vertex takes of the budget: an attribute's name, a mapping by id, a function of an id, or numbers."""
    ids = view.vertices(whole, np.arange(whole.num_vertices))
    if isinstance(costs, str):
        found: Any = view.attribute(costs)
    elif isinstance(costs, Mapping):
        missing = next((one for one in ids if one not in costs), None)
        if missing is not None:
            raise LenseError(f"costs= has no cost for the vertex {missing!r}.")
        found = [costs[one] for one in ids]
    elif callable(costs):
        found = [costs(one) for one in ids]
    else:
        found = costs
    try:
        prices = np.asarray(found, np.float64)
    except (TypeError, ValueError) as error:
        raise LenseError("costs= must be one number for each vertex.") from error
    if prices.shape != (whole.num_vertices,) or not ((prices > 0) & (prices < np.inf)).all():
        raise LenseError(f"costs= must be one positive, finite number for each of the {whole.num_vertices:,} vertices.")
    return prices


def check_functions(heuristic: Any, objective: Any, problem: Any, settings: Any) -> None:
    """Raise for what is no function, for a heuristic without an objective, and for an objective without a heuristic."""
    if not (heuristic is None or isinstance(heuristic, str) or callable(heuristic)):
        raise LenseError(f"heuristic= is the name of one or a function, not {heuristic!r}.")
    if objective is None:
        if callable(heuristic) and problem is None:
            raise LenseError(
                f"lense cannot score what {name_of(heuristic)} chooses: pass objective=, or the problem= it is for."
            )
        return
    if not callable(objective):
        raise LenseError(f"objective= is a function, not {objective!r}.")
    if not callable(heuristic):
        raise LenseError("A problem with an objective of your own needs your heuristic too: give heuristic=f.")
    if settings:
        raise LenseError(f"{', '.join(settings)} are options of a problem, and objective= has none: leave them out.")


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
