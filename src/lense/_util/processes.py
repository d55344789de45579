"""Share pieces of work among processes of this machine (loky) or the workers of a Dask cluster; any of them may die.

joblib's ``Parallel`` is not used: with loky, one dead worker ends all pieces under way there, and nothing says which of
them it was.
"""

import ctypes
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import chdir, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread
from typing import Any, ClassVar, Protocol, TypeVar

from lense._util.dask_cluster import DaskCluster
from lense._util.threads import num_threads
from lense.errors import LenseError, choose

Result = TypeVar("Result")
Piece = tuple[Any, ...]

_OURS = "LENSE_"
_ONE_AT_A_TIME = Lock()
"""Held while a piece runs: a worker with several threads would mix up their folders, and the memory that each takes."""
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""
_TRIES = 2
"""How often a piece is submitted whose worker dies."""

_CLEANED_UP = "ignore:resource_tracker:UserWarning"


class Backend(Protocol):
    """Workers that run calls, each with a number of ``threads``; ``owner`` is the process that they end with."""

    name: ClassVar[str]
    isolates: bool
    """Whether a worker that dies ends the call that it runs alone, and none that wait for it."""
    deaths: tuple[type[BaseException], ...]
    """What the future of a call raises whose worker died."""
    threads: int
    owner: int | None

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "Future[Any]": ...

    def close(self) -> None:
        """End what is under way, and all that was started for it."""


class Loky:
    """Processes of this machine by joblib's loky, in pools of one each, so that a dead one takes no other with it."""

    name: ClassVar[str] = "loky"
    isolates: bool = True

    def __init__(self, count: int) -> None:
        # a process of loky's deletes what a killed command left; without this it warns below the command's last line
        filters = os.environ.get("PYTHONWARNINGS", "").split(",")
        os.environ["PYTHONWARNINGS"] = ",".join(one for one in {**dict.fromkeys(filters), _CLEANED_UP: None} if one)
        self._loky: Any = import_module("joblib.externals.loky")
        executor: Any = import_module("joblib.externals.loky.process_executor")
        self.deaths: tuple[type[BaseException], ...] = (executor.TerminatedWorkerError,)
        self.threads = threads_here(count)
        self.owner: int | None = os.getpid()
        self._pools: dict[Any, Future[Any]] = {}
        """With the last call of each."""

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        pool = self._idle_pool()
        self._pools[pool] = pool.submit(call, *arguments)
        return self._pools[pool]

    def close(self) -> None:
        for pool in self._pools:
            pool.shutdown(kill_workers=True)

    def _idle_pool(self) -> Any:
        for pool, last in list(self._pools.items()):
            if last.done() and last.exception() is None:
                return pool
            if last.done():
                del self._pools[pool]
        variables = dict.fromkeys(("LENSE_THREADS", "OMP_NUM_THREADS"), str(self.threads))
        return self._loky.ProcessPoolExecutor(1, initializer=_as_child, initargs=(self.owner,), env=variables)


class Dask:
    """The workers of a Dask cluster, which runs the tasks of a dead worker again: three times unless configured.

    All tasks that a worker had count as its death's cause, also those that it had not begun.
    """

    name: ClassVar[str] = "dask"
    isolates: bool = False
    owner: int | None = None

    def __init__(self, count: int) -> None:
        self._cluster = DaskCluster("--backend dask", count, memory_limit=0)
        distributed: Any = import_module("distributed")
        self.deaths: tuple[type[BaseException], ...] = (distributed.KilledWorker,)
        self.threads = threads_here(count) if self._cluster.is_local else threads_there()
        self._executor: Any = self._cluster.client.get_executor(pure=False)

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        future: Future[Any] = self._executor.submit(call, *arguments)
        return future

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._cluster.close()


BACKENDS: dict[str, Callable[[int], Backend]] = {one.name: one for one in (Loky, Dask)}


def start_backend(name: str, count: int) -> Backend:
    """Start workers for ``count`` calls at a time."""
    return choose(name, BACKENDS, "backend")(count)


def threads_here(count: int) -> int:
    """The threads of each of ``count`` processes that share this machine."""
    return max(1, num_threads() // count)


def threads_there() -> int:
    """The threads of a worker elsewhere: as many as were asked for, else one."""
    return num_threads() if os.environ.get("LENSE_THREADS") else 1


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
        with closing(Loky(count)) as own:
            yield from _run_at(own, work, pieces, count, died)


def _run_at(
    place: Backend, work: Callable[..., Result], pieces: Sequence[Piece], jobs: int, died: Callable[[Piece], Result]
) -> Generator[Result]:
    call = Call(work, str(Path.cwd()), _variables(place.threads), place.owner)
    for attempt in range(1, _TRIES + 1):
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


def _as_child(parent: int) -> None:
    """Leave interrupts to the parent, which ends its processes, and let the system kill this one when it is gone: a
    thread that watches may have to wait long for its turn while a library works.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # it was gone before
