"""Jobs: each in a process of its own, a few at a time, and each its owner's alone."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock, Thread
from time import monotonic, time
from typing import Any

from lense._util.threads import num_threads
from lense.app.asking import Ask, Generated, Given, Look, Named, Own, Task, Uploaded
from lense.app.limits import Limits
from lense.app.stages import Stages
from lense.errors import LenseError

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
_DIED = "The process of this job ended before it was done, for want of memory maybe: try a smaller graph or budget."
_GRACE_SECONDS = 2.0


class Missing(LookupError):
    """There is no such job or file, or it is somebody else's: which of both is not said."""


@dataclass
class Job:
    """What one user asked for."""

    id: str
    owner: str
    task: Task
    state: str = WAITING
    stages: Stages = field(default_factory=Stages)
    error: str | None = None
    made: float = field(default_factory=time)
    begun: float | None = None
    ended: float | None = None
    process: "subprocess.Popen[str] | None" = None

    @property
    def folder(self) -> Path:
        return Path(self.task.folder)

    @property
    def is_look(self) -> bool:
        return isinstance(self.task.ask, Look)

    @property
    def is_over(self) -> bool:
        return self.state in (DONE, FAILED, STOPPED)


@dataclass
class User:
    """The jobs and the files of one user."""

    jobs: "OrderedDict[str, Job]" = field(default_factory=OrderedDict)
    uploads: "OrderedDict[str, tuple[Path, str]]" = field(default_factory=OrderedDict)


class Jobs:
    """All jobs of a page. Every method may be called from any thread."""

    def __init__(self, folder: Path, limits: Limits, given: str | None = None, own: Own | None = None) -> None:
        self.folder, self.limits, self.given, self.own = folder, limits, given, Own() if own is None else own
        self._lock = RLock()
        self._users: OrderedDict[str, User] = OrderedDict()
        self._line: list[Job] = []
        self._is_closed = False

    def start(self, owner: str, ask: Ask) -> Job:
        """Put a job in line; it begins at once if few others run."""
        with self._lock:
            user = self._user(owner)
            if (known := _same_look(user, ask)) is not None:
                return known
            busy = [job for job in user.jobs.values() if not job.is_over and job.is_look == isinstance(ask, Look)]
            if len(busy) >= self.limits.waiting:
                raise LenseError(
                    f"You have {len(busy)} jobs that wait or run, which is the most: stop one of them, or wait."
                )
            number = secrets.token_urlsafe(12)
            source, title = self._source(user, ask)
            folder = self.folder / "jobs" / number
            folder.mkdir(parents=True)
            job = Job(number, owner, Task(ask=ask, own=self.own, source=source, title=title, folder=str(folder)))
            user.jobs[number] = job
            self._forget_old(user)
            self._line.append(job)
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
            self._end(job, STOPPED)
            self._advance()
        _terminate(job)

    def of(self, owner: str) -> list[dict[str, Any]]:
        """What an owner asked for, the latest first, without looks at graphs."""
        with self._lock:
            jobs = [job for job in self._users.get(owner, User()).jobs.values() if not job.is_look]
        return [_brief(job) for job in reversed(jobs)]

    def described(self, job: Job) -> dict[str, Any]:
        """All that the page shows of a job while it runs."""
        with self._lock:
            ahead = [one for one in self._line if one.is_look == job.is_look]
            seconds = None if job.begun is None else (job.ended or monotonic()) - job.begun
            return {
                **_brief(job),
                "ask": job.task.ask.model_dump(mode="json"),
                "ahead": ahead.index(job) if job in ahead else 0,
                "error": job.error,
                "seconds": None if seconds is None else round(seconds, 2),
                "stages": job.stages.as_list(),
                "partial": job.stages.partial,
            }

    def add_upload(self, owner: str, path: Path, name: str) -> str:
        """Remember a file by a number that only its owner can use."""
        with self._lock:
            user = self._user(owner)
            number = secrets.token_urlsafe(12)
            user.uploads[number] = path, name
            while len(user.uploads) > self.limits.uploads:
                _, (old, _name) = user.uploads.popitem(last=False)
                old.unlink(missing_ok=True)
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
            self._line.clear()
            alive = [job for user in self._users.values() for job in user.jobs.values() if not job.is_over]
            for job in alive:
                self._end(job, STOPPED)
        running = [job.process for job in alive if job.process is not None]
        for process in running:  # all of them before the first is waited for: who ends a page does not wait for jobs
            process.kill()
        for process in running:
            process.wait()

    def _source(self, user: User, ask: Ask) -> tuple[str, str]:
        """The file or data set that is meant, and what its user calls it."""
        match ask.graph:
            case Named(name=name):
                return name, name
            case Uploaded(upload=number):
                if number not in user.uploads:
                    raise LenseError("That file is not here any more: drop it again.")
                path, name = user.uploads[number]
                return str(path), name
            case Given():
                if self.given is None:
                    raise LenseError("The page was opened without a graph: choose one.")
                return self.given, Path(self.given).name
            case Generated(generator=generator):
                return "", f"generated {generator} graph"

    def _user(self, owner: str) -> User:
        """The user with that session, who is now the latest seen; who was away longest is forgotten."""
        user = self._users.setdefault(owner, User())
        self._users.move_to_end(owner)
        if len(self._users) > self.limits.users:
            for other, old in list(self._users.items()):
                if all(job.is_over for job in old.jobs.values()) and other != owner:
                    del self._users[other]
                    for job in old.jobs.values():
                        shutil.rmtree(job.folder, ignore_errors=True)
                    for path, _ in old.uploads.values():
                        path.unlink(missing_ok=True)
                    break
        return user

    def _forget_old(self, user: User) -> None:
        over = [job for job in user.jobs.values() if job.is_over]
        for job in over[: max(0, len(over) - self.limits.kept)]:
            del user.jobs[job.id]
            shutil.rmtree(job.folder, ignore_errors=True)

    def _advance(self) -> None:
        """Begin jobs in line while few run: those of users who have the fewest running first."""
        if self._is_closed:
            return
        running = [job for user in self._users.values() for job in user.jobs.values() if job.state == RUNNING]
        for is_look, most in ((True, self.limits.looks), (False, self.limits.running)):
            free = most - sum(job.is_look == is_look for job in running)
            while free > 0 and (waiting := [job for job in self._line if job.is_look == is_look]):
                job = min(waiting, key=lambda one: sum(other.owner == one.owner for other in running))
                self._line.remove(job)
                running.append(job)
                free -= 1
                self._begin(job)

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
                process.stdin.write(job.task.model_dump_json() + "\n")
                process.stdin.flush()
                for line in process.stdout:
                    with self._lock:
                        job.stages.take(json.loads(line))
            except (BrokenPipeError, ValueError):  # it died, in the middle of a line maybe
                process.kill()
            finally:
                with suppress(BrokenPipeError):  # what it did not read any more
                    process.stdin.close()
                process.wait()
        with self._lock:
            if not job.is_over:
                job.error = None if job.stages.is_done else job.stages.error or _DIED
                self._end(job, DONE if job.stages.is_done else FAILED)
            self._advance()

    def _end(self, job: Job, state: str) -> None:
        if job in self._line:
            self._line.remove(job)
        job.state, job.ended = state, monotonic()


def _same_look(user: User, ask: Ask) -> Job | None:
    """A look at the same graph, as each reload of the page asks for; one that is over counts if no file can change."""
    if not isinstance(ask, Look):
        return None
    lasts = isinstance(ask.graph, Uploaded | Generated)
    for job in reversed(user.jobs.values()):
        if job.task.ask == ask and (not job.is_over or (lasts and job.state == DONE)):
            return job
    return None


def _terminate(job: Job) -> None:
    """End a process, and do not ask twice."""
    process = job.process
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _brief(job: Job) -> dict[str, Any]:
    ask = job.task.ask
    what = [] if isinstance(ask, Look) else [f"{ask.problem}, budget {ask.budget:,}"]
    return {
        "id": job.id,
        "kind": ask.kind,
        "state": job.state,
        "made": job.made,
        "title": " · ".join([job.task.title, *what]),
    }
