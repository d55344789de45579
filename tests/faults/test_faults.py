"""A few accidents; ``make faults`` has many more."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.folders import held
from lense.graph import power_law, read_graph, write_graph
from tests.faults.commands import contents, finish, prepare, run, start, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and /proc are those of Linux")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    prepare(tmp_path)
    return tmp_path


def test_a_second_training_on_one_folder_is_refused(folder: Path) -> None:
    (folder / "one").mkdir()
    with held(folder / "one" / "model", "training"):
        second = run("core", folder, "one")
    assert second.status == 2
    assert f"is in use by another training, process {os.getpid()} on " in second.said
    assert run("core", folder, "one").status == 0
    assert {path.name for path in (folder / "one").iterdir()} == {"model"}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_both_signals_end_a_training_within_a_second_with_a_line_about_going_on(
    folder: Path, how: signal.Signals
) -> None:
    running = start("lense", folder, "one")
    wait_for(folder / "one" / "model.training" / "training.json", running)
    begun = time.monotonic()
    running.send_signal(how)
    ended = finish(running, timeout=60)
    assert time.monotonic() - begun < 10  # a second, on a machine that is not busy
    assert ended.status == 128 + how
    assert ended.said.endswith("lense: stopped; the same command goes on where this ended\n")
    assert not [path.name for path in (folder / "one").iterdir() if path.name.startswith(".")]


def limited(number: int, most: int) -> Callable[[], None]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(number, (most, most))

    return limit


def test_a_disk_that_is_full_leaves_nothing_half_written(folder: Path) -> None:
    write_graph(power_law(3000, 8, 2.3, np.random.default_rng(0)), folder / "big.txt")
    before = contents(folder)
    program = "import sys; from lense.cli import main; main(sys.argv[1:])"
    ended = subprocess.run(
        [sys.executable, "-c", program, "graph", "convert", "big.txt", "out.npz"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=limited(resource.RLIMIT_FSIZE, 20_000),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr == "lense: out.npz cannot be written: File too large.\n"
    assert contents(folder) == before


def test_a_file_that_vanishes_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.stat

    def vanishing(path: Path, **options: bool) -> os.stat_result:
        found = opened(path, **options)
        if path.name == "graph.txt":
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "stat", vanishing)
    with pytest.raises(LenseError, match=r"graph.txt cannot be read: there is no such file"):
        read_graph(folder / "graph.txt")


def test_a_clock_that_goes_back_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lense.pruners import Core

    graph = read_graph(folder / "graph.txt")
    roots = Core("mvc", 5).fit(graph).prune(graph).roots
    now = iter(range(10**9, 0, -1))
    monkeypatch.setattr(time, "time", lambda: float(next(now)))
    assert np.array_equal(Core("mvc", 5).fit(graph).prune(graph).roots, roots)
