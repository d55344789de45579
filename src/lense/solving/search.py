"""Find the answer of a user's slow heuristic f on a small part of the graph, with the objective as evidence.

1. **Samples.** f runs on connected samples of growing size, which say how its time grows.
2. **Orders.** The objective scores the first vertices of each order (degree, PageRank, balls of some hops, shortest
   paths, …) on the *whole* graph. The vertices of the best orders, in turns, are the pool to choose from.
3. **Parts.** f runs with the pool as its candidates if it accepts them. Otherwise it runs on the subgraph that the pool
   induces, or on all edges at the pool's vertices if its answer then consists of these. How large a pool has to be is
   tried on the samples, where f's own answer is known.
4. **Doubt.** An answer is accepted if the samples say that such a part keeps the target, or if a larger pool gained
   next to nothing and so did a pool of other orders, and if random swaps gain nothing. Otherwise f gets the whole
   graph, and the better answer counts.

The search takes at most ``RULE.share`` of what f takes on the whole graph, by a cautious estimate, or for a part that
samples trust ``RULE.trusted`` of what is likely. Scores and sizes decide wherever they can; the clock, which counts CPU
seconds, decides only how far the search may go.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from lense._util.formatting import duration
from lense._util.jit import compiling_seconds
from lense._util.measuring import cpu_seconds
from lense._util.progress import Advance, progress
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph.subgraph import subgraph
from lense.solving.functions import Ground, OwnCheck, OwnFunction
from lense.solving.orders import Ordered, Orders
from lense.solving.samples import Growth, walked_sample

log_ = logging.getLogger(__name__)


@dataclass(frozen=True)
class SearchRule:
    """Every constant of the search."""

    quick: float = 0.1  # CPU seconds of f on the whole graph that are not worth saving
    few: int = 8  # vertices for each choice, below which a part would be most of the graph
    share: float = 0.14  # of f's time on the whole graph, cautiously, which the search may take
    forced: float = 0.5  # of what f probably takes, where the whole graph is not to be solved
    trusted: float = 0.33  # of what f probably takes, which a part that samples trust may take with all before it
    first_sample: int = 64  # times smaller than the graph
    later_sample: float = 0.05  # of what f probably takes on the whole graph, which a later sample may take
    samples_share: float = 0.08  # of the same, which f may take on all samples
    small: float = 0.03  # CPU seconds that a sample may take in any case
    fewest: int = 4  # choices in a sample
    orders_share: float = 0.05  # of f's time, which orders and their scores may take
    orders: int = 3  # that take turns in a pool, at most
    dear_objective: float = 0.03  # of f's time: an objective that takes more cannot compare parts
    paths_share: float = 0.02  # of f's time, which the order by shortest paths may take
    alike: float = 0.95  # of the best score: orders that go into a pool
    gain: float = 1 / 3  # of what the target leaves: a larger pool must gain less
    noise: float = 0.05  # of what answers are better than random vertices: a larger pool must gain less
    kept: float = 0.6  # of what the target leaves, which parts of samples may lose
    lucky: float = 0.02  # of the improvement over random vertices, which a random swap may gain
    swaps: int = 24  # random swaps that test an answer, at most
    fewest_swaps: int = 4
    swaps_share: float = 0.02  # of f's time, which more swaps than these may take
    large: float = 0.15  # of the graph: a sample so large may say that an order needs no f
    order_kept: float = 1 / 4  # of what the target leaves, which such an order may lose on samples
    steady: float = 0.9  # of f's score on a sample: what a smaller pool must keep for a larger one to be trusted
    dear: float = 0.3  # of f's time on a sample, beyond which no larger part of it is tried
    levels: int = 6  # sizes of pools that are tried on samples
    worth: float = 0.15  # of the same: a part that takes less is worth no larger samples
    cheap: float = 0.06  # of f's time: first parts that are run before larger samples


RULE = SearchRule()


@dataclass(frozen=True)
class Shape:
    """A kind of part: the first pool has ``first`` vertices for each choice, each later one twice as many.

    An answer is settled if the pool grew ``levels`` times in turn and gained next to nothing. ``words`` is how a pool
    of some size is called.
    """

    words: str
    first: float
    levels: int

    def size(self, level: int) -> float:
        """Vertices for each choice."""
        return self.first * 2.0**level

    def where(self, count: int) -> str:
        return self.words.format(f"{count:,}")


CANDIDATES = Shape("among {} candidates", 2.0, 2)
INDUCED = Shape("on the subgraph of {} vertices", 4.0, 3)
ONE_HOP = Shape("on the edges at {} vertices", 1.5, 2)


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
    """One answer, by numbers in the whole graph, and its score there, which is None if it is not valid.

    ``where`` says in words what it was chosen from, and ``size`` is the number of vertices to choose from.
    """

    found_by: str
    where: str
    vertices: Int64s
    score: float | None
    seconds: float = 0.0
    size: int = 0
    part: Ground | None = None


class Sampled(NamedTuple):
    """A sample of the graph, the quality of f's answer there, and its seconds.

    ``kept`` says what share of that f kept on a part of the sample, by the shape of the part and its level, ``shares``
    what share of the time it took, and ``first`` what share the first vertices of an order have.
    """

    ground: Ground
    budget: float
    bought: int
    orders: Orders
    quality: float
    seconds: float
    first: dict[str, float]
    kept: dict[tuple[Shape, int], float]
    shares: dict[tuple[Shape, int], float]


class Search:
    """The search for one answer; the module says how it goes.

    Where it is ``forced``, the whole graph is not to be solved, and parts are tried even if f is quick.
    """

    def __init__(self, asked: Asked, *, time_limit: float | None = None, forced: bool = False) -> None:
        self.asked, self.own, self.time_limit, self.forced = asked, asked.own, time_limit, forced
        self.whole = asked.own.everything()
        self.n, self.m = self.whole.graph.num_vertices, self.whole.graph.num_edges
        self.growth = Growth()
        self.samples: list[Sampled] = []
        self.trials: list[Trial] = []
        self.ranked: list[tuple[Ordered, float]] = []
        self.accepted = self.is_mixed = False
        self.distrusted: set[Shape] = set()
        """Shapes of which samples have proven to say too little."""
        self.expected: float | None = None
        """The share of f's score on the whole graph that the accepted answer is expected to have."""
        self.why = ""
        """Why no answer was accepted."""
        self.proof = ""
        """What a bound says of the accepted answer, if that is why it was accepted."""
        self.own_seconds = self.scoring_seconds = self.proving_seconds = 0.0
        self._begun, self._clock = cpu_seconds() - compiling_seconds(), perf_counter()
        self._advance: Advance = _silent

    # ------------------------------------------------------------------------------------------------ the four steps

    def run(self) -> None:
        """Search until an answer is accepted, or until more would take too long."""
        with progress("searching") as self._advance:
            self.look_at_samples()
            if not self.is_quick:
                self.look_at_orders()
                is_dear = self.scoring_seconds > RULE.dear_objective * self.cautious_seconds
                if is_dear and self.growth.points and not self.forced and self.has_time_for(self.whole_seconds):
                    self.why = "the objective takes too long to compare parts by it"
                else:
                    self.look_at_parts()
        self._advance = _silent

    def run_whole(self) -> Trial:
        """f on the whole graph."""
        everything = self.asked.allowed if self.own.takes_candidates else None
        with progress(f"{self.own.name} on the whole graph"):
            found = self.run_on(self.whole, "on the whole graph", everything)
        assert found is not None
        return found

    @property
    def is_quick(self) -> bool:
        """Whether f surely takes no time worth saving, even if its time grows faster than it seems."""
        return bool(self.growth.points) and self._grown(2 / 3) < RULE.quick

    @property
    def is_small(self) -> bool:
        """Whether a part would be most of the graph."""
        return self.n < RULE.few * self.bought

    def look_at_samples(self) -> None:
        """Two small samples, the first one with two budgets, to learn how f's time grows with each."""
        count = max(ceil(self.n / RULE.first_sample), min(100, self.n // 8))
        self.sample(ceil(count / 3), RULE.fewest)  # the first call may load modules, and is not timed
        self.growth.points.clear()
        self.samples.clear()
        self.sample(count, RULE.fewest)
        self.sample(count, 2 * RULE.fewest)
        if len(self.samples) == 2:
            self.growth.compare_choices()
            del self.samples[0]
        if self.growth.points and not self.is_quick and self.n >= RULE.few * count:
            self.sample(max(2 * count, self.n // 20))

    def look_at_larger_samples(self, shapes: Sequence[Shape]) -> None:
        """Samples as large as is cheap, until two agree on a part that keeps the target."""
        while True:
            for sample in self.samples[-2:]:
                self.try_parts_of(sample, shapes)
            trusted = [(shape, level) for shape in shapes if (level := self.trusted_level(shape)) is not None]
            if any(self.seconds_of(*one) <= RULE.worth * self.whole_seconds for one in trusted):
                return
            before = self.samples[-1].ground.vertices.size if self.samples else 0
            larger = self._larger_sample(before) if self.samples else None
            if larger is None:
                return
            self.sample(larger)
            if self.samples[-1].ground.vertices.size < 1.3 * before:
                return  # f failed, or no larger component was found

    def look_at_orders(self) -> None:
        """Score the first vertices of each order, as long as that is cheap; the best order comes first."""
        asked, begun = self.asked, self.spent
        left = RULE.orders_share * self.cautious_seconds
        found = []
        if asked.quick_order is not None:
            order = asked.quick_order(min(16 * self.bought, self.n))
            found.append(self._ranked(Ordered("the problem's quick order", order[np.isin(order, asked.allowed)])))
        for name in self.orders.names:
            seconds = self.orders.seconds(name) + self.scoring_seconds
            if found and self.spent - begun + seconds > left:
                continue
            order = self.orders.make(name)
            if order.size:
                found.append(self._ranked(Ordered(name, order)))
        best = max(self.trials, key=lambda one: self._rank([one]))
        is_valid = all(np.isfinite(score) for _, score in found)
        is_cheap = self.spent - begun + self.scoring_seconds <= 2 * left
        if is_cheap and is_valid and self.improvement(best) < RULE.noise:
            kinds = iter(self.orders.by_strata())  # no order fits: is there a kind of vertex that does?
            while self.spent - begun + self.scoring_seconds <= 2 * left and (one := next(kinds, None)):
                found.append(self._ranked(one))
        self.ranked = sorted(found, key=lambda pair: -pair[1])

    def look_at_parts(self) -> None:
        """Run f on small parts of growing size, and on the smallest that samples trust, until an answer is accepted."""
        shapes = [CANDIDATES] if self.own.takes_candidates else [INDUCED, ONE_HOP]
        if self.asked.own_only:
            shapes.reverse()  # what problems count that lense knows lies at the chosen vertices
        done: dict[Shape, dict[int, Trial]] = {shape: {} for shape in shapes}
        every = range(2 * RULE.levels)
        for sample in self.samples[-1:]:
            self.try_parts_of(sample, shapes)
        cheap = RULE.cheap * self.cautious_seconds
        for shape in shapes:
            self._try(shape, [level for level in every if self.seconds_of(shape, level) <= cheap], done[shape])
        if self.accepted:
            return
        self.look_at_larger_samples(shapes)
        trusted = [(shape, level) for shape in shapes if (level := self.trusted_level(shape)) is not None]
        for shape, level in sorted(trusted, key=lambda one: self.seconds_of(*one)):
            self._try(shape, [more for more in every if more >= level], done[shape])
        for shape in shapes:
            self._try(shape, every, done[shape])
        self.accepted = self.accepted or self.order_suffices()

    def _try(self, shape: Shape, levels: Sequence[int], done: dict[int, Trial]) -> None:
        """Run f on parts of one shape, until an answer is accepted or the next part would take too long."""
        for level in levels:
            if self.accepted:
                return
            if level in done:
                continue
            trial = self.part(shape, level, done)
            if trial is None:
                return
            done[level] = trial
            self.accepted = self.is_proven(trial) or self.is_trusted(shape, level, trial)
            self.accepted = self.accepted or self.is_settled(shape, level, done)

    # ------------------------------------------------------------------------------------------------------- clocks

    @property
    def spent(self) -> float:
        """CPU seconds so far, compiling left out."""
        return max(cpu_seconds() - compiling_seconds() - self._begun, 0.0)

    @property
    def whole_seconds(self) -> float:
        """About the CPU seconds of f on the whole graph; 0 where no sample says."""
        return max(self._grown(), self._longest)

    @property
    def cautious_seconds(self) -> float:
        """The CPU seconds that f takes on the whole graph, cautiously: between what is likely and the least."""
        return max(sqrt(self._grown(-1 / 3) * self._grown()), self._longest)

    @property
    def whole_range(self) -> tuple[float, float] | None:
        """The CPU seconds of f on the whole graph, at least and at most; None where samples do not say."""
        return self.growth.range_at(self.n, self.m, self.bought)

    def _grown(self, more: float = 0.0) -> float:
        return self.growth.at(self.n, self.m, self.bought, more) if self.growth.points else 0.0

    @property
    def _longest(self) -> float:
        """The most CPU seconds that f took on a part: it takes no less on the whole graph."""
        return max([one.seconds for one in self.trials], default=0.0)

    def has_time_for(self, seconds: float) -> bool:
        """Whether so many seconds more are within the time limit."""
        return self.time_limit is None or perf_counter() - self._clock + seconds <= self.time_limit

    def affords(self, seconds: float, *, trusted: bool = False) -> bool:
        """Whether the search may take so many CPU seconds more, for a part that samples trust or for anything."""
        if not self.has_time_for(seconds):
            return False
        if self.forced:
            return self.spent + seconds <= max(RULE.quick, RULE.forced * self.whole_seconds)
        if not self.has_time_for(seconds + self.whole_seconds):
            return True  # the whole graph is out of reach, so that all of the time is for parts
        most = RULE.share * self.cautious_seconds
        return self.spent + seconds <= (max(most, RULE.trusted * self.whole_seconds) if trusted else most)

    # ------------------------------------------------------------------------------------------------------ answers

    @cached_property
    def bought(self) -> int:
        """How many vertices the budget buys, about."""
        costs = self.asked.costs
        return max(1, int(self.asked.budget if costs is None else self.asked.budget / float(np.median(costs))))

    def quality(self, score: float | None) -> float:
        """A score as a number of which ratios make sense, larger being better; NaN where they make none."""
        if score is None or score <= 0:
            return np.nan
        return 1 / score if self.asked.minimise else score

    def _rank(self, trials: Sequence[Trial]) -> float:
        """The best score of some answers, larger being better."""
        scores = [one.score for one in trials if one.score is not None]
        return max((-one if self.asked.minimise else one for one in scores), default=-np.inf)

    @property
    def best(self) -> Trial | None:
        """The best valid answer so far, where it counts whose it is; of equal ones that of f, then the first."""
        found = [one for one in self.trials if one.score is not None]
        found = [one for one in found if one.found_by == self.own.name or not self.asked.own_only]
        return max(found, key=lambda one: (self._rank([one]), one.found_by == self.own.name), default=None)

    @property
    def by_orders(self) -> list[Trial]:
        """The answers that orders alone gave, without that of chance."""
        return [one for one in self.trials if one.found_by not in (self.own.name, "chance")]

    def scored(self, vertices: Int64s) -> float | None:
        """The objective on the whole graph; None where it has no value, and for vertices that break the user's rule."""
        valid = self.asked.valid
        if not vertices.size or (valid is not None and not valid(self.whole.theirs, self.whole.ids(vertices))):
            return None
        begun = self.spent
        found = self.value(self.whole, vertices)
        self.scoring_seconds = max(self.spent - begun, 0.0)
        return None if np.isnan(found) else found

    def value(self, ground: Ground, vertices: Int64s) -> float:
        """The objective of vertices; NaN where it fails or is infinite, as on a part that is not connected."""
        try:
            return self.asked.value(ground, vertices)
        except Exception as error:
            if ground is self.whole and isinstance(error, LenseError):
                raise
            log_.info("the objective failed: %s", error)
            return np.nan

    def affordable(self, order: Int64s, budget: float | None = None) -> Int64s:
        """The first vertices of an order that the budget buys; those that do not fit are left out."""
        budget, costs = self.asked.budget if budget is None else budget, self.asked.costs
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
        allowed, required = self.asked.allowed, self.asked.required
        if allowed.size < self.n:
            vertices = vertices[np.isin(vertices, allowed)]
        if required.size:
            vertices = self.affordable(np.concatenate([required, vertices[~np.isin(vertices, required)]]))
        return vertices

    def run_on(
        self, ground: Ground, where: str, pool: Int64s | None = None, roots: Int64s | None = None
    ) -> Trial | None:
        """f's answer on a ground, restricted to the roots of a part and scored on the whole graph; None if f fails."""
        asked = self.asked
        most = ground.vertices.size if pool is None else pool.size
        budget = asked.budget if asked.costs is not None else min(asked.budget, most)
        run = self._called(ground, where, budget, pool)
        if run is None:
            return None
        chosen = self.completed(self._among(run[0], roots))
        trial = Trial(self.own.name, where, chosen, self.scored(chosen), run[1], most, ground)
        return self._noted(self._filled(trial))

    @staticmethod
    def _among(chosen: Int64s, roots: Int64s | None) -> Int64s:
        """Only the roots: what lies around other vertices of such a part is not all there."""
        return chosen if roots is None else chosen[np.isin(chosen, roots)]

    def _called(self, ground: Ground, where: str, budget: float, pool: Int64s | None) -> tuple[Int64s, float] | None:
        """What f chooses on a ground and its CPU seconds; None if it fails on a part, of which it may need more."""
        is_whole = ground is self.whole and (pool is None or pool.size == self.asked.allowed.size)
        if ground is not self.whole and ground.graph.num_edges == 0:
            return None
        try:
            run = self.own.run(ground, budget, pool)
        except LenseError:
            raise
        except Exception as error:
            if is_whole:
                raise
            log_.info("%s failed %s: %s", self.own.name, where, error)
            self.why = f"{self.own.name} failed {where} ({type(error).__name__}: {error})"
            return None
        self.own_seconds += run.seconds
        costs = self.asked.costs
        spent = float(run.vertices.size if costs is None else costs[run.vertices].sum())
        if spent > budget * (1 + 1e-9):
            what = f"{run.vertices.size:,} vertices" + ("" if costs is None else f" that cost {spent:g}")
            raise LenseError(f"{self.own.name} returned {what}, and the budget is {budget:,g}, {where}.")
        return run.vertices, run.seconds

    def _filled(self, trial: Trial) -> Trial:
        """An answer that is shorter than the budget with the next vertices of the pool, if that scores better."""
        missing = 0 if self.asked.costs is not None else int(self.asked.budget) - trial.vertices.size
        if missing <= 0 or not trial.vertices.size:
            return trial
        pool = self.pool(4 * self.bought) if self.ranked else self.orders.make("degree")
        longer = np.concatenate([trial.vertices, pool[~np.isin(pool, trial.vertices)][:missing]])
        where = f"{trial.where}, and filled up with {longer.size - trial.vertices.size:,} vertices"
        more = trial._replace(vertices=longer, score=self.scored(longer), where=where)
        return more if self._rank([more]) > self._rank([trial]) else trial

    def _noted(self, trial: Trial) -> Trial:
        self.trials.append(trial)
        best = self.best
        log_.info("%s, %s: %s in %.3g s", trial.found_by, trial.where, trial.score, trial.seconds)
        self._advance(1, "" if best is None else f"best score {best.score:,.6g}")
        return trial

    # ------------------------------------------------------------------------------------------------------ samples

    def sample(self, count: int, fewest: int = RULE.fewest) -> None:
        """Run f on a connected sample of about so many vertices, with a smaller budget for ``fewest`` or more."""
        asked = self.asked
        vertices = walked_sample(self.whole.graph, count, np.random.default_rng([asked.seed, count]))
        allowed = np.intersect1d(vertices, asked.allowed)
        if not allowed.size:
            return
        share, costs = vertices.size / self.n, asked.costs
        if costs is None:
            budget: float = min(max(fewest, round(share * asked.budget)), asked.budget, allowed.size)
        else:
            budget = min(max(share * asked.budget, fewest * float(np.median(costs))), asked.budget)
        ground, where = self.own.induced(vertices), f"on a sample of {vertices.size:,} vertices"
        run = self._called(ground, where, budget, allowed if self.own.takes_candidates else None)
        if run is None:
            return
        chosen, seconds = run
        self._advance(1)
        bought = max(1, int(budget if costs is None else budget / float(np.median(costs))))
        self.growth.add(ground.graph.num_vertices, ground.graph.num_edges, bought, seconds)
        prices = None if costs is None else costs[vertices]
        local, paths = np.searchsorted(vertices, allowed), RULE.paths_share * self.cautious_seconds / 2
        orders = Orders(ground.graph, bought, local, prices, asked.seed, paths)
        quality = self.quality(self.value(ground, chosen)) if chosen.size else np.nan
        self.samples.append(Sampled(ground, budget, bought, orders, quality, seconds, {}, {}, {}))

    def try_parts_of(self, sample: Sampled, shapes: Sequence[Shape]) -> None:
        """What f keeps of its score on parts of a sample, with pools of the orders that are best on the whole graph."""
        vertices = sample.ground.vertices
        names = [one.name for one in self.pooled if one.name in sample.orders.names]
        best = [vertices[sample.orders.make(name)] for name in names]
        if not best or not sample.quality > 0 or sample.kept:
            return
        chosen = self.affordable(best[0], sample.budget)
        sample.first[names[0]] = self.quality(self.value(sample.ground, chosen)) / sample.quality
        order = in_turns(best)
        for shape in shapes:
            for level in range(RULE.levels):
                if sample.kept.get((shape, level - 1), 0.0) >= self.enough or (
                    sample.shares.get((shape, level - 1), 0.0) > RULE.dear
                ):
                    break  # larger parts have nothing to add, or would save too little
                pool = order[: ceil(shape.size(level) * sample.bought)]
                if pool.size > vertices.size / 2:
                    break
                ground, roots = self.ground_of(shape, pool, sample.ground)
                if ground is None:
                    break
                candidates = pool if shape is CANDIDATES else None
                run = self._called(ground, "on a part of a sample", sample.budget, candidates)
                if run is None:
                    continue
                chosen = self._among(run[0], roots)
                found = self.quality(self.value(sample.ground, chosen)) if chosen.size else np.nan
                sample.kept[shape, level] = float(np.nan_to_num(found / sample.quality))
                sample.shares[shape, level] = min(1.0, run[1] / max(sample.seconds, 1e-9))

    def _larger_sample(self, count: int) -> int | None:
        """The number of vertices of the next sample, if one that is worth it is cheap."""
        if len(self.growth.points) == 1:  # how the time grows is not known yet
            return max(2 * count, self.n // 20) if self.n >= RULE.few * count else None
        for part in (3, 4, 6, 8, 12, 16):
            size = self.n // part
            seconds = self.growth.points[-1][2] * (size / count) ** (self.growth.power + self.growth.by_choices)
            is_cheap = seconds <= RULE.later_sample * self.whole_seconds and self.has_time_for(seconds)
            is_cheap = is_cheap and self.own_seconds + seconds <= RULE.samples_share * self.whole_seconds
            if 1.5 * count <= size <= 2.5 * count and (is_cheap or seconds <= RULE.small):
                return size
        return None

    # ------------------------------------------------------------------------------------------------------- orders

    @cached_property
    def orders(self) -> Orders:
        asked = self.asked
        paths = RULE.paths_share * self.cautious_seconds
        return Orders(self.whole.graph, self.bought, asked.allowed, asked.costs, asked.seed, paths)

    def _ranked(self, one: Ordered) -> tuple[Ordered, float]:
        """An order, and what its first vertices score, larger being better; by degree after the end of the order."""
        if one.vertices.size < 2 * self.bought:
            rest = self.orders.make("degree")
            one = Ordered(one.name, np.concatenate([one.vertices, rest[~np.isin(rest, one.vertices)]]))
        chosen = self.completed(self.affordable(one.vertices))
        where = f"the first {chosen.size:,} vertices by {one.name}"
        trial = self._noted(Trial(one.name, where, chosen, self.scored(chosen), size=chosen.size))
        return one, self._rank([trial])

    @property
    def pooled(self) -> list[Ordered]:
        """The best orders."""
        first, top = self.ranked[0]
        level = self.quality(abs(top)) if np.isfinite(top) else np.nan
        return [
            one
            for one, score in self.ranked[: RULE.orders]
            if one is first or self.is_mixed or np.isnan(level) or self.quality(abs(score)) >= RULE.alike * level
        ]

    def pool(self, count: int) -> Int64s:
        """The first ``count`` vertices of the best orders, in turns, after those that are required."""
        return in_turns([one.vertices for one in self.pooled], self.asked.required)[:count]

    # -------------------------------------------------------------------------------------------------------- parts

    def seconds_of(self, shape: Shape, level: int) -> float:
        """What a part and its score are likely to take, by f's share of time on the largest sample that says so."""
        size = shape.size(level) * self.bought / self.n
        share = size
        for sample in reversed(self.samples):
            known = [one for one in range(level + 1) if (shape, one) in sample.shares]
            if known:
                below = shape.size(known[-1]) * self.bought / self.n
                share = float(sample.shares[shape, known[-1]] + size - below)
                break
        return share * self.whole_seconds + self.scoring_seconds

    def part(self, shape: Shape, level: int, done: Mapping[int, Trial]) -> Trial | None:
        """f on the part of a level; None if that takes too long, adds little, or is most of the graph."""
        pool = self.pool(ceil(shape.size(level) * self.bought))
        largest = max([one.size for one in done.values()], default=0)
        if pool.size > self.n / 2 or (level > max(done, default=-1) and pool.size < 1.3 * largest):
            return None
        trusted = self.trusted_level(shape)
        is_trusted = trusted is not None and level >= trusted
        return self.run_part(shape, pool) if self.affords(self.seconds_of(shape, level), trusted=is_trusted) else None

    def run_part(self, shape: Shape, pool: Int64s) -> Trial | None:
        """f on the part of a pool; None if it fails there."""
        ground, roots = self.ground_of(shape, pool, self.whole)
        if ground is None:
            return None
        trial = self.run_on(ground, shape.where(pool.size), pool if ground is self.whole else None, roots)
        return None if trial is None else trial._replace(size=pool.size)

    def ground_of(self, shape: Shape, pool: Int64s, within: Ground) -> tuple[Ground | None, Int64s | None]:
        """The part of a pool ``within`` the whole graph or a sample, and the roots that an answer must consist of."""
        if shape is CANDIDATES:
            return within, None
        if shape is INDUCED:
            return self.own.induced(pool), None
        local = within.vertices.searchsorted(pool)
        part = subgraph(within.graph, local, only_roots=True)
        if part.graph.num_edges > within.graph.num_edges / 2:
            return None, None
        return self.own.touching(part, within.vertices[part.vertices]), pool

    # -------------------------------------------------------------------------------------------------------- doubt

    @property
    def enough(self) -> float:
        """The share of f's score that a part of a sample has to keep."""
        return 1 - RULE.kept * (1 - self.asked.target)

    def kept(self, shape: Shape, level: int) -> float:
        """The least share of f's score that such a part kept on the last two samples; 0 where none says."""
        known = [one.kept.get((shape, level), self._above(one, shape, level)) for one in self.samples[-2:] if one.kept]
        return min(known, default=0.0)

    def _above(self, sample: Sampled, shape: Shape, level: int) -> float:
        """What a part keeps that was not tried, since a smaller one kept enough; 0 if that is not why."""
        below = [kept for (one, at), kept in sample.kept.items() if one is shape and at < level and kept >= self.enough]
        return min(below, default=0.0)

    def trusted_level(self, shape: Shape) -> int | None:
        """The least level whose parts kept enough on two samples, and not by luck."""
        if shape in self.distrusted or len([one for one in self.samples if one.kept]) < 2:
            return None
        for level in range(1, RULE.levels):
            if self.kept(shape, level) >= self.enough and self.kept(shape, level - 1) >= RULE.steady:
                return level
        return None

    def is_proven(self, trial: Trial) -> bool:
        """Whether a bound on the optimum says that the target is met; it is asked for new best answers alone."""
        prove = self.asked.certified
        if prove is None or trial.score is None or self.proving_seconds > RULE.orders_share * self.cautious_seconds:
            return False
        if self._rank([trial]) < self._rank([one for one in self.trials if one.found_by == self.own.name]):
            return False
        begun = self.spent
        share = prove(trial.vertices)
        self.proving_seconds = self.spent - begun
        if share is None or share < self.asked.target:
            return False
        self.expected, self.proof = 1.0, f"at least {100 * share:.4g} % of optimal"
        return True

    def is_trusted(self, shape: Shape, level: int, trial: Trial) -> bool:
        """Whether samples say that such a part keeps the target, and nothing on the whole graph says otherwise."""
        trusted, best = self.trusted_level(shape), self.best
        if trusted is None or level < trusted or best is None or not self.stands_out(best):
            return False
        known = [self.quality(one.score) for one in [best, *self.by_orders]]  # of orders too, whoever's answer counts
        ahead = np.nanmax(known)
        if self.quality(trial.score) < self.asked.target * ahead:
            self.why = "an order was ahead of a part"
            return False
        if self.gains_more_than_on_samples(shape, level, trial):
            self.why = "the part gained more than on samples"
            self.distrusted.add(shape)
            return False
        self.expected = min(1.0, self.kept(shape, level))
        return self._survives_swaps(best)

    def gains_more_than_on_samples(self, shape: Shape, level: int, trial: Trial) -> bool:
        """Whether a part beats the best order by more than on any sample, so that a larger one may gain more still."""
        name = next((name for one in self.samples[-2:] for name in one.first), "")
        first = max([self.quality(one.score) for one in self.trials if one.found_by == name], default=np.nan)
        gains = [
            one.kept.get((shape, level), self._above(one, shape, level)) / before
            for one in self.samples[-2:]
            if (before := one.first.get(name, 0.0)) > 0
        ]
        return bool(gains) and self.quality(trial.score) / first > (2 - self.asked.target) * max(gains)

    def is_settled(self, shape: Shape, level: int, done: Mapping[int, Trial]) -> bool:
        """Whether larger parts gained next to nothing, nor did other orders or random swaps."""
        best = self.best
        if best is None or not self.stands_out(best):
            return False
        orders = [] if self.asked.own_only else self.by_orders
        first = np.nan_to_num(max([self.quality(one.score) for one in orders], default=np.nan))
        found = {at: float(np.nan_to_num(self.quality(one.score))) for at, one in done.items()}
        most = min(RULE.gain * (1 - self.asked.target), RULE.noise * self.improvement(best))
        for back in range(shape.levels):
            now, before = level - back, level - back - 1
            if now not in found or (before >= 0 and not any(at <= before for at in found)):
                return False
            top, smaller = (max([first, *(one for at, one in found.items() if at <= to)]) for to in (now, before))
            if top > smaller * (1 + most):
                return False
            if shape is not CANDIDATES and found[now] < top * (1 - most):
                return False  # a part hides what lies around it, so its own answers must reach the best, and stay there
        if not self._survives_challenge(shape, done[level], most) or not self._survives_swaps(best):
            return False
        self.expected = 1.0 - most
        return True

    def _survives_challenge(self, shape: Shape, last: Trial, most: float) -> bool:
        """Whether f gains next to nothing from vertices that other orders put first, beside those it chose."""
        best, used = self.best, self.pool(last.size)
        assert best is not None
        self.why = "larger parts might improve the answer"
        if not self.affords(last.seconds):
            return False
        names = {one.name for one in self.pooled}
        others = [order for name in self.orders.names if name not in names and (order := self.orders.make(name)).size]
        fresh = in_turns(others)
        fresh = fresh[~np.isin(fresh, used)][: max(last.size - best.vertices.size, 0)]
        trial = self.run_part(shape, np.concatenate([best.vertices, fresh]))
        if trial is not None and self.quality(trial.score) > self.quality(best.score) * (1 + most):
            self.why, self.is_mixed = "vertices that other orders put first improved the answer", True
            return False
        return True

    def order_suffices(self) -> bool:
        """Whether an order is ahead of f on all parts, and of f itself on two samples, one of them large."""
        best = self.best
        if best is None or best.found_by == self.own.name or len(self.samples) < 2 or not self.stands_out(best):
            return False
        if self.samples[-1].ground.vertices.size < RULE.large * self.n or best.found_by not in self.orders.names:
            return False
        kept = []
        for sample in self.samples[-2:]:
            order = sample.ground.vertices[sample.orders.make(best.found_by)]
            quality = self.quality(self.value(sample.ground, self.affordable(order, sample.budget)))
            kept.append(float(np.nan_to_num(quality / sample.quality)))
        if min(kept) < 1 - RULE.order_kept * (1 - self.asked.target) or not self._survives_swaps(best):
            return False
        self.expected = min(1.0, *kept)
        return True

    def improvement(self, best: Trial) -> float:
        """By what share of itself an answer beats random vertices; 0 where these score 0, which says nothing."""
        if self.by_chance is None:
            return 1.0
        chance = self.quality(self.by_chance)
        return 0.0 if np.isnan(chance) else max(1 - chance / self.quality(best.score), 0.0)

    def stands_out(self, best: Trial) -> bool:
        """Whether an answer is better than random vertices: where few answers differ, no comparison says anything."""
        if self.quality(best.score) > 0 and self.improvement(best) >= RULE.noise:
            return True
        self.why = "random vertices score nearly as much, or nothing"
        return False

    @cached_property
    def by_chance(self) -> float | None:
        """What random vertices score; None where they break the user's rule."""
        order = np.random.default_rng([self.asked.seed, 0x52]).permutation(self.asked.allowed)
        self._ranked(Ordered("chance", order))
        return self.trials[-1].score

    def _survives_swaps(self, best: Trial) -> bool:
        """Whether replacing the last vertex by random ones of any degree gains next to nothing."""
        outside = np.setdiff1d(self.asked.allowed, best.vertices)
        if best.vertices.size < 2 or np.isin(best.vertices[-1], self.asked.required) or not outside.size:
            return True
        rng = np.random.default_rng([self.asked.seed, 0x57])
        by_degree = outside[np.argsort(np.diff(self.whole.graph.incident.indptr)[outside], kind="stable")]
        limit = min((1 - self.asked.target) / 2, RULE.lucky * self.improvement(best))
        afforded = int(RULE.swaps_share * self.cautious_seconds / max(self.scoring_seconds, 1e-9))
        swaps = int(np.clip(afforded, RULE.fewest_swaps, RULE.swaps))
        for alike in np.array_split(by_degree, min(swaps, outside.size)):
            swapped = self.affordable(np.append(best.vertices[:-1], rng.choice(alike)))
            if self.quality(self.scored(swapped)) > self.quality(best.score) * (1 + limit):
                self.why, self.expected = "a random swap improved the answer", None
                return False
        return True

    # ------------------------------------------------------------------------------------------------------- report

    def record(self) -> list[dict[str, Any]]:
        """Every answer that was tried, for ``Solution.details``."""
        return [
            {"found_by": one.found_by, "where": one.where, "score": one.score, "seconds": one.seconds}
            for one in self.trials
        ]

    def in_words(self, best: Trial) -> str:
        """How an answer was found."""
        if best.found_by != self.own.name:
            tried = any(one.found_by == self.own.name for one in self.trials)
            return best.where + (f", which {self.own.name} did not improve on parts of the graph" if tried else "")
        return f"{self.own.name} {best.where}"

    def estimate(self) -> str:
        """What f takes on the whole graph, as a range; empty where samples do not say."""
        found = self.whole_range
        return "" if found is None else f"{duration(found[0], 1)} to {duration(found[1], 1)}"


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


def _silent(amount: float, /, note: str = "") -> None:
    pass
