"""Pieces of work in processes of this machine and on Dask: the same results, also where workers die."""

import os
import signal
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from lense._util.processes import BACKENDS, Call, run_pieces, start_workers
from lense.errors import LenseError
from lense.experiments import Source, Study
from lense.experiments.comparison import Comparison
from lense.experiments.store import Key
from lense.graph import Graph
from tests.skips import NO_DASK
from tests.waiting import wait_until


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


def test_one_job_runs_here_in_order_and_several_elsewhere() -> None:
    assert list(run_pieces(os.getpid, [(), ()], 1, never)) == [os.getpid()] * 2
    assert list(run_pieces(square, [(3,), (1,), (2,)], 1, never)) == [9, 1, 4]
    assert os.getpid() not in list(run_pieces(os.getpid, [()] * 3, 2, never))
    assert sorted(run_pieces(square, [(i,) for i in range(5)], 2, never)) == [0, 1, 4, 9, 16]


WAITING = "time.sleep(600)"
WITHOUT_GIVING_OTHERS_A_TURN = "ctypes.PyDLL(None).sleep(600)"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc, which is Linux's")
@pytest.mark.parametrize(
    ("backend", "how", "waiting"),
    [
        ("loky", signal.SIGINT, WAITING),
        ("loky", signal.SIGTERM, WITHOUT_GIVING_OTHERS_A_TURN),
        ("loky", signal.SIGKILL, WAITING),
        ("dask", signal.SIGTERM, WAITING),
        ("dask", signal.SIGKILL, WAITING),
    ],
)
def test_processes_end_with_the_one_that_started_them(
    tmp_path: Path, backend: str, how: signal.Signals, waiting: str
) -> None:
    if backend == "dask":
        pytest.importorskip("distributed", reason=NO_DASK)
    program = f"""
import ctypes, os, signal, time
from pathlib import Path
from lense._util.processes import run_pieces, start_workers
def work(number):
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    {waiting}
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell turns off for what runs in the background
    with start_workers({backend!r}, 2) as place:
        list(run_pieces(work, [(1,), (2,)], 2, print, place))
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


class Unloadable:
    """It can be sent, but a worker does not know what it is."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, ("no_such_module",)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of each backend; deaths come to be known sooner than by default."""
    name = str(request.param)
    if name == "dask":
        pytest.importorskip("distributed", reason=NO_DASK)
        dask: Any = import_module("dask")
        monkeypatch.setitem(dask.config.get("distributed.scheduler"), "allowed-failures", 1)
    return name


def test_a_dead_workers_piece_runs_again_and_the_others_are_left_alone(backend: str, tmp_path: Path) -> None:
    """Piece 1 kills its worker once, piece 3 as often as it is tried."""
    pieces = [(number, str(tmp_path), {1: 1, 3: 99}.get(number, 0)) for number in range(5)]
    with start_workers(backend, 2) as place:
        assert sorted(run_pieces(die, pieces, 2, lambda piece: -piece[0], place)) == [-3, 0, 1, 2, 4]
        tried = [len(list(tmp_path.glob(f"{number}.*"))) for number in range(5)]
        if backend == "dask":  # where the result of a piece may die with the worker that has it
            assert min(tried[1::2]) >= 2
        else:
            assert tried == [1, 2, 1, 2, 1]
        assert os.getpid() not in list(run_pieces(os.getpid, [()] * 2, 1, repr, place))
        with pytest.raises(LenseError, match=r"^Not 7\.$"):
            list(run_pieces(refuse, [(7,)], 1, repr, place))
        with pytest.raises(LenseError, match="worker"):
            list(run_pieces(repr, [(Unloadable(),)], 1, repr, place))


def test_cells_find_what_they_find_in_one_process(backend: str, graph_file: Path, tmp_path: Path) -> None:
    sources = (Source(str(graph_file), "mvc"),)
    here = _found(Study(tmp_path / "here", sources, (0,), 5, episodes=2))
    there = _found(Study(tmp_path / "there", sources, (0,), 5, episodes=2, jobs=2, backend=backend))
    assert len(here) == 3
    assert here == there


def _found(study: Study) -> dict[Key, Any]:
    """What was found, without times and memory."""
    experiment = Comparison(pruners=["top-degree", "random"])
    experiment.run(study)
    return {key: _measured(asdict(record.found)) for key, record in experiment.records(study).items()}


def _measured(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    return {name: _measured(value) for name, value in found.items() if name not in ("seconds", "peak_bytes")}


def test_clusters_and_packages_that_are_not_there_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason=NO_DASK)
    dask: Any = import_module("dask")
    monkeypatch.setattr("lense._util.processes._SECONDS_TO_CONNECT", 0.2)
    monkeypatch.setitem(dask.config.config, "scheduler-address", "tcp://127.0.0.1:1")
    with pytest.raises(LenseError, match=r"tcp://127\.0\.0\.1:1"):
        start_workers("dask", 1).__enter__()
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(LenseError, match=r"lense\[dask\]"):
        start_workers("dask", 1).__enter__()


def test_graphs_do_not_travel(tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="file"):
        Study(tmp_path, (Source(Graph.from_edges([0], [1]), "mvc"),), backend="loky").check()


def test_a_piece_runs_in_the_folder_and_with_the_variables_of_the_one_that_sent_it(tmp_path: Path) -> None:
    before = os.getcwd(), os.environ.get("LENSE_DATA")
    assert Call(os.getcwd, str(tmp_path))() == str(tmp_path)
    assert Call(os.getenv, str(tmp_path), {"LENSE_DATA": "there"})("LENSE_DATA") == "there"
    assert (os.getcwd(), os.environ.get("LENSE_DATA")) == before
    with pytest.raises(LenseError, match="/nowhere"):
        raise Call(os.getcwd, "/nowhere")()
