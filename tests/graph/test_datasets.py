"""The paper's graphs by name: their figures, how they are found, and how they are read."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import (
    DATASETS,
    Dataset,
    Graph,
    available,
    find_dataset,
    graph_files,
    load_dataset,
    open_graph,
    split,
    write_graph,
)
from lense.graph.datasets import content_digest, read_listed
from tests.graph.listing import edges_of
from tests.skips import needs_data

AT_HAND = ["facebook", "wiki", "deezer", "slashdot", "twitter", "dblp"]

SIGNED_LINES = "# FromNodeId ToNodeId Sign\n30\t7\t-1\n7\t30\t1\n7\t100\t1\n100\t100\t1\n30\t7\t-1\n"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """An empty data folder and an empty cache."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    for variable, folder in (("LENSE_DATA", data), ("LENSE_CACHE", cache)):
        folder.mkdir()
        monkeypatch.setenv(variable, str(folder))
    return data, cache


@pytest.fixture
def tiny(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """A directed data set called tiny, in the data folder: three vertices, four arcs, one a self loop."""
    dataset = Dataset(
        name="tiny",
        file="tiny.txt.gz",
        vertices=3,
        edges=4,
        directed=True,
        split=(1, 2),
        arc_split=(3, 1),
        merges_directions=True,
    )
    monkeypatch.setitem(DATASETS, "tiny", dataset)
    with gzip.open(folders[0] / "tiny.txt.gz", "wt") as file:
        file.write(SIGNED_LINES)
    return dataset


@needs_data
@pytest.mark.parametrize("arcs", [False, True])
@pytest.mark.parametrize("name", AT_HAND)
def test_real_graphs_split_as_in_the_paper(name: str, arcs: bool) -> None:
    dataset, path = DATASETS[name], find_dataset(name)
    assert path is not None
    assert content_digest(read_listed(dataset, path)) == dataset.sha256
    graph = load_dataset(name, arcs=arcs)
    assert graph.num_vertices == dataset.vertices
    assert graph.directed == (arcs or name == "wiki")
    assert graph.num_self_loops == (14 if name == "twitter" else 0)
    sides = split(graph, dataset.train_fraction(arcs=arcs), seed=0)
    assert tuple(side.num_edges for side in sides) == tuple((arcs and dataset.arc_split) or dataset.split)


@pytest.mark.usefixtures("tiny")
def test_arcs_are_kept_or_merged() -> None:
    arcs = load_dataset("tiny", arcs=True)
    assert edges_of(arcs) == [(7, 30), (7, 100), (30, 7), (100, 100)]
    assert arcs.weights is None
    merged = load_dataset("tiny")
    assert not merged.directed
    assert edges_of(merged) == [(7, 30), (7, 100), (100, 100)]


def test_the_digest_depends_on_the_edges_alone(tiny: Dataset, folders: tuple[Path, Path]) -> None:
    pairs = np.array([[7, 30], [7, 100], [30, 7], [100, 100]])
    listed = read_listed(tiny, folders[0] / "tiny.txt.gz")
    shuffled = Graph.from_edges(
        [1, 2, 2, 0], [2, 0, 1, 0], directed=True, labels=np.array([100, 30, 7]), keep_self_loops=True
    )
    assert content_digest(shuffled) == content_digest(listed)
    reverse = Graph.from_edges(
        [2, 0, 1, 0], [1, 2, 2, 0], directed=True, labels=np.array([100, 30, 7]), keep_self_loops=True
    )
    assert content_digest(reverse) != content_digest(listed)
    assert content_digest(listed) == hashlib.sha256(pairs.astype("<i8").tobytes()).hexdigest()


def test_a_data_set_is_found_in_any_packing(tiny: Dataset, folders: tuple[Path, Path]) -> None:
    data, cache = folders
    expected = load_dataset("tiny")
    write_graph(read_listed(tiny, data / "tiny.txt.gz"), cache / "tiny.npz")
    assert find_dataset("tiny") == data / "tiny.txt.gz"
    (data / "tiny.txt.gz").unlink()
    assert find_dataset("tiny") == cache / "tiny.npz"
    assert load_dataset("tiny").equals(expected)
    assert (tiny, cache / "tiny.npz") in available()


@pytest.mark.usefixtures("tiny")
def test_a_file_with_other_counts_is_refused(folders: tuple[Path, Path]) -> None:
    with gzip.open(folders[0] / "tiny.txt.gz", "at") as file:
        file.write("7\t8\t1\n")
    with pytest.raises(LenseError, match=r"tiny\.txt\.gz.*4 vertices and 5 edges instead of 3 and 4"):
        load_dataset("tiny")


def test_a_name_that_is_not_found_says_what_to_do(folders: tuple[Path, Path]) -> None:
    assert find_dataset("talk") is None
    for opened in (load_dataset, open_graph):
        with pytest.raises(LenseError, match="lense data get talk"):
            opened("talk")
    (folders[0] / "web-Stanford.txt").write_text("0 1\n")
    with pytest.raises(LenseError, match=r"facebook, wiki.*web-Stanford.*did you mean 'facebook'"):
        open_graph("facebok")
    with pytest.raises(LenseError, match="no data set called 'web-Stanford'"):
        load_dataset("web-Stanford")


def test_other_files_are_opened_by_name_from_either_folder(folders: tuple[Path, Path]) -> None:
    data, cache = folders
    (data / "roads.txt").write_text("0 1\n1 2\n")
    (cache / "roads.txt").write_text("0 1\n")
    (cache / "rivers.csv").write_text("5,6\n6,5\n")
    (data / "README.md").write_text("not a graph\n")
    (data / ".12-ab.roads.npz").write_bytes(b"being written")
    assert graph_files() == {"roads": data / "roads.txt", "rivers": cache / "rivers.csv"}
    assert open_graph("roads").num_edges == 2
    assert open_graph("rivers", arcs=True).num_edges == 2


def test_a_path_is_read_before_any_name(tiny: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_graph("tiny").equals(load_dataset("tiny"))
    Path("tiny").write_text("0 1\n")
    assert open_graph("tiny", format="edge-list").num_edges == 1
    assert tiny.name in DATASETS


def test_lines_of_a_file_are_arcs_on_request_unless_its_direction_is_given(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("0 1\n1 0\n1 2\n")
    assert open_graph(path).num_edges == 2
    assert open_graph(path, arcs=True).num_edges == 3
    assert open_graph(str(path), arcs=True, directed=False).num_edges == 2
    assert not open_graph(path, arcs=True, directed=False).directed


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize("missing", ["nowhere/graph", "graph.txt.gz", Path("graph")])
def test_a_path_that_does_not_exist_is_not_taken_for_a_name(missing: str | Path) -> None:
    with pytest.raises(LenseError, match="graph") as raised:
        open_graph(missing)
    assert "choose from" not in str(raised.value)


@pytest.mark.usefixtures("tiny")
def test_a_data_set_takes_no_options_but_defaults() -> None:
    assert open_graph("tiny", directed=None, keep_duplicates=None).equals(load_dataset("tiny"))
    with pytest.raises(LenseError, match="leave out directed"):
        open_graph("tiny", directed=True)


def test_a_data_folder_that_is_none_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_DATA", str(tmp_path / "typo"))
    with pytest.raises(LenseError, match=r"LENSE_DATA.*typo"):
        graph_files()
