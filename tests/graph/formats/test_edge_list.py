"""Edge lists as people write them, and what is said of those that cannot be read."""

import re
from pathlib import Path

import numpy as np
import pandas
import pytest
from hypothesis import given

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from lense.graph.formats.streams import CHUNK
from tests.graph.formats.conftest import Refusal, WriteFile
from tests.graph.listing import edges_of
from tests.strategies import graphs


def weights_of(graph: Graph) -> list[float]:
    weights = graph.edges()[2]
    assert weights is not None
    return list(weights.tolist())


@pytest.mark.parametrize(
    "text",
    [
        "5 7\n7 9\n",
        "5\t7\n7\t9\n",
        "5,7\n7,9\n",
        "5, 7\r\n7, 9\r\n",
        "# a comment\n\n5 7\n% another\n  7   9  # and one here\n\n",
        "\ufeff5 7\n7 9",
        "source,target\n5,7\n7,9\n",
        '"V1","V2"\n"5","7"\n"7","9"\n',
    ],
)
def test_separators_comments_blank_lines_and_column_names(text: str, write_file: WriteFile) -> None:
    graph = read_graph(write_file("a.txt", text))
    assert graph.labels.tolist() == [5, 7, 9]
    assert edges_of(graph) == [(5, 7), (7, 9)]
    assert graph.weights is None
    assert not graph.directed


@pytest.mark.parametrize(
    ("header", "directed"),
    [
        ("# Directed graph (each unordered pair of nodes is saved once): Wiki-Vote.txt", True),
        ("# Undirected graph: ../../data/output/com-dblp.ungraph.txt", False),
        ("# wiki-Vote (directed, u->v); SNAP", True),
        ("# ego-Facebook (undirected, each edge once with u<=v); SNAP", False),
        ("% asym unweighted", True),
        ("% sym unweighted", False),
        ("# Nodes: 3 Edges: 2\n#\n# directed graph", True),
        ("# Directed graph: a.txt\n# (undirected edges were left out)", True),
        ("# nothing is said of directed edges here", False),
        ("# FromNodeId\tToNodeId", False),
    ],
)
def test_the_header_says_the_direction_unless_the_caller_does(
    header: str, directed: bool, write_file: WriteFile
) -> None:
    path = write_file("a.txt", f"{header}\n3 1\n1 2\n2 1\n")
    assert read_graph(path).directed == directed
    assert edges_of(read_graph(path, directed=True)) == [(1, 2), (2, 1), (3, 1)]
    assert edges_of(read_graph(path, directed=False)) == [(1, 2), (1, 3)]


def test_a_third_column_is_a_weight_unless_it_is_not_wanted(write_file: WriteFile) -> None:
    path = write_file("a.txt", "1 2 0.5\n2 3 -1e-3\n")
    assert weights_of(read_graph(path)) == [0.5, np.float32(-1e-3)]
    assert weights_of(read_graph(path, weights=True)) == [0.5, np.float32(-1e-3)]
    assert read_graph(path, weights=False).weights is None


def test_further_columns_are_ignored_with_the_weights(write_file: WriteFile) -> None:
    path = write_file("a.csv", "1,2,5,1289241911.7\n2,3,4,1289241941.5\n")
    assert edges_of(read_graph(path, weights=False)) == [(1, 2), (2, 3)]
    assert edges_of(read_graph(write_file("b.txt", "1 2 {}\n2 3 {}\n"), weights=False)) == [(1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("bob alice\nalice eve\n", ["alice", "bob", "eve"]),
        ("a-1 b-1\n17 b-1\n", ["17", "a-1", "b-1"]),
        ("źdźbło 猫\n猫 😀\n", ["źdźbło", "猫", "😀"]),
        ("source target\nbob alice\n", ["alice", "bob"]),
        ('"de la Cruz, A." bob\nbob bob\n', ["bob", "de la Cruz, A."]),
    ],
)
def test_ids_are_strings_where_the_first_edge_says_so(text: str, labels: list[str], write_file: WriteFile) -> None:
    assert read_graph(write_file("a.txt", text)).labels.tolist() == labels


def test_ids_can_be_forced(write_file: WriteFile) -> None:
    path = write_file("a.txt", "10 9\n9 x\n")
    assert read_graph(path, ids="str").labels.tolist() == ["10", "9", "x"]
    with pytest.raises(LenseError, match=r"a.txt, line 2: 'x' is not a whole number"):
        read_graph(path, ids="int")
    assert read_graph(write_file("b.txt", "a b\n1 2\n"), ids="str").num_edges == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no edges"),
        ("1 2\n3 four\n", "line 2: 'four' .*ids='str'"),
        ("# c\n\n1 2\n1.5 2\n", "line 4: '1.5' .*ids='str'"),
        ("1 -2\n", "line 1: .*'-2' is negative.*ids='str'"),
        ("1 9223372036854775808\n", "line 1: .*'9223372036854775808' does not fit .*ids='str'"),
        ("1\n", "line 1: .*'1'"),
        ("1 2 3 4\n", "line 1: .*weights=False.*columns=.*'1 2 3 4'"),
        ("ann,bob\nbob,eve\nann, \nbob,ann", "line 3: an end"),
        ("1,,2\n", "line 1: an end"),
        ("1 2\n3\n", "line 2: expected 2 columns.*'3'"),
        ("1 2 3\n3 4\n", "line 2: expected 3 columns.*'3 4'"),
        ("1 2 3\n3 4 x\n", "line 2: the weight 'x' in column 3"),
        ("1 2 {}\n2 3 {}\n", "line 1: the weight '{}' in column 3"),
        ("1 2 nan\n", "line 1: the weight 'nan' in column 3 .*weights=False"),
        ("1 2 1e39\n", "line 1: the weight '1e39' in column 3 .*weights=False"),
        ("1 2\n\0\0\n", "not a text file"),
        ("# Ids: str\n# Isolated: \x1b[31m\na b\n", "line 2: .*control characters"),
        ("# Isolated: 7 x\n1 2\n", "line 1: 'x' .*ids='str'"),
        ("u,v\r1,2\r2,3\r", "carriage return .*'u,v'"),
        ("a " + 300 * "b" + "\n", "line 1: .*255 bytes"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, complaint: str, refusal: Refusal) -> None:
    assert re.search(f"^a.txt.*{complaint}", refusal("a.txt", text))


@pytest.mark.parametrize("text", ["source\ttarget\tw\n1\t2\t5\n\t3\t4\n", "1 2 5\n2 3 5\n3 4\n", "1 2\n\n4 5 6\n"])
def test_every_line_has_as_many_columns_also_where_weights_are_ignored(text: str, write_file: WriteFile) -> None:
    with pytest.raises(LenseError, match="line 3: expected"):
        read_graph(write_file("a.txt", text), weights=False)


def test_names_of_columns_without_edges_are_not_a_graph(write_file: WriteFile) -> None:
    with pytest.raises(LenseError, match="holds no edges"):
        read_graph(write_file("a.txt", "a b c\n# all of it\n"), columns="a,b")


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("alice bob\nzoë bob\n".encode("latin-1"))
    with pytest.raises(LenseError, match=r"a.txt, line 2: this is not UTF-8 text"):
        read_graph(path)


def test_files_longer_than_a_block_and_the_line_of_an_error_in_them(tmp_path: Path) -> None:
    ids = np.random.default_rng(0).integers(0, 10**12, size=(100_000, 2))
    text = "\n".join(f"{u}\t{v}" for u, v in ids.tolist()).encode() + b"\n"
    assert len(text) > 2 * CHUNK
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    labels, numbers = np.unique(ids, return_inverse=True)
    sources, targets = numbers.reshape(-1, 2).T
    assert read_graph(path, directed=True) == Graph.from_edges(sources, targets, directed=True, labels=labels)
    path.write_bytes(b"# head\n" + text + b"1 oops\n" + text)
    with pytest.raises(LenseError, match=rf"line {len(ids) + 2}: 'oops'"):
        read_graph(path)


@given(graph=graphs(labels=None, ordered_labels=True))
def test_a_csv_holds_edges_weights_and_direction(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "a.csv"
    ids = "str" if np.issubdtype(graph.labels.dtype, np.str_) else "int"
    if graph.num_edges:
        write_graph(graph, path)
        assert read_graph(path, ids=ids).equals(graph.without_isolated())


def test_a_csv_opens_in_pandas(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.5, 3], labels=np.array([4, 5, 7]), directed=True)
    write_graph(graph, tmp_path / "a.csv.gz")
    frame = pandas.read_csv(tmp_path / "a.csv.gz")
    assert frame.to_dict("list") == {
        "source": [4, 5],
        "target": [5, 7],
        "weight": [0.5, 3.0],
        "type": ["Directed", "Directed"],
    }


def test_what_a_csv_cannot_hold_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_graph(Graph.from_edges([0], [1], num_vertices=4), tmp_path / "a.csv")
    assert "2 vertices without an edge are not in a .csv" in caplog.text
    for labels in (["source", "b"], ["a", "target"]):
        with pytest.raises(LenseError, match="no vertex can be called that"):
            write_graph(Graph.from_edges([0], [1], labels=np.array(labels)), tmp_path / "b.csv")
    with pytest.raises(LenseError, match="this graph has none"):
        write_graph(Graph.from_edges([], [], num_vertices=2), tmp_path / "b.csv")
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("said", [True, False])
def test_the_column_type_of_gephi_says_the_direction(said: bool, write_file: WriteFile) -> None:
    word = "Directed" if said else "Undirected"
    assert read_graph(write_file("a.csv", f"Source,Target,Type,Weight\n1,2,{word},3\n")).directed is said
    assert not read_graph(write_file("b.csv", "Source,Target,Type,Weight\n1,2,friend,3\n")).directed


@pytest.mark.parametrize("words", ["Directed Undirected", "undirected DIRECTED", "friend Directed", "Directed friend"])
@pytest.mark.parametrize("separator", [",", " "])
def test_a_column_type_that_says_both_directions_is_refused(words: str, separator: str, write_file: WriteFile) -> None:
    first, last = words.split()
    rows = [f"v{i} v{i + 1} {first}" for i in range(300)]
    path = write_file("a.txt", "\n".join(["source target type", *rows, f"a b {last}\n"]).replace(" ", separator))
    for weights in (None, False):
        with pytest.raises(LenseError, match=f"line 302: the column 'type' says '{last}', unlike the first edge"):
            read_graph(path, weights=weights)
    assert read_graph(path, directed=True).directed


def test_what_is_written_looks_like_a_snap_file(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.1, 3], labels=np.array(["a", "b", "c", "1"]))
    write_graph(graph, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text().splitlines() == [
        "# Undirected graph",
        "# Nodes: 4 Edges: 2",
        "# Ids: str",
        "# Isolated: 1",
        "a\tb\t0.1",
        "b\tc\t3",
    ]
    write_graph(graph, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().endswith("\na,b,0.1\nb,c,3\n")


@pytest.mark.parametrize("label", ["a b", "a,b", "a\tb", 'a"b', "#a", "%a", "", "é" * 200])
def test_ids_that_would_be_read_as_something_else_are_not_written(label: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], labels=np.array(["x", label]))
    with pytest.raises(LenseError, match=r"An edge list cannot hold the id|An id has at most 255 bytes"):
        write_graph(graph, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("blank", ["\u00a0", "\u2028", "\u3000"])
def test_only_ascii_blanks_separate_ids(blank: str, tmp_path: Path) -> None:
    labels = np.array([f"{blank}a", f"b{blank}c", f"{blank}%", f"e{blank}"])
    graph = Graph.from_edges([0], [1], labels=labels)
    write_graph(graph, tmp_path / "a.txt")
    assert sorted(read_graph(tmp_path / "a.txt").labels) == sorted(labels)


def test_negative_ids_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="cannot hold the id '-1'"):
        write_graph(Graph.from_edges([0], [1], labels=np.array([-1, 1])), tmp_path / "a.txt")
