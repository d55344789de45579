"""Pieces at each backend, by its real package: the same results, also where workers die."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.backends import BACKENDS, slurm_minutes, start_backend
from lense.errors import LenseError
from lense.experiments import EXPERIMENTS, Source, Study
from lense.experiments.compare import Compared
from lense.experiments.store import Key
from lense.graph import power_law
from lense.processes import Call, run_pieces
from tests.skips import NO_DASK, NO_RAY, NO_SUBMITIT
from tests.test_processes import check_workers_end, die, refuse, wait_until

ROOT = Path(__file__).parents[1]
NEEDED = {"dask": ("distributed", NO_DASK), "ray": ("ray", NO_RAY), "submitit": ("submitit", NO_SUBMITIT)}


class Unloadable:
    """It can be sent, but a worker does not know what it is."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, ("no_such_module",)


@pytest.fixture(scope="module")
def ray_head() -> Iterator[str]:
    """The address of a Ray cluster of one node on the loopback device, as ``ray start --head`` makes it."""
    pytest.importorskip("ray", reason=NO_RAY)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ours = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_worker_niceness": "0"}
    variables = {**os.environ, **ours, "PYTHONPATH": os.pathsep.join(sys.path)}
    # a short name, since there are sockets in it
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        asked = f"start --head --block --node-ip-address 127.0.0.1 --port {port} --num-cpus 2 --temp-dir {folder}"
        command = [sys.executable, "-m", "ray.scripts.scripts", *asked.split(), "--include-dashboard", "false"]
        path = Path(folder, "log")
        with path.open("w") as log, subprocess.Popen(command, stdout=log, stderr=log, env=variables) as head:
            wait_until(lambda: "Ray runtime started" in path.read_text() or head.poll() is not None, 300)
            assert head.poll() is None, path.read_text()
            yield f"127.0.0.1:{port}"
            head.send_signal(signal.SIGTERM)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of each backend; deaths come to be known sooner than by default."""
    name = str(request.param)
    if name in NEEDED:
        pytest.importorskip(NEEDED[name][0], reason=NEEDED[name][1])
    if name == "dask":
        dask: Any = import_module("dask")
        monkeypatch.setitem(dask.config.get("distributed.scheduler"), "allowed-failures", 1)
    if name == "ray":
        monkeypatch.setenv("RAY_ADDRESS", request.getfixturevalue("ray_head"))
        monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    if name == "submitit":
        monkeypatch.setattr("submitit.core.core.Job._results_timeout_s", 0)
    return name


def test_a_dead_workers_piece_runs_again_and_the_others_are_left_alone(backend: str, tmp_path: Path) -> None:
    """Piece 1 kills its worker once, piece 3 as often as it is tried."""
    pieces = [(number, str(tmp_path), {1: 1, 3: 99}.get(number, 0)) for number in range(5)]
    with closing(start_backend(backend, 2, tmp_path)) as place:
        assert sorted(run_pieces(die, pieces, 2, lambda piece: -piece[0], place)) == [-3, 0, 1, 2, 4]
        tried = [len(list(tmp_path.glob(f"{number}.*"))) for number in range(5)]
        if backend == "dask":  # where the result of a piece may die with the worker that has it
            assert min(tried[1::2]) >= 2
        else:
            assert tried == [1, 2, 1, 2, 1]
        assert os.getpid() not in list(run_pieces(os.getpid, [()] * 2, 1, repr, place))
        with pytest.raises(LenseError, match=r"Not 7\."):
            list(run_pieces(refuse, [(7,)], 1, repr, place))
        with pytest.raises(LenseError, match=rf"A worker of {backend} could not take on its work \(.+\): it needs"):
            list(run_pieces(repr, [(Unloadable(),)], 1, repr, place))
    assert not list(tmp_path.glob(".jobs*"))


@pytest.fixture(scope="module")
def found_here(graph_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Key, Any]:
    return _found(Study(tmp_path_factory.mktemp("here"), (Source(str(graph_file), "mvc"),), (0,), 5, episodes=2))


def test_cells_find_what_they_find_in_one_process(
    backend: str, found_here: dict[Key, Any], graph_file: Path, tmp_path: Path
) -> None:
    study = Study(tmp_path, (Source(str(graph_file), "mvc"),), (0,), 5, episodes=2, jobs=2, backend=backend)
    assert len(found_here) == 3
    assert _found(study) == found_here


def _found(study: Study) -> dict[Key, Any]:
    experiment = Compared("top-degree", "random")
    experiment.run(study)
    return {key: _measured(asdict(record.found)) for key, record in experiment.records(study).items()}


def _measured(found: Any) -> Any:
    """What was found, without times and memory."""
    if not isinstance(found, dict):
        return found
    return {name: _measured(value) for name, value in found.items() if name not in ("seconds", "peak_bytes")}


@pytest.mark.parametrize("name", ["dask", "submitit"])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_on_this_machine_end_with_the_one_that_started_them(
    name: str, how: signal.Signals, tmp_path: Path
) -> None:
    pytest.importorskip(NEEDED[name][0], reason=NEEDED[name][1])
    program = f"""
import os, time
from contextlib import closing
from pathlib import Path
from lense.backends import start_backend
from lense.processes import run_pieces
def work(number):
    Path({str(tmp_path)!r}, str(os.getpid())).touch()
    time.sleep(600)
if __name__ == "__main__":
    with closing(start_backend({name!r}, 2, Path({str(tmp_path)!r}))) as place:
        list(run_pieces(work, [(1,), (2,)], 2, print, place))
"""
    check_workers_end(program, how, tmp_path)


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_package_is_one_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, NEEDED[name][0], None)
    with pytest.raises(LenseError, match=rf"--backend {name} needs \w+: install lense\[{name}\]\."):
        start_backend(name, 1, tmp_path)


def test_clusters_that_are_not_there_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason=NO_DASK)
    dask: Any = import_module("dask")
    monkeypatch.setattr("lense.dask_cluster._SECONDS_TO_CONNECT", 0.2)
    monkeypatch.setitem(dask.config.config, "scheduler-address", "tcp://127.0.0.1:1")
    with pytest.raises(LenseError, match=r"There is no Dask scheduler at tcp://127\.0\.0\.1:1"):
        start_backend("dask", 1, tmp_path)


def test_a_name_that_no_backend_has_lists_them() -> None:
    with pytest.raises(LenseError, match=r"no backend called 'slurm': choose from loky, dask, ray, submitit"):
        start_backend("slurm", 1, Path())


def test_graphs_do_not_travel(tmp_path: Path) -> None:
    graph = power_law(30, 4, 2.3, np.random.default_rng(0))
    with pytest.raises(LenseError, match="need the graph in a file, since processes are sent its path alone"):
        Study(tmp_path, (Source(graph, "mvc"),), backend="loky").check()


def test_a_folder_that_the_worker_does_not_see_is_one_sentence() -> None:
    with pytest.raises(LenseError, match=r"does not see the folder /nowhere: workers must share it\."):
        Call(os.getcwd, "/nowhere")().given()


def test_a_piece_runs_in_the_folder_and_with_the_variables_of_the_one_that_sent_it(tmp_path: Path) -> None:
    before = os.getcwd(), os.environ.get("LENSE_DATA")
    assert Call(os.getcwd, str(tmp_path))().given() == str(tmp_path)
    assert Call(os.getenv, str(tmp_path), {"LENSE_DATA": "there"})("LENSE_DATA").given() == "there"
    assert (os.getcwd(), os.environ.get("LENSE_DATA")) == before


def test_slurm_is_given_what_to_queue_again() -> None:
    pytest.importorskip("submitit", reason=NO_SUBMITIT)
    call = Call(max, os.getcwd())
    again = call.checkpoint(3, 4)
    assert again.function == call
    assert again.result().given() == 4


@pytest.mark.parametrize(
    ("limit", "minutes"),
    [(None, 1440), ("", 1440), ("90", 90), ("10:30", 11), ("1:30:00", 90), ("2-12", 3600), ("1-00:05:01", 1446)],
)
def test_time_limits_are_read_as_slurm_reads_them(limit: str | None, minutes: int) -> None:
    assert slurm_minutes(limit) == minutes


def test_what_is_no_time_limit_is_one_sentence() -> None:
    with pytest.raises(LenseError, match="SBATCH_TIMELIMIT is no time limit of Slurm: 'long'"):
        slurm_minutes("long")


def test_experiments_that_measure_times_run_here_and_say_so(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    study = Study(tmp_path, (), backend="ray")
    EXPERIMENTS["scalability"].run(study)
    assert "scalability measures times, so its cells run here" in caplog.text
