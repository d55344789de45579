"""Means and their standard errors."""

from collections.abc import Sequence

import numpy as np


def standard_error(values: Sequence[float]) -> float | None:
    """s / sqrt(N) with s the sample's standard deviation; None for a single value, which has none."""
    array = np.asarray(values, np.float64)
    return float(array.std(ddof=1) / np.sqrt(array.size)) if array.size > 1 else None
