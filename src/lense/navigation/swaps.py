"""Sets of roots that change by swaps: the state of a walk, what it is offered, and how it takes a step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lense._util.types import Bools, Float32s, Int64s
from lense.errors import LenseError
from lense.kernels.rows import Adjacency
from lense.kernels.swaps import count_root, offered, row_mean


@dataclass(frozen=True)
class Offer:
    """What B walks may do in a step: swap one of their M ``roots`` (B, M) for the candidate beside it.

    For each v of the roots X a candidate u is drawn uniformly from the neighbours of v outside X; where v has none,
    from the subgraph's vertices outside X; where there are none either, the pair is not ``allowed`` (B, M). ``leaving``
    and ``entering`` (B, M, 2k) are the features of v and of u, each followed by the means of their neighbours' features
    in the subgraph xi(X). ``seeds`` (B) are those of the walks, and ``step`` counts the steps so far.
    """

    roots: Int64s
    candidates: Int64s
    allowed: Bools
    leaving: Float32s
    entering: Float32s
    seeds: tuple[int, ...]
    step: int


class Walks:
    """B walks side by side on the incident ``rows`` of a graph, whose vertices have ``features`` (n, k).

    They start from M random roots each, or from ``starts`` (B, M). What a walk draws depends on its own seed alone. No
    subgraph is built: a swap changes what the neighbours of two vertices see, and only that is brought up to date.
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
        check_num_roots(num_roots, num_vertices)
        self.seeds, self.step = tuple(int(seed) for seed in seeds), step
        roots = random_roots(num_vertices, num_roots, self.seeds) if starts is None else np.array(starts, np.int64)
        _check_starts(roots, (len(self.seeds), num_roots), num_vertices)
        scale = _scale(rows, features)
        self._walks = [_Walk(rows, features, scale, own, seed) for own, seed in zip(roots, self.seeds, strict=True)]

    @property
    def roots(self) -> Int64s:
        """X of each walk (B, M), a copy."""
        return np.stack([walk.roots for walk in self._walks])

    def offer(self) -> Offer:
        """The swaps to choose from now; asked again without a swap, the same."""
        offers = [walk.offer(self.step) for walk in self._walks]
        candidates, allowed, leaving, entering = (np.stack(parts) for parts in zip(*offers, strict=True))
        return Offer(self.roots, candidates, allowed, leaving, entering, self.seeds, self.step)

    def swap(self, offer: Offer, actions: Int64s) -> None:
        """Take a step: in each walk the pair that its action (B) names; one that is not allowed changes nothing.

        Actions (B, k) make k swaps each, of different candidates; -1 stands for none.
        """
        for number, (walk, own) in enumerate(zip(self._walks, actions.reshape(len(actions), -1).tolist(), strict=True)):
            for action in own:
                if action >= 0 and offer.allowed[number, action]:
                    walk.swap(action, int(offer.candidates[number, action]))
        self.step += 1


def check_num_roots(num_roots: int, num_vertices: int) -> None:
    """Raise unless there are roots, and vertices besides them."""
    if not 0 < num_roots < num_vertices:
        raise LenseError(
            f"A walk needs at least one root and fewer roots than the graph's {num_vertices:,} vertices, "
            f"not {num_roots:,}."
        )


def random_roots(num_vertices: int, num_roots: int, seeds: Sequence[int]) -> Int64s:
    """Different vertices (B, M) drawn uniformly for each of the seeds (B)."""
    return np.stack([np.random.default_rng(seed).choice(num_vertices, num_roots, replace=False) for seed in seeds])


def _check_starts(roots: Int64s, shape: tuple[int, int], num_vertices: int) -> None:
    """Raise unless there are as many different vertices for each walk as it needs."""
    ordered = np.sort(roots, axis=-1)
    if roots.shape != shape or (np.diff(ordered, axis=-1) == 0).any():
        raise LenseError(f"Walks start from {shape[1]:,} different roots each, for {shape[0]:,} walks.")
    if (ordered < 0).any() or (ordered >= num_vertices).any():
        raise LenseError(f"Roots must lie between 0 and {num_vertices - 1}, the graph's last vertex.")


def _scale(rows: Adjacency, features: Float32s) -> float:
    """The power of two times which features are rounded, so that their sum over any row is a 64-bit integer."""
    largest = float(np.abs(features).max(initial=0)) * int(np.diff(rows.indptr).max(initial=0))
    return 2.0 ** (61 - math.frexp(largest)[1])


class _Walk:
    """Roots (M), and of every vertex how many of its row's entries are roots and ``scale`` times the sum of their
    features.
    """

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
        # of the neighbours of a vertex at the fringe the subgraph holds the roots alone
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
