"""Random graphs: what each generator promises, and that threads do not change it."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense._util.types import Float64s
from lense.errors import LenseError
from lense.graph import GENERATORS, Graph, barabasi_albert, generate, planted_communities, power_law, rmat

SMALL: dict[str, dict[str, float]] = {
    "barabasi-albert": {"n": 300, "m": 3},
    "power-law": {"n": 300, "average_degree": 6.0, "exponent": 2.5},
    "rmat": {"scale": 8, "num_edges": 1500},
    "planted-communities": {"n": 300, "communities": 7, "degree_in": 6.0, "degree_out": 2.0},
}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def edge_frequencies(draw: Callable[[np.random.Generator], Graph], n: int, runs: int) -> Float64s:
    """How often each arc (u, v) stood in a graph, as an n by n matrix of shares."""
    counts = np.zeros((n, n))
    for seed in range(runs):
        graph = draw(rng(seed))
        counts[np.repeat(np.arange(n), graph.out_degrees), graph.indices] += 1
    return counts / runs


def assert_within_noise(frequencies: Float64s, probabilities: Float64s, runs: int) -> None:
    """Six standard deviations of a binomial share: a false alarm is rarer than one in 10^8."""
    noise = np.sqrt(probabilities * (1 - probabilities) / runs)
    assert np.all(np.abs(frequencies - probabilities) <= 6 * noise + 1e-12)


@pytest.mark.parametrize("kind", SMALL)
def test_the_seed_decides_the_graph(kind: str) -> None:
    generator, parameters = GENERATORS[kind], SMALL[kind]
    assert generator(**parameters, rng=rng(3)).equals(generator(**parameters, rng=rng(3)))
    assert not generator(**parameters, rng=rng(3)).equals(generator(**parameters, rng=rng(4)))


@pytest.mark.parametrize("kind", SMALL)
def test_the_number_of_threads_and_the_size_of_a_task_do_not_change_the_graph(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator, parameters = GENERATORS[kind], SMALL[kind]
    monkeypatch.setenv("LENSE_THREADS", "1")
    alone = generator(**parameters, rng=rng())
    monkeypatch.setenv("LENSE_THREADS", "3")
    monkeypatch.setattr(generate, "ROWS_PER_TASK", 7)
    monkeypatch.setattr(generate, "EDGES_PER_TASK", 11)
    assert generator(**parameters, rng=rng()).equals(alone)


@pytest.mark.parametrize("kind", SMALL)
def test_graphs_are_simple(kind: str) -> None:
    graph = GENERATORS[kind](**SMALL[kind], rng=rng())
    assert graph.num_self_loops == 0
    sources, targets, weights = graph.edges()
    assert len(set(zip(sources.tolist(), targets.tolist(), strict=True))) == graph.num_edges
    assert weights is None
    assert graph.directed == (kind == "rmat")


@given(st.data(), st.integers(2, 60), st.integers(0, 2**32))
def test_barabasi_albert_joins_each_newcomer_to_m_earlier_vertices(data: st.DataObject, n: int, seed: int) -> None:
    m = data.draw(st.integers(1, n - 1))
    graph = barabasi_albert(n, m, rng(seed))
    assert graph.num_vertices == n
    assert graph.num_edges == m * (n - m)
    earlier = np.array([np.count_nonzero(graph.indices[graph.indptr[v] : graph.indptr[v + 1]] < v) for v in range(n)])
    assert np.array_equal(earlier, [0] * m + [m] * (n - m))


def test_barabasi_albert_attaches_in_proportion_to_the_degree() -> None:
    runs = 1000
    shares = edge_frequencies(lambda r: barabasi_albert(5, 1, r), 5, runs)[2:, :]
    # vertex 2 meets one edge 1 - 0, so it joins either end with probability 1/2; vertex 3 meets a path whose
    # middle is 0 or 1 with equal probability, and joins the middle with 1/2, an end with 1/4
    assert_within_noise(shares[0, :2], np.array([0.5, 0.5]), runs)
    assert_within_noise(shares[1, :3], np.array([0.375, 0.375, 0.25]), runs)


def test_power_law_joins_each_pair_with_the_product_of_the_weights() -> None:
    n, average, runs = 12, 3.0, 1500
    weights = generate._power_law_weights(n, average, 2.5)
    expected = np.outer(weights, weights) / (n * average)
    np.fill_diagonal(expected, 0.0)
    assert expected.max() <= 1.0
    assert_within_noise(edge_frequencies(lambda r: power_law(n, average, 2.5, r), n, runs), expected, runs)


@given(st.integers(2, 5000), st.floats(1e-6, 1.0), st.floats(2.0, 1000.0, exclude_min=True))
def test_power_law_weights_fall_average_to_what_is_asked_and_give_probabilities(
    n: int, density: float, exponent: float
) -> None:
    average = density * (n - 1)
    weights = generate._power_law_weights(n, average, exponent)
    assert weights.mean() == pytest.approx(average)
    assert np.all(np.diff(weights) <= 0)
    assert weights[0] ** 2 <= n * average * (1 + 1e-6)


@pytest.mark.parametrize(("n", "communities"), [(12, 3), (11, 3), (7, 7), (9, 1)])
def test_planted_communities_join_pairs_by_community(n: int, communities: int) -> None:
    runs = 1000
    member = np.arange(n) * communities // n
    same = member[:, None] == member[None, :]
    np.fill_diagonal(same, False)
    other = member[:, None] != member[None, :]
    degree_in, degree_out = 0.6 * same.sum() / n, 0.25 * other.sum() / n
    shares = edge_frequencies(lambda r: planted_communities(n, communities, degree_in, degree_out, r), n, runs)
    assert_within_noise(shares, 0.6 * same + 0.25 * other, runs)


def test_rmat_edges_fall_into_quadrants_with_the_given_probabilities() -> None:
    runs = 1500
    a, b, c = 0.5, 0.2, 0.1
    one_level = np.array([[a, b], [c, 1 - a - b - c]])
    expected = np.kron(one_level, one_level)
    np.fill_diagonal(expected, 0.0)
    assert_within_noise(edge_frequencies(lambda r: rmat(2, 1, r, a, b, c), 4, runs), expected, runs)


def test_rmat_can_be_undirected_and_can_drop_isolated_vertices() -> None:
    whole = rmat(10, 300, rng(), directed=False)
    graph = rmat(10, 300, rng(), directed=False, drop_isolated=True)
    assert not graph.directed
    assert graph.num_edges == whole.num_edges
    assert np.array_equal(graph.labels, np.flatnonzero(whole.out_degrees))


@pytest.mark.parametrize(
    ("kind", "wrong", "says"),
    [
        ("barabasi-albert", {"n": 1}, "vertices"),
        ("barabasi-albert", {"m": 0}, "m cannot be 0"),
        ("barabasi-albert", {"m": 300}, "m cannot be 300"),
        ("power-law", {"n": 2**31}, "vertices"),
        ("power-law", {"average_degree": 0.0}, "average degree"),
        ("power-law", {"average_degree": 300.0}, "average degree"),
        ("power-law", {"average_degree": math.nan}, "average degree"),
        ("power-law", {"exponent": 2.0}, "exponent"),
        ("power-law", {"exponent": math.inf}, "exponent"),
        ("power-law", {"exponent": math.nan}, "exponent"),
        ("rmat", {"scale": 0}, "scale"),
        ("rmat", {"scale": 31}, "scale"),
        ("rmat", {"num_edges": 0}, "drawn from 1 to"),
        ("rmat", {"a": 0.9}, "exceed 1 in sum"),
        ("rmat", {"b": -0.1}, "negative"),
        ("rmat", {"c": math.nan}, "negative"),
        ("planted-communities", {"n": -5}, "vertices"),
        ("planted-communities", {"communities": 0}, "communities"),
        ("planted-communities", {"communities": 301}, "communities"),
        ("planted-communities", {"degree_in": 100.0}, "inside a community"),
        ("planted-communities", {"degree_out": -1.0}, "outside a community"),
        ("planted-communities", {"degree_in": math.nan}, "inside a community"),
    ],
)
def test_a_parameter_out_of_range_is_named(kind: str, wrong: dict[str, float], says: str) -> None:
    with pytest.raises(LenseError, match=says):
        GENERATORS[kind](**{**SMALL[kind], **wrong}, rng=rng())
