"""Influence maximisation where not all arcs fit."""

from pathlib import Path

import numpy as np
import pytest

from lense.graph import read_graph
from lense.problems.im import InfluenceMaximisation
from lense.streaming.graph import StreamedGraph
from lense.streaming.memory import MemoryBudget
from lense.streaming.solving import spread_streamed
from tests.streaming.graphs import graph_of, scan_of


@pytest.mark.parametrize("kind", ["rmat", "arcs"])
def test_where_all_arcs_fit_the_answer_is_that_of_memory(kind: str, tmp_path: Path) -> None:
    problem = InfluenceMaximisation(worlds=50)
    found = scan_of(graph_of(kind), tmp_path / "g")
    whole = problem.prepare(read_graph(tmp_path / "g", directed=True))
    expected = problem.solve(whole, 5, np.random.default_rng(0))
    streamed = spread_streamed(problem, StreamedGraph(found, MemoryBudget.of(None)), 5, 0, 10**6)
    assert (streamed.indices.tolist(), streamed.score, streamed.upper_bound) == (
        expected.indices.tolist(),
        expected.score,
        expected.upper_bound,
    )


@pytest.mark.parametrize("model", ["constant", "weighted-cascade"])
def test_otherwise_the_answer_says_that_its_spread_is_an_estimate(model: str, tmp_path: Path) -> None:
    graph = graph_of("arcs")
    problem = InfluenceMaximisation(worlds=200, model=model, probability=0.05 if model == "constant" else 0.01)
    streamed = StreamedGraph(scan_of(graph, tmp_path / "g"), MemoryBudget.of(None))
    found = spread_streamed(problem, streamed, 5, 0, graph.num_edges // 2)
    assert "estimate from that part" in found.reason
    assert "estimate" in found.details
    assert found.upper_bound is None
    assert found.pruned is not None
    assert 0 < found.pruned.edges_pruned < 1
    true, error = problem.evaluate(problem.prepare(graph), found.indices)
    assert found.score <= true + 3 * error  # arcs that were left out can only carry cascades further
