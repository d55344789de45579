"""Pieces of work shared among processes, any of which may die."""

import ctypes
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any, TypeVar, cast

from lense.threads import num_threads

Result = TypeVar("Result")
Piece = tuple[Any, ...]

_TRIES = 2
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""
_SPAWN = get_context("spawn")  # threads of torch and numba do not survive a fork


def run_pieces(
    work: Callable[..., Result], pieces: Sequence[Piece], jobs: int, died: Callable[[Piece], Result]
) -> Iterator[Result]:
    """``work(*piece)`` for each of the pieces, ``jobs`` at a time, as they are done; with one job in this process.

    Processes are this call's own, and end with it or with this process. One that dies is replaced, and its piece tried
    again; ``died`` gives the result of a piece that dies twice. What a piece raises is raised here.
    """
    if jobs == 1 or len(pieces) == 1:
        for piece in pieces:
            yield work(*piece)
        return
    count = min(jobs, len(pieces))
    waiting = deque((piece, 1) for piece in pieces)
    workers = [_Worker(max(1, num_threads() // count)) for _ in range(count)]
    busy: dict[Connection, tuple[_Worker, Piece, int]] = {}
    try:
        while waiting or busy:
            while waiting and workers:
                worker, (piece, attempt) = workers.pop(), waiting.popleft()
                worker.connection.send((work, piece))
                busy[worker.connection] = worker, piece, attempt
            for ready in wait(list(busy)):
                link = cast(Connection, ready)  # of a type of its own on Windows
                worker, piece, attempt = busy.pop(link)
                try:
                    is_done, answer = link.recv()
                except (EOFError, OSError):
                    worker.end()
                    workers.append(_Worker(worker.threads))
                    if attempt < _TRIES:
                        waiting.append((piece, attempt + 1))
                    else:
                        yield died(piece)
                    continue
                workers.append(worker)
                if not is_done:
                    raise answer
                yield answer
    finally:
        for worker in [*workers, *(worker for worker, *_ in busy.values())]:
            worker.end()


class _Worker:
    """A process that does one piece after another."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(theirs, threads))
        self._process.start()
        theirs.close()

    def end(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()


def _serve(connection: Connection, threads: int) -> None:
    """Work off what comes until nothing more comes, or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends its processes
    _die_with_parent()
    os.environ |= dict.fromkeys(("LENSE_THREADS", "OMP_NUM_THREADS"), str(threads))
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            work, piece = connection.recv()
        except EOFError:
            return
        try:
            answer = True, work(*piece)
        except Exception as error:
            answer = False, error
        connection.send(answer)


def _die_with_parent() -> None:
    """Let the system kill this process when its parent is gone, if the system does so: a thread may have to wait long
    for its turn while a library works.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        parent = parent_process()
        if parent is not None and os.getppid() != parent.pid:
            os._exit(1)  # it was gone before


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
