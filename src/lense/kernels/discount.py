"""Degree discount for any edge probabilities."""

import heapq

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Float32s, Int32s, Int64s


@kernel
def degree_discount(
    out_indptr: Int64s,
    out_indices: Int32s,
    out_weights: Float32s,
    in_indptr: Int64s,
    in_indices: Int32s,
    in_weights: Float32s,
    candidates: Int32s,
    budget: int,
) -> Int64s:
    """Greedy on one-step influence with the discount of Chen, Wang and Yang (2009).

    With S chosen so far, the candidate v counts
        s(v) = prod_{u in S} (1 - p_uv) * (1 + sum_{w not in S} p_vw),
    the chance that v is not reached from S anyway times what it then adds in one step. For one probability p and t
    chosen neighbours of v's d this is (1 - p)^t (1 + (d - t) p), whose leading terms are their
    1 + (d - 2 t - (d - t) t p) p. s(v) only falls as S grows, so a heap of old values finds the best.
    """
    n = out_indptr.size - 1
    spared = np.ones(n)
    reach = np.zeros(n)
    for v in range(n):
        for a in range(out_indptr[v], out_indptr[v + 1]):
            if out_indices[a] != v:
                reach[v] += out_weights[a]
    heap = [(-(1.0 + reach[v]), v) for v in candidates]
    heapq.heapify(heap)
    order = np.empty(budget, np.int64)
    for i in range(budget):
        while True:
            value, v = heapq.heappop(heap)
            now = -spared[v] * (1.0 + reach[v])
            if now <= value:
                break
            heapq.heappush(heap, (now, v))
        order[i] = v
        for a in range(out_indptr[v], out_indptr[v + 1]):
            spared[out_indices[a]] *= 1.0 - out_weights[a]
        for a in range(in_indptr[v], in_indptr[v + 1]):
            u = in_indices[a]
            if u != v:
                reach[u] = max(0.0, reach[u] - in_weights[a])
    return order
