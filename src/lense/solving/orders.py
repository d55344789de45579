"""Orders of the vertices of a graph that suit many problems, each a few passes over the edges.

None is best everywhere: PageRank finds the seeds of a contagion, core numbers a dense part, balls of some hops what
reaches far, shortest paths what holds a network together. So all are tried, and the user's objective says which suit.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from lense._util.types import AnyArray, Float64s, Int32s, Int64s, UInt64s
from lense.graph import Graph
from lense.kernels.core import core_numbers
from lense.kernels.orders import count_bits, covering_order, path_counts, widen
from lense.kernels.queues import greedy
from lense.kernels.rows import Adjacency, degrees
from lense.pruners.ranking import largest

_STEPS = 20
"""Of the power iterations."""
_DAMPING = 0.85
_WORDS = 8
"""Of 64 targets each, of which a ball covers some."""
_MOST_HOPS = 24
_MOST_SOURCES = 256
"""Of searches for shortest paths in a round."""
_ROUNDS = 8
"""In which shortest paths are counted anew without the vertices chosen so far."""
_VISITS = 1e8
"""Entries of the adjacency that searches for shortest paths look at in a second."""


_QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.97)
"""Of core numbers and degrees, between which vertices count as alike."""


@dataclass(frozen=True)
class Ordered:
    """The first vertices of the order of that ``name``, best first."""

    name: str
    vertices: Int64s


@dataclass(frozen=True)
class Orders:
    """Orders of the ``allowed`` vertices of a graph, for a budget that buys about ``budget`` of them.

    ``costs`` (n), where vertices have some, divide what an order goes by. ``paths_seconds`` is about what the order by
    shortest paths may take.
    """

    graph: Graph
    budget: int
    allowed: Int64s
    costs: Float64s | None = None
    seed: int = 0
    paths_seconds: float = 0.1

    def __iter__(self) -> Iterator[Ordered]:
        """The orders, the cheapest and those that suit most problems first."""
        for name in self.names:
            vertices = self.make(name)
            if vertices.size:
                yield Ordered(name, vertices)

    @property
    def names(self) -> list[str]:
        return list(self._makers)

    def make(self, name: str) -> Int64s:
        """The vertices of the order of that name; none where it says nothing."""
        return self._makers[name]()

    def seconds(self, name: str) -> float:
        """About what an order takes, by a count of operations."""
        entries = self.graph.incident.indices.size + self.graph.num_vertices
        if name == "shortest paths":
            return min(self.paths_seconds, entries * _ROUNDS * _MOST_SOURCES / _VISITS)
        costly = name.startswith("balls") or name == "wider balls"
        each = 11 * _WORDS if costly else 2 * _STEPS if name.startswith(("PageRank", "eigenvector")) else 10
        return 1e-9 * entries * each

    @cached_property
    def _makers(self) -> dict[str, Callable[[], Int64s]]:
        """How to make each, by its name."""
        both, out, into = self.graph.incident, self.graph.outgoing, self.graph.incoming
        made: dict[str, Callable[[], Int64s]] = {
            "degree": lambda: self._by(np.diff(both.indptr)),
            "PageRank": lambda: self._by(pagerank(both)),
            "core number": self._by_core,
        }
        if self.graph.weights is not None:
            made["weighted degree"] = lambda: self._by(_matrix(both).sum(axis=1))
        if self.graph.directed:
            made["out-degree"] = lambda: self._by(np.diff(out.indptr))
            made["in-degree"] = lambda: self._by(np.diff(into.indptr))
            made["PageRank along arcs"] = lambda: self._by(pagerank(out))
            made["PageRank against arcs"] = lambda: self._by(pagerank(into))
        made |= {
            "balls of 3 hops": lambda: self._by_balls(1),
            "shortest paths": self._by_paths,
            "eigenvector": lambda: self._by(eigenvector(both)),
            "balls of 2 hops": lambda: self._by_balls(0),
            "discounted degree": self._discounted,
            "collective influence": lambda: self._by(collective_influence(both)),
            "balls that cover all": lambda: self._by_balls(2),
            "wider balls": lambda: self._by_balls(3),
        }
        return made

    def by_strata(self, strata: int = 24) -> list[Ordered]:
        """Random orders of vertices of one kind each: alike in core number and degree."""
        rng = np.random.default_rng([self.seed, 0x53])
        core, degree = self._core_numbers[self.allowed], np.diff(self.graph.incident.indptr)[self.allowed]
        rough = [np.digitize(v, np.unique(np.quantile(v, _QUANTILES))) for v in (core, degree)]
        kind = 2 * len(_QUANTILES) * rough[0] + rough[1]
        numbers, counts = np.unique(kind, return_counts=True)
        found = []
        for number in numbers[np.argsort(-counts, kind="stable")][:strata]:
            members = np.flatnonzero(kind == number)
            if members.size >= self.budget:
                name = (
                    f"core number about {np.median(core[members]):.0f}, degree about {np.median(degree[members]):.0f}"
                )
                found.append(Ordered(name, rng.permutation(self.allowed[members])))
        return found

    def _by(self, values: AnyArray) -> Int64s:
        """From the largest value to the smallest."""
        wanted = np.asarray(values, np.float64)[self.allowed]
        if self.costs is not None:
            wanted = wanted / self.costs[self.allowed]
        return self.allowed[largest(wanted, wanted.size)]

    def _by_core(self) -> Int64s:
        return self._by(self._core_numbers + 0.999 * _share(np.diff(self.graph.incident.indptr)))

    @cached_property
    def _core_numbers(self) -> Int32s:
        rows = self.graph.incident
        return core_numbers(rows.indptr, rows.indices, np.arange(self.graph.num_vertices))

    def _discounted(self) -> Int64s:
        """Greedy by degree, where edges to vertices already taken do not count."""
        if self.costs is not None:
            return np.empty(0, np.int64)
        rows = self.graph.incident
        return greedy(rows, degrees(rows.indptr), self.allowed.astype(np.int32), self.allowed.size, 1)

    @cached_property
    def _balls(self) -> list[UInt64s]:
        """(n, w) each: which of some random targets are within 2 and 3 hops, and as far as b balls cover them all."""
        rows, n = self.graph.outgoing, self.graph.num_vertices
        rng = np.random.default_rng([self.seed, 0x42])
        targets = rng.choice(n, min(64 * _WORDS, n), replace=False)
        marks = np.zeros((n, _WORDS), np.uint64)
        marks[targets, np.arange(targets.size) // 64] = np.uint64(1) << (np.arange(targets.size) % 64).astype(np.uint64)
        found: list[UInt64s] = []
        for hops in range(1, _MOST_HOPS):
            marks = widen(rows.indptr, rows.indices, marks)
            covered = self.budget * float(count_bits(marks).mean()) / targets.size
            if hops in (2, 3) or (hops > 3 and covered >= 0.5):
                found.append(marks)
            if hops >= 3 and covered >= 1:
                break
        return found[:4]

    def _by_balls(self, place: int) -> Int64s:
        if place >= len(self._balls):
            return np.empty(0, np.int64)
        prior = np.zeros(self.graph.num_vertices)
        prior[self.allowed] = 1.0 if self.costs is None else 1 / self.costs[self.allowed]
        order = covering_order(self._balls[place], prior, min(32 * self.budget, self.allowed.size))
        return order[prior[order] > 0]

    def _by_paths(self) -> Int64s:
        """The vertices that most shortest paths pass, in rounds, each without those chosen before."""
        rows, n = self.graph.outgoing, self.graph.num_vertices
        sources = int(self.paths_seconds * _VISITS / _ROUNDS / max(rows.indices.size + n, 1))
        if sources < 4:
            return np.empty(0, np.int64)
        rng = np.random.default_rng([self.seed, 0x50])
        is_gone, chosen = np.zeros(n, np.bool_), []
        size = -(-self.budget // _ROUNDS)
        barred = np.ones(n, np.bool_)
        barred[self.allowed] = False
        for _ in range(_ROUNDS):
            drawn = rng.choice(n, min(sources, n, _MOST_SOURCES), replace=False)
            counts = path_counts(rows.indptr, rows.indices, drawn, is_gone)
            if self.costs is not None:
                counts /= self.costs
            counts[is_gone | barred] = -1
            top = largest(counts, self.allowed.size)
            top = top[counts[top] > 0]
            chosen.append(top[:size])
            is_gone[top[:size]] = True
        return np.concatenate([*chosen, top[size:]])


def pagerank(rows: Adjacency) -> Float64s:
    """(n): the share of a random walk's steps at each vertex, where 15 % of the steps start anywhere."""
    matrix, n = _matrix(rows), rows.indptr.size - 1
    out = matrix.sum(axis=1)
    step = matrix.T.tocsr()
    share = np.divide(1.0, out, out=np.zeros(n), where=out > 0)
    rank = np.full(n, 1 / n)
    for _ in range(_STEPS):
        rank = _DAMPING * (step @ (rank * share)) + (1 - _DAMPING) / n
    return rank


def eigenvector(rows: Adjacency) -> Float64s:
    """(n): about the leading eigenvector of the adjacency matrix."""
    matrix, n = _matrix(rows), rows.indptr.size - 1
    x = np.full(n, n**-0.5)
    for _ in range(_STEPS):
        x = x + matrix @ x
        x /= np.linalg.norm(x)
    return x


def collective_influence(rows: Adjacency) -> Float64s:
    """(n): (d(v) - 1) times the sum of d(u) - 1 over the neighbours u, of Morone and Makse (2015), within one hop."""
    less = np.maximum(np.diff(rows.indptr) - 1, 0).astype(np.float64)
    ones = csr_array((np.ones(rows.indices.size), rows.indices, rows.indptr), shape=(less.size, less.size))
    found: Float64s = less * (ones @ less)
    return found


def _matrix(rows: Adjacency) -> csr_array:
    n = rows.indptr.size - 1
    values = np.ones(rows.indices.size) if rows.weights is None else np.abs(rows.weights.astype(np.float64))
    return csr_array((values, rows.indices, rows.indptr), shape=(n, n))


def _share(values: AnyArray) -> Float64s:
    return np.asarray(values, np.float64) / max(float(values.max(initial=0)), 1.0)
