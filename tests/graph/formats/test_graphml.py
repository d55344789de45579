"""GraphML: every way to write the same graph, and damaged files."""

import sys
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, from_networkx, read_graph, write_graph
from tests.graph.formats.conftest import Refusal, WriteFile
from tests.graph.listing import edges_of

GRAPHS = {
    "text": Graph.from_edges([0, 1], [1, 2], [0.5, 3], labels=np.array(["a", "b", "c"]), directed=True),
    "numbers, one isolated": Graph.from_edges([0, 1], [1, 3], labels=np.array([2, 5, 7, 11])),
    "signs": Graph.from_edges([0, 1], [1, 2], labels=np.array(["é '&amp;'", "<[#]>", "名 &lt"])),
    "one edge": Graph.from_edges([0], [1], labels=np.array([1, 2])),
}
GRAPHML = '<graphml><graph edgedefault="undirected">{}</graph></graphml>'
NODES = '<node id="a"/><node id="b"/>'


def weights_of(graph: Graph) -> list[float]:
    assert graph.weights is not None
    return [float(weight) for weight in graph.weights]


@pytest.mark.parametrize("name", ["a.graphml", "a.graphml.gz"])
@pytest.mark.parametrize("kind", GRAPHS)
def test_what_is_written_is_read(kind: str, name: str, tmp_path: Path) -> None:
    write_graph(GRAPHS[kind], tmp_path / name)
    assert read_graph(tmp_path / name) == GRAPHS[kind]


def test_other_libraries_write_the_same_graph(tmp_path: Path) -> None:
    theirs = nx.gnp_random_graph(60, 0.2, seed=3, directed=True)
    for u, v in theirs.edges:
        theirs[u][v]["weight"] = (u + 1) / (v + 1)
        theirs[u][v]["note"] = 'a ] "b" ['
    nx.write_graphml(theirs, tmp_path / "n.graphml")
    ours = read_graph(tmp_path / "n.graphml")
    assert ours == from_networkx(theirs)
    numbered = igraph.Graph.from_networkx(theirs)
    numbered.write_graphml(str(tmp_path / "i.graphml"))
    again = read_graph(tmp_path / "i.graphml")
    assert again.indices.tolist() == ours.indices.tolist()
    assert weights_of(again) == pytest.approx(weights_of(ours), rel=1e-6)


def test_a_file_of_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = from_networkx(nx.gnp_random_graph(40, 0.3, seed=1))
    write_graph(graph, tmp_path / "a.graphml")
    for size in (1, 7, 100):
        monkeypatch.setattr("lense.graph.formats.streams.CHUNK", size)
        assert read_graph(tmp_path / "a.graphml") == graph


def test_options_count(tmp_path: Path) -> None:
    write_graph(GRAPHS["text"], path := tmp_path / "a.graphml")
    assert read_graph(path, weights=False, directed=False) == GRAPHS["text"].as_undirected().reweighted(None)
    with pytest.raises(LenseError, match="ids that are not integers"):
        read_graph(path, ids="int")


def test_an_attribute_called_id_is_an_attribute(tmp_path: Path) -> None:
    theirs = nx.Graph()
    theirs.add_nodes_from([("x", {"id": "same", "name": "n"}), ("y", {"id": "same", "name": "n"})])
    theirs.add_edge("x", "y", id="e", source="s")
    nx.write_graphml(theirs, path := tmp_path / "a.graphml")
    assert edges_of(read_graph(path)) == [("x", "y")]
    text = '<key id="d0" for="node" attr.name="id"/><graph><node id="x"><data key="d0">q</data></node></graph>'
    (tmp_path / "b.graphml").write_text(f"<graphml>{text}</graphml>")
    assert read_graph(tmp_path / "b.graphml").labels.tolist() == ["x"]


def test_what_vertices_are_called(write_file: WriteFile) -> None:
    """By numbers only where all ids are written like numbers."""
    path = write_file("a.graphml", GRAPHML.format('<node id="1"/><node id="01"/><edge source="1" target="01"/>'))
    assert edges_of(read_graph(path)) == [("1", "01")]
    with pytest.raises(LenseError, match="gives the id '1' to two vertices"):
        read_graph(path, ids="int")


@pytest.mark.parametrize(
    "text",
    [
        '<key id="w" for="edge" attr.name="weight"/><graph edgedefault="undirected">'
        "<node id='1'/><node id='2'/><edge source='1' target='2'><data key='w'> .5 </data></edge></graph>",
        '<key id="w" attr.name="weight"><default>0.5</default></key><graph>'
        '<edge id="e" target="1" source="2"/><node id="2"><port name="p"/></node><node id="&#49;"></node></graph>',
        '<!-- <node id="3"/> --><?pi <node?><key id="w" for="edge" attr.name="weight"/><graph><node id="1"><data '
        'key="x">a<y:b xmlns:y="u"><y:edge/></y:b></data></node><node id="2"/>'
        '<edge source="1" target="2" directed="false"><data key="w"><![CDATA[0.]]>5</data></edge></graph>',
    ],
)
@pytest.mark.parametrize("prefix", ["", "g:"])
def test_every_way_to_write_the_same_graphml(text: str, prefix: str, write_file: WriteFile) -> None:
    for name in ("key", "graph", "node", "edge", "data", "default", "port"):
        text = text.replace(f"<{name}", f"<{prefix}{name}").replace(f"</{name}", f"</{prefix}{name}")
    path = write_file("a.graphml", f'<{prefix}graphml xmlns:g="http://g.org">{text}</{prefix}graphml>')
    graph = read_graph(path)
    assert (sorted(graph.labels.tolist()), graph.num_edges, graph.directed) == ([1, 2], 1, False)
    assert weights_of(graph) == [0.5, 0.5]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_graphml_says_how_it_is_encoded(encoding: str, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + GRAPHML.format('<node id="é"/>')
    (tmp_path / "a.graphml").write_bytes(text.encode(encoding))
    assert read_graph(tmp_path / "a.graphml").labels.tolist() == ["é"]


def test_an_edge_of_graphml_may_say_its_direction(write_file: WriteFile) -> None:
    edge = '<edge source="a" target="b" directed="true"/>'
    assert read_graph(write_file("a.graphml", GRAPHML.format(NODES + edge))).directed
    path = write_file("b.graphml", GRAPHML.format(NODES + edge + '<edge source="b" target="a"/>'))
    with pytest.raises(LenseError, match="has directed and undirected edges"):
        read_graph(path)
    assert read_graph(path, directed=True).num_edges == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: this is not GraphML (no element found)"),
        ("graph [ node", "line 1: this is not GraphML"),
        ("<html/>", "line 1: this is XML but not GraphML: the document is a 'html'."),
        ("<graphml/>", "without a graph"),
        ("<graphml>\n<graph>\n</graphml>", "line 3: this is not GraphML (mismatched tag)"),
        ("<graphml><graph/><graph/></graphml>", "here is a second one"),
        (GRAPHML.format('<node id="a"><graph/></node>'), "here is a second one"),
        (GRAPHML.format("<node/>"), "an element 'node' lacks the attribute 'id'"),
        (GRAPHML.format(NODES + '<edge source="a"/>'), "an element 'edge' lacks the attribute 'target'"),
        (GRAPHML.format(NODES + '<edge source="a" target="c"/>'), "edge of a vertex 'c', but no such vertex"),
        (GRAPHML.format(NODES + '<node id="a"/>'), "gives the id 'a' to two vertices"),
        (
            GRAPHML.format(NODES + '<edge source="a" target="b"><data key="w">1</data></edge>'),
            "no key is called 'w': declare it above the graph",
        ),
        (GRAPHML.format("<hyperedge/>"), "does not read hyperedges"),
        *(
            (GRAPHML.format(NODES + nested), "must stand directly in the graph")
            for nested in (
                '<edge source="a" target="b"><edge source="b" target="a"/></edge>',
                '<edge source="a" target="b"><node id="c"/></edge>',
                '<node id="c"><node id="d"/></node>',
                '<node id="c"><data key="d"><edge source="a" target="b"/></data></node>',
                '<other><edge source="a" target="b"/></other>',
                '</graph><edge source="a" target="b"/><graph>',
            )
        ),
        (GRAPHML.format(f'<node id="{"x" * 300}"/>'), "an id of more than 255 bytes"),
        ('<graphml><graph edgedefault="x"/></graphml>', "edges are directed or undirected, not 'x'"),
        (
            '<graphml><key id="w" for="edge" attr.name="weight"/><graph>' + NODES + '\n<edge source="a" target="b">'
            '<data key="w">heavy</data></edge></graph></graphml>',
            "line 2: the weight 'heavy' is not a finite number",
        ),
        (
            '<graphml><key id="w" attr.name="weight"/><graph>' + NODES + '<edge source="a" target="b">'
            '<data key="w">1</data><data key="w">2</data></edge></graph></graphml>',
            "an edge has several weights",
        ),
        (
            '<graphml><key id="w" attr.name="weight"><default>1e300</default></key><graph>'
            + NODES
            + '<edge source="a" target="b"/></graph></graphml>',
            "weights that are not finite",
        ),
        ('<!DOCTYPE graphml [<!ENTITY a "b">]><graphml/>', "remove the declarations"),
        ('<?xml version="1.0" encoding="rot13"?><graphml/>', "the encoding 'rot13' is not supported"),
        ("<graphml>" + "<a>" * 101, "nested more than 100 deep"),
        ("<graphml>" + "".join(f"<a{i}/>" for i in range(11_000)), "different names"),
        (f"<graphml a='{'x' * 4_000_000}'/>", "bytes"),
    ],
)
def test_what_is_wrong_with_graphml_is_one_sentence(text: str, said: str, refusal: Refusal) -> None:
    assert said in refusal("a.graphml", text)


def test_reading_needs_no_library_and_writing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_graph(GRAPHS["text"], tmp_path / "a.graphml")
    monkeypatch.setitem(sys.modules, "networkx", None)
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert read_graph(tmp_path / "a.graphml") == GRAPHS["text"]
    with pytest.raises(LenseError, match=r"needs networkx"):
        write_graph(GRAPHS["text"], tmp_path / "b.graphml")
    assert not (tmp_path / "b.graphml").exists()


def test_ids_that_xml_cannot_hold_are_not_written(tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], labels=np.array(["a\x1b", "b"]))
    with pytest.raises(LenseError, match="GraphML cannot hold the id"):
        write_graph(graph, tmp_path / "a.graphml")
