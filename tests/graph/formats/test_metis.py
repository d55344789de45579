"""METIS files: the manual's examples, the checks of the header, and the way there and back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from tests.graph.formats.conftest import WriteFile
from tests.strategies import graphs

WHOLE_NUMBERS = st.integers(1, 2**24).map(float)


@settings(max_examples=60, deadline=None)
@given(graph=graphs(directed=False, weights=WHOLE_NUMBERS, labels=None, duplicates=True))
def test_what_is_written_is_read(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "a.graph"
    write_graph(graph, path)
    assert read_graph(path, keep_duplicates=True).equals(graph)


def test_a_graph_of_many_vertices_and_a_hub(tmp_path: Path) -> None:
    leaves = np.arange(1, 300_000)
    graph = Graph.from_edges(np.zeros(leaves.size, int), leaves, labels=np.arange(1, 300_001))
    write_graph(graph, tmp_path / "a.metis.zst")
    assert read_graph(tmp_path / "a.metis.zst").equals(graph)


SEVEN_VERTICES = "5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
"""The example of the METIS manual, whose edges join these pairs."""
PAIRS = [(1, 2), (1, 3), (1, 5), (2, 3), (2, 4), (3, 4), (3, 5), (4, 6), (4, 7), (5, 6), (6, 7)]
EDGE_WEIGHTS = [1, 2, 1, 2, 1, 2, 3, 2, 5, 2, 6]
WITH_WEIGHTS = "5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n5 2 4 2 7 6\n6 6 4 5\n"


def pairs_of(graph: Graph) -> list[tuple[int, int]]:
    sources, targets, _ = graph.edges()
    return list(zip(graph.labels[sources].tolist(), graph.labels[targets].tolist(), strict=True))


@pytest.mark.parametrize("header", ["7 11", "7 11 0", "% a comment\n7 11 000\n% another"])
def test_a_graph_without_weights(header: str, write_file: WriteFile) -> None:
    graph = read_graph(write_file("a.graph", f"{header}\n{SEVEN_VERTICES}"))
    assert pairs_of(graph) == PAIRS
    assert graph.weights is None


@pytest.mark.parametrize(
    ("header", "prefix"),
    [("7 11 001", ""), ("7 11 1", ""), ("7 11 011 3", "4 5 6 "), ("7 11 011", "4 "), ("7 11 111 2", "9 4 5 ")],
)
def test_edge_weights_are_read_and_vertex_sizes_and_weights_are_not(
    header: str, prefix: str, write_file: WriteFile
) -> None:
    rows = "".join(f"{prefix}{row}\n" for row in WITH_WEIGHTS.splitlines())
    graph = read_graph(write_file("a.graph", f"{header}\n{rows}"))
    assert pairs_of(graph) == PAIRS
    weights = graph.edges()[2]
    assert weights is not None
    assert weights.tolist() == EDGE_WEIGHTS
    assert read_graph(write_file("a.graph", f"{header}\n{rows}"), weights=False).weights is None


def test_a_blank_row_is_an_isolated_vertex(write_file: WriteFile) -> None:
    graph = read_graph(write_file("a.graph", "4 1\n\n3\r\n2\n\n\n"))
    assert graph.out_degrees.tolist() == [0, 1, 1, 0]


def test_read_as_directed_each_edge_is_one_arc(write_file: WriteFile) -> None:
    graph = read_graph(write_file("a.graph", f"7 11\n{SEVEN_VERTICES}"), directed=True)
    assert graph.directed
    assert pairs_of(graph) == PAIRS


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", " is empty: a METIS file starts with the numbers of vertices and edges."),
        ("one two\n", ", line 1: a METIS header reads 'vertices edges [fmt [ncon]]', not 'one two'."),
        ("% c\n2 1 2\n", ", line 2: a METIS header reads 'vertices edges [fmt [ncon]]', not '2 1 2'."),
        ("2 1 -1\n", ", line 1: a METIS header reads 'vertices edges [fmt [ncon]]', not '2 1 -1'."),
        ("3 2\n2\n1 x\n2\n", ", line 3: 'x' is not a whole number from 0 to 2,147,483,647."),
        ("3 2\n2\n1 -3\n2\n", ", line 3: '-3' is not a whole number from 0 to 2,147,483,647."),
        ("3 2\n2\n1 3.5\n2\n", ", line 3: '3.5' is not a whole number from 0 to 2,147,483,647."),
        ("2 1\n2\n\f 1\n", ", line 3: '' is not a whole number from 0 to 2,147,483,647."),
        ("2000000000 1\n2\n1\n", " announces 2,000,000,000 vertices, but has only 17 bytes: make it again."),
        ("3 2\n2\n1 0\n2\n", ", line 3: the vertices are 1 to 3, so there is no vertex 0."),
        ("3 2\n2\n1 4\n2\n", ", line 3: the vertices are 1 to 3, so there is no vertex 4."),
        ("3 2 001\n2 1\n1 1 3\n2 1\n", ", line 3: this row has fewer numbers than the header's fmt asks for."),
        ("3 2 010\n1 2\n\n1 2\n", ", line 3: this row has fewer numbers than the header's fmt asks for."),
        ("2 1\n2\n1\n1\n", ", line 4: the header announces 2 vertices, but here is one row more."),
        ("3 2\n2\n1 3\n", " announces 3 vertices, but has 2 rows."),
        ("3 1\n2\n1 3\n2\n", " announces 1 edges, so 2 neighbours in its rows, but they list 4."),
        ("3 2\n2\n1 3\n1\n", " has an edge from 3 to 1 that row 1 does not list in the same way."),
        ("2 1 1\n2 5\n1 6\n", " has an edge from 1 to 2 that row 2 does not list in the same way."),
        ("3000000000 1\n", " has 3,000,000,000 vertices, but a graph holds at most 2,147,483,647."),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, complaint: str, write_file: WriteFile) -> None:
    path = write_file("a.graph", text)
    with pytest.raises(LenseError) as caught:
        read_graph(path)
    assert str(caught.value) == f"{path}{complaint}"


@pytest.mark.parametrize(
    ("graph", "complaint"),
    [
        (Graph.from_edges([0], [1], directed=True), "undirected"),
        (Graph.from_edges([0, 0], [1, 0], keep_self_loops=True), "no self loops"),
        (Graph.from_edges([0], [1], [0.5]), "whole numbers from 1"),
        (Graph.from_edges([0], [1], [0]), "whole numbers from 1"),
        (Graph.from_edges([0], [1], [1e20]), "whole numbers from 1"),
    ],
)
def test_graphs_that_the_format_cannot_hold_are_not_written(graph: Graph, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match=f"METIS files hold.*{complaint}|METIS files hold {complaint}"):
        write_graph(graph, tmp_path / "a.graph")
    assert not list(tmp_path.iterdir())
