"""Problems made on the fly of functions that a user has."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from lense._util.types import Int64s
from lense.graph import Graph
from lense.problems.base import Heuristic, Problem, Rng, heuristic, vertex_set

Run = Callable[[Graph, int, Int64s | None], Int64s]
"""A heuristic: a graph, a budget and the vertices to choose from, or None for all, to vertices, by their numbers."""
Value = Callable[[Graph, Int64s], float]
"""An objective: a graph and vertices of it to a number."""


def with_heuristic(problem: Problem, name: str, run: Run, *, can_be_limited: bool = False) -> Problem:
    """``problem`` with ``run`` as its only heuristic, called ``name``; all else is as it was.

    Only if it ``can_be_limited`` is it ever given less than all vertices to choose from.
    """
    kind = type(problem)
    make: Any = type(kind.__name__, (kind,), {"seconds": Problem.seconds, "__doc__": kind.__doc__})
    make.heuristics = {name: _method(name, run, can_be_limited)}
    made: Problem = make(**{**{one.name: getattr(problem, one.name) for one in fields(problem)}, "solver": name})
    return made


def own_problem(name: str, run: Run, value: Value, *, can_be_limited: bool = False) -> Problem:
    """A problem of which nothing is known but a heuristic, called ``name``, and the value of a set of vertices."""
    return with_heuristic(_Own(value=value), name, run, can_be_limited=can_be_limited)


@dataclass(frozen=True, kw_only=True)
class _Own(Problem):
    """What ``value`` says."""

    name: ClassVar[str] = "own"
    value: Value

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return float(self.value(graph, vertex_set(graph, vertices)))

    @heuristic("nothing")
    def nothing(self, graph: Graph, budget: int, rng: Rng) -> list[int]:
        """Replaced by the user's."""
        return []


def _method(name: str, run: Run, can_be_limited: bool) -> Heuristic:
    def limited(self: Problem, graph: Graph, budget: float, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        return run(graph, int(budget), candidates)

    def unlimited(self: Problem, graph: Graph, budget: float, rng: Rng) -> Int64s:
        return run(graph, int(budget), None)

    return heuristic(name)(limited if can_be_limited else unlimited)
