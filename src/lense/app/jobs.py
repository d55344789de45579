"""Jobs: each in its own process, a few at a time, and each its owner's alone."""

import json
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import RLock, Thread
from time import monotonic, time
from typing import Any

from lense._util.threads import num_threads
from lense.app.requests import (
    AnyRequest,
    GeneratedGraph,
    JobSpec,
    Limits,
    LookRequest,
    NamedGraph,
    OpenedGraph,
    OwnClasses,
    UploadedGraph,
)
from lense.app.worker import main as work
from lense.errors import LenseError

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
_DIED = "The process of this job ended before it was done, for want of memory maybe: try a smaller graph or budget."
_LEAST_SHARE, _LEAST_SECONDS = 0.02, 0.5
"""Before that, how fast a stage goes says nothing about how long it will take."""


class Missing(LookupError):
    """There is no such job or file, or it is somebody else's: which of both is not said."""


@dataclass
class Job:
    """What one user asked for, and how far it is."""

    id: str
    owner: str
    spec: JobSpec
    state: str = WAITING
    stages: list[dict[str, Any]] = field(default_factory=list)
    partial: Any = None
    is_done: bool = False
    error: str | None = None
    made: float = field(default_factory=time)
    begun: float | None = None
    ended: float | None = None
    process: BaseProcess | None = None

    @property
    def folder(self) -> Path:
        return Path(self.spec.folder)

    @property
    def is_look(self) -> bool:
        return isinstance(self.spec.ask, LookRequest)

    @property
    def is_over(self) -> bool:
        return self.state in (DONE, FAILED, STOPPED)

    def end(self, state: str) -> None:
        self.state, self.ended = state, monotonic()

    def take(self, event: Mapping[str, Any]) -> None:
        """Keep what the process sends: its ``stages``, a ``partial`` result, an ``error``, or that it ``is_done``."""
        vars(self).update(event)

    def brief(self) -> dict[str, Any]:
        ask = self.spec.ask
        what = [] if isinstance(ask, LookRequest) else [f"{ask.problem}, budget {ask.budget:,}"]
        title = " · ".join([self.spec.title, *what])
        return {"id": self.id, "kind": ask.kind, "state": self.state, "made": self.made, "title": title}


class Jobs:
    """All jobs of a page, and the files that were dropped there. Every method may be called from any thread."""

    def __init__(self, folder: Path, limits: Limits, given: str | None = None, own: OwnClasses | None = None) -> None:
        self.folder, self.limits, self.given, self.own = folder, limits, given, own or OwnClasses()
        self._lock = RLock()
        self._jobs: dict[str, Job] = {}
        self._uploads: dict[str, tuple[str, Path, str]] = {}
        self._is_closed = False

    def start(self, owner: str, ask: AnyRequest) -> Job:
        """Put a job in line; it begins at once if few others run."""
        with self._lock:
            mine = [job for job in self._jobs.values() if job.owner == owner]
            if (known := _same_look(mine, ask)) is not None:
                return known
            is_look = isinstance(ask, LookRequest)
            busy = sum(not job.is_over and job.is_look == is_look for job in mine)
            if busy >= self.limits.waiting:
                raise LenseError(
                    f"You have {busy} jobs that wait or run, which is the most: stop one of them, or wait."
                )
            number = secrets.token_urlsafe(12)
            source, title = self._source(owner, ask)
            folder = self.folder / "jobs" / number
            folder.mkdir(parents=True)
            over = [old for old in self._jobs.values() if old.is_over]
            for old in over[: max(0, len(over) - self.limits.kept)]:
                shutil.rmtree(self._jobs.pop(old.id).folder, ignore_errors=True)
            spec = JobSpec(ask=ask, own=self.own, source=source, title=title, folder=str(folder))
            job = self._jobs[number] = Job(number, owner, spec)
            self._advance()
            return job

    def get(self, owner: str, number: str) -> Job:
        """A job of that owner."""
        job = self._jobs.get(number)
        if job is None or job.owner != owner:
            raise Missing(number)
        return job

    def stop(self, owner: str, number: str) -> None:
        """End a job that waits or runs; one that is over stays as it is."""
        with self._lock:
            job = self.get(owner, number)
            if job.is_over:
                return
            job.end(STOPPED)
            self._advance()
        _kill([job])

    def of(self, owner: str) -> list[dict[str, Any]]:
        """What an owner asked for, the latest first, without looks at graphs."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.owner == owner and not job.is_look]
        return [job.brief() for job in reversed(jobs)]

    def described(self, job: Job) -> dict[str, Any]:
        """All that the page shows of a job while it runs."""
        with self._lock:
            line = self._line(job.is_look)
            seconds = None if job.begun is None else (job.ended or monotonic()) - job.begun
            return {
                **job.brief(),
                "ask": job.spec.ask.model_dump(mode="json"),
                "ahead": line.index(job) if job in line else 0,
                "error": job.error,
                "seconds": None if seconds is None else round(seconds, 2),
                "stages": [_shown(one) for one in job.stages],
                "partial": job.partial,
            }

    def add_upload(self, owner: str, path: Path, name: str) -> str:
        """Keep a file under a number that only its owner can use; the oldest goes where there are too many."""
        with self._lock:
            number = secrets.token_urlsafe(12)
            self._uploads[number] = owner, path, name
            sizes = {number: path.stat().st_size for number, (_, path, _) in self._uploads.items()}
            for old in [*sizes][:-1]:
                if len(sizes) > self.limits.uploads or sum(sizes.values()) > self.limits.all_upload_bytes:
                    self._uploads.pop(old)[1].unlink()
                    del sizes[old]
            return number

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._is_closed = True
            alive = [job for job in self._jobs.values() if not job.is_over]
            for job in alive:
                job.end(STOPPED)
        _kill(alive)

    def _line(self, is_look: bool) -> list[Job]:
        """The jobs that wait, the first first."""
        return [job for job in self._jobs.values() if job.state == WAITING and job.is_look == is_look]

    def _source(self, owner: str, ask: AnyRequest) -> tuple[str, str]:
        """The file or data set that is meant, and what its user calls it."""
        match ask.graph:
            case NamedGraph(name=name):
                return name, name
            case UploadedGraph(upload=number):
                whose, path, name = self._uploads.get(number, ("", self.folder, ""))
                if whose != owner:
                    raise LenseError("That file is not here any more: drop it again.")
                return str(path), name
            case OpenedGraph():
                if self.given is None:
                    raise LenseError("The page was opened without a graph: choose one.")
                return self.given, Path(self.given).name
            case GeneratedGraph(generator=generator):
                return "", f"generated {generator} graph"

    def _advance(self) -> None:
        """Begin jobs in line while few of their kind run."""
        for is_look in (True, False):
            busy = sum(job.state == RUNNING and job.is_look == is_look for job in self._jobs.values())
            for job in [] if self._is_closed else self._line(is_look)[: max(0, self.limits.running - busy)]:
                self._begin(job)

    def _begin(self, job: Job) -> None:
        heard, said = Pipe(duplex=False)
        threads = max(1, num_threads() // self.limits.running)
        job.process = get_context("spawn").Process(target=work, args=(job.spec.model_dump_json(), said, threads))
        job.process.start()
        said.close()  # so that only the worker has it, and its end is heard
        job.state, job.begun = RUNNING, monotonic()
        Thread(target=self._follow, args=(job, job.process, heard), daemon=True).start()

    def _follow(self, job: Job, process: BaseProcess, heard: Connection) -> None:
        """Take in what a process says until it ends."""
        with heard, suppress(EOFError, OSError):
            while True:
                event = json.loads(heard.recv_bytes())
                with self._lock:
                    job.take(event)
        process.join()
        with self._lock:
            if not job.is_over:
                job.error = None if job.is_done else job.error or _DIED
                job.end(DONE if job.is_done else FAILED)
            self._advance()


def _shown(stage: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of a stage: the share that is done, and the seconds left where that is clear."""
    is_done, total = stage["ended"] is not None, stage["total"]
    seconds = (stage["ended"] or monotonic()) - stage["begun"]
    share = 1.0 if is_done else min(stage["done"] / total, 1.0) if total else None
    is_clear = share is not None and share >= _LEAST_SHARE and seconds >= _LEAST_SECONDS
    return {
        "name": stage["name"],
        "depth": stage["depth"],
        "note": stage["note"],
        "seconds": round(seconds, 2),
        "is_done": is_done,
        "share": None if share is None else round(share, 4),
        "left": round(seconds * (1 - share) / share, 1) if share and is_clear else None,
    }


def _same_look(mine: list[Job], ask: AnyRequest) -> Job | None:
    """A look at the same graph, as each reload of the page asks for; one that is over counts if no file can change."""
    lasts = isinstance(ask.graph, UploadedGraph | GeneratedGraph)
    known = (job for job in reversed(mine) if job.is_look and job.spec.ask == ask)
    return next((job for job in known if not job.is_over or (lasts and job.state == DONE)), None)


def _kill(jobs: list[Job]) -> None:
    """End the processes of jobs, all of them before the first is waited for."""
    running = [job.process for job in jobs if job.process is not None]
    for process in running:
        process.kill()
    for process in running:
        process.join()
