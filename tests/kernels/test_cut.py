"""Swaps end where none helps; see also tests/problems/test_bmc.py."""

import numpy as np
import pytest
from hypothesis import given

from lense._util.types import Int32s
from lense.graph import Graph
from lense.kernels.cut import loopless, swap_to_optimum
from lense.kernels.rows import weighted_degrees
from tests.brute_force import cut, graphs_with_candidates, weighted_edges


def everyone(graph: Graph) -> Int32s:
    return np.arange(graph.num_vertices, dtype=np.int32)


def test_the_newcomer_takes_the_place_of_the_one_it_replaces() -> None:
    # two stars around 0 and 4; the leaf 2 in the middle of the start gives way to the hub 4
    graph = Graph.from_edges([0, 0, 0, 4, 4, 4, 8], [1, 2, 3, 5, 6, 7, 9])
    gain = weighted_degrees(loopless(graph.incident))
    chosen, _ = swap_to_optimum(graph.incident, gain, everyone(graph), np.array([0, 2, 8]))
    assert chosen.tolist() == [0, 4, 8]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.4, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_swapping_reaches_a_local_optimum_among_the_candidates_on_larger_graphs(
    seed: int, share: float, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    n, m = 150, 600
    size = int(share * rng.integers(1, n))
    ends, weights = rng.integers(0, n, (2, m)), np.exp(rng.normal(0, 4, m)) if weighted else None
    graph = Graph.from_edges(ends[0], ends[1], weights, num_vertices=n, keep_duplicates=True, keep_self_loops=True)
    adjacency = np.zeros((n, n))
    for u, v, weight in weighted_edges(graph):
        if u != v:
            adjacency[u, v] += weight
            adjacency[v, u] += weight
    shuffled = rng.permutation(n)[: int(share * n)]
    gain = weighted_degrees(loopless(graph.incident))
    candidates = np.sort(shuffled).astype(np.int32)
    chosen, swaps = swap_to_optimum(graph.incident, gain, candidates, shuffled[:size])
    assert swaps > 0
    inside = np.isin(np.arange(n), chosen)
    outside = np.isin(np.arange(n), candidates) & ~inside
    same_side = np.where(inside == inside[:, None], adjacency, -adjacency).sum(axis=1)
    improvement = same_side[inside][:, None] + same_side[outside] + 2 * adjacency[inside][:, outside]
    assert improvement.max() <= (1e-9 * adjacency.sum(axis=1).max() if weighted else 0)


@given(case=graphs_with_candidates())
def test_forced_vertices_stay_inside_and_no_swap_of_the_others_helps(case: tuple[Graph, int, list[int]]) -> None:
    graph, budget, forced = case
    forced = forced[:budget]
    others = [v for v in range(graph.num_vertices) if v not in forced][: budget - len(forced)]
    start = np.array([*forced, *others])
    gain = weighted_degrees(loopless(graph.incident))
    chosen, _ = swap_to_optimum(graph.incident, gain, everyone(graph), start, np.array(forced, np.int64))
    inside = set(chosen.tolist())
    assert set(forced) <= inside
    assert len(inside) == start.size
    best = cut(graph, inside)
    swaps = [inside - {u} | {v} for u in inside - set(forced) for v in set(range(graph.num_vertices)) - inside]
    assert all(cut(graph, swapped) <= best + 1e-9 for swapped in swaps)
