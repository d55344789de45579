"""Walks by swaps: offers, what is seen of the subgraph, policies without learning, and the loop that follows one."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Bools, Float32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.graph.subgraph import subgraph
from lense.navigation.environment import (
    Offer,
    Policy,
    RootSets,
    best_apart,
    follow,
    largest_gain,
    random_roots,
    random_swaps,
    roots_after,
    separating_feature,
)
from tests.strategies import graphs

KINDS = graphs(min_vertices=4, loops=True, duplicates=True, weighted=False)


ROOTS = 3


def some_features(graph: Graph, scale: float = 1.0) -> Float32s:
    """Random numbers; those of every other vertex are ``scale`` times as large."""
    sizes = np.where(np.arange(graph.num_vertices) % 2, scale, 1.0)[:, None]
    return (sizes * np.random.default_rng(0).random((graph.num_vertices, 2))).astype(np.float32)


def walks_on(graph: Graph, seeds: list[int], num_roots: int = ROOTS, **options: object) -> RootSets:
    return RootSets(graph.incident, some_features(graph), seeds, num_roots, **options)  # type: ignore[arg-type]


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


def test_a_step_may_swap_several_pairs_of_a_walk() -> None:
    graph = power_law(60, 5, 2.3, np.random.default_rng(0))
    walks = walks_on(graph, [1, 2], 5)
    offer = walks.offer()
    assert len({*offer.candidates[0, [4, 1]].tolist()}) == 2
    walks.swap(offer, np.array([[4, 1], [0, -1]]))
    expected = offer.roots.copy()
    expected[0, [4, 1]], expected[1, 0] = offer.candidates[0, [4, 1]], offer.candidates[1, 0]
    assert np.array_equal(walks.offer().roots, expected)
    assert walks.step == 1


def test_a_pair_that_is_not_allowed_changes_nothing_but_the_step() -> None:
    """Vertices 2 to 5 have no edges, so that their subgraph has nothing outside X."""
    graph = Graph.from_edges([0], [1], num_vertices=6)
    walks = walks_on(graph, [0], starts=np.array([[2, 4, 5]]))
    offer = walks.offer()
    assert not offer.allowed.any()
    assert np.array_equal(offer.candidates, offer.roots)
    walks.swap(offer, np.array([1]))
    assert walks.offer().roots.tolist() == [[2, 4, 5]]
    assert walks.step == 1


@given(KINDS, st.integers(0, 6), st.sampled_from([1.0, 1e-12, 300.0]))
@settings(max_examples=40, deadline=None)
def test_a_walk_goes_on_from_its_roots_and_its_step_in_every_bit(graph: Graph, steps: int, scale: float) -> None:
    def started(**options: object) -> RootSets:
        return RootSets(graph.incident, some_features(graph, scale), [5, 6], ROOTS, **options)  # type: ignore[arg-type]

    walks = started()
    offer = taken(walks, steps)
    assert same(started(starts=walks.offer().roots, step=walks.step).offer(), offer)


@pytest.mark.parametrize(
    ("num_roots", "starts", "words"),
    [
        *((number, None, "fewer roots than the graph's 6 vertices") for number in (0, 6, 50)),
        (3, [[1, 2]], "3 different roots each, for 1 walks"),
        (3, [[1, 2, 2]], "3 different roots"),
        (3, [[1, 2, 3], [1, 2, 3]], "3 different roots each, for 1 walks"),
        (3, [[1, 2, 6]], "between 0 and 5"),
        (3, [[-1, 2, 3]], "between 0 and 5"),
    ],
)
def test_starts_that_make_no_sense_are_refused(num_roots: int, starts: list[list[int]] | None, words: str) -> None:
    given = {} if starts is None else {"starts": np.array(starts)}
    with pytest.raises(LenseError, match=words):
        walks_on(Graph.from_edges([0], [1], num_vertices=6), [0], num_roots, **given)


def taken(walks: RootSets, steps: int) -> Offer:
    """The offer after some steps that take the pairs in turn."""
    *_, last = follow(walks, lambda offer: np.full(len(offer.roots), offer.step % offer.roots.shape[1]), steps)
    return last


GRAPH = power_law(60, 4, 2.3, np.random.default_rng(0))


FEATURES = np.random.default_rng(1).random((60, 2)).astype(np.float32)


DEGREES = np.diff(GRAPH.incident.indptr).astype(float)


def offer(
    allowed: Bools, *, roots: Int64s | None = None, candidates: Int64s | None = None, seed: int = 0, step: int = 0
) -> Offer:
    """An offer to as many walks as ``allowed`` (B, M) has rows."""
    nobody, nothing = np.zeros(allowed.shape, np.int64), np.zeros((*allowed.shape, 0), np.float32)
    seeds = tuple(range(seed, seed + len(allowed)))
    vertices = (nobody if roots is None else roots, nobody if candidates is None else candidates)
    return Offer(*vertices, allowed, nothing, nothing, seeds, step)


def test_several_best_actions_bring_in_different_vertices() -> None:
    values = np.array([[1.0, 5.0, 3.0, 4.0], [9.0, 8.0, 7.0, 6.0]], np.float32)
    allowed = np.array([[True, True, True, True], [False, False, True, True]])
    candidates = np.array([[10, 11, 12, 11], [10, 11, 12, 12]])
    assert best_apart(values, allowed, candidates, 2).tolist() == [[1, 2], [2, -1]]
    assert np.array_equal(best_apart(values, allowed, candidates, 10**8), best_apart(values, allowed, candidates, 4))
    assert best_apart(values, allowed, candidates, 4).tolist() == [[1, 2, 0, -1], [2, -1, -1, -1]]


def test_random_swaps_are_allowed_ones_each_as_likely() -> None:
    drawn = random_swaps(offer(np.tile([True, False, True, True], (2000, 1))))
    counts = np.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert np.abs(counts[[0, 2, 3]] - 2000 / 3).max() < 100


def test_the_largest_gain_is_that_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 50, 30).astype(float)
    roots, candidates = rng.integers(0, 30, (4, 6)), rng.integers(0, 30, (4, 6))
    allowed = rng.random((4, 6)) < 0.7
    chosen = largest_gain(values)(offer(allowed, roots=roots, candidates=candidates))
    for row, action in enumerate(chosen.tolist()):
        gains = {i: values[candidates[row, i]] - values[roots[row, i]] for i in range(6) if allowed[row, i]}
        assert gains[action] == max(gains.values())


def test_the_feature_that_separates_is_larger_at_the_solution_by_the_most_standard_deviations() -> None:
    features = np.array(
        [[0.0, 0.0, 9.0], [0.1, 50.0, 0.0], [0.0, 90.0, 9.0], [0.8, 60.0, 0.0], [0.9, 70.0, 0.0]], np.float32
    )
    assert separating_feature(features, np.array([3, 4])) == 0
    assert separating_feature(features, np.array([0, 2])) == 2


def walked(places: list[int], policy: Policy = random_swaps, seeds: range = range(3)) -> Int64s:
    return roots_after(GRAPH.incident, FEATURES, policy, seeds=seeds, num_roots=5, places=places)


def by_hand(policy: Policy, steps: int, seed: int) -> list[int]:
    walks = RootSets(GRAPH.incident, FEATURES, [seed], 5)
    for _ in range(steps):
        seen = walks.offer()
        walks.swap(seen, policy(seen))
    return [int(root) for root in walks.offer().roots[0]]


@pytest.mark.parametrize("policy", [random_swaps, largest_gain(DEGREES)], ids=["random", "degree"])
def test_roots_at_several_places_are_those_of_walks_that_end_there(policy: Policy) -> None:
    along = walked([0, 2, 5, 9], policy)
    assert along.shape == (4, 3, 5)
    assert along[0].tolist() == random_roots(60, 5, range(3)).tolist()
    for number, place in enumerate((0, 2, 5, 9)):
        assert along[number].tolist() == [by_hand(policy, place, seed) for seed in range(3)]
    together = [offer.roots for offer in follow(RootSets(GRAPH.incident, FEATURES, range(3), 5), policy, 9)]
    assert np.array_equal(np.stack(together)[[0, 2, 5, 9]], along)
