"""What a heuristic takes on a large graph, from runs on small samples of it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

QUICK = 0.03
"""Seconds that are not worth saving."""
_SHARE = 0.05
_GROWTH = 4
_LEAST_POWER, _MOST_POWER, _SUSPECT = 0.3, 4.0, 1.3
_WARM_UP = 10.0
_MEASURABLE = 0.02
"""Shorter runs say little about how the time grows."""


@dataclass(frozen=True)
class Law:
    """``seconds`` (s / ``size``)^``power``: what a heuristic takes on a graph of size s, its vertices and edges."""

    size: int
    seconds: float
    power: float = 1.0

    def at(self, size: float) -> float:
        return float(self.seconds * (max(size, 1) / self.size) ** self.power)


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
) -> Sampled:
    """How the seconds of a heuristic grow with the size of a graph, up to ``size``.

    ``run(s)`` runs it on a sample of about size s and returns its size and the seconds. Samples have the size
    ``first``, then four times that, up to a quarter of the graph. The law goes through the last two. There are no more
    samples if the whole graph takes no time worth saving, if another one would make them take more than a twentieth of
    it, or if the law ``is_clear`` enough. The first one runs twice, since what is done once does not count, and so
    does one that takes suspiciously long. Runs of a few milliseconds say nothing of the growth, which is taken as
    linear until one takes longer.
    """
    count, seconds = run(first)
    spent = seconds
    if seconds < _WARM_UP:
        count, seconds = run(first)
        spent += seconds
    law = Law(max(count, 1), max(seconds, 1e-9))
    target = first * _GROWTH
    while target <= size / _GROWTH:
        sure_enough = law.at(size) if law.power > 1 else Law(law.size, law.seconds, 2.0).at(size)
        if sure_enough < QUICK or spent + law.at(target) > _SHARE * law.at(size):
            break
        count, seconds = run(target)
        spent += seconds
        found = _through(law, max(count, 1), max(seconds, 1e-9))
        if found.power > _SUSPECT:  # a busy moment of the machine looks like this too
            count, again = run(target)
            spent += again
            found = _through(law, max(count, 1), max(min(seconds, again), 1e-9))
        law = found
        if seconds >= _MEASURABLE and is_clear(law):
            break
        target *= _GROWTH
    return Sampled(law, spent)


def _through(before: Law, size: int, seconds: float) -> Law:
    if size <= before.size or before.seconds < _MEASURABLE / _GROWTH:
        return Law(size, seconds, before.power)
    power = log(seconds / before.seconds) / log(size / before.size)
    return Law(size, seconds, min(max(power, _LEAST_POWER), _MOST_POWER))
