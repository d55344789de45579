"""Where pieces of work run: processes of this machine (loky), or the workers of Dask, Ray or Slurm (submitit).

A backend takes calls and gives futures of them. joblib's ``Parallel`` is not between: there one dead worker ends all
pieces under way with loky and Ray, and nobody can say which of them it was. Each library is asked by its own
configuration where its cluster is; without one, workers are started on this machine and end with this process.
"""

import ctypes
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, ClassVar, Protocol

from lense.dask_cluster import DaskCluster
from lense.errors import LenseError, choose
from lense.threads import num_threads

_PARENT_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""
_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_TO_END = 5.0
_MINUTES_OF_A_JOB = 24 * 60
_TRIES = 2
_LINE, _RAN_OUT = "-" * 22, "Job not requeued"
"""What submitit puts around the trace of an error, and says where a job came to its time limit too often."""


class Backend(Protocol):
    """Workers that run calls, each with a number of ``threads``; ``owner`` is the process that they end with."""

    name: ClassVar[str]
    tries: int
    """How often a call is submitted whose worker dies."""
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
    tries: int = _TRIES
    isolates: bool = True

    def __init__(self, count: int, folder: Path) -> None:
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
    tries: int = _TRIES
    isolates: bool = False
    owner: int | None = None

    def __init__(self, count: int, folder: Path) -> None:
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


class Ray:
    """The workers of a Ray cluster: that of this program, of ``RAY_ADDRESS``, or the one running on this machine."""

    name: ClassVar[str] = "ray"
    tries: int = _TRIES
    isolates: bool = True
    owner: int | None = None

    def __init__(self, count: int, folder: Path) -> None:
        self._ray = ray = _package("ray", "ray")
        errors = ray.exceptions
        self.deaths: tuple[type[BaseException], ...] = (
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
            errors.ObjectLostError,
        )
        self._is_own = not ray.is_initialized()
        self.threads = threads_there()
        if self._is_own:
            self._connect(count)

    def _connect(self, count: int) -> None:
        quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        try:
            self._ray.init("auto", **quiet)
        except ConnectionError as error:
            if address := os.environ.get("RAY_ADDRESS"):
                raise LenseError(
                    f"There is no Ray cluster to be had at {address}: start one with 'ray start --head', and where it "
                    "asks for a token, set RAY_AUTH_MODE=token."
                ) from error
            self.threads = threads_here(count)
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            self._ray.init("local", num_cpus=count * self.threads, include_dashboard=False, **quiet)

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        task = self._ray.remote(_called).options(max_retries=0, num_cpus=self.threads)
        future: Future[Any] = task.remote(call, *arguments).future()
        return future

    def close(self) -> None:
        if self._is_own:
            self._ray.shutdown()


class Submitit:
    """Jobs of Slurm by submitit, one for each call, or where there is no Slurm, of this machine.

    Slurm reads partition, account, memory and so on from its own variables, ``SBATCH_PARTITION`` and its kind. Job
    files lie in a folder within ``folder`` and are deleted at the end.
    """

    name: ClassVar[str] = "submitit"
    tries: int = _TRIES
    isolates: bool = True

    def __init__(self, count: int, folder: Path) -> None:
        submitit = _package("submitit", "submitit")
        folder.mkdir(parents=True, exist_ok=True)
        self.deaths: tuple[type[BaseException], ...] = (submitit.core.utils.UncompletedJobError,)
        self._failed = submitit.core.utils.FailedJobError  # also a kind of the above, where a job raised an error
        self._folder = TemporaryDirectory(prefix=".jobs-", dir=folder.absolute(), ignore_cleanup_errors=True)
        self._executor: Any = submitit.AutoExecutor(self._folder.name)
        self._is_local = self._executor.cluster == "local"
        self.threads = threads_here(count) if self._is_local else threads_there()
        self.owner: int | None = os.getpid() if self._is_local else None
        minutes = slurm_minutes(os.environ.get("SBATCH_TIMELIMIT"))
        self._executor.update_parameters(name="lense", timeout_min=minutes, cpus_per_task=self.threads)
        self._jobs: set[Any] = set()
        self._lock = Lock()  # submitit's own record of jobs is not for several threads

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        with self._lock:
            job = self._executor.submit(call, *arguments)
        self._jobs.add(job)
        future: Future[Any] = Future()
        Thread(target=self._wait_for, args=(job, future), daemon=True).start()
        return future

    def _wait_for(self, job: Any, future: "Future[Any]") -> None:
        while not self._is_done(job):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        try:
            with self._lock:
                future.set_result(job.result())
        except self._failed as error:
            trace = str(error).partition(_LINE)[2].partition(_LINE)[0].strip()
            ran_out = _RAN_OUT in trace
            future.set_exception(self.deaths[0](trace) if ran_out else RuntimeError(trace))
        except BaseException as error:
            future.set_exception(error)
        self._jobs.discard(job)

    def _is_done(self, job: Any) -> bool:
        with self._lock:
            return bool(job.done())

    def close(self) -> None:
        left = list(self._jobs)
        for job in left:
            job.cancel(check=False)
        end = time.monotonic() + _SECONDS_TO_END
        while self._is_local and time.monotonic() < end and not all(map(self._is_done, left)):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        self._folder.cleanup()


BACKENDS: dict[str, Callable[[int, Path], Backend]] = {one.name: one for one in (Loky, Dask, Ray, Submitit)}


def start_backend(name: str, count: int, folder: Path) -> Backend:
    """Workers for ``count`` calls at a time; ``folder`` is one that they all see."""
    return choose(name, BACKENDS, "backend")(count, folder)


def threads_here(count: int) -> int:
    """The threads of each of ``count`` processes that share this machine."""
    return max(1, num_threads() // count)


def threads_there() -> int:
    """The threads of a worker elsewhere: as many as were asked for, else one."""
    return num_threads() if os.environ.get("LENSE_THREADS") else 1


def slurm_minutes(limit: str | None) -> int:
    """A time limit as Slurm writes it, such as 90, 1:30:00 or 2-12, in minutes, rounded up; a day unless given."""
    if not limit:
        return _MINUTES_OF_A_JOB
    days, _, rest = limit.rpartition("-")
    try:
        parts = [int(part) for part in rest.split(":")]
        if days:  # days-hours[:minutes[:seconds]]
            hours, minutes, seconds = (*parts, 0, 0)[:3]
        else:  # minutes[:seconds] or hours:minutes:seconds
            hours, minutes, seconds = parts if len(parts) == 3 else (0, *(*parts, 0)[:2])
        return (int(days or 0) * 24 + hours) * 60 + minutes + (seconds > 0)
    except ValueError:
        raise LenseError(f"SBATCH_TIMELIMIT is no time limit of Slurm: '{limit}'.") from None


def _package(name: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise LenseError(f"--backend {name} needs {name}: install lense[{extra}].") from error


def _called(call: Callable[..., Any], *arguments: Any) -> Any:
    return call(*arguments)


def _as_child(parent: int) -> None:
    """Leave interrupts to the parent, which ends its processes, and let the system kill this one when it is gone: a
    thread that watches may have to wait long for its turn while a library works.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # it was gone before
