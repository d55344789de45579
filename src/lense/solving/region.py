"""Answers on one graph, the whole one or a sample: those of orders alone, and those of f on parts of growing size."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lense._util.jit import compiling_seconds
from lense._util.measuring import cpu_seconds
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph.subgraph import subgraph
from lense.solving.functions import Ground, OwnCheck, OwnFunction
from lense.solving.orders import Ordered, Orders

log_ = logging.getLogger(__name__)

ORDERS = 3
"""Orders that take turns in a pool, at most."""
ALIKE = 0.8
"""Of the score of the best order, which the others in a pool reach."""


@dataclass(frozen=True)
class Shape:
    """A kind of part: the first has ``first`` vertices for each choice, and each later one twice as many.

    ``words`` is how a part of some size is called.
    """

    words: str
    first: float

    def size(self, level: int) -> float:
        """Vertices for each choice."""
        return self.first * 2.0**level

    def where(self, count: int) -> str:
        """The words for a part of ``count`` vertices."""
        return self.words.format(f"{count:,}")


CANDIDATES = Shape("among {} candidates", 3.0)
INDUCED = Shape("on the subgraph of {} vertices", 4.0)
ONE_HOP = Shape("on the edges at {} vertices", 3.0)


@dataclass(frozen=True)
class Asked:
    """What the user asks: ``own`` is f, and ``value(ground, vertices)`` the objective of vertices of the whole graph.

    ``allowed`` and ``required`` are numbers of vertices, rising; ``costs`` (n) is what each takes of the budget.
    """

    own: OwnFunction
    value: Callable[[Ground, Int64s], float]
    budget: float
    allowed: Int64s
    required: Int64s
    costs: Float64s | None = None
    minimise: bool = False
    valid: OwnCheck | None = None
    target: float = 0.99
    seed: int = 0
    quick_order: Callable[[int], Int64s] | None = None
    own_only: bool = False
    """Whether the answer has to be f's own: for problems that lense knows, where the user wants no other."""
    certified: Callable[[Int64s], float | None] | None = None
    """What share of the optimum an answer reaches for certain, for problems that lense can bound."""


class Trial(NamedTuple):
    """One answer, by numbers in the whole graph, and its score, which is None if it is not valid.

    ``where`` says in words what it was chosen from, and ``size`` is the number of vertices to choose from.
    """

    found_by: str
    where: str
    vertices: Int64s
    score: float | None
    seconds: float = 0.0
    size: int = 0
    part: Ground | None = None


class Region:
    """A graph, a budget for it, and the answers found so far. All vertices go by their numbers in the whole graph.

    ``paths_seconds`` is what the order by shortest paths may take, and ``on_trial`` is called with each answer.
    """

    def __init__(
        self,
        asked: Asked,
        ground: Ground,
        budget: float,
        allowed: Int64s,
        *,
        paths_seconds: Callable[[], float],
        on_trial: Callable[[Trial], None] = lambda trial: None,
    ) -> None:
        self.asked, self.ground, self.budget, self.allowed = asked, ground, budget, allowed
        self.own, self.costs = asked.own, asked.costs
        self.is_whole = ground.graph is asked.own.whole
        self.required = asked.required if self.is_whole else np.empty(0, np.int64)
        self.n, self.m = ground.graph.num_vertices, ground.graph.num_edges
        self.bought = max(1, int(budget if self.costs is None else budget / float(np.median(self.costs))))
        self.trials: list[Trial] = []
        self.ranked: list[tuple[Ordered, float]] = []
        self.why = ""
        """Why f failed, where it did."""
        self.own_seconds = self.scoring_seconds = 0.0
        self._paths_seconds, self._on_trial = paths_seconds, on_trial

    # ------------------------------------------------------------------------------------------------------ answers

    def quality(self, score: float | None) -> float:
        """A score as a number of which ratios make sense, larger being better; NaN where they make none."""
        if score is None or score <= 0:
            return np.nan
        return 1 / score if self.asked.minimise else score

    def rank(self, trials: Sequence[Trial]) -> float:
        """The best score of some answers, larger being better."""
        scores = [one.score for one in trials if one.score is not None]
        return max((-one if self.asked.minimise else one for one in scores), default=-np.inf)

    @property
    def best(self) -> Trial | None:
        """The best valid answer so far, where it counts whose it is; of equal ones that of f, then the first."""
        found = [one for one in self.trials if one.score is not None]
        found = [one for one in found if one.found_by == self.own.name or not self.asked.own_only]
        return max(found, key=lambda one: (self.rank([one]), one.found_by == self.own.name), default=None)

    @property
    def by_own(self) -> list[Trial]:
        """The answers of f."""
        return [one for one in self.trials if one.found_by == self.own.name]

    @property
    def by_orders(self) -> list[Trial]:
        """The answers that orders alone gave, without that of chance."""
        return [one for one in self.trials if one.found_by not in (self.own.name, "chance")]

    def top(self, trials: Sequence[Trial]) -> float:
        """The best quality of some answers; 0 where none has one."""
        return max((found for one in trials if (found := self.quality(one.score)) > 0), default=0.0)

    def scored(self, vertices: Int64s) -> float | None:
        """The objective of vertices; None where it has no value, and for vertices that break the user's rule."""
        begun = _clock()
        found = self._value(vertices) if vertices.size and self._is_valid(vertices) else np.nan
        seconds = max(_clock() - begun, 0.0)  # other threads of the program count too, so that the least is true
        self.scoring_seconds = min(seconds, self.scoring_seconds or seconds)
        return None if np.isnan(found) else found

    def _value(self, vertices: Int64s) -> float:
        """The objective; NaN where it fails or is infinite, as on a part that is not connected."""
        try:
            return self.asked.value(self.ground, vertices)
        except Exception as error:
            if self.is_whole and isinstance(error, LenseError):
                raise
            log_.info("the objective failed: %s", error)
            return np.nan

    def _is_valid(self, vertices: Int64s) -> bool:
        """Whether the user's rule accepts an answer; it is asked of the whole graph, also for answers on a sample."""
        valid, whole = self.asked.valid, self.own.everything
        return valid is None or bool(valid(whole.theirs, whole.ids(vertices)))

    def affordable(self, order: Int64s) -> Int64s:
        """The first vertices of an order that the budget buys; those that do not fit are left out."""
        budget, costs = self.budget, self.costs
        if costs is None:
            return order[: int(budget)]
        fits = order[costs[order] <= budget]
        while fits.size:
            total = np.cumsum(costs[fits])
            over = np.flatnonzero(total > budget)
            if not over.size:
                break
            left = budget - (total[over[0] - 1] if over[0] else 0.0)
            rest = fits[over[0] :]
            later = rest[costs[rest] <= left]
            fits = np.concatenate([fits[: over[0]], later])
        return fits

    def completed(self, vertices: Int64s) -> Int64s:
        """The answer with the required vertices first, and without those that may not be chosen."""
        if self.allowed.size < self.n:
            vertices = vertices[np.isin(vertices, self.allowed)]
        if self.required.size:
            vertices = self.affordable(np.concatenate([self.required, vertices[~np.isin(vertices, self.required)]]))
        return vertices

    def _filled(self, trial: Trial) -> Trial:
        """An answer that leaves some of the budget with the next vertices of the pool, if that scores better."""
        vertices = trial.vertices
        spent = float(vertices.size if self.costs is None else self.costs[vertices].sum())
        if not vertices.size or (self.costs is None and spent >= int(self.budget)):
            return trial
        pool = self.pool(4 * self.bought) if self.ranked else self.order("degree")
        longer = self.affordable(np.concatenate([vertices, pool[~np.isin(pool, vertices)]]))
        if longer.size == vertices.size:
            return trial
        where = f"{trial.where}, and filled up with {longer.size - vertices.size:,} vertices"
        more = trial._replace(vertices=longer, score=self.scored(longer), where=where)
        return more if self.rank([more]) > self.rank([trial]) else trial

    def note(self, trial: Trial) -> Trial:
        """Keep an answer."""
        self.trials.append(trial)
        self._on_trial(trial)
        return trial

    # ------------------------------------------------------------------------------------------------------- orders

    @cached_property
    def orders(self) -> Orders:
        """The orders of the graph, by numbers in it."""
        asked, vertices = self.asked, self.ground.vertices
        costs = None if self.costs is None else self.costs[vertices]
        local = np.searchsorted(vertices, self.allowed)
        return Orders(self.ground.graph, self.bought, local, costs, asked.seed, self._paths_seconds())

    def order(self, name: str) -> Int64s:
        """The vertices of an order; none where it says nothing."""
        found: Int64s = self.ground.vertices[self.orders.make(name)]
        return found

    def try_order(self, one: Ordered) -> Trial:
        """The first vertices of an order as an answer; by degree after its end. Call :meth:`sort_orders` after it."""
        order = one.vertices
        if order.size < 2 * self.bought:
            rest = self.order("degree")
            order = np.concatenate([order, rest[~np.isin(rest, order)]])
        chosen = self.completed(self.affordable(order))
        where = f"the first {chosen.size:,} vertices by {one.name}"
        trial = self.note(Trial(one.name, where, chosen, self.scored(chosen), size=chosen.size))
        self.ranked.append((Ordered(one.name, order), self.rank([trial])))
        return trial

    def sort_orders(self) -> None:
        """Put the best order first; among equal ones, when they were scored does not count."""
        place = {name: i for i, name in enumerate(self.orders.names)}
        self.ranked.sort(key=lambda pair: (-pair[1], place.get(pair[0].name, -1)))

    @property
    def pooled(self) -> list[Ordered]:
        """The best orders."""
        first, top = self.ranked[0]
        level = self.quality(abs(top)) if np.isfinite(top) else np.nan
        return [
            one
            for one, score in self.ranked[:ORDERS]
            if one is first or np.isnan(level) or self.quality(abs(score)) >= ALIKE * level
        ]

    def pool(self, count: int) -> Int64s:
        """The first ``count`` vertices of the best orders, in turns, after those that are required."""
        return in_turns([one.vertices[:count] for one in self.pooled], self.required)[:count]

    # -------------------------------------------------------------------------------------------------------- parts

    def run_part(self, shape: Shape, pool: Int64s) -> Trial | None:
        """f on the part of a pool; None if it fails there."""
        if shape is CANDIDATES:
            return self.run_on(self.ground, shape.where(pool.size), pool)
        if shape is INDUCED:
            return self.run_on(self.own.induced(pool), shape.where(pool.size))
        local = self.ground.vertices.searchsorted(pool)
        part = subgraph(self.ground.graph, local, only_roots=True)
        ground = self.own.touching(part, self.ground.vertices[part.vertices])
        return self.run_on(ground, shape.where(pool.size), roots=pool)

    def run_on(
        self, ground: Ground, where: str, pool: Int64s | None = None, roots: Int64s | None = None
    ) -> Trial | None:
        """f's answer on a ground, restricted to the roots of a part and scored on this graph; None if f fails."""
        size = ground.vertices.size if pool is None else pool.size
        size = size if roots is None else roots.size
        budget = self.budget if self.costs is not None else min(self.budget, size)
        run = self.call(ground, where, budget, pool)
        if run is None:
            return None
        found, seconds = run
        answer = self.completed(found if roots is None else found[np.isin(found, roots)])
        trial = Trial(self.own.name, where, answer, self.scored(answer), seconds, size, ground)
        return self.note(self._filled(trial))

    def call(self, ground: Ground, where: str, budget: float, pool: Int64s | None) -> tuple[Int64s, float] | None:
        """What f chooses on a ground and its CPU seconds; None if it fails on a part, of which it may need more."""
        is_all = ground.graph is self.own.whole and (pool is None or pool.size == self.asked.allowed.size)
        if not is_all and ground.graph.num_edges == 0:
            return None
        try:
            run = self.own.run(ground, budget, pool)
        except LenseError:
            raise
        except Exception as error:
            if is_all:
                raise
            log_.info("%s failed %s: %s", self.own.name, where, error)
            self.why = f"{self.own.name} failed {where} ({type(error).__name__}: {error})"
            return None
        self.own_seconds += run.seconds
        spent = float(run.vertices.size if self.costs is None else self.costs[run.vertices].sum())
        if spent > budget * (1 + 1e-9):
            what = f"{run.vertices.size:,} vertices" + ("" if self.costs is None else f" that cost {spent:g}")
            raise LenseError(f"{self.own.name} returned {what}, and the budget is {budget:,g}, {where}.")
        return run.vertices, run.seconds


def in_turns(orders: Sequence[Int64s], first: Int64s | None = None) -> Int64s:
    """The vertices of some orders, one of each in turn, each vertex once, after those that come ``first``."""
    turns = np.full((max(order.size for order in orders), len(orders)), -1, np.int64)
    for column, order in enumerate(orders):
        turns[: order.size, column] = order
    flat = turns.ravel()
    flat = flat[flat >= 0] if first is None else np.concatenate([first, flat[flat >= 0]])
    _, places = np.unique(flat, return_index=True)
    found: Int64s = flat[np.sort(places)]
    return found


def _clock() -> float:
    """CPU seconds so far, compiling left out."""
    return cpu_seconds() - compiling_seconds()
