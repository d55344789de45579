"""What is left of a problem after bounds, solved by HiGHS.

The program has a variable x_v for each live vertex. For each group of them (an edge, or a clique of edges that cost
the same) it has the number s_j of chosen members and what they cost:

    maximise  sum of p_v x_v - sum of c_j y_j
    subject to  s_j = sum of x_v over the group,   y_j >= t s_j - t (t + 1) / 2 for t = 1, 2, ...,   sum of x_v <= k

At whole s_j the least y_j is s_j (s_j - 1) / 2, so the program is exact. For its relaxation, see
:mod:`lense.kernels.relaxation`. Both its size and that of the groups are O(edges).
"""

import math
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy.sparse import coo_array

from lense._util.types import Bools, Float64s
from lense.kernels.bounds import Pairs, pair_value
from lense.kernels.cliques import Cliques, partition
from lense.problems.mip import run_highs

_TOLERANCE, _FINE = 1e-6, 1e-9


@dataclass(frozen=True)
class Best:
    """The vertices chosen, or None where HiGHS found none, their value, a bound on all sets, and how it ended."""

    inside: Bools | None
    value: float
    upper_bound: float
    status: str


def best_of_core(
    pairs: Pairs, left: int, start: Bools, bound: float, *, whole: bool, seed: int, time_limit: float | None
) -> Best:
    """The best of at most ``left`` vertices, sought from ``start``; ``bound`` is one that is known.

    HiGHS calculates to a tolerance. Where sums are not ``whole``, that is a billionth, so its bound holds up to that.
    """
    cliques = partition(pairs)
    unit = 1.0 if whole else float(pairs.profit.max(initial=0.0)) / 1000 or 1.0
    solver = _model(pairs.profit / unit, cliques._replace(price=cliques.price / unit), left)
    counts = (
        np.add.reduceat(start[cliques.members].astype(np.float64), cliques.starts[:-1])
        if cliques.price.size
        else np.empty(0)
    )
    values = np.concatenate([start.astype(np.float64), counts, counts * (counts - 1) / 2])
    solver.setSolution(values.size, np.arange(values.size, dtype=np.int32), values)
    solver.setOptionValue("random_seed", seed)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.99 if whole else _FINE)
    for kind in () if whole else ("mip", "primal", "dual"):
        solver.setOptionValue(f"{kind}_feasibility_tolerance", _FINE)
    run_highs(solver, "mixed-integer program", time_limit)
    info = solver.getInfo()
    status = solver.modelStatusToString(solver.getModelStatus())
    if math.isfinite(info.mip_dual_bound):
        slack = _TOLERANCE * max(1.0, abs(info.mip_dual_bound)) if whole else 0.0
        found = unit * (info.mip_dual_bound + slack)
        bound = min(bound, float(math.floor(found)) if whole else found)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Best(None, -math.inf, bound, status)
    inside: Bools = np.asarray(solver.getSolution().col_value[: start.size]) > 0.5
    return Best(inside, float(pair_value(pairs, inside)), bound, status)


def _model(profit: Float64s, cliques: Cliques, left: int) -> Any:
    n, m = profit.size, cliques.price.size
    sizes = np.diff(cliques.starts)
    group = np.repeat(np.arange(m), sizes)
    lines = np.repeat(np.arange(m), sizes - 1)
    slope = np.arange(lines.size) - np.repeat(np.cumsum(sizes - 1) - (sizes - 1), sizes - 1) + 1.0
    rows = np.concatenate(
        [np.zeros(n, np.int64), 1 + group, 1 + np.arange(m), 1 + m + np.tile(np.arange(lines.size), 2)]
    )
    columns = np.concatenate([np.arange(n), cliques.members, n + np.arange(m), n + lines, n + m + lines])
    entries = np.concatenate([np.ones(n + group.size), np.full(m, -1.0), slope, np.full(lines.size, -1.0)])
    matrix = coo_array((entries, (rows, columns)), shape=(1 + m + lines.size, n + 2 * m)).tocsr()
    infinite = highspy.kHighsInf
    lower = np.concatenate([[-infinite], np.zeros(m), np.full(lines.size, -infinite)])
    upper = np.concatenate([[left], np.zeros(m), slope * (slope + 1) / 2])
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.passModel(
        n + 2 * m,
        lower.size,
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        np.concatenate([profit, np.zeros(m), -cliques.price]),
        np.zeros(n + 2 * m),
        np.concatenate([np.ones(n), sizes, sizes * (sizes - 1) / 2]),
        lower,
        upper,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.repeat([1, 0], [n, 2 * m]).astype(np.int32),
    )
    return solver
