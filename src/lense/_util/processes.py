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
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack, chdir, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread, local
from typing import Any, NamedTuple, TypeVar

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
class Call:
    """What is sent with a piece: the work, the folder that paths start from, and variables of the environment.

    It returns what the work raises, so that this is told from what goes wrong on the way.
    """

    work: Callable[..., Any]
    folder: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *piece: Any) -> Any:
        with _ONE_AT_A_TIME:
            before = dict(os.environ)
            try:
                if not os.path.isdir(self.folder):
                    raise LenseError(
                        f"The worker on {socket.gethostname()} does not see the folder {self.folder}: "
                        "workers must share it."
                    )
                os.environ.update(self.variables)
                with chdir(self.folder):
                    return self.work(*piece)
            except Exception as error:
                return error
            finally:
                for name in self.variables:
                    os.environ.pop(name, None)
                os.environ.update(before)


class Workers(NamedTuple):
    """Where calls run, each with so many ``threads``; the future of a call raises ``death`` where its worker died."""

    submit: Callable[..., Future[Any]]
    threads: int
    death: type[BaseException]

    def result(self, future: Future[Any]) -> Any:
        """What the work returned; what it raised is raised here."""
        try:
            found = future.result()
        except self.death:
            raise
        except Exception as error:
            reason = next((line for line in reversed(str(error).splitlines()) if line.strip(" -")), repr(error))
            raise LenseError(
                f"A worker could not take on its work ({reason.strip()}): it needs the same lense, Python and packages "
                "as this process."
            ) from error
        if isinstance(found, Exception):
            raise found
        return found


@contextmanager
def _loky(count: int) -> Iterator[Workers]:
    """Processes of this machine by joblib's loky, in pools of one each, so that a dead one takes no other with it.

    Each thread has a pool, and stays: the system ends a process with the thread that started it.
    """
    # a process of loky's deletes what a killed command left; without this it warns below the command's last line
    filters = os.environ.get("PYTHONWARNINGS", "").split(",")
    os.environ["PYTHONWARNINGS"] = ",".join(one for one in {**dict.fromkeys(filters), _CLEANED_UP: None} if one)
    loky: Any = import_module("joblib.externals.loky")
    threads = max(1, num_threads() // count)
    variables = dict.fromkeys(("LENSE_THREADS", "OMP_NUM_THREADS"), str(threads))
    own, pools, lock, ended = local(), list[Any](), Lock(), False

    def run(call: Call, *piece: Any) -> Any:
        if getattr(own, "pool", None) is None:
            with lock:
                if ended:
                    raise InterruptedError
                own.pool = loky.ProcessPoolExecutor(1, initializer=_as_child, initargs=(os.getpid(),), env=variables)
                pools.append(own.pool)
        try:
            return own.pool.submit(call, *piece).result()
        except BaseException:  # which may have broken the pool
            own.pool.shutdown(wait=False, kill_workers=True)
            own.pool = None
            raise

    waiting = ThreadPoolExecutor(count)
    try:
        death = import_module(f"{loky.__name__}.process_executor").TerminatedWorkerError
        yield Workers(lambda *task: waiting.submit(run, *task), threads, death)
    finally:
        waiting.shutdown(wait=False, cancel_futures=True)
        with lock:
            ended = True
            for pool in pools:
                pool.shutdown(kill_workers=True)


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


@contextmanager
def _dask(count: int) -> Iterator[Workers]:
    """The workers of a Dask cluster, which runs the tasks of a dead worker again: three times unless configured.

    All tasks that a worker had count as its death's cause, also those that it had not begun.
    """
    with dask_client("The backend dask", count, memory_limit=0) as (client, is_local):
        elsewhere = num_threads() if os.environ.get("LENSE_THREADS") else 1
        threads = max(1, num_threads() // count) if is_local else elsewhere
        executor = client.get_executor(pure=False)
        try:
            yield Workers(executor.submit, threads, import_module("distributed").KilledWorker)
        finally:
            executor.shutdown(wait=False)


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


BACKENDS = {"loky": _loky, "dask": _dask}


def start_workers(name: str, count: int) -> AbstractContextManager[Workers]:
    """Start workers for ``count`` calls at a time, which end with the context."""
    return choose(name, BACKENDS, "backend")(count)


def run_pieces(
    work: Callable[..., Result],
    pieces: Sequence[Piece],
    jobs: int,
    died: Callable[[Piece], Result],
    workers: Workers | None = None,
) -> Generator[Result]:
    """``work(*piece)`` for each of the pieces, as they are done.

    The ``workers`` run them; unless there are some, one job runs in this process, and several in so many processes of
    this call, which end with it. What is sent are the pieces, the working folder and the variables ``LENSE_…``. Where a
    worker dies, its piece is tried again, alone, after the others; ``died`` gives the result of one that dies again.
    What a piece raises is raised here.
    """
    if workers is None and (jobs == 1 or len(pieces) <= 1):
        yield from (work(*piece) for piece in pieces)
        return
    with ExitStack() as own:
        if workers is None:
            workers = own.enter_context(start_workers("loky", min(jobs, len(pieces))))
        variables = {name: value for name, value in os.environ.items() if name.startswith(_OURS)}
        call = Call(work, str(Path.cwd()), {**variables, f"{_OURS}THREADS": str(workers.threads)})
        futures = {workers.submit(call, *piece): piece for piece in pieces}
        own.callback(lambda: [future.cancel() for future in futures])
        dead = []
        for future in as_completed(futures):
            try:
                yield workers.result(future)
            except workers.death:
                dead.append(futures[future])
        for piece in dead:
            try:
                yield workers.result(workers.submit(call, *piece))
            except workers.death:
                yield died(piece)
