"""Pieces of work shared among processes, here or on a cluster, any of which may die."""

import os
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import chdir, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar

from lense.backends import Backend, Loky
from lense.errors import LenseError

Result = TypeVar("Result")
Piece = tuple[Any, ...]

_OURS = "LENSE_"
_ONE_AT_A_TIME = Lock()
"""Held while a piece runs: a worker with several threads would mix up their folders, and the memory that each takes."""


def run_pieces(
    work: Callable[..., Result],
    pieces: Sequence[Piece],
    jobs: int,
    died: Callable[[Piece], Result],
    place: Backend | None = None,
) -> Generator[Result]:
    """``work(*piece)`` for each of the pieces, ``jobs`` at a time, as they are done.

    They run at ``place``; unless it is given, one job runs in this process, and several in processes of this call's
    own, which end with it. What is sent are the pieces, the working folder and the variables ``LENSE_…``. Where a
    worker dies, its piece is tried again after the others; ``died`` gives the result of one that dies again. What a
    piece raises is raised here.
    """
    if place is not None:
        yield from _run_at(place, work, pieces, jobs, died)
    elif jobs == 1 or len(pieces) <= 1:
        for piece in pieces:
            yield work(*piece)
    else:
        count = min(jobs, len(pieces))
        with closing(Loky(count, Path.cwd())) as own:
            yield from _run_at(own, work, pieces, count, died)


def _run_at(
    place: Backend, work: Callable[..., Result], pieces: Sequence[Piece], jobs: int, died: Callable[[Piece], Result]
) -> Generator[Result]:
    call = Call(work, str(Path.cwd()), _variables(place.threads), place.owner)
    for attempt in range(1, place.tries + 1):
        dead = []
        for piece, answer in _tried(place, call, pieces, jobs if attempt == 1 or place.isolates else 1):
            if answer is None:
                dead.append(piece)
            else:
                yield answer.given()
        pieces = dead
    yield from map(died, pieces)


def _tried(place: Backend, call: "Call", pieces: Sequence[Piece], jobs: int) -> Iterator[tuple[Piece, "Answer | None"]]:
    """Each piece with its answer, as they are done, ``jobs`` at a time; None for one whose worker died."""
    waiting = deque(pieces)
    busy: dict[Future[Any], Piece] = {}
    while waiting or busy:
        while waiting and len(busy) < jobs:
            piece = waiting.popleft()
            busy[place.submit(call, *piece)] = piece
        for future in wait(busy, return_when=FIRST_COMPLETED).done:
            yield busy.pop(future), _answer(future, place)


@dataclass(frozen=True)
class Answer:
    """What a piece returned, or the ``error`` that it raised."""

    result: Any = None
    error: Exception | None = None

    def given(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


@dataclass(frozen=True)
class Call:
    """What is sent with a piece: the work, the folder that paths start from, and variables of the environment.

    The process ends with ``owner``, the number of one on this machine, if that is given.
    """

    work: Callable[..., Any]
    folder: str
    variables: Mapping[str, str] = field(default_factory=dict)
    owner: int | None = None

    def __call__(self, *piece: Any) -> Answer:
        if self.owner is not None:
            _end_with(self.owner)
        try:
            with _ONE_AT_A_TIME, _variables_set(self.variables), _standing_in(self.folder):
                return Answer(self.work(*piece))
        except Exception as error:
            return Answer(error=error)

    def checkpoint(self, *piece: Any) -> Any:
        """What Slurm queues again where it ends a job before its time: submitit asks for this method by its name."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self, *piece)


def _answer(future: "Future[Answer]", place: Backend) -> Answer | None:
    """What a piece came to; None if its worker died."""
    try:
        return future.result()
    except place.deaths:
        return None
    except Exception as error:
        reason = next((line for line in reversed(str(error).splitlines()) if line.strip(" -")), type(error).__name__)
        raise LenseError(
            f"A worker of {place.name} could not take on its work ({reason.strip()}): it needs the same lense, Python "
            "and packages as this process."
        ) from error


def _variables(threads: int) -> dict[str, str]:
    given = {name: value for name, value in os.environ.items() if name.startswith(_OURS)}
    return {**given, f"{_OURS}THREADS": str(threads)}


@contextmanager
def _variables_set(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _standing_in(folder: str) -> Iterator[None]:
    if not os.path.isdir(folder):
        raise LenseError(
            f"The worker on {socket.gethostname()} does not see the folder {folder}: workers must share it."
        )
    with chdir(folder):
        yield


@cache
def _end_with(owner: int) -> None:
    """End this process when the one numbered ``owner`` is gone."""
    Thread(target=_wait_for_end, args=(owner,), daemon=True).start()


def _wait_for_end(owner: int) -> None:
    if hasattr(os, "pidfd_open"):
        watched = select.poll()
        with suppress(ProcessLookupError):  # it is gone already
            watched.register(os.pidfd_open(owner))
            watched.poll()
    else:
        parent = os.getppid()
        while os.getppid() == parent:
            time.sleep(1)
    os._exit(1)
