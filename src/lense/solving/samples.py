"""Connected samples of a graph, and how the time of a heuristic grows with them."""

from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lense._util.types import Int64s
from lense.graph import Graph
from lense.kernels.rows import Adjacency, rows_between

_MEASURABLE = 1e-3
"""CPU seconds below which a run does not say how the time grows."""
_ALIKE = 1.2
_FACTOR = 2.8
"""By which runs may be smaller than the largest that the line goes through: on small graphs, fixed costs prevail."""
_STEPS = 4000
_BRANCHES = 3
_RESTARTS = 64
_POWERS = (0.5, 2.8)
_LEAST = 0.8
"""To which caution lowers the power at most: few times grow more slowly."""
_POWERS_OF_CHOICES = (0.0, 1.2)


def walked_sample(graph: Graph, count: int, rng: np.random.Generator) -> Int64s:
    """About ``count`` vertices, rising, that hang together as the graph does: found by random walks that branch.

    Each walk continues from every vertex it finds to three random neighbours. Walks that find nothing new begin again
    next to a vertex that was found, or at a random edge where nothing is left there. Of what they find, the largest
    connected component counts.
    """
    rows, n = graph.incident, graph.num_vertices
    count = min(max(count, 2), n)
    is_found, all_found = np.zeros(n, np.bool_), np.empty(count, np.int64)
    found, fresh = 0, np.empty(0, np.int64)
    for _ in range(_STEPS):
        if not fresh.size and found:
            some = rng.choice(all_found[:found], _RESTARTS)
            fresh = _neighbours(rows, some, rng)
            fresh = fresh[~is_found[fresh]]
        if not fresh.size:
            fresh = np.searchsorted(rows.indptr, rng.integers(max(rows.indices.size, 1), size=1), side="right") - 1
            fresh = fresh[~is_found[fresh]]
        fresh = rng.choice(fresh, min(fresh.size, count - found), replace=False)
        is_found[fresh] = True
        all_found[found : found + fresh.size] = fresh
        found += fresh.size
        if found >= count:
            break
        fresh = _neighbours(rows, np.repeat(fresh, _BRANCHES), rng)
        fresh = fresh[~is_found[fresh]]
    vertices = np.flatnonzero(is_found)
    begins, entries, _ = rows_between(rows.indptr, rows.indices, np.empty(0, np.float32), vertices)
    matrix = csr_array((np.ones(entries.size, np.int8), entries, begins), shape=(vertices.size, vertices.size))
    _, label = connected_components(matrix, directed=False)
    largest: Int64s = vertices[label == np.bincount(label).argmax()]
    return largest


def _neighbours(rows: Adjacency, tails: Int64s, rng: np.random.Generator) -> Int64s:
    """A random neighbour of each vertex that has one; each neighbour once."""
    degree = rows.indptr[tails + 1] - rows.indptr[tails]
    tails, degree = tails[degree > 0], degree[degree > 0]
    found: Int64s = np.unique(rows.indices[rows.indptr[tails] + rng.integers(degree)]).astype(np.int64)
    return found


@dataclass
class Growth:
    """How CPU seconds grow: by a power of sqrt(n m), for n vertices and m edges, and by one of the budget.

    The power of the budget is that between two runs on one sample. The other one is the slope of the line through the
    logarithms of the largest runs, since the times on two samples of one size may differ by a factor of three.
    """

    points: list[tuple[float, float, float]] = field(default_factory=list)
    """(sqrt(n m), choices, CPU seconds) of each run."""
    by_choices: float = 1.0

    def add(self, n: int, m: int, choices: float, seconds: float) -> None:
        """Add a run."""
        self.points.append((sqrt(max(n, 1) * max(m, 1)), choices, max(seconds, 1e-6)))

    def compare_choices(self) -> None:
        """Learn the power of the budget from the last two runs, which were on one sample; the last one counts on."""
        (_, fewer, less), (_, choices, seconds) = self.points[-2:]
        if less >= _MEASURABLE and choices > fewer:
            self.by_choices = float(np.clip(log(seconds / less) / log(choices / fewer), *_POWERS_OF_CHOICES))
        del self.points[-2]

    @property
    def power(self) -> float:
        """Of sqrt(n m); 1 where the runs do not say."""
        return self._line[0]

    @property
    def _line(self) -> tuple[float, float, float]:
        """The power, and the means of the logarithms of sqrt(n m) and of the seconds for one choice."""
        largest = max(size for size, _, _ in self.points)
        last = [one for one in self.points if one[0] >= largest / _FACTOR]
        points = [one for one in last if one[2] >= _MEASURABLE] or last[-1:]
        sizes = np.array([log(size) for size, _, _ in points])
        seconds = np.array([log(seconds) - self.by_choices * log(choices) for _, choices, seconds in points])
        power = 1.0
        if sizes.max() - sizes.min() > log(_ALIKE):
            power = float(np.clip(np.polyfit(sizes, seconds, 1)[0], *_POWERS))
        return power, float(sizes.mean()), float(seconds.mean())

    def at(self, n: int, m: int, choices: float, more: float = 0.0) -> float:
        """The seconds for n vertices and m edges, if the power is larger by ``more`` than it seems."""
        power, size, seconds = self._line
        largest = max(log(size) for size, _, _ in self.points)
        beyond = log(sqrt(max(n, 1) * max(m, 1))) - largest
        grown = power * (largest - size) + max(power + more, min(power, _LEAST)) * beyond
        return float(np.exp(seconds + grown + self.by_choices * log(choices)))

    def range_at(self, n: int, m: int, choices: float) -> tuple[float, float] | None:
        """At least and at most so many seconds, if the power is off by a third; None with fewer than two samples."""
        if len(self.points) < 2:
            return None
        low, high = (self.at(n, m, choices, more) for more in (-1 / 3, 1 / 3))
        return min(low, high), max(low, high)
