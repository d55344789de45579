"""The Markov decision process: sets of roots as states, swaps of a root for a neighbour as actions, and walks.

The roots X of a state induce the subgraph xi(X). For each v in X a candidate u is drawn (see ``Offer``); action i swaps
the i-th pair, and :func:`follow` is the loop that steps. Time runs out after a number of steps; there is no terminal
state. All is numpy and numba: pruning with a trained model needs no torch.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.progress import progress
from lense._util.threads import map_chunks, one_blas_thread
from lense._util.types import Bools, Float32s, Float64s, Int64s
from lense.errors import LenseError
from lense.kernels.rows import Adjacency
from lense.kernels.swaps import count_root, offered, row_mean

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Offer:
    """What B walks may do in a step: swap one of their M ``roots`` (B, M) for the candidate beside it.

    For each root v in X a candidate u is drawn uniformly from the neighbours of v outside X; if v has none, from the
    subgraph's vertices outside X; if there are none either, the pair is not ``allowed`` (B, M). ``leaving`` and
    ``entering`` (B, M, 2k) are the features of v and of u, each followed by the mean of their neighbours' in xi(X).
    """

    roots: Int64s
    candidates: Int64s
    allowed: Bools
    leaving: Float32s
    entering: Float32s
    seeds: tuple[int, ...]
    step: int


Policy = Callable[[Offer], Int64s]
"""Actions for an offer to B walks: the number of the pair to swap in each (B), or of k pairs (B, k)."""


class RootSets:
    """The root sets of B walks on the incident ``rows`` of a graph whose vertices have ``features`` (n, k).

    They start as M random roots each, or as ``starts`` (B, M). What a walk draws depends on its own seed alone. No
    subgraph is built: only what the neighbours of two vertices see is updated.
    """

    def __init__(
        self,
        rows: Adjacency,
        features: Float32s,
        seeds: Sequence[int],
        num_roots: int,
        *,
        starts: Int64s | None = None,
        step: int = 0,
    ) -> None:
        num_vertices = rows.indptr.size - 1
        if not 0 < num_roots < num_vertices:
            raise LenseError(
                f"A walk needs at least one root and fewer roots than the graph's {num_vertices:,} vertices, "
                f"not {num_roots:,}."
            )
        self.seeds, self.step = tuple(int(seed) for seed in seeds), step
        roots = random_roots(num_vertices, num_roots, self.seeds) if starts is None else np.array(starts, np.int64)
        _check_starts(roots, (len(self.seeds), num_roots), num_vertices)
        # the power of two that makes the rounded features of any row add up to a 64-bit integer
        largest = float(np.abs(features).max(initial=0)) * int(np.diff(rows.indptr).max(initial=0))
        scale = 2.0 ** (61 - math.frexp(largest)[1])
        self._sets = [_RootSet(rows, features, scale, own, seed) for own, seed in zip(roots, self.seeds, strict=True)]

    def offer(self) -> Offer:
        roots = np.stack([one.roots for one in self._sets])
        offers = [one.offer(self.step) for one in self._sets]
        candidates, allowed, leaving, entering = (np.stack(parts) for parts in zip(*offers, strict=True))
        return Offer(roots, candidates, allowed, leaving, entering, self.seeds, self.step)

    def swap(self, offer: Offer, actions: Int64s) -> None:
        """Take a step: swap the pairs that each walk's actions name; -1 and what is not allowed change nothing."""
        for number, (one, own) in enumerate(zip(self._sets, actions.reshape(len(actions), -1).tolist(), strict=True)):
            for action in own:
                if action >= 0 and offer.allowed[number, action]:
                    one.swap(action, int(offer.candidates[number, action]))
        self.step += 1


class _RootSet:
    """Roots (M), and of every vertex the number of roots in its row and ``scale`` times the sum of their features."""

    def __init__(self, rows: Adjacency, features: Float32s, scale: float, roots: Int64s, seed: int) -> None:
        self.rows, self.features, self.scale = (rows.indptr, rows.indices), features, scale
        self.key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self.roots = roots.copy()
        num_vertices, num_features = features.shape
        self.is_root = np.zeros(num_vertices, np.bool_)
        self.root_entries = np.zeros(num_vertices, np.int32)
        self.root_sums = np.zeros((num_vertices, num_features), np.int64)
        self.row_means = np.empty((roots.size, num_features))
        for place, root in enumerate(self.roots.tolist()):
            self._bring_in(place, root)

    def offer(self, step: int) -> tuple[Int64s, Bools, Float32s, Float32s]:
        candidates, allowed = offered(*self.rows, self.is_root, self.root_entries, self.roots, self.key, step)
        leaving = np.hstack([self.features[self.roots], self.row_means]).astype(np.float32)
        # the neighbours of a vertex that is no root are roots
        means = self.root_sums[candidates] / self.scale / np.maximum(self.root_entries[candidates], 1)[:, None]
        entering = np.hstack([self.features[candidates], means]).astype(np.float32)
        return candidates, allowed, leaving, entering

    def swap(self, place: int, entering: int) -> None:
        leaving = int(self.roots[place])
        self.is_root[leaving] = False
        count_root(*self.rows, self.features, self.scale, leaving, -1, self.root_entries, self.root_sums)
        self._bring_in(place, entering)

    def _bring_in(self, place: int, root: int) -> None:
        self.roots[place], self.is_root[root] = root, True
        count_root(*self.rows, self.features, self.scale, root, 1, self.root_entries, self.root_sums)
        self.row_means[place] = row_mean(*self.rows, self.features, root)


def rewards(before: "Tensor", after: "Tensor", scale: float, shaped: bool) -> "Tensor":
    """The rewards (B) of swaps by the distances (B) to the goal before and after them: -beta d', or beta (d - d').

    Shaped rewards have values around 0 and the same best policies: beta (d - d') is (1 - gamma) (r + gamma Phi(s') -
    Phi(s)) for r = -beta d' and the potential Phi = -beta d / (1 - gamma) (Ng, Harada and Russell 1999).
    """
    return scale * (before - after) if shaped else -scale * after


def random_roots(num_vertices: int, num_roots: int, seeds: Sequence[int]) -> Int64s:
    """Distinct vertices (B, M) drawn uniformly for each of the seeds (B)."""
    return np.stack([np.random.default_rng(seed).choice(num_vertices, num_roots, replace=False) for seed in seeds])


def _check_starts(roots: Int64s, shape: tuple[int, int], num_vertices: int) -> None:
    ordered = np.sort(roots, axis=-1)
    if roots.shape != shape or (np.diff(ordered, axis=-1) == 0).any():
        raise LenseError(f"Walks start from {shape[1]:,} different roots each, for {shape[0]:,} walks.")
    if (ordered < 0).any() or (ordered >= num_vertices).any():
        raise LenseError(f"Roots must lie between 0 and {num_vertices - 1}, the graph's last vertex.")


def follow(sets: RootSets, policy: Policy, steps: int) -> Iterator[Offer]:
    """Walk by ``policy`` until step ``steps``: the offer now, then the one after each step."""
    while sets.step < steps:
        offer = sets.offer()
        yield offer
        sets.swap(offer, policy(offer))
    yield sets.offer()


def roots_after(
    rows: Adjacency, features: Float32s, policy: Policy, *, seeds: Sequence[int], num_roots: int, places: Sequence[int]
) -> Int64s:
    """The roots (P, B, M) of walks after each of the rising numbers of steps ``places`` (P), one walk in a thread."""
    with one_blas_thread(), progress("walking", len(seeds) * places[-1]) as advance:

        def walked(_scratch: Any, seed: int) -> Int64s:
            met = {}
            for offer in follow(RootSets(rows, features, [seed], num_roots), policy, places[-1]):
                if offer.step in places:
                    met[offer.step] = offer.roots
                advance(min(offer.step, 1))
            return np.stack([met[place] for place in places])

        return np.concatenate(list(map_chunks(walked, seeds, lambda: None)), axis=1)


def best_allowed(values: Float32s | Float64s, allowed: Bools) -> Int64s:
    """The ``allowed`` action of largest value (B) of (B, M)."""
    actions: Int64s = np.where(allowed, values, -np.inf).argmax(axis=-1)
    return actions


def best_apart(values: Float32s, allowed: Bools, candidates: Int64s, swaps: int) -> Int64s:
    """The ``allowed`` actions of largest value whose ``candidates`` differ (B, swaps or M), best first, then -1."""
    chosen = np.full((len(values), min(swaps, values.shape[1])), -1, np.int64)
    for row, own, possible, candidate in zip(chosen, values, allowed, candidates, strict=True):
        order = np.argsort(np.where(possible, -own, np.inf), kind="stable")[: np.count_nonzero(possible)]
        firsts = np.sort(np.unique(candidate[order], return_index=True)[1])[:swaps]
        row[: firsts.size] = order[firsts]
    return chosen


def random_swaps(offer: Offer) -> Int64s:
    """The policy that draws an allowed swap uniformly, by the walk's seed and the step alone."""
    size = offer.roots.shape[1]
    drawn = [np.random.default_rng([seed, offer.step, *b"swap"]).random(size) for seed in offer.seeds]
    return best_allowed(np.stack(drawn), offer.allowed)


def largest_gain(values: Float64s) -> Policy:
    """The policy that swaps v for u with the largest ``values[u] - values[v]``, even if that is negative."""
    return lambda offer: best_allowed(values[offer.candidates] - values[offer.roots], offer.allowed)


def separating_feature(features: Float32s, solution: Int64s) -> int:
    """Which of the features (n, k) is larger at the ``solution`` than on average, by the most standard deviations."""
    gaps = features[solution].mean(axis=0) - features.mean(axis=0)
    return int((gaps / np.maximum(features.std(axis=0), 1e-12)).argmax())


def inverse_ranks(standings: Float32s, num_vertices: int) -> Float64s:
    """n / r of standings log(n / r) / log n: the first vertices count for far more than all others."""
    return np.exp(math.log(max(num_vertices, 2)) * np.asarray(standings, np.float64))
