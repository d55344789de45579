"""Maximum coverage and maximum cut of exactly b vertices as mixed-integer programs, solved by HiGHS.

Both have a variable x_v for each vertex (1 if chosen) and y_e for each edge (1 if it counts), and maximise
the sum of the y_e subject to sum x_v = b and, for each edge e = uv,

- coverage: y_e <= x_u + x_v;
- cut: y_e <= x_u + x_v and y_e <= 2 - x_u - x_v.

Only the x_v are declared binary: at binary x_v the best y_e are 0 or 1 by themselves. Parallel edges share a
y_e that counts as often as they are; a covered self loop counts for its vertex, and no self loop is ever cut.
"""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from time import monotonic
from typing import Any

import highspy
import numpy as np

from lense.errors import LenseError
from lense.graph import Graph
from lense.progress import progress
from lense.types import Bools, Float64s, Int64s

_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Optimum:
    """The vertices HiGHS chose (rising), its bound on the number of edges, and how it ended."""

    vertices: Int64s
    upper_bound: float | None
    details: Mapping[str, float | str]


@dataclass(frozen=True)
class _Edges:
    """Ends ``u`` < ``v`` of each edge, how many parallel ones it stands for, and self loops per vertex."""

    n: int
    u: Int64s
    v: Int64s
    multiplicity: Int64s
    loops: Int64s

    @classmethod
    def of(cls, graph: Graph) -> "_Edges":
        n = graph.num_vertices
        sources, targets, _ = graph.edges()
        loop = sources == targets
        low = np.minimum(sources[~loop], targets[~loop]).astype(np.int64)
        high = np.maximum(sources[~loop], targets[~loop])
        pairs, multiplicity = np.unique(low * n + high, return_counts=True)
        return cls(n, pairs // n, pairs % n, multiplicity, np.bincount(sources[loop], minlength=n))


def check_limits(gap: float, time_limit: float | None) -> None:
    """Raise unless a solver can be run with this relative gap and this many seconds."""
    if not 0 <= gap < math.inf:
        raise LenseError(f"The option gap must be a number from 0 up, such as 0.05 for 5 %, not {gap}.")
    if time_limit is not None and not time_limit > 0:
        raise LenseError(f"The option time_limit must be a number of seconds above 0, or none, not {time_limit}.")


def best_cover(
    graph: Graph, budget: int, start: Int64s, seed: int, *, gap: float = 0.0, time_limit: float | None = None
) -> Optimum:
    """The ``budget`` vertices that cover most edges, up to the relative ``gap``, sought from ``start``."""
    edges = _Edges.of(graph)
    inside = _indicator(graph, start)
    counted = inside[edges.u] | inside[edges.v]
    return _solve(_cover_model(edges, budget), start, inside, counted, seed, gap, time_limit)


def best_cut(
    graph: Graph, budget: int, start: Int64s, seed: int, *, gap: float = 0.0, time_limit: float | None = None
) -> Optimum:
    """The ``budget`` vertices that cut most edges, up to the relative ``gap``, sought from ``start``."""
    edges = _Edges.of(graph)
    inside = _indicator(graph, start)
    counted = inside[edges.u] != inside[edges.v]
    return _solve(_cut_model(edges, budget), start, inside, counted, seed, gap, time_limit)


def cut_relaxation(graph: Graph, budget: int, *, time_limit: float | None = None) -> float | None:
    """The linear relaxation's bound on the cut of ``budget`` vertices, or None if time ran out."""
    solver = _cut_model(_Edges.of(graph), budget, relaxed=True)
    _run(solver, "linear relaxation", seed=0, gap=0.0, time_limit=time_limit)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return _whole_number_above(solver.getInfo().objective_function_value)


def _cover_model(edges: _Edges, budget: int) -> Any:
    return _model(edges, budget, edges.loops, np.array([[1.0, -1.0, -1.0]]), np.zeros(1), relaxed=False)


def _cut_model(edges: _Edges, budget: int, *, relaxed: bool = False) -> Any:
    rows, limits = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]), np.array([0.0, 2.0])
    return _model(edges, budget, np.zeros(edges.n), rows, limits, relaxed=relaxed)


def _model(
    edges: _Edges,
    budget: int,
    vertex_values: Int64s | Float64s,
    rows: Float64s,
    limits: Float64s,
    *,
    relaxed: bool,
) -> Any:
    """A HiGHS model: sum x = budget, and for each edge rows @ (y_e, x_u, x_v) <= limits."""
    n, m, k = edges.n, edges.u.size, limits.size
    too_large = LenseError(f"HiGHS cannot hold {n:,} vertices and {m:,} edges: prune the graph or take another solver.")
    if n + 3 * k * m > np.iinfo(np.int32).max:
        raise too_large
    columns = np.stack([n + np.arange(m), edges.u, edges.v], axis=1).repeat(k, axis=0)
    starts = np.concatenate([[0], n + 3 * np.arange(k * m)])
    row_lower = np.full(1 + k * m, -highspy.kHighsInf)
    row_lower[0] = budget
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    status = solver.passModel(
        n + m,
        1 + k * m,
        n + 3 * k * m,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        np.concatenate([vertex_values, edges.multiplicity]).astype(np.float64),
        np.zeros(n + m),
        np.ones(n + m),
        row_lower,
        np.concatenate([[budget], np.tile(limits, m)]).astype(np.float64),
        starts.astype(np.int32),
        np.concatenate([np.arange(n), columns.ravel()]).astype(np.int32),
        np.concatenate([np.ones(n), np.tile(rows.ravel(), m)]),
        np.concatenate([np.full(n, int(not relaxed)), np.zeros(m)]).astype(np.int32),
    )
    if status == highspy.HighsStatus.kError:
        raise too_large
    return solver


def _indicator(graph: Graph, vertices: Int64s) -> Bools:
    inside = np.zeros(graph.num_vertices, np.bool_)
    inside[vertices] = True
    return inside


def _solve(
    solver: Any, start: Int64s, inside: Bools, counted: Bools, seed: int, gap: float, time_limit: float | None
) -> Optimum:
    """Run a model from ``start``, which is also the answer if HiGHS ends without one."""
    values = np.concatenate([inside, counted]).astype(np.float64)
    solver.setSolution(values.size, np.arange(values.size, dtype=np.int32), values)
    _run(solver, "mixed-integer program", seed=seed, gap=gap, time_limit=time_limit)
    info = solver.getInfo()
    details: dict[str, float | str] = {"status": solver.modelStatusToString(solver.getModelStatus())}
    bound = None
    if math.isfinite(info.mip_dual_bound):
        bound = _whole_number_above(info.mip_dual_bound)
    if math.isfinite(info.mip_gap):
        details["gap"] = info.mip_gap
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Optimum(
            np.sort(start), bound, {**details, "note": "HiGHS found no solution: the starting one is returned"}
        )
    chosen = np.asarray(solver.getSolution().col_value[: inside.size]) > 0.5
    return Optimum(np.flatnonzero(chosen), bound, details)


def _run(solver: Any, description: str, *, seed: int, gap: float, time_limit: float | None) -> None:
    """Run HiGHS in a thread of its own, so that progress is shown and an interrupt heard meanwhile."""
    solver.setOptionValue("random_seed", seed)
    solver.setOptionValue("mip_rel_gap", gap)
    solver.setOptionValue("parallel", "off")
    if time_limit is not None:
        solver.setOptionValue("time_limit", float(time_limit))
    solver.HandleUserInterrupt = True
    with progress(description, time_limit) as advance, ThreadPoolExecutor(1) as pool:
        job = pool.submit(solver.run)
        try:
            before = monotonic()
            while not wait([job], timeout=0.2).done:
                now = monotonic()
                advance(now - before)
                before = now
        except BaseException:
            solver.cancelSolve()
            raise
        if job.result() == highspy.HighsStatus.kError:
            raise LenseError("HiGHS failed on the model: try a smaller graph or another solver.")


def _whole_number_above(bound: float) -> float:
    """The largest count of edges within a bound that is right up to a relative 1e-6."""
    return float(math.floor(bound + _TOLERANCE * max(1.0, abs(bound))))
