"""Find the answer of a user's slow heuristic f on a small part of the graph, with the objective as evidence.

1. **Samples.** f runs on connected samples of growing size, which say how its time grows.
2. **Rehearsal.** All that follows is done on the largest samples first, where f's own answer is known. It shows which
   shapes of parts keep the target, how large they have to be, and what share of f's time they take.
3. **Orders.** The objective scores the first vertices of each order (degree, PageRank, balls of some hops, shortest
   paths, …) on the *whole* graph. The vertices of the best orders, in turns, are the pool to choose from.
4. **Parts.** f runs with the pool as its candidates if it accepts them. Otherwise it runs on the subgraph that the pool
   induces, or on all edges at the pool's vertices if its answer then consists of these. In each further round it gets
   fresh vertices beside those it chose.
5. **Doubt.** An answer is accepted if such parts kept the target on the samples, or if so little was gained in the last
   rounds that all other vertices cannot add much, and if random swaps gain nothing. Otherwise f gets the whole graph,
   and the better answer counts.

The search takes at most ``RULE.share`` of what f takes on the whole graph, by a cautious estimate, or for a part that
was rehearsed ``RULE.trusted`` of what is likely. Scores and sizes decide wherever they can; the clock, which counts CPU
seconds, decides only how far the search may go.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, inf, log, sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from lense._util.formatting import duration
from lense._util.jit import compiling_seconds
from lense._util.measuring import cpu_seconds
from lense._util.progress import Advance, progress
from lense.solving.orders import Ordered
from lense.solving.region import CANDIDATES, INDUCED, ONE_HOP, Asked, Region, Shape, Trial
from lense.solving.samples import Growth, walked_sample

log_ = logging.getLogger(__name__)


@dataclass(frozen=True)
class SearchRule:
    """Every constant of the search."""

    quick: float = 0.1  # CPU seconds of f on the whole graph that are not worth saving
    few: int = 8  # vertices for each choice, below which a part would be most of the graph
    share: float = 0.15  # of f's time on the whole graph, cautiously, which parts may take
    trusted: float = 0.3  # of the same, which parts may take that are likely to be accepted
    forced: float = 0.5  # of what f probably takes, where the whole graph is not to be solved
    first_sample: int = 64  # times smaller than the graph
    last_sample: int = 8  # times smaller than the graph
    last_with_candidates: int = 16  # the same for samples that take long, if f accepts candidates: parts say more then
    sample_share: float = 0.04  # of what f probably takes on the whole graph, which one sample may take
    samples_share: float = 0.07  # of the same, which all samples may take
    rehearsals_share: float = 0.04  # of the same, which f may take in rehearsals
    small: float = 0.04  # CPU seconds that a sample, rehearsals, orders or parts may take in any case
    small_in_all: float = 0.2  # CPU seconds for samples after which none is taken in any case
    fewest: int = 4  # choices in a sample
    orders_share: float = 0.04  # of f's time, which orders and their scores may take
    orders_times: float = 3.0  # what samples and rehearsals took, which they may take at most: estimates can be far off
    paths_share: float = 0.02  # of f's time, which the order by shortest paths may take
    sample_paths_share: float = 0.2  # of f's time on a sample, which the same order may take there
    dear_objective: float = 0.05  # of f's time: an objective that takes more cannot compare parts
    levels: int = 3  # of parts on a sample, each twice as large as the one before
    dear: float = 0.5  # of f's time on a sample, beyond which no further part of it is tried
    thorough: float = 0.08  # of what f probably takes, which parts take at least before an answer counts as settled
    kept: float = 0.6  # of what the target leaves, which rehearsals may lose in the mean
    least_kept: float = 1.5  # of the same, which a single rehearsal may lose
    most_choices: float = 2.0  # times the whole graph's share of choices, with more of which a sample supports nothing
    choices: int = 15  # in all samples together, with fewer of which a single part is not trusted
    ahead: float = 5.0  # of what the target leaves, by which a part may be ahead of orders by more than on samples
    hopeless: float = 4.0  # of the same: what loses more is not tried on larger samples or on the whole graph
    flat: float = 0.25  # of the same: with less change by a doubling, an answer is likely to be accepted
    order_kept: float = 0.25  # of the same, which an order may lose on samples that is returned without f
    left: float = 0.6  # of the same, which all vertices that were not tried may add
    noise: float = 0.1  # of what answers are better than random vertices: the same may add no more
    least_improvement: float = 0.05  # over random vertices: with less, no comparison says anything
    lucky: float = 0.02  # of the improvement over random vertices, which a random swap may gain
    swaps: int = 24  # random swaps that test an answer, at most
    fewest_swaps: int = 4
    swaps_share: float = 0.02  # of f's time, which more swaps than these may take


RULE = SearchRule()


class Rehearsal(NamedTuple):
    """What parts of each level kept of f's score on a sample, and the CPU seconds of f there as a share of f's own."""

    kept: list[float]
    shares: list[float]

    def kept_at(self, level: int) -> float:
        """What a part kept, or the largest part there was."""
        return self.kept[min(level, len(self.kept) - 1)]


@dataclass
class Sample:
    """A sample, f's quality and CPU seconds there, and what was rehearsed on it.

    ``first`` is the share of f's quality that the first vertices of each order have.
    """

    region: Region
    quality: float
    seconds: float
    first: dict[str, float] = field(default_factory=dict)
    rehearsals: dict[Shape, Rehearsal] = field(default_factory=dict)

    def is_alike(self, whole: Region) -> bool:
        """Whether it has about as many choices for its size as the whole graph: for small budgets it has more."""
        return self.region.bought * whole.n <= RULE.most_choices * whole.bought * self.region.n

    def lead(self, shape: Shape) -> float:
        """By what factor the largest part was ahead of the best order."""
        return self.rehearsals[shape].kept[-1] / max(*self.first.values(), 1e-9)


class Search:
    """The search for one answer; the module says how it goes.

    Where it is ``forced``, the whole graph is not to be solved, and parts are tried even if f is quick.
    """

    def __init__(self, asked: Asked, *, time_limit: float | None = None, forced: bool = False) -> None:
        self.asked, self.own, self.time_limit, self.forced = asked, asked.own, time_limit, forced
        self._advance: Advance = _silent
        self.growth = Growth()
        self.samples: list[Sample] = []
        self.whole = Region(
            asked,
            asked.own.everything,
            asked.budget,
            asked.allowed,
            paths_seconds=lambda: min(RULE.paths_share * self.cautious_seconds, self.spent),
            on_trial=self._tell,
        )
        self.n, self.bought = self.whole.n, self.whole.bought
        self.accepted = False
        self.expected: float | None = None
        """The share of f's score on the whole graph that the accepted answer is expected to have."""
        self.why = ""
        """Why no answer was accepted."""
        self.proof = ""
        """What a bound says of the accepted answer, if that is why it was accepted."""
        self.sample_seconds = self.rehearsal_seconds = self.proving_seconds = 0.0
        self._before_parts = 0.0
        self._begun, self._clock = cpu_seconds() - compiling_seconds(), perf_counter()

    # ------------------------------------------------------------------------------------------------- the main steps

    def run(self) -> None:
        """Search until an answer is accepted, or until more would take too long."""
        with progress("searching") as self._advance:
            self.look_at_samples()
            log_.info("spent %.3g s on samples; f takes about %.3g s", self.spent, self.whole_seconds)
            if not self.is_quick:
                self.rehearse()
                log_.info("spent %.3g s with rehearsals", self.spent)
                self.look_at_orders()
                log_.info("spent %.3g s with orders", self.spent)
                is_dear = self.whole.scoring_seconds > RULE.dear_objective * self.cautious_seconds
                if is_dear and self.growth.points and not self.forced and self.has_time_for(self.whole_seconds):
                    self.why = "the objective takes too long to compare parts by it"
                else:
                    self.look_at_parts()
        self._advance = _silent

    def run_whole(self) -> Trial:
        """f on the whole graph."""
        everything = self.asked.allowed if self.own.takes_candidates else None
        with progress(f"{self.own.name} on the whole graph"):
            found = self.whole.run_on(self.whole.ground, "on the whole graph", everything)
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

    @property
    def shapes(self) -> list[Shape]:
        """The shapes of parts that suit f and the problem, those to be tried first at the front."""
        if self.own.takes_candidates:
            return [CANDIDATES]
        # what problems count that lense knows lies at the chosen vertices
        return [ONE_HOP, INDUCED] if self.asked.own_only else [INDUCED, ONE_HOP]

    # ------------------------------------------------------------------------------------------------------- samples

    def look_at_samples(self) -> None:
        """Samples of growing size, two of each, as long as they are cheap."""
        count = max(ceil(self.n / RULE.first_sample), min(100, self.n // 8))
        self.sample(ceil(count / 3), RULE.fewest)  # the first call may load modules, and is not timed
        self.growth.points.clear()
        self.samples.clear()
        self.sample(count, RULE.fewest)
        self.sample(count, 2 * RULE.fewest)
        if len(self.growth.points) == 2:
            self.growth.compare_choices()
            if len(self.samples) == 2:
                del self.samples[0]
        while self.growth.points and not self.is_quick and self.n >= RULE.last_sample * count:
            larger, before = min(2 * count, self.n // RULE.last_sample), len(self.growth.points)
            if larger < 1.3 * count or not (before == 1 or self._is_cheap(larger)):
                break
            self.sample(larger)
            if len(self.growth.points) == before:
                break
            count = larger
            if self._is_cheap(count):
                self.sample(count, again=1)

    def _is_cheap(self, count: int) -> bool:
        """Whether f takes little on a sample of about so many vertices."""
        choices = max(RULE.fewest, count / self.n * self.bought)
        seconds = self.growth.at(count, ceil(self.whole.m * count / self.n), choices)
        if not self.has_time_for(seconds):
            return False
        is_small = seconds <= RULE.sample_share * self.cautious_seconds
        is_small = is_small and not (self.own.takes_candidates and count * RULE.last_with_candidates > 1.1 * self.n)
        is_small = is_small and self.spent + seconds <= RULE.samples_share * self.cautious_seconds
        return is_small or (seconds <= RULE.small and self.spent <= RULE.small_in_all)

    def sample(self, count: int, fewest: int = RULE.fewest, again: int = 0) -> None:
        """Run f on a connected sample of about so many vertices, with a smaller budget for ``fewest`` or more."""
        asked, costs = self.asked, self.asked.costs
        vertices = walked_sample(self.whole.ground.graph, count, np.random.default_rng([asked.seed, count, again]))
        allowed = np.intersect1d(vertices, asked.allowed)
        if not allowed.size:
            return
        share = vertices.size / self.n
        if costs is None:
            budget: float = min(max(fewest, round(share * asked.budget)), asked.budget, allowed.size)
        else:
            budget = min(max(share * asked.budget, fewest * float(np.median(costs))), asked.budget)
        region = Region(
            asked,
            self.own.induced(vertices),
            budget,
            allowed,
            paths_seconds=lambda: RULE.sample_paths_share * self.growth.points[-1][2],
        )
        where = f"on a sample of {vertices.size:,} vertices"
        run = region.call(region.ground, where, budget, allowed if self.own.takes_candidates else None)
        self._advance(1)
        if run is None:
            self.why = region.why
            return
        chosen, seconds = run
        self.sample_seconds += seconds
        self.growth.add(region.n, region.m, region.bought, seconds)
        log_.info("%s of %d: %.3g s", where, region.bought, seconds)
        quality = region.quality(region.scored(chosen)) if chosen.size else np.nan
        if quality > 0 and region.n >= RULE.few * region.bought:
            self.samples.append(Sample(region, quality, seconds))

    # ----------------------------------------------------------------------------------------------------- rehearsal

    def rehearse(self) -> None:
        """Do on the last three samples what is to be done on the whole graph."""
        for sample in self.samples[-3:]:
            self._score_orders(sample)
            for shape in self.shapes:
                if sample.region.ranked and not self.is_hopeless(shape):
                    found = self._rehearsed(sample, shape)
                    log_.info("rehearsed %s: %s", shape.words, found)
                    if found.kept:
                        sample.rehearsals[shape] = found

    def _score_orders(self, sample: Sample) -> None:
        """Score the first vertices of each order on a sample, as long as that takes no longer than f took there."""
        region, begun = sample.region, self.spent
        for name in region.orders.names:
            if self.spent - begun + region.orders.seconds(name) > max(sample.seconds, RULE.small):
                continue
            order = region.order(name)
            if order.size:
                found = region.try_order(Ordered(name, order))
                sample.first[name] = float(np.nan_to_num(region.quality(found.score) / sample.quality))
        region.sort_orders()

    def _rehearsed(self, sample: Sample, shape: Shape) -> Rehearsal:
        """What f keeps on parts of a sample that grow, until they keep enough or take a large share of its time."""
        region, found = sample.region, Rehearsal([], [])
        for level in range(RULE.levels):
            size = ceil(shape.size(level) * region.bought)
            share = max(size / region.n, found.shares[-1] if found.shares else 0.0)
            most = RULE.rehearsals_share * self.cautious_seconds + RULE.small
            if size > region.n / 2 or share > RULE.dear or self.rehearsal_seconds + share * sample.seconds > most:
                break
            trial = region.run_part(shape, region.pool(size))
            if trial is None:
                break
            self.rehearsal_seconds += trial.seconds
            found.kept.append(region.top(region.by_own[-level - 1 :]) / sample.quality)
            found.shares.append(min(1.0, trial.seconds / max(sample.seconds, 1e-9)))
            if found.kept[-1] >= self.enough:
                break
        return found

    def rehearsals(self, shape: Shape, *, alike: bool = True) -> list[Rehearsal]:
        """Those of a shape, on samples with about the whole graph's share of choices or on all."""
        used = [one for one in self.samples if shape in one.rehearsals and (not alike or one.is_alike(self.whole))]
        return [one.rehearsals[shape] for one in used]

    @property
    def spare(self) -> float:
        """What an answer may lose of f's score."""
        return 1 - self.asked.target

    @property
    def enough(self) -> float:
        """The share of f's score that rehearsals have to keep in the mean."""
        return 1 - RULE.kept * self.spare

    def is_supported(self, shape: Shape) -> bool:
        """Whether the largest part of each sample kept about the target."""
        kept = [one.kept[-1] for one in self.rehearsals(shape)]
        return bool(kept) and min(kept) >= 1 - RULE.least_kept * self.spare

    def is_hopeless(self, shape: Shape) -> bool:
        """Whether a shape lost so much on samples, in the mean, that it is not worth a try."""
        kept = [one.kept[-1] for one in self.rehearsals(shape, alike=False) if len(one.kept) > 1]
        return bool(kept) and float(np.mean(kept)) < 1 - RULE.hopeless * self.spare

    def level_needed(self, shape: Shape) -> int | None:
        """The level of parts that kept enough on two samples or more; None where there is none."""
        found = self.rehearsals(shape)
        least = 1 - RULE.least_kept * self.spare
        for level in range(RULE.levels if len(found) > 1 else 0):
            kept = [one.kept_at(level) for one in found]
            if np.mean(kept) >= self.enough and min(kept) >= least:
                return level
        return None

    def share_of(self, shape: Shape, level: int) -> float:
        """The share of f's time that a part takes: that of its vertices, corrected by what samples took.

        Where no sample says, it is the share of edges for a part with all edges at its vertices.
        """
        vertices, shares = shape.size(level) * self.bought / self.n, []
        for sample in self.samples:
            if shape in sample.rehearsals:
                known = min(level, len(sample.rehearsals[shape].shares) - 1)
                times = vertices * sample.region.n / (shape.size(known) * sample.region.bought)
                # a part that is a smaller share than on the sample may take as long: some time is for the whole graph
                shares.append(sample.rehearsals[shape].shares[known] * max(times, times**0.5))
        if shares:
            return min(1.0, float(np.mean(shares)))
        if shape is not ONE_HOP:
            return vertices
        degrees = np.diff(self.whole.ground.graph.incident.indptr)
        at_pool = degrees[self.whole.pool(ceil(shape.size(level) * self.bought))].sum()
        return min(1.0, 2 * float(at_pool / max(degrees.sum(), 1)))

    # -------------------------------------------------------------------------------------------------------- clocks

    @property
    def spent(self) -> float:
        """CPU seconds so far, compiling left out."""
        return max(cpu_seconds() - compiling_seconds() - self._begun, 0.0)

    @property
    def own_seconds(self) -> float:
        """CPU seconds of f so far, on samples and parts too."""
        return self.whole.own_seconds + self.sample_seconds + self.rehearsal_seconds

    @property
    def whole_seconds(self) -> float:
        """About the CPU seconds of f on the whole graph; 0 where no sample says."""
        return max(min(self._grown(), self._most), self._longest)

    @property
    def cautious_seconds(self) -> float:
        """The CPU seconds that f takes on the whole graph, cautiously: between what is likely and the least."""
        return max(min(sqrt(self._grown(-1 / 4) * self._grown()), self._most), self._longest)

    @property
    def whole_range(self) -> tuple[float, float] | None:
        """The CPU seconds of f on the whole graph, at least and at most; None where samples do not say."""
        return self.growth.range_at(self.n, self.whole.m, self.bought)

    def _grown(self, more: float = 0.0) -> float:
        return self.growth.at(self.n, self.whole.m, self.bought, more) if self.growth.points else 0.0

    @property
    def _longest(self) -> float:
        """The most CPU seconds that f took on a part: it takes no less on the whole graph."""
        return max((one.seconds for one in self.whole.trials), default=0.0)

    @property
    def _most(self) -> float:
        """The CPU seconds that f takes with all candidates, if its time grows no faster than their number."""
        known = [one.seconds * self.n / one.size for one in self.whole.by_own if one.part is self.whole.ground]
        return min(known, default=inf)

    def has_time_for(self, seconds: float) -> bool:
        """Whether so many seconds more are within the time limit."""
        return self.time_limit is None or perf_counter() - self._clock + seconds <= self.time_limit

    def affords(self, seconds: float, *, trusted: bool = False) -> bool:
        """Whether the search may take so many CPU seconds more, for a part that was rehearsed or for anything."""
        if not self.has_time_for(seconds):
            return False
        on_parts = self.spent - self._before_parts + seconds
        if self.forced:
            return on_parts <= max(RULE.quick, RULE.forced * self.whole_seconds)
        if not self.has_time_for(seconds + self.whole_seconds):
            return True  # the whole graph is out of reach, so that all of the time is for parts
        share = RULE.trusted if trusted else RULE.share
        return on_parts <= share * self.cautious_seconds + RULE.small

    # -------------------------------------------------------------------------------------------------------- orders

    def look_at_orders(self) -> None:
        """Score the first vertices of each order, those first that did best on samples, as long as that is cheap."""
        asked, whole, begun = self.asked, self.whole, self.spent
        left = min(RULE.orders_share * self.cautious_seconds, RULE.orders_times * begun) + RULE.small
        if asked.quick_order is not None:
            order = asked.quick_order(min(16 * self.bought, self.n))
            whole.try_order(Ordered("the problem's quick order", order[np.isin(order, asked.allowed)]))
        counted = 0.0  # by operations as far as possible: what the clock says depends on other programs
        for name in sorted(whole.orders.names, key=lambda name: -self._first_on_samples(name)):
            seconds = whole.orders.seconds(name) + whole.scoring_seconds
            if whole.ranked and (counted + seconds > left or self.spent - begun > 4 * left):
                continue
            counted += seconds
            order = whole.order(name)
            if order.size:
                whole.try_order(Ordered(name, order))
        best = max(whole.trials, key=lambda one: whole.rank([one]))
        is_valid = all(np.isfinite(score) for _, score in whole.ranked)
        if (
            is_valid
            and self.spent - begun + whole.scoring_seconds <= 2 * left
            and self.improvement(best) < RULE.least_improvement
        ):
            for kind in whole.orders.by_strata():  # no order fits: is there a kind of vertex that does?
                if self.spent - begun + whole.scoring_seconds > 2 * left:
                    break
                whole.try_order(kind)
        whole.sort_orders()

    def _first_on_samples(self, name: str) -> float:
        """The share of f's quality that the first vertices of an order had on samples, in the mean."""
        known = [one.first.get(name, 0.0) for one in self.samples if one.first]
        return float(np.mean(known)) if known else 0.0

    # --------------------------------------------------------------------------------------------------------- parts

    def look_at_parts(self) -> None:
        """Run f on parts until an answer is accepted: first in the shape that takes the least time by the rehearsal."""
        self._before_parts = self.spent
        hopeful = [shape for shape in self.shapes if not self.is_hopeless(shape)]
        if not hopeful:
            self.why = "parts of samples lost too much"
        for shape in sorted(hopeful, key=lambda one: self.level_needed(one) is None):
            self._look_at_shape(shape)
            if self.accepted:
                return
        self.accepted = self.order_suffices()

    def _look_at_shape(self, shape: Shape) -> None:
        """Run f on parts of one shape that grow, until an answer is accepted or the next part would take too long.

        Where a level was enough on samples, the first part is one level larger.
        """
        whole, own, changes = self.whole, list[Trial](), list[float]()
        needed = self.level_needed(shape)
        is_rehearsed = needed is not None and not whole.by_own
        level = 0
        if needed is not None and self.asked.certified is None:  # a bound may prove the answer of the smallest part
            first_two = (self.share_of(shape, 0) + self.share_of(shape, 1)) * self.whole_seconds
            if shape is not CANDIDATES or not self.affords(first_two, trusted=is_rehearsed):
                level = needed + 1
        while True:
            pool = whole.pool(ceil(shape.size(level) * self.bought))
            seconds = own[-1].seconds * 2 if own else self.share_of(shape, level) * self.whole_seconds
            if pool.size > self.n / 2 or (own and pool.size < 1.3 * own[-1].size):
                return  # a part would be most of the graph, or the orders have no more vertices
            is_likely = is_rehearsed or bool(changes and changes[-1] <= RULE.flat * self.spare)
            if not self.affords(seconds + whole.scoring_seconds, trusted=is_likely):
                return
            trial = whole.run_part(shape, pool)
            if trial is None:
                return
            if own:
                before, found = whole.top(own), whole.quality(trial.score)
                changes.append(abs(log(found / before)) if found > 0 and before > 0 else inf)
            own.append(trial)
            is_last = not self.affords(
                2 * trial.seconds + whole.scoring_seconds, trusted=is_rehearsed and level == needed
            )
            self.accepted = (
                self.is_proven(trial)
                or self.is_settled(shape, changes, pool.size, is_last=is_last)
                or (is_last and needed is not None and level > needed and self.is_trusted(shape, level, changes))
            )
            if self.accepted:
                return
            level += 1

    # --------------------------------------------------------------------------------------------------------- doubt

    def is_proven(self, trial: Trial) -> bool:
        """Whether a bound on the optimum says that the target is met; it is asked for new best answers alone."""
        prove, whole = self.asked.certified, self.whole
        if prove is None or trial.score is None or self.proving_seconds > RULE.orders_share * self.cautious_seconds:
            return False
        if whole.rank([trial]) < whole.rank(whole.by_own):
            return False
        begun = self.spent
        share = prove(trial.vertices)
        self.proving_seconds = self.spent - begun
        if share is None or share < self.asked.target:
            return False
        self.expected, self.proof = 1.0, f"at least {100 * share:.4g} % of optimal"
        return True

    def is_trusted(self, shape: Shape, level: int, changes: Sequence[float]) -> bool:
        """Whether half as large parts kept the target on samples, and nothing on the whole graph says otherwise.

        It says otherwise if the last doubling changed much, if orders are ahead of f, or if f is further ahead of them
        than on samples. A single part is trusted only if the samples had some choices to go by.
        """
        whole, best = self.whole, self.whole.best
        if best is None or not self.stands_out(best):
            return False
        own, first = whole.top(whole.by_own), whole.top(whole.by_orders)
        samples = [one for one in self.samples if shape in one.rehearsals and one.is_alike(self.whole)]
        is_alike = own <= first * (max(one.lead(shape) for one in samples) + RULE.ahead * self.spare)
        is_alike = is_alike and sum(one.region.bought for one in samples) >= RULE.choices
        most = RULE.left if is_alike else RULE.order_kept
        if changes[-1] > most * self.spare if changes else not is_alike:
            self.why = "larger parts might improve the answer"
            return False
        if own < self.asked.target * first:
            self.why = "an order was ahead of a part"
            return False
        self.expected = min(1.0, float(np.mean([one.kept_at(level) for one in self.rehearsals(shape)])))
        return self._survives_swaps(best)

    def order_suffices(self) -> bool:
        """Whether an order is ahead of f on all parts, and kept nearly all of f's score on the last two samples."""
        best = self.whole.best
        if best is None or best.found_by == self.own.name or not self.stands_out(best):
            return False
        samples = self.samples[-3:]
        kept = [one.first.get(best.found_by, 0.0) for one in samples]
        if sum(one.region.bought for one in samples) < RULE.choices or min(kept) < 1 - RULE.order_kept * self.spare:
            return False
        self.expected = min(1.0, *kept)
        return self._survives_swaps(best)

    def is_settled(self, shape: Shape, changes: Sequence[float], depth: int, *, is_last: bool) -> bool:
        """Whether the vertices that were not tried can add next to nothing.

        ``changes`` are those of the logarithm of the score by each doubling of the vertices tried, now ``depth``. At
        worst, each further doubling changes as much as the last one, and no less than half of the one before. Where
        samples support the shape, the mean of that and of a single such change counts.
        """
        best, is_supported = self.whole.best, self.is_supported(shape)
        is_thorough = is_last or self.spent - self._before_parts >= RULE.thorough * self.whole_seconds
        if len(changes) < 2 or not is_thorough or best is None or not self.stands_out(best):
            return False
        each = max(changes[-1], changes[-2] / 2)
        adds = each * max(float(np.log2(self.n / 2 / depth)), 0.0)
        if is_supported:
            adds = (adds + each) / 2
        most = (1.0 if is_supported else RULE.left) * self.spare
        if not adds <= min(most, RULE.noise * self.improvement(best)):
            self.why = "larger parts might improve the answer"
            return False
        self.expected = 1.0 - adds
        return self._survives_swaps(best)

    def improvement(self, best: Trial) -> float:
        """By what share of itself an answer beats random vertices; 0 where these score 0, which says nothing."""
        if self.by_chance is None:
            return 1.0
        chance = self.whole.quality(self.by_chance)
        return 0.0 if np.isnan(chance) else max(1 - chance / self.whole.quality(best.score), 0.0)

    def stands_out(self, best: Trial) -> bool:
        """Whether an answer is better than random vertices: where few answers differ, no comparison says anything."""
        if self.whole.quality(best.score) > 0 and self.improvement(best) >= RULE.least_improvement:
            return True
        self.why = "random vertices score nearly as much, or nothing"
        return False

    @cached_property
    def by_chance(self) -> float | None:
        """What random vertices score; None where they break the user's rule."""
        whole = self.whole
        order = np.random.default_rng([self.asked.seed, 0x52]).permutation(self.asked.allowed)
        chosen = whole.completed(whole.affordable(order))
        where = f"the first {chosen.size:,} vertices by chance"
        return whole.note(Trial("chance", where, chosen, whole.scored(chosen), size=chosen.size)).score

    def _survives_swaps(self, best: Trial) -> bool:
        """Whether replacing the last vertex by random ones of any degree gains next to nothing."""
        whole, outside = self.whole, np.setdiff1d(self.asked.allowed, best.vertices)
        if best.vertices.size < 2 or np.isin(best.vertices[-1], self.asked.required) or not outside.size:
            return True
        rng = np.random.default_rng([self.asked.seed, 0x57])
        by_degree = outside[np.argsort(np.diff(whole.ground.graph.incident.indptr)[outside], kind="stable")]
        limit = min(self.spare / 2, RULE.lucky * self.improvement(best))
        afforded = int(RULE.swaps_share * self.cautious_seconds / max(whole.scoring_seconds, 1e-9))
        swaps = int(np.clip(afforded, RULE.fewest_swaps, RULE.swaps))
        for alike in np.array_split(by_degree, min(swaps, outside.size)):
            swapped = whole.affordable(np.append(best.vertices[:-1], rng.choice(alike)))
            if whole.quality(whole.scored(swapped)) > whole.quality(best.score) * (1 + limit):
                self.why, self.expected = "a random swap improved the answer", None
                return False
        return True

    # -------------------------------------------------------------------------------------------------------- report

    def _tell(self, trial: Trial) -> None:
        """Show progress."""
        log_.info("%s, %s: %s in %.3g s", trial.found_by, trial.where, trial.score, trial.seconds)
        best = self.whole.best
        self._advance(1, "" if best is None else f"best score {best.score:,.6g}")

    def record(self) -> list[dict[str, Any]]:
        """Every answer that was tried, for ``Solution.details``."""
        return [
            {"found_by": one.found_by, "where": one.where, "score": one.score, "seconds": one.seconds}
            for one in self.whole.trials
        ]

    def in_words(self, best: Trial) -> str:
        """How an answer was found."""
        if best.found_by != self.own.name:
            tried = bool(self.whole.by_own)
            return best.where + (f", which {self.own.name} did not improve on parts of the graph" if tried else "")
        return f"{self.own.name} {best.where}"

    def estimate(self) -> str:
        """What f takes on the whole graph, as a range; empty where samples do not say."""
        found = self.whole_range
        return "" if found is None else f"{duration(found[0], 1)} to {duration(found[1], 1)}"


def _silent(amount: float, /, note: str = "") -> None:
    pass
