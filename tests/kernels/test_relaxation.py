"""Cliques share out the costs of all pairs, the bound holds whatever the slopes, and the steps bring it down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from lense._util.types import Float64s
from lense.graph import Graph
from lense.kernels.bounds import Pairs
from lense.kernels.relaxation import (
    Cliques,
    climb,
    descend,
    level,
    partition,
    reduced_profits,
    single_edges,
)
from tests.brute_force import cut, graphs_with_budgets, optimum, pairs_of


def cost_matrix(pairs: Pairs) -> Float64s:
    n = pairs.profit.size
    matrix = np.zeros((n, n))
    matrix[np.repeat(np.arange(n), np.diff(pairs.indptr)), pairs.indices] = pairs.cost
    return matrix


def shared_out(cliques: Cliques, n: int) -> Float64s:
    """What the groups cost each pair (n, n)."""
    matrix = np.zeros((n, n))
    for j, price in enumerate(cliques.price):
        members = cliques.members[cliques.starts[j] : cliques.starts[j + 1]]
        matrix[np.ix_(members, members)] += price
    np.fill_diagonal(matrix, 0)
    return matrix


@pytest.mark.parametrize("bundle", [single_edges, partition])
@given(case=graphs_with_budgets())
@settings(max_examples=100, deadline=None)
def test_the_groups_cost_what_the_edges_cost(bundle: type, case: tuple[Graph, int]) -> None:
    pairs = pairs_of(case[0])
    cliques = bundle(pairs)
    assert np.allclose(shared_out(cliques, pairs.profit.size), cost_matrix(pairs))
    assert cliques.members.size <= 2 * pairs.indices.size


def test_two_cliques_that_share_a_vertex_are_found() -> None:
    both = [(u, v) for clique in (range(5), range(4, 9)) for u in clique for v in clique if u < v]
    cliques = partition(pairs_of(Graph.from_edges(*np.array(both).T)))
    groups = [sorted(cliques.members[a:b].tolist()) for a, b in zip(cliques.starts, cliques.starts[1:], strict=False)]
    assert sorted(groups) == [[0, 1, 2, 3, 4], [4, 5, 6, 7, 8]]


def bound(profit: Float64s, cliques: Cliques, slopes: Float64s, left: int) -> float:
    constant, reduced = reduced_profits(profit, cliques, slopes)
    return float(constant + np.sort(np.maximum(reduced, 0))[::-1][:left].sum())


@pytest.mark.parametrize("bundle", [single_edges, partition])
@given(case=graphs_with_budgets(), factor=st.floats(0, 3))
def test_the_bound_holds_whatever_the_slopes(bundle: type, case: tuple[Graph, int], factor: float) -> None:
    graph, budget = case
    pairs = pairs_of(graph)
    cliques = bundle(pairs)
    slopes = factor * cliques.price * np.random.default_rng(0).random(cliques.price.size)
    assert bound(pairs.profit, cliques, slopes, budget) >= optimum(graph, budget, cut) * (1 - 1e-12)


def linear_program(pairs: Pairs, budget: int) -> float:
    """The most that p x - c z can be with z_uv >= x_u + x_v - 1, all from 0 to 1, and sum x <= budget."""
    cliques = single_edges(pairs)
    n, m = pairs.profit.size, cliques.price.size
    rows = np.zeros((m + 1, n + m))
    for j, (u, v) in enumerate(cliques.members.reshape(-1, 2)):
        rows[j, [u, v, n + j]] = 1, 1, -1
    rows[m, :n] = 1
    value = linprog([*-pairs.profit, *cliques.price], rows, [*np.ones(m), budget], bounds=(0, 1)).fun
    assert value is not None
    return -value


@given(case=graphs_with_budgets())
@settings(max_examples=30, deadline=None)
def test_with_single_edges_the_steps_end_at_the_linear_program(case: tuple[Graph, int]) -> None:
    graph, budget = case
    pairs = pairs_of(graph)
    cliques = single_edges(pairs)
    x, slopes = np.zeros(pairs.profit.size), np.zeros(cliques.price.size)
    _, mean = descend(pairs.profit, cliques, budget, x, slopes, 2.0, 2000)
    found = min(bound(pairs.profit, cliques, one, budget) for one in (slopes, mean))
    linear = linear_program(pairs, budget)
    assert linear - 1e-6 <= found <= linear + 0.05


def test_a_clique_as_a_whole_is_bounded_exactly() -> None:
    clique = pairs_of(Graph.from_edges(*np.triu_indices(4, 1)))
    bounds = []
    for cliques in (single_edges(clique), partition(clique)):
        x, slopes = np.zeros(4), np.zeros(cliques.price.size)
        _, mean = descend(clique.profit, cliques, 2, x, slopes, 2.0, 500)
        bounds.append(bound(clique.profit, cliques, mean, 2))
    assert bounds == pytest.approx([6, 4], abs=0.05)  # two vertices of a clique of four cut 4 edges


@pytest.mark.parametrize(
    ("z", "left", "t"), [([1.0, 1.0], 2, 0.0), ([0.5, -3.0], 1, 0.0), ([1.0, 1.0], 1, 0.5), ([3.0, 3.0], 1, 2.5)]
)
@pytest.mark.parametrize("guess", [0.0, 0.7, 40.0])
def test_the_level_is_the_least_that_leaves_as_much_as_may_be_chosen(
    z: list[float], left: int, t: float, guess: float
) -> None:
    found = level(np.array(z), np.ones(2), left, guess)
    assert found == pytest.approx(t, abs=1e-8)
    assert found == 0 or t > 0


@pytest.mark.parametrize("left", [1, 3, 8])
def test_no_small_move_within_the_budget_helps(left: int) -> None:
    rng = np.random.default_rng(left)
    root = rng.normal(size=(8, 8))
    matrix, gain = root @ root.T, 10 * rng.random(8)
    x = climb(gain, matrix, left, np.zeros(8), float(np.linalg.eigvalsh(matrix)[-1]), 3000)
    assert x.min() >= 0
    assert x.max() <= 1
    assert x.sum() <= left * (1 + 1e-8)
    slope = gain - matrix @ x
    level = slope[(x > 1e-6) & (x < 1 - 1e-6)]
    price = max(float(level.mean()), 0.0) if level.size and x.sum() > left - 1e-6 else 0.0
    assert slope[x <= 1e-6].max(initial=-np.inf) <= price + 1e-4
    assert slope[x >= 1 - 1e-6].min(initial=np.inf) >= price - 1e-4
    assert level == pytest.approx(np.full(level.size, price), abs=1e-4)
