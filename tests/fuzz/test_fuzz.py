"""3,000 inputs that are damaged or mean nothing; ``make fuzz`` runs 160,000. The checks notice what is wrong."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, read_graph
from tests.fuzz import harness, meaning
from tests.fuzz.outside import nothing_outside
from tests.fuzz.writers import WRITERS, Edges

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="cases run in forked processes with Linux's limits")


def test_each_case_gives_the_right_graph_or_a_sentence() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "3000", "--jobs", "1"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "3,000 cases" in found.stdout


def refuse(_folder: Path, _rng: object) -> None:
    raise LenseError("No.")


def trip(_folder: Path, _rng: object) -> None:
    raise KeyError("a traceback")


def swell(_folder: Path, _rng: object) -> None:
    bytearray(3 << 30)


def linger(_folder: Path, _rng: object) -> None:
    while True:
        pass


def vanish(_folder: Path, _rng: object) -> None:
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize(
    ("run", "said"),
    [(trip, "KeyError"), (swell, "MemoryError"), (linger, "it took more than 1.5 s"), (vanish, "SIGKILL")],
)
def test_what_escapes_is_seen(run: harness.Run, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "SECONDS", 1.5)  # of CPU time, also where coverage is measured
    monkeypatch.setattr(harness, "PATIENCE", 1.0)
    suite = harness.Suite(((0.5, "bad", run), (0.5, "good", refuse)), prepare=lambda: None)
    found = harness.fuzz(suite, 0, range(6))
    assert found.cases == 6
    assert found.refused > 0
    assert {escape.kind for escape in found.escapes} == {"bad"}
    assert all(said in escape.what for escape in found.escapes)


def less_an_edge(graph: Graph) -> Graph:
    sources, targets, weights = (None if array is None else array[1:] for array in graph.edges())
    assert sources is not None
    assert targets is not None
    return Graph.from_edges(sources, targets, weights, directed=graph.directed, labels=graph.labels)


def other_ids(graph: Graph) -> Graph:
    sources, targets, weights = graph.edges()
    return Graph.from_edges(sources, targets, weights, directed=graph.directed, labels=np.roll(graph.labels, 1))


@pytest.mark.parametrize("wrong", [less_an_edge, other_ids])
@pytest.mark.parametrize("kind", ["npz", ".txt", ".mtx"])
def test_another_graph_than_in_the_file_is_noticed(
    kind: str, wrong: Callable[[Graph], Graph], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    given = Edges(True, ["a", "b", "c"], ["b", "c", "a"], [1, 2, 3], [])
    made = WRITERS[kind][1](tmp_path, given, rng)
    meaning.compare(made, {}, tmp_path)
    monkeypatch.setattr(meaning, "read_graph", lambda path, **options: wrong(read_graph(path, **options)))
    shutil.rmtree(tmp_path / "streamed")
    with pytest.raises(AssertionError, match="another graph than in the file"):
        meaning.compare(made, {}, tmp_path)


def test_a_stream_that_disagrees_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Edges(False, [0, 1], [1, 2], None, [])
    made = WRITERS["parquet"][1](tmp_path, given, np.random.default_rng(0))

    def refuse(*_arguments: object) -> None:
        raise LenseError("No.")

    monkeypatch.setattr(meaning, "convert_streamed", refuse)
    with pytest.raises(AssertionError, match="streamed: No"):
        meaning.compare(made, {}, tmp_path)


def import_the_canary(folder: Path) -> None:
    exec(compile((folder / "canary.py").read_text(), "canary.py", "exec"), {})


@pytest.mark.parametrize(
    "touch",
    [
        lambda _: Path("/etc/passwd").read_bytes(),
        lambda folder: (folder.parent / "written").write_text("x"),
        lambda _: subprocess.run(["true"], check=True),
        import_the_canary,
    ],
    ids=["read", "written", "started", "imported"],
)
def test_what_is_touched_outside_is_noticed(touch: Callable[[Path], object], tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    with nothing_outside(folder):
        (folder / "inside").write_text("x")
    with pytest.raises(AssertionError), nothing_outside(folder):
        touch(folder)
