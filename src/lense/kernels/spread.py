"""How far a seed set reaches in each of a fixed list of live-edge worlds."""

import numpy as np

from lense._util.jit import kernel
from lense._util.progress import progress
from lense._util.random_streams import substream
from lense._util.threads import chunks, map_chunks
from lense._util.types import Bools, Float64s, Int32s, Int64s
from lense.kernels.cascade import BLOCKED, Arcs, Scratch, begin_search, grow, new_scratch
from lense.kernels.rows import Adjacency, entry_weight

_WORLDS_PER_CHUNK = 64


@kernel
def _reached(
    live: Arcs, key: np.uint64, first: int, last: int, seeds: Int64s, scratch: Scratch, visits: Int64s
) -> Int64s:
    sizes = np.empty(last - first, np.int64)
    for world in range(first, last):
        stamp = begin_search(scratch)
        tail = 0
        for v in seeds:
            if scratch.mark[v] != stamp:
                scratch.mark[v] = stamp
                scratch.queue[tail] = v
                tail += 1
        tail = grow(live, substream(key, world), scratch.queue, scratch.mark, stamp, 0, tail)
        sizes[world - first] = tail
        for v in scratch.queue[:tail]:
            visits[v] += 1
    return sizes


class SpreadSample:
    """Cascades from ``seeds`` in worlds 0, 1, ... of ``key``, simulated in threads.

    ``sizes`` (w) are the vertices reached in each world, ``visits`` (n) the number of worlds that reach each vertex.
    """

    def __init__(self, live: Arcs, seeds: Int64s, key: np.uint64) -> None:
        self.live, self.seeds, self.key = live, seeds, key
        self.sizes = np.empty(0, np.int64)
        self.visits = np.zeros(live.vertices.size, np.int64)

    def extend_to(self, num_worlds: int) -> None:
        """Simulate worlds until there are ``num_worlds``."""
        counts: list[Int64s] = []

        def new_worker() -> tuple[Scratch, Int64s]:
            counts.append(np.zeros_like(self.visits))
            return new_scratch(self.live.vertices.size), counts[-1]

        def work(worker: tuple[Scratch, Int64s], span: tuple[int, int]) -> Int64s:
            return _reached(self.live, self.key, *span, self.seeds, *worker)

        parts = [self.sizes]
        with progress("Simulating cascades", num_worlds - self.sizes.size) as advance:
            for part in map_chunks(work, chunks(num_worlds, _WORLDS_PER_CHUNK, self.sizes.size), new_worker):
                parts.append(part)
                advance(part.size)
        self.sizes = np.concatenate(parts)
        self.visits = sum(counts, self.visits)


def reached_per_world(live: Arcs, seeds: Int64s, num_worlds: int, key: np.uint64) -> Int64s:
    """Vertices reached from ``seeds`` in the first ``num_worlds`` worlds of ``key`` (w)."""
    sample = SpreadSample(live, seeds, key)
    sample.extend_to(num_worlds)
    return sample.sizes


@kernel
def reachable(out: Adjacency, seeds: Int64s, probability: float) -> Bools:
    """(n): whether ``seeds`` reach each vertex along arcs of at least that ``probability``."""
    found = np.zeros(out.indptr.size - 1, np.bool_)
    queue = np.empty(found.size, np.int64)
    tail = 0
    for v in seeds:
        found[v] = True
        queue[tail] = v
        tail += 1
    head = 0
    while head < tail:
        v = queue[head]
        head += 1
        for a in range(out.indptr[v], out.indptr[v + 1]):
            w = out.indices[a]
            if entry_weight(out.weights, a) >= probability and not found[w]:
                found[w] = True
                queue[tail] = w
                tail += 1
    return found


def arrival_rates(out: Adjacency, shares: Float64s) -> Float64s:
    """(n): the live arcs that enter each vertex in a world, in the mean, if v is reached in ``shares[v]`` of them."""
    assert out.weights is not None
    arriving = np.repeat(shares, np.diff(out.indptr)) * out.weights
    return np.bincount(out.indices, arriving, shares.size).astype(np.float64, copy=False)


@kernel
def _gains(
    live: Arcs, key: np.uint64, first: int, last: int, marks: Int32s, stamps: Int32s, roots: Int64s, blocks: bool
) -> Int64s:
    """For each root, what it adds to the vertices blocked in worlds first..last - 1; ``blocks`` that, too."""
    queue = np.empty(live.vertices.size + 1, np.int32)
    gains = np.zeros(roots.size, np.int64)
    for world in range(first, last):
        mark = marks[world]
        scratch = Scratch(queue, mark, stamps[world])
        world_key = substream(key, world)
        for r in range(roots.size):
            root = roots[r]
            if mark[root] != BLOCKED:
                stamp = begin_search(scratch)
                mark[root], queue[0] = stamp, root
                reached = grow(live, world_key, queue, mark, stamp, 0, 1)
                gains[r] += reached
                if blocks:
                    for v in queue[:reached]:
                        mark[v] = BLOCKED
    return gains


class WorldGains:
    """Marginal spread on fixed worlds: what a vertex adds to the vertices already reached in each of them.

    Vertices already reached are blocked, since what lies behind them is reached too. Keeps four bytes per vertex and
    world, so it is meant for small graphs.
    """

    def __init__(self, live: Arcs, num_worlds: int, key: np.uint64) -> None:
        self.live = live
        self.key = key
        self._marks = np.zeros((num_worlds, live.vertices.size), np.int32)
        self._stamps = np.zeros((num_worlds, 1), np.int32)

    def of(self, roots: Int64s) -> Int64s:
        """For each of ``roots``, the vertices it would newly reach, summed over the worlds."""

        def work(_scratch: None, span: tuple[int, int]) -> tuple[Int64s, int]:
            return _gains(self.live, self.key, *span, self._marks, self._stamps, roots, False), span[1] - span[0]

        total = np.zeros(roots.size, np.int64)
        with progress("First look at every vertex" if roots.size > 1000 else "Gains", len(self._stamps)) as advance:
            for gains, done in map_chunks(work, chunks(len(self._stamps), _WORLDS_PER_CHUNK), lambda: None):
                total += gains
                advance(done)
        return total

    def add(self, root: int) -> None:
        """Let ``root`` and all it reaches count as reached."""
        _gains(self.live, self.key, 0, len(self._stamps), self._marks, self._stamps, np.array([root]), True)
