"""Parquet tables: ours and other people's."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from pyarrow import parquet

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from lense.graph.formats.parquet import KEY, read_metadata
from tests.strategies import graphs


def written(folder: Path, columns: dict[str, Any]) -> Path:
    path = folder / "a.parquet"
    parquet.write_table(pa.table(columns), path)
    return path


@settings(max_examples=60, deadline=None)
@given(graph=graphs(labels=None, ordered_labels=True, loops=True, duplicates=True))
def test_what_is_written_is_read(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "a.parquet"
    write_graph(graph, path)
    assert read_graph(path, keep_duplicates=True, keep_self_loops=True).equals(graph)


def test_others_see_a_plain_table(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.5, 2], labels=np.array([10, 20, 30]))
    write_graph(graph, tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").to_pydict() == {
        "source": [10, 20],
        "target": [20, 30],
        "weight": [0.5, 2],
    }


def test_columns_are_found_by_name_whatever_their_order(tmp_path: Path) -> None:
    path = written(tmp_path, {"when": [5], "weight": [7], "target": [2], "source": [1]})
    graph = read_graph(path, directed=True)
    assert graph.labels.tolist() == [1, 2]
    assert graph.indices.tolist() == [1]
    assert graph.weights is not None
    assert graph.weights.tolist() == [7]
    assert read_graph(path, weights=False).weights is None


@pytest.mark.parametrize("names", [("From", "To", "P"), ("a", "b", "c"), ("a", "b", "w")])
def test_columns_of_other_names(names: tuple[str, str, str], tmp_path: Path) -> None:
    graph = read_graph(written(tmp_path, dict(zip(names, (["x", "y"], ["y", "z"], [1, 2]), strict=True))))
    assert graph.labels.tolist() == ["x", "y", "z"]
    assert graph.weights is not None
    assert not graph.directed


@pytest.mark.parametrize("names", ["abcd", ("id", "a", "b"), ("a", "b", "__index_level_0__")])
def test_columns_that_say_nothing_must_be_named(names: Sequence[str], tmp_path: Path) -> None:
    path = written(tmp_path, {name: [i, i] for i, name in enumerate(names)})
    with pytest.raises(LenseError, match=r"has the columns 1 '.*, 2 'a|b', .*\(--columns A,B,W\)\.$"):
        read_graph(path)


def test_columns_can_be_named_by_name_or_number(tmp_path: Path) -> None:
    path = written(tmp_path, {"a": [9], "b": [2], "source": [1], "target": [7], "d": [0.5]})
    for columns in ("a,b,d", ("a", "b", "d"), (1, 2, 5), "A,2,D"):
        graph = read_graph(path, columns=columns, directed=True)
        assert graph.labels.tolist() == [2, 9]
        assert graph.indptr.tolist() == [0, 0, 1]
        assert graph.weights is not None
        assert graph.weights.tolist() == [0.5]
    assert read_graph(path, columns="b,a").weights is None
    with pytest.raises(LenseError, match="has no column 'e', but the columns 1 'a', 2 'b', 3 'source'"):
        read_graph(path, columns="a,e")


def test_a_column_is_read_only_if_no_other_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.Table.from_arrays([pa.array([i]) for i in range(3)], ["a", "a", "b"]), path)
    for columns in ("a,b", "1,3"):
        with pytest.raises(LenseError, match="several columns called 'a'"):
            read_graph(path, columns=columns)


def test_ids_can_be_asked_for_as_text_or_numbers(tmp_path: Path) -> None:
    assert read_graph(written(tmp_path, {"u": [1], "v": [2]}), ids="str").labels.tolist() == ["1", "2"]
    assert read_graph(written(tmp_path, {"u": ["1"], "v": ["2"]}), ids="int").labels.tolist() == [1, 2]
    with pytest.raises(LenseError, match="not integers"):
        read_graph(written(tmp_path, {"u": ["1"], "v": ["b"]}), ids="int")


def test_negative_ids_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="negative ids"):
        write_graph(Graph.from_edges([0], [1], labels=np.array([-1, 1])), tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "noted",
    [
        [],
        {"directed": 1},
        {"isolated": 3},
        {"simple": "yes"},
        {"vertices": -1},
        {"vertices": True},
        {"labels": "../other.parquet"},
        {"labels": ""},
    ],
)
def test_anything_else_is_damaged(noted: object) -> None:
    with pytest.raises(LenseError, match=r"x\.parquet has damaged metadata of lense"):
        read_metadata({KEY: json.dumps(noted).encode()}, "x.parquet")
