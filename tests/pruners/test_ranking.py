"""Vertices ranked by a rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.problems import get_problem
from lense.pruners.degree import TopDegree
from lense.pruners.ranking import importance, largest, standing
from tests.strategies import graphs

GRAPH = power_law(100, 5, 2.3, np.random.default_rng(0))


def test_importance_is_the_degree_whatever_the_direction() -> None:
    graph = Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True)
    ends = [end for pair in zip(*graph.edges()[:2], strict=True) for end in pair]
    assert importance(get_problem("mvc"), graph).tolist() == [ends.count(v) for v in range(4)] == [4, 2, 1, 1]


def test_importance_is_the_out_weight_where_direction_matters_and_the_weight_where_it_does_not() -> None:
    graph = Graph.from_edges([0, 0, 2], [1, 2, 0], [0.5, 0.25, 1.0], directed=True)
    assert importance(get_problem("im"), graph).tolist() == [0.75, 0.0, 1.0]
    assert importance(get_problem("mvc"), graph).tolist() == [1.75, 0.5, 1.25]
    assert importance(get_problem("mvc"), graph.reweighted(None)).tolist() == [3, 1, 2]


@given(graphs(weighted=True, min_edges=1, min_vertices=2, weights=st.floats(0, 1, width=32)))
@settings(max_examples=50, deadline=None)
def test_out_weights_are_summed_row_by_row(graph: Graph) -> None:
    assert graph.weights is not None
    sums = [float(np.add.reduce(row, dtype=np.float64)) for row in np.split(graph.weights, graph.indptr[1:-1])]
    assert np.allclose(importance(get_problem("im"), graph), sums)


def test_the_largest_are_in_order_and_of_equals_the_first() -> None:
    assert largest(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist() == [1, 3, 2]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_the_largest_are_those_of_sorting_everything(values: list[int], count: int) -> None:
    expected = sorted(range(len(values)), key=lambda i: (-values[i], i))[:count]
    assert largest(np.array(values, float), count).tolist() == expected


def test_three_vertices_for_each_unit_of_the_budget_are_kept_unless_said() -> None:
    part = TopDegree("mvc", 4).prune(GRAPH)
    assert part.vertices.size == part.roots.size == 12
    assert part.roots.tolist() == part.vertices.tolist()


def test_roots_are_the_first_of_the_vertices_kept() -> None:
    part = TopDegree("mvc", 4, vertices=40, roots=10).prune(GRAPH)
    assert (part.vertices.size, part.roots.size) == (40, 10)
    assert part.roots.tolist() == sorted(largest(importance(get_problem("mvc"), GRAPH), 10).tolist())


def test_a_larger_budget_keeps_more_in_proportion_and_a_smaller_one_no_less() -> None:
    pruner = TopDegree("mvc", 4, vertices=30, roots=10)
    sizes = [(pruner.prune(GRAPH, budget=b).vertices.size, pruner.prune(GRAPH, budget=b).roots.size) for b in (2, 6)]
    assert sizes == [(30, 10), (45, 15)]


def test_no_more_than_the_graph_is_kept() -> None:
    part = TopDegree("mvc", 4, vertices=1000, roots=500).prune(GRAPH)
    assert part.graph.equals(GRAPH)
    assert part.roots.size == GRAPH.num_vertices


@pytest.mark.parametrize("sizes", [{"roots": 0}, {"vertices": 5, "roots": 6}, {"vertices": 0}])
def test_sizes_that_make_no_sense_are_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(LenseError, match="TopDegree keeps at least one root, and as many vertices as roots or more"):
        TopDegree("mvc", 4, **sizes).prune(GRAPH)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-2, 2)), min_size=2, max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_standing_says_how_many_have_as_large_a_feature_on_a_scale_from_0_to_1(pairs: list[tuple[int, int]]) -> None:
    found = standing(np.array(pairs, np.float32))
    n = len(pairs)
    for column in range(2):
        values = [pair[column] for pair in pairs]
        expected = [np.log(n / sum(other >= value for other in values)) / np.log(n) for value in values]
        np.testing.assert_allclose(found[:, column], expected, atol=1e-6)


def test_a_standing_is_the_same_whatever_the_scale() -> None:
    features = np.random.default_rng(0).random((50, 3)).astype(np.float32)
    np.testing.assert_array_equal(standing(features), standing(np.exp(5 * features)))
    assert standing(features).min() == 0
    assert standing(features).max() == 1


@pytest.mark.parametrize("count", [0, 1])
def test_where_there_is_nobody_to_compare_with_it_is_0(count: int) -> None:
    assert standing(np.ones((count, 2), np.float32)).tolist() == [[0.0, 0.0]] * count
