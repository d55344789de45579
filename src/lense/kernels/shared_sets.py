"""Reverse-reachable sets held by several processes, each of which maps the graph from disk.

The arcs are written once, and a process is given their path. Process j draws its share of the set numbers and keeps
those sets, compressed. To choose, the processes count the sets of every vertex, and the counts are summed. Then each
choice takes a message that asks for the gains of the few vertices that may be best, and one that says which is chosen.
Set i depends on its number alone, so that the sample, and with it every choice, is that of one process.
"""

import os
import signal
from collections.abc import Iterator
from itertools import pairwise
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Self, cast

import numpy as np

from lense._util.progress import progress
from lense._util.threads import num_threads
from lense._util.types import Int32s, Int64s
from lense.errors import LenseError
from lense.kernels.cascade import Arcs, LiveArcs
from lense.kernels.covering import Cover, lazy_cover
from lense.kernels.packed import PackedChoice
from lense.kernels.rr import ReverseSets, count_hits
from lense.kernels.threshold import PickingArcs

_SPAWN = get_context("spawn")  # threads of numba do not survive a fork
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (LiveArcs, PickingArcs)}


class SharedSets:
    """As :class:`~lense.kernels.rr.ReverseSets`, with the sets in ``processes`` processes; use it in a ``with``.

    ``memory_limit`` is for all of them together.
    """

    def __init__(
        self,
        reverse: Arcs,
        key: np.uint64,
        processes: int,
        memory_limit: float | None = None,
        candidates: Int32s | None = None,
    ) -> None:
        self.reverse = reverse
        self.candidates = np.arange(reverse.num_vertices, dtype=np.int32) if candidates is None else candidates
        self.num_sets = 0
        self.num_members = 0
        self._folder = TemporaryDirectory(prefix="lense-arcs-")
        self._holders: list[tuple[Connection, Any]] = []
        write_arcs(reverse, Path(self._folder.name))
        share = None if memory_limit is None else memory_limit / processes
        threads = max(1, num_threads() // processes)
        for _ in range(processes):
            ours, theirs = _SPAWN.Pipe()
            given = theirs, self._folder.name, type(reverse).__name__, key, share, candidates, threads
            process = _SPAWN.Process(target=_hold, args=given, daemon=True)
            process.start()
            theirs.close()
            self._holders.append((ours, process))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for link, process in self._holders:
            link.close()
            process.kill()
            process.join()
        self._folder.cleanup()

    def __len__(self) -> int:
        return self.num_sets

    def extend_to(self, num_sets: int) -> None:
        """Draw sets until there are ``num_sets``, an equal share of the new ones in each process."""
        if num_sets > self.num_sets:
            with progress("Drawing reverse-reachable sets", num_sets - self.num_sets) as advance:
                asked = [("draw", first, last) for first, last in self._shares(self.num_sets, num_sets)]
                for number, _ in self._as_done(asked):
                    advance(asked[number][2] - asked[number][1])
            self.num_sets = num_sets
            self.num_members = sum(self._ask_all("num_members"))

    def cover(self, budget: int, *, bounded: bool = False) -> Cover:
        """As that of :class:`~lense.kernels.rr.ReverseSets`."""
        held = sum(self._ask_all("num_held"))
        counts = sum(self._ask_all("begin"), np.zeros(self.reverse.num_vertices, np.int64))
        return lazy_cover(self, counts, held, self.candidates, budget, bounded=bounded)

    def gains(self, wanted: Int32s) -> Int64s:
        """How many sets each of the ``wanted`` vertices would hit that are not hit yet, in all processes together."""
        return sum(self._ask_all("gains", wanted), np.zeros(wanted.size, np.int64))

    def strike(self, v: int) -> None:
        """Let all sets of ``v`` be hit."""
        self._ask_all("strike", v)

    def count_hits(self, key: np.uint64, num_sets: int, vertices: Int64s) -> int:
        """:func:`lense.kernels.rr.count_hits` of fresh sets, an equal share in each process."""
        asked = [("count_hits", key, last, vertices, first) for first, last in self._shares(0, num_sets)]
        return sum(hits for _, hits in self._as_done(asked))

    def _shares(self, first: int, last: int) -> list[tuple[int, int]]:
        ends = np.linspace(first, last, len(self._holders) + 1).astype(int).tolist()
        return list(pairwise(ends))

    def _ask_all(self, *request: Any) -> list[Any]:
        return [answer for _, answer in sorted(self._as_done([request] * len(self._holders)), key=lambda one: one[0])]

    def _as_done(self, requests: list[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """The number of each process and its answer to its request, as they come."""
        links = [link for link, _ in self._holders]
        try:
            for link, request in zip(links, requests, strict=True):
                link.send(request)
            waiting = dict(zip(links, range(len(links)), strict=True))
            while waiting:
                for ready in wait(list(waiting)):
                    link = cast(Connection, ready)
                    is_done, answer = link.recv()
                    if not is_done:
                        raise answer
                    yield waiting.pop(link), answer
        except (EOFError, OSError):
            raise LenseError(
                "A process that held reverse-reachable sets has ended, perhaps for want of memory; take fewer "
                "processes, or a larger epsilon."
            ) from None


def write_arcs(arcs: Arcs, folder: Path) -> None:
    """Write the arrays of ``arcs`` to ``folder``."""
    for name, array in arcs._asdict().items():
        np.save(folder / f"{name}.npy", array)


def map_arcs(kind: str, folder: Path) -> Arcs:
    """What :func:`write_arcs` wrote, mapped; nothing is read before it is used, and all processes share the pages."""
    cls = _KINDS[kind]
    # copied on write, as numba would compile anew for arrays that cannot be written
    arrays = [
        np.load(folder / f"{name}.npy", mmap_mode="c", allow_pickle=False)  # noqa: TID251 (unpickles nothing)
        for name in cls._fields
    ]
    mapped: Arcs = cls(*map(np.asarray, arrays))
    return mapped


class _Holder:
    """What a process does with its sets; each method is a request."""

    def __init__(self, sets: ReverseSets) -> None:
        self._sets = sets
        self._choice: PackedChoice | None = None

    def draw(self, first: int, last: int) -> None:
        for _ in self._sets.draw(first, last):
            continue

    def num_members(self) -> int:
        return self._sets.num_members

    def num_held(self) -> int:
        return self._sets.num_held

    def begin(self) -> Int64s:
        self._choice = self._sets.choice()
        return self._sets.counts()

    def gains(self, wanted: Int32s) -> Int64s:
        assert self._choice is not None
        return self._choice.gains(wanted)

    def strike(self, v: int) -> None:
        assert self._choice is not None
        self._choice.strike(v)

    def count_hits(self, key: np.uint64, num_sets: int, vertices: Int64s, start: int) -> int:
        return count_hits(self._sets.reverse, key, num_sets, vertices, start)


def _hold(
    connection: Connection,
    folder: str,
    kind: str,
    key: np.uint64,
    memory_limit: float | None,
    candidates: Int32s | None,
    threads: int,
) -> None:
    """Answer requests until no more come, or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends its processes
    os.environ["LENSE_THREADS"] = str(threads)
    Thread(target=_end_with_parent, daemon=True).start()
    reverse = map_arcs(kind, Path(folder))
    holder = _Holder(ReverseSets(reverse, key, memory_limit, candidates, pack_from=0))
    while True:
        try:
            name, *arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = True, getattr(holder, name)(*arguments)
        except Exception as error:
            answer = False, error
        connection.send(answer)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
