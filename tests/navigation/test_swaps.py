"""Walks that swap one root at a time: what they are offered, and what they see of the subgraph around them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Float32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.graph.subgraph import subgraph
from lense.navigation.swaps import Offer, Walks, random_roots
from tests.strategies import graphs

KINDS = graphs(min_vertices=4, loops=True, duplicates=True, weighted=False)
ROOTS = 3


def some_features(graph: Graph, scale: float = 1.0) -> Float32s:
    """Random numbers; those of every other vertex are ``scale`` times as large."""
    sizes = np.where(np.arange(graph.num_vertices) % 2, scale, 1.0)[:, None]
    return (sizes * np.random.default_rng(0).random((graph.num_vertices, 2))).astype(np.float32)


def walks_on(graph: Graph, seeds: list[int], num_roots: int = ROOTS, **options: object) -> Walks:
    return Walks(graph.incident, some_features(graph), seeds, num_roots, **options)  # type: ignore[arg-type]


def taken(walks: Walks, steps: int) -> Offer:
    """The offer after some steps that take the pairs in turn."""
    for step in range(steps):
        walks.swap(walks.offer(), np.full(len(walks.seeds), step % walks.roots.shape[1]))
    return walks.offer()


def same(one: Offer, other: Offer) -> bool:
    names = ("roots", "candidates", "allowed", "leaving", "entering")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def as_networkx(graph: Graph) -> nx.MultiGraph:
    whole = nx.MultiGraph()
    whole.add_nodes_from(range(graph.num_vertices))
    sources, targets, _ = graph.edges()
    whole.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    return whole


def xi(graph: Graph, roots: Int64s) -> nx.MultiGraph:
    """The subgraph of a set X by networkx: X, its neighbours, and every edge with an end in X."""
    chosen, whole = set(roots.tolist()), as_networkx(graph)
    part = nx.MultiGraph()
    part.add_nodes_from(chosen)
    part.add_edges_from((u, v) for u, v in whole.edges() if {u, v} & chosen)
    return part


def seen_of(part: nx.MultiGraph, features: Float32s, vertex: int) -> Float32s:
    """A vertex's features, then the mean of its neighbours' features, an edge that is there twice counting twice."""
    entries = [w for w, edges in part[vertex].items() for _ in edges]
    mean = features[entries].mean(axis=0) if entries else np.zeros(2)
    return np.concatenate([features[vertex], mean])


@given(KINDS, st.integers(0, 5), st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_both_vertices_of_a_pair_are_seen_as_they_stand_in_the_subgraph(graph: Graph, seed: int, steps: int) -> None:
    """Though no subgraph is built; after any number of steps."""
    offer, features = taken(walks_on(graph, [seed]), steps), some_features(graph)
    part = xi(graph, offer.roots[0])
    for v, u, allowed, leaving, entering in zip(
        offer.roots[0], offer.candidates[0], offer.allowed[0], offer.leaving[0], offer.entering[0], strict=True
    ):
        np.testing.assert_allclose(leaving, seen_of(part, features, int(v)), rtol=1e-5, atol=1e-6)
        if allowed:
            np.testing.assert_allclose(entering, seen_of(part, features, int(u)), rtol=1e-5, atol=1e-6)


@given(KINDS, st.integers(0, 5), st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_candidates_are_free_neighbours_or_else_vertices_of_the_subgraph_or_else_there_are_none(
    graph: Graph, seed: int, steps: int
) -> None:
    offer = taken(walks_on(graph, [seed]), steps)
    roots, whole = set(offer.roots[0].tolist()), as_networkx(graph)
    fringe = set(subgraph(graph, offer.roots[0]).vertices.tolist()) - roots
    for v, u, allowed in zip(offer.roots[0].tolist(), offer.candidates[0].tolist(), offer.allowed[0], strict=True):
        choices = (set(whole[v]) - roots) or fringe
        assert allowed == bool(choices)
        assert u in (choices or {v})


def test_a_step_swaps_its_pair_in_each_walk_and_nothing_else() -> None:
    graph = power_law(60, 5, 2.3, np.random.default_rng(0))
    walks = walks_on(graph, [1, 2], 5)
    offer = walks.offer()
    walks.swap(offer, np.array([4, 0]))
    expected = offer.roots.copy()
    expected[0, 4], expected[1, 0] = offer.candidates[0, 4], offer.candidates[1, 0]
    assert np.array_equal(walks.roots, expected)
    assert (offer.step, walks.step) == (0, 1)


def test_a_step_may_swap_several_pairs_of_a_walk() -> None:
    graph = power_law(60, 5, 2.3, np.random.default_rng(0))
    walks = walks_on(graph, [1, 2], 5)
    offer = walks.offer()
    assert len({*offer.candidates[0, [4, 1]].tolist()}) == 2
    walks.swap(offer, np.array([[4, 1], [0, -1]]))
    expected = offer.roots.copy()
    expected[0, [4, 1]], expected[1, 0] = offer.candidates[0, [4, 1]], offer.candidates[1, 0]
    assert np.array_equal(walks.roots, expected)
    assert walks.step == 1
    again = walks_on(graph, [1, 2], 5, starts=expected, step=1)
    assert same(walks.offer(), again.offer())


def test_a_pair_that_is_not_allowed_changes_nothing_but_the_step() -> None:
    """Vertices 2 to 5 have no edges, so that their subgraph has nothing outside X."""
    graph = Graph.from_edges([0], [1], num_vertices=6)
    walks = walks_on(graph, [0], starts=np.array([[2, 4, 5]]))
    offer = walks.offer()
    assert not offer.allowed.any()
    assert np.array_equal(offer.candidates, offer.roots)
    walks.swap(offer, np.array([1]))
    assert walks.roots.tolist() == [[2, 4, 5]]
    assert walks.step == 1


def test_an_offer_that_is_asked_for_again_is_the_same_and_the_next_step_has_another() -> None:
    graph = power_law(60, 5, 2.3, np.random.default_rng(0))
    walks = walks_on(graph, [3], 8)
    first = walks.offer()
    assert same(first, walks.offer())
    walks.swap(first, np.array([0]))
    later = walks.offer()
    assert (later.candidates[0, 1:] != first.candidates[0, 1:]).any()


def test_a_walk_depends_on_its_own_seed_alone() -> None:
    graph = power_law(60, 5, 2.3, np.random.default_rng(0))
    together = taken(walks_on(graph, [9, 4, 1000], 6), 7)
    for number, seed in enumerate((9, 4, 1000)):
        alone = taken(walks_on(graph, [seed], 6), 7)
        for name in ("roots", "candidates", "allowed", "leaving", "entering"):
            assert np.array_equal(getattr(together, name)[number], getattr(alone, name)[0])
    assert not np.array_equal(together.roots[0], together.roots[1])
    assert together.seeds == (9, 4, 1000)


@given(KINDS, st.integers(0, 6), st.sampled_from([1.0, 1e-12, 300.0]))
@settings(max_examples=40, deadline=None)
def test_a_walk_goes_on_from_its_roots_and_its_step_in_every_bit(graph: Graph, steps: int, scale: float) -> None:
    def started(**options: object) -> Walks:
        return Walks(graph.incident, some_features(graph, scale), [5, 6], ROOTS, **options)  # type: ignore[arg-type]

    walks = started()
    offer = taken(walks, steps)
    assert same(started(starts=walks.roots, step=walks.step).offer(), offer)


def test_starts_are_different_vertices_drawn_uniformly() -> None:
    starts = random_roots(50, 10, range(500))
    assert all(len(set(roots)) == 10 for roots in starts.tolist())
    counts = np.bincount(starts.ravel(), minlength=50)
    # without replacement the variance is less than Poisson's, so that this is generous
    assert ((counts - 100) ** 2 / 100).sum() < 86  # 49 degrees of freedom, one chance in a thousand
    assert np.array_equal(random_roots(50, 10, [7])[0], starts[7])


def test_the_starts_that_are_given_are_left_alone() -> None:
    graph = power_law(60, 5, 2.3, np.random.default_rng(0))
    starts = np.array([[1, 2, 3]])
    walks = walks_on(graph, [0], starts=starts)
    assert walks.roots.tolist() == [[1, 2, 3]]
    taken(walks, 5)
    assert starts.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize("num_roots", [0, 6, 50])
def test_there_must_be_roots_and_vertices_besides_them(num_roots: int) -> None:
    with pytest.raises(LenseError, match="fewer roots than the graph's 6 vertices"):
        walks_on(Graph.from_edges([0], [1], num_vertices=6), [0], num_roots)


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ([[1, 2]], "3 different roots each, for 1 walks"),
        ([[1, 2, 2]], "3 different roots"),
        ([[1, 2, 3], [1, 2, 3]], "3 different roots each, for 1 walks"),
        ([[1, 2, 6]], "between 0 and 5"),
        ([[-1, 2, 3]], "between 0 and 5"),
    ],
)
def test_starts_that_make_no_sense_are_refused(starts: list[list[int]], words: str) -> None:
    with pytest.raises(LenseError, match=words):
        walks_on(Graph.from_edges([0], [1], num_vertices=6), [0], starts=np.array(starts))
