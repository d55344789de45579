"""Live-edge worlds of both models: their arcs are live as often as they should be, and searches agree."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from lense._util.random_streams import substream
from lense._util.types import Int64s
from lense.graph import Graph
from lense.kernels.cascade import (
    BLOCKED,
    PickedArcs,
    begin_search,
    grow,
    live_arcs,
    new_scratch,
    picked_arcs,
    picking_arcs,
)
from lense.kernels.reverse_sets import count_hits
from lense.kernels.spread import reached_per_world

KEY = np.uint64(2026)


def star(probabilities: list[float]) -> Graph:
    """Arcs from vertex 0 to 1, 2, … with the given probabilities."""
    leaves = np.arange(1, len(probabilities) + 1)
    return Graph.from_edges(
        np.zeros_like(leaves), leaves, probabilities, directed=True, num_vertices=len(probabilities) + 1
    )


def reached(graph: Graph, world: int, start: int = 0) -> Int64s:
    scratch = new_scratch(graph.num_vertices)
    stamp = begin_search(scratch)
    scratch.mark[start], scratch.queue[0] = stamp, start
    key = np.uint64(substream(KEY, world))
    size = grow(live_arcs(graph.outgoing), key, scratch.queue, scratch.mark, stamp, 0, 1)
    found = np.unique(scratch.queue[:size]).astype(np.int64)
    assert found.size == size  # none is there twice
    return found


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


def test_a_long_run_of_rare_arcs_has_the_right_number_of_live_ones() -> None:
    graph = star([0.01] * 5000)
    counts = [reached(graph, world).size - 1 for world in range(2000)]
    assert np.mean(counts) == pytest.approx(50, abs=5 * np.sqrt(50 / 2000))
    assert np.var(counts) == pytest.approx(5000 * 0.01 * 0.99, rel=0.15)


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
        size = grow(live, key, scratch.queue, scratch.mark, stamp, 0, 1, wanted, enough)
        assert size == (-1 if wanted[everything].sum() >= enough else everything.size)
        if size >= 0:
            assert np.sort(scratch.queue[:size]).tolist() == everything.tolist()


WORLDS = 40_000


@st.composite
def share_graphs(draw: st.DrawFn) -> Graph:
    """Small directed graphs whose in-weights sum to 1 at most."""
    n = draw(st.integers(2, 5))
    pairs = draw(st.lists(st.sampled_from([(u, v) for u in range(n) for v in range(n) if u != v]), unique=True))
    weights = np.array([draw(st.integers(1, 8)) for _ in pairs], float)
    targets = np.array([v for _, v in pairs], int)
    totals = np.bincount(targets, weights, n) * draw(st.sampled_from([1.0, 1.5, 3.0]))
    shares = [weight / totals[v] for weight, v in zip(weights, targets, strict=True)]
    return Graph.from_edges([u for u, _ in pairs], targets, shares, directed=True, num_vertices=n)


def picked(graph: Graph) -> PickedArcs:
    return picked_arcs(graph.outgoing, graph.incoming)


def exact_spread(graph: Graph, seeds: set[int]) -> float:
    """By trying every choice of at most one in-arc for each vertex."""
    into = graph.incoming
    assert into.weights is not None
    choices: list[list[tuple[int, float]]] = []
    for v in range(graph.num_vertices):
        row = slice(into.indptr[v], into.indptr[v + 1])
        arcs = list(zip(into.indices[row].tolist(), into.weights[row].tolist(), strict=True))
        choices.append([*arcs, (-1, 1 - sum(weight for _, weight in arcs))])
    total = 0.0
    for world in product(*choices):
        reached = set(seeds)
        for _ in world:
            reached |= {v for v, (tail, _) in enumerate(world) if tail in reached}
        total += float(np.prod([chance for _, chance in world])) * len(reached)
    return total


@settings(max_examples=20, deadline=None)
@given(share_graphs(), st.data())
def test_spread_is_that_of_all_worlds(graph: Graph, data: st.DataObject) -> None:
    n = graph.num_vertices
    seeds = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    chosen, exact = np.array(sorted(seeds)), exact_spread(graph, seeds)
    error = 6 * n / np.sqrt(WORLDS)
    assert reached_per_world(picked(graph), chosen, WORLDS, KEY).mean() == pytest.approx(exact, abs=error)
    hits = count_hits(picking_arcs(graph.incoming), KEY, WORLDS, chosen)
    assert n * hits / WORLDS == pytest.approx(exact, abs=error)
