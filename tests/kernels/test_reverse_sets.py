"""Reverse-reachable sets estimate spread, however they are drawn and kept."""

from itertools import pairwise

import numpy as np
import pytest

from lense._util.types import Int32s
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.cascade import LiveArcs, live_arcs
from lense.kernels.reverse_sets import ReverseSets, count_hits
from lense.kernels.spread import reached_per_world

KEY = np.uint64(7)


def random_graph(n: int = 50, m: int = 250, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, n, (2, m))
    return Graph.from_edges(sources, targets, rng.choice([0.02, 0.1, 0.4], m), directed=True, num_vertices=n)


def reverse(graph: Graph) -> LiveArcs:
    return live_arcs(graph.incoming)


def drawn(sets: ReverseSets) -> list[tuple[int, ...]]:
    """All sets that are kept, members and sets in rising order."""
    offsets, members = sets.all_arrays()
    return sorted(tuple(sorted(members[a:b].tolist())) for a, b in pairwise(offsets))


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
    hits = []
    for size in (1000, 3000):
        sets.extend_to(size)
        hits.append(sum(1 in members or 2 in members for members in drawn(sets)))
    assert len(drawn(sets)) == 3000
    assert count_hits(reverse(graph), KEY, 3000, np.array([1, 2])) == hits[1]
    assert count_hits(reverse(graph), KEY, 3000, np.array([1, 2]), start=1000) == hits[1] - hits[0]
    assert count_hits(reverse(graph), KEY, 3000, np.arange(graph.num_vertices)) == 3000


def test_a_set_is_what_reaches_its_root_and_roots_are_uniform() -> None:
    """Where every arc is sure, the set of root v holds v and all before it on the path."""
    path = Graph.from_edges(range(9), range(1, 10), np.ones(9), directed=True)
    sets = ReverseSets(reverse(path), KEY)
    sets.extend_to(20_000)
    sizes = [members == tuple(range(len(members))) and len(members) for members in drawn(sets)]
    counts = np.bincount(sizes, minlength=11)[1:]
    assert counts.sum() == 20_000
    assert counts == pytest.approx(np.full(10, 2000), abs=5 * np.sqrt(2000))


def test_drawing_in_steps_or_in_other_numbers_of_threads_gives_the_same_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph()
    at_once, in_steps = ReverseSets(reverse(graph), KEY), ReverseSets(reverse(graph), KEY)
    monkeypatch.setenv("LENSE_THREADS", "1")
    at_once.extend_to(5000)
    monkeypatch.setenv("LENSE_THREADS", "3")
    for size in (10, 1500, 1500, 5000):
        in_steps.extend_to(size)
    for one, other in zip(at_once.all_arrays(), in_steps.all_arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_with_candidates_a_set_keeps_those_of_its_members_alone() -> None:
    graph, candidates = random_graph(), np.array([0, 7, 8, 30], np.int32)
    whole, some = ReverseSets(reverse(graph), KEY), ReverseSets(reverse(graph), KEY, candidates=candidates)
    for sets in (whole, some):
        sets.extend_to(3000)
    kept = [tuple(v for v in members if v in candidates) for members in drawn(whole)]
    assert drawn(some) == sorted(filter(None, kept))
    assert len(some) == 3000
    assert some.num_members == sum(map(len, kept))


def test_sets_with_three_settling_vertices_are_counted_and_the_others_kept_as_they_are() -> None:
    graph, settling = random_graph(), np.arange(0, 40, 2)
    whole, some = ReverseSets(reverse(graph), KEY), ReverseSets(reverse(graph), KEY, settling=settling)
    for sets in (whole, some):
        sets.extend_to(3000)
    left = [members for members in drawn(whole) if len({*members} & {*settling.tolist()}) < 3]
    assert drawn(some) == left
    assert (len(some), some.num_settled) == (3000, 3000 - len(left))
    assert 0 < some.num_settled < 3000


@pytest.mark.parametrize("candidates", [None, np.arange(5, 40, dtype=np.int32)])
@pytest.mark.parametrize("pack_from", [0, 2000])
def test_compressed_sets_choose_the_very_same_vertices_with_the_same_bound(
    pack_from: int, candidates: Int32s | None
) -> None:
    graph = random_graph()
    plain = ReverseSets(reverse(graph), KEY, candidates=candidates)
    packed = ReverseSets(reverse(graph), KEY, candidates=candidates, pack_from=pack_from)
    for size in (500, 3000, 8000):
        plain.extend_to(size)
        packed.extend_to(size)
        for bounded in (False, True):
            one, other = plain.cover(10, bounded=bounded), packed.cover(10, bounded=bounded)
            assert one.vertices.tolist() == other.vertices.tolist()
            assert one.gains.tolist() == other.gains.tolist()
            assert one.upper_bound == other.upper_bound
    assert packed.num_members == plain.num_members
    assert 3 * packed.nbytes < plain.nbytes


def test_where_memory_is_short_sets_are_compressed_before_the_limit() -> None:
    graph = random_graph()
    plain = ReverseSets(reverse(graph), KEY)
    plain.extend_to(20_000)
    short = ReverseSets(reverse(graph), KEY, memory_limit=plain.nbytes / 3, pack_from=1 << 24)
    short.extend_to(20_000)
    assert short.cover(5).vertices.tolist() == plain.cover(5).vertices.tolist()
    assert short.nbytes < plain.nbytes / 3


def test_the_memory_limit_stops_the_drawing_with_one_sentence() -> None:
    sets = ReverseSets(reverse(random_graph()), KEY, memory_limit=20_000)
    with pytest.raises(LenseError, match=r"memory limit of .* after .* sets; raise memory_gib or epsilon"):
        sets.extend_to(100_000)
