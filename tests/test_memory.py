"""What work holds at once, beyond what was there before."""

from pathlib import Path

import numpy as np
import pytest

from lense import memory
from lense.memory import PeakMemory, highest_memory

MIB = 2**20


def test_what_was_held_and_given_back_counts() -> None:
    with PeakMemory() as peak:
        np.ones(8 * MIB)
    assert 60 * MIB < peak.bytes < 100 * MIB


def test_what_was_there_before_does_not_count() -> None:
    kept = np.ones(8 * MIB)
    with PeakMemory() as peak:
        assert kept[0] == 1
    assert peak.bytes < 8 * MIB


def test_memory_used_a_second_time_counts_again() -> None:
    for _ in range(2):
        with PeakMemory() as peak:
            np.ones(8 * MIB)
        assert peak.bytes > 60 * MIB


def test_where_the_system_cannot_forget_the_peak_what_raised_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_REFERENCES", Path("/no/such/file"))
    highest = highest_memory()
    with PeakMemory() as peak:
        np.ones(highest // 8)
    assert peak.bytes > 0
