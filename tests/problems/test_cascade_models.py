"""Edge probabilities of the independent cascade."""

import numpy as np
import pytest
from scipy.stats import chisquare

from lense.errors import LenseError
from lense.graph import Graph, barabasi_albert
from lense.problems.im import TRIVALENCY, with_probabilities


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def graph(request: pytest.FixtureRequest) -> Graph:
    made = barabasi_albert(2000, 3, np.random.default_rng(0))
    sources, targets, _ = made.edges()
    return Graph.from_edges(sources, targets, directed=request.param)


def test_trivalency_draws_the_three_values_equally_often_and_by_its_seed(graph: Graph) -> None:
    _, _, weights = with_probabilities(graph, "trivalency", 7, 0.0).edges()
    assert weights is not None
    assert chisquare([np.count_nonzero(weights == p) for p in TRIVALENCY]).pvalue > 1e-4
    assert with_probabilities(graph, "trivalency", 7, 0.0).equals(with_probabilities(graph, "trivalency", 7, 0.0))
    assert not with_probabilities(graph, "trivalency", 8, 0.0).equals(with_probabilities(graph, "trivalency", 7, 0.0))


def test_both_directions_of_an_undirected_edge_share_their_probability() -> None:
    graph = with_probabilities(barabasi_albert(300, 3, np.random.default_rng(0)), "trivalency", 1, 0.0)
    dense = np.zeros((300, 300), np.float32)
    dense[np.repeat(np.arange(300), graph.out_degrees), graph.indices] = graph.weights
    np.testing.assert_array_equal(dense, dense.T)


def test_weighted_cascade_gives_each_vertex_a_total_of_one(graph: Graph) -> None:
    weighted = with_probabilities(graph, "weighted-cascade", 0, 0.0).incoming
    totals = np.add.reduceat(weighted.weights, weighted.indptr[:-1][np.diff(weighted.indptr) > 0])  # type: ignore[arg-type]
    np.testing.assert_allclose(totals, 1, rtol=1e-4)


def test_constant_and_file(graph: Graph) -> None:
    constant = with_probabilities(graph, "constant", 0, 0.25)
    assert constant.weights is not None
    assert (constant.weights == 0.25).all()
    assert with_probabilities(constant, "file", 0, 0.0) is constant
    assert with_probabilities(constant, "auto", 0, 0.0) is constant
    with pytest.raises(LenseError, match="no weights"):
        with_probabilities(graph, "file", 0, 0.0)


@pytest.mark.parametrize("bad", [1.5, -0.1])
def test_weights_that_are_no_probabilities_are_refused(bad: float) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.5, bad], directed=True)
    with pytest.raises(LenseError, match=f"{bad:g} is not a probability"):
        with_probabilities(graph, "auto", 0, 0.0)


def test_an_unknown_model_lists_the_choices(graph: Graph) -> None:
    with pytest.raises(LenseError, match=r"trivalency, weighted-cascade, constant, file; did you mean 'trivalency'\?"):
        with_probabilities(graph, "trivalent", 0, 0.0)
