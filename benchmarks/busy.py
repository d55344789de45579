"""A command beside other work: how much longer it takes when the machine is busy."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.measure import SEED
from benchmarks.table import Row, at_most
from lense._util.threads import available_cores
from lense.graph import power_law, write_graph
from lense.graph.datasets import graph_files

OTHERS = 2
BY_MODEL = ("--model", "facebook-mvc")
"""What is pruned with unless another way is asked for."""
_DEEZER = (54_573, 18.3, 2.8)
"""Vertices, mean degree and exponent of a generated graph in place of Deezer."""


def busy(quick: bool, prunes: Sequence[str] = BY_MODEL) -> Iterator[Row]:
    """``lense solve`` on Deezer, or on a generated graph of its size, alone and beside two loops in plain Python.

    Beside two loops on two cores a process has half of the machine for itself, and beside two on four all of it.
    """
    with TemporaryDirectory() as folder:
        command = solve_command(graph_at_hand(Path(folder)), prunes)
        alone, beside = times(command, 1 if quick else 3)
    what = f"lense solve {' '.join(prunes)}, mvc, deezer, b = 100"
    row = Row(what, f"the same without {OTHERS} busy processes", "busy / alone", at_most(3))
    yield row.measured(beside / alone, also=f"{available_cores()} cores")


def slowdown(command: Sequence[str], turns: int = 1) -> float:
    """The ratio alone: the time of a command beside busy processes, over its time without them."""
    alone, beside = times(command, turns)
    return beside / alone


def times(command: Sequence[str], turns: int) -> tuple[float, float]:
    """The least time of a command alone and beside busy processes, in seconds; the two take turns."""
    _seconds(command)  # which compiles and caches
    alone, beside = [], []
    for _ in range(turns):
        alone.append(_seconds(command))
        with busy_processes(OTHERS):
            beside.append(_seconds(command))
    return min(alone), min(beside)


def solve_command(graph: str | Path, prunes: Sequence[str]) -> list[str]:
    """``lense solve`` in its own process."""
    start = [sys.executable, "-c", "from lense.cli import main; main()"]
    return [*start, "solve", str(graph), "-p", "mvc", "-b", "100", *prunes]


def graph_at_hand(folder: Path) -> str | Path:
    """Deezer by its name, or the file of a generated graph of its size, in ``folder``."""
    if "deezer" in graph_files():
        return "deezer"
    num_vertices, mean_degree, exponent = _DEEZER
    write_graph(power_law(num_vertices, mean_degree, exponent, np.random.default_rng(SEED)), folder / "graph.npz")
    return folder / "graph.npz"


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """As many loops in plain Python while the context lasts."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _seconds(command: Sequence[str]) -> float:
    begin = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return perf_counter() - begin
