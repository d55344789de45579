"""Large files made into sorted Parquet, and the figures that ``lense graph info`` shows of a graph on disk."""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from lense.errors import LenseError
from lense.graph import Graph, read_graph, scan, write_graph
from lense.graph.formats.options import ReadOptions
from lense.graph.structure import describe
from lense.streaming.converting import convert_streamed, describe_scan
from tests.graph.listing import edges_of
from tests.streaming.graphs import KINDS, graph_of, scan_of, weighted, write_graph_as_parts

NAMES: dict[str, Callable[[int], str]] = {
    "numbers": str,
    "64-bit": lambda v: str(v * 10**15 + 7),
    "strings": lambda v: f"é{v}",
}
PAIRS = np.random.default_rng(0).integers(0, 80, (600, 2))


def text(folder: Path, kind: str, directed: bool) -> Path:
    path = folder / f"{kind}.txt.gz"
    lines = "".join(f"{NAMES[kind](a)} {NAMES[kind](b)}\n" for a, b in PAIRS.tolist())
    with gzip.open(path, "wt") as file:
        file.write(f"# {'Directed' if directed else 'Undirected'} graph\n{lines}")
    return path


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("target", ["folder", "one.parquet"])
@pytest.mark.parametrize("kind", NAMES)
def test_a_text_comes_back_as_the_graph_that_memory_reads(
    kind: str, target: str, directed: bool, tmp_path: Path
) -> None:
    source, path = text(tmp_path, kind, directed), tmp_path / target
    whole = read_graph(source)
    made = convert_streamed(str(source), path, run=100)
    assert (made.vertices, made.edges, made.rows) == (whole.num_vertices, whole.num_edges, 600)
    assert read_graph(path).equals(whole)
    found = scan(path)
    assert found.read().equals(whole)
    assert (found.num_vertices, found.num_edges) == (whole.num_vertices, whole.num_edges)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([source.name, target])


@pytest.mark.parametrize("kind", ["64-bit", "strings"])
def test_a_parquet_file_that_is_not_sorted_says_so_until_it_is_converted(kind: str, tmp_path: Path) -> None:
    ids = [[NAMES[kind](v) if kind == "strings" else int(NAMES[kind](v)) for v in end] for end in PAIRS.T.tolist()]
    raw = tmp_path / "raw.parquet"
    parquet.write_table(pa.table({"source": ids[0], "target": ids[1]}), raw)
    with pytest.raises(LenseError, match=r"may hold repeated edges.*lense graph convert"):
        _ = scan(raw).num_vertices
    convert_streamed(str(raw), tmp_path / "folder", run=100)
    assert scan(tmp_path / "folder").read().equals(read_graph(raw))


def test_options_that_a_format_does_not_have_are_rejected(tmp_path: Path) -> None:
    write_graph(Graph.from_edges([0], [1]), tmp_path / "a.mtx")
    for options in (ReadOptions(header=True), ReadOptions(columns=("1", "2"))):
        with pytest.raises(LenseError, match="edge lists"):
            convert_streamed(str(tmp_path / "a.mtx"), tmp_path / "folder", options)
    for kind in ("parquet", "matrix-market", "edge-list"):
        write_graph(Graph.from_edges([0], [1]), tmp_path / "graph.dat", format=kind)
        assert convert_streamed(str(tmp_path / "graph.dat"), tmp_path / kind, file_format=kind).edges == 1


def test_a_vertex_without_an_edge_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "graph.txt"
    source.write_text("a b\nc c\n")
    for target in (tmp_path / "folder", tmp_path / "one.parquet"):
        convert_streamed(str(source), target)
        assert scan(target).read().labels.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("target", ["folder", "one.parquet"])
@pytest.mark.parametrize("labels", [[0, 2, 1, 3], [5, -1, 7, 3], ["b", "a", "d", "c"]], ids=str)
def test_ids_in_any_order_stay_with_their_vertices(labels: list[int | str], target: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 0, 1], [1, 2, 3], labels=np.array(labels))
    write_graph(graph, tmp_path / "graph.npz")
    if target == "one.parquet" and -1 in labels:
        with pytest.raises(LenseError, match="negative ids"):
            convert_streamed(str(tmp_path / "graph.npz"), tmp_path / target)
        return
    convert_streamed(str(tmp_path / "graph.npz"), tmp_path / target)
    found = scan(tmp_path / target).read()
    assert found.equals(read_graph(tmp_path / target))
    named = [{frozenset(edge) for edge in edges_of(one)} for one in (found, graph)]
    assert sorted(found.labels.tolist()) == sorted(labels)
    assert named[0] == named[1]


@pytest.mark.parametrize("target", ["folder", "one.parquet"])
def test_numbers_become_text_if_wanted(target: str, tmp_path: Path) -> None:
    write_graph_as_parts(graph_of("rmat"), tmp_path / "numbers")
    convert_streamed(str(tmp_path / "numbers"), tmp_path / target, ReadOptions(ids="str"))
    found = scan(tmp_path / target)
    assert (found.ids, found.num_edges) == ("strings", scan(tmp_path / "numbers").num_edges)
    assert found.read().equals(read_graph(tmp_path / target))


@pytest.mark.parametrize("name", ["graph.txt", "graph.parquet", "graph.npz"])
@pytest.mark.parametrize("target", ["folder", "one.parquet"])
def test_weights_are_kept_and_those_of_repeats_are_the_first(name: str, target: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sources, targets = rng.integers(0, 40, (2, 600))
    graph = Graph.from_edges(sources, targets, rng.random(600, np.float32), labels=np.arange(40) * 7)
    write_graph(graph, tmp_path / name)
    if name == "graph.txt":
        with (tmp_path / name).open("a") as file:
            file.write(f"{graph.labels[graph.indices[0]]} {graph.labels[0]} 99\n")
    convert_streamed(str(tmp_path / name), tmp_path / target, run=64)
    assert scan(tmp_path / target).read().equals(graph)
    assert read_graph(tmp_path / target).equals(graph)
    convert_streamed(str(tmp_path / name), tmp_path / f"plain-{target}", ReadOptions(weights=False))
    assert scan(tmp_path / f"plain-{target}").read().equals(graph.reweighted(None))


def test_kept_repeats_are_refused_in_a_sentence(tmp_path: Path) -> None:
    source = tmp_path / "graph.txt"
    source.write_text("0 1 0.5\n1 2 0.25\n")
    with pytest.raises(LenseError, match="drops repeated edges and self loops"):
        convert_streamed(str(source), tmp_path / "folder", ReadOptions(keep_duplicates=True))
    with pytest.raises(LenseError, match=r"to a folder or a .parquet file, not to out.txt"):
        convert_streamed(str(source), tmp_path / "out.txt")
    assert convert_streamed(str(source), tmp_path / "folder", ReadOptions(weights=False)).edges == 2


def test_a_fault_in_the_text_leaves_nothing_behind(tmp_path: Path) -> None:
    source = tmp_path / "graph.txt"
    source.write_text("0 1\n1 x\n")
    with pytest.raises(LenseError, match="line 2"):
        convert_streamed(str(source), tmp_path / "folder", ReadOptions(ids="int"))
    assert [path.name for path in tmp_path.iterdir()] == ["graph.txt"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_figures_of_a_graph_on_disk_are_those_of_memory(kind: str, tmp_path: Path) -> None:
    graph = graph_of(kind)
    facts, degrees = describe_scan(scan_of(graph, tmp_path / "g"))
    expected = {name: value for name, value in describe(graph).items() if name != "megabytes"}
    assert {name: facts[name] for name in expected} == expected
    assert degrees.tolist() == graph.out_degrees.tolist()
    assert describe_scan(scan_of(weighted("rmat"), tmp_path / "w"))[0]["weights"] == [1.0, 16.0]
