"""The arrays that kernels read of a graph."""

from dataclasses import dataclass

from lense._util.types import Float32s, Int32s, Int64s


@dataclass(frozen=True)
class Adjacency:
    """CSR arrays alone: the neighbours of v are ``indices[indptr[v]:indptr[v + 1]]``, in rising order."""

    indptr: Int64s
    indices: Int32s
    weights: Float32s | None
