"""Greedy on sets is greedy with a true bound, and the linear relaxation's bound holds."""

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Int32s, Int64s
from lense.kernels.hitting import greedy_hitting, hitting_bound
from lense.kernels.packed_sets import pack, packed_cover
from tests.kernels.samples import csr_rows


def arrays(sets: Sequence[Collection[int]]) -> tuple[Int64s, Int32s]:
    return csr_rows([sorted(members) for members in sets])


families = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.sets(st.integers(0, n - 1), min_size=1).map(sorted), min_size=1, max_size=12),
        st.integers(1, n),
    )
)


@given(families, st.data())
@settings(max_examples=200, deadline=None)
def test_greedy_and_its_bound_are_those_of_the_candidates(
    family: tuple[int, list[list[int]], int], data: st.DataObject
) -> None:
    n, sets, budget = family
    candidates = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    kept = [[v for v in s if v in candidates] for s in sets]
    budget = min(budget, len(candidates))
    cover = greedy_hitting(*arrays(kept), n, np.array(candidates, np.int32), budget, bounded=True)
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


@given(families, st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_compressed_sets_choose_the_same_with_the_same_bound(
    family: tuple[int, list[list[int]], int], per_block: int
) -> None:
    n, sets, budget = family
    everyone, blocks, counts = np.arange(n, dtype=np.int32), [], np.zeros(n, np.int64)
    for first in range(0, len(sets), per_block):
        offsets, members = arrays(sets[first : first + per_block])
        block, holding = pack(members, np.diff(offsets).astype(np.int32), n)
        counts[block.vertices] += holding
        blocks.append(block)
    for bounded in (False, True):
        one = greedy_hitting(*arrays(sets), n, everyone, budget, bounded=bounded)
        other = packed_cover(blocks, np.zeros(n, np.int32), counts, everyone, budget, bounded=bounded)
        assert one.vertices.tolist() == other.vertices.tolist()
        assert one.gains.tolist() == other.gains.tolist()
        assert one.upper_bound == other.upper_bound


@given(families)
@settings(max_examples=100, deadline=None)
def test_sets_of_one_member_may_be_counted_instead_of_listed(family: tuple[int, list[list[int]], int]) -> None:
    n, sets, budget = family
    everyone = np.arange(n, dtype=np.int32)
    alone = np.bincount([s[0] for s in sets if len(s) == 1], minlength=n).astype(np.int32)
    several = [s for s in sets if len(s) > 1]
    one = greedy_hitting(*arrays(sets), n, everyone, budget, bounded=True)
    other = greedy_hitting(*arrays(several), n, everyone, budget, bounded=True, alone=alone)
    assert one.vertices.tolist() == other.vertices.tolist()
    assert (one.covered, one.upper_bound) == (other.covered, other.upper_bound)


N = 7
SETS = st.lists(st.sets(st.integers(0, N - 1), min_size=1), min_size=1, max_size=40)


def hits(sets: list[set[int]], chosen: tuple[int, ...]) -> int:
    return sum(bool(one & set(chosen)) for one in sets)


@given(sets=SETS, budget=st.integers(1, N), start=st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_no_vertices_hit_more_whatever_it_starts_from(sets: list[set[int]], budget: int, start: int) -> None:
    best = max(hits(sets, chosen) for chosen in combinations(range(N), budget))
    chosen = np.random.default_rng(start).choice(N, budget, replace=False)
    bound = hitting_bound(*arrays(sets), N, chosen, hits(sets, tuple(chosen.tolist())))
    assert best <= bound <= len(sets) * (1 + 1e-8)
