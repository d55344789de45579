"""Closed neighbourhoods: what each vertex dominates, and the vertices that dominate most."""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Bools, Int32s, Int64s
from lense.kernels.rows import Adjacency


@kernel
def closed_rows(rows: Adjacency) -> tuple[Int64s, Int32s]:
    """N[v] of each vertex, itself first and each neighbour once: (starts (n + 1), members).

    ``rows`` hold the other end of every edge at each vertex, so u is in N[v] if v is in N[u].
    """
    n = rows.indptr.size - 1
    starts = np.zeros(n + 1, np.int64)
    members = np.empty(n + rows.indices.size, np.int32)
    last_row = np.full(n, -1, np.int32)
    filled = 0
    for v in range(n):
        last_row[v] = v
        members[filled] = v
        filled += 1
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w = rows.indices[a]
            if last_row[w] != v:
                last_row[w] = v
                members[filled] = w
                filled += 1
        starts[v + 1] = filled
    return starts, members[:filled].copy()


@kernel
def count_dominated(rows: Adjacency, vertices: Int64s) -> int:
    """How many vertices are among ``vertices`` or next to one of them; ``rows`` are as :func:`closed_rows` takes them.

    Repeated neighbours count once.
    """
    dominated = np.zeros(rows.indptr.size - 1, np.bool_)
    return _dominate(rows, vertices, dominated)


@kernel
def _dominate(rows: Adjacency, vertices: Int64s, dominated: Bools) -> int:
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
    n, top = rows.indptr.size - 1, 0
    for v in candidates:
        top = max(top, rows.indptr[v + 1] - rows.indptr[v] + 1)
    head, after = np.full(top + 1, -1, np.int32), np.empty(n, np.int32)
    for v in candidates[::-1]:
        most = rows.indptr[v + 1] - rows.indptr[v] + 1
        after[v] = head[most]
        head[most] = v
    dominated, looked_at, look = np.zeros(n, np.bool_), np.zeros(n, np.int32), 0
    vertices = np.empty(budget, np.int64)
    for i in range(budget):
        while True:
            while head[top] < 0:
                top -= 1
            v, look = head[top], look + 1
            head[top] = after[v]
            gain = _fresh(rows, v, dominated, looked_at, look)
            if gain == top:
                break
            after[v] = head[gain]
            head[gain] = v
        vertices[i] = v
        _dominate(rows, vertices[i : i + 1], dominated)
    return vertices


@kernel
def _fresh(rows: Adjacency, v: int, dominated: Bools, looked_at: Int32s, look: int) -> int:
    """How many vertices of N[v] are not dominated; ``looked_at`` keeps repeated ones from counting twice."""
    count = 0 if dominated[v] else 1
    looked_at[v] = look
    for a in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[a]
        if looked_at[w] != look:
            looked_at[w] = look
            count += not dominated[w]
    return count
