"""``-`` or a pipe in place of a graph."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, write_graph
from tests.waiting import wait_until

GRAPH = Graph.from_edges([0, 0, 0], [1, 2, 3], labels=np.array([5, 6, 7, 8]))

LENSE = [sys.executable, "-c", "from lense.cli import main; main()"]


def piped(content: bytes, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    known = {**os.environ, **environment}
    return subprocess.run([*LENSE, *arguments], input=content, capture_output=True, check=False, env=known)


@pytest.mark.parametrize("name", ["a.txt", "a.csv.gz", "a.el.zst", "a.npz", "a.parquet", "a.mtx"])
def test_a_graph_is_read_from_standard_input_whatever_its_compression(name: str, tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / name)
    out = tmp_path / "out.txt"
    for graph in ("-", "/dev/stdin"):
        done = piped((tmp_path / name).read_bytes(), "graph", "convert", graph, str(out))
        assert done.returncode == 0, done.stderr
        assert [line for line in out.read_text().splitlines() if line[0] != "#"] == ["5\t6", "5\t7", "5\t8"]


def test_nothing_on_standard_input_is_one_sentence() -> None:
    done = piped(b"", "graph", "info", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_killed_command_leaves_a_copy_that_the_next_one_deletes(tmp_path: Path) -> None:
    known = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([*LENSE, "graph", "info", "-"], stdin=subprocess.PIPE, env=known)
    assert process.stdin is not None
    process.stdin.write(b"1 2\n" * 600_000)
    process.stdin.flush()
    wait_until(lambda: any(path.stat().st_size for path in tmp_path.glob(".lense-*/*")))
    process.kill()
    process.communicate()
    assert list(tmp_path.iterdir())
    assert piped(b"1 2\n", "graph", "info", "-", TMPDIR=str(tmp_path)).returncode == 0
    assert not list(tmp_path.glob(".lense-*"))


@pytest.mark.parametrize("name", ["a.npz", "a.mtx"])
def test_a_pipe_may_have_the_name_of_a_format(name: str, tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / name)
    os.mkfifo(pipe := tmp_path / f"pipe.{name}")
    process = subprocess.Popen([*LENSE, "graph", "info", str(pipe), "--json"], stdout=subprocess.PIPE)
    pipe.write_bytes((tmp_path / name).read_bytes())
    assert json.loads(process.communicate(timeout=60)[0])["edges"] == 3
