"""What a heuristic takes on a large graph: small samples say it, and cost little."""

import pytest

from lense.solving.cost import Law, sampled_law


class Heuristic:
    """Takes ``seconds`` on a graph of size 1,000 and grows with a power of the size; keeps what it was run on."""

    def __init__(self, seconds: float, power: float) -> None:
        self.law, self.runs = Law(1000, seconds, power), list[int]()

    def __call__(self, size: int) -> tuple[int, float]:
        self.runs.append(size)
        return size, self.law.at(size)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_law_is_found_and_extended_to_the_whole_graph(power: float) -> None:
    slow = Heuristic(0.1, power)
    found = sampled_law(slow, 1_000_000, 1000).law
    assert found.power == pytest.approx(power)
    assert found.at(1_000_000) == pytest.approx(slow.law.at(1_000_000))


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_samples_take_a_small_share_of_the_whole(power: float) -> None:
    found = sampled_law(Heuristic(0.1, power), 10_000_000, 1000)
    assert found.spent <= 0.06 * found.law.at(10_000_000)


def test_a_quick_heuristic_is_hardly_looked_at() -> None:
    quick = Heuristic(1e-8, 1.0)
    sampled_law(quick, 100_000, 1000)
    assert quick.runs == [1000, 1000]


def test_no_more_samples_where_the_law_is_clear() -> None:
    slow = Heuristic(0.1, 1.0)
    sampled_law(slow, 10_000_000, 1000, is_clear=lambda law: True)
    assert slow.runs == [1000, 1000, 4000]


def test_a_busy_moment_of_the_machine_does_not_count() -> None:
    seconds = iter([0.1, 0.1, 9.0, 0.4])
    law = sampled_law(lambda size: (size, next(seconds)), 10_000_000, 1000, is_clear=lambda law: True).law
    assert (law.size, law.seconds) == (4000, 0.4)
    assert law.power == pytest.approx(1.0)


def test_runs_of_a_few_milliseconds_say_nothing_of_the_growth() -> None:
    seconds = iter([0.001, 0.001, 0.3, 0.3, 0.3])
    assert sampled_law(lambda size: (size, next(seconds)), 10_000_000, 1000, is_clear=lambda law: True).law.power == 1


def test_what_takes_long_on_the_first_sample_is_not_run_there_twice() -> None:
    slow = Heuristic(50.0, 1.0)
    sampled_law(slow, 2000, 1000)
    assert slow.runs == [1000]


def test_what_is_done_once_does_not_count() -> None:
    seconds = iter([0.4, 0.1])
    assert sampled_law(lambda size: (size, next(seconds)), 2000, 1000).law.seconds == 0.1
