"""How many roots keep how much of the heuristic's score, tried on graphs that were not fitted to.

A calibration describes graphs by a few numbers (:func:`describe_values`), much the same on small and on large graphs of
a kind. What it says need not hold for a graph whose numbers are outside the range of all graphs it knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, log
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from lense._util.types import AnyArray, Float32s, Float64s, Int64s
from lense.graph import Graph
from lense.problems import Problem
from lense.pruners.ranking import importance, largest

GRID = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)
"""The numbers of roots that are tried, in budgets."""
_LIKE_BUDGETS = 3.5
NAMES = ("hubs", "largest", "spread", "chance")
MARGINS = np.array([0.05, 0.25, log(2), log(2)])
"""How far outside the range a graph may lie: about as far as one of the six train graphs lies from the other five."""
_LESS_AND_MORE = (
    ("more of its edges are at the largest vertices", "fewer of its edges are at the largest vertices"),
    ("its largest vertices are more alike", "one vertex is far larger than the others"),
    ("its weights differ less", "its weights differ more"),
    ("its arcs have lower probabilities", "its arcs have higher probabilities"),
)
_NO_GRAPH = np.empty((0, len(NAMES)))


class Expected(NamedTuple):
    """What to expect of a part with so many ``roots``: the mean ratio, and how sure it is that the target is met.

    ``unlike`` says in words why nothing is known of such a graph or budget.
    """

    roots: int
    ratio: float
    confidence: float
    unlike: str = ""


@dataclass(frozen=True)
class Calibration:
    """Ratios (M, K) that parts of M graphs reached with each number of roots in ``GRID``.

    ``budgets`` (M) are those that the graphs were solved with, and ``shares`` (M), which sum to 1, how much each
    counts. ``described`` (R, 4) is what the graphs that it is for look like; without any, it is for all graphs.
    """

    ratios: Float64s
    budgets: Float64s
    shares: Float64s
    described: Float64s

    @classmethod
    def of(cls, ratios: ArrayLike, budgets: ArrayLike, described: ArrayLike | None = None) -> Self:
        """Count each graph the same."""
        found = np.asarray(ratios, np.float64)
        known = _NO_GRAPH if described is None else np.asarray(described, np.float64)
        return cls(found, np.asarray(budgets, np.float64), np.full(len(found), 1 / len(found)), known)

    def also_for(self, described: Float64s) -> "Calibration":
        return replace(self, described=np.vstack([self.described, described]))

    def together(self, other: "Calibration") -> "Calibration":
        return Calibration(
            np.concatenate([self.ratios, other.ratios]),
            np.concatenate([self.budgets, other.budgets]),
            np.concatenate([self.shares, other.shares]) / 2,
            np.concatenate([self.described, other.described]),
        )

    def smallest(self, budget: float, target: float, confidence: float, described: Float64s | None = None) -> Expected:
        """The fewest roots, from the budget on, that meet the ``target`` with the ``confidence``, or are surest to.

        For a budget, or a graph as ``described``, unlike all that were tried, the most that were tried.
        """
        unlike = self.unlike(budget, described)
        means, sure = self._at(budget, target, is_known=not unlike)
        if unlike:
            return Expected(ceil(GRID[-1] * budget), float(means[-1]), float(sure[-1]), unlike)
        enough = np.flatnonzero(sure >= confidence)
        best = int(enough[0] if enough.size else np.flatnonzero(sure == sure.max())[-1])
        return Expected(ceil(max(GRID[best], 1.0) * budget), float(means[best]), float(sure[best]))

    def of_size(self, budget: float, target: float, roots: int, described: Float64s | None = None) -> Expected:
        """What to expect of ``roots``, interpolated between the numbers that were tried."""
        unlike = self.unlike(budget, described)
        means, sure = self._at(budget, target, is_known=not unlike)
        place = roots / budget
        return Expected(roots, float(np.interp(place, GRID, means)), float(np.interp(place, GRID, sure)), unlike)

    def _at(self, budget: float, target: float, is_known: bool) -> tuple[Float64s, Float64s]:
        """(K), (K): the mean ratio with each number of roots, and the chance that the target is met.

        The chance is (m s + 1/2) / (m + 1), where s is the share of m graphs that met the target; m = 0 where nothing
        is known. Budgets more than 3.5 times larger or smaller are left out, unless all are.
        """
        distance = np.abs(np.log(self.budgets / budget))
        like = distance <= max(log(_LIKE_BUDGETS), float(distance.min()))
        shares = self.shares[like] / self.shares[like].sum()
        means = shares @ self.ratios[like]
        met = shares @ (self.ratios[like] >= target)
        count = int(like.sum()) if is_known else 0
        return means, (count * met + 0.5) / (count + 1)

    def unlike(self, budget: float, described: Float64s | None = None) -> str:
        """In words, why the calibration says nothing of a budget, or of a graph as ``described``; "" where it does."""
        applies = np.abs(np.log(self.budgets / budget)).min() <= log(_LIKE_BUDGETS)
        why = [] if applies else ["nothing is known of budgets like this one"]
        if described is not None and (found := differences(described, self.described)):
            why.append(f"the graph is unlike those that sizes were learnt on ({', '.join(found)})")
        return " and ".join(why)

    def arrays(self) -> dict[str, AnyArray]:
        """As arrays by name, for a model's file."""
        return dict(vars(self))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """Undo :meth:`arrays`; raise KeyError or ValueError for others."""
        ratios, budgets, shares = (np.asarray(arrays[name], np.float64) for name in ("ratios", "budgets", "shares"))
        if ratios.shape != (budgets.size, len(GRID)) or not budgets.shape == shares.shape == (len(ratios),) != (0,):
            raise ValueError("a calibration has a ratio for each graph and number of roots")
        if not (np.isfinite(ratios).all() and np.isfinite(budgets).all() and (np.append(budgets, shares) > 0).all()):
            raise ValueError("ratios must be numbers, budgets and shares positive")
        described = np.asarray(arrays["described"], np.float64)
        if described.ndim != 2 or described.shape[1] != len(NAMES):
            raise ValueError(f"a graph whose ratios are known is described by {len(NAMES)} numbers")
        return cls(ratios, budgets, shares, described)


def describe_values(
    values: AnyArray, count: int, weights: Float32s | None = None, *, are_chances: bool = False
) -> Float64s:
    """Describe a graph (4) by the degree or out-weight (n) of each vertex and the weights of the arcs, if any.

    - hubs: h, where the b = ``count`` largest of N values above 0 have the share (b / N)^h of the whole
    - largest: log(x_1 / x_b) / log b, where x_1 is the largest value and x_b the b-th or the mean, if that is larger
    - spread: log of the mean square of the weights over the square of their mean
    - chance: log of the mean weight, where weights are chances
    """
    n, whole = max(int(np.count_nonzero(values)), 1), float(values.sum(dtype=np.float64))
    if whole <= 0:
        return np.zeros(len(NAMES))
    count = min(count, values.size)
    top = np.partition(values, values.size - count)[values.size - count :].astype(np.float64)
    hubs = log(whole / top.sum()) / log(max(n / count, 2.0))
    largest = log(top.max() / max(top.min(), whole / n)) / log(max(count, 2))
    mean = 0.0 if weights is None else float(weights.mean(dtype=np.float64))
    if weights is None or mean <= 0:
        return np.array([hubs, largest, 0.0, 0.0])
    spread = log(float(np.square(weights / np.float32(mean)).mean(dtype=np.float64)))
    return np.array([hubs, largest, spread, log(mean) if are_chances else 0.0])


def differences(described: Float64s, known: Float64s) -> list[str]:
    """In words, how a graph differs from all that are ``known`` (R, 4)."""
    if not len(known):
        return []
    low, high = known.min(axis=0) - MARGINS, known.max(axis=0) + MARGINS
    return [
        words[int(value > most)]
        for words, value, least, most in zip(_LESS_AND_MORE, described, low, high, strict=True)
        if value < least or value > most
    ]


def describe(problem: Problem, graph: Graph, count: int) -> Float64s:
    """(4): what a prepared ``graph`` looks like, with a budget that buys ``count`` vertices."""
    weights = graph.weights if problem.uses_direction or problem.counts_weights else None
    return describe_values(importance(problem, graph), count, weights, are_chances=problem.uses_direction)


def num_affordable(problem: Problem, graph: Graph, budget: float) -> int:
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
