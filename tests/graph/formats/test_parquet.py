"""Parquet files and folders that pass by in a stream are what memory reads, and are refused for the same reasons."""

import json
import logging
import os
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from lense._util.measuring import PeakMemory
from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph import Graph, open_graph, read_graph, scan, write_graph
from lense.streaming.converting import convert_streamed, describe_scan
from tests.graph.listing import edges_of
from tests.streaming.graphs import KINDS, graph_of, scan_of, write_graph_as_parts

LITTLE = 100 << 20
NOT_IN_ORDER = r"may hold repeated edges.*'lense graph convert .* FOLDER' sorts it once"


def table(sources: Any, targets: Any, **others: Any) -> Any:
    return pa.table({"source": sources, "target": targets, **others})


def written(path: Path, columns: Any, about: Any = None, **options: Any) -> Path:
    if about is not None:
        noted = about if isinstance(about, bytes) else json.dumps(about)
        columns = columns.replace_schema_metadata({"lense": noted})
    parquet.write_table(columns, path, **options)
    return path


def streamed(path: Path) -> Graph:
    found = scan(path)
    facts, _ = describe_scan(found)
    graph = found.read()
    assert (facts["vertices"], facts["edges"]) == (graph.num_vertices, graph.num_edges)
    return graph


def converted(path: Path) -> Graph:
    convert_streamed(str(path), path.with_name("converted"))
    return read_graph(path.with_name("converted"))


WAYS: tuple[Callable[[Path], Graph], ...] = (read_graph, streamed, converted)


def check_same(path: Path) -> Graph:
    """The graph that every way of reading gives."""
    whole, *others = (way(path) for way in WAYS)
    assert all(other.equals(whole) for other in others)
    return whole


def check_refused(path: Path, said: str) -> None:
    for way in WAYS:
        with PeakMemory() as peak, pytest.raises(LenseError, match=said):
            way(path)
        assert peak.bytes is None or peak.bytes < LITTLE
    assert not path.with_name("converted").exists()


TEXTS = pa.array(["a", "b"])


@pytest.mark.parametrize(
    ("columns", "about", "labels"),
    [
        (table([1, 2], [2, 3]), None, [1, 2, 3]),
        (table(["1", "2"], ["2", "3"]), None, ["1", "2", "3"]),
        (table(["a", "b"], ["b", "c"]), {"isolated": ["z", "é"]}, ["a", "b", "c", "z", "é"]),
        (table([1, 2], [2, 3]), {"isolated": [9, 7, 9, 1]}, [1, 2, 3, 7, 9]),
        (table([1, 1], [1, 2]), {"simple": True}, [1, 2]),
        (table(pa.array([1, 2], pa.int8()), pa.array([2, 3], pa.uint64())), None, [1, 2, 3]),
        (table(pa.array([0, 1]).dictionary_encode(), [1, 2]), None, [0, 1, 2]),
        (table(pa.DictionaryArray.from_arrays([0, 1], ["a", "b", "no vertex"]), ["b", "c"]), None, ["a", "b", "c"]),
        (table(TEXTS.dictionary_encode(), pa.array(["b", "c"], pa.large_string())), None, ["a", "b", "c"]),
        (table(["", "a"], ["a", "b"]), None, ["", "a", "b"]),
        (table([0, 1], [1, 2]), {"vertices": 4, "simple": True}, [0, 1, 2, 3]),
        (table(pa.array([0], pa.uint64()), pa.array([1], pa.uint64())), {"vertices": 2, "simple": True}, [0, 1]),
        (table(pa.array([], pa.int32()), pa.array([], pa.int32())), {"vertices": 3, "simple": True}, [0, 1, 2]),
        (table(pa.array([], pa.int64()), pa.array([], pa.int64())), {"isolated": [3, 4]}, [3, 4]),
        (table(pa.array([], pa.string()), pa.array([], pa.string())), {"isolated": ["a"]}, ["a"]),
        (table([1, 2], [2, 3], weight=pa.array([1, 2], pa.uint64())), None, [1, 2, 3]),
        (table([1, 2], [2, 3], weight=pa.array([0.5, -2]).dictionary_encode()), None, [1, 2, 3]),
        (pa.table({"about": [{"x": 1, "y": [2]}], "source": [0], "target": [1]}), {"vertices": 2}, [0, 1]),
    ],
    ids=str,
)
def test_every_way_of_reading_gives_the_same_graph(columns: Any, about: Any, labels: list[Any], tmp_path: Path) -> None:
    assert check_same(written(tmp_path / "g.parquet", columns, about)).labels.tolist() == labels


@pytest.mark.parametrize(
    ("columns", "about", "said"),
    [
        (table([1, 2], ["2", "3"]), None, "different types"),
        (table([1], [2]), {"isolated": [2**70]}, "damaged metadata"),
        (table([1], [2]), {"isolated": [-5]}, "damaged metadata"),
        (table([1], [2]), {"isolated": ["7"]}, "damaged metadata"),
        (table(["a"], ["b"]), {"isolated": [7]}, "damaged metadata"),
        (table(["a"], ["b"]), {"isolated": ["\ud800"]}, "damaged metadata"),
        (table(["a"], ["b"]), {"isolated": ["a\0"]}, "damaged metadata"),
        (table(["a"], ["b"]), {"isolated": ["x" * 300]}, "damaged metadata"),
        (table([1], [2]), b'{"directed": false, "x": "\xff\xfe"}', "damaged metadata"),
        (table([1], [2]), [], "damaged metadata"),
        (table([1], [2]), {"directed": 1}, "damaged metadata"),
        (table([1], [2]), {"isolated": 3}, "damaged metadata"),
        (table([1], [2]), {"simple": "yes"}, "damaged metadata"),
        (table([1], [2]), {"vertices": -1}, "damaged metadata"),
        (table([1], [2]), {"vertices": True}, "damaged metadata"),
        (table([0], [1]), {"vertices": 2, "labels": ""}, "damaged metadata"),
        (table(["a"], ["b"]), {"vertices": 3, "simple": True}, "damaged metadata"),
        (table([0], [5]), {"vertices": 3, "simple": True}, "damaged metadata"),
        (table([-1], [1]), {"vertices": 3, "simple": True}, "damaged metadata"),
        (table([0], [1]), {"vertices": 3, "isolated": [2]}, "damaged metadata"),
        (table([0], [1]), {"labels": "_labels.parquet"}, "damaged metadata"),
        (table([0], [1]), {"vertices": 2, "labels": "other.parquet"}, "damaged metadata"),
        (table([0], [1]), {"vertices": 2, "labels": "_labels.parquet"}, "is one part of a graph"),
        (table([0, None], [1, 2]), {"vertices": 3, "simple": True}, "without a source or a target"),
        (table([0, None], [1, 2]), None, "without a source or a target"),
        (table([-1], [1]), None, "negative ids"),
        (table(pa.array([2**63], pa.uint64()), pa.array([1], pa.uint64())), None, "64 bits"),
        (table(["a"], ["a\0"]), {"simple": True}, "is not valid text"),
        (table(["a"], ["x" * 300]), None, "more than 255 bytes"),
        (table([1.0], [2.0]), None, "ids of type double"),
        (table([Decimal(1)], [Decimal(2)]), None, "ids of type decimal"),
        (table([b"a"], [b"b"]), None, "ids of type binary"),
        (table(pa.array([], pa.null()), pa.array([], pa.null())), None, "ids of type null"),
        (table(pa.array([], pa.int64()), pa.array([], pa.int64())), None, "holds no edges"),
        (table(pa.array([], pa.int64()), pa.array([], pa.int64())), {"vertices": 0}, "holds no edges"),
        (table([1], [2], weight=[float("nan")]), None, "not finite"),
        (table([1], [2], weight=[1e300]), None, "not finite"),
        (table([1, 2], [2, 3], weight=[1.0, None]), None, "not all numbers"),
        (table([1], [2], weight=["1"]), None, "not all numbers"),
        (table([1], [2], weight=[True]), None, "not all numbers"),
        (pa.table({"source": [1]}), None, "fewer than two columns"),
        (pa.table({}), None, "fewer than two columns"),
        (table([0], [1]), {"vertices": 300_000_000, "simple": True}, "announces 300,000,000 vertices, but has only"),
        (table([0], [1]), {"vertices": 2**40, "simple": True}, "a graph holds at most"),
    ],
    ids=str,
)
def test_every_way_of_reading_refuses_the_same_files(columns: Any, about: Any, said: str, tmp_path: Path) -> None:
    check_refused(written(tmp_path / "g.parquet", columns, about), said)


@pytest.mark.parametrize("found", [b"source", b"abcd"], ids=["name", "value"])
def test_broken_characters_are_refused(found: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "g.parquet", table(["abcd"], ["efgh"]), write_statistics=False)
    path.write_bytes(path.read_bytes().replace(found, b"\xff\xfe" + found[2:]))
    check_refused(path, "not a whole Parquet file")


@pytest.mark.parametrize("change", [lambda b: b"", lambda b: b[:-30], lambda b: b + b"rest", lambda b: b"PAR1PAR1"])
def test_what_is_not_a_whole_file_is_refused(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = written(tmp_path / "g.parquet", table([1], [2]))
    path.write_bytes(change(path.read_bytes()))
    check_refused(path, "not a whole Parquet file")


def test_more_rows_than_a_file_of_its_size_holds_are_refused(tmp_path: Path) -> None:
    rows = pa.array(np.zeros(15_000_000, np.int8))
    path = written(tmp_path / "g.parquet", table(rows, rows), compression="zstd")
    check_refused(path, "announces 15,000,000 edges, but has only")


def test_a_long_id_that_is_repeated_takes_little_memory(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(np.zeros(900_000, np.int32), pa.array(["x" * 10_000]))
    check_refused(written(tmp_path / "g.parquet", table(texts, texts)), "more than 255 bytes")


@pytest.mark.parametrize(
    ("edges", "about"),
    [
        ([(1, 2), (1, 2)], {"simple": True}),
        ([(3, 4), (1, 2)], {"simple": True}),
        ([("a", "b"), ("a", "b")], {"simple": True}),
        ([("b", "c"), ("a", "b")], {"simple": True}),
        ([("b", "a")], {"simple": True}),
        ([(0, 1), (0, 1)], {"simple": True, "vertices": 3}),
        ([(0, 1), (1, 0)], {"simple": True, "vertices": 3}),
        ([(0, 0), (0, 1)], {"simple": True, "vertices": 3}),
        ([(1, 2), (0, 1)], {"simple": True, "vertices": 3}),
    ],
    ids=str,
)
@pytest.mark.parametrize("group", [1, 100])
def test_a_false_claim_that_edges_are_sorted_is_not_believed(
    edges: list[tuple[Any, Any]], about: Any, group: int, tmp_path: Path
) -> None:
    columns = table([u for u, _ in edges], [v for _, v in edges])
    path = written(tmp_path / "g.parquet", columns, about, row_group_size=group)
    with pytest.raises(LenseError, match=NOT_IN_ORDER):
        streamed(path)
    assert converted(path).equals(read_graph(path))


def test_ranges_in_a_footer_are_not_believed(tmp_path: Path) -> None:
    """The least and the largest source of a row group, which pyarrow writes, decide nothing."""
    about = {"vertices": 100, "simple": True}
    path = written(tmp_path / "g.parquet", table([0, 1, 77], [1, 2, 78]), about, row_group_size=1)
    number = (77).to_bytes(8, "little")
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    path.write_bytes(content[:footer] + content[footer:].replace(number, (2).to_bytes(8, "little")))
    found = scan(path)
    for _ in range(2):
        assert 77 in np.concatenate([sources for sources, *_ in found.batches("reading", np.array([77]))])


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (table(["a"], ["b"]), "does not belong to the same graph"),
        (table([4], [5], weight=[1.0]), "does not belong to the same graph"),
        (pa.table({"u": [4], "v": [5]}), "does not belong to the same graph"),
        (table([4], [5]).replace_schema_metadata({"lense": '{"directed": true}'}), "does not belong to the same graph"),
    ],
    ids=["ids", "weights", "names", "direction"],
)
def test_parts_of_different_kinds_are_not_mixed(second: Any, said: str, tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    written(tmp_path / "g" / "1.parquet", table([1], [2]))
    written(tmp_path / "g" / "2.parquet", second)
    check_refused(tmp_path / "g", said)


def test_parts_may_have_integers_and_weights_of_different_sizes_and_isolated_vertices(tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    first = table(pa.array([1], pa.int8()), [2], weight=pa.array([1], pa.int16()))
    written(tmp_path / "g" / "1.parquet", first, {"isolated": [9]})
    written(tmp_path / "g" / "2.parquet", table([2], [3], weight=[0.5]), {"isolated": [8]})
    whole = check_same(tmp_path / "g")
    assert whole.labels.tolist() == [1, 2, 3, 8, 9]
    assert whole.weights is not None
    assert whole.weights.tolist() == [1, 1, 0.5, 0.5]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Several parts with ids that are not numbers."""
    graph = graph_of("rmat")
    labels = np.array([f"v{i:04}" for i in range(graph.num_vertices)])
    write_graph_as_parts(Graph(graph.indptr, graph.indices, None, False, labels), tmp_path / "g")
    assert check_same(tmp_path / "g").labels.tolist() == labels.tolist()
    (tmp_path / "converted").rename(tmp_path / "before")
    return tmp_path / "g"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda ids: [None, *ids[1:]], "vertices without an id"),
        (lambda ids: [ids[1], *ids[1:]], "gives the id 'v0001' to two vertices"),
        (lambda ids: [f"{ids[1]}\0", *ids[1:]], "is not valid text"),
        (lambda ids: ["x" * 300, *ids[1:]], "more than 255 bytes"),
        (lambda ids: [float("nan"), *map(float, range(1, len(ids)))], "ids of type double"),
        (lambda ids: [0, *range(len(ids) - 1)], "gives the id '0' to two vertices"),
        (lambda ids: pa.array([2**63 + i for i in range(len(ids))], pa.uint64()), "64 bits"),
        (lambda ids: ids[1:], "ids for 512 vertices"),
    ],
)
def test_a_file_of_labels_names_every_vertex_once(change: Callable[[Any], Any], said: str, folder: Path) -> None:
    path = folder / "_labels.parquet"
    ids = parquet.read_table(path).column(0).to_pylist()
    parquet.write_table(pa.table({"id": change(ids)}), path)
    (folder / "_manifest.json").unlink()
    check_refused(folder, said)


def test_a_file_of_labels_may_have_negative_numbers(folder: Path) -> None:
    parquet.write_table(pa.table({"id": np.arange(512) - 5}), folder / "_labels.parquet")
    (folder / "_manifest.json").unlink()
    assert check_same(folder).labels[0] == -5


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def as_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("change", [Path.unlink, as_folder, as_loop, as_pipe])
@pytest.mark.parametrize("name", ["_labels.parquet", "part-00001.parquet"])
def test_what_is_no_file_is_one_sentence(name: str, change: Callable[[Path], None], folder: Path) -> None:
    change(folder / name)
    check_refused(folder, rf"{name} (is not a file|is not a whole Parquet file|cannot be read|is missing)")


MANIFEST = "_manifest.json"
DAMAGED = r"_manifest\.json is damaged"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "part-00001.parquet").unlink(), r"part-00001\.parquet is missing, which .*_manifest"),
        (
            lambda folder: shutil.copy(folder / "part-00001.parquet", folder / "part-00009.parquet"),
            r"part-00009\.parquet is not in the list of .*_manifest\.json",
        ),
        (
            lambda folder: shutil.copy(folder / "part-00001.parquet", folder / "part-00000.parquet"),
            r"part-00000\.parquet is not the file that .*_manifest\.json",
        ),
        (
            lambda folder: parquet.write_table(pa.table({"id": np.arange(512) * 3}), folder / "_labels.parquet"),
            r"_labels\.parquet is not the file that .*_manifest\.json",
        ),
        *(
            (lambda folder, content=content: (folder / MANIFEST).write_bytes(content), DAMAGED)
            for content in (b"", b"[]", b"{", b"\xff", b'{"format": "x", "version": 1, "files": {}}', b"[" * 100_000)
        ),
        (lambda folder: replaced(folder / MANIFEST, "part-00001.parquet", "../part-00001.parquet"), DAMAGED),
    ],
)
def test_a_change_of_the_parts_or_their_list_is_noticed(
    change: Callable[[Path], object], said: str, folder: Path
) -> None:
    change(folder)
    check_refused(folder, said)


def replaced(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def test_some_of_the_parts_are_not_a_graph(tmp_path: Path) -> None:
    write_graph_as_parts(graph_of("rmat"), tmp_path / "g")
    for name in ("part-00000.parquet", "part-0000[01].parquet"):
        check_refused(tmp_path / "g" / name, r"leaves out .*: name the folder instead")
    assert read_graph(tmp_path / "g" / "*.parquet").equals(read_graph(tmp_path / "g"))


def test_a_folder_without_a_manifest_is_read_with_a_warning_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "_manifest.json").unlink()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            read_graph(folder)
            scan(folder)
    assert [record.getMessage().count("_manifest.json") for record in caplog.records] == [1]


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
    batches = [np.concatenate(ends) for ends in zip(*found.batches("reading"), strict=True)][:2]
    sources, targets, _ = graph.edges()
    assert np.array_equal(batches, [sources, targets])


def test_after_a_first_pass_row_groups_without_a_wanted_source_are_passed_over(tmp_path: Path) -> None:
    graph = graph_of("barabasi-albert")
    found = scan_of(graph, tmp_path / "g", part=100)
    assert sum(sources.size for sources, *_ in found.batches("reading")) == graph.num_edges
    last = int(graph.edges()[0].max())
    rows = sum(sources.size for sources, *_ in found.batches("reading", np.array([last])))
    assert 0 < rows < graph.num_edges / 2


def test_a_damaged_page_is_found_by_its_checksum(tmp_path: Path) -> None:
    write_graph_as_parts(graph_of("rmat"), tmp_path / "g")
    part = tmp_path / "g" / "part-00000.parquet"
    content = bytearray(part.read_bytes())
    content[200] ^= 0xFF
    part.write_bytes(content)
    found = scan(tmp_path / "g")
    with pytest.raises(LenseError, match="is not a whole Parquet file"):
        list(found.batches("reading"))


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


def test_others_see_a_plain_table_of_edges_with_ids_that_are_not_negative(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.5, 2], labels=np.array([10, 20, 30]))
    write_graph(graph, tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").to_pydict() == {
        "source": [10, 20],
        "target": [20, 30],
        "weight": [0.5, 2],
    }
    with pytest.raises(LenseError, match="negative ids"):
        write_graph(Graph.from_edges([0], [1], labels=np.array([-1, 1])), tmp_path / "b.parquet")


def test_columns_are_found_by_their_names_or_chosen(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", pa.table({"when": [5], "weight": [7], "target": [2], "source": [1]}))
    assert edges_of(read_graph(path)) == [(1, 2, 7)]
    assert edges_of(read_graph(path, weights=False)) == [(1, 2)]
    for columns in ("when,source,target", (1, 4, 3), "When,4,TARGET"):
        assert edges_of(read_graph(path, columns=columns, directed=True)) == [(5, 1, 2)]
    with pytest.raises(LenseError, match="has no column 'e', but the columns 1 'when', 2 'weight', 3 'target'"):
        read_graph(path, columns="when,e")
    parquet.write_table(pa.Table.from_arrays([pa.array([i]) for i in range(3)], ["a", "a", "b"]), path)
    for columns in ("a,b", "1,3"):
        with pytest.raises(LenseError, match="several columns called 'a'"):
            read_graph(path, columns=columns)
