"""How many roots keep how much of the heuristic's score, learnt on graphs that were not fitted to."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from lense.types import AnyArray, Bools, Float64s

GRID = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)
"""The numbers of roots that are tried, in budgets."""
_LIKE_BUDGETS = 3.5


class Expected(NamedTuple):
    """What to expect of a part with so many ``roots``: the mean ratio, and how sure it is that the target is met."""

    roots: int
    ratio: float
    confidence: float


@dataclass(frozen=True)
class Calibration:
    """Ratios (M, K) that parts of M graphs reached with each number of roots in ``GRID``.

    ``budgets`` (M) are those that the graphs were solved with. ``shares`` (M) sum to 1 and say how much each counts.
    """

    ratios: Float64s
    budgets: Float64s
    shares: Float64s

    @classmethod
    def of(cls, ratios: ArrayLike, budgets: ArrayLike) -> Self:
        """Where each graph counts the same."""
        found = np.asarray(ratios, np.float64)
        return cls(found, np.asarray(budgets, np.float64), np.full(len(found), 1 / len(found)))

    def together(self, other: "Calibration") -> "Calibration":
        """Both, half by half."""
        return Calibration(
            np.concatenate([self.ratios, other.ratios]),
            np.concatenate([self.budgets, other.budgets]),
            np.concatenate([self.shares, other.shares]) / 2,
        )

    def smallest(self, budget: float, target: float, confidence: float) -> Expected:
        """The fewest roots that meet the ``target`` with the ``confidence``; if none do, those that are surest to.

        For a budget unlike all that were tried, nothing is known, and the most roots that were tried are taken.
        """
        means, sure = self._at(budget, target)
        if not self.applies(budget):
            return Expected(ceil(GRID[-1] * budget), float(means[-1]), float(sure[-1]))
        enough = np.flatnonzero(sure >= confidence)
        best = int(enough[0] if enough.size else np.argmax(sure))
        return Expected(ceil(GRID[best] * budget), float(means[best]), float(sure[best]))

    def of_size(self, budget: float, target: float, roots: int) -> Expected:
        """What to expect of ``roots``, interpolated between the numbers that were tried."""
        means, sure = self._at(budget, target)
        place = roots / budget
        return Expected(roots, float(np.interp(place, GRID, means)), float(np.interp(place, GRID, sure)))

    def _at(self, budget: float, target: float) -> tuple[Float64s, Float64s]:
        """(K), (K): the mean ratio with each number of roots, and the chance that the target is met.

        The chance is (m s + 1/2) / (m + 1), where s is the share of m graphs that met the target: few graphs leave
        doubt. Graphs that were solved with a budget more than 3.5 times larger or smaller are left out. If none are
        left, m = 0, and the ratios are those of the nearest budgets.
        """
        like = self._like(budget)
        shares = self.shares[like] / self.shares[like].sum()
        means = shares @ self.ratios[like]
        met = shares @ (self.ratios[like] >= target)
        count = int(like.sum()) if self.applies(budget) else 0
        return means, (count * met + 0.5) / (count + 1)

    def applies(self, budget: float) -> bool:
        """Whether some graph was solved with a budget like this one."""
        return bool(np.abs(np.log(self.budgets / budget)).min() <= log(_LIKE_BUDGETS))

    def _like(self, budget: float) -> Bools:
        distance = np.abs(np.log(self.budgets / budget))
        return distance <= max(log(_LIKE_BUDGETS), float(distance.min()))

    def arrays(self) -> dict[str, AnyArray]:
        """As arrays by name, for a model's file."""
        return {"ratios": self.ratios, "budgets": self.budgets, "shares": self.shares}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """Undo :meth:`arrays`; a KeyError or ValueError says that they are not its own."""
        ratios, budgets, shares = (np.asarray(arrays[name], np.float64) for name in ("ratios", "budgets", "shares"))
        if ratios.ndim != 2 or ratios.shape[1] != len(GRID) or not len(ratios) == budgets.size == shares.size > 0:
            raise ValueError("a calibration has a ratio for each graph and number of roots")
        if not (
            np.isfinite(ratios).all() and (budgets > 0).all() and (shares > 0).all() and np.isfinite(budgets).all()
        ):
            raise ValueError("ratios must be numbers, budgets and shares positive")
        return cls(ratios, budgets, shares)
