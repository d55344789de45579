"""Cascades on fixed worlds: the same worlds for every set, in any number of threads."""

import numpy as np
import pytest

from lense.graph import Graph
from lense.kernels.cascade import live_arcs
from lense.kernels.spread import WorldGains, reached_per_world
from lense.statistics import standard_error

KEY = np.uint64(11)
WORLDS = 300


@pytest.fixture
def graph() -> Graph:
    rng = np.random.default_rng(5)
    sources, targets = rng.integers(0, 40, (2, 200))
    return Graph.from_edges(sources, targets, rng.uniform(0, 0.5, 200), directed=True, num_vertices=40)


def test_in_every_world_reach_is_monotone_and_submodular(graph: Graph) -> None:
    live = live_arcs(graph.outgoing)

    def reach(*seeds: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return reached_per_world(live, np.array(seeds, np.int64), WORLDS, KEY)

    assert (reach(1, 2) >= reach(1)).all()
    assert (reach(1, 2, 3) - reach(1, 2) <= reach(1, 3) - reach(1)).all()


def test_a_repeated_seed_counts_once(graph: Graph) -> None:
    live = live_arcs(graph.outgoing)
    np.testing.assert_array_equal(
        reached_per_world(live, np.array([4, 4]), WORLDS, KEY),
        reached_per_world(live, np.array([4]), WORLDS, KEY),
    )


def test_threads_do_not_change_the_worlds(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    live = live_arcs(graph.outgoing)
    results = []
    for threads in ("1", "4"):
        monkeypatch.setenv("LENSE_THREADS", threads)
        results.append(reached_per_world(live, np.array([0, 9]), WORLDS, KEY))
    np.testing.assert_array_equal(results[0], results[1])


def test_marginal_gains_are_differences_of_spread(graph: Graph) -> None:
    live = live_arcs(graph.outgoing)
    gains = WorldGains(live, WORLDS, KEY)
    chosen: list[int] = []
    for v in (7, 3, 20):
        before = reached_per_world(live, np.array(chosen, np.int64), WORLDS, KEY).sum()
        for u in (3, 11, 20):
            with_u = reached_per_world(live, np.array([*chosen, u]), WORLDS, KEY).sum()
            assert gains.of(np.array([u]))[0] == with_u - before
        gains.add(v)
        chosen.append(v)


def test_there_are_as_many_worlds_as_make_the_mean_precise(graph: Graph) -> None:
    live, seeds = live_arcs(graph.outgoing), np.array([0, 9])
    everything = reached_per_world(live, seeds, 1000, KEY)
    sizes = {}
    for precision in (0.5, 0.03, 1e-9):
        some = reached_per_world(live, seeds, 1000, KEY, precision)
        np.testing.assert_array_equal(some, everything[: some.size])
        assert (standard_error(some) or 0) <= precision * some.mean() or some.size == 1000
        sizes[precision] = some.size
    assert sizes[0.5] == 64 < sizes[0.03] < 1000 == sizes[1e-9]


def test_cascades_that_never_differ_need_few_worlds() -> None:
    sure = Graph.from_edges([0, 1], [1, 2], [1.0, 1.0], directed=True)
    assert reached_per_world(live_arcs(sure.outgoing), np.array([0]), 1000, KEY, 0.002).tolist() == [3] * 64
