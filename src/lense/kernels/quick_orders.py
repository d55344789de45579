"""Orders of vertices for influence by two quick rules: fresh walks, and degree discount.

*Fresh walks*: what a vertex adds to a cascade that is under way. Worlds say what is fresh, walks say how much of it is
reached. Vertices are fresh in a live-edge world if the seeds chosen so far do not reach them there. With q(v) the share
of worlds in which v is fresh, q(v, u) that in which both v and u are, and w the probabilities of the arcs:

    r(v) = sum over out-arcs (v, u) of w(v, u) q(v, u) / q(v) (1 + r(u))

r(v) counts what v reaches that the seeds do not, along walks of a few arcs, so v adds about q(v) (1 + r(v)). Along one
arc that is exact but for the number of worlds: where v is fresh, its arcs have no part in what the seeds reach.
"""

import heapq
from functools import partial

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN, SILVER, exponential, mix, substream
from lense._util.threads import map_chunks
from lense._util.types import Float32s, Int32s, Int64s, UInt64s
from lense.kernels.cascade import LiveArcs
from lense.kernels.orders import bits
from lense.kernels.rows import Adjacency, by_rows, entry_weight

_WORDS = 2
"""A vertex has a bit for each world, in so many words of 64."""
_ROUNDS = 25
"""For the budget; the first of them is split again, since one seed may reach most of what others would."""
_LATER = np.array([1.1, 1.25, 1.5, 2.0, 4.0])
"""How many seeds have been chosen after each later round, in budgets."""
_WALK_STEPS = 4
_PRICE = 0.15
"""r(v) counts divided by degree^0.15: of vertices worth nearly the same, the one with fewer edges goes first, since a
part of the graph that holds it is smaller."""

_ONE = np.uint64(1)


def fresh_walk_order(
    out: Adjacency,
    live: LiveArcs,
    degrees: Int64s,
    key: np.uint64,
    budget: int,
    count: int,
    candidates: Int64s | None = None,
) -> Int64s:
    """``count`` vertices by what each adds to those before it, best first; the weights of ``out`` are probabilities.

    The first ``budget`` of them are chosen in about 27 rounds. In each, the vertices that add most to the seeds of the
    rounds before follow. A round takes four passes over the arcs. What the seeds reach is followed in 128 worlds of
    ``key``, where ``live`` are the same arcs; each vertex that is reached is looked at once in each world. Only
    ``candidates``, at least ``count`` if there are any, are chosen.
    """
    n = degrees.size
    price = np.maximum(degrees, 1).astype(np.float32) ** -_PRICE
    fresh = np.full((n, _WORDS), ~np.uint64(0))
    cannot = np.zeros(n, np.bool_) if candidates is None else ~np.isin(np.arange(n), candidates)
    order = np.empty(0, np.int64)
    for total in round_totals(budget, count):
        share, reach = further_reach(out, fresh)
        worth = share * (1 + price * reach)
        worth[cannot] = -1.0
        seeds = _largest(worth, total - order.size)
        order = np.concatenate([order, seeds])
        if total < count:
            cannot[seeds] = True
            take_reached(live, key, fresh, seeds)
    return order


def round_totals(budget: int, count: int) -> list[int]:
    """How many vertices :func:`fresh_walk_order` has chosen after each round, up to ``count``."""
    each = budget / _ROUNDS
    doubling = 2 ** np.arange(np.ceil(np.log2(max(each, 1))))
    totals = np.concatenate([doubling, np.ceil(each * np.arange(1, _ROUNDS + 1) - 1e-9), np.ceil(_LATER * budget)])
    return [int(total) for total in np.unique([*totals[totals < count], count])]


def further_reach(out: Adjacency, fresh: UInt64s) -> tuple[Float32s, Float32s]:
    """q and r (n): how often each vertex is fresh, and what it then reaches that is fresh, on walks of up to four arcs.

    ``fresh`` (n, words) has a bit for each world.
    """
    n = len(fresh)
    share, reach, chances = np.empty(n, np.float32), np.empty(n, np.float32), np.empty(out.indices.size, np.float32)
    assert out.weights is not None
    by_rows(partial(_first_step, out.indptr, out.indices, out.weights, fresh, share, chances, reach), out.indptr)
    for _ in range(_WALK_STEPS - 1):
        before, reach = reach, np.empty(n, np.float32)
        by_rows(partial(_walk_on, out.indptr, out.indices, chances, share, before, reach), out.indptr)
    return share, reach


def take_reached(live: LiveArcs, key: np.uint64, fresh: UInt64s, seeds: Int64s) -> None:
    """Let what ``seeds`` reach in each world of ``key`` no longer be ``fresh`` (n, words)."""

    def work(queue: Int32s, word: int) -> None:
        _take_reached(live, key, fresh, word, seeds, queue)

    for _ in map_chunks(work, range(fresh.shape[1]), lambda: np.empty(len(fresh), np.int32)):
        continue


def _largest(values: Float32s, count: int) -> Int64s:
    """Where the ``count`` largest values stand, largest first; of equal ones some from all over the numbers.

    On a path or a grid nearly all are equal, and vertices with numbers next to each other are neighbours, which reach
    the same.
    """
    if count < values.size:
        least = np.partition(values, values.size - count)[values.size - count]
        above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
        spread = np.argsort(equal.astype(np.uint64) * GOLDEN, kind="stable")
        found = np.concatenate([above, equal[spread[: count - above.size]]])
    else:
        found = np.arange(values.size)
    ordered: Int64s = found[np.argsort(-values[found], kind="stable")]
    return ordered


@kernel
def _first_step(
    indptr: Int64s,
    indices: Int32s,
    weights: Float32s,
    fresh: UInt64s,
    share: Float32s,
    chances: Float32s,
    reach: Float32s,
    first: int,
    last: int,
) -> None:
    """q, w(v, u) q(v, u) / q(v) for each arc, and r on walks of one arc, for the vertices first..last - 1."""
    words = fresh.shape[1]
    for v in range(first, last):
        count = 0
        for i in range(words):
            count += bits(fresh[v, i])
        share[v] = count / (64 * words)
        total = 0.0
        if count > 0:
            for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                u = np.uint32(indices[a])
                both = 0
                for i in range(words):
                    both += bits(fresh[v, i] & fresh[u, i])
                chances[a] = weights[a] * both / count
                total += chances[a]
        reach[v] = total


@kernel
def _walk_on(
    indptr: Int64s,
    indices: Int32s,
    chances: Float32s,
    share: Float32s,
    before: Float32s,
    reach: Float32s,
    first: int,
    last: int,
) -> None:
    """One step more of r for the vertices first..last - 1; those that are fresh nowhere have no chances."""
    for v in range(first, last):
        total = 0.0
        if share[v] > 0:
            for a in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                total += chances[a] * (1.0 + before[np.uint32(indices[a])])
        reach[v] = total


@kernel
def _take_reached(live: LiveArcs, key: np.uint64, fresh: UInt64s, word: int, seeds: Int64s, queue: Int32s) -> None:
    """:func:`take_reached` in the 64 worlds of one word; live arcs are found as in :mod:`lense.kernels.cascade`."""
    for place in range(64):
        bit = _ONE << np.uint64(place)
        world = substream(key, 64 * word + place)
        back = 0
        for v in seeds:
            if fresh[v, word] & bit:
                fresh[v, word] ^= bit
                queue[back] = v
                back += 1
        front = 0
        while front < back:
            source = np.uint64(queue[front])
            front += 1
            number = world + source * GOLDEN
            skip = exponential(mix(number))
            vertex = live.vertices[source]
            if skip >= vertex.rate:
                continue
            for r in range(np.uint64(vertex.first_run), np.uint64(vertex.end_run)):
                run = live.runs[r]
                rate, at, end = run.rate, run.first_arc, run.end_arc
                while skip < rate * (end - at):
                    at = min(at + np.int64(skip * run.per_rate), end - 1)
                    u = np.uint64(live.ends[np.uint64(at)])
                    if fresh[u, word] & bit:
                        fresh[u, word] ^= bit
                        queue[back] = u
                        back += 1
                    at += 1
                    number += SILVER
                    skip = exponential(mix(number))
                skip -= rate * (end - at)


@kernel
def degree_discount(out: Adjacency, into: Adjacency, candidates: Int32s, budget: int) -> Int64s:
    """Greedy on one-step influence with the discount of Chen, Wang and Yang (2009).

    With S chosen so far, the candidate v counts
        s(v) = prod_{u in S} (1 - p_uv) * (1 + sum_{w not in S} p_vw),
    the chance that v is not reached from S anyway times what it then adds in one step. For one probability p and t
    chosen neighbours of v's d this is (1 - p)^t (1 + (d - t) p), whose leading terms are their
    1 + (d - 2 t - (d - t) t p) p. s(v) only falls as S grows, so a heap of old values finds the best.
    """
    n = out.indptr.size - 1
    spared = np.ones(n)
    reach = np.zeros(n)
    for v in range(n):
        for a in range(out.indptr[v], out.indptr[v + 1]):
            if out.indices[a] != v:
                reach[v] += entry_weight(out.weights, a)
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
        for a in range(out.indptr[v], out.indptr[v + 1]):
            spared[out.indices[a]] *= 1.0 - entry_weight(out.weights, a)
        for a in range(into.indptr[v], into.indptr[v + 1]):
            u = into.indices[a]
            if u != v:
                reach[u] = max(0.0, reach[u] - entry_weight(into.weights, a))
    return order
