"""Jobs: each in a process of its own, a few at a time, and each its owner's alone."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
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
from lense.errors import LenseError

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
_DIED = "The process of this job ended before it was done, for want of memory maybe: try a smaller graph or budget."
_LEAST_SHARE, _LEAST_SECONDS = 0.02, 0.5
"""Before that, how fast a stage goes says nothing about how long it will take."""
_MOST_STAGES = 200


class Missing(LookupError):
    """There is no such job or file, or it is somebody else's: which of both is not said."""


@dataclass
class Stage:
    """One stage of a job, within another one if its depth is above 0."""

    name: str
    depth: int
    total: float | None
    expected: float | None
    begun: float
    done: float = 0.0
    note: str = ""
    ended: float | None = None

    def as_dict(self) -> dict[str, Any]:
        seconds = (self.ended or monotonic()) - self.begun
        share, left = self._share(seconds)
        return {
            "name": self.name,
            "depth": self.depth,
            "note": self.note,
            "seconds": round(seconds, 2),
            "is_done": self.ended is not None,
            "share": None if share is None else round(share, 4),
            "left": None if left is None else round(left, 1),
        }

    def _share(self, seconds: float) -> tuple[float | None, float | None]:
        """How much is done, and the seconds that are left; None where that is not known."""
        if self.ended is not None:
            return 1.0, 0.0
        if self.total:
            share = min(self.done / self.total, 1.0)
            is_clear = share >= _LEAST_SHARE and seconds >= _LEAST_SECONDS
            return share, seconds * (1 - share) / share if is_clear else None
        if self.expected and self.expected >= _LEAST_SECONDS:
            # an estimate that was too short does not end the stage
            return min(seconds / self.expected, 0.95), max(self.expected - seconds, 0.0)
        return None, None


@dataclass
class Job:
    """What one user asked for, and how far it is."""

    id: str
    owner: str
    spec: JobSpec
    state: str = WAITING
    stages: dict[int, Stage] = field(default_factory=dict)
    partial: Any = None
    is_done: bool = False
    error: str | None = None
    made: float = field(default_factory=time)
    begun: float | None = None
    ended: float | None = None
    process: "subprocess.Popen[str] | None" = None

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
        """Let one event of the job's process count."""
        match event:
            case {"begin": number}:
                self._begin(number, event)
            case {"at": number, "done": done, "note": note} if stage := self.stages.get(number):
                stage.done, stage.note = done, note
            case {"end": number} if stage := self.stages.get(number):
                stage.ended = monotonic()
            case {"error": error}:
                self.error = error
            case {"partial": partial}:
                self.partial = partial
            case {"done": True}:
                self.is_done = True

    def _begin(self, number: int, event: Mapping[str, Any]) -> None:
        if len(self.stages) >= _MOST_STAGES:  # of small pieces only those that run are worth showing
            ended = next((number for number, one in self.stages.items() if one.ended and one.depth), None)
            if ended is not None:
                del self.stages[ended]
        expected = event.get("seconds")
        self.stages[number] = Stage(event["name"], event["depth"], event["total"], expected, monotonic())

    def shown_stages(self) -> list[dict[str, Any]]:
        """All outer stages, and of inner ones those that run."""
        return [one.as_dict() for one in self.stages.values() if one.depth == 0 or one.ended is None]

    def brief(self) -> dict[str, Any]:
        ask = self.spec.ask
        what = [] if isinstance(ask, LookRequest) else [f"{ask.problem}, budget {ask.budget:,}"]
        title = " · ".join([self.spec.title, *what])
        return {"id": self.id, "kind": ask.kind, "state": self.state, "made": self.made, "title": title}


@dataclass
class User:
    """The jobs and the files of one user."""

    jobs: "OrderedDict[str, Job]" = field(default_factory=OrderedDict)
    uploads: "OrderedDict[str, tuple[Path, str]]" = field(default_factory=OrderedDict)

    @property
    def is_busy(self) -> bool:
        return not all(job.is_over for job in self.jobs.values())

    def forget_job(self, number: str) -> None:
        shutil.rmtree(self.jobs.pop(number).folder, ignore_errors=True)

    def forget_upload(self) -> None:
        """Delete the oldest file."""
        self.uploads.popitem(last=False)[1][0].unlink(missing_ok=True)


class Jobs:
    """All jobs of a page. Every method may be called from any thread."""

    def __init__(self, folder: Path, limits: Limits, given: str | None = None, own: OwnClasses | None = None) -> None:
        self.folder, self.limits, self.given, self.own = folder, limits, given, own or OwnClasses()
        self._lock = RLock()
        self._users: OrderedDict[str, User] = OrderedDict()
        self._is_closed = False

    def start(self, owner: str, ask: AnyRequest) -> Job:
        """Put a job in line; it begins at once if few others run."""
        with self._lock:
            user = self._user(owner)
            if (known := _same_look(user, ask)) is not None:
                return known
            is_look = isinstance(ask, LookRequest)
            busy = sum(not job.is_over and job.is_look == is_look for job in user.jobs.values())
            if busy >= self.limits.waiting:
                raise LenseError(
                    f"You have {busy} jobs that wait or run, which is the most: stop one of them, or wait."
                )
            number = secrets.token_urlsafe(12)
            source, title = self._source(user, ask)
            folder = self.folder / "jobs" / number
            folder.mkdir(parents=True)
            job = Job(number, owner, JobSpec(ask=ask, own=self.own, source=source, title=title, folder=str(folder)))
            over = [old.id for old in user.jobs.values() if old.is_over]
            for old in over[: max(0, len(over) - self.limits.kept)]:
                user.forget_job(old)
            user.jobs[number] = job
            self._advance()
            return job

    def get(self, owner: str, number: str) -> Job:
        """A job of that owner."""
        with self._lock:
            job = self._users.get(owner, User()).jobs.get(number)  # who only looks is not remembered
        if job is None:
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
            jobs = [job for job in self._users.get(owner, User()).jobs.values() if not job.is_look]
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
                "stages": job.shown_stages(),
                "partial": job.partial,
            }

    def add_upload(self, owner: str, path: Path, name: str) -> str:
        """Remember a file by a number that only its owner can use."""
        with self._lock:
            user = self._user(owner)
            number = secrets.token_urlsafe(12)
            user.uploads[number] = path, name
            if len(user.uploads) > self.limits.uploads:
                user.forget_upload()
            return number

    def check_room(self) -> None:
        """Raise if the files of all users together are as many as the page keeps."""
        with self._lock:
            paths = [path for user in self._users.values() for path, _ in user.uploads.values()]
        if sum(path.stat().st_size for path in paths if path.exists()) >= self.limits.all_upload_bytes:
            raise LenseError("The page holds as many files as it can: open yours with 'lense app FILE' instead.")

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._is_closed = True
            alive = [job for job in self._all() if not job.is_over]
            for job in alive:
                job.end(STOPPED)
        _kill(alive)

    def _all(self) -> Iterator[Job]:
        return (job for user in self._users.values() for job in user.jobs.values())

    def _line(self, is_look: bool) -> list[Job]:
        """The jobs that wait, the first first."""
        waiting = (job for job in self._all() if job.state == WAITING and job.is_look == is_look)
        return sorted(waiting, key=lambda job: job.made)

    def _source(self, user: User, ask: AnyRequest) -> tuple[str, str]:
        """The file or data set that is meant, and what its user calls it."""
        match ask.graph:
            case NamedGraph(name=name):
                return name, name
            case UploadedGraph(upload=number):
                if number not in user.uploads:
                    raise LenseError("That file is not here any more: drop it again.")
                path, name = user.uploads[number]
                return str(path), name
            case OpenedGraph():
                if self.given is None:
                    raise LenseError("The page was opened without a graph: choose one.")
                return self.given, Path(self.given).name
            case GeneratedGraph(generator=generator):
                return "", f"generated {generator} graph"

    def _user(self, owner: str) -> User:
        """The user with that session, who is now the latest seen; who was away longest is forgotten."""
        user = self._users.setdefault(owner, User())
        self._users.move_to_end(owner)
        idle = (name for name, other in self._users.items() if other is not user and not other.is_busy)
        if len(self._users) > self.limits.users and (oldest := next(idle, None)) is not None:
            old = self._users.pop(oldest)
            for number in [*old.jobs]:
                old.forget_job(number)
            while old.uploads:
                old.forget_upload()
        return user

    def _advance(self) -> None:
        """Begin jobs in line while few run: those of users who have the fewest running first."""
        for is_look, most in ((True, self.limits.looks), (False, self.limits.running)):
            running = [job for job in self._all() if job.state == RUNNING]
            free = most - sum(job.is_look == is_look for job in running)
            while free > 0 and not self._is_closed and (line := self._line(is_look)):
                job = min(line, key=lambda one: sum(other.owner == one.owner for other in running))
                self._begin(job)
                running.append(job)
                free -= 1

    def _begin(self, job: Job) -> None:
        threads = str(max(1, num_threads() // self.limits.running))
        job.process = subprocess.Popen(
            [sys.executable, "-m", "lense.app.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "LENSE_THREADS": threads, "OMP_NUM_THREADS": threads},
        )
        job.state, job.begun = RUNNING, monotonic()
        Thread(target=self._follow, args=(job, job.process), daemon=True).start()

    def _follow(self, job: Job, process: "subprocess.Popen[str]") -> None:
        """Take in what a process says until it ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        with process:
            try:
                # the pipe stays open: its end is what ends the process
                process.stdin.write(job.spec.model_dump_json() + "\n")
                process.stdin.flush()
                for line in process.stdout:
                    with self._lock:
                        job.take(json.loads(line))
            except (BrokenPipeError, ValueError):  # it died, in the middle of a line maybe
                process.kill()
            finally:
                with suppress(BrokenPipeError):  # what it did not read any more
                    process.stdin.close()
                process.wait()
        with self._lock:
            if not job.is_over:
                job.error = None if job.is_done else job.error or _DIED
                job.end(DONE if job.is_done else FAILED)
            self._advance()


def _same_look(user: User, ask: AnyRequest) -> Job | None:
    """A look at the same graph, as each reload of the page asks for; one that is over counts if no file can change."""
    lasts = isinstance(ask.graph, UploadedGraph | GeneratedGraph)
    known = (job for job in reversed(user.jobs.values()) if job.is_look and job.spec.ask == ask)
    return next((job for job in known if not job.is_over or (lasts and job.state == DONE)), None)


def _kill(jobs: list[Job]) -> None:
    """End the processes of jobs, all of them before the first is waited for."""
    running = [job.process for job in jobs if job.process is not None]
    for process in running:
        process.kill()
    for process in running:
        process.wait()
