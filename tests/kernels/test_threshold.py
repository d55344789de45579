"""The linear threshold model: its live arcs give the spread that thresholds give."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.cascade import PickedArcs, picked_arcs, picking_arcs
from lense.kernels.reverse_sets import ReverseSets, count_hits
from lense.kernels.spread import WorldGains, reached_per_world

KEY = np.uint64(11)
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


def by_thresholds(graph: Graph, seeds: set[int], rng: np.random.Generator) -> int:
    """How many are reached as the model is defined, with one threshold for each vertex."""
    thresholds, reached = rng.random(graph.num_vertices), set(seeds)
    sources, targets, weights = graph.edges()
    assert weights is not None
    while True:
        is_in = np.isin(sources, list(reached))
        pressure = np.bincount(targets[is_in], weights[is_in], graph.num_vertices)
        grown = reached | set(np.flatnonzero(pressure >= thresholds).tolist())
        if grown == reached:
            return len(reached)
        reached = grown


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


def test_live_arcs_give_the_spread_that_thresholds_give() -> None:
    graph = Graph.from_edges([0, 1, 2, 0, 3, 1], [1, 2, 0, 3, 2, 3], [0.4, 0.5, 0.2, 0.3, 0.3, 0.6], directed=True)
    rng = np.random.default_rng(0)
    simulated = np.mean([by_thresholds(graph, {0}, rng) for _ in range(4000)])
    assert simulated == pytest.approx(exact_spread(graph, {0}), abs=0.1)


def test_searches_in_both_directions_see_the_same_worlds() -> None:
    rng = np.random.default_rng(3)
    sources, targets = rng.integers(0, 40, (2, 160))
    graph = Graph.from_edges(sources, targets, directed=True, num_vertices=40)
    graph = graph.reweighted((1 / np.maximum(graph.in_degrees, 1)).astype(np.float32)[graph.indices])
    sets = ReverseSets(picking_arcs(graph.incoming), KEY)
    sets.extend_to(500)
    offsets, members = sets.arrays()
    worlds = WorldGains(picked(graph), 500, KEY)
    hits = sum(3 in members[offsets[i] : offsets[i + 1]] for i in range(500))
    # of the vertices that 3 reaches in world i, the root of set i is one as often as the set holds 3
    reached = worlds.of(np.array([3]))[0] / 500
    assert 40 * hits / 500 == pytest.approx(reached, abs=6 * 40 / np.sqrt(500))
    assert all(np.unique(members[offsets[i] : offsets[i + 1]]).size == offsets[i + 1] - offsets[i] for i in range(500))


def test_weights_that_sum_to_one_always_pick() -> None:
    chain = Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 1.0, 1.0], directed=True)
    assert (reached_per_world(picked(chain), np.array([0]), 100, KEY) == 4).all()
    assert count_hits(picking_arcs(chain.incoming), KEY, 100, np.array([0])) == 100


def test_an_undirected_graph_has_arcs_both_ways() -> None:
    pair = Graph.from_edges([0], [1], [0.5])
    assert reached_per_world(picked(pair), np.array([1]), WORLDS, KEY).mean() == pytest.approx(1.5, abs=0.02)
