"""``lense graph``: look, convert, split, generate."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from lense.graph import read_graph
from tests.conftest import Command


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text("# Undirected graph\n1 2\n2 3\n3 1\n7 8\n2 1\n5 5\n")
    return path


def test_info_counts_what_is_there(lense: Command, edges: Path) -> None:
    facts = lense("graph", "info", edges, "--json").json
    assert (facts["vertices"], facts["edges"], facts["directed"]) == (6, 4, False)
    assert (facts["components"], facts["largest_component"], facts["isolated_vertices"]) == (3, 3, 1)
    assert (facts["largest_degree"], facts["weights"], facts["ids"]) == (2, None, "integers")
    kept = lense("graph", "info", edges, "--keep-duplicates", "--keep-self-loops", "--json").json
    assert kept["edges"] == 6
    assert "vertices by degree" in lense("graph", "info", edges).out


def test_what_was_removed_is_logged_on_request(lense: Command, edges: Path) -> None:
    logged = lense("graph", "info", edges, "-v").err
    assert logged.count("removed 1 ") == 2
    assert lense("graph", "info", edges).err == ""


@pytest.mark.parametrize("name", ["g.txt.gz", "g.mtx.xz", "g.npz"])
def test_convert_keeps_the_graph(lense: Command, edges: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    assert lense("graph", "convert", edges, out).status == 0
    assert read_graph(out).equals(read_graph(edges))


def test_split_shares_the_edges_out(lense: Command, tmp_path: Path) -> None:
    whole, train, test = tmp_path / "whole.npz", tmp_path / "train.txt.gz", tmp_path / "test.npz"
    lense("graph", "generate", "barabasi-albert", whole, "--set", "n=500", "--set", "m=3", "--seed", 1)
    assert lense("graph", "split", whole, train, test, "--train-fraction", 0.3, "--seed", 2).status == 0
    edges = read_graph(whole).num_edges
    assert read_graph(train).num_edges == round(0.3 * edges)
    assert read_graph(train).num_edges + read_graph(test).num_edges == edges


def test_split_for_im_draws_probabilities_on_the_whole_graph_first(lense: Command, edges: Path, tmp_path: Path) -> None:
    train, test = tmp_path / "train.npz", tmp_path / "test.npz"
    lense("graph", "split", edges, train, test, "-f", 0.5, "--problem", "im", "--seed", 4)
    for path in (train, test):
        part = read_graph(path)
        assert part.directed
        assert part.weights is not None
        assert np.isin(part.weights, np.array([0.1, 0.01, 0.001], np.float32)).all()


def test_generate_makes_the_same_graph_from_the_same_seed(lense: Command, tmp_path: Path) -> None:
    parameters = ("average_degree=6", "n=3e2", "exponent=2.5")
    settings = [word for parameter in parameters for word in ("--set", parameter)]
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    for out in (first, second):
        assert lense("graph", "generate", "power-law", out, *settings, "--seed", 9).status == 0
    assert read_graph(first).num_edges > 100
    assert first.read_bytes() == second.read_bytes()


def test_flags_of_reading_reach_the_reader(lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def opened(name: str, **options: Any) -> None:
        given.update(options)
        raise typer.Exit

    monkeypatch.setattr("lense.streaming.converting.open_graph", opened)
    flags = ("--columns", "from,to,cost", "--undirected", "--format", "csv", "--no-weights", "--no-header")
    lense("graph", "info", "g.csv", *flags)
    assert given == {"columns": "from,to,cost", "directed": False, "format": "csv", "header": False, "weights": False}
