"""A few accidents; ``make faults`` has many more."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense._util.files import held
from lense.errors import LenseError
from lense.graph import read_graph
from tests.faults.commands import COMMANDS, ENVIRONMENT, Ended, contents, finish, prepare, run, start, wait_for

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
    assert f"training, process {os.getpid()} on " in second.said
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


def accident(command: str, folder: Path, *, before: Sequence[str] = (), **limits: Any) -> Ended:
    """Run one of the commands to an end that is to be a sentence, with nothing written to ``folder``."""
    (folder / "out").mkdir(exist_ok=True)
    words = [word.replace("OUT", "out") for word in COMMANDS[command]]
    ended = subprocess.run(
        [*before, sys.executable, "-m", "lense", *words],
        cwd=folder,
        env={**ENVIRONMENT, "LENSE_CACHE": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        **limits,
    )
    assert contents(folder / "out") == {}
    return Ended(ended.returncode, ended.stderr)


def no_room() -> None:
    """Files of this process end after a few bytes, as on a disk that is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("convert", "out/graph.mtx.gz"),
        ("streamed convert", "out/graph"),
        ("streamed generate", "out/made"),
        ("core", "out/model"),
        ("compare", "out/compared"),
    ],
)
def test_a_disk_that_is_full_is_a_sentence_and_leaves_nothing_half_written(
    folder: Path, command: str, what: str
) -> None:
    ended = accident(command, folder, preexec_fn=no_room)
    assert ended.status == 2, ended.said
    assert ended.said.splitlines()[-1].startswith(f"lense: {what} ")
    assert "File too large" in ended.said
    assert [path.name for path in (folder / "out").iterdir()] == []


@pytest.mark.parametrize("command", ["convert", "streamed convert", "core", "compare", "reproduce"])
def test_a_folder_that_is_read_only_is_a_sentence(folder: Path, command: str) -> None:
    powerless = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    if powerless and shutil.which("setpriv") is None:
        pytest.skip("root writes anywhere, and setpriv is missing")
    (folder / "out").mkdir(mode=0o555)
    ended = accident(command, folder, before=powerless)
    assert ended.status == 2, ended.said
    assert ended.said.startswith("lense: out")
    assert ended.said.count("\n") == 1


def test_a_file_that_vanishes_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.stat

    def vanishing(path: Path, **options: bool) -> os.stat_result:
        found = opened(path, **options)
        if path.name == "graph.txt":
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "stat", vanishing)
    with pytest.raises(LenseError, match=r"graph\.txt"):
        read_graph(folder / "graph.txt")


def test_a_clock_that_goes_back_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lense.pruners import Core

    graph = read_graph(folder / "graph.txt")
    roots = Core("mvc", 5).fit(graph).prune(graph).roots
    now = iter(range(10**9, 0, -1))
    monkeypatch.setattr(time, "time", lambda: float(next(now)))
    assert np.array_equal(Core("mvc", 5).fit(graph).prune(graph).roots, roots)
