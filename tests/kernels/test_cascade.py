"""Live arcs are live with their probability, independently, and the same for whoever looks."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from lense._util.random_streams import substream
from lense._util.types import Int64s
from lense.graph import Graph
from lense.kernels.cascade import BLOCKED, begin_search, grow, grow_until, live_arcs, new_scratch

KEY = np.uint64(2026)


def star(probabilities: list[float]) -> Graph:
    """Arcs from vertex 0 to 1, 2, … with the given probabilities."""
    leaves = np.arange(1, len(probabilities) + 1)
    return Graph.from_edges(
        np.zeros_like(leaves), leaves, probabilities, directed=True, num_vertices=len(probabilities) + 1
    )


def reached(graph: Graph, world: int, start: int = 0) -> Int64s:
    scratch = new_scratch(graph.num_vertices)
    scratch.mark[start] = begin_search(scratch)
    scratch.queue[0] = start
    size = grow(live_arcs(graph.outgoing), np.uint64(substream(KEY, world)), scratch, 1)
    return np.sort(scratch.queue[:size]).astype(np.int64)


@pytest.mark.parametrize(
    "probabilities",
    [[0.5, 0.5, 0.5], [0.1, 0.7, 0.1, 0.3], [0.9, 0.2, 0.9, 0.2]],
    ids=["one run", "runs of one and two", "two runs"],
)
def test_live_patterns_follow_the_product_of_the_probabilities(probabilities: list[float]) -> None:
    graph = star(probabilities)
    worlds = 20_000
    seen = np.zeros(2 ** len(probabilities), np.int64)
    for world in range(worlds):
        leaves = reached(graph, world)[1:]
        seen[np.sum(2 ** (leaves - 1))] += 1
    patterns = [p[::-1] for p in product((0, 1), repeat=len(probabilities))]
    expected = [
        np.prod([p if live else 1 - p for p, live in zip(probabilities, pattern, strict=True)]) for pattern in patterns
    ]
    assert chisquare(seen, worlds * np.array(expected)).pvalue > 1e-4


def test_sure_arcs_are_always_live_and_impossible_ones_never() -> None:
    graph = star([1.0, 0.0, 1.0, 0.0])
    for world in range(200):
        np.testing.assert_array_equal(reached(graph, world), [0, 1, 3])


def test_a_long_run_of_rare_arcs_has_the_right_number_of_live_ones() -> None:
    graph = star([0.01] * 5000)
    counts = [reached(graph, world).size - 1 for world in range(2000)]
    assert np.mean(counts) == pytest.approx(50, abs=5 * np.sqrt(50 / 2000))
    assert np.var(counts) == pytest.approx(5000 * 0.01 * 0.99, rel=0.15)


def test_a_world_is_the_same_from_wherever_it_is_entered() -> None:
    rng = np.random.default_rng(0)
    sources, targets = rng.integers(0, 60, (2, 300))
    graph = Graph.from_edges(sources, targets, np.full(300, 0.3), directed=True, num_vertices=60)
    for world in range(50):
        far = set(reached(graph, world).tolist())
        for v in list(far)[:5]:
            assert set(reached(graph, world, v).tolist()) <= far


def test_blocked_vertices_are_not_entered() -> None:
    chain = Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 1.0, 1.0], directed=True)
    scratch = new_scratch(4)
    scratch.mark[2] = BLOCKED
    scratch.mark[0] = begin_search(scratch)
    scratch.queue[0] = 0
    assert grow(live_arcs(chain.outgoing), KEY, scratch, 1) == 2


def test_stamps_start_again_before_they_run_out() -> None:
    scratch = new_scratch(3)
    scratch.stamp[0] = BLOCKED - 1
    scratch.mark[:] = np.array([5, BLOCKED, BLOCKED - 1])
    assert begin_search(scratch) == 1
    np.testing.assert_array_equal(scratch.mark, [0, BLOCKED, 0])


def test_a_search_that_ends_with_enough_wanted_vertices_is_otherwise_the_same() -> None:
    rng = np.random.default_rng(3)
    sources, targets = rng.integers(0, 40, (2, 200))
    graph = Graph.from_edges(sources, targets, rng.random(200) / 3, directed=True, num_vertices=40)
    live, scratch, wanted = live_arcs(graph.outgoing), new_scratch(40), np.arange(40) % 3 == 0
    for world, enough in product(range(60), (1, 2, 5)):
        everything, stamp = reached(graph, world), begin_search(scratch)
        scratch.mark[0], scratch.queue[0] = stamp, 0
        key = np.uint64(substream(KEY, world))
        size = grow_until(live, key, scratch.queue, scratch.mark, stamp, 0, 1, wanted, enough)
        assert size == (-1 if wanted[everything].sum() >= enough else everything.size)
        if size >= 0:
            assert np.sort(scratch.queue[:size]).tolist() == everything.tolist()
