"""Connected samples of a graph, and how the time of a heuristic grows with them."""

from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lense._util.types import Int64s
from lense.graph import Graph
from lense.kernels.rows import rows_between

_MEASURABLE = 1e-3
"""CPU seconds below which a run does not say how the time grows."""
_ALIKE = 1.2
_POWERS = (0.5, 2.5)
_POWERS_OF_CHOICES = (0.0, 1.2)


def walked_sample(graph: Graph, count: int, rng: np.random.Generator) -> Int64s:
    """About ``count`` vertices, rising, that hang together as the graph does: found by random walks that branch.

    Each walk goes on from every vertex it finds to three random neighbours. Walks that find nothing new begin again at
    a random edge. Of what they find, the largest connected component counts.
    """
    rows, n = graph.incident, graph.num_vertices
    count = min(max(count, 2), n)
    degree, is_found = np.diff(rows.indptr), np.zeros(n, np.bool_)
    found, fresh = 0, np.empty(0, np.int64)
    for _ in range(2000):
        if not fresh.size:
            fresh = np.searchsorted(rows.indptr, rng.integers(max(rows.indices.size, 1), size=1), side="right") - 1
            fresh = fresh[~is_found[fresh]]
        fresh = rng.choice(fresh, min(fresh.size, count - found), replace=False)
        is_found[fresh] = True
        found += fresh.size
        if found >= count:
            break
        tails = np.repeat(fresh, 3)
        tails = tails[degree[tails] > 0]
        ends = np.unique(rows.indices[rows.indptr[tails] + rng.integers(degree[tails])])
        fresh = ends[~is_found[ends]].astype(np.int64)
    vertices = np.flatnonzero(is_found)
    begins, entries, _ = rows_between(rows.indptr, rows.indices, np.empty(0, np.float32), vertices)
    matrix = csr_array((np.ones(entries.size, np.int8), entries, begins), shape=(vertices.size, vertices.size))
    _, label = connected_components(matrix, directed=False)
    largest: Int64s = vertices[label == np.bincount(label).argmax()]
    return largest


@dataclass
class Growth:
    """How CPU seconds grow: by a power of sqrt(n m), for n vertices and m edges, and by one of the budget.

    The power of the budget is that between two runs on one sample, the other one that between the last two samples.
    """

    points: list[tuple[float, float, float]] = field(default_factory=list)
    """(sqrt(n m), choices, CPU seconds) of each run."""
    by_choices: float = 1.0

    def add(self, n: int, m: int, choices: float, seconds: float) -> None:
        self.points.append((sqrt(max(n, 1) * max(m, 1)), choices, max(seconds, 1e-6)))

    def compare_choices(self) -> None:
        """Learn the power of the budget from the last two runs, which were on one sample; the last one counts on."""
        (_, fewer, less), (_, choices, seconds) = self.points[-2:]
        if less >= _MEASURABLE and choices > fewer:
            self.by_choices = float(np.clip(log(seconds / less) / log(choices / fewer), *_POWERS_OF_CHOICES))
        del self.points[-2]

    @property
    def power(self) -> float:
        """Of sqrt(n m); 1 where the samples do not say."""
        if len(self.points) < 2:
            return 1.0
        (before, fewer, less), (size, choices, seconds) = self.points[-2:]
        if less < _MEASURABLE or size <= _ALIKE * before:
            return 1.0
        grown = log(seconds / less) - self.by_choices * log(choices / fewer)
        return float(np.clip(grown / log(size / before), *_POWERS))

    def at(self, n: int, m: int, choices: float, more: float = 0.0) -> float:
        """The seconds for n vertices and m edges, if the power is larger by ``more`` than it seems."""
        size, fewer, seconds = self.points[-1]
        grown = (sqrt(max(n, 1) * max(m, 1)) / size) ** max(self.power + more, _POWERS[0])
        return float(seconds * grown * (choices / fewer) ** self.by_choices)

    def range_at(self, n: int, m: int, choices: float) -> tuple[float, float] | None:
        """At least and at most so many seconds, if the power is off by a third; None with fewer than two samples."""
        if len(self.points) < 2:
            return None
        low, high = (self.at(n, m, choices, more) for more in (-1 / 3, 1 / 3))
        return min(low, high), max(low, high)
