"""What a vertex can add to a set at least and at most, and the part of a graph where that leaves a choice.

The objective is f(S) = sum of d(v) over S - a w(S), where d(v) is what the edges at v count, w(S) what the edges
between two vertices of S count, and a the ``loss``. A self loop at v counts 2 - a in d(v): it is covered (a = 1) but
never cut (a = 2). ``rows`` hold the other end of every edge at each vertex in rising order, so that parallel edges
stand side by side.
"""

from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Bools, Float64s, Int8s, Int32s, Int64s
from lense.kernels.rows import Adjacency, entry_weight

DROPPED, LIVE, FORCED = np.int8(0), np.int8(1), np.int8(2)


@kernel
def gain_intervals(rows: Adjacency, state: Int8s, live: Int64s, left: int, loss: int) -> tuple[Float64s, Float64s]:
    """lo and hi of each vertex of ``live``: the least and the most it adds to F and up to ``left`` - 1 live others.

    hi(v) = d(v) - a w(v, F), and lo(v) takes from that a times the ``left`` - 1 heaviest bundles of edges between v and
    one other live vertex. This is one pass over the rows of ``live``.
    """
    lo, hi = np.empty(live.size), np.empty(live.size)
    longest = 0
    for v in live:
        longest = max(longest, rows.indptr[v + 1] - rows.indptr[v])
    bundles = np.empty(longest)
    for i, v in enumerate(live):
        most, count, last = 0.0, 0, -1
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w, weight = rows.indices[a], entry_weight(rows.weights, a)
            if w == v:
                most += (2 - loss) * weight
                continue
            most += weight
            if state[w] == LIVE:
                if w == last:
                    bundles[count - 1] += weight
                else:
                    bundles[count] = weight
                    count += 1
                    last = w
            elif state[w] == FORCED:
                most -= loss * weight
        hi[i] = most
        lo[i] = most - loss * _largest_sum(bundles[:count], left - 1)
    return lo, hi


@kernel
def _largest_sum(values: Float64s, count: int) -> float:
    """The sum of the ``count`` largest values, or of all where they are fewer."""
    if values.size <= count:
        return float(values.sum())
    if count <= 0:
        return 0.0
    if values.min() == values.max():
        return float(count * values[0])
    return float(np.partition(values, values.size - count)[values.size - count :].sum())


@kernel
def set_value(rows: Adjacency, vertices: Int64s, loss: int) -> float:
    """f of ``vertices``, which differ from each other."""
    inside = np.zeros(rows.indptr.size - 1, np.bool_)
    inside[vertices] = True
    alone = between = 0.0
    for v in vertices:
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w, weight = rows.indices[a], entry_weight(rows.weights, a)
            if w == v:
                alone += (2 - loss) * weight
            elif inside[w]:
                between += 0.5 * weight
            else:
                alone += weight
    return alone + (2 - loss) * between


class Pairs(NamedTuple):
    """The live vertices, numbered 0..n - 1, as a quadratic program: maximise profit @ x - sum of cost_uv x_u x_v."""

    profit: Float64s
    """(n): hi, what the vertex adds to F alone."""
    indptr: Int64s
    indices: Int32s
    cost: Float64s
    """One for each entry of ``indices``: a times what the edges between the two count. Both directions are there."""


@kernel
def live_pairs(rows: Adjacency, state: Int8s, live: Int64s, profit: Float64s, loss: int) -> Pairs:
    """The program on ``live`` (rising), parallel edges merged and self loops left out."""
    place = np.full(state.size, -1, np.int32)
    for i, v in enumerate(live):
        place[v] = i
    begins = np.zeros(live.size + 1, np.int64)
    for i, v in enumerate(live):
        last, count = -1, 0
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w = rows.indices[a]
            count += w != last and w != v and place[w] >= 0
            last = w
        begins[i + 1] = begins[i] + count
    ends, cost = np.empty(begins[-1], np.int32), np.zeros(begins[-1])
    for i, v in enumerate(live):
        last, at = -1, begins[i] - 1
        for a in range(rows.indptr[v], rows.indptr[v + 1]):
            w = rows.indices[a]
            if w != v and place[w] >= 0:
                at += w != last
                ends[at] = place[w]
                cost[at] += loss * entry_weight(rows.weights, a)
            last = w
    return Pairs(profit, begins, ends, cost)


@kernel
def narrowed(pairs: Pairs, state: Int8s) -> Pairs:
    """The program on the vertices that are LIVE in ``state`` (n), what the FORCED ones cost them taken from profits."""
    n = pairs.profit.size
    place = np.full(n, -1, np.int32)
    size = entries = 0
    for v in range(n):
        if state[v] == LIVE:
            place[v] = size
            size += 1
            entries += pairs.indptr[v + 1] - pairs.indptr[v]
    profit, begins = np.empty(size), np.zeros(size + 1, np.int64)
    ends, cost = np.empty(entries, np.int32), np.empty(entries)
    at = 0
    for v in range(n):
        if state[v] != LIVE:
            continue
        left = pairs.profit[v]
        for a in range(pairs.indptr[v], pairs.indptr[v + 1]):
            w = pairs.indices[a]
            if state[w] == LIVE:
                ends[at], cost[at] = place[w], pairs.cost[a]
                at += 1
            elif state[w] == FORCED:
                left -= pairs.cost[a]
        profit[place[v]] = left
        begins[place[v] + 1] = at
    return Pairs(profit, begins, ends[:at].copy(), cost[:at].copy())


@kernel
def pair_intervals(pairs: Pairs, left: int) -> Float64s:
    """(n): lo of each vertex, as :func:`gain_intervals` has it; hi is the profit."""
    lo = pairs.profit.copy()
    for v in range(lo.size):
        lo[v] -= _largest_sum(pairs.cost[pairs.indptr[v] : pairs.indptr[v + 1]], left - 1)
    return lo


@kernel
def pair_value(pairs: Pairs, inside: Bools) -> float:
    """What the vertices ``inside`` (n) are worth together."""
    value = 0.0
    for v in np.flatnonzero(inside):
        value += pairs.profit[v]
        for a in range(pairs.indptr[v], pairs.indptr[v + 1]):
            if inside[pairs.indices[a]]:
                value -= 0.5 * pairs.cost[a]
    return value


@kernel
def improve(pairs: Pairs, inside: Bools, left: int, tolerance: float, most_moves: int) -> int:
    """Add, remove or swap vertices of ``inside`` as long as that adds more than ``tolerance``; the moves made.

    At most ``left`` vertices are inside. A swap of u for v adds gain(v) + cost_uv - gain(u), so only the best vertex
    outside and the neighbours of u outside need a look.
    """
    gain = pairs.profit.copy()
    size = 0
    for v in range(inside.size):
        if inside[v]:
            size += 1
            _shift(pairs, gain, v, -1.0)
    for move in range(most_moves):
        best = -1
        for v in range(inside.size):
            if not inside[v] and (best < 0 or gain[v] > gain[best]):
                best = v
        amount, goes, comes = tolerance, -1, -1
        if best >= 0 and size < left and gain[best] > amount:
            amount, comes = gain[best], best
        for u in range(inside.size):
            if not inside[u]:
                continue
            if -gain[u] > amount:
                amount, goes, comes = -gain[u], u, -1
            if best >= 0 and gain[best] - gain[u] > amount:
                amount, goes, comes = gain[best] - gain[u], u, best
            for a in range(pairs.indptr[u], pairs.indptr[u + 1]):
                v = pairs.indices[a]
                if not inside[v] and gain[v] + pairs.cost[a] - gain[u] > amount:
                    amount, goes, comes = gain[v] + pairs.cost[a] - gain[u], u, v
        if goes < 0 and comes < 0:
            return move
        if goes >= 0:
            inside[goes] = False
            size -= 1
            _shift(pairs, gain, goes, 1.0)
        if comes >= 0:
            inside[comes] = True
            size += 1
            _shift(pairs, gain, comes, -1.0)
    return most_moves


@kernel
def _shift(pairs: Pairs, gain: Float64s, v: int, sign: float) -> None:
    for a in range(pairs.indptr[v], pairs.indptr[v + 1]):
        gain[pairs.indices[a]] += sign * pairs.cost[a]
