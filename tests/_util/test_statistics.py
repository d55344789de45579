"""Means and their standard errors."""

import numpy as np
import pytest

from lense._util.statistics import Mean, standard_error


def test_the_standard_error_is_that_of_a_sample_and_one_value_has_none() -> None:
    assert standard_error([0.2, 0.4, 0.9]) == pytest.approx(np.std([0.2, 0.4, 0.9], ddof=1) / np.sqrt(3))
    assert standard_error([0.2]) is None


def test_a_mean_is_over_seeds_of_means_over_starts() -> None:
    found = Mean.of([[0.2, 0.4], [0.9]])
    assert found.value == pytest.approx(0.6)
    assert found.stderr == pytest.approx(standard_error([0.3, 0.9]))


def test_one_seed_has_the_error_of_its_starts_and_one_start_none() -> None:
    assert Mean.of([[0.2, 0.4]]).stderr == pytest.approx(0.1)
    assert Mean.of([[0.2]]).stderr is None


def test_the_mean_of_nothing_is_none() -> None:
    assert Mean.of([]) == (None, None)
