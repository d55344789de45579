"""Pruning in a stream: the part that memory gives."""

from pathlib import Path

import numpy as np
import pytest

import lense
from lense.errors import LenseError
from lense.problems import get_problem
from lense.pruners import Bounds
from lense.pruners.quickprune import QuickPrune
from lense.streaming.graph import StreamedGraph, least_degree
from lense.streaming.memory import MemoryBudget
from lense.streaming.solving import prune_streamed
from tests.streaming.graphs import KINDS, STREAMED, graph_of, pruner_of, scan_of

UNKNOWN = [("domination", "bounds")]
"""A pruner that does not know the problem, in memory either."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "pruner"),
    [(name, pruner) for name in ("mvc", "bmc", "domination") for pruner in STREAMED if (name, pruner) not in UNKNOWN],
)
def test_a_part_is_that_of_memory(pruner: str, name: str, kind: str, tmp_path: Path) -> None:
    graph, problem = graph_of(kind, seed=2), get_problem(name)
    chosen = pruner_of(pruner, problem, 9)
    streamed = StreamedGraph(scan_of(graph, tmp_path / "g"), MemoryBudget.of(None))
    if name == "domination" and (kind == "arcs" or pruner == "quickprune"):
        with pytest.raises(LenseError, match=r"Domination counts neighbours|In a stream, .* is for problems"):
            prune_streamed(chosen, streamed)
        return
    found, whole = prune_streamed(chosen, streamed), chosen.prune(graph)
    assert found.graph.equals(whole.graph)
    for array in ("vertices", "roots", "forced"):
        assert np.array_equal(getattr(found, array), getattr(whole, array))
    assert found.only_roots == whole.only_roots


def test_quickprune_for_several_budgets_is_that_of_memory(tmp_path: Path) -> None:
    graph = graph_of("rmat")
    pruner = QuickPrune("mvc", 30, least_budget=3)
    found = prune_streamed(pruner, StreamedGraph(scan_of(graph, tmp_path / "g"), MemoryBudget.of(None)))
    assert np.array_equal(found.vertices, pruner.prune(graph).vertices)


def test_vertices_of_small_degree_are_left_out_and_their_edges_counted(tmp_path: Path) -> None:
    graph = graph_of("rmat")
    streamed = StreamedGraph(scan_of(graph, tmp_path / "g"), MemoryBudget.of(None))
    part = streamed.truncated_for(1, 3)
    least = least_degree(graph.out_degrees, 3, 1)
    assert np.array_equal(part.vertices, np.flatnonzero(graph.out_degrees >= least))
    assert 6 <= part.vertices.size < graph.num_vertices / 2
    assert np.array_equal(part.graph.out_degrees + part.cut_off, graph.out_degrees[part.vertices])
    assert (part.whole_edges, part.num_left_out) == (graph.num_edges, graph.num_vertices - part.vertices.size)
    assert streamed.truncated(part.vertices[2:4]) is part


def test_lense_prune_and_solve_take_a_scan(tmp_path: Path) -> None:
    graph = graph_of("rmat")
    found = scan_of(graph, tmp_path / "g")
    assert lense.prune(found, "mvc", 5, pruner="bounds").equals(Bounds("mvc", 5).prune(graph).graph)
    assert lense.solve(found, "bmc", 5).score == lense.solve(graph, "bmc", 5).score
    assert lense.solve(found, "mvc", 5, prune=True).pruned is not None
    with pytest.raises(LenseError, match="Functions of your own need the graph in memory"):
        lense.solve(found, "mvc", 5, heuristic=lambda graph, budget: [0])
    with pytest.raises(LenseError, match=r"for a scan, call lense\.prune"):
        Bounds("mvc", 5).prune(found)
