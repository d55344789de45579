"""Closed neighbourhoods: what each vertex dominates, and the vertices that dominate most."""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Bools, Int32s, Int64s
from lense.kernels.queues import waiting
from lense.kernels.rows import Adjacency, degrees


@kernel
def closed_rows(rows: Adjacency) -> tuple[Int64s, Int32s]:
    """N[v] of each vertex, itself first and each neighbour once: (starts (n + 1), members).

    ``rows`` hold the other end of every edge at each vertex, so u is in N[v] if v is in N[u].
    """
    n = rows.indptr.size - 1
    starts = np.zeros(n + 1, np.int64)
    members = np.empty(n + rows.indices.size, np.int32)
    filled = 0
    for v in range(n):
        members[filled] = v
        filled += 1
        last = -1
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w = rows.indices[a]
            if w != v and w != last:
                members[filled] = w
                filled += 1
            last = w
        starts[v + 1] = filled
    return starts, members[:filled].copy()


@kernel
def dominate(rows: Adjacency, vertices: Int64s, dominated: Bools) -> int:
    """Mark N[v] of all ``vertices``: how many of it were not marked before."""
    count = 0
    for v in vertices:
        count += not dominated[v]
        dominated[v] = True
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            count += not dominated[rows.indices[a]]
            dominated[rows.indices[a]] = True
    return count


@kernel
def greedy_domination(rows: Adjacency, candidates: Int32s, budget: int) -> Int64s:
    """The ``budget`` candidates that come first when the one that dominates most new vertices is taken again and again.

    A vertex waits in the list of the gain it had when last looked at, at first the length of its row and 1. Gains only
    fall, so the head of the highest list is either up to date, and then best, or moves down. Only those heads have
    their rows read: beside a pass over the degrees that is little where a few vertices have most of the edges.
    """
    most = degrees(rows.indptr) + 1
    top = most.max()
    head, after = waiting(most, candidates, 0, top)
    dominated, vertices = np.zeros(most.size, np.bool_), np.empty(budget, np.int64)
    for i in range(budget):
        while True:
            while head[top] < 0:
                top -= 1
            v = head[top]
            head[top] = after[v]
            gain = _gain(rows, v, dominated)
            if gain == top:
                break
            after[v] = head[gain]
            head[gain] = v
        vertices[i] = v
        dominate(rows, vertices[i : i + 1], dominated)
    return vertices


@kernel
def _gain(rows: Adjacency, v: int, dominated: Bools) -> int:
    """How many vertices of N[v] are not dominated."""
    count, last = 0 if dominated[v] else 1, -1
    for a in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[a]
        count += w != v and w != last and not dominated[w]
        last = w
    return count
