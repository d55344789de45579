"""Submodular sparsification drops what its sample makes dispensable."""

from itertools import combinations, pairwise
from math import ceil, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import AnyArray, Int64s
from lense.graph import Graph, power_law
from lense.problems import Problem, get_problem
from lense.pruners.sparsification import Sparsification, diverging_from, sparsified
from tests.brute_force import covered, cut
from tests.pruners.examples import Hidden
from tests.strategies import graphs

MEASURES = {"mvc": covered, "bmc": cut}
LOOPLESS = graphs(min_vertices=3, max_vertices=9, min_edges=1, max_edges=20, duplicates=True, weighted=False)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return power_law(600, 8.0, 2.3, np.random.default_rng(2))


class Recorder:
    """Passes divergences on and keeps the rounds: the sample, who was left, and their divergences."""

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.find = diverging_from(problem, graph, problem.gains(graph, 1))
        self.rounds: list[tuple[Int64s, Int64s, AnyArray]] = []

    def __call__(self, sample: Int64s, left: Int64s) -> AnyArray:
        found = self.find(sample, left)
        self.rounds.append((sample, left, found))
        return found


@given(LOOPLESS, st.sampled_from(["mvc", "bmc"]), st.integers(1, 4), st.integers(0, 1000))
@settings(max_examples=120, deadline=None)
def test_the_kept_vertices_lose_at_most_the_largest_divergence_for_each_choice(
    graph: Graph, name: str, budget: int, seed: int
) -> None:
    """Replacing a dropped v by the u that dropped it costs at most w(v), as f(u | all others) <= 0 without loops."""
    measure = MEASURES[name]
    recorder = Recorder(get_problem(name), graph)
    kept = sparsified(graph.num_vertices, 0.6, 3.0, recorder, np.random.default_rng(seed)).tolist()
    dropped_at = [
        weight
        for _, left, found in recorder.rounds
        for v, weight in zip(left.tolist(), found.tolist(), strict=True)
        if v not in kept
    ]

    def best(candidates: list[int]) -> float:
        sizes = range(min(budget, len(candidates)) + 1)
        return max(measure(graph, chosen) for size in sizes for chosen in combinations(candidates, size))

    assert best(kept) >= best(list(range(graph.num_vertices))) - budget * max(dropped_at, default=0)


@pytest.mark.parametrize(("r", "c"), [(8, 8), (2, 3), (0.5, 40)])
def test_each_round_keeps_r_log_n_vertices_and_one_in_root_c_of_the_others(graph: Graph, r: float, c: float) -> None:
    n = graph.num_vertices
    recorder = Recorder(get_problem("mvc"), graph)
    kept = sparsified(n, r, c, recorder, np.random.default_rng(0))
    sample_size = ceil(r * log(n))
    assert all(sample.size == sample_size for sample, _, _ in recorder.rounds)
    others = [left.size for _, left, _ in recorder.rounds]
    assert others[0] == n - sample_size
    assert all(after + sample_size == int(before / sqrt(c)) for before, after in pairwise(others))
    assert len(recorder.rounds) <= ceil(log(n / sample_size) / log(sqrt(c)))
    assert np.unique(kept).size == kept.size <= (len(recorder.rounds) + 1) * sample_size


def test_the_least_divergent_are_dropped_and_the_sample_is_kept(graph: Graph) -> None:
    recorder = Recorder(get_problem("mvc"), graph)
    kept = sparsified(graph.num_vertices, 2, 8, recorder, np.random.default_rng(0))
    for (_, left, found), (sample, after, _) in pairwise(recorder.rounds):
        survives = np.isin(left, [*sample, *after])
        assert found[~survives].max() <= found[survives].min()
    assert all(np.isin(sample, kept).all() for sample, _, _ in recorder.rounds)


def test_asking_for_the_objective_finds_the_same_divergences_as_the_kernel() -> None:
    small = power_law(40, 4.0, 2.3, np.random.default_rng(1))
    order = np.random.default_rng(0).permutation(40)
    measured = diverging_from(Hidden(), small, None)(order[:6], np.sort(order[6:]))
    counted = diverging_from(get_problem("bmc"), small, get_problem("bmc").gains(small, 5))(
        order[:6], np.sort(order[6:])
    )
    assert measured.tolist() == counted.tolist()
    part = Sparsification(Hidden(), 5, r=1).prune(small)
    assert 4 <= part.vertices.size < 40
