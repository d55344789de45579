"""GraphML and GML, by whichever library is there."""

import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from lense.graph.formats import markup

GRAPHS = {
    "text": Graph.from_edges([0, 1], [1, 2], [0.5, 3], labels=np.array(["a", "b", "c"]), directed=True),
    "numbers, one isolated": Graph.from_edges([0, 1], [1, 3], labels=np.array([2, 5, 7, 11])),
}


@pytest.fixture(params=["igraph", "networkx"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The only one of the two that is there to read with."""
    monkeypatch.setattr(markup, "find_spec", lambda name: name == request.param)
    return str(request.param)


@pytest.mark.parametrize("name", ["a.graphml", "a.gml", "a.graphml.gz", "a.gml.zst"])
@pytest.mark.parametrize("kind", GRAPHS)
def test_what_is_written_is_read(kind: str, name: str, library: str, tmp_path: Path) -> None:
    write_graph(GRAPHS[kind], tmp_path / name)
    assert read_graph(tmp_path / name) == GRAPHS[kind]


@pytest.mark.parametrize("kind", ["graphml", "gml"])
def test_options_count(kind: str, library: str, tmp_path: Path) -> None:
    write_graph(GRAPHS["text"], path := tmp_path / f"a.{kind}")
    assert read_graph(path, weights=False, directed=False) == GRAPHS["text"].as_undirected().reweighted(None)
    with pytest.raises(LenseError, match="ids that are not integers"):
        read_graph(path, ids="int")


def test_vertices_of_gml_without_labels_of_their_own_go_by_their_ids(library: str, tmp_path: Path) -> None:
    text = 'graph [ node [ id 4 label "x" ] node [ id 6 label "x" ] edge [ source 4 target 6 ] ]'
    (tmp_path / "a.gml").write_text(text)
    assert read_graph(tmp_path / "a.gml").labels.tolist() == [4, 6]


@pytest.mark.parametrize("kind", ["graphml", "gml"])
def test_damage_is_one_sentence(kind: str, library: str, tmp_path: Path) -> None:
    (tmp_path / f"a.{kind}").write_text("graph [ node")
    with pytest.raises(LenseError, match=r"is not a whole (GraphML|GML) file"):
        read_graph(tmp_path / f"a.{kind}")


def test_without_either_library_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nx.write_gml(nx.path_graph(3), tmp_path / "a.gml")
    monkeypatch.setattr(markup, "find_spec", lambda name: None)
    with pytest.raises(LenseError, match=r"read by igraph or networkx, and neither is here: pip install 'lense"):
        read_graph(tmp_path / "a.gml")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(LenseError, match=r"needs networkx"):
        write_graph(GRAPHS["text"], tmp_path / "b.gml")
    assert not (tmp_path / "b.gml").exists()
