"""Ctrl-C ends a command with one word and status 130, whatever it was doing."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lense.graph import planted_communities, write_graph

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
    words = [
        "solve",
        str(graph),
        "-p",
        problem,
        "-s",
        solver,
        "-b",
        budget,
        "--set",
        setting,
        "--no-prune",
        "--out",
        str(out),
    ]
    command = [sys.executable, "-c", SCRIPT, str(begun), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        while not begun.exists() and run.poll() is None:
            time.sleep(0.05)
        time.sleep(2)  # until it is in the midst of it
        assert run.poll() is None, run.communicate()
        run.send_signal(signal.SIGINT)
        shown, said = run.communicate(timeout=60)
    assert (run.returncode, shown, said) == (130, "", "lense: stopped\n")
    assert {path.name for path in tmp_path.iterdir()} == {"graph.npz", "begun"}


LOST = """
import ctypes
import sys

from lense.cli import main
from lense.problems import Problem

def compiling(*given, **named):
    def interrupted():
        raise KeyboardInterrupt
    ctypes.CFUNCTYPE(None)(interrupted)()
    raise RuntimeError("no compiled object yet")

Problem.search = compiling
main(sys.argv[1:])
"""


def test_an_interrupt_that_is_lost_while_compiling_is_no_fault_of_what_was_compiled(tmp_path: Path) -> None:
    write_graph(planted_communities(100, 3, 5.0, 5.0, np.random.default_rng(0)), tmp_path / "graph.npz")
    words = ["solve", str(tmp_path / "graph.npz"), "-p", "mvc", "-b", "3", "--no-prune"]
    ended = subprocess.run([sys.executable, "-c", LOST, *words], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "lense: stopped\n")
