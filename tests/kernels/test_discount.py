"""Degree discount picks what its formula says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.quick_orders import degree_discount


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
