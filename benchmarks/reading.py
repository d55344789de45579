"""Reading a compressed edge list: time beside pandas, and memory beside the graph that it returns."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.graphs import large_graph
from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_most
from lense.graph import read_graph, write_graph


def reading(quick: bool) -> Iterator[Row]:
    """A ``.txt.gz`` of five million lines, read as edges and as arcs."""
    num_edges = 500_000 if quick else 5_000_000
    with TemporaryDirectory() as folder:
        tiny, large = Path(folder) / "tiny.txt.gz", Path(folder) / "large.txt.gz"
        write_graph(large_graph(1_000, SEED), tiny)
        write_graph(large_graph(num_edges, SEED), large)
        for directed in (False, True):
            lines = f".txt.gz, {num_edges / 1e6:g} million {'arcs' if directed else 'edges'}"
            row = Row(f"reading {lines}", "pandas.read_csv", "our time / its", at_most(2))
            yield row.measured(_time_ratio(large, directed, 1 if quick else 4))
            row = Row(f"memory to read {lines}", "the CSR it returns", "peak / its size", at_most(6))
            yield row.measured(_memory_ratio(tiny, large, directed))


def _time_ratio(path: Path, directed: bool, repeats: int) -> float:
    import pandas as pd

    read_graph(path, directed=directed)
    ours, theirs = best_times(
        repeats,
        lambda: read_graph(path, directed=directed),
        lambda: pd.read_csv(path, sep="\t", header=None, comment="#", dtype="int64"),
    )
    return ours / theirs


def _memory_ratio(tiny: Path, large: Path, directed: bool) -> float:
    """As :mod:`benchmarks.peak` measures it in its own process."""
    command = [sys.executable, "-m", "benchmarks.peak", "read", str(tiny), str(large), *["--directed"] * directed]
    root = Path(__file__).parents[1]
    return float(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)
