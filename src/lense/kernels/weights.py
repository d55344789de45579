"""What an entry of a row counts: 1, or its weight where there are weights.

Kernels take ``weights`` as None or as one number for each entry. Numba compiles for the two kinds apart, so that
kernels which serve both count as fast as if they knew of no weights.
"""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import AnyArray, Float32s, Int64s
from lense.kernels.buckets import degrees
from lense.kernels.rows import row_sums


@kernel
def entry_weight(weights: Float32s | None, a: int) -> float:
    """What entry ``a`` counts: a whole number without weights, else a float64."""
    if weights is None:
        return 1
    return np.float64(weights[a])


def weighted_degrees(indptr: Int64s, weights: Float32s | None) -> AnyArray:
    """(n): what the entries of each row count together, as int32 without weights and float64 with them."""
    sums: AnyArray = degrees(indptr) if weights is None else row_sums(indptr, weights)
    return sums
