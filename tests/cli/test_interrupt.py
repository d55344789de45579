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
from lense.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
main(sys.argv[1:])
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_is_heard(name: str, tmp_path: Path) -> None:
    problem, solver, setting, budget = COMMANDS[name]
    graph, out = tmp_path / "graph.npz", tmp_path / "answer.json"
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
    command = [sys.executable, "-c", SCRIPT, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        time.sleep(6)
        assert run.poll() is None, run.communicate()
        run.send_signal(signal.SIGINT)
        shown, said = run.communicate(timeout=60)
    assert (run.returncode, shown, said) == (130, "", "lense: stopped\n")
    assert [path.name for path in tmp_path.iterdir()] == ["graph.npz"]
