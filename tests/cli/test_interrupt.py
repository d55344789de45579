"""Ctrl-C ends a command with one word and status 130, whatever it was doing."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from lense.graph import planted_communities, write_graph
from tests.waiting import wait_until

COMMANDS = {"kernels": ("im", "imm", "epsilon=0.001", "50"), "highs": ("bmc", "mip", "gap=0", "1000")}
SCRIPT = """
import signal, sys
from pathlib import Path
from lense.cli import main
from lense.problems import Problem

search = Problem.search

def reported(*given, **named):
    Path(sys.argv[1]).touch()
    return search(*given, **named)

Problem.search = reported
signal.signal(signal.SIGINT, signal.default_int_handler)
main(sys.argv[2:])
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_is_heard(name: str, tmp_path: Path) -> None:
    problem, solver, setting, budget = COMMANDS[name]
    graph, out, begun = tmp_path / "graph.npz", tmp_path / "answer.json", tmp_path / "begun"
    write_graph(planted_communities(3000, 3, 15.0, 15.0, np.random.default_rng(0)), graph)
    words = ["solve", graph, "-p", problem, "-s", solver, "-b", budget, "--set", setting, "--no-prune", "--out", out]
    command = [sys.executable, "-c", SCRIPT, str(begun), *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        wait_until(lambda: begun.exists() or run.poll() is not None)
        solver_at_work = sum(psutil.Process(run.pid).cpu_times()[:2]) + 1.0
        wait_until(lambda: sum(psutil.Process(run.pid).cpu_times()[:2]) > solver_at_work)
        assert run.poll() is None, run.communicate()
        run.send_signal(signal.SIGINT)
        shown, said = run.communicate(timeout=60)
    assert (run.returncode, shown, said) == (130, "", "lense: stopped\n")
    assert {path.name for path in tmp_path.iterdir()} == {"graph.npz", "begun"}


SWALLOWED = """
import ctypes
import os
import signal
import sys

from lense.cli import main
from lense.errors import LenseError
from lense.problems import Problem

def lost():
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), number))()
    raise RuntimeError("no compiled object yet")

def reported_as_ones_own():
    try:
        os.kill(os.getpid(), number)
    except KeyboardInterrupt as error:
        raise SystemError("returned a result with an exception set") from error

def taken_for_bad_input():
    try:
        reported_as_ones_own()
    except SystemError as error:
        raise LenseError("This graph cannot be read.") from error

number, way = int(sys.argv[1]), globals()[sys.argv[2]]
signal.signal(signal.SIGINT, signal.default_int_handler)
Problem.search = lambda *given, **named: way()
main(sys.argv[3:])
"""


@pytest.mark.parametrize(
    ("way", "number"),
    [("lost", signal.SIGINT), ("reported_as_ones_own", signal.SIGINT), ("taken_for_bad_input", signal.SIGTERM)],
)
def test_what_fails_after_a_signal_failed_for_it(way: str, number: signal.Signals, tmp_path: Path) -> None:
    """A kernel, a compiler or a reader may make an error of its own of an interrupt."""
    write_graph(planted_communities(100, 3, 5.0, 5.0, np.random.default_rng(0)), tmp_path / "graph.npz")
    words = ["solve", str(tmp_path / "graph.npz"), "-p", "mvc", "-b", "3", "--no-prune"]
    script = [sys.executable, "-c", SWALLOWED, str(int(number)), way]
    ended = subprocess.run([*script, *words], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", "lense: stopped\n")


EARLY = """
import os
import sys

number = int(sys.argv[1])

class Signals:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Signals())
from lense.command import main
main()
"""


@pytest.mark.parametrize(
    ("number", "module"),
    [(signal.SIGINT, "lense.cli"), (signal.SIGTERM, "typer"), (signal.SIGINT, "lense._util.threads")],
)
def test_a_signal_is_heard_while_the_command_line_is_loaded(module: str, number: signal.Signals) -> None:
    script = [sys.executable, "-c", EARLY, str(int(number)), module]
    ended = subprocess.run(script, capture_output=True, text=True, timeout=60, preexec_fn=_hear_interrupts)
    assert (ended.returncode, ended.stdout, ended.stderr) == (128 + number, "", "lense: stopped\n")


def _hear_interrupts() -> None:
    """A shell may have SIGINT ignored for what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_nothing_that_takes_time_is_loaded_before_signals_are_heard() -> None:
    script = "import sys; known = set(sys.modules); import lense.command; print(sorted(set(sys.modules) - known))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert loaded.stdout == "['lense', 'lense.command']\n", loaded.stderr
