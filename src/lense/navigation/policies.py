"""Policies, which choose the swap of a step, and the walks that follow one; nothing here is learnt."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lense._util.progress import progress
from lense._util.threads import map_chunks
from lense._util.types import Bools, Float32s, Float64s, Int64s
from lense.kernels.rows import Adjacency
from lense.navigation.swaps import Offer, Walks

Policy = Callable[[Offer], Int64s]
"""Actions (B) for an offer to B walks: the number of the pair to swap in each, or (B, k) for k swaps at once."""


def best_allowed(values: Float32s | Float64s, allowed: Bools) -> Int64s:
    """The allowed action of largest value (B), of values and ``allowed`` (B, M)."""
    actions: Int64s = np.where(allowed, values, -np.inf).argmax(axis=-1)
    return actions


def best_apart(values: Float32s, allowed: Bools, candidates: Int64s, swaps: int) -> Int64s:
    """The allowed actions of largest value whose ``candidates`` differ (B, swaps or M), best first; -1 where there
    are fewer.

    All arguments are (B, M). Where several roots are offered the same candidate, the best of these pairs counts.
    """
    chosen = np.full((len(values), min(swaps, values.shape[1])), -1, np.int64)
    for row, own, possible, offered in zip(chosen, values, allowed, candidates, strict=True):
        order = np.argsort(np.where(possible, -own, np.inf), kind="stable")[: np.count_nonzero(possible)]
        firsts = np.sort(np.unique(offered[order], return_index=True)[1])[:swaps]
        row[: firsts.size] = order[firsts]
    return chosen


def random_swaps(offer: Offer) -> Int64s:
    """Each allowed swap as likely; what a walk draws depends on its seed and the step alone."""
    size = offer.roots.shape[1]
    drawn = [np.random.default_rng([seed, offer.step, *b"swap"]).random(size) for seed in offer.seeds]
    return best_allowed(np.stack(drawn), offer.allowed)


def largest_gain(values: Float64s) -> Policy:
    """The swap of v for u with the largest ``values[u] - values[v]``, even if that is negative."""

    def act(offer: Offer) -> Int64s:
        return best_allowed(values[offer.candidates] - values[offer.roots], offer.allowed)

    return act


def separating_feature(features: Float32s, solution: Int64s) -> int:
    """Which of the features (n, k) is larger at the ``solution`` than on average, by the most standard deviations."""
    gaps = features[solution].mean(axis=0) - features.mean(axis=0)
    return int((gaps / np.maximum(features.std(axis=0), 1e-12)).argmax())


def inverse_ranks(standings: Float32s, num_vertices: int) -> Float64s:
    """n / r of standings log(n / r) / log n: the first vertices count for far more than all others."""
    return np.exp(math.log(max(num_vertices, 2)) * np.asarray(standings, np.float64))


def roots_after(
    rows: Adjacency,
    features: Float32s,
    policy: Policy,
    *,
    seeds: Sequence[int],
    num_roots: int,
    places: Sequence[int],
    together: bool = False,
) -> Int64s:
    """The roots (P, B, M) of walks after so many steps each of the rising ``places`` (P).

    Walks run in threads, one at a time in each, unless they are to run ``together``, as suits a policy on a GPU.
    """
    groups = [tuple(seeds)] if together else [(seed,) for seed in seeds]
    with progress("walking", len(groups) * places[-1]) as advance:

        def walked(_scratch: Any, group: tuple[int, ...]) -> Int64s:
            walks = Walks(rows, features, group, num_roots)
            met = {0: walks.roots}
            for step in range(1, places[-1] + 1):
                offer = walks.offer()
                walks.swap(offer, policy(offer))
                if step in places:
                    met[step] = walks.roots
                advance(1)
            return np.stack([met[place] for place in places])

        return np.concatenate(list(map_chunks(walked, groups, lambda: None)), axis=1)
