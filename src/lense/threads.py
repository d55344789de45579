"""Chunks of nogil kernel work in threads, each worker with scratch memory of its own."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from queue import SimpleQueue
from typing import TypeVar

from lense.errors import LenseError

Scratch = TypeVar("Scratch")
Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


def num_threads() -> int:
    """``LENSE_THREADS`` if set, else the cores this process may use."""
    wanted = os.environ.get("LENSE_THREADS", "")
    if wanted and not (wanted.isdigit() and int(wanted) > 0):
        raise LenseError(f"LENSE_THREADS must be a whole number above 0, not '{wanted}'.")
    return int(wanted) if wanted else available_cores()


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chunks(total: int, size: int, start: int = 0) -> Iterator[tuple[int, int]]:
    """Half-open ranges of at most ``size`` numbers that cover start..total - 1."""
    return ((first, min(first + size, total)) for first in range(start, total, size))


def map_chunks(
    work: Callable[[Scratch, Chunk], Result], chunks: Iterable[Chunk], make_scratch: Callable[[], Scratch]
) -> Iterator[Result]:
    """``work(scratch, chunk)`` for each chunk, results in the order of the chunks, a few chunks ahead at most."""
    workers = num_threads()
    idle: SimpleQueue[Scratch] = SimpleQueue()
    for _ in range(workers):
        idle.put(make_scratch())

    def run(chunk: Chunk) -> Result:
        scratch = idle.get()
        try:
            return work(scratch, chunk)
        finally:
            idle.put(scratch)

    pending: deque[Future[Result]] = deque()
    try:
        for chunk in chunks:
            pending.append(_pool(workers).submit(run, chunk))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Threads that stay: starting them anew would cost small jobs more than the work itself."""
    return ThreadPoolExecutor(workers, thread_name_prefix="lense")
