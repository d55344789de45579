"""Reverse-reachable sets estimate spread, and greedy on them is greedy with a true bound."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.cascade import LiveArcs, live_arcs
from lense.kernels.rr import ReverseSets, count_hits, greedy_cover
from lense.kernels.spread import reached_per_world

KEY = np.uint64(7)


def random_graph(n: int = 50, m: int = 250, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n, (2, m))
    return Graph.from_edges(sources, targets, rng.choice([0.02, 0.1, 0.4], m), directed=True, num_vertices=n)


def reverse(graph: Graph) -> LiveArcs:
    return live_arcs(graph.incoming)


class GivenSets(ReverseSets):
    """Sets written down instead of drawn."""

    def __init__(self, sets: list[list[int]], num_vertices: int, candidates: list[int] | None = None) -> None:
        empty = Graph.from_edges([], [], [], directed=True, num_vertices=num_vertices)
        listed = None if candidates is None else np.array(candidates, np.int32)
        super().__init__(live_arcs(empty.incoming), KEY, candidates=listed)
        self._members = [np.array(members, np.int32) for members in sets]
        self._sizes = [np.array([len(members)]) for members in sets]
        self.num_sets = len(sets)


def test_the_share_of_sets_hit_estimates_the_spread() -> None:
    graph = random_graph()
    seeds = np.array([3, 14, 15])
    theta = 40_000
    sizes = reached_per_world(live_arcs(graph.outgoing), seeds, 20_000, KEY)
    share = count_hits(reverse(graph), KEY, theta, seeds) / theta
    error = np.hypot(sizes.std() / np.sqrt(sizes.size), graph.num_vertices * np.sqrt(share * (1 - share) / theta))
    assert graph.num_vertices * share == pytest.approx(sizes.mean(), abs=5 * error)


def test_counting_hits_agrees_with_the_sets_drawn() -> None:
    graph = random_graph()
    sets = ReverseSets(reverse(graph), KEY)
    sets.extend_to(3000)
    offsets, members = sets.arrays()
    drawn = [set(members[offsets[i] : offsets[i + 1]].tolist()) for i in range(3000)]
    assert count_hits(reverse(graph), KEY, 3000, np.array([1, 2])) == sum(bool(s & {1, 2}) for s in drawn)
    assert count_hits(reverse(graph), KEY, 3000, np.array([1, 2]), start=1000) == sum(
        bool(s & {1, 2}) for s in drawn[1000:]
    )
    assert all(len(s) == size for s, size in zip(drawn, np.diff(offsets), strict=True))


def test_drawing_in_steps_or_in_other_numbers_of_threads_gives_the_same_sets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = random_graph()
    at_once, in_steps = ReverseSets(reverse(graph), KEY), ReverseSets(reverse(graph), KEY)
    monkeypatch.setenv("LENSE_THREADS", "1")
    at_once.extend_to(5000)
    monkeypatch.setenv("LENSE_THREADS", "3")
    for size in (10, 1500, 1500, 5000):
        in_steps.extend_to(size)
    for one, other in zip(at_once.arrays(), in_steps.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_with_candidates_a_set_keeps_those_of_its_members_alone() -> None:
    graph, candidates = random_graph(), np.array([0, 7, 8, 30], np.int32)
    whole, some = ReverseSets(reverse(graph), KEY), ReverseSets(reverse(graph), KEY, candidates=candidates)
    drawn = []
    for sets in (whole, some):
        sets.extend_to(3000)
        offsets, members = sets.arrays()
        drawn.append([members[offsets[i] : offsets[i + 1]].tolist() for i in range(3000)])
    assert drawn[1] == [[v for v in members if v in candidates] for members in drawn[0]]
    assert len(some) == 3000
    assert some.num_members == sum(map(len, drawn[1]))


def test_sets_with_three_settling_vertices_are_counted_and_the_others_kept_as_they_are() -> None:
    graph, settling = random_graph(), np.arange(0, 40, 2)
    whole, some = ReverseSets(reverse(graph), KEY), ReverseSets(reverse(graph), KEY, settling=settling)
    drawn = []
    for sets in (whole, some):
        sets.extend_to(3000)
        offsets, members = sets.arrays()
        drawn.append([members[a:b].tolist() for a, b in pairwise(offsets)])
    left = [members for members in drawn[0] if len({*members} & {*settling.tolist()}) < 3]
    assert drawn[1] == left
    assert (len(some), some.num_settled) == (3000, 3000 - len(left))
    assert 0 < some.num_settled < 3000


def test_the_memory_limit_stops_the_drawing_with_one_sentence() -> None:
    sets = ReverseSets(reverse(random_graph()), KEY, memory_limit=20_000)
    with pytest.raises(LenseError, match=r"memory limit of .* GiB after .* sets; raise memory_gib or epsilon"):
        sets.extend_to(100_000)


families = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.sets(st.integers(0, n - 1), min_size=1).map(sorted), min_size=1, max_size=12),
        st.integers(1, n),
    )
)


@given(families)
@settings(max_examples=200, deadline=None)
def test_greedy_takes_a_best_vertex_each_time_and_bounds_the_best_cover(
    family: tuple[int, list[list[int]], int],
) -> None:
    n, sets, budget = family
    cover = greedy_cover(GivenSets(sets, n), budget)
    left = [set(s) for s in sets]
    assert len(set(cover.vertices.tolist())) == budget
    for v, gain in zip(cover.vertices, cover.gains, strict=True):
        assert gain == sum(v in s for s in left) == max(sum(u in s for s in left) for u in range(n))
        left = [s for s in left if v not in s]
    best = max(sum(bool(s & set(c)) for s in map(set, sets)) for c in combinations(range(n), budget))
    assert cover.covered <= best <= cover.upper_bound <= len(sets)


@given(families, st.data())
@settings(max_examples=200, deadline=None)
def test_greedy_and_its_bound_are_those_of_the_candidates(
    family: tuple[int, list[list[int]], int], data: st.DataObject
) -> None:
    n, sets, budget = family
    candidates = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    kept = [[v for v in s if v in candidates] for s in sets]
    budget = min(budget, len(candidates))
    cover = greedy_cover(GivenSets(kept, n, candidates), budget)
    chosen = cover.vertices.tolist()
    assert len(set(chosen)) == budget
    assert set(chosen) <= set(candidates)
    left = [set(s) for s in kept]
    for v, gain in zip(chosen, cover.gains, strict=True):
        assert gain == sum(v in s for s in left) == max(sum(u in s for s in left) for u in candidates)
        left = [s for s in left if v not in s]
    best = max(sum(bool(s & set(c)) for s in map(set, sets)) for c in combinations(candidates, budget))
    alone = sorted((sum(v in s for s in sets) for v in candidates), reverse=True)
    assert cover.covered <= best <= cover.upper_bound <= sum(alone[:budget])
