"""Where learning pays: one tiny cell from the split to the page."""

from functools import partial
from typing import Any

import networkx as nx
import pytest

import lense
from benchmarks import black_box_problems, learning
from benchmarks.black_box_graphs import simple
from benchmarks.black_box_problems import Cell, WeightedCover

METHODS = {"LeNSE", "learned from answers", "learned from gains", "core", "degree", "PageRank", "core number", "random"}
CELL = Cell("made", 4, 400)


@pytest.fixture(autouse=True)
def small_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = nx.to_scipy_sparse_array(nx.powerlaw_cluster_graph(400, 3, 0.5, seed=1))
    monkeypatch.setattr(black_box_problems, "read", lambda name, directed: simple(matrix, directed))


def test_every_method_gives_parts_of_the_size_of_lense(monkeypatch: pytest.MonkeyPatch) -> None:
    less = {"samples_per_class": 10, "epochs": 2, "train_steps": 20, "evaluations": 1, "cutoffs": (0.9,)}
    monkeypatch.setattr(lense, "LeNSE", partial(lense.LeNSE, settings=less))
    found = {one["method"]: one for one in learning.measure(WeightedCover, CELL, 0, 150)}
    assert found.keys() == METHODS | {"oracle", *learning.OWN_SIZES}
    assert found["LeNSE"]["train_vertices"] + found["LeNSE"]["test_vertices"] <= 400
    size = found["LeNSE"]["one-hop"]["vertices"]
    for name in METHODS | {"oracle"}:
        assert found[name]["induced"]["vertices"] == size
        assert found[name]["one-hop"]["vertices"] == pytest.approx(size, abs=60)
        assert 0 < found[name]["one-hop"]["ratio"] < 1.5
    assert found["oracle, its own size"]["one-hop"]["ratio"] >= 0.95


def test_a_method_that_cannot_learn_is_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise lense.LenseError("There is nothing to learn.")

    monkeypatch.setattr(lense, "LeNSE", refuse)
    found = learning.measure(WeightedCover, CELL, 1, 150)
    text = learning.page([*found, *found])
    assert "| LeNSE | failed |" in text
    assert "LeNSE on WeightedCover, seed 1: LenseError: There is nothing to learn." in text
    assert "| oracle | 1.000 ± 0.000 |" in text
