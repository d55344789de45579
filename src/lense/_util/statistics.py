"""Means and their standard errors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lense._util.types import AnyArray


def standard_error(values: Sequence[float] | AnyArray) -> float | None:
    """s / sqrt(N) with s the sample's standard deviation; None for a single value, which has none."""
    array = np.asarray(values, np.float64)
    return float(array.std(ddof=1) / np.sqrt(array.size)) if array.size > 1 else None


class Mean(NamedTuple):
    """A mean over seeds of means over starts with its standard error, each None where there is none."""

    value: float | None = None
    stderr: float | None = None

    @classmethod
    def of(cls, by_seed: Sequence[Sequence[float]]) -> "Mean":
        """The standard error is that over the seeds, or over the starts if there is but one seed."""
        if not by_seed:
            return cls()
        means = np.array([np.mean(values) for values in by_seed])
        return cls(float(means.mean()), standard_error(means if means.size > 1 else np.array(by_seed[0])))
