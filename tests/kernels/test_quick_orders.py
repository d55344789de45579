"""Quick orders for influence: the formulas by hand, what is fresh by search, and the same in threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Float64s, Int64s, UInt64s
from lense.graph import Graph, power_law
from lense.kernels import rows
from lense.kernels.cascade import live_arcs
from lense.kernels.quick_orders import degree_discount, fresh_walk_order, further_reach, take_reached
from lense.kernels.spread import reached_per_world
from lense.problems import get_problem

KEY = np.uint64(5)
ALL = ~np.uint64(0)


def with_probabilities(n: int, arcs: list[tuple[int, int, float]]) -> Graph:
    sources, targets, weights = zip(*arcs, strict=True)
    return Graph.from_edges(np.array(sources), np.array(targets), np.array(weights), directed=True, num_vertices=n)


def prepared(n: int, seed: int) -> Graph:
    return get_problem("im").prepare(power_law(n, 6, 2.3, np.random.default_rng(seed)))


def order_of(graph: Graph, budget: int, count: int, candidates: Int64s | None = None) -> list[int]:
    out, degrees = graph.outgoing, np.diff(graph.incident.indptr)
    order = fresh_walk_order(out, live_arcs(out), degrees, KEY, budget, count, candidates)
    return [int(v) for v in order]


def as_worlds(fresh: UInt64s) -> Int64s:
    """(n, 64 words): 1 where a vertex is fresh in a world."""
    bits = np.unpackbits(fresh.view(np.uint8), axis=1, bitorder="little")
    return np.asarray(bits, np.int64)


def test_further_reach_is_what_its_formula_says() -> None:
    graph = prepared(200, 3)
    rng = np.random.default_rng(4)
    fresh = rng.integers(0, 2**64, (200, 2), dtype=np.uint64) & rng.integers(0, 2**64, (200, 2), dtype=np.uint64)
    fresh[7] = 0
    worlds, out = as_worlds(fresh), graph.outgoing
    sources, targets = np.repeat(np.arange(200), graph.out_degrees), out.indices
    both = (worlds[sources] * worlds[targets]).sum(axis=1)
    chances = np.asarray(out.weights) * both / np.maximum(worlds.sum(axis=1)[sources], 1)
    expected: Float64s = np.zeros(200)
    for _ in range(4):
        expected = np.asarray(np.bincount(sources, chances * (1 + expected[targets]), 200), np.float64)
    share, reach = further_reach(out, fresh)
    assert share.tolist() == pytest.approx(worlds.mean(axis=1).tolist())
    assert reach.tolist() == pytest.approx(expected.tolist(), rel=1e-5)


def test_what_is_no_longer_fresh_is_what_a_cascade_reaches_in_the_same_world() -> None:
    """Also where the seeds come one after the other."""
    graph = prepared(300, 5)
    live, fresh = live_arcs(graph.outgoing), np.full((300, 2), ALL)
    take_reached(live, KEY, fresh, np.array([0, 3]))
    take_reached(live, KEY, fresh, np.array([3, 9]))
    sizes = (1 - as_worlds(fresh)).sum(axis=0)
    assert sizes.tolist() == reached_per_world(live, np.array([0, 3, 9]), 128, KEY).tolist()
    assert len(set(sizes.tolist())) > 5


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = prepared(300, 5)
    alone = order_of(graph, 20, 30)
    monkeypatch.setattr(rows, "_ENTRIES_FOR_THREADS", 0)
    monkeypatch.setattr(rows, "_ROWS_AT_ONCE", 17)
    monkeypatch.setenv("LENSE_THREADS", "3")
    assert order_of(graph, 20, 30) == alone


@given(st.integers(2, 12), st.integers(1, 40), st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_each_pick_maximises_the_discounted_influence_among_the_candidates_left(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n, (2, m))
    graph = Graph.from_edges(sources, targets, rng.uniform(0, 1, m), directed=True, num_vertices=n)
    probability = np.zeros((n, n))
    tails, heads, weights = graph.edges()
    probability[tails, heads] = weights
    out, into = graph.outgoing, graph.incoming
    candidates = np.sort(rng.permutation(n)[: rng.integers(1, n + 1)]).astype(np.int32)
    budget = int(rng.integers(1, candidates.size + 1))
    order = degree_discount(out, into, candidates, budget)

    chosen: list[int] = []
    for v in order:
        outside = [w for w in range(n) if w not in chosen]
        scores = {
            u: np.prod(1 - probability[chosen, u]) * (1 + sum(probability[u, w] for w in outside if w != u))
            for u in candidates.tolist()
            if u not in chosen
        }
        assert scores[v] >= max(scores.values()) - 1e-6
        chosen.append(int(v))
    assert len(chosen) == budget
