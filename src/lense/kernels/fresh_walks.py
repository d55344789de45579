"""What a cascade adds to one that is under way already, in the mean field: chances are multiplied as if independent.

With p(v) the chance that v is reached from the seeds chosen so far, and w the probabilities of the arcs:

    p(v) = 1 for a seed, else 1 - prod over in-arcs (u, v) of (1 - w(u, v) p(u))
    r(v) = sum over out-arcs (v, u) of w(v, u) (1 - p(u)) (1 + r(u))

r(v) counts what v reaches that the seeds do not, along walks of a few arcs, so v adds about (1 - p(v)) (1 + r(v)). Each
step is one pass over the arcs.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numba import njit

from lense.graph import Adjacency, Graph
from lense.threads import chunks, map_chunks
from lense.types import Bools, Float32s, Int32s, Int64s

_ARCS_FOR_THREADS = 1_000_000
_VERTICES_AT_ONCE = 65_536
_ROUNDS = np.concatenate([[0.01, 0.03], np.arange(1, 26) / 25, [1.1, 1.25, 1.5, 2.0, 4.0]])
"""How many seeds have been chosen after each round, in budgets. Seeds of one round do not know of each other, so where
neighbours reach the same vertices, rounds must be small."""
_REACH_STEPS = 2
"""For each round: p starts from that of the round before."""
_WALK_STEPS = 4
_ROUNDING = 1e-9
_PRICE = 0.15
"""r(v) counts divided by degree^0.15: of vertices worth nearly the same, the one with fewer edges goes first, since a
part of the graph that holds it is smaller."""


def mean_field_order(graph: Graph, budget: int, count: int, candidates: Int64s | None = None) -> Int64s:
    """``count`` vertices of a graph with arc probabilities by what each adds to those before it, best first.

    The first ``budget`` of them are chosen in 27 rounds. In each, the vertices that add most to the seeds of the rounds
    before follow. That makes 162 passes over the arcs, whatever the budget is. Only ``candidates``, at
    least ``count`` if there are any, are chosen.
    """
    out, into, n = graph.outgoing, graph.incoming, graph.num_vertices
    price = np.maximum(np.diff(graph.incident.indptr), 1).astype(np.float32) ** -_PRICE
    reached, is_seed = np.zeros(n, np.float32), np.zeros(n, np.bool_)
    assert into.weights is not None
    is_out = np.zeros(n, np.bool_) if candidates is None else ~np.isin(np.arange(n), candidates)
    order = np.empty(0, np.int64)
    totals = np.ceil(_ROUNDS * budget - _ROUNDING).astype(np.int64)
    for total in np.unique([*totals[totals < count], count]):
        worth = (1 - reached) * (1 + price * further_reach(out, reached))
        worth[is_seed | is_out] = -1.0
        order = np.concatenate([order, _largest(worth, int(total) - order.size)])
        if total == count:
            break
        is_seed[order] = True
        for _ in range(_REACH_STEPS):
            reached = _by_rows(partial(_reach, into.indptr, into.indices, into.weights, reached, is_seed), into)
    return order


def further_reach(out: Adjacency, reached: Float32s) -> Float32s:
    """r (n): what each vertex reaches on walks of up to four arcs that is not ``reached`` (n, chances) already."""
    fresh = (1 - reached).astype(np.float32)
    reach = np.zeros(fresh.size, np.float32)
    assert out.weights is not None
    for _ in range(_WALK_STEPS):
        reach = _by_rows(partial(_walk_on, out.indptr, out.indices, out.weights, fresh, reach), out)
    return reach


def _largest(values: Float32s, count: int) -> Int64s:
    """Where the ``count`` largest values stand, largest first; of equal ones the first numbers."""
    if count < values.size:
        least = np.partition(values, values.size - count)[values.size - count]
        above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
        found = np.concatenate([above, equal[: count - above.size]])
    else:
        found = np.arange(values.size)
    ordered: Int64s = found[np.argsort(-values[found], kind="stable")]
    return ordered


def _by_rows(step: Callable[[Float32s, int, int], None], rows: Adjacency) -> Float32s:
    """(n): what ``step`` writes for the rows from one number to another; large graphs in threads, row by row alike."""
    n = rows.indptr.size - 1
    result = np.empty(n, np.float32)
    if rows.indices.size < _ARCS_FOR_THREADS:
        step(result, 0, n)
    else:
        for _ in map_chunks(lambda _, piece: step(result, *piece), chunks(n, _VERTICES_AT_ONCE), lambda: None):
            continue
    return result


@njit(cache=True, nogil=True)
def _reach(
    indptr: Int64s,
    indices: Int32s,
    weights: Float32s,
    reached: Float32s,
    is_seed: Bools,
    result: Float32s,
    first: int,
    last: int,
) -> None:
    """One step of p for the vertices first..last - 1, along their in-arcs."""
    for v in range(first, last):
        spared = 1.0
        if is_seed[v]:
            spared = 0.0
        else:
            for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                spared *= 1.0 - weights[a] * reached[np.uint32(indices[a])]
        result[v] = 1.0 - spared


@njit(cache=True, nogil=True)
def _walk_on(
    indptr: Int64s,
    indices: Int32s,
    weights: Float32s,
    fresh: Float32s,
    reach: Float32s,
    result: Float32s,
    first: int,
    last: int,
) -> None:
    """One step of r for the vertices first..last - 1, along their out-arcs."""
    for v in range(first, last):
        total = 0.0
        for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            u = np.uint32(indices[a])
            total += weights[a] * fresh[u] * (1.0 + reach[u])
        result[v] = total
