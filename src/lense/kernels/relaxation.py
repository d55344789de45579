"""Bounds on a quadratic program, by its linear relaxation with edges bundled into cliques, and steps for a concave one.

The program is: maximise sum of p_v x_v - sum over the groups j of c_j s_j (s_j - 1) / 2, where s_j is the number of
chosen vertices in group j and at most k are chosen. Replacing s (s - 1) / 2 by its convex hull gives a linear program.
For slopes m_j >= 0, the line of slope m_j below the hull of group j is m_j s - c_j h(m_j / c_j), where
h(t) = max over whole s of t s - s (s - 1) / 2. So

    L(m) = sum of c_j h(m_j / c_j) + the k largest positive q_v,   q_v = p_v - the m_j of all groups that v is in,

is at least the optimum *whatever the slopes are*: a step that goes wrong costs time, but never makes the bound wrong.
Slopes are found by the primal-dual hybrid gradient method.

Groups of two vertices give the usual linear program with a variable for each edge. Of a clique whose edges cost c each,
s chosen vertices cost c s (s - 1) / 2: exactly what its edges cost one by one. But a relaxation that looks at the
clique as a whole knows that this grows with the square of s, while one that looks at single edges is satisfied with
half of every vertex.
"""

from typing import NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Bools, Float64s, Int32s, Int64s
from lense.kernels.bounds import Pairs


class Cliques(NamedTuple):
    """Groups of vertices: s chosen ones of group j cost price[j] s (s - 1) / 2."""

    starts: Int64s
    """(groups + 1): group j is ``members[starts[j]:starts[j + 1]]``."""
    members: Int32s
    price: Float64s


def single_edges(pairs: Pairs) -> Cliques:
    """Every pair that costs something as a group of its own."""
    owners = np.repeat(np.arange(pairs.profit.size, dtype=np.int32), np.diff(pairs.indptr))
    counts = (pairs.indices > owners) & (pairs.cost > 0)
    price = pairs.cost[counts]
    return Cliques(2 * np.arange(price.size + 1), np.column_stack([owners, pairs.indices])[counts].ravel(), price)


def clique_work(pairs: Pairs) -> float:
    """About how many entries :func:`partition` looks at: the shorter row of each edge, counted twice."""
    lengths = np.diff(pairs.indptr)
    return float(np.minimum(np.repeat(lengths, lengths), lengths[pairs.indices]).sum())


@kernel
def _edge_numbers(pairs: Pairs) -> tuple[Int32s, Int32s, Int64s]:
    """The two ends u < v of each edge, and for each entry of the rows the number of its edge."""
    count = pairs.indices.size // 2
    u, v, number = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(pairs.indices.size, np.int64)
    cursor = pairs.indptr[:-1].copy()
    at = 0
    for low in range(pairs.profit.size):
        for a in range(pairs.indptr[low], pairs.indptr[low + 1]):
            high = pairs.indices[a]
            if high > low:
                u[at], v[at] = low, high
                number[a] = number[cursor[high]] = at
                cursor[high] += 1
                at += 1
    return u, v, number


@kernel
def _triangles(pairs: Pairs, number: Int64s, count: int) -> Int64s:
    """(edges): the triangles that each edge is in."""
    found = np.zeros(count, np.int64)
    mark = np.full(pairs.profit.size, -1, np.int32)
    length = pairs.indptr[1:] - pairs.indptr[:-1]
    for u in range(pairs.profit.size):
        for a in range(pairs.indptr[u], pairs.indptr[u + 1]):
            mark[pairs.indices[a]] = u
        for a in range(pairs.indptr[u], pairs.indptr[u + 1]):
            w = pairs.indices[a]
            if length[w] < length[u] or (length[w] == length[u] and w < u):
                for b in range(pairs.indptr[w], pairs.indptr[w + 1]):
                    found[number[a]] += mark[pairs.indices[b]] == u
    return found


class _CliqueSearch(NamedTuple):
    pairs: Pairs
    number: Int64s
    rest: Float64s
    """(edges): what is left of the cost of each edge."""
    mark: Int64s
    """(n): the last stamp that each vertex got."""
    stamp: Int64s
    """(1): the last stamp given."""


@kernel
def _mark_neighbours(search: _CliqueSearch, v: int) -> int:
    """Stamp those that an edge, of which something is left, joins to ``v``; the stamp."""
    search.stamp[0] += 1
    pairs = search.pairs
    for a in range(pairs.indptr[v], pairs.indptr[v + 1]):
        if search.rest[search.number[a]] > 0:
            search.mark[pairs.indices[a]] = search.stamp[0]
    return int(search.stamp[0])


@kernel
def _candidates(search: _CliqueSearch, u: int, v: int) -> Int32s:
    """The common neighbours of ``u`` and ``v``, those with most neighbours among them first."""
    pairs = search.pairs
    stamp = _mark_neighbours(search, u)
    common = np.empty(pairs.indptr[v + 1] - pairs.indptr[v], np.int32)
    size = 0
    for a in range(pairs.indptr[v], pairs.indptr[v + 1]):
        if search.mark[pairs.indices[a]] == stamp and search.rest[search.number[a]] > 0:
            common[size] = pairs.indices[a]
            size += 1
    common = common[:size]
    search.stamp[0] += 1
    for w in common:
        search.mark[w] = search.stamp[0]
    inner = np.zeros(size, np.int64)
    for i, w in enumerate(common):
        for a in range(pairs.indptr[w], pairs.indptr[w + 1]):
            inner[i] += search.mark[pairs.indices[a]] == search.stamp[0] and search.rest[search.number[a]] > 0
    return common[np.argsort(-inner, kind="mergesort")]


@kernel
def _grown(search: _CliqueSearch, u: int, v: int) -> Int32s:
    """A clique that holds ``u`` and ``v`` and cannot be grown further."""
    pool = _candidates(search, u, v)
    clique = np.empty(pool.size + 2, np.int32)
    clique[0], clique[1] = u, v
    size = 2
    while pool.size > 0:
        clique[size] = pool[0]
        size += 1
        stamp = _mark_neighbours(search, pool[0])
        kept = 0
        for w in pool:
            if search.mark[w] == stamp:
                pool[kept] = w
                kept += 1
        pool = pool[:kept]
    return clique[:size]


@kernel
def _charge(search: _CliqueSearch, clique: Int32s) -> float:
    """Take the least that is left of an edge in ``clique`` from all of them; how much that is."""
    pairs = search.pairs
    search.stamp[0] += 1
    for w in clique:
        search.mark[w] = search.stamp[0]
    least = np.inf
    for charging in (False, True):
        for w in clique:
            for a in range(pairs.indptr[w], pairs.indptr[w + 1]):
                if pairs.indices[a] > w and search.mark[pairs.indices[a]] == search.stamp[0]:
                    if charging:
                        search.rest[search.number[a]] -= least
                    else:
                        least = min(least, search.rest[search.number[a]])
    return float(least)


@kernel
def partition(pairs: Pairs) -> Cliques:
    """The costs of all pairs shared out among cliques, greedily: edges in many triangles are grown first.

    What is left of an edge after that is a group of two. The members of all groups are at most two for each edge and
    as many again.
    """
    u, v, number = _edge_numbers(pairs)
    rest = np.zeros(u.size)
    rest[number] = pairs.cost
    n = pairs.profit.size
    search = _CliqueSearch(pairs, number, rest, np.zeros(n, np.int64), np.zeros(1, np.int64))
    triangles = _triangles(pairs, number, u.size)
    members, filled = np.empty(4 * u.size, np.int32), 0
    starts, price, groups = np.zeros(2 * u.size + 1, np.int64), np.empty(2 * u.size), 0
    for e in np.argsort(-triangles, kind="mergesort"):
        if triangles[e] == 0 or filled >= 2 * u.size:
            break
        if rest[e] <= 0:
            continue
        clique = _grown(search, u[e], v[e])
        if clique.size > 2 and filled + clique.size <= 2 * u.size:
            price[groups] = _charge(search, clique)
            members[filled : filled + clique.size] = clique
            filled += clique.size
            groups += 1
            starts[groups] = filled
    for e in range(u.size):
        if rest[e] > 0:
            members[filled], members[filled + 1] = u[e], v[e]
            price[groups] = rest[e]
            filled += 2
            groups += 1
            starts[groups] = filled
    return Cliques(starts[: groups + 1].copy(), members[:filled].copy(), price[:groups].copy())


@kernel
def restricted(cliques: Cliques, slopes: Float64s, place: Int32s, forced: Bools) -> tuple[Cliques, Float64s]:
    """The groups on the vertices of ``place`` (n: new number, or -1), and their slopes.

    Each forced vertex that a group loses takes the group's price from its slope: the first s - 1 are chosen already.
    """
    members, starts = np.empty_like(cliques.members), np.zeros_like(cliques.starts)
    price, kept_slopes = np.empty_like(cliques.price), np.empty_like(slopes)
    groups = filled = 0
    for j in range(cliques.price.size):
        first, chosen = filled, 0
        for a in range(cliques.starts[j], cliques.starts[j + 1]):
            w = cliques.members[a]
            chosen += forced[w]
            members[filled] = place[w]
            filled += place[w] >= 0
        if filled - first < 2:
            filled = first
            continue
        price[groups] = cliques.price[j]
        top = cliques.price[j] * (filled - first - 1)
        kept_slopes[groups] = min(max(slopes[j] - cliques.price[j] * chosen, 0.0), top)
        groups += 1
        starts[groups] = filled
    kept = Cliques(starts[: groups + 1].copy(), members[:filled].copy(), price[:groups].copy())
    return kept, kept_slopes[:groups].copy()


_MOST_TRIALS = 60


@kernel
def reduced_profits(profit: Float64s, cliques: Cliques, slopes: Float64s) -> tuple[float, Float64s]:
    """The sum of c_j h(m_j / c_j), and q (n)."""
    constant, reduced = 0.0, profit.copy()
    for j in range(slopes.size):
        if slopes[j] <= 0:
            continue
        first, last, price = cliques.starts[j], cliques.starts[j + 1], cliques.price[j]
        slope = slopes[j] / price
        s = min(np.ceil(slope), last - first)
        constant += price * (slope * s - s * (s - 1) / 2)
        for a in range(first, last):
            reduced[cliques.members[a]] -= slopes[j]
    return constant, reduced


@kernel
def level(z: Float64s, tau: Float64s, left: int, guess: float) -> float:
    """The least t >= 0 for which clip(z - t tau, 0, 1) sums to at most ``left``, nearly; Newton within a bracket."""
    low, high, t = 0.0, np.inf, 0.0
    for trial in range(_MOST_TRIALS):
        total, slope = 0.0, 0.0
        for v in range(z.size):
            y = z[v] - t * tau[v]
            if y >= 1:
                total += 1
            elif y > 0:
                total += y
                slope += tau[v]
        if total <= left:
            if t == 0 or left - total < 1e-9 * left:
                return t
            high = t
        else:
            low = t
        step = t + (total - left) / slope if slope > 0 else np.inf
        if trial == 0 and guess > 0:
            step = guess
        if not low < step < high:
            step = (low + high) / 2 if high < np.inf else 2 * low + guess + 1
        t = step
    return high if high < np.inf else t


@kernel
def descend(
    profit: Float64s, cliques: Cliques, left: int, x: Float64s, slopes: Float64s, scale: float, steps: int
) -> tuple[Float64s, Float64s]:
    """``steps`` steps on ``x`` and ``slopes``, in place; their means over the steps.

    Each vertex and group has its own step length (Pock and Chambolle 2011); ``scale`` is about the size of a slope.
    """
    tau = np.zeros(x.size)
    for v in cliques.members:
        tau[v] += 1
    tau = 1 / (scale * np.maximum(tau, 1))
    reduced = reduced_profits(profit, cliques, slopes)[1]
    mean_x, mean_slopes = np.zeros_like(x), np.zeros_like(slopes)
    z, ahead, above = np.empty_like(x), np.empty_like(x), 0.0
    for _ in range(steps):
        for v in range(x.size):
            z[v] = x[v] + tau[v] * reduced[v]
        above = level(z, tau, left, above)
        for v in range(x.size):
            y = min(1.0, max(0.0, z[v] - above * tau[v]))
            ahead[v] = 2 * y - x[v]
            x[v] = y
            mean_x[v] += y / steps
            reduced[v] = profit[v]
        for j in range(slopes.size):
            first, last, price = cliques.starts[j], cliques.starts[j + 1], cliques.price[j]
            sigma, total = scale / (last - first), 0.0
            for a in range(first, last):
                total += ahead[cliques.members[a]]
            y = _kept_below(slopes[j] + sigma * total, sigma, price)
            y = min(y, price * (last - first - 1))
            slopes[j] = y
            mean_slopes[j] += y / steps
            if y > 0:
                for a in range(first, last):
                    reduced[cliques.members[a]] -= y
    return mean_x, mean_slopes


@kernel(inline="always")
def _kept_below(z: float, sigma: float, price: float) -> float:
    """The y >= 0 with y + sigma s = z for an s at which the line of slope y touches the hull."""
    if z <= 0:
        return 0.0
    whole = np.floor(z / (price + sigma))
    rest = z - whole * (price + sigma)
    return float(price * whole if rest <= sigma else z - sigma * (whole + 1))


@kernel
def climb(gain: Float64s, matrix: Float64s, left: int, start: Float64s, steepest: float, steps: int) -> Float64s:
    """About the x (n) of largest gain x - x matrix x / 2 with 0 <= x <= 1 and sum at most ``left``, from ``start``.

    ``matrix`` (n, n) has no negative eigenvalue and none above ``steepest`` (Nesterov 1983; Beck and Teboulle 2009).
    """
    step = np.full(gain.size, 1 / steepest)
    x, ahead, momentum, above = start.copy(), start.copy(), 1.0, 0.0
    for _ in range(steps):
        z = ahead + step * (gain - matrix @ ahead)
        above = level(z, step, left, above)
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        for v in range(x.size):
            moved = min(1.0, max(0.0, z[v] - above * step[v]))
            ahead[v] = moved + (momentum - 1) / faster * (moved - x[v])
            x[v] = moved
        momentum = faster
    return x
