"""The b vertices that cover or cut most edges, as mixed-integer programs solved by HiGHS.

Both programs have a variable x_v for each vertex (1 if chosen) and z_e for each edge e = uv (1 if both ends
are chosen), with z_e >= x_u + x_v - 1 and sum x_v <= b. For coverage, to which no vertex does harm, that sum is b.
Where w_e is the weight of e, 1 in a graph without weights, and d_v is the weight of the edges at v, they maximise

- coverage: sum d_v x_v - sum w_e z_e, as an edge with both ends chosen is counted twice in the first sum;
- cut: sum d_v x_v - 2 sum w_e z_e, as it must not count at all.

This is the program with a variable for each edge that counts, y_e <= min(x_u + x_v, 1) for coverage and
y_e <= min(x_u + x_v, 2 - x_u - x_v) for the cut, after substituting z_e = x_u + x_v - y_e or half of it: the
optimum and the linear relaxation are the same, but the simplex method starts from z = 0, which is right nearly
everywhere. Only the x_v are declared binary, for then the best z_e are. Parallel edges share one z_e, which counts
for all. Where only some vertices may be chosen, the other x_v are held at 0, and edges at those need no z_e. HiGHS
works with absolute tolerances, so weights that are not modest whole numbers are divided by their mean.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Thread
from time import monotonic
from typing import Any

import highspy
import numpy as np
from numpy.typing import ArrayLike

from lense._util.progress import progress
from lense._util.types import Bools, Float32s, Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph

_TOLERANCE = 1e-6
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
class _Program:
    """maximise values @ x - losses @ z subject to z_e >= x_u + x_v - 1 and least <= sum x <= budget.

    x_v is 0 unless allowed, and 1 if forced. Values and losses are in units of ``unit``; None says that they are whole
    numbers of edges or of weight.
    """

    budget: int
    least: int
    allowed: Bools
    forced: Bools
    u: Int64s
    v: Int64s
    values: Float64s
    losses: Float64s
    unit: float | None

    def safe(self, bound: float) -> float:
        """The largest value within HiGHS's ``bound`` on the optimum, which is right up to a relative 1e-6."""
        raised = bound + _TOLERANCE * max(1.0, abs(bound))
        return float(math.floor(raised)) if self.unit is None else self.unit * raised


def mip_seconds(graph: Graph) -> float:
    """About what HiGHS takes for a model with a row for each edge, where it has little to search."""
    return _SECONDS_PER_EDGE * graph.num_edges


def check_limits(gap: float, time_limit: float | None) -> None:
    """Raise unless a solver can be run with this relative gap and this many seconds."""
    if not 0 <= gap < math.inf:
        raise LenseError(f"The option gap must be a number from 0 up, such as 0.05 for 5 %, not {gap}.")
    if time_limit is not None and not 0 < time_limit < math.inf:
        raise LenseError(f"The option time_limit must be none or a number of seconds above 0, not {time_limit}.")


def _best_choice(
    graph: Graph,
    budget: int,
    start: Int64s,
    seed: int,
    *,
    loss: int,
    candidates: ArrayLike | None = None,
    forced: ArrayLike | None = None,
    gap: float = 0.0,
    time_limit: float | None = None,
) -> Optimum:
    """The candidates, all ``forced`` among them, that count most up to the relative ``gap``, sought from ``start``."""
    return _optimum(_program(graph, budget, candidates, forced, loss=loss), start, seed, gap, time_limit)


best_cover = partial(_best_choice, loss=1)
"""The ``budget`` vertices that cover most edges."""
best_cut = partial(_best_choice, loss=2)
"""At most ``budget`` vertices that cut most edges."""


def cut_relaxation(graph: Graph, budget: int, *, time_limit: float | None = None) -> float | None:
    """The linear relaxation's bound on the cut of at most ``budget`` vertices, or None if time ran out."""
    program = _program(graph, budget, None, (), loss=2)
    solver = _model(program, binary=False)
    run_highs(solver, "linear relaxation", time_limit)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return program.safe(solver.getInfo().objective_function_value)


def _program(
    graph: Graph, budget: int, candidates: ArrayLike | None, forced: ArrayLike | None, *, loss: int
) -> _Program:
    """The program in which a chosen vertex counts its edges, and a self loop 2 - ``loss``."""
    n = graph.num_vertices
    allowed: Bools = np.ones(n, np.bool_) if candidates is None else np.isin(np.arange(n), candidates)
    sources, targets, weights = graph.edges()
    loop = sources == targets
    counts, unit = _counts(sources.size, weights, loop if loss == 2 else np.zeros_like(loop))
    low = np.minimum(sources[~loop], targets[~loop]).astype(np.int64)
    high = np.maximum(sources[~loop], targets[~loop])
    pairs, place = np.unique(low * n + high, return_inverse=True)
    parallel = np.bincount(place, counts[~loop], pairs.size).astype(np.float64)
    u, v = pairs // n, pairs % n
    values = (np.bincount(u, parallel, n) + np.bincount(v, parallel, n)).astype(np.float64)
    if loss == 1:
        values += np.bincount(sources[loop], counts[loop], n)
    both = allowed[u] & allowed[v]
    least = budget if loss == 1 else 0
    must: Bools = np.isin(np.arange(n), () if forced is None else forced)
    return _Program(budget, least, allowed, must, u[both], v[both], values, loss * parallel[both], unit)


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


def _model(program: _Program, *, binary: bool) -> Any:
    """``program`` as a HiGHS model with columns x, z and rows for sum x, then x_u + x_v - z_e <= 1."""
    n, m = program.values.size, program.losses.size
    too_large = LenseError(f"HiGHS cannot hold {n:,} vertices and {m:,} edges: prune the graph or take another solver.")
    if n + 3 * m > np.iinfo(np.int32).max:
        raise too_large
    row_lower, row_upper = np.full(1 + m, -highspy.kHighsInf), np.ones(1 + m)
    row_lower[0], row_upper[0] = program.least, program.budget
    columns = np.column_stack([program.u, program.v, n + np.arange(m)])
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    status = solver.passModel(
        n + m,
        1 + m,
        n + 3 * m,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        np.concatenate([program.values, -program.losses]),
        np.concatenate([program.forced, np.zeros(m)]),
        np.concatenate([program.allowed, np.ones(m)]),
        row_lower,
        row_upper,
        np.concatenate([[0], n + 3 * np.arange(m)]).astype(np.int32),
        np.concatenate([np.arange(n), columns.ravel()]).astype(np.int32),
        np.concatenate([np.ones(n), np.tile([1.0, 1.0, -1.0], m)]),
        np.repeat([int(binary), 0], [n, m]).astype(np.int32),
    )
    if status == highspy.HighsStatus.kError:
        raise too_large
    return solver


def _optimum(program: _Program, start: Int64s, seed: int, gap: float, time_limit: float | None) -> Optimum:
    """Solve ``program`` from ``start``."""
    solver = _model(program, binary=True)
    inside: Bools = np.isin(np.arange(program.values.size), start)
    # Presolve removes next to nothing here, but finds that z is integral, after which HiGHS can spend many minutes on
    # mod-k cuts without a look at the clock.
    solver.setOptionValue("presolve", "off")
    both = inside[program.u] & inside[program.v]
    return solved(solver, inside, both, program.safe, seed=seed, gap=gap, time_limit=time_limit)


def solved(
    solver: Any,
    inside: Bools,
    others: Bools,
    safe: Callable[[float], float],
    *,
    seed: int,
    gap: float,
    time_limit: float | None,
) -> Optimum:
    """Solve a model whose first columns are the vertices, from those ``inside`` (n) and the ``others`` columns' values.

    ``inside`` is also the answer if HiGHS ends without one. ``safe`` makes its bound one that rounding cannot break.
    """
    values = np.concatenate([inside, others]).astype(np.float64)
    solver.setSolution(values.size, np.arange(values.size, dtype=np.int32), values)
    solver.setOptionValue("random_seed", seed)
    solver.setOptionValue("mip_rel_gap", gap)
    run_highs(solver, "mixed-integer program", time_limit)
    info = solver.getInfo()
    bound = safe(info.mip_dual_bound) if math.isfinite(info.mip_dual_bound) else None
    details: dict[str, float | str] = {"status": solver.modelStatusToString(solver.getModelStatus())}
    if math.isfinite(info.mip_gap):
        details["gap"] = info.mip_gap
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Optimum(np.flatnonzero(inside), bound, {**details, "note": "HiGHS found nothing: this is its start"})
    chosen = np.asarray(solver.getSolution().col_value[: inside.size]) > 0.5
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
