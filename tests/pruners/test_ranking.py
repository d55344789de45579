"""Pruners that rank vertices by a rule: the rules against plain loops, and how much is kept."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph, power_law
from lense.graph.subgraph import subgraph
from lense.problems import get_problem
from lense.pruners.ranking import (
    DegreeDiscount,
    DiscountRoots,
    KCore,
    RandomVertices,
    RootsPruner,
    TopDegree,
    TopRoots,
    importance,
    largest,
    standing,
)

GRAPH = power_law(120, 6, 2.3, np.random.default_rng(0))


def edges_to_others(graph: Graph, v: int, taken: set[int]) -> int:
    rows = graph.incident
    return sum(u not in taken for u in rows.indices[rows.indptr[v] : rows.indptr[v + 1]].tolist())


@pytest.mark.parametrize("count", [1, 2, 17, 100, 119, 120])
def test_vertices_rank_by_degree_or_core_number_and_ties_by_degree_and_number(count: int) -> None:
    degrees = np.diff(GRAPH.incident.indptr).tolist()
    by_degree = sorted(range(GRAPH.num_vertices), key=lambda v: (-degrees[v], v))
    assert TopDegree("bmc", 4).ranking(GRAPH, count, 0).tolist() == by_degree[:count]
    sources, targets, _ = GRAPH.edges()
    depth = nx.core_number(nx.Graph(zip(sources.tolist(), targets.tolist(), strict=True)))
    by_core = sorted(by_degree, key=lambda v: -depth.get(v, 0))
    assert KCore("mvc", 4).ranking(GRAPH, count, 0).tolist() == by_core[:count]


def test_out_weights_count_where_direction_matters() -> None:
    """Also among a directed triangle, a 2-core, before its tail."""
    graph = Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 0], [0.1, 0.1, 0.1, 0.9], directed=True)
    assert TopDegree("im", 1).ranking(graph, 2, 0).tolist() == [1, 0]
    assert TopDegree("mvc", 1).ranking(graph, 2, 0).tolist() == [0, 1]
    triangle = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3], [0.1, 0.3, 0.2, 0.05], directed=True)
    assert KCore("im", 1).ranking(triangle, 4, 0).tolist() == [1, 2, 0, 3]


@pytest.mark.parametrize("problem", ["mvc", "bmc"])
def test_the_next_discounted_vertex_always_has_most_edges_to_those_not_taken(problem: str) -> None:
    order, taken = DegreeDiscount(problem, 4).ranking(GRAPH, 40, 0).tolist(), set[int]()
    for v in order:
        others = set(range(GRAPH.num_vertices)) - taken
        assert edges_to_others(GRAPH, v, taken) == max(edges_to_others(GRAPH, u, taken) for u in others)
        taken.add(v)
    assert len(taken) == 40


def test_a_neighbour_of_the_hub_is_discounted_and_weights_count() -> None:
    """1 has two edges but one leads to the hub 0, so that 5, with two of its own, goes before it."""
    graph = Graph.from_edges([0, 0, 0, 1, 5, 5], [1, 2, 3, 4, 6, 7])
    assert DegreeDiscount("mvc", 1).ranking(graph, 2, 0).tolist() == [0, 5]
    heavy = Graph.from_edges([0, 2, 2], [1, 3, 4], np.array([1000.0, 1.0, 1.0], np.float32))
    assert DegreeDiscount("mvc", 1).ranking(heavy, 2, 0).tolist() == [0, 2]


def test_with_probabilities_the_discount_is_the_heuristic_of_that_name() -> None:
    im = get_problem("im", solver="degree-discount")
    graph = im.prepare(GRAPH)
    found = im.search(graph, 25, np.random.default_rng(0)).indices
    assert DegreeDiscount(im, 4).ranking(graph, 25, 0).tolist() == found.tolist()
    assert DegreeDiscount("mvc", 4).ranking(graph, 25, 0).tolist() != found.tolist()


def test_random_vertices_are_those_of_the_seed_and_each_is_kept_as_often() -> None:
    pruner, n = RandomVertices("mvc", 3, vertices=20, roots=5), GRAPH.num_vertices
    one, again, other = (pruner.prune(GRAPH, seed=seed) for seed in (1, 1, 2))
    assert one.vertices.tolist() == again.vertices.tolist() != other.vertices.tolist()
    drawn = np.concatenate([pruner.ranking(GRAPH, n // 4, seed) for seed in range(2000)])
    assert np.abs(np.bincount(drawn, minlength=n) - 500).max() < 100  # five standard deviations of 19


def test_importance_is_the_degree_or_the_out_weight_or_the_weight() -> None:
    graph = Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True)
    ends = [end for pair in zip(*graph.edges()[:2], strict=True) for end in pair]
    assert importance(get_problem("mvc"), graph).tolist() == [ends.count(v) for v in range(4)] == [4, 2, 1, 1]
    weighted = Graph.from_edges([0, 0, 2], [1, 2, 0], [0.5, 0.25, 1.0], directed=True)
    assert importance(get_problem("im"), weighted).tolist() == [0.75, 0.0, 1.0]
    assert importance(get_problem("mvc"), weighted).tolist() == [1.75, 0.5, 1.25]
    assert importance(get_problem("mvc"), weighted.reweighted(None)).tolist() == [3, 1, 2]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_the_largest_are_those_of_sorting_everything(values: list[int], count: int) -> None:
    expected = sorted(range(len(values)), key=lambda i: (-values[i], i))[:count]
    assert largest(np.array(values, float), count).tolist() == expected


@pytest.mark.parametrize(
    ("params", "budget", "vertices", "roots"),
    [
        ({}, 4, 12, 12),  # three for each unit of the budget
        ({"vertices": 40, "roots": 10}, 4, 40, 10),
        ({"vertices": 30, "roots": 10}, 2, 30, 10),  # a smaller budget keeps no less
        ({"vertices": 30, "roots": 10}, 6, 45, 15),  # a larger one keeps more in proportion
        ({"vertices": 1000, "roots": 500}, 4, 120, 120),
    ],
)
def test_so_many_are_kept_and_the_first_are_roots(
    params: dict[str, int], budget: int, vertices: int, roots: int
) -> None:
    part = TopDegree("mvc", 4, **params).prune(GRAPH, budget=budget)
    assert (part.vertices.size, part.roots.size) == (vertices, roots)
    assert part.roots.tolist() == sorted(largest(importance(get_problem("mvc"), GRAPH), roots).tolist())


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-2, 2)), min_size=2, max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_standing_says_how_many_have_as_large_a_feature_on_a_scale_from_0_to_1(pairs: list[tuple[int, int]]) -> None:
    found = standing(np.array(pairs, np.float32))
    n = len(pairs)
    for column in range(2):
        values = [pair[column] for pair in pairs]
        expected = [np.log(n / sum(other >= value for other in values)) / np.log(n) for value in values]
        np.testing.assert_allclose(found[:, column], expected, atol=1e-6)


@pytest.mark.parametrize("name", ["mvc", "im", "domination"])
def test_the_part_is_xi_of_the_largest_vertices(name: str) -> None:
    problem = get_problem(name)
    graph = problem.prepare(GRAPH)
    part = TopRoots(problem, 8).prune(GRAPH)
    expected = subgraph(graph, largest(importance(problem, graph), 10))
    assert part.roots.tolist() == expected.roots.tolist()
    assert part.vertices.tolist() == expected.vertices.tolist()
    assert part.graph.equals(expected.graph)


@pytest.mark.parametrize("problem", ["mvc", "im"])
def test_discounted_roots_are_the_first_of_the_pruner_by_discount(problem: str) -> None:
    ranked = DegreeDiscount(problem, 8, roots=10).prune(GRAPH)
    assert DiscountRoots(problem, 8).prune(GRAPH).roots.tolist() == ranked.roots.tolist()


@pytest.mark.parametrize("kind", [TopRoots, DiscountRoots])
@pytest.mark.parametrize(("per_budget", "roots"), [(1, 8), (1.25, 10), (1.5, 12), (3, 24), (1e5, 120), (0.01, 1)])
def test_their_number_is_in_proportion_to_the_budget(kind: type[RootsPruner], per_budget: float, roots: int) -> None:
    pruner = kind("mvc", 8, roots_per_budget=per_budget)
    assert pruner.prune(GRAPH).roots.size == roots
    assert kind("mvc", 4, roots_per_budget=per_budget).prune(GRAPH, budget=8).roots.size == roots
