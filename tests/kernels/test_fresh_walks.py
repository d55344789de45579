"""What a vertex adds to a cascade, in the mean field: the formulas by hand, and the same in threads."""

import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.kernels import mean_field
from lense.kernels.mean_field import further_reach, mean_field_order
from lense.problems import get_problem
from lense.types import Float32s


def with_probabilities(n: int, arcs: list[tuple[int, int, float]]) -> Graph:
    sources, targets, weights = zip(*arcs, strict=True)
    return Graph.from_edges(np.array(sources), np.array(targets), np.array(weights), directed=True, num_vertices=n)


def by_hand(graph: Graph, reached: Float32s) -> list[float]:
    """r of each vertex, by the recursion of the module."""
    out = graph.outgoing
    sources, targets = np.repeat(np.arange(graph.num_vertices), graph.out_degrees), out.indices
    weights = np.asarray(out.weights)
    reach = np.zeros(graph.num_vertices)
    for _ in range(4):
        along = weights * (1 - reached[targets]) * (1 + reach[targets])
        reach = np.asarray(np.bincount(sources, along, graph.num_vertices), np.float64)
    return [float(value) for value in reach]


def test_further_reach_counts_walks_of_up_to_four_arcs_to_what_is_not_reached() -> None:
    path = with_probabilities(6, [(0, 1, 0.5), (1, 2, 0.5), (2, 3, 0.5), (3, 4, 0.5), (4, 5, 0.5)])
    nothing = np.zeros(6, np.float32)
    assert further_reach(path.outgoing, nothing).tolist() == [0.9375, 0.9375, 0.875, 0.75, 0.5, 0.0]
    half = np.array([0, 0.5, 0, 0, 0, 0], np.float32)
    assert further_reach(path.outgoing, half)[0] == 0.5 * 0.5 * 1.875


def test_further_reach_is_what_its_formula_says() -> None:
    graph = get_problem("im").prepare(power_law(200, 6, 2.3, np.random.default_rng(3)))
    reached = np.random.default_rng(4).random(200).astype(np.float32)
    assert further_reach(graph.outgoing, reached).tolist() == pytest.approx(by_hand(graph, reached), rel=1e-5)


def test_what_the_first_seeds_reach_no_longer_counts() -> None:
    """0 and 1 both lead to the same ten vertices, 2 leads to five others: it goes before 1."""
    arcs = [(hub, 3 + i, 1.0) for hub in (0, 1) for i in range(10)] + [(2, 13 + i, 1.0) for i in range(5)]
    assert mean_field_order(with_probabilities(18, arcs), 2, 2).tolist() == [0, 2]


def test_the_order_names_each_vertex_once_and_a_longer_one_goes_on() -> None:
    graph = get_problem("im").prepare(power_law(300, 6, 2.3, np.random.default_rng(5)))
    order = mean_field_order(graph, 20, 300)
    assert sorted(order.tolist()) == list(range(300))
    assert mean_field_order(graph, 20, 25).tolist() == order[:25].tolist()


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = get_problem("im").prepare(power_law(300, 6, 2.3, np.random.default_rng(5)))
    alone = mean_field_order(graph, 20, 30)
    monkeypatch.setattr(mean_field, "_ARCS_FOR_THREADS", 0)
    monkeypatch.setattr(mean_field, "_VERTICES_AT_ONCE", 17)
    monkeypatch.setenv("LENSE_THREADS", "3")
    assert mean_field_order(graph, 20, 30).tolist() == alone.tolist()
