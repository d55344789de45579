"""The passes on a Dask cluster of three worker processes: the answers of one machine, also when a worker dies."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from lense._util.processes import dask_client
from lense.errors import LenseError
from lense.graph import Graph, read_graph, scan, write_graph
from lense.graph.formats.parquet import Metadata
from lense.problems import get_problem
from lense.pruners import Bounds
from lense.streaming.graph import StreamedGraph
from lense.streaming.memory import MemoryBudget
from lense.streaming.passes import DaskEngine, Engine, tally
from lense.streaming.solving import prune_streamed, solve_scan
from lense.streaming.writing import write_shards
from tests.skips import NO_DASK
from tests.streaming.graphs import MAKES, Make, graph_of, scan_of, write_graph_as_parts

pytest.importorskip("distributed", reason=NO_DASK)


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskEngine]:
    with dask_client("The Dask engine", 3) as (client, _):
        yield DaskEngine(client)


@MAKES
@pytest.mark.parametrize(("name", "kind"), [("mvc", "arcs"), ("bmc", "arcs"), ("domination", "rmat")])
def test_answers_and_parts_are_those_of_memory(
    cluster: DaskEngine, name: str, kind: str, make: Make, tmp_path: Path
) -> None:
    graph, problem = make(kind), get_problem(name)
    found = scan_of(graph, tmp_path / "g", part=300)
    here = problem.solve(graph, 8, np.random.default_rng(0))
    there = solve_scan(problem, found, 8, engine=cluster)
    assert there.indices.tolist() == here.indices.tolist()
    assert (there.score, there.upper_bound) == (here.score, here.upper_bound)
    if name != "domination":
        part = prune_streamed(Bounds(name, 5), StreamedGraph(found, MemoryBudget.of(None), cluster))
        assert part.graph.equals(Bounds(name, 5).prune(graph).graph)


def test_a_worker_that_is_killed_in_the_middle_of_a_pass_changes_nothing(
    cluster: DaskEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first task to start waits for a file that is written only once its worker is dead."""
    found = scan_of(graph_of("arcs"), tmp_path / "g", part=200)
    started, dead, go = tmp_path / "started", Event(), tmp_path / "go"
    monkeypatch.setattr("lense.streaming.passes.tally", _Waiting(started, go))

    def kill() -> None:
        while not started.exists():
            dead.wait(0.01)
        os.kill(int(started.read_text()), signal.SIGKILL)
        go.touch()
        dead.set()

    killer = Thread(target=kill)
    killer.start()
    degrees = cluster.tally(found, weighted=False).degrees
    killer.join()
    assert dead.is_set()
    assert np.array_equal(degrees, Engine().tally(found, weighted=False).degrees)


class _Waiting:
    """Tallies; the first process to come writes its number to ``started`` and waits for ``go``."""

    def __init__(self, started: Path, go: Path) -> None:
        self.started, self.go = started, go

    def __call__(self, num_vertices: int, weighted: bool, batches: Any) -> Any:
        from time import sleep

        try:
            with self.started.with_suffix(".lock").open("x"):
                pass
            temporary = self.started.with_suffix(".part")
            temporary.write_text(str(os.getpid()))
            temporary.rename(self.started)
        except FileExistsError:
            pass
        else:
            while not self.go.exists():
                sleep(0.01)
            sleep(60)  # which the killed process never sees the end of
        return tally(num_vertices, weighted, batches)


@pytest.mark.parametrize("edges", [[(0, 1), (0, 1)], [(0, 2), (0, 1)], [(0, 1), (1, 1)]], ids=str)
def test_a_false_claim_that_edges_are_sorted_is_not_believed(
    cluster: DaskEngine, edges: list[tuple[int, int]], tmp_path: Path
) -> None:
    about = Metadata(simple=True, vertices=3, directed=True)
    pieces = ((np.array([u], np.int32), np.array([v], np.int32)) for u, v in edges)
    write_shards(tmp_path / "g", pieces, about, part=1)
    found = scan(tmp_path / "g")
    for engine in (cluster, Engine()):
        with pytest.raises(LenseError, match="may hold repeated edges"):
            engine.tally(found, weighted=False)


def test_files_may_be_anywhere_that_fsspec_reads(tmp_path: Path) -> None:
    write_graph_as_parts(graph_of("rmat"), tmp_path / "g")
    whole = read_graph(tmp_path / "g")
    for address in (f"file://{tmp_path}/g", f"file://{tmp_path}/g/part-*.parquet"):
        assert scan(address).read().equals(whole)
    with pytest.raises(LenseError, match=r"No \.parquet file fits file:///nowhere"):
        scan("file:///nowhere/*.parquet")


def test_ids_that_are_not_numbers_are_converted_first(cluster: DaskEngine, tmp_path: Path) -> None:
    write_graph(Graph.from_edges([0, 1], [1, 2], labels=np.array(["a", "b", "c"])), tmp_path / "one.parquet")
    with pytest.raises(LenseError, match=r"numbered vertices: 'lense graph convert"):
        cluster.tally(scan(tmp_path / "one.parquet"), weighted=False)
