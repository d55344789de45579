"""Share pieces of work among processes of this machine (loky) or the workers of a Dask cluster; any of them may die.

joblib's ``Parallel`` is not used: with loky, one dead worker ends all pieces under way there, and nothing says which of
them it was. Here, each thread of this process hands one piece at a time to a worker and waits for its answer.
"""

import ctypes
import logging
import os
import signal
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, chdir, closing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread, local
from typing import Any, ClassVar, TypeVar

from lense._util.threads import num_threads
from lense.errors import LenseError, choose

Result = TypeVar("Result")
Piece = tuple[Any, ...]

_OURS = "LENSE_"
_ONE_AT_A_TIME = Lock()
"""Held while a piece runs: a worker with several threads would mix up their folders, and the memory that each takes."""
_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""
_CLEANED_UP = "ignore:resource_tracker:UserWarning"
_SECONDS_TO_CONNECT = 10


@dataclass(frozen=True)
class Outcome:
    """What a piece returned, or the ``error`` that it raised."""

    result: Any = None
    error: Exception | None = None

    def get(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


@dataclass(frozen=True)
class Call:
    """What is sent with a piece: the work, the folder that paths start from, and variables of the environment."""

    work: Callable[..., Any]
    folder: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *piece: Any) -> Outcome:
        try:
            with _ONE_AT_A_TIME, _variables_set(self.variables):
                if not os.path.isdir(self.folder):
                    raise LenseError(
                        f"The worker on {socket.gethostname()} does not see the folder {self.folder}: "
                        "workers must share it."
                    )
                with chdir(self.folder):
                    return Outcome(self.work(*piece))
        except Exception as error:
            return Outcome(error=error)


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


class Backend(ABC):
    """Workers that run calls, ``count`` at a time and each with so many ``threads``."""

    name: ClassVar[str]
    deaths: tuple[type[BaseException], ...]
    """What is raised where a worker died."""

    def __init__(self, count: int, threads: int) -> None:
        self.threads = threads
        self._waiting = ThreadPoolExecutor(count)

    def submit(self, call: Call, piece: Piece) -> "Future[Outcome | None]":
        """Run the piece when a worker is free; None is the outcome where that worker dies."""
        return self._waiting.submit(self._outcome, call, piece)

    def close(self) -> None:
        """End what is under way, and everything that was started for it."""
        self._waiting.shutdown(wait=False, cancel_futures=True)

    @abstractmethod
    def _run(self, call: Call, piece: Piece) -> Outcome: ...

    def _outcome(self, call: Call, piece: Piece) -> Outcome | None:
        try:
            return self._run(call, piece)
        except self.deaths:
            return None
        except Exception as error:
            reason = next((line for line in reversed(str(error).splitlines()) if line.strip(" -")), repr(error))
            raise LenseError(
                f"A worker of {self.name} could not take on its work ({reason.strip()}): it needs the same lense, "
                "Python and packages as this process."
            ) from error


class Loky(Backend):
    """Processes of this machine by joblib's loky, in pools of one each, so that a dead one takes no other with it."""

    name = "loky"

    def __init__(self, count: int) -> None:
        # a process of loky's deletes what a killed command left; without this it warns below the command's last line
        filters = os.environ.get("PYTHONWARNINGS", "").split(",")
        os.environ["PYTHONWARNINGS"] = ",".join(one for one in {**dict.fromkeys(filters), _CLEANED_UP: None} if one)
        self._loky: Any = import_module("joblib.externals.loky")
        self.deaths = (import_module("joblib.externals.loky.process_executor").TerminatedWorkerError,)
        super().__init__(count, max(1, num_threads() // count))
        self._here, self._lock, self._is_closed = local(), Lock(), False
        self._pools: set[Any] = set()

    def close(self) -> None:
        super().close()
        with self._lock:
            self._is_closed = True
            for pool in self._pools:
                pool.shutdown(kill_workers=True)

    def _run(self, call: Call, piece: Piece) -> Outcome:
        pool = self._pool()
        try:
            outcome: Outcome = pool.submit(call, *piece).result()
        except BaseException:  # which may have broken the pool
            del self._here.pool
            pool.shutdown(wait=False, kill_workers=True)
            raise
        return outcome

    def _pool(self) -> Any:
        """The pool of this thread, which lives as long as the backend: the system ends a process with the thread that
        started it.
        """
        if not hasattr(self._here, "pool"):
            variables = dict.fromkeys(("LENSE_THREADS", "OMP_NUM_THREADS"), str(self.threads))
            with self._lock:
                if self._is_closed:
                    raise InterruptedError
                self._here.pool = self._loky.ProcessPoolExecutor(
                    1, initializer=_as_child, initargs=(os.getpid(),), env=variables
                )
                self._pools.add(self._here.pool)
        return self._here.pool


def _as_child(parent: int) -> None:
    """Leave interrupts to the parent, which ends its processes, and end this one when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "linux":
        Thread(target=_end_after, args=(parent,), daemon=True).start()
        return
    # not by a thread, which may have to wait long for its turn while a library works
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it was gone before


def _end_after(parent: int) -> None:
    import psutil

    with suppress(psutil.NoSuchProcess):
        psutil.Process(parent).wait()
    os._exit(1)


class Dask(Backend):
    """The workers of a Dask cluster, which runs the tasks of a dead worker again: three times unless configured.

    All tasks that a worker had count as its death's cause, also those that it had not begun.
    """

    name = "dask"

    def __init__(self, count: int) -> None:
        self._opened = ExitStack()
        client, is_local = self._opened.enter_context(dask_client("--backend dask", count, memory_limit=0))
        self.deaths = (import_module("distributed").KilledWorker,)
        elsewhere = num_threads() if os.environ.get("LENSE_THREADS") else 1
        super().__init__(count, max(1, num_threads() // count) if is_local else elsewhere)
        self._executor: Any = client.get_executor(pure=False)

    def close(self) -> None:
        super().close()
        self._executor.shutdown(wait=False)
        self._opened.close()

    def _run(self, call: Call, piece: Piece) -> Outcome:
        outcome: Outcome = self._executor.submit(call, *piece).result()
        return outcome


@contextmanager
def dask_client(
    who: str, workers: int, address: str | None = None, memory_limit: str | int = "auto"
) -> Iterator[tuple[Any, bool]]:
    """A client of a Dask scheduler, and whether its workers were started here.

    The scheduler is the one at ``address``; else the one that this program has a ``distributed.Client`` of; else the
    one that Dask's configuration names (``DASK_SCHEDULER_ADDRESS``); else one with so many ``workers`` on this machine,
    which end with the context. ``who`` asks for it. ``memory_limit`` is what Dask allows each worker on this machine.
    """
    try:
        distributed: Any = import_module("distributed")
        dask: Any = import_module("dask")
    except ModuleNotFoundError as error:
        raise LenseError(f"{who} needs Dask: install lense[dask].") from error
    logging.getLogger("distributed").setLevel(logging.ERROR)  # which speaks of every worker that comes and goes
    client: Any = None
    if address is None:
        with suppress(ValueError):
            client = distributed.default_client()
    address = address or dask.config.get("scheduler-address", None)
    is_local = client is None and address is None
    with ExitStack() as opened:
        try:
            if client is None:
                options = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": memory_limit}
                quiet = {"dashboard_address": ":0", "silence_logs": logging.ERROR}
                cluster = address or opened.enter_context(distributed.LocalCluster(**options, **quiet, processes=True))
                client = opened.enter_context(distributed.Client(cluster, timeout=_SECONDS_TO_CONNECT))
        except (OSError, TimeoutError, ValueError) as error:
            raise LenseError(f"There is no Dask scheduler at {address}: start one with 'dask scheduler'.") from error
        if not is_local and not client.scheduler_info()["workers"]:
            raise LenseError(f"The Dask scheduler at {address} has no workers: start some with 'dask worker'.")
        yield client, is_local


BACKENDS: dict[str, Callable[[int], Backend]] = {one.name: one for one in (Loky, Dask)}


def start_backend(name: str, count: int) -> Backend:
    """Start workers for ``count`` calls at a time."""
    return choose(name, BACKENDS, "backend")(count)


def run_pieces(
    work: Callable[..., Result],
    pieces: Sequence[Piece],
    jobs: int,
    died: Callable[[Piece], Result],
    place: Backend | None = None,
) -> Generator[Result]:
    """``work(*piece)`` for each of the pieces, as they are done.

    They run at ``place``; unless it is given, one job runs in this process, and several in so many processes of this
    call, which end with it. What is sent are the pieces, the working folder and the variables ``LENSE_…``. Where a
    worker dies, its piece is tried again, alone, after the others; ``died`` gives the result of one that dies again.
    What a piece raises is raised here.
    """
    if place is not None:
        yield from _run_at(place, work, pieces, died)
    elif jobs == 1 or len(pieces) <= 1:
        for piece in pieces:
            yield work(*piece)
    else:
        with closing(Loky(min(jobs, len(pieces)))) as own:
            yield from _run_at(own, work, pieces, died)


def _run_at(
    place: Backend, work: Callable[..., Result], pieces: Sequence[Piece], died: Callable[[Piece], Result]
) -> Generator[Result]:
    variables = {name: value for name, value in os.environ.items() if name.startswith(_OURS)}
    call = Call(work, str(Path.cwd()), {**variables, f"{_OURS}THREADS": str(place.threads)})
    futures = {place.submit(call, piece): piece for piece in pieces}
    dead = []
    try:
        for future in as_completed(futures):
            if (outcome := future.result()) is None:
                dead.append(futures[future])
            else:
                yield outcome.get()
    finally:
        for future in futures:
            future.cancel()
    for piece in dead:
        outcome = place.submit(call, piece).result()
        yield died(piece) if outcome is None else outcome.get()
