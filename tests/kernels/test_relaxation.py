"""Whatever the slopes, the bound holds; the steps bring it down to the linear program's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Float64s
from lense.graph import Graph
from lense.kernels.relaxation import Cliques, descend, level, partition, reduced_profits, single_edges
from lense.problems.mip import cut_relaxation
from tests.brute_force import cut, graphs_with_budgets, optimum
from tests.kernels.test_cliques import pairs_of


def bound(profit: Float64s, cliques: Cliques, slopes: Float64s, left: int) -> float:
    constant, reduced = reduced_profits(profit, cliques, slopes)
    return float(constant + np.sort(np.maximum(reduced, 0))[::-1][:left].sum())


@pytest.mark.parametrize("bundle", [single_edges, partition])
@given(case=graphs_with_budgets(), factor=st.floats(0, 3))
@settings(max_examples=60, deadline=None)
def test_the_bound_holds_whatever_the_slopes(bundle: type, case: tuple[Graph, int], factor: float) -> None:
    graph, budget = case
    pairs = pairs_of(graph)
    cliques = bundle(pairs)
    slopes = factor * cliques.price * np.random.default_rng(0).random(cliques.price.size)
    assert bound(pairs.profit, cliques, slopes, budget) >= optimum(graph, budget, cut) * (1 - 1e-12)


@given(case=graphs_with_budgets(weighted=False))
@settings(max_examples=30, deadline=None)
def test_with_single_edges_the_steps_end_at_the_linear_program(case: tuple[Graph, int]) -> None:
    graph, budget = case
    pairs = pairs_of(graph)
    cliques = single_edges(pairs)
    x, slopes = np.zeros(pairs.profit.size), np.zeros(cliques.price.size)
    _, mean = descend(pairs.profit, cliques, budget, x, slopes, 2.0, 2000)
    found = min(bound(pairs.profit, cliques, one, budget) for one in (slopes, mean))
    linear = cut_relaxation(graph, budget)
    assert linear is not None
    assert linear - 1e-6 <= found <= linear + 1.05  # HiGHS's is rounded down to a whole number


def test_a_clique_as_a_whole_is_bounded_exactly() -> None:
    clique = pairs_of(Graph.from_edges(*np.triu_indices(4, 1)))
    bounds = []
    for cliques in (single_edges(clique), partition(clique)):
        x, slopes = np.zeros(4), np.zeros(cliques.price.size)
        _, mean = descend(clique.profit, cliques, 2, x, slopes, 2.0, 500)
        bounds.append(bound(clique.profit, cliques, mean, 2))
    assert bounds == pytest.approx([6, 4], abs=0.05)  # two vertices of a clique of four cut 4 edges


@pytest.mark.parametrize(
    ("z", "left", "t"),
    [([1.0, 1.0], 2, 0.0), ([0.5, -3.0], 1, 0.0), ([1.0, 1.0], 1, 0.5), ([3.0, 3.0], 1, 2.5)],
)
@pytest.mark.parametrize("guess", [0.0, 0.7, 40.0])
def test_the_level_is_the_least_that_leaves_as_much_as_may_be_chosen(
    z: list[float], left: int, t: float, guess: float
) -> None:
    found = level(np.array(z), np.ones(2), left, guess)
    assert found == pytest.approx(t, abs=1e-8)
    assert found == 0 or t > 0
