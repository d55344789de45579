"""Graphs that stay on disk: what is known of them, and what is wrong with them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph import Graph, open_graph, read_graph, scan, write_graph
from tests.streaming.graphs import KINDS, graph_of, scan_of, write_graph_as_parts


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_of_parts_has_the_size_and_the_edges_of_the_graph(kind: str, tmp_path: Path) -> None:
    graph = graph_of(kind)
    found = scan_of(graph, tmp_path / "g", part=500)
    assert (found.num_vertices, found.num_edges, found.num_arcs) == (
        graph.num_vertices,
        graph.num_edges,
        graph.num_arcs,
    )
    assert found.read().equals(graph)
    assert read_graph(tmp_path / "g").equals(graph)
    assert open_graph(str(tmp_path / "g" / "*.parquet")).equals(graph)


@pytest.mark.parametrize("ids", ["64-bit", "strings"])
@pytest.mark.parametrize("name", ["one.parquet", "one.npz"])
def test_a_file_with_other_ids_is_numbered_in_their_order(ids: str, name: str, tmp_path: Path) -> None:
    graph = graph_of("arcs")
    n = graph.num_vertices
    labels = np.arange(n) * 10**12 if ids == "64-bit" else np.array([f"v{i:05}" for i in range(n)])
    named = Graph(graph.indptr, graph.indices, None, True, labels)
    write_graph(named, tmp_path / name)
    found = scan(tmp_path / name)
    assert (found.num_vertices, found.num_edges) == (n, graph.num_edges)
    assert found.labels_of(np.array([3, 1])).tolist() == labels[[3, 1]].tolist()
    assert found.ids == ("integers" if ids == "64-bit" else "strings")
    batches = [np.concatenate(ends) for ends in zip(*found.batches("reading"), strict=True)]
    sources, targets, _ = graph.edges()
    assert np.array_equal(batches, [sources, targets])


def test_after_a_first_pass_row_groups_without_a_wanted_source_are_passed_over(tmp_path: Path) -> None:
    graph = graph_of("barabasi-albert")
    found = scan_of(graph, tmp_path / "g", part=100)
    assert sum(sources.size for sources, _ in found.batches("reading")) == graph.num_edges
    last = int(graph.edges()[0].max())
    rows = sum(sources.size for sources, _ in found.batches("reading", np.array([last])))
    assert 0 < rows < graph.num_edges / 2


def test_a_sorted_file_from_elsewhere_needs_no_conversion_and_its_self_loops_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "edges.parquet"
    parquet.write_table(pa.table({"source": [5, 5, 7], "target": [5, 7, 9]}), path)
    found = scan(path)
    assert (found.num_vertices, found.num_edges, found.num_rows) == (3, 2, 3)


@pytest.mark.parametrize(
    ("sources", "targets"), [([0, 0], [1, 1]), ([1, 0], [2, 1]), ([0, 2], [1, 1])], ids=["repeat", "order", "ends"]
)
def test_a_file_that_may_repeat_edges_names_the_command_that_sorts_it(
    sources: list[int], targets: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "edges.parquet"
    parquet.write_table(pa.table({"source": sources, "target": targets}), path)
    with pytest.raises(LenseError, match=r"may hold repeated edges.*'lense graph convert .* FOLDER' sorts it once"):
        _ = scan(path).num_edges


def test_a_truncated_part_is_one_sentence(tmp_path: Path) -> None:
    write_graph_as_parts(graph_of("rmat"), tmp_path / "g")
    part = tmp_path / "g" / "part-00001.parquet"
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(LenseError, match=rf"{part.name} is not a whole Parquet file: fetch or make it again"):
        scan(tmp_path / "g")


def test_a_damaged_page_is_found_by_its_checksum(tmp_path: Path) -> None:
    write_graph_as_parts(graph_of("rmat"), tmp_path / "g")
    part = tmp_path / "g" / "part-00000.parquet"
    content = bytearray(part.read_bytes())
    content[200] ^= 0xFF
    part.write_bytes(content)
    found = scan(tmp_path / "g")
    with pytest.raises(LenseError, match="is not a whole Parquet file"):
        list(found.batches("reading"))


def test_parts_of_two_graphs_are_not_mixed(tmp_path: Path) -> None:
    for kind in ("rmat", "arcs"):
        write_graph_as_parts(graph_of(kind), tmp_path / kind)
    stranger = tmp_path / "rmat" / "part-99999.parquet"
    stranger.write_bytes((tmp_path / "arcs" / "part-00000.parquet").read_bytes())
    with pytest.raises(LenseError, match=r"part-99999\.parquet does not belong to the same graph"):
        scan(tmp_path / "rmat")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nothing/*.parquet", r"No \.parquet file fits"),
        ("none.parquet", "there is no such file"),
        ("none.npz", "there is no such file"),
        ("graph.txt", r"cannot be streamed: 'lense graph convert .*graph\.txt FOLDER'"),
        (".", "is a folder: name a graph file in it"),
    ],
)
def test_what_is_no_graph_on_disk_is_one_sentence(name: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=sentence):
        scan(tmp_path / name)


@pytest.mark.parametrize("labels", [np.array([30, 10, 20]), np.array(["b", "c", "a"])], ids=["integers", "strings"])
def test_a_file_is_sorted_by_its_ids_whatever_the_order_of_the_vertices(labels: AnyArray, tmp_path: Path) -> None:
    write_graph(Graph.from_edges([0, 0, 1], [1, 2, 2], [1, 2, 3], labels=labels), tmp_path / "g.parquet")
    found = scan(tmp_path / "g.parquet").read()
    assert found.labels.tolist() == sorted(labels.tolist())
    assert found.equals(read_graph(tmp_path / "g.parquet"))


def test_one_part_with_ids_elsewhere_is_not_read_as_a_graph(tmp_path: Path) -> None:
    graph = graph_of("star")
    named = Graph(graph.indptr, graph.indices, None, False, np.array([f"v{i:02}" for i in range(60)]))
    write_graph_as_parts(named, tmp_path / "g")
    with pytest.raises(LenseError, match="is one part of a graph: name the folder"):
        read_graph(tmp_path / "g" / "part-00000.parquet")
