"""How many roots keep how much of the heuristic's score, learnt on graphs that were not fitted to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, log
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from lense._util.types import AnyArray, Bools, Float64s
from lense.pruners.description import NAMES, differences

GRID = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0)
"""The numbers of roots that are tried, in budgets."""
_LIKE_BUDGETS = 3.5
_NO_GRAPH = np.empty((0, len(NAMES)))


class Expected(NamedTuple):
    """What to expect of a part with so many ``roots``: the mean ratio, and how sure it is that the target is met.

    ``unlike`` says in words why nothing is known of such a graph or budget; it is empty where something is.
    """

    roots: int
    ratio: float
    confidence: float
    unlike: str = ""


@dataclass(frozen=True)
class Calibration:
    """Ratios (M, K) that parts of M graphs reached with each number of roots in ``GRID``.

    ``budgets`` (M) are those that the graphs were solved with. ``shares`` (M) sum to 1 and say how much each counts.
    ``described`` (R, 4) is what the graphs that it is for look like (see :mod:`lense.pruners.description`); if there is
    none, it is for all graphs.
    """

    ratios: Float64s
    budgets: Float64s
    shares: Float64s
    described: Float64s

    @classmethod
    def of(cls, ratios: ArrayLike, budgets: ArrayLike, described: ArrayLike | None = None) -> Self:
        """Where each graph counts the same."""
        found = np.asarray(ratios, np.float64)
        known = _NO_GRAPH if described is None else np.asarray(described, np.float64)
        return cls(found, np.asarray(budgets, np.float64), np.full(len(found), 1 / len(found)), known)

    def for_any_graph(self) -> "Calibration":
        """The same, where no graph is said to be unlike: for one that was sampled from the very graph it is for."""
        return replace(self, described=_NO_GRAPH)

    def also_for(self, described: Float64s) -> "Calibration":
        """The same, for graphs that look like this one (4) too."""
        return replace(self, described=np.vstack([self.described, described]))

    def together(self, other: "Calibration") -> "Calibration":
        """Both, half by half."""
        return Calibration(
            np.concatenate([self.ratios, other.ratios]),
            np.concatenate([self.budgets, other.budgets]),
            np.concatenate([self.shares, other.shares]) / 2,
            np.concatenate([self.described, other.described]),
        )

    def smallest(self, budget: float, target: float, confidence: float, described: Float64s | None = None) -> Expected:
        """The fewest roots that meet the ``target`` with the ``confidence``; if none do, those that are surest to.

        For a budget, or a graph as ``described``, unlike all that were tried, nothing is known, and the most roots that
        were tried are taken.
        """
        unlike = self.unlike(budget, described)
        means, sure = self._at(budget, target, is_known=not unlike)
        if unlike:
            return Expected(ceil(GRID[-1] * budget), float(means[-1]), float(sure[-1]), unlike)
        enough = np.flatnonzero(sure >= confidence)
        best = int(enough[0] if enough.size else np.argmax(sure))
        return Expected(ceil(GRID[best] * budget), float(means[best]), float(sure[best]))

    def of_size(self, budget: float, target: float, roots: int, described: Float64s | None = None) -> Expected:
        """What to expect of ``roots``, interpolated between the numbers that were tried."""
        unlike = self.unlike(budget, described)
        means, sure = self._at(budget, target, is_known=not unlike)
        place = roots / budget
        return Expected(roots, float(np.interp(place, GRID, means)), float(np.interp(place, GRID, sure)), unlike)

    def _at(self, budget: float, target: float, is_known: bool) -> tuple[Float64s, Float64s]:
        """(K), (K): the mean ratio with each number of roots, and the chance that the target is met.

        The chance is (m s + 1/2) / (m + 1), where s is the share of m graphs that met the target: few graphs leave
        doubt. Graphs that were solved with a budget more than 3.5 times larger or smaller are left out. If none are
        left, the ratios are those of the nearest budgets. Where nothing is known of such a graph or budget, m = 0.
        """
        like = self._like(budget)
        shares = self.shares[like] / self.shares[like].sum()
        means = shares @ self.ratios[like]
        met = shares @ (self.ratios[like] >= target)
        count = int(like.sum()) if is_known else 0
        return means, (count * met + 0.5) / (count + 1)

    def unlike(self, budget: float, described: Float64s | None = None) -> str:
        """In words, why the calibration says nothing of a budget, or of a graph as ``described``; "" where it does."""
        why = [] if self.applies(budget) else ["nothing is known of budgets like this one"]
        if described is not None and (found := differences(described, self.described)):
            why.append(f"the graph is unlike those that sizes were learnt on ({', '.join(found)})")
        return " and ".join(why)

    def applies(self, budget: float) -> bool:
        """Whether some graph was solved with a budget like this one."""
        return bool(np.abs(np.log(self.budgets / budget)).min() <= log(_LIKE_BUDGETS))

    def _like(self, budget: float) -> Bools:
        distance = np.abs(np.log(self.budgets / budget))
        return distance <= max(log(_LIKE_BUDGETS), float(distance.min()))

    def arrays(self) -> dict[str, AnyArray]:
        """As arrays by name, for a model's file."""
        return {
            "ratios": self.ratios,
            "budgets": self.budgets,
            "shares": self.shares,
            "described": self.described,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> Self:
        """Undo :meth:`arrays`; a KeyError or ValueError says that they are not its own."""
        ratios, budgets, shares = (np.asarray(arrays[name], np.float64) for name in ("ratios", "budgets", "shares"))
        if ratios.shape != (budgets.size, len(GRID)) or not budgets.shape == shares.shape == (len(ratios),) != (0,):
            raise ValueError("a calibration has a ratio for each graph and number of roots")
        if not (
            np.isfinite(ratios).all() and (budgets > 0).all() and (shares > 0).all() and np.isfinite(budgets).all()
        ):
            raise ValueError("ratios must be numbers, budgets and shares positive")
        described = np.asarray(arrays["described"], np.float64)
        if described.ndim != 2 or described.shape[1] != len(NAMES):
            raise ValueError(f"a graph whose ratios are known is described by {len(NAMES)} numbers")
        return cls(ratios, budgets, shares, described)
