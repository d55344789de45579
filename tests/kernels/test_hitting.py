"""The bound on how many sets a few vertices hit holds, and is close where the linear program is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Int32s, Int64s
from lense.kernels.hitting import hitting_bound

N = 7
SETS = st.lists(st.sets(st.integers(0, N - 1), min_size=1), min_size=1, max_size=40)


def arrays(sets: list[set[int]]) -> tuple[Int64s, Int32s]:
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return offsets, np.array([v for one in sets for v in sorted(one)], np.int32)


def hits(sets: list[set[int]], chosen: tuple[int, ...]) -> int:
    return sum(bool(one & set(chosen)) for one in sets)


@given(sets=SETS, budget=st.integers(1, N), start=st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_no_vertices_hit_more_whatever_it_starts_from(sets: list[set[int]], budget: int, start: int) -> None:
    best = max(hits(sets, chosen) for chosen in combinations(range(N), budget))
    chosen = np.random.default_rng(start).choice(N, budget, replace=False)
    bound = hitting_bound(*arrays(sets), N, chosen, hits(sets, tuple(chosen.tolist())))
    assert best <= bound <= len(sets) * (1 + 1e-8)


def test_it_comes_close_to_the_optimum_of_many_sets() -> None:
    rng = np.random.default_rng(1)
    popularity = 1 / np.arange(1, 201)
    sets = [
        set(rng.choice(200, int(rng.integers(1, 5)), p=popularity / popularity.sum()).tolist()) for _ in range(3000)
    ]
    chosen: list[int] = []
    for _ in range(10):
        chosen.append(max(range(200), key=lambda v: hits(sets, (*chosen, v))))
    covered = hits(sets, tuple(chosen))
    assert covered / hitting_bound(*arrays(sets), 200, np.array(chosen), covered) == pytest.approx(1, abs=0.01)
