"""Budgeted max-cut: edges that leave a set of given size, and how the solvers find them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from lense.graph import Graph
from lense.graph.generate import barabasi_albert
from lense.problems.bmc import BudgetedMaxCut
from tests.brute_force import cut, graphs_with_budgets, graphs_with_candidates, is_greedy

Case = tuple[Graph, int]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(graphs_with_candidates())
def test_local_search_among_candidates_ends_where_no_swap_for_one_of_them_helps(
    case: tuple[Graph, int, list[int]],
) -> None:
    graph, budget, candidates = case
    order = BudgetedMaxCut().search(graph, budget, rng(), candidates=candidates).indices.tolist()
    inside = set(order)
    assert is_greedy(graph, order, order, cut)
    for v, u in product(inside, set(candidates) - inside):
        assert cut(graph, (inside - {v}) | {u}) <= cut(graph, inside)


def test_hassin_rubinstein_draws_from_the_candidates_of_largest_degree() -> None:
    graph = barabasi_albert(100, 3, rng(2))
    candidates = np.arange(1, 100, 2)
    top = set(candidates[np.argsort(-graph.out_degrees[candidates], kind="stable")[:10]].tolist())
    problem = BudgetedMaxCut(solver="hassin-rubinstein")
    drawn = [problem.search(graph, 5, rng(i), candidates=candidates).indices.tolist() for i in range(50)]
    assert set().union(*drawn) == top


@pytest.mark.parametrize(("size", "best"), [(2, 1), (3, 2), (6, 9), (7, 12)])
def test_with_a_budget_of_all_vertices_local_search_leaves_some_on_the_other_side(size: int, best: int) -> None:
    complete = Graph.from_edges(*np.triu_indices(size, 1))
    for graph in (complete, complete.reweighted(np.full(complete.num_arcs, 0.5, np.float32))):
        found = BudgetedMaxCut().solve(graph, size, rng(0))
        assert found.score == best * (1 if graph.weights is None else 0.5)
        assert found.indices.size <= (size + 1) // 2


@given(case=graphs_with_budgets(weighted=True))
def test_no_prefix_of_local_search_cuts_more_and_neither_does_one_vertex_more_within_the_budget(case: Case) -> None:
    graph, budget = case
    chosen = BudgetedMaxCut().solve(graph, budget, rng(0), certify=False).indices.tolist()
    others = set(range(graph.num_vertices)) - {*chosen} if len(chosen) < budget else set[int]()
    for tried in [*(chosen[:i] for i in range(1, len(chosen))), *([*chosen, v] for v in others)]:
        assert cut(graph, tried) <= cut(graph, chosen) * (1 + 1e-9)


def test_swaps_end_where_sets_of_one_value_could_follow_one_another_for_ever() -> None:
    """Forced vertices and swaps between equals once took turns without end."""
    rng_ = np.random.default_rng(0)
    for n in range(3, 9):
        for _ in range(60):
            sources, targets = rng_.integers(0, n, (2, 2 * n))
            graph = Graph.from_edges(sources, targets, num_vertices=n)
            budget = int(rng_.integers(1, n + 1))
            forced = rng_.permutation(n)[: rng_.integers(0, budget + 1)].tolist()
            if graph.num_edges:
                found = BudgetedMaxCut().search(graph, budget, np.random.default_rng(0), forced=forced or None)
                assert set(forced) <= set(found.indices.tolist())
