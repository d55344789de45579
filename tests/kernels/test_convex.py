"""Climbing reaches the best point within the budget."""

import numpy as np
import pytest

from lense.kernels.relaxation import climb


@pytest.mark.parametrize("left", [1, 3, 8])
def test_no_small_move_within_the_budget_helps(left: int) -> None:
    rng = np.random.default_rng(left)
    root = rng.normal(size=(8, 8))
    matrix, gain = root @ root.T, 10 * rng.random(8)
    x = climb(gain, matrix, left, np.zeros(8), float(np.linalg.eigvalsh(matrix)[-1]), 3000)
    assert x.min() >= 0
    assert x.max() <= 1
    assert x.sum() <= left * (1 + 1e-8)
    slope = gain - matrix @ x
    level = slope[(x > 1e-6) & (x < 1 - 1e-6)]
    price = max(float(level.mean()), 0.0) if level.size and x.sum() > left - 1e-6 else 0.0
    assert slope[x <= 1e-6].max(initial=-np.inf) <= price + 1e-4
    assert slope[x >= 1 - 1e-6].min(initial=np.inf) >= price - 1e-4
    assert level == pytest.approx(np.full(level.size, price), abs=1e-4)
