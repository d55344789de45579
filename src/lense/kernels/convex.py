"""The largest value of a concave quadratic function within a budget, by an accelerated gradient method."""

import numpy as np

from lense._util.jit import kernel
from lense._util.types import Float64s
from lense.kernels.relaxation import level


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
