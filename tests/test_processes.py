"""Pieces of work in processes that may die."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lense.errors import LenseError
from lense.processes import run_pieces


def square(number: int) -> int:
    return number * number


def die(number: int, marks: str, times: int) -> int:
    """Kill the own process at the first ``times`` calls with an odd number; marks in a folder count them."""
    path = Path(marks) / f"{number}.{len(list(Path(marks).glob(f'{number}.*')))}"
    path.touch()
    if number % 2 and len(list(Path(marks).glob(f"{number}.*"))) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refuse(number: int) -> int:
    raise LenseError(f"Not {number}.")


def never(piece: tuple[object, ...]) -> int:
    raise AssertionError(piece)


def test_one_job_runs_here_and_in_order() -> None:
    assert list(run_pieces(os.getpid, [(), ()], 1, never)) == [os.getpid()] * 2
    assert list(run_pieces(square, [(3,), (1,), (2,)], 1, never)) == [9, 1, 4]


def test_several_jobs_run_elsewhere_and_give_the_same() -> None:
    assert os.getpid() not in list(run_pieces(os.getpid, [()] * 3, 2, never))
    assert sorted(run_pieces(square, [(i,) for i in range(5)], 2, never)) == [0, 1, 4, 9, 16]


def test_what_a_piece_raises_is_raised() -> None:
    with pytest.raises(LenseError, match=r"Not \d"):
        list(run_pieces(refuse, [(1,), (2,)], 2, never))


def test_a_piece_whose_process_dies_is_tried_again_and_a_later_stage_does_not_hang(tmp_path: Path) -> None:
    program = f"""
import sys
from tests.test_processes import die, never, square
from lense.processes import run_pieces
if __name__ == "__main__":
    pieces = [(i, {str(tmp_path)!r}, 1) for i in range(4)]
    print(sorted(run_pieces(die, pieces, 2, never)), sorted(run_pieces(square, [(1,), (2,)], 2, never)))
"""
    (tmp_path / "program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, tmp_path / "program.py"], capture_output=True, text=True, timeout=120, env=environment
    )
    assert found.stdout == "[0, 1, 2, 3] [1, 4]\n", found.stderr


def test_one_that_dies_twice_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    pieces = [(i, str(tmp_path), 9) for i in range(4)]
    assert sorted(run_pieces(die, pieces, 2, lambda piece: -piece[0])) == [-3, -1, 0, 2]
    assert len(list(tmp_path.glob("3.*"))) == 2


class Shared:
    """A place with one worker, where piece 1 kills it each time, and with it whatever waits there."""

    name: ClassVar[str] = "shared"
    tries, isolates, threads = 2, False, 1
    owner: int | None = None
    deaths: tuple[type[BaseException], ...] = (ConnectionError,)

    def __init__(self) -> None:
        self.submitted: list[int] = []
        self.waiting: list[Future[Any]] = []

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        (number,) = arguments
        self.submitted.append(number)
        if self.submitted == [0]:
            self.waiting.append(future)
        elif number == 1:
            for one in (*self.waiting, future):
                one.set_exception(ConnectionError())
            self.waiting.clear()
        else:
            future.set_result(call(number))
        return future

    def close(self) -> None:
        assert not self.waiting


def test_what_died_beside_a_piece_that_kills_is_tried_alone() -> None:
    place = Shared()
    found = run_pieces(square, [(0,), (1,), (2,), (3,)], 2, lambda piece: -piece[0], place)
    assert sorted(found) == [-1, 0, 4, 9]  # what is done at the same time comes in any order
    assert place.submitted[4:] in ([0, 1], [1, 0])


WAITING = "time.sleep(600)"
WITHOUT_GIVING_OTHERS_A_TURN = "ctypes.PyDLL(None).sleep(600)"


@pytest.mark.parametrize(
    ("how", "waiting"),
    [
        (signal.SIGINT, WAITING),
        (signal.SIGTERM, WAITING),
        (signal.SIGKILL, WAITING),
        pytest.param(
            signal.SIGTERM,
            WITHOUT_GIVING_OTHERS_A_TURN,
            marks=pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends such a process"),
        ),
    ],
)
def test_processes_end_with_the_one_that_started_them(tmp_path: Path, how: signal.Signals, waiting: str) -> None:
    program = f"""
import ctypes, os, signal, time
from pathlib import Path
from lense.processes import run_pieces
def work(number):
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    {waiting}
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell turns off for what runs in the background
    list(run_pieces(work, [(1,), (2,)], 2, print))
"""
    check_workers_end(program, how, tmp_path)


def check_workers_end(program: str, how: signal.Signals, folder: Path) -> None:
    """Two workers of ``program`` put their numbers into ``folder``, and end with it."""
    (folder / "program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, folder / "program.py"], stderr=subprocess.DEVNULL, env=environment) as one:
        wait_until(lambda: len(pids(folder)) == 2)
        one.send_signal(how)
        one.wait(timeout=60)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids(folder)))


def pids(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)
