"""Matrix Market files against scipy's reader and the format's rules."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scipy.io import mmread
from scipy.sparse import coo_array

from lense.graph import Graph, read_graph, to_scipy, write_graph
from tests.graph.formats.conftest import Refusal, WriteFile
from tests.strategies import graphs

BANNER = "%%MatrixMarket matrix coordinate"


@given(graph=graphs(loops=True))
def test_others_read_the_adjacency_matrix(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "a.mtx"
    write_graph(graph, path)
    assert np.array_equal(coo_array(mmread(path)).toarray(), to_scipy(graph).toarray())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{BANNER} pattern general\n3 3 2\n1 2\n2 1\n", "Graph(3 vertices, 2 edges, directed)"),
        (f"{BANNER} pattern symmetric\n% c\n3 3 2\n2 1\n3 3\n", "Graph(3 vertices, 1 edges, undirected)"),
        (f"{BANNER} real general\n3 3 1\n1 2 0.5\n", "Graph(3 vertices, 1 edges, directed, weighted)"),
        (f"{BANNER} integer symmetric\n3 3 1\n3 1 7\n", "Graph(3 vertices, 1 edges, undirected, weighted)"),
        (
            f"{BANNER.upper()} UNSIGNED-INTEGER GENERAL\n2 2 1\n1 2 9\n",
            "Graph(2 vertices, 1 edges, directed, weighted)",
        ),
    ],
)
def test_the_banner_says_direction_and_weights(text: str, expected: str, write_file: WriteFile) -> None:
    graph = read_graph(write_file("a.mtx", text))
    assert repr(graph) == expected
    assert graph.labels.tolist() == list(range(1, graph.num_vertices + 1))


def test_each_entry_of_a_symmetric_matrix_is_one_arc_where_arcs_are_asked_for(write_file: WriteFile) -> None:
    path = write_file("a.mtx", f"{BANNER} pattern symmetric\n3 3 2\n2 1\n3 1\n")
    assert read_graph(path, directed=True).num_edges == 2


def test_labels_are_kept_in_comments_only_where_they_are_not_1_to_n(tmp_path: Path) -> None:
    edges = np.array([0, 1]), np.array([1, 2])
    write_graph(Graph.from_edges(*edges, labels=np.array([1, 2, 3])), tmp_path / "a.mtx")
    write_graph(Graph.from_edges(*edges, labels=np.array(["x", "line\nfeed", "z%"])), tmp_path / "b.mtx")
    assert "labels" not in (tmp_path / "a.mtx").read_text()
    assert read_graph(tmp_path / "b.mtx").labels.tolist() == ["x", "line\nfeed", "z%"]


@pytest.mark.parametrize("line", ["", "# x", "% x", " \t#4 4 1"])
@pytest.mark.parametrize("at", range(5))
def test_blank_lines_and_comments_of_both_signs_change_nothing(line: str, at: int, write_file: WriteFile) -> None:
    lines = [f"{BANNER} integer general", "% lense labels: [30, 10, 20]", "3 3 1", "3 1 8"]
    graph = read_graph(write_file("a.mtx", "\n".join([*lines[:at], line, *lines[at:], ""])))
    assert graph.labels.tolist() == [30, 10, 20]
    assert [column.tolist() for column in graph.edges() if column is not None] == [[2], [0], [8]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "does not start with '%%MatrixMarket matrix'"),
        ("1 2\n2 3\n", "does not start with '%%MatrixMarket matrix'"),
        (f"{BANNER} real general\n3 4 1\n1 2 0.5\n", "3 by 4, but only a square one"),
        (f"{BANNER} complex general\n3 3 1\n1 2 0.5 1\n", "coordinate complex general: save it as"),
        (f"{BANNER} real skew-symmetric\n3 3 1\n2 1 0.5\n", "coordinate real skew-symmetric: save it as"),
        ("%%MatrixMarket matrix array real general\n1 1\n0\n", "array real general: save it as coordinate"),
        (f"{BANNER} real general\n", "line 2: expected the numbers of rows, columns and entries, not ''"),
        (f"{BANNER} real general\n3 3\n", "line 2: expected the numbers of rows, columns and entries, not '3 3'"),
        (f"{BANNER} real general\n3 3 2\n1 2 0.5\n", "announces 2 entries, but has 1"),
        (f"{BANNER} real general\n3 3 1\n1 2 0.5\n2 1 4\n", "announces 1 entries, but has 2"),
        (
            f"{BANNER} real symmetric\n3 3 5\n2 1 1\n3 1 5 4",
            "line 4: expected a row, a column and a value, not '3 1 5 4'",
        ),
        (f"{BANNER} pattern general\n3 3 1\n1 2 3\n", "line 3: expected a row and a column, not '1 2 3'"),
        (f"{BANNER} real general\n3 3 1\n1 4 0.5\n", "line 3: '4' is not a number from 1 to 3"),
        (f"{BANNER} real general\n3 3 1\n0 2 0.5\n", "line 3: '0' is not a number from 1 to 3"),
        (f"{BANNER} real general\n3 3 1\n-1 2 0.5\n", "line 3: '-1' is not a number from 1 to 3"),
        (f"{BANNER} real general\n3 3 1\n1 x 0.5\n", "line 3: 'x' is not a number from 1 to 3"),
        (
            f"{BANNER} real general\n3 3 1\n1 2 x\n",
            "line 3: the weight 'x' in column 3 is not a finite number",
        ),
        (f"{BANNER} real general\n3 3 1\n1 2 nan\n", "line 3: the weight 'nan' in column 3 is not a finite number"),
        (f"{BANNER} real general\n3 3 1\n1 2 1e300\n", "line 3: the weight '1e300' in column 3 is not a finite number"),
        (f"{BANNER} pattern general\n3000000000 3000000000 1\n1 2\n", "at most 2,147,483,647"),
        (f"{BANNER} pattern general\n% lense labels: [1, 2]\n3 3 1\n1 2\n", "2 labels for 3 vertices"),
        (f"{BANNER} pattern general\n% lense labels: [1, \n3 3 1\n1 2\n", "damaged comment of labels"),
        (f"{BANNER} pattern general\n% lense labels: 5\n3 3 1\n1 2\n", "damaged comment of labels"),
        (f'{BANNER} pattern general\n% lense labels: [1, "a", 2]\n3 3 1\n1 2\n', "ids of several types"),
        (f"{BANNER} pattern general\n% lense labels: [1, 2, {2**64}]\n3 3 1\n1 2\n", "damaged comment of labels"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, complaint: str, refusal: Refusal) -> None:
    assert complaint in refusal("a.mtx", text)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("[5, 5]", "gives the id '5' to two vertices"),
        ('["\\ud800", "b"]', "is not valid text"),
        ('["a\\u0000", "a"]', "is not valid text"),
        (f'["a", "{"x" * 300}"]', "an id of more than 255 bytes"),
        (f"[1, {2**70}]", "damaged comment of labels"),
        ("[" * 100_000, "a damaged comment of labels"),
    ],
)
def test_labels_in_comments_are_checked(labels: str, said: str, refusal: Refusal) -> None:
    assert said in refusal("a.mtx", f"{BANNER} pattern general\n% lense labels: {labels}\n2 2 1\n2 1\n")
