"""Weights in a stream: mvc and bmc count them as in memory."""

from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, scan, write_graph
from lense.problems import get_problem
from lense.pruners.ranking import largest
from lense.streaming.graph import least_weight
from lense.streaming.passes import sum_into, tally
from lense.streaming.solving import solve_scan
from tests.streaming.graphs import KINDS, assert_same, graph_of, scan_of, weighted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["mvc", "bmc"])
def test_sums_that_are_rounded_lead_to_the_same_choices(name: str, kind: str, tmp_path: Path) -> None:
    graph, problem = weighted(kind, whole=False), get_problem(name)
    whole = problem.solve(graph, 8, np.random.default_rng(0))
    found = solve_scan(problem, scan_of(graph, tmp_path / "g"), 8)
    assert found.indices.tolist() == whole.indices.tolist()
    assert found.score == pytest.approx(whole.score, rel=1e-12)
    assert found.upper_bound == pytest.approx(whole.upper_bound, rel=1e-8)


def test_few_of_the_vertices_can_matter(tmp_path: Path) -> None:
    """Else the stream would hold the whole graph; weights decide, not degrees."""
    graph = graph_of("arcs")
    sources, targets, _ = graph.edges()
    heavy = Graph.from_edges(sources, targets, 1 + (sources % 50 == 7) * 7.0, directed=True)
    found = solve_scan(get_problem("mvc"), scan_of(heavy, tmp_path / "g"), 3)
    plain = solve_scan(get_problem("mvc"), scan_of(graph, tmp_path / "plain"), 3)
    assert found.pruned is not None
    assert found.pruned.vertices < graph.num_vertices / 4
    assert "by their weights" in found.reason
    assert found.indices.tolist() != plain.indices.tolist()


def test_one_file_and_a_mapped_graph_give_the_same(tmp_path: Path) -> None:
    graph, problem = weighted("rmat"), get_problem("mvc")
    whole = problem.solve(graph, 6, np.random.default_rng(0))
    for name in ("g.parquet", "g.npz"):
        write_graph(graph, tmp_path / name)
        found = scan(tmp_path / name)
        assert found.read().equals(graph)
        assert_same(solve_scan(problem, found, 6), whole)
        unweighted = solve_scan(problem, scan(tmp_path / name, weights=False), 6)
        assert_same(unweighted, problem.solve(graph.reweighted(None), 6, np.random.default_rng(0)))


def test_a_weight_that_cannot_be_counted_is_one_sentence(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, -0.5, 2.0])
    with pytest.raises(LenseError, match=r"An edge has the weight -0\.5, but only weights from 0 up can be counted"):
        solve_scan(get_problem("mvc"), scan_of(graph, tmp_path / "g"), 1)


def test_the_least_weight_that_matters_by_hand() -> None:
    """A path with weights 10, 1, 1, 8, and one choice; C are its vertices 0, 1, 3, so that q = 2."""
    sources, targets = np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32)
    edges = [(sources, targets, np.array([10, 1, 1, 8], np.float32))]
    counted = tally(5, True, edges)
    assert counted.sums.tolist() == [10, 11, 2, 9, 8]
    assert (counted.total, counted.is_whole, counted.degrees.tolist()) == (20, True, [1, 2, 2, 2, 1])
    hubs = np.array([0, 1, 3])
    into = sum_into(5, hubs, edges)
    assert into.tolist() == [10, 10, 2, 0, 8]
    assert least_weight(counted.sums[hubs], into, 1, 1) == pytest.approx((9 + 10 - 10) / 2)


@pytest.mark.parametrize("loss", [1, 2])
def test_whatever_is_taken_as_many_others_add_the_least_weight_or_more(loss: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        graph = weighted("rmat", seed, whole=False)
        sums, count = get_problem("mvc").degrees(graph), int(rng.integers(1, 6))
        sources, targets, weights = graph.edges()
        assert weights is not None
        hubs = np.sort(largest(sums, 8 * count))
        least = least_weight(sums[hubs], sum_into(sums.size, hubs, [(sources, targets, weights)]), count, loss)
        taken = largest(sums, 3 * count)[rng.permutation(3 * count)[:count]]
        adds = sums - loss * sum_into(sums.size, np.sort(taken), [(sources, targets, weights)])
        adds[taken] = -np.inf
        assert np.count_nonzero(adds >= least) >= count
