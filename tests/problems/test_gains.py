"""The gains that kernels see are those of the objective."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph, power_law
from lense.kernels.gains import Gains, alone, count, gain, gains_in_order, last_gain, new_counts
from lense.problems import Problem, get_problem
from tests.brute_force import graphs_with_budgets

EXACT = st.sampled_from(["mvc", "bmc", "domination"])


def gains_of(problem: Problem, graph: Graph, budget: int = 1) -> Gains:
    gains = problem.gains(graph, budget)
    assert gains is not None
    return gains


@given(graphs_with_budgets(), EXACT, st.integers(0, 1000))
@settings(max_examples=80, deadline=None)
def test_adding_vertices_changes_the_objective_by_their_gains(case: tuple[Graph, int], name: str, seed: int) -> None:
    graph, problem = case[0], get_problem(name)
    order = np.random.default_rng(seed).permutation(graph.num_vertices)
    gains = gains_of(problem, graph)
    counts = new_counts(gains)
    for i, v in enumerate(order):
        assert np.isclose(gains.scale * alone(gains, v), problem.objective(graph, [v]))
        added = problem.objective(graph, order[: i + 1]) - problem.objective(graph, order[:i])
        assert np.isclose(gains.scale * gain(gains, counts, v), added)
        assert np.isclose(gains.scale * gains_in_order(gains, order)[i], added)
        count(gains, counts, v, 1)


@given(graphs_with_budgets(), EXACT)
def test_the_last_gain_is_over_all_other_vertices(case: tuple[Graph, int], name: str) -> None:
    graph, problem = case[0], get_problem(name)
    gains, everything = gains_of(problem, graph), np.arange(graph.num_vertices)
    for v in everything.tolist():
        others = problem.objective(graph, np.delete(everything, v))
        assert np.isclose(gains.scale * last_gain(gains, v), problem.objective(graph, everything) - others)


@pytest.fixture(scope="module")
def cascades() -> Graph:
    return get_problem("im").prepare(power_law(200, 5.0, 2.3, np.random.default_rng(0)))


def test_the_gains_of_influence_are_sets_newly_hit(cascades: Graph) -> None:
    gains = gains_of(get_problem("im"), cascades, 5)
    sets = [set(gains.holders[a:b].tolist()) for a, b in pairwise(gains.holder_indptr)]
    counts, chosen = new_counts(gains), set[int]()
    for v in (3, 0, 17, 1):
        assert gain(gains, counts, v) == sum(v in one and not chosen & one for one in sets)
        count(gains, counts, v, 1)
        chosen.add(v)
    assert last_gain(gains, 3) == sum(one == {3} for one in sets)
    count(gains, counts, 17, -1)
    assert gain(gains, counts, 17) == sum(17 in one and not one & {3, 0, 1} for one in sets)
