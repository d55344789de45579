"""Time without compilation, peak memory, and means with their errors."""

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from numba import njit

from lense._util import measuring
from lense._util.measuring import Mean, PeakMemory, Stopwatch


def test_compiling_does_not_count() -> None:
    @njit()
    def increase(x: int) -> int:
        return x + 1

    start = perf_counter()
    with Stopwatch() as watch:
        increase(1)
    assert watch.seconds < 0.5 * (perf_counter() - start)


MIB = 2**20


def test_what_was_held_and_given_back_counts() -> None:
    with PeakMemory() as peak:
        np.ones(8 * MIB)
    assert 60 * MIB < peak.bytes < 100 * MIB


@pytest.mark.parametrize("forgets", [True, False])
def test_what_was_there_before_does_not_count(forgets: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not forgets:
        monkeypatch.setattr(measuring, "_REFERENCES", Path("/no/such/file"))
    kept = np.ones(8 * MIB)
    with PeakMemory() as peak:
        assert kept[0] == 1
    assert peak.bytes < 8 * MIB


@pytest.mark.parametrize(
    ("by_seed", "value", "stderr"),
    [
        ([[0.2, 0.4], [0.9]], 0.6, 0.3),
        ([[0.2], [0.4], [0.9]], 0.5, np.std([0.2, 0.4, 0.9], ddof=1) / np.sqrt(3)),
        ([[0.2, 0.4]], 0.3, 0.1),
        ([[0.2]], 0.2, None),
        ([], None, None),
    ],
)
def test_a_mean_is_over_seeds_of_means_over_starts(
    by_seed: list[list[float]], value: float | None, stderr: float | None
) -> None:
    found = Mean.of(by_seed)
    assert found.value == pytest.approx(value)
    assert found.stderr == pytest.approx(stderr)
