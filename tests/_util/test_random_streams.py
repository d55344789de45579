"""Counter-based random numbers: reproducible, distinct, uniform."""

import numpy as np
import pytest
from scipy.stats import kstest

from lense._util.random_streams import GOLDEN, SILVER, exponential, mix, substream, uniform


def test_substreams_differ_and_repeat() -> None:
    keys = [int(substream(np.uint64(1), i)) for i in range(10_000)]
    assert len(set(keys)) == len(keys)
    assert keys[17] == int(substream(np.uint64(1), 17))


def test_words_on_both_axes_of_a_stream_are_uniform() -> None:
    assert 0 < uniform(np.uint64(0)) < uniform(np.uint64(2**64 - 1)) < 1
    with np.errstate(over="ignore"):
        for step in (GOLDEN, SILVER):
            words = [uniform(np.uint64(mix(np.uint64(99) + np.uint64(i) * step))) for i in range(20_000)]
            assert min(words) > 0
            assert max(words) < 1
            assert kstest(words, "uniform").pvalue > 1e-4


def test_exponentials_follow_their_law_into_the_tail() -> None:
    with np.errstate(over="ignore"):
        drawn = np.array([exponential(np.uint64(mix(np.uint64(i) * GOLDEN))) for i in range(200_000)])
    assert kstest(drawn, "expon").pvalue > 1e-4
    assert np.mean(drawn > 7.697) == pytest.approx(np.exp(-7.697), rel=0.5)
