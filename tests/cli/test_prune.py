"""``lense prune``: a smaller graph with the original ids."""

from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, power_law, read_graph, write_graph
from lense.pruners import load
from tests.conftest import Command


def edges_by_label(graph: Graph) -> set[tuple[int, int]]:
    sources, targets, _ = graph.edges()
    return set(zip(graph.labels[sources].tolist(), graph.labels[targets].tolist(), strict=True))


@pytest.mark.parametrize("name", ["pruned.txt.gz", "pruned.npz", "pruned.parquet"])
def test_the_subgraph_is_written_with_the_original_ids(
    lense: Command, graph_file: Path, model_folder: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / name
    record = lense("prune", graph_file, "-m", model_folder, "--out", out, "--seed", 3, "--json").json
    whole, pruned = read_graph(graph_file), read_graph(out)
    part = load(model_folder).prune(whole, seed=3).graph
    assert edges_by_label(pruned) == edges_by_label(part) < edges_by_label(whole)
    assert pruned.labels.min() >= 1000
    assert (record["vertices"], record["edges"]) == (part.num_vertices, part.num_edges)
    assert record["edges_pruned"] == pytest.approx(1 - part.num_edges / whole.num_edges)


def test_a_model_of_the_collection_can_be_named(lense: Command, tmp_path: Path) -> None:
    write_graph(power_law(2000, 6, 2.3, np.random.default_rng(3)), tmp_path / "graph.npz")
    words = ("prune", tmp_path / "graph.npz", "--out", tmp_path / "part.npz", "--model")
    assert lense(*words, "slashdot-bmc", "--json").json["model"] == "slashdot-bmc"
    lense(*words, "moon-bmc").assert_refused("moon-bmc")


def test_a_shipped_model_prunes_and_for_im_the_probabilities_are_written(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pruned.npz"
    outcome = lense("prune", graph_file, "-p", "im", "-b", 5, "-o", out, "--json")
    assert (outcome.json["model"], outcome.json["pruner"]) == ("shipped", "core")
    assert 0.8 < outcome.json["confidence"] < 1
    shown = lense("prune", graph_file, "-p", "im", "-b", 5, "-o", out).out
    assert "sure of the target" in shown
    pruned = read_graph(out)
    assert pruned.directed
    assert pruned.weights is not None
    assert np.isin(pruned.weights, np.array([0.1, 0.01, 0.001], np.float32)).all()


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (("--pruner", "gnn-t", "--budget", 8), "lense train --pruner gnn-t"),
        (("--pruner", "top-degree"), "--budget"),
        (("--pruner", "nonsense", "--budget", 8), "top-degree"),
        (("--pruner", "top-degree", "--budget", 8, "--set", "nonsense=1"), "roots"),
        (("--pruner", "top-degree", "--budget", 8, "--swaps", 2), "does not walk"),
    ],
)
def test_what_another_pruner_cannot_do_is_said(
    choices: tuple[object, ...], sentence: str, lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    lense("prune", graph_file, "--problem", "mvc", *choices, "--out", tmp_path / "pruned.txt").assert_refused(sentence)
    assert not (tmp_path / "pruned.txt").exists()


def test_bounds_write_the_core_and_beside_it_what_every_optimum_holds(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "core.txt.gz"
    record = lense("prune", graph_file, "--pruner", "bounds", "-p", "mvc", "-b", 8, "--out", out, "--json").json
    forced = (tmp_path / "core.txt.gz.forced.txt").read_text().split()
    assert record["forced"] == len(forced) > 0
    assert record["forced_out"] == str(tmp_path / "core.txt.gz.forced.txt")
    core = read_graph(out)
    assert set(map(int, forced)) <= set(core.labels.tolist())
    best = lense("solve", graph_file, "-p", "mvc", "-b", 8, "--exact", "--json").json
    assert set(map(int, forced)) <= set(best["vertices"]) <= set(core.labels.tolist())
    shown = lense("prune", graph_file, "--pruner", "bounds", "-p", "mvc", "-b", 8, "--out", out).out
    assert f"{len(forced)}, in " in shown
    assert lense("prune", graph_file, "--pruner", "top-degree", "-p", "mvc", "-b", 8, "--out", out).status == 0
    assert [path.name for path in tmp_path.glob("core*")] == ["core.txt.gz"]  # what was forced said nothing about this


def test_where_the_forced_vertices_cannot_be_written_nothing_is(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "core.txt.forced.txt").mkdir()
    given = ("--pruner", "bounds", "-p", "mvc", "-b", 8, "--out", tmp_path / "core.txt")
    assert lense("prune", graph_file, *given).status == 2
    assert not (tmp_path / "core.txt").exists()
