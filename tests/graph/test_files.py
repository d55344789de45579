"""Formats known by the name, compression, and what the file system may answer."""

import os
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import lense
from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from lense.graph.files import FORMATS
from tests.strategies import PROBABILITIES, graphs

GRAPH = Graph.from_edges([0, 0, 1, 5], [1, 2, 2, 4], [1, 2, 3, 4], labels=np.array([1, 2, 3, 5, 8, 13]))
OPTIONS: list[dict[str, Any]] = [{}, {"directed": True}, {"directed": False}, {"weights": False}]
OPTIONS += [{"keep_self_loops": True}, {"keep_duplicates": True}]
TEXT_SUFFIXES = [suffix for kind in FORMATS.values() if kind.is_text for suffix in kind.suffixes]
NAMES = [
    *(f"graph{suffix}{compression}" for suffix in TEXT_SUFFIXES for compression in ("", ".gz", ".xz", ".bz2", ".zst")),
    "graph.npz",
    "graph.parquet",
    "GRAPH.TXT.GZ",
    "a.graph.with.dots.mtx",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_says_its_format(name: str, tmp_path: Path) -> None:
    graph = GRAPH.without_isolated() if ".csv" in name else GRAPH
    write_graph(graph, tmp_path / name)
    assert read_graph(tmp_path / name).equals(graph)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@given(graph=graphs(weights=PROBABILITIES, labels=None, ordered_labels=True, loops=True, duplicates=True))
def test_formats_that_hold_every_graph_give_it_back(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    for name in ("a.el.zst", "a.npz", "a.mtx.gz", "a.parquet"):
        write_graph(graph, folder / name)
        kept: dict[str, Any] = (
            {} if name in ("a.el.zst", "a.npz") else {"keep_duplicates": True, "keep_self_loops": True}
        )
        assert read_graph(folder / name, **kept).equals(graph)


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.npz", "a.parquet"])
def test_options_that_a_file_cannot_meet_are_refused(name: str, tmp_path: Path) -> None:
    write_graph(Graph.from_edges([0], [1], labels=np.array(["a", "b"])), tmp_path / name)
    with pytest.raises(LenseError, match=r"has no (third column|edge weights|column called weight)"):
        read_graph(tmp_path / name, weights=True)
    with pytest.raises(LenseError, match=r"not (integers|a whole number)"):
        read_graph(tmp_path / name, ids="int")
    assert read_graph(tmp_path / name, ids="str").labels.tolist() == ["a", "b"]
    if name != "a.txt":
        with pytest.raises(LenseError, match="is for edge lists"):
            read_graph(tmp_path / name, header=True)


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.parquet"])
def test_ids_too_long_to_be_read_are_not_written(name: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], labels=np.array(["é" * 200, "b"]))
    with pytest.raises(LenseError, match="at most 255 bytes"):
        write_graph(graph, tmp_path / name)
    write_graph(graph, tmp_path / "a.npz")
    assert read_graph(tmp_path / "a.npz") == graph


@settings(max_examples=20)
@given(graph=graphs(labels="int", ordered_labels=True, loops=True, duplicates=True))
def test_options_mean_the_same_in_every_format(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    for options in OPTIONS:
        results = []
        for name in ("a.txt", "a.mtx", "a.npz", "a.parquet"):
            write_graph(graph, folder / name)
            dropped = {"keep_duplicates": False, "keep_self_loops": False}
            results.append(read_graph(folder / name, **(dropped | options)))
        assert all(result.equals(results[0]) for result in results)


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_can_be_forced(name: str, tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "data.bin", format=name)
    assert read_graph(tmp_path / "data.bin", format=name).equals(GRAPH)
    write_graph(GRAPH, tmp_path / "data.txt", format=name)
    assert read_graph(str(tmp_path / "data.txt"), format=name).equals(GRAPH)


@pytest.mark.parametrize("name", ["graph", "graph.gz", "graph.pdf"])
def test_a_name_that_says_nothing(name: str, tmp_path: Path) -> None:
    for use in (read_graph, lambda path: write_graph(GRAPH, path)):
        with pytest.raises(LenseError, match=r"does not say which format it has: end it in one of \.txt, .*, or name"):
            use(tmp_path / name)
    with pytest.raises(LenseError, match=r"no graph format called 'edgelist': choose from edge-list, .*did you mean"):
        read_graph(tmp_path / "a.txt", format="edgelist")
    with pytest.raises(LenseError, match="no kind of ids called 'text': choose from auto, int, str"):
        read_graph(tmp_path / "a.txt", ids="text")


@pytest.mark.parametrize("name", ["a.graphml", "a.gml.gz", "a.gexf", "a.net"])
def test_other_formats_are_left_to_networkx(name: str, tmp_path: Path) -> None:
    for use in (read_graph, lambda path: write_graph(GRAPH, path)):
        with pytest.raises(LenseError, match=r"networkx\.read_\w+\(") as caught:
            use(tmp_path / name)
    command = str(caught.value).partition("run ")[2].removesuffix(".")
    reader = command.partition("networkx.")[2].partition("(")[0]
    getattr(nx, reader.replace("read", "write"))(nx.path_graph(3), tmp_path / name)
    exec(command.replace("graph.npz", f"{tmp_path}/graph.npz"), {"lense": lense, "networkx": nx})
    assert read_graph(tmp_path / "graph.npz").num_edges == 2


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.npz", "a.parquet", "a.txt.gz"])
def test_a_missing_file_a_missing_folder_and_a_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=rf"{name} cannot be read: there is no such file\.$"):
        read_graph(tmp_path / name)
    with pytest.raises(LenseError, match=rf"{name} cannot be written: there is no .*nowhere\.$"):
        write_graph(GRAPH, tmp_path / "nowhere" / name)
    (tmp_path / name).mkdir()
    with pytest.raises(LenseError, match="is a folder: name a graph file in it"):
        read_graph(tmp_path / name)
    with pytest.raises(LenseError, match="is a folder: name a file to write in it"):
        write_graph(GRAPH, tmp_path / name)


def test_what_the_system_refuses_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(LenseError, match=r"a\.txt cannot be written: Permission denied\.$"):
        write_graph(GRAPH, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


def test_a_file_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], labels=np.arange(1, 3_000_001))
    with pytest.raises(LenseError, match=r"a\.mtx would announce 3,000,000 vertices in \d+ bytes"):
        write_graph(graph, tmp_path / "a.mtx")
    assert not list(tmp_path.iterdir())
    write_graph(graph, tmp_path / "a.npz")
    assert read_graph(tmp_path / "a.npz").num_vertices == 3_000_000
