"""A small version of the benchmark: the target is met as often as promised."""

import numpy as np
import pytest

from benchmarks.calibrated import KINDS, trials


@pytest.mark.parametrize("problem", ["mvc", "bmc"])
def test_the_target_is_met_as_often_as_promised(problem: str) -> None:
    found = list(trials(problem, n=800, seeds=3, budget=20))
    assert {one.kind for one in found} == set(KINDS)
    promised, met = (np.array(values) for values in zip(*((one.sure, one.met) for one in found), strict=True))
    deviation = np.sqrt((promised * (1 - promised)).sum()) / promised.size
    assert met.mean() >= promised.mean() - 3 * deviation
