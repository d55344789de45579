"""A bound on a quadratic program whose costs are shared out among cliques, by the primal-dual hybrid gradient method.

The program is: maximise sum of p_v x_v - sum over the groups j of c_j s_j (s_j - 1) / 2, where s_j is the number of
chosen vertices in group j and at most k are chosen. Replacing s (s - 1) / 2 by its convex hull gives a linear program.
For slopes m_j >= 0, the line of slope m_j below the hull of group j is m_j s - c_j h(m_j / c_j), where
h(t) = max over whole s of t s - s (s - 1) / 2. So

    L(m) = sum of c_j h(m_j / c_j) + the k largest positive q_v,   q_v = p_v - the m_j of all groups that v is in,

is at least the optimum *whatever the slopes are*: a step that goes wrong costs time, but never makes the bound wrong.
Groups of two vertices give the usual linear program with a variable for each edge.
"""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Float64s
from lense.kernels.cliques import Cliques

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
