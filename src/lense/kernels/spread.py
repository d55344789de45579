"""How far a seed set reaches in each of a fixed list of live-edge worlds."""

from math import ceil

import numpy as np

from lense.counter import substream
from lense.jit import kernel
from lense.kernels.cascade import BLOCKED, Arcs, Scratch, begin_search, grow, new_scratch
from lense.progress import progress
from lense.statistics import standard_error
from lense.threads import chunks, map_chunks
from lense.types import Int32s, Int64s

_WORLDS_PER_CHUNK = 64
_MOST_WORLDS = 2**40
_MARGIN = 1.05


@kernel
def _reached(live: Arcs, key: np.uint64, first: int, last: int, seeds: Int64s, scratch: Scratch) -> Int64s:
    sizes = np.empty(last - first, np.int64)
    for world in range(first, last):
        stamp = begin_search(scratch)
        tail = 0
        for v in seeds:
            if scratch.mark[v] != stamp:
                scratch.mark[v] = stamp
                scratch.queue[tail] = v
                tail += 1
        sizes[world - first] = grow(live, substream(key, world), scratch, tail)
    return sizes


def reached_per_world(live: Arcs, seeds: Int64s, num_worlds: int, key: np.uint64, precision: float = 0.0) -> Int64s:
    """Vertices reached from ``seeds`` in worlds 0, 1, ... of ``key``, in threads: (w,), with w at most ``num_worlds``.

    There are 64 worlds at first, and then as many as it takes for the standard error of the mean to be at most
    ``precision`` times the mean.
    """

    def work(scratch: Scratch, span: tuple[int, int]) -> Int64s:
        sizes: Int64s = _reached(live, key, span[0], span[1], seeds, scratch)
        return sizes

    found = np.empty(0, np.int64)
    with progress("Simulating cascades", num_worlds) as advance:
        while found.size < (wanted := min(num_worlds, _worlds_for(found, precision))):
            parts = [found]
            spans = chunks(wanted, _WORLDS_PER_CHUNK, start=found.size)
            for part in map_chunks(work, spans, lambda: new_scratch(live.num_vertices)):
                parts.append(part)
                advance(part.size)
            found = np.concatenate(parts)
    return found


def _worlds_for(sizes: Int64s, precision: float) -> int:
    """How many worlds are precise enough, by the sizes (w,) that cascades have in the first of them."""
    if precision <= 0:
        return _MOST_WORLDS
    if not sizes.size:
        return _WORLDS_PER_CHUNK
    excess = (standard_error(sizes) or 0.0) / (precision * float(sizes.mean()))
    return sizes.size if excess <= 1 else min(_MOST_WORLDS, ceil(_MARGIN * sizes.size * excess**2))


@kernel
def _gains(live: Arcs, key: np.uint64, first: int, last: int, marks: Int32s, stamps: Int32s, roots: Int64s) -> Int64s:
    """For each root, the vertices it adds to those blocked, summed over worlds first..last - 1."""
    queue = np.empty(live.vertices.size + 1, np.int32)
    gains = np.zeros(roots.size, np.int64)
    for world in range(first, last):
        scratch = Scratch(queue, marks[world], stamps[world])
        world_key = substream(key, world)
        for r in range(roots.size):
            root = roots[r]
            if scratch.mark[root] != BLOCKED:
                scratch.mark[root] = begin_search(scratch)
                queue[0] = root
                gains[r] += grow(live, world_key, scratch, 1)
    return gains


@kernel
def _block_reached(live: Arcs, key: np.uint64, marks: Int32s, stamps: Int32s, root: int) -> None:
    queue = np.empty(live.vertices.size + 1, np.int32)
    for world in range(marks.shape[0]):
        scratch = Scratch(queue, marks[world], stamps[world])
        if scratch.mark[root] != BLOCKED:
            scratch.mark[root] = begin_search(scratch)
            queue[0] = root
            for i in range(grow(live, substream(key, world), scratch, 1)):
                scratch.mark[queue[i]] = BLOCKED


class WorldGains:
    """Marginal spread on fixed worlds: what a vertex adds to the vertices already reached in each of them.

    Vertices already reached are blocked, since what lies behind them is reached too. Keeps four bytes per vertex and
    world, so it is meant for small graphs.
    """

    def __init__(self, live: Arcs, num_worlds: int, key: np.uint64) -> None:
        self.live = live
        self.key = key
        self._marks = np.zeros((num_worlds, live.num_vertices), np.int32)
        self._stamps = np.zeros((num_worlds, 1), np.int32)

    def of(self, roots: Int64s) -> Int64s:
        """For each of ``roots``, the vertices it would newly reach, summed over the worlds."""

        def work(_scratch: None, span: tuple[int, int]) -> tuple[Int64s, int]:
            return _gains(self.live, self.key, span[0], span[1], self._marks, self._stamps, roots), span[1] - span[0]

        total = np.zeros(roots.size, np.int64)
        with progress("First look at every vertex" if roots.size > 1000 else "Gains", len(self._stamps)) as advance:
            for gains, done in map_chunks(work, chunks(len(self._stamps), _WORLDS_PER_CHUNK), lambda: None):
                total += gains
                advance(done)
        return total

    def add(self, root: int) -> None:
        """Let ``root`` and all it reaches count as reached."""
        _block_reached(self.live, self.key, self._marks, self._stamps, root)
