"""The vertices that dominate most, as a mixed-integer program solved by HiGHS.

There is a variable x_v for each vertex, 1 if it is chosen, and y_u for each, 1 if it is dominated:

    maximise  sum of y_u   subject to   y_u <= sum of x_v over N[u],   y_u <= 1,   sum of x_v = b

Only the x_v are declared binary, for then the best y_u are.
"""

import math

import highspy
import numpy as np

from lense._util.types import Bools, Int32s, Int64s
from lense.errors import LenseError
from lense.problems.mip import Optimum, solved

_TOLERANCE = 1e-6


def best_domination(
    starts: Int64s,
    members: Int32s,
    candidates: Int32s,
    start: Int64s,
    *,
    seed: int,
    gap: float = 0.0,
    time_limit: float | None = None,
) -> Optimum:
    """As many candidates as ``start`` has that dominate most, up to the relative ``gap``, sought from ``start``.

    N[u] is ``members[starts[u]:starts[u + 1]]``.
    """
    n = starts.size - 1
    inside: Bools = np.isin(np.arange(n), start)
    dominated: Bools = np.add.reduceat(inside[members], starts[:-1]) > 0
    solver = _model(starts, members, np.isin(np.arange(n), candidates), start.size)
    return solved(solver, inside, dominated, _safe, seed=seed, gap=gap, time_limit=time_limit)


def _safe(bound: float) -> float:
    """The largest whole number within HiGHS's ``bound``, which is right up to a relative 1e-6."""
    return float(math.floor(bound + _TOLERANCE * max(1.0, abs(bound))))


def _model(starts: Int64s, members: Int32s, allowed: Bools, budget: int) -> highspy.Highs:
    """Columns x, y; rows for sum x, then y_u - sum of x_v over N[u] <= 0."""
    n, entries = allowed.size, members.size
    too_large = LenseError(f"HiGHS cannot hold {n:,} vertices with {entries:,} neighbours: take another solver.")
    if 2 * n + entries > np.iinfo(np.int32).max:
        raise too_large
    columns = np.insert(members.astype(np.int64), starts[:-1], n + np.arange(n))
    signs = np.insert(np.full(entries, -1.0), starts[:-1], 1.0)
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    status = solver.passModel(
        2 * n,
        1 + n,
        2 * n + entries,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        np.repeat([0.0, 1.0], n),
        np.zeros(2 * n),
        np.concatenate([allowed, np.ones(n)]).astype(np.float64),
        np.concatenate([[budget], np.full(n, -highspy.kHighsInf)]),
        np.concatenate([[budget], np.zeros(n)]).astype(np.float64),
        np.concatenate([[0], n + starts[:-1] + np.arange(n)]).astype(np.int32),
        np.concatenate([np.arange(n), columns]).astype(np.int32),
        np.concatenate([np.ones(n), signs]),
        np.repeat([1, 0], n).astype(np.int32),
    )
    if status == highspy.HighsStatus.kError:
        raise too_large
    return solver
