"""Mixed-integer programs solved by HiGHS: the b vertices that cover, cut or dominate most, and what bounds leave open.

*Cover and cut*: both programs have a variable x_v for each vertex (1 if chosen) and z_e for each edge e = uv (1 if both
ends are chosen), with z_e >= x_u + x_v - 1 and sum x_v <= b. For coverage, to which no vertex does harm, that sum is b.
Where w_e is the weight of e, 1 in a graph without weights, and d_v is the weight of the edges at v, they maximise

- coverage: sum d_v x_v - sum w_e z_e, as an edge with both ends chosen is counted twice in the first sum;
- cut: sum d_v x_v - 2 sum w_e z_e, as it must not count at all.

This is the program with a variable for each edge that counts, y_e <= min(x_u + x_v, 1) for coverage and
y_e <= min(x_u + x_v, 2 - x_u - x_v) for the cut, after substituting z_e = x_u + x_v - y_e or half of it: the
optimum and the linear relaxation are the same, but the simplex method starts from z = 0, which is right nearly
everywhere. Parallel edges share one z_e, which counts for all. Where only some vertices may be chosen, the other x_v
are held at 0, and edges at those need no z_e. HiGHS works with absolute tolerances, so weights that are not modest
whole numbers are divided by their mean.

*Domination*: x_v as above, and y_u for each vertex, 1 if it is dominated:

    maximise  sum of y_u   subject to   y_u <= sum of x_v over N[u],   y_u <= 1,   sum of x_v = b

*What bounds leave open*: x_v for each live vertex. For each group of them (an edge, or a clique of edges that cost the
same) there is the number s_j of chosen members and what they cost:

    maximise  sum of p_v x_v - sum of c_j y_j
    subject to  s_j = sum of x_v over the group,   y_j >= t s_j - t (t + 1) / 2 for t = 1, 2, ...,   sum of x_v <= k

At whole s_j the least y_j is s_j (s_j - 1) / 2, so the program is exact. For its relaxation, see
:mod:`lense.kernels.relaxation`. Both its size and that of the groups are O(edges).

Only the x_v are declared binary, for then the best values of the others are whole numbers too.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Thread
from time import monotonic
from typing import Any

import highspy
import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_array, coo_array, csr_array, eye_array

from lense._util.progress import progress
from lense._util.types import AnyArray, Bools, Float32s, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.bounds import Pairs, pair_value
from lense.kernels.relaxation import Cliques, partition

_TOLERANCE, _FINE = 1e-6, 1e-9
_LARGEST_WHOLE = 1e6
_PATIENCE = 2.0
_SECONDS_PER_EDGE = 60e-6


@dataclass(frozen=True)
class Optimum:
    """The vertices HiGHS chose (rising), its bound on what their edges count, and how it ended."""

    vertices: Int64s
    upper_bound: float | None
    details: Mapping[str, float | str]


@dataclass(frozen=True)
class Best:
    """The vertices chosen, or None where HiGHS found none, their value, a bound on all sets, and how it ended."""

    inside: Bools | None
    value: float
    upper_bound: float
    status: str


def _raised(bound: float) -> float:
    return bound + _TOLERANCE * max(1.0, abs(bound))


def _whole_below(bound: float) -> float:
    """The largest whole number within HiGHS's ``bound``, which is right up to a relative 1e-6."""
    return float(math.floor(_raised(bound)))


def mip_seconds(graph: Graph) -> float:
    """About what HiGHS takes for a model with a row for each edge, where it has little to search."""
    return _SECONDS_PER_EDGE * graph.num_edges


def check_limits(gap: float, time_limit: float | None) -> None:
    """Raise unless a solver can be run with this relative gap and this many seconds."""
    if not 0 <= gap < math.inf:
        raise LenseError(f"The option gap must be a number from 0 up, such as 0.05 for 5 %, not {gap}.")
    if time_limit is not None and not 0 < time_limit < math.inf:
        raise LenseError(f"The option time_limit must be none or a number of seconds above 0, not {time_limit}.")


def best_choice(
    graph: Graph,
    budget: int,
    start: Int64s,
    seed: int,
    candidates: ArrayLike | None = None,
    forced: ArrayLike | None = None,
    *,
    loss: int,
    gap: float = 0.0,
    time_limit: float | None = None,
) -> Optimum:
    """``budget`` vertices that cover most edges (``loss`` 1), or at most so many that cut most (2).

    Only ``candidates`` are chosen, all ``forced`` among them. They are optimal up to the relative ``gap``, and sought
    from ``start``.
    """
    everyone = np.arange(graph.num_vertices)
    n = everyone.size
    allowed: Bools = np.ones(n, np.bool_) if candidates is None else np.isin(everyone, candidates)
    sources, targets, weights = graph.edges()
    loop = sources == targets
    counts, unit = _counts(sources.size, weights, loop if loss == 2 else np.zeros_like(loop))
    low = np.minimum(sources[~loop], targets[~loop]).astype(np.int64)
    high = np.maximum(sources[~loop], targets[~loop])
    pairs, place = np.unique(low * n + high, return_inverse=True)
    parallel = np.bincount(place, counts[~loop], pairs.size)
    u, v = pairs // n, pairs % n
    values = (np.bincount(u, parallel, n) + np.bincount(v, parallel, n)).astype(np.float64)  # whole numbers if none
    if loss == 1:
        values += np.bincount(sources[loop], counts[loop], n)
    both = allowed[u] & allowed[v]
    u, v, losses = u[both], v[both], loss * parallel[both]
    m = losses.size
    both_ends = csr_array((np.ones(2 * m), np.column_stack([u, v]).ravel(), np.arange(0, 2 * m + 1, 2)), shape=(m, n))
    solver = _passed(
        block_array([[csr_array(np.ones((1, n))), None], [both_ends, -eye_array(m)]], format="csr"),
        values=np.concatenate([values, -losses]),
        lower=np.concatenate([np.isin(everyone, () if forced is None else forced), np.zeros(m)]),
        upper=np.concatenate([allowed, np.ones(m)]),
        row_lower=np.concatenate([[budget if loss == 1 else 0], np.full(m, -highspy.kHighsInf)]),
        row_upper=np.concatenate([[budget], np.ones(m)]),
        binary=n,
    )
    # Presolve removes next to nothing here, but finds that z is integral, after which HiGHS can spend many minutes on
    # mod-k cuts without a look at the clock.
    solver.setOptionValue("presolve", "off")
    inside: Bools = np.isin(everyone, start)

    def safe(bound: float) -> float:
        return _whole_below(bound) if unit is None else unit * _raised(bound)

    return _solved(solver, inside, inside[u] & inside[v], safe, seed, gap, time_limit)


def _counts(num_edges: int, weights: Float32s | None, ignored: Bools) -> tuple[Float64s, float | None]:
    """What each edge counts, and in which unit: None where that is 1 and all are whole numbers of modest size.

    The unit is the mean of those that are not ``ignored``.
    """
    if weights is None:
        return np.ones(num_edges), None
    counts = weights.astype(np.float64)
    if ((counts == np.rint(counts)) & (counts <= _LARGEST_WHOLE)).all():
        return counts, None
    mean = float(counts[~ignored].mean()) if counts[~ignored].any() else 1.0
    return counts / mean, mean


def _passed(
    matrix: Any,
    *,
    values: AnyArray,
    lower: AnyArray,
    upper: AnyArray,
    row_lower: AnyArray,
    row_upper: AnyArray,
    binary: int,
) -> Any:
    """A HiGHS model that maximises ``values`` @ x, the first of x ``binary``, by the rows of a sparse ``matrix``."""
    too_large = LenseError("HiGHS cannot hold this program: prune the graph or take another solver.")
    if matrix.nnz > np.iinfo(np.int32).max:
        raise too_large
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    status = solver.passModel(
        values.size,
        row_lower.size,
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        values.astype(np.float64),
        lower.astype(np.float64),
        upper.astype(np.float64),
        row_lower.astype(np.float64),
        row_upper.astype(np.float64),
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        np.repeat([1, 0], [binary, values.size - binary]).astype(np.int32),
    )
    if status == highspy.HighsStatus.kError:
        raise too_large
    return solver


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
    everyone = np.arange(starts.size - 1)
    n = everyone.size
    inside: Bools = np.isin(everyone, start)
    dominated: Bools = np.add.reduceat(inside[members], starts[:-1]) > 0
    reached_from = csr_array((np.ones(members.size), members, starts), shape=(n, n))
    solver = _passed(
        block_array([[csr_array(np.ones((1, n))), None], [-reached_from, eye_array(n)]], format="csr"),
        values=np.repeat([0.0, 1.0], n),
        lower=np.zeros(2 * n),
        upper=np.concatenate([np.isin(everyone, candidates), np.ones(n)]),
        row_lower=np.concatenate([[start.size], np.full(n, -highspy.kHighsInf)]),
        row_upper=np.concatenate([[start.size], np.zeros(n)]),
        binary=n,
    )
    return _solved(solver, inside, dominated, _whole_below, seed, gap, time_limit)


def best_of_core(
    pairs: Pairs, left: int, start: Bools, bound: float, *, whole: bool, seed: int, time_limit: float | None
) -> Best:
    """The best of at most ``left`` vertices, sought from ``start``; ``bound`` is one that is known.

    HiGHS calculates to a tolerance. Where sums are not ``whole``, that is a billionth, so its bound holds up to that.
    """
    cliques = partition(pairs)
    unit = 1.0 if whole else float(pairs.profit.max(initial=0.0)) / 1000 or 1.0
    solver = _core_model(pairs.profit / unit, cliques._replace(price=cliques.price / unit), left)
    counts = np.add.reduceat(start[cliques.members] * 1.0, cliques.starts[:-1]) if cliques.price.size else np.empty(0)
    _start_from(solver, np.concatenate([start, counts, counts * (counts - 1) / 2]), seed, 0.0)
    solver.setOptionValue("mip_abs_gap", 0.99 if whole else _FINE)
    for kind in () if whole else ("mip", "primal", "dual"):
        solver.setOptionValue(f"{kind}_feasibility_tolerance", _FINE)
    run_highs(solver, "mixed-integer program", time_limit)
    found = solver.getInfo().mip_dual_bound
    if math.isfinite(found):
        bound = min(bound, _whole_below(found) if whole else unit * found)
    inside, status = _chosen(solver, start.size), solver.modelStatusToString(solver.getModelStatus())
    return Best(inside, -math.inf if inside is None else float(pair_value(pairs, inside)), bound, status)


def _core_model(profit: Float64s, cliques: Cliques, left: int) -> Any:
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
    return _passed(
        matrix,
        values=np.concatenate([profit, np.zeros(m), -cliques.price]),
        lower=np.zeros(n + 2 * m),
        upper=np.concatenate([np.ones(n), sizes, sizes * (sizes - 1) / 2]),
        row_lower=np.concatenate([[-infinite], np.zeros(m), np.full(lines.size, -infinite)]),
        row_upper=np.concatenate([[left], np.zeros(m), slope * (slope + 1) / 2]),
        binary=n,
    )


def _start_from(solver: Any, values: AnyArray, seed: int, gap: float) -> None:
    solver.setSolution(values.size, np.arange(values.size, dtype=np.int32), values.astype(np.float64))
    solver.setOptionValue("random_seed", seed)
    solver.setOptionValue("mip_rel_gap", gap)


def _chosen(solver: Any, n: int) -> Bools | None:
    """Which of the first n columns are 1, or None where HiGHS found no solution."""
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    chosen: Bools = np.asarray(solver.getSolution().col_value[:n]) > 0.5
    return chosen


def _solved(
    solver: Any,
    inside: Bools,
    others: Bools,
    safe: Callable[[float], float],
    seed: int,
    gap: float,
    time_limit: float | None,
) -> Optimum:
    """Solve a model whose first columns are the vertices, from those ``inside`` (n) and the ``others`` columns' values.

    ``inside`` is also the answer if HiGHS ends without one. ``safe`` makes its bound one that rounding cannot break.
    """
    _start_from(solver, np.concatenate([inside, others]), seed, gap)
    run_highs(solver, "mixed-integer program", time_limit)
    info = solver.getInfo()
    bound = safe(info.mip_dual_bound) if math.isfinite(info.mip_dual_bound) else None
    details: dict[str, float | str] = {"status": solver.modelStatusToString(solver.getModelStatus())}
    if math.isfinite(info.mip_gap):
        details["gap"] = info.mip_gap
    chosen = _chosen(solver, inside.size)
    if chosen is None:
        return Optimum(np.flatnonzero(inside), bound, {**details, "note": "HiGHS found nothing: this is its start"})
    return Optimum(np.flatnonzero(chosen), bound, details)


def run_highs(solver: Any, description: str, time_limit: float | None) -> None:
    """Run HiGHS in a thread of its own, so that progress can be shown and an interrupt can be handled.

    After an interrupt its time limit is set to 0. If it does not stop soon, it is left to end by itself.
    """
    solver.setOptionValue("parallel", "off")
    if time_limit is not None:
        solver.setOptionValue("time_limit", float(time_limit))
    worker = Thread(target=solver.run, daemon=True)
    with progress(description, time_limit) as advance:
        try:
            worker.start()
            before, is_over = monotonic(), False
            while not is_over:
                worker.join(timeout=0.2)
                now, is_over = monotonic(), not worker.is_alive()
                advance(now - before)
                before = now
        except BaseException:
            solver.setOptionValue("time_limit", 0.0)
            worker.join(timeout=_PATIENCE)
            raise
