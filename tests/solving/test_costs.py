"""What a heuristic takes on a large graph, by small samples that are like it; and what other work costs."""

from time import sleep

import numpy as np
import pytest
from numba.core import event
from scipy.sparse.csgraph import connected_components

from lense.graph import Graph, power_law, to_scipy
from lense.problems import get_problem
from lense.solving import costs
from lense.solving.costs import Law, sample_like, sampled_law


class Heuristic:
    """Takes ``seconds`` on a graph of size 1,000 and grows with a power of the size; keeps what it was run on."""

    def __init__(self, seconds: float, power: float) -> None:
        self.law, self.runs = Law(1000, seconds, power), list[int]()

    def __call__(self, size: int) -> tuple[int, float]:
        self.runs.append(size)
        return size, self.law.at(size)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_the_law_is_found_and_extended_to_the_whole_graph(power: float) -> None:
    slow = Heuristic(0.1, power)
    found = sampled_law(slow, 1_000_000, 1000)[0]
    assert found.power == pytest.approx(power)
    assert found.at(1_000_000) == pytest.approx(slow.law.at(1_000_000))
    assert found.at_least(1_000_000) == pytest.approx(found.seconds * 1_000_000 / found.size)


def test_a_growth_that_no_heuristic_has_is_not_believed() -> None:
    assert sampled_law(Heuristic(0.1, 6.0), 1_000_000, 1000)[0].power == 2.5


def test_a_fixed_cost_does_not_grow_with_the_graph() -> None:
    law = sampled_law(lambda size: (size, 0.5 + 1e-5 * size), 1_000_000, 1000)[0]
    assert law.fixed == pytest.approx(0.5)
    assert law.at(1_000_000) == pytest.approx(10.5)


def test_slow_growth_may_go_on_so_the_least_time_is_small() -> None:
    slow = Heuristic(0.1, 0.5)
    law = sampled_law(slow, 1_000_000, 1000)[0]
    assert law.at_least(1_000_000) == pytest.approx(slow.law.at(1_000_000))
    assert law.at(1_000_000) > law.at_least(1_000_000)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_samples_take_a_small_share_of_the_whole(power: float) -> None:
    slow = Heuristic(0.1, power)
    _, spent = sampled_law(slow, 10_000_000, 1000)
    assert spent <= 0.06 * slow.law.at(10_000_000)


@pytest.mark.parametrize("ratio", [32, 100, 1000, 100_000])
@pytest.mark.parametrize("power", [1.0, 1.5, 2.5])
def test_samples_take_a_tenth_at_most_even_on_small_graphs(ratio: int, power: float) -> None:
    slow = Heuristic(0.1, power)
    assert sampled_law(slow, ratio * 1000, 1000)[1] <= 0.1 * slow.law.at(ratio * 1000)


def test_a_quick_heuristic_is_hardly_looked_at() -> None:
    quick = Heuristic(1e-8, 1.0)
    sampled_law(quick, 100_000, 1000)
    assert quick.runs == [1000] * 2


@pytest.mark.parametrize(
    ("whole", "is_vain", "once"),
    [(32_000, True, True), (32_000, False, False), (1_000_000, True, False)],
    ids=["vain", "not vain", "time for larger samples"],
)
def test_one_run_is_enough_where_a_shorter_time_would_change_nothing(whole: int, is_vain: bool, once: bool) -> None:
    one = Heuristic(0.1, 1.0)
    sampled_law(one, whole, 1000, is_vain=lambda law: is_vain)
    assert (one.runs[:2] == [1000, 1000]) != once


def test_no_more_samples_where_the_law_is_clear() -> None:
    slow = Heuristic(0.1, 1.0)
    sampled_law(slow, 10_000_000, 1000, is_clear=lambda law: True)
    assert slow.runs == [1000] * 2


def test_a_busy_moment_of_the_machine_does_not_count() -> None:
    seconds = iter([9.0, 0.1, 9.0, 0.1, 9.0, 9.0, 0.4])
    law = sampled_law(lambda size: (size, next(seconds)), 1_000_000, 1000, is_clear=lambda law: law.size > 1000)[0]
    assert (law.size, law.seconds) == (4000, 0.4)
    assert law.power == pytest.approx(1.0)


def test_a_smaller_sample_takes_no_longer_than_a_larger_one_did() -> None:
    seconds = iter([2.0, 2.0, 0.01])
    law = sampled_law(lambda size: (size, next(seconds)), 1_000_000, 1000)[0]
    assert law.at(1_000_000) == pytest.approx(0.01)


def test_threads_that_wait_for_each_other_are_not_taken_for_growth() -> None:
    """Some runs of 1 ms take 300: the estimate stays near what the whole graph takes."""
    for seed in range(20):
        rng = np.random.default_rng(seed)

        def spiky(size: int, rng: np.random.Generator = rng) -> tuple[int, float]:
            return size, 1e-3 * size / 50_000 + (0.3 if rng.random() < 0.3 else 0.0)

        assert sampled_law(spiky, 1_000_000, 4000)[0].at(1_000_000) < 0.7


def test_runs_of_a_few_milliseconds_say_nothing_of_the_growth() -> None:
    seconds = iter([0.001, 0.001, 0.3, 0.3, 0.3, 0.3])
    found = sampled_law(lambda size: (size, next(seconds)), 1_000_000, 1000, is_clear=lambda law: law.size > 1000)
    assert found[0].power == 1


def test_what_takes_long_on_the_first_sample_is_not_run_there_twice() -> None:
    slow = Heuristic(11.0, 1.0)
    sampled_law(slow, 2000, 1000)
    assert slow.runs == [1000]


def test_what_is_done_once_does_not_count() -> None:
    seconds = iter([0.4, 0.1, 0.1])
    assert sampled_law(lambda size: (size, next(seconds)), 2000, 1000)[0].seconds == 0.1


GRAPH = power_law(5000, 20, 2.3, np.random.default_rng(1))


@pytest.mark.parametrize("size", [8000, 20_000])
def test_there_are_nearly_as_many_edges_for_each_vertex(size: int) -> None:
    sample = sample_like(GRAPH, size, np.random.default_rng(0))
    assert size / 4 < sample.num_vertices + sample.num_edges < 1.1 * size
    share = (sample.num_edges / sample.num_vertices) / (GRAPH.num_edges / GRAPH.num_vertices)
    assert 0.2 < share < 1.01


def test_a_small_sample_of_a_large_graph_hangs_together() -> None:
    large = power_law(50_000, 10, 2.3, np.random.default_rng(1))
    sample = sample_like(large, 2000, np.random.default_rng(0))
    _, component = connected_components(to_scipy(sample), directed=False)
    assert np.bincount(component).max() > 0.9 * sample.num_vertices


def test_walks_begin_again_where_they_end() -> None:
    pairs = Graph.from_edges(np.arange(0, 1000, 2), np.arange(1, 1000, 2))
    assert sample_like(pairs, 600, np.random.default_rng(0)).num_vertices == pytest.approx(400, abs=2)


def test_edges_weights_and_direction_are_those_of_the_graph() -> None:
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [0.1, 0.2, 0.3, 0.4], directed=True)
    sample = sample_like(graph, 6, np.random.default_rng(0))
    known = dict(zip(zip(*(end.tolist() for end in graph.edges()[:2]), strict=True), [0.1, 0.2, 0.3, 0.4], strict=True))
    sources, targets, weights = sample.edges()
    assert sample.directed
    assert weights is not None
    for u, v, w in zip(sample.labels[sources], sample.labels[targets], weights, strict=True):
        assert known[int(u), int(v)] == pytest.approx(float(w))


def test_a_first_run_that_compiles_for_long_is_not_taken_for_slow_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_LONG", 0.1)
    runs: list[None] = []

    def work() -> int:
        if not runs:
            with event.trigger_event("numba:compile"):
                sleep(0.2)
        runs.append(None)
        return len(runs)

    result, cost = costs._measured(work, 10.0)
    assert result == 2
    assert cost.seconds < 5.0


def test_slow_work_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_LONG", 0.0)
    runs: list[None] = []
    costs._measured(lambda: runs.append(None), 1.0)
    assert len(runs) == 1


def test_what_a_problem_knows_of_its_heuristic_is_what_advice_says_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_SAMPLE", 2000)
    problem = get_problem("im")
    graph = problem.prepare(power_law(2000, 6, 2.3, np.random.default_rng(1)))
    given, to_come = (costs.measured_costs(problem, graph, 5, size)["solve"] for size in (None, (2000, 50_000)))
    assert given.seconds == problem.seconds(graph, 5)
    assert to_come.seconds != given.seconds
