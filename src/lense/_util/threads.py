"""Chunks of nogil kernel work in threads, each worker with scratch memory of its own."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from threading import Lock
from typing import TypeVar, cast

from lense.errors import LenseError

Scratch = TypeVar("Scratch")
Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

_MOST_THREADS = 256
_MOST_DIGITS = 9


def num_threads() -> int:
    """``LENSE_THREADS`` if set, else the cores this process may use."""
    wanted = os.environ.get("LENSE_THREADS", "")
    if wanted and not (wanted.isascii() and wanted.isdecimal() and len(wanted) <= _MOST_DIGITS and int(wanted) > 0):
        raise LenseError(f"LENSE_THREADS must be a whole number above 0, not '{wanted}'.")
    return min(int(wanted) if wanted else available_cores(), _MOST_THREADS)


def limit_libraries() -> None:
    """Let BLAS and OpenMP, which numpy, scipy and torch bring along, use one thread and never wait actively.

    Whoever wants several threads for a large operation asks for as many as :func:`num_threads` says. It must be called
    before those libraries are loaded; what the user's environment says is left alone.
    """
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def one_blas_thread() -> AbstractContextManager[object]:
    """Let numpy's linear algebra use one thread meanwhile, for small matrices.

    Its threads wait actively for each other, and beside a busy process that takes many times as long as the work.
    """
    from threadpoolctl import threadpool_limits

    limited: AbstractContextManager[object] = threadpool_limits(1, "blas")
    return limited


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chunks(total: int, largest: int, start: int = 0) -> Iterator[tuple[int, int]]:
    """Half-open ranges that cover start..total - 1: four for each thread, or as many more as keep to ``largest``."""
    size = max(1, min(largest, -(-(total - start) // (4 * num_threads()))))
    return ((first, min(first + size, total)) for first in range(start, total, size))


def map_chunks(
    work: Callable[[Scratch, Chunk], Result], chunks: Iterable[Chunk], make_scratch: Callable[[], Scratch]
) -> Iterator[Result]:
    """``work(scratch, chunk)`` for each chunk, results in the order of the chunks.

    The caller's own thread works too, between the results it takes, so that a small job does not wait for others to
    wake up. When the caller stops taking results, no other chunk is started.
    """
    lock = Lock()
    waiting = enumerate(chunks)
    results: dict[int, Result] = {}
    stopped = False

    def work_off(scratch: Scratch) -> bool:
        with lock:
            number, chunk = (None, None) if stopped else next(waiting, (None, None))
        if number is None:
            return False
        results[number] = work(scratch, cast(Chunk, chunk))
        return True

    def help_out() -> None:
        scratch = make_scratch()
        while work_off(scratch):
            continue

    helpers = [_pool().submit(help_out) for _ in range(num_threads() - 1)]
    given = 0
    try:
        scratch = make_scratch()
        while work_off(scratch):
            while given in results:
                yield results.pop(given)
                given += 1
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        for number in sorted(results):
            yield results.pop(number)
    except SystemError as error:
        if _was_interrupt(error):
            raise KeyboardInterrupt from None
        raise
    finally:
        stopped = True
        wait(helpers)


def _was_interrupt(error: BaseException | None) -> bool:
    """Whether an interrupt inside a compiled kernel caused ``error``, which numba reports as one of its own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads that stay: starting them anew would cost small jobs more than the work itself."""
    return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="lense")
