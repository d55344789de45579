"""``-`` in place of a graph."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, write_graph

GRAPH = Graph.from_edges([0, 0, 0], [1, 2, 3], labels=np.array([5, 6, 7, 8]))


def piped(content: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from lense.cli import main; main()", *arguments]
    return subprocess.run(command, input=content, capture_output=True, check=False)


@pytest.mark.parametrize("name", ["a.txt", "a.csv.gz", "a.tsv.xz", "a.el.zst", "a.npz", "a.parquet", "a.mtx"])
def test_a_graph_is_read_from_standard_input_whatever_its_compression(name: str, tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / name)
    out = tmp_path / "out.txt"
    done = piped((tmp_path / name).read_bytes(), "graph", "convert", "-", str(out))
    assert done.returncode == 0, done.stderr
    assert [line for line in out.read_text().splitlines() if line[0] != "#"] == ["5\t6", "5\t7", "5\t8"]


def test_format_says_what_content_does_not(tmp_path: Path) -> None:
    done = piped(b"4 3\n2 3 4\n1\n1\n1\n", "solve", "-", "--format", "metis", "-p", "mvc", "-b", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert b'"score": 1.0' in done.stdout


def test_nothing_on_standard_input_is_one_sentence() -> None:
    done = piped(b"", "graph", "info", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"holds no edges" in done.stderr
