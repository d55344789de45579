"""Chunks of nogil kernel work in threads, each worker with scratch memory of its own."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Scratch = TypeVar("Scratch")
Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


def num_threads() -> int:
    """``LENSE_THREADS`` if set, else the cores this process may use."""
    wanted = os.environ.get("LENSE_THREADS", "")
    return max(1, int(wanted)) if wanted.isdigit() else len(os.sched_getaffinity(0))


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

    with ThreadPoolExecutor(workers) as pool:
        pending = []
        for chunk in chunks:
            pending.append(pool.submit(run, chunk))
            if len(pending) > 2 * workers:
                yield pending.pop(0).result()
        for future in pending:
            yield future.result()
