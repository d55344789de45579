"""What a heuristic takes on a large graph, from runs on small samples of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

QUICK = 0.03
"""Seconds that are not worth saving."""
SHARE = 0.05
"""What samples may take of the least time that the whole graph is estimated to take."""
_GROWTH = 4
_MOST_POWER, _SUSPECT = 2.5, 1.3
_WARM_UP, _RUNS, _AGREEING = 10.0, 4, 2.0
_MEASURABLE = 0.005
"""Shorter runs say nothing about how the time grows."""


@dataclass(frozen=True)
class Law:
    """``fixed`` + (``seconds`` - ``fixed``) (s / ``size``)^``power``: the time on a graph of s vertices and edges.

    A time that grows more slowly than the size is a fixed part and a linear one. It may also be ``least_power``, the
    growth as it was seen, which says less.
    """

    size: int
    seconds: float
    power: float = 1.0
    fixed: float = 0.0
    least_power: float = 1.0

    def at(self, size: float) -> float:
        return float(self.fixed + (self.seconds - self.fixed) * (max(size, 1) / self.size) ** self.power)

    def at_least(self, size: float) -> float:
        """The time on a larger graph if it grows no faster than the size, and no faster than was seen."""
        return float(self.seconds * (size / self.size) ** self.least_power)


@dataclass(frozen=True)
class Sampled:
    """A law, and the seconds that were spent to find it."""

    law: Law
    spent: float


def sampled_law(
    run: Callable[[int], tuple[int, float]],
    size: int,
    first: int,
    is_clear: Callable[[Law], bool] = lambda law: False,
    is_vain: Callable[[Law], bool] = lambda law: False,
) -> Sampled:
    """How the seconds of a heuristic grow with the size of a graph, up to ``size``.

    ``run(s)`` runs it on a sample of about size s and returns its size and the seconds. Samples have the size
    ``first``, then four times that, up to a quarter of the graph. There are no more of them if the whole graph takes no
    time worth saving, if another one would make them take more than a twentieth of the least that the whole graph
    takes, or if the law ``is_clear`` enough. One run is enough if the law by it ``is_vain``: a time so short that its
    being shorter would change nothing.

    Busy cores and threads that wait for each other make some runs a thousand times as long, and never make one shorter.
    So the least time of several runs counts, and a smaller sample takes no longer than a larger one did.
    """
    samples = _Samples(run, size, is_vain)
    samples.look_at(first)
    target = first * _GROWTH
    while target <= size / _GROWTH:
        law = samples.law()
        if Law(law.size, law.seconds, max(law.power, 2.0)).at(size) < QUICK or is_clear(law):
            break
        if samples.needed + law.at(target) > SHARE * law.at_least(size):
            break
        samples.look_at(target)
        target *= _GROWTH
    return Sampled(samples.law(), samples.spent)


def law_through(points: Sequence[tuple[int, float]]) -> Law:
    """The law through the last two of the (size, seconds), in rising order of both, or in proportion to the last."""
    size, seconds = points[-1]
    if len(points) == 1 or points[-2][1] < _MEASURABLE:
        return Law(size, seconds)
    before, seconds_before = points[-2]
    power = log(seconds / seconds_before) / log(size / before)
    if power >= 1:
        return Law(size, seconds, min(power, _MOST_POWER))
    return Law(size, seconds, 1.0, (seconds_before * size - seconds * before) / (size - before), power)


class _Samples:
    """The least seconds on samples of growing size.

    All runs took ``spent`` seconds, or ``needed`` if each had taken its least: what is done once, and a busy moment,
    are no reason to look no further.
    """

    def __init__(self, run: Callable[[int], tuple[int, float]], whole: int, is_vain: Callable[[Law], bool]) -> None:
        self.run, self.whole, self.is_vain = run, whole, is_vain
        self.spent, self.needed = 0.0, 0.0
        self.points: list[tuple[int, float]] = []

    def look_at(self, target: int) -> None:
        """Run on a sample, and again where the seconds may be more than it takes."""
        size, seconds = self._timed(target)
        readings = [seconds]
        while len(readings) < _RUNS and self._is_in_doubt(size, readings):
            readings = sorted([*readings, self._timed(target)[1]])
        least = readings[0]
        self.needed += len(readings) * least
        self.points = [(s, min(seconds, least)) for s, seconds in self.points if s < size]
        self.points.append((size, least))

    def law(self) -> Law:
        """Through the last two samples: with a fixed part if the time grows more slowly than the size."""
        return law_through(self.points)

    def _timed(self, target: int) -> tuple[int, float]:
        size, seconds = self.run(target)
        self.spent += seconds
        return max(size, 1), max(seconds, 1e-9)

    def _is_in_doubt(self, size: int, readings: Sequence[float]) -> bool:
        """Whether the least reading may be too long.

        On the first sample two runs must agree, since the first run does what is done once, unless the law by that run
        is vain and there is no time for a larger sample. A later sample is compared with the one before, and run again
        if there is time for that.
        """
        least = readings[0]
        if not self.points and len(readings) == 1:
            is_last = SHARE * self.whole / size < 1 + _GROWTH
            return least < _WARM_UP and not (is_last and self.is_vain(Law(size, least)))
        if not self.points:
            return readings[1] > _AGREEING * least
        before, seconds_before = self.points[-1]
        growth = least / max(seconds_before, _MEASURABLE)
        has_time = self.needed + least <= SHARE * least * self.whole / size
        return has_time and size > before and growth > float(size / before) ** _SUSPECT
