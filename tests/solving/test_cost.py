"""What a heuristic takes on a large graph: small samples say it, and cost little."""

import numpy as np
import pytest

from lense.solving.cost import Law, sampled_law


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
    found = sampled_law(slow, 1_000_000, 1000).law
    assert found.power == pytest.approx(power)
    assert found.at(1_000_000) == pytest.approx(slow.law.at(1_000_000))
    assert found.at_least(1_000_000) == pytest.approx(found.seconds * 1_000_000 / found.size)


def test_a_growth_that_no_heuristic_has_is_not_believed() -> None:
    assert sampled_law(Heuristic(0.1, 6.0), 1_000_000, 1000).law.power == 2.5


def test_a_fixed_cost_does_not_grow_with_the_graph() -> None:
    law = sampled_law(lambda size: (size, 0.5 + 1e-5 * size), 1_000_000, 1000).law
    assert law.fixed == pytest.approx(0.5)
    assert law.at(1_000_000) == pytest.approx(10.5)


def test_slow_growth_may_go_on_so_the_least_time_is_small() -> None:
    slow = Heuristic(0.1, 0.5)
    law = sampled_law(slow, 1_000_000, 1000).law
    assert law.at_least(1_000_000) == pytest.approx(slow.law.at(1_000_000))
    assert law.at(1_000_000) > law.at_least(1_000_000)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_samples_take_a_small_share_of_the_whole(power: float) -> None:
    slow = Heuristic(0.1, power)
    found = sampled_law(slow, 10_000_000, 1000)
    assert found.spent <= 0.06 * slow.law.at(10_000_000)


@pytest.mark.parametrize("ratio", [32, 100, 1000, 100_000])
@pytest.mark.parametrize("power", [1.0, 1.5, 2.5])
def test_samples_take_a_tenth_at_most_even_on_small_graphs(ratio: int, power: float) -> None:
    slow = Heuristic(0.1, power)
    assert sampled_law(slow, ratio * 1000, 1000).spent <= 0.1 * slow.law.at(ratio * 1000)


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
    law = sampled_law(lambda size: (size, next(seconds)), 1_000_000, 1000, is_clear=lambda law: law.size > 1000).law
    assert (law.size, law.seconds) == (4000, 0.4)
    assert law.power == pytest.approx(1.0)


def test_a_smaller_sample_takes_no_longer_than_a_larger_one_did() -> None:
    seconds = iter([2.0, 2.0, 0.01])
    law = sampled_law(lambda size: (size, next(seconds)), 1_000_000, 1000).law
    assert law.at(1_000_000) == pytest.approx(0.01)


def test_threads_that_wait_for_each_other_are_not_taken_for_growth() -> None:
    """Some runs of 1 ms take 300: the estimate stays near what the whole graph takes."""
    for seed in range(20):
        rng = np.random.default_rng(seed)

        def spiky(size: int, rng: np.random.Generator = rng) -> tuple[int, float]:
            return size, 1e-3 * size / 50_000 + (0.3 if rng.random() < 0.3 else 0.0)

        assert sampled_law(spiky, 1_000_000, 4000).law.at(1_000_000) < 0.7


def test_runs_of_a_few_milliseconds_say_nothing_of_the_growth() -> None:
    seconds = iter([0.001, 0.001, 0.3, 0.3, 0.3, 0.3])
    found = sampled_law(lambda size: (size, next(seconds)), 1_000_000, 1000, is_clear=lambda law: law.size > 1000)
    assert found.law.power == 1


def test_what_takes_long_on_the_first_sample_is_not_run_there_twice() -> None:
    slow = Heuristic(11.0, 1.0)
    sampled_law(slow, 2000, 1000)
    assert slow.runs == [1000]


def test_what_is_done_once_does_not_count() -> None:
    seconds = iter([0.4, 0.1, 0.1])
    assert sampled_law(lambda size: (size, next(seconds)), 2000, 1000).law.seconds == 0.1
