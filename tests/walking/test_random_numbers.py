"""The draws of an episode: the words of lense.counter, on tensors."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.counter import SILVER, mix, substream
from lense.walking.random_numbers import keys_from, uniforms
from tests.learning import needs_gpu


@given(
    keys=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4),
    step=st.integers(0, 2**40),
    count=st.integers(1, 9),
)
@settings(max_examples=50, deadline=None)
def test_the_numbers_are_the_counter_based_ones(keys: list[int], step: int, count: int) -> None:
    words = np.array(keys, np.uint64)
    drawn = uniforms(torch.from_numpy(words.view(np.int64)), step, count)
    with np.errstate(over="ignore"):
        for row, key in zip(drawn.tolist(), words, strict=True):
            stream = substream(key, step)
            expected = [int(mix(stream + np.uint64(i) * SILVER)) >> 11 for i in range(1, count + 1)]
            assert row == [word * 2.0**-53 for word in expected]


def test_they_are_spread_evenly_over_0_to_1() -> None:
    drawn = torch.cat([uniforms(keys_from([1, 2]), step, 500) for step in range(20)]).flatten()
    assert drawn.dtype == torch.float64
    assert drawn.min() >= 0
    assert drawn.max() < 1
    counts = torch.histc(drawn, 20, 0, 1)
    chi_square = float(((counts - 1000) ** 2 / 1000).sum())
    assert chi_square < 43.8  # 19 degrees of freedom, one chance in a thousand


def test_a_stream_depends_on_its_seed_alone() -> None:
    assert torch.equal(uniforms(keys_from([4, 5, 6]), 3, 7)[1:], uniforms(keys_from([5, 6]), 3, 7))


def test_seeds_and_steps_have_streams_of_their_own() -> None:
    keys = keys_from(list(range(50)))
    assert len(set(keys.tolist())) == 50
    first = {float(uniforms(keys[:1], step, 1)) for step in range(50)}
    assert len(first) == 50


@pytest.mark.parametrize("seed", [0, 2**31, 2**40])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    assert keys_from([seed]).dtype == torch.int64


@needs_gpu
def test_they_are_the_same_on_a_gpu() -> None:
    seeds = list(range(5))
    assert torch.equal(uniforms(keys_from(seeds), 9, 100), uniforms(keys_from(seeds, "cuda"), 9, 100).cpu())
