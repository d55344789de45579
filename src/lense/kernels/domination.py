"""Closed neighbourhoods: what each vertex dominates."""

import numpy as np
from numba import njit

from lense.types import Int32s, Int64s


@njit(cache=True, nogil=True)
def closed_rows(indptr: Int64s, indices: Int32s) -> tuple[Int64s, Int32s]:
    """N[v] of each vertex, itself first and each neighbour once: (starts (n + 1), members).

    ``indptr`` and ``indices`` hold the other end of every edge at each vertex, so u is in N[v] if v is in N[u].
    """
    n = indptr.size - 1
    starts = np.zeros(n + 1, np.int64)
    members = np.empty(n + indices.size, np.int32)
    last_row = np.full(n, -1, np.int32)
    filled = 0
    for v in range(n):
        last_row[v] = v
        members[filled] = v
        filled += 1
        for a in range(indptr[v], indptr[v + 1]):
            w = indices[a]
            if last_row[w] != v:
                last_row[w] = v
                members[filled] = w
                filled += 1
        starts[v + 1] = filled
    return starts, members[:filled].copy()


@njit(cache=True, nogil=True)
def count_dominated(starts: Int64s, members: Int32s, vertices: Int64s) -> int:
    """How many vertices lie in the closed neighbourhoods of ``vertices`` together."""
    dominated = np.zeros(starts.size - 1, np.bool_)
    count = 0
    for v in vertices:
        for a in range(starts[v], starts[v + 1]):
            if not dominated[members[a]]:
                dominated[members[a]] = True
                count += 1
    return count
