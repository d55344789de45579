"""A user's heuristic and objective as a problem of lense: called with the user's type of graph, and timed."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lense._util.measuring import Stopwatch
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.adapters import View
from lense.graph.fingerprint import fingerprint
from lense.problems import Problem
from lense.problems.base import Heuristic, Rng, finite, heuristic, vertex_set

OwnHeuristic = Callable[..., Any]
"""``f(graph, budget)`` or ``f(graph, budget, candidates)`` that returns vertices."""
OwnObjective = Callable[[Any, Any], float]


class Timing(NamedTuple):
    """What one run of a heuristic took, in CPU seconds: its own, and what converting a part of the graph adds."""

    seconds: float
    converting: float = 0.0


TimeHeuristic = Callable[[Problem, Graph, float, Rng], Timing]


def time_heuristic(problem: Problem, graph: Graph, budget: float, rng: Rng) -> Timing:
    """What the problem's heuristic takes on ``graph``, without the time in which other programs had the processor."""
    with Stopwatch() as watch:
        problem.search(graph, budget, rng)
    return Timing(watch.undisturbed)


class OwnFunction:
    """The one wrapper around a user's heuristic: converts the graph, checks the answer, and times the call."""

    def __init__(self, function: OwnHeuristic, view: View, whole: Graph) -> None:
        self.function, self.view, self.whole, self.name = function, view, whole, name_of(function)
        self.takes_candidates = _takes_candidates(function)

    def run(self, graph: Graph, budget: int, candidates: Int64s | None = None) -> tuple[Int64s, float]:
        """The vertices that the function chooses, by their numbers, and the CPU seconds that it took itself."""
        theirs, more = self.view.of(graph), {}
        if self.takes_candidates:
            pool = np.arange(graph.num_vertices) if candidates is None else candidates
            more["candidates"] = self.view.vertices(graph, pool)
        before, part = fingerprint(theirs), "" if graph is self.whole else _of_part(graph, budget)
        with Stopwatch() as watch:
            try:
                answer = self.function(theirs, budget, **more)
            except Exception as error:
                if part:
                    error.add_note(f"lense called {self.name}{part}; prune=False calls it with the whole graph alone.")
                raise
        if fingerprint(theirs) != before:
            raise LenseError(f"{self.name} changed the graph that it was given: let it work on a copy.")
        vertices = self.view.numbers(graph, answer, self.name)
        if vertices.size > budget:
            raise LenseError(f"{self.name} returned {vertices.size:,} vertices, and the budget is {budget:,}{part}.")
        return vertices, watch.undisturbed

    def solving(self, problem: Problem) -> Problem:
        """``problem`` with this as its only heuristic, of which nobody knows what it takes."""

        def limited(_: Problem, graph: Graph, budget: float, rng: Rng, candidates: Int64s | None = None) -> Int64s:
            return self.run(graph, int(budget), candidates)[0]

        def unlimited(_: Problem, graph: Graph, budget: float, rng: Rng) -> Int64s:
            return self.run(graph, int(budget))[0]

        kind = type(problem)
        make: Any = type(kind.__name__, (kind,), {"seconds": Problem.seconds, "__doc__": kind.__doc__})
        method: Heuristic = heuristic(self.name)(limited if self.takes_candidates else unlimited)
        make.heuristics = {self.name: method}
        made: Problem = make(
            **{**{one.name: getattr(problem, one.name) for one in fields(problem)}, "solver": self.name}
        )
        return made

    def time(self, _: Problem, graph: Graph, budget: float, rng: Rng) -> Timing:
        """As :func:`time_heuristic`; where the whole graph needs no conversion, that of a sample is told apart."""
        with Stopwatch() as watch:
            seconds = self.run(graph, int(budget))[1]
        if self.view.converts(self.whole):
            return Timing(watch.undisturbed)
        return Timing(seconds, max(watch.undisturbed - seconds, 0.0))


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


def check_functions(heuristic: Any, objective: Any, settings: Any) -> None:
    """Raise for what is no function, and for an objective that lacks its heuristic or has options."""
    if not (heuristic is None or isinstance(heuristic, str) or callable(heuristic)):
        raise LenseError(f"heuristic= is the name of one or a function, not {heuristic!r}.")
    if objective is None:
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


def _of_part(graph: Graph, budget: int) -> str:
    """The end of a sentence about a call with less than the whole graph."""
    return f" for a part of the graph, with {graph.num_vertices:,} vertices and a budget of {budget:,}"


def _takes_candidates(function: OwnHeuristic) -> bool:
    try:
        return "candidates" in signature(function).parameters
    except ValueError:  # some functions written in C do not say
        return False
