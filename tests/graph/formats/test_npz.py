"""Our own format: mapped, aligned, readable by numpy, and safe against what is no graph."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph

GRAPH = Graph.from_edges([0, 1, 2], [1, 2, 0], [0.5, 1, 2], directed=True, labels=np.array(["a", "ü", "a longer one"]))


def test_numpy_reads_the_arrays_without_pickle(tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert json.loads(str(arrays["header"])) == {"format": "lense-graph", "version": 1, "directed": True}
        assert arrays["labels"].tolist() == ["a", "ü", "a longer one"]
        assert arrays["indices"].tolist() == GRAPH.indices.tolist()
    assert zipfile.ZipFile(tmp_path / "a.npz").testzip() is None


def test_arrays_are_mapped_and_the_file_can_be_written_again(tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "a.npz")
    graph = read_graph(tmp_path / "a.npz")
    for array in (graph.indptr, graph.indices, graph.weights, graph.labels):
        assert array is not None
        assert array.ctypes.data % 64 == 0
        owner: object = array
        while isinstance(owner, np.ndarray):
            owner = owner.base
        assert type(owner).__name__ in ("mmap", "memoryview")
    write_graph(graph, tmp_path / "a.npz")
    assert read_graph(tmp_path / "a.npz") == graph == GRAPH


def sound_arrays() -> dict[str, Any]:
    header = json.dumps({"format": "lense-graph", "version": 1, "directed": True})
    return {
        "header": np.array(header),
        "indptr": np.array([0, 1, 2, 2]),
        "indices": np.array([1, 2], np.int32),
        "labels": np.arange(3),
    }


def test_arrays_saved_by_numpy_are_as_good(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **sound_arrays())
    assert read_graph(tmp_path / "a.npz").equals(Graph.from_edges([0, 1], [1, 2], directed=True, num_vertices=3))


@pytest.mark.parametrize(
    "change",
    [
        {"header": np.array("no JSON")},
        {"header": np.array("[1]")},
        {"header": np.array('{"format": "another", "version": 1, "directed": true}')},
        {"indptr": np.array([0, 1, 2])},
        {"indptr": np.array([0, 1, 3, 3])},
        {"indptr": np.array([0, 2, 1, 2])},
        {"indptr": np.array([0, 2**40, 2, 2])},
        {"indptr": np.array([1, 1, 2, 2])},
        {"indptr": np.array([[0, 1, 2, 2]])},
        {"indptr": np.array([0, 1, 2, 2], np.int32)},
        {"indices": np.array([1, 3], np.int32)},
        {"indices": np.array([1, -1], np.int32)},
        {"indptr": np.array([0, 2, 2, 2]), "indices": np.array([2, 1], np.int32)},
        {"indices": np.array([1.0, 2.0])},
        {"weights": np.array([1], np.float32)},
        {"weights": np.array([1, np.nan], np.float32)},
        {"labels": np.array([1.0, 2.0, 3.0])},
        {"labels": np.array([1, "a", None], object)},
        {"header": np.array("[" * 100_000)},
        {"header": np.array('{"format": "lense-graph", "version": 1, "directed": "no"}')},
    ],
    ids=lambda change: str(change)[:60],
)
def test_arrays_that_make_no_graph_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **(sound_arrays() | change))
    with pytest.raises(
        LenseError, match=r"a\.npz is not a graph that lense wrote, or it is damaged: write it again\.$"
    ):
        read_graph(tmp_path / "a.npz")


def test_every_cut_of_a_file_is_refused(tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "a.npz")
    whole = (tmp_path / "a.npz").read_bytes()
    for size in range(0, len(whole), 37):
        (tmp_path / "b.npz").write_bytes(whole[:size])
        with pytest.raises(LenseError, match="damaged"):
            read_graph(tmp_path / "b.npz")


def test_a_newer_version_asks_for_a_newer_lense(tmp_path: Path) -> None:
    header = json.dumps({"format": "lense-graph", "version": 2})
    np.savez(tmp_path / "a.npz", **(sound_arrays() | {"header": np.array(header)}))
    with pytest.raises(LenseError, match="newer lense"):
        read_graph(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"indptr": np.array([0, 1, 1]), "indices": np.array([1], np.int32)}, "is not the same the other way"),
        ({"weights": np.array([1, 2], np.float32)}, "is not the same the other way"),
        ({"labels": np.array([4, 4])}, "gives the id '4' to two vertices"),
        ({"labels": np.array(["\ud800", "b"])}, "is not valid text"),
        ({"labels": np.array(["a\0b", "b"])}, "is not valid text"),
        ({"labels": np.array([2**63, 1], np.uint64)}, "do not fit into 64 bits"),
    ],
)
def test_an_undirected_graph_is_the_same_both_ways_and_its_labels_are_ids(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    header: dict[str, Any] = {"header": np.array('{"format": "lense-graph", "version": 1, "directed": false}')}
    edge: dict[str, Any] = {
        "indptr": np.array([0, 1, 2]),
        "indices": np.array([1, 0], np.int32),
        "labels": np.array([4, 7]),
    }
    np.savez(tmp_path / "a.npz", **{**header, **edge, **change})
    with pytest.raises(LenseError, match=said):
        read_graph(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", **header, **edge, weights=np.array([0.0, -0.0], np.float32))
    assert read_graph(tmp_path / "b.npz").num_edges == 1


@pytest.mark.parametrize("size", [2**63, 10**30])
def test_a_size_that_no_array_has_is_damage(size: int, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **sound_arrays())
    with zipfile.ZipFile(tmp_path / "a.npz") as archive, zipfile.ZipFile(tmp_path / "b.npz", "w") as changed:
        for name in archive.namelist():
            changed.writestr(name, archive.read(name).replace(b"(2,)", f"({size},)".encode()))
    with pytest.raises(LenseError, match="damaged"):
        read_graph(tmp_path / "b.npz")


def test_two_arrays_of_one_name_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **sound_arrays())
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("other/indices.npy", archive.read("indices.npy"))
    with pytest.raises(LenseError, match="damaged"):
        read_graph(tmp_path / "a.npz")
