"""Problems made on the fly of functions that a user has."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from lense.graph import Graph
from lense.problems.base import Heuristic, Problem, Rng, heuristic, vertex_set
from lense.types import Int64s

Run = Callable[[Graph, int], Int64s]
"""A heuristic: a graph and a budget to vertices of that graph, by their numbers."""
Value = Callable[[Graph, Int64s], float]
"""An objective: a graph and vertices of it to a number."""


def with_heuristic(problem: Problem, name: str, run: Run) -> Problem:
    """``problem`` with ``run`` as its only heuristic, called ``name``; all else is as it was."""
    kind = type(problem)
    make: Any = type(kind.__name__, (kind,), {"seconds": Problem.seconds, "__doc__": kind.__doc__})
    make.heuristics = {name: _method(name, run)}
    made: Problem = make(**{**{one.name: getattr(problem, one.name) for one in fields(problem)}, "solver": name})
    return made


def own_problem(name: str, run: Run, value: Value) -> Problem:
    """A problem of which nothing is known but a heuristic, called ``name``, and the value of a set of vertices."""
    return with_heuristic(_Own(value=value), name, run)


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


def _method(name: str, run: Run) -> Heuristic:
    @heuristic(name)
    def method(self: Problem, graph: Graph, budget: float, rng: Rng) -> Int64s:
        return run(graph, int(budget))

    return method
