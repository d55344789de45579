"""Jobs without a page: forgetting, processes that die, and their stages."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from time import sleep

import psutil
import pytest

from lense.app import jobs
from lense.app.jobs import _DIED, DONE, FAILED, RUNNING, Job, Jobs, Missing
from lense.app.requests import AnyRequest, Limits, parsed
from tests.app.load import load
from tests.app.pages import SMALL, SOLVE
from tests.waiting import wait_until


def waits(spec: str, said: Connection, threads: int) -> None:
    sleep(60)


def dies(spec: str, said: Connection, threads: int) -> None:
    said.send_bytes(b'{"error": null}')
    os._exit(9)


def finishes(spec: str, said: Connection, threads: int) -> None:
    said.send_bytes(b'{"is_done": true}')


def question() -> AnyRequest:
    return parsed(json.dumps(SOLVE).encode(), Limits())


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Jobs]:
    made = Jobs(tmp_path, Limits(running=1, kept=2))
    yield made
    made.close()


Work = Callable[[Callable[..., None]], None]


@pytest.fixture
def job_that(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Say what the process of a job does, in place of the worker: it waits unless told otherwise."""

    def chosen(work: Callable[..., None]) -> None:
        monkeypatch.setattr(jobs, "work", work)

    chosen(waits)
    return chosen


def over(job: Job) -> str:
    wait_until(lambda: job.is_over)
    return job.state


def test_a_process_that_dies_fails_its_job_alone(made: Jobs, job_that: Work) -> None:
    job_that(dies)
    job = made.start("a", question())
    assert over(job) == FAILED
    assert job.error == _DIED
    job_that(finishes)
    assert over(made.start("a", question())) == DONE


def test_old_jobs_and_their_folders_are_forgotten(made: Jobs, job_that: Work) -> None:
    job_that(finishes)
    done = []
    for _ in range(5):
        done.append(made.start("a", question()))
        over(done[-1])
    made.start("a", question())
    with pytest.raises(Missing):
        made.get("a", done[0].id)
    assert not done[0].folder.exists()
    assert made.get("a", done[-1].id).folder.exists()


def test_the_oldest_file_goes_where_there_are_too_many(tmp_path: Path) -> None:
    made = Jobs(tmp_path, Limits(uploads=2, all_upload_bytes=20))
    paths = [tmp_path / f"{number}.txt" for number in range(4)]
    kept = []
    for path, length in zip(paths, (4, 4, 4, 17), strict=True):
        path.write_text("1" * length)
        made.add_upload("a", path, path.name)
        kept.append([path.name for path in paths if path.exists()])
    assert kept == [["0.txt"], ["0.txt", "1.txt"], ["1.txt", "2.txt"], ["3.txt"]]


def test_a_look_at_the_same_graph_is_made_once_and_is_in_nobodys_way(made: Jobs, job_that: Work) -> None:
    same = parsed(json.dumps({"kind": "look", "graph": SMALL}).encode(), Limits())
    look = made.start("a", same)
    assert all(made.start("a", same) is look for _ in range(20))
    assert made.start("b", same) is not look
    assert made.start("a", question()).state == RUNNING
    job_that(finishes)
    made.stop("a", look.id)
    again = made.start("a", same)
    assert again is not look
    assert over(again) == DONE
    assert made.start("a", same) is again


@pytest.mark.skipif(os.name == "nt", reason="Run this on a system other than Windows, which has no SIGKILL.")
def test_processes_end_when_the_server_is_killed(tmp_path: Path) -> None:
    script = (
        "import json, sys, time; from pathlib import Path; from lense.app.jobs import Jobs;"
        "from lense.app.requests import Limits, parsed;"
        f"jobs = Jobs(Path({str(tmp_path)!r}), Limits());"
        "job = jobs.start('a', parsed(sys.argv[1].encode(), Limits()));"
        "print(job.process.pid, flush=True); time.sleep(60)"
    )
    slow = {**SOLVE, "problem": "im", "solver": "celf", "budget": 200, "way": "whole"}
    slow["graph"] = {"kind": "generated", "generator": "power-law", "settings": {"n": 100_000}}
    server = subprocess.Popen([sys.executable, "-c", script, json.dumps(slow)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    with server:
        worker = int(server.stdout.readline())
        assert psutil.pid_exists(worker)
        server.send_signal(signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(worker))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's")
def test_two_users_at_once_get_what_they_ask_for(tmp_path: Path) -> None:
    """``make faults`` takes eight for ten minutes."""
    assert load(5, 2, tmp_path) == []
