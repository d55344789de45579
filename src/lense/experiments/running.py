"""Pieces of work shared among processes, any of which may die."""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from threading import Thread
from time import sleep
from typing import Any, TypeVar

from lense.threads import num_threads

Result = TypeVar("Result")
Piece = tuple[Any, ...]


def run_pieces(
    work: Callable[..., Result], pieces: Sequence[Piece], jobs: int, died: Callable[[Piece], Result]
) -> Iterator[Result]:
    """``work(*piece)`` for each of the pieces, ``jobs`` at a time, as they are done; with one job in this process.

    Processes are joblib's, and end with this one. If one dies, it is not known which of the pieces under way it was at:
    these are run again, each alone, and ``died`` gives the result of one that dies twice so. What a piece raises is
    raised here.
    """
    if jobs == 1 or len(pieces) == 1:
        yield from (work(*piece) for piece in pieces)
        return
    from joblib import Parallel, delayed

    # joblib replaces a process that holds much memory after its piece, as those with large graphs do
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
    waiting, suspects, died_alone = dict(enumerate(pieces)), 0, set[int]()
    about = max(1, num_threads() // min(jobs, len(pieces))), os.getpid()
    while waiting:
        batch = list(waiting.items())[: 1 if suspects else None]
        tasks = (delayed(_done)(*about, work, number, piece) for number, piece in batch)
        try:
            for number, result in Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
                del waiting[number]
                suspects = max(0, suspects - 1)
                yield result
        except BrokenProcessPool:
            first = batch[0][0]
            if first in died_alone:
                yield died(waiting.pop(first))
            died_alone |= {first} if suspects else set()
            suspects = suspects or 2 * jobs  # as many as joblib sends out in advance


def _done(threads: int, parent: int, work: Callable[..., Result], number: int, piece: Piece) -> tuple[int, Result]:
    os.environ |= dict.fromkeys(("LENSE_THREADS", "OMP_NUM_THREADS"), str(threads))
    _end_with(parent)
    return number, work(*piece)


@cache
def _end_with(parent: int) -> None:
    """End this process as soon as the one that started it is gone, whatever it is doing."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
