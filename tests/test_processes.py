"""Pieces of work in processes that may die."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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
    (tmp_path / "program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, tmp_path / "program.py"], stderr=subprocess.DEVNULL, env=environment) as one:
        wait_until(lambda: len(pids(tmp_path)) == 2)
        one.send_signal(how)
        one.wait(timeout=60)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids(tmp_path)))


def pids(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def wait_until(is_so: object) -> None:
    end = time.monotonic() + 60
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)
