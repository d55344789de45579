"""The best solution there is, with the proof: a heuristic, then bounds, then HiGHS on what they leave."""

from copy import copy
from dataclasses import asdict, replace
from math import inf
from time import monotonic

import numpy as np

from lense._util.measuring import Stopwatch
from lense.graph import Graph
from lense.problems.base import Problem, Rng, Solution
from lense.problems.bounds import ROUNDING, LosslessCore, lossless_core, safe_bound
from lense.problems.mip import best_of_core, check_limits

_NO_LIMIT_EFFORT = 1e6
_BY_BOUNDS = "Optimal by bounds"


def solve_exactly(
    problem: Problem, graph: Graph, budget: float, rng: Rng, *, time_limit: float | None = None
) -> Solution:
    """An optimum of ``problem``, or within ``time_limit`` (seconds) the best set found and a bound on all others.

    The problem's own heuristic gives the first solution. Its vertices are listed in greedy order. Where time runs out,
    the bound of a plain answer is found too, which takes a moment more, so that this one is never worse.
    """
    check_limits(0.0, time_limit)
    loss = problem.loss_for("Solving exactly")
    deadline = inf if time_limit is None else monotonic() + time_limit
    limited = _limited(problem, time_limit)
    with Stopwatch() as watch:
        first = limited.search(graph, budget, rng)
        core = lossless_core(
            problem, graph, budget, first.indices, effort=_NO_LIMIT_EFFORT, beyond=True, deadline=deadline
        )
        left = core.live.size
        edges = problem.edges(graph)
        core, status = _closed(core, edges.are_whole, int(rng.integers(2**31)), deadline)
        plain = None if core.is_proven else limited.certify(graph, limited.score(graph, first), rng).upper_bound
        assert core.known is not None
        vertices = edges.greedy(core.known.astype(np.int32), core.known.size, loss)
    found = problem.score(graph, replace(first, solver="exact", indices=vertices, seconds=watch.seconds))
    bound = min(safe_bound(problem, graph, core, found), inf if plain is None else max(plain, found.score))
    details = {
        "heuristic": first.solver,
        "status": _BY_BOUNDS if bound <= found.score and not core.is_proven else status,
        "forced": core.forced.size,
        "left": left,
        "rounds": [asdict(done) for done in core.rounds],
    }
    return replace(found, lower_bound=found.score, upper_bound=bound, details=details)


def _limited(problem: Problem, time_limit: float | None) -> Problem:
    """The problem whose heuristic takes at most a quarter of the time, if it knows of a limit."""
    own = getattr(problem, "time_limit", None)
    if time_limit is None or own is None:
        return problem
    limited = copy(problem)  # unlike replace, it stays bound to a part
    object.__setattr__(limited, "time_limit", min(own, time_limit / 4))
    return limited


def _closed(core: LosslessCore, whole: bool, seed: int, deadline: float) -> tuple[LosslessCore, str]:
    """``core`` after HiGHS has looked for something better than what is known, and how that ended."""
    if core.is_proven:
        return core, _BY_BOUNDS
    if monotonic() >= deadline:
        return core, "Time limit reached"
    assert core.pairs is not None
    assert core.known is not None
    assert core.upper_bound is not None
    limit = None if deadline == inf else max(deadline - monotonic(), 1e-3)
    start = np.isin(core.live, core.known)
    if np.count_nonzero(start) > core.left:
        start[:] = False
    best = best_of_core(
        core.pairs, core.left, start, core.upper_bound - core.offset, whole=whole, seed=seed, time_limit=limit
    )
    known, value = core.known, core.value
    if best.inside is not None and core.offset + best.value > value:
        known, value = np.concatenate([core.forced, core.live[best.inside]]), core.offset + best.value
    bound = max(value, min(core.upper_bound, core.offset + best.upper_bound))
    if not whole and bound <= value + ROUNDING * abs(value):
        bound = value
    is_open = best.status == "Optimal" and bound > value
    status = "Optimal within the tolerance of HiGHS" if is_open else best.status
    return replace(core, known=known, value=value, upper_bound=bound), status
