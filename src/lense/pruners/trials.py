"""How many roots a part needs, tried on graphs that were not fitted to."""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from lense._util.options import is_number
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.problems import Problem
from lense.problems.parts import search_part
from lense.pruners.calibration import GRID, Calibration
from lense.pruners.description import describe_values
from lense.pruners.ranking import importance, largest

_DEEPEST_CHOICE = 4


class Trial:
    """A prepared graph that the heuristic has solved, and what it finds in parts of it.

    ``count`` is how many vertices the ``budget`` buys, ``runs`` how often the heuristic was called.
    """

    def __init__(self, problem: Problem, graph: Graph, budget: float, seed: int) -> None:
        self.problem, self.graph, self.budget, self.seed = problem, graph, budget, seed
        self.solution = problem.search(graph, budget, self._rng())
        self.best = problem.objective(graph, self.solution.indices)
        self.count = bought(problem, graph, budget)
        self.runs = 1
        self._scores: dict[bytes, float] = {}

    def roots(self, per_budget: float) -> int:
        """So many for each vertex that the budget buys, but no more than there are."""
        return min(ceil(per_budget * self.count), self.graph.num_vertices)

    def ratio(self, part: Subgraph) -> float:
        """The score of what the heuristic finds in ``part``, to the best that was found on the graph so far."""
        key = part.roots.tobytes()
        if key not in self._scores:
            found = search_part(self.problem, self.graph, part, self.budget, self._rng())
            self._scores[key] = self.problem.objective(self.graph, found.indices)
            self.best = max(self.best, self._scores[key])
            self.runs += 1
        return self._scores[key] / self.best if self.best > 0 else 1.0

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, 0x43])


def calibrated(trials: Sequence[Trial], ratio: Callable[[Trial, float], float]) -> Calibration:
    """The ``ratio`` of parts of each graph with each number of roots in ``GRID``, in budgets."""
    return Calibration.of(
        [[ratio(trial, per_budget) for per_budget in GRID] for trial in trials],
        [trial.count for trial in trials],
        [describe(trial.problem, trial.graph, trial.count) for trial in trials],
    )


def describe(problem: Problem, graph: Graph, count: int) -> Float64s:
    """(4): what a prepared ``graph`` looks like to a calibration, with a budget that buys ``count`` vertices."""
    weights = graph.weights if problem.uses_direction or problem.counts_weights else None
    return describe_values(importance(problem, graph), count, weights, are_chances=problem.uses_direction)


def check_share(value: object, name: str, of: str) -> None:
    """Raise unless ``value`` is a share above 0 and at most 1."""
    if not is_number(value) or not 0 < value <= 1:
        raise LenseError(f"The {name} of {of} is a share above 0 and at most 1, not {value!r}.")


def can_be_tried(graph: Graph, budget: float) -> bool:
    """Whether a graph has edges, and at least four vertices for each unit of the budget."""
    return graph.num_edges > 0 and budget <= max(1, graph.num_vertices / _DEEPEST_CHOICE)


def too_small() -> LenseError:
    return LenseError("The train graph is too small for its halves to be solved with this budget.")


def bought(problem: Problem, graph: Graph, budget: float) -> int:
    """How many vertices a budget buys: that many, or where they have costs, those worth most for their cost."""
    costs = problem.checked_costs(graph)
    if costs is None:
        return int(budget)
    return max(1, int(np.searchsorted(np.cumsum(costs[by_worth(problem, graph)]), budget, side="right")))


def by_worth(problem: Problem, graph: Graph) -> Int64s:
    """All vertices by their importance for each unit of their cost, largest first."""
    costs = problem.checked_costs(graph)
    values = importance(problem, graph)
    return largest(values if costs is None else values / costs, graph.num_vertices)
