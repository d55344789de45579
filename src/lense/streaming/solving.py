"""Solving a graph that stays on disk, to the answer, the score and the certificate that memory would give."""

from dataclasses import dataclass, replace

import numpy as np

from lense._util.measuring import Stopwatch
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Scan, TruncatedGraph
from lense.graph.subgraph import Subgraph
from lense.problems import Problem, Solution
from lense.problems.base import Pruned
from lense.problems.domination import Domination
from lense.problems.exact import solve_exactly
from lense.problems.im import InfluenceMaximisation
from lense.problems.parts import search_part
from lense.pruners import Pruner
from lense.pruners.core import Core
from lense.streaming import domination
from lense.streaming.excerpts import Excerpts
from lense.streaming.influence import spread_streamed
from lense.streaming.memory import MemoryBudget
from lense.streaming.passes import Engine
from lense.streaming.pruning import check_budget, check_problem, expected_streamed, prune_streamed

"""The problems that can be solved in a stream, and the solvers that can be."""


@dataclass(frozen=True)
class Way:
    """How to solve in a stream: all that can matter, or what a ``pruner`` keeps, used as ``mode`` says."""

    pruner: Pruner | None = None
    mode: str = "subgraph"
    certify: bool = True
    exact: bool = False
    time_limit: float | None = None
    seed: int = 0
    memory_limit: int | None = None
    engine: Engine | None = None


def solve_scan(problem: Problem, scan: Scan, budget: float, way: Way | None = None) -> Solution:
    """The answer of the problem's heuristic, by a few passes over the edges, scored and certified on the whole graph.

    Its vertices are numbered as in ``scan``; ``labels`` are their ids.
    """
    way = Way() if way is None else way
    if isinstance(problem, InfluenceMaximisation):
        return _influencing(problem, scan, budget, way)
    check_streamed(problem, scan, exact=way.exact)
    excerpts = Excerpts(scan, MemoryBudget.of(way.memory_limit), way.engine).counting(problem)
    check_budget(excerpts, budget)
    if way.pruner is not None:
        found = _by_pruner(problem, excerpts, budget, way, way.pruner)
    elif isinstance(problem, Domination):
        found = _dominating(problem, excerpts, budget, way)
    else:
        found = _by_excerpt(problem, excerpts, budget, way)
    return replace(found, vertices=scan.labels_of(found.indices).tolist())


def _influencing(problem: InfluenceMaximisation, scan: Scan, budget: float, way: Way) -> Solution:
    if way.pruner is not None or way.exact or way.mode != "subgraph":
        raise LenseError("In a stream im is solved on the part that fits: leave out --pruner, --exact and --mode.")
    excerpts = Excerpts(scan, MemoryBudget.of(way.memory_limit), way.engine)
    check_budget(excerpts, budget)
    most = excerpts.memory.most_arcs
    found = spread_streamed(problem, excerpts, budget, way.seed, most, certify=way.certify)
    return replace(found, vertices=scan.labels_of(found.indices).tolist())


def check_streamed(problem: Problem, scan: Scan, *, exact: bool = False) -> None:
    """Raise unless ``problem`` can be solved on ``scan`` by passes."""
    check_problem(problem, scan)
    solvers = problem.streamed_solvers
    if problem.solver not in solvers:
        raise LenseError(
            f"The solver {problem.solver} needs the whole graph in memory; in a stream {problem.name} has "
            f"{' and '.join(solvers)}{'' if problem.pair_loss is None else ', and --exact'}."
        )
    if exact and problem.pair_loss is None:
        raise LenseError(f"{problem.name} cannot be solved exactly: that is for mvc and bmc.")
    if getattr(problem, "bound", "coverage") != "coverage":
        raise LenseError("The bound lp needs the whole graph in memory: take the bound coverage in a stream.")


def _by_excerpt(problem: Problem, excerpts: Excerpts, budget: float, way: Way) -> Solution:
    assert problem.pair_loss is not None
    with Stopwatch() as watch:
        part = excerpts.for_choices(problem.pair_loss, int(budget))
    rng = np.random.default_rng(way.seed)
    if way.exact:
        found = solve_exactly(problem.within(part), part.graph, budget, rng, time_limit=way.time_limit)
    else:
        found = problem.within(part).solve(part.graph, budget, rng, certify=way.certify)
    vertices, edges = part.graph.num_vertices, part.graph.num_edges
    pruned = Pruned(vertices, edges, *_shares(part), watch.seconds, "subgraph", vertices, "degrees")
    left = f"{vertices:,} of {part.whole_vertices:,} vertices"
    how = "solved exactly" if way.exact else "solved"
    reason = f"{how} in a stream: by their {'weights' if excerpts.weighted else 'degrees'}, {left} can matter"
    return replace(found, indices=part.vertices[found.indices], pruned=pruned, reason=reason, expected_ratio=1.0)


def _dominating(problem: Problem, excerpts: Excerpts, budget: float, way: Way) -> Solution:
    with Stopwatch() as watch:
        vertices = domination.domination_order(excerpts, int(budget))
    found = _bare(problem, budget, vertices, watch.seconds)
    found = _certified(problem, excerpts, found, way)
    return replace(found, reason="solved in a stream", expected_ratio=1.0)


def _by_pruner(problem: Problem, excerpts: Excerpts, budget: float, way: Way, pruner: Pruner) -> Solution:
    with Stopwatch() as watch:
        part = prune_streamed(pruner, excerpts, budget=budget, seed=way.seed)
    rng = np.random.default_rng(way.seed)
    if way.mode == "ground-set":
        found = _among_roots(problem, excerpts, part, budget, rng)
    else:
        # a part stands for the whole here, since vertices have no costs that only the whole would know
        found = search_part(problem, part.graph, part, budget, rng, mode=way.mode)
    found = _certified(problem, excerpts, found, way)
    vertices, edges = part.graph.num_vertices, part.graph.num_edges
    scan = excerpts.scan
    shares = 1 - vertices / scan.num_vertices, 1 - edges / scan.num_edges
    pruned = Pruned(vertices, edges, *shares, watch.seconds, way.mode, part.roots.size, pruner.name)
    unlike = expected_streamed(pruner, excerpts, budget).unlike if isinstance(pruner, Core) else ""
    because = f"; {unlike}" if unlike else ""
    return replace(found, pruned=pruned, reason=f"pruned by {pruner.name} in a stream, as asked{because}")


def _among_roots(
    problem: Problem, excerpts: Excerpts, part: Subgraph, budget: float, rng: np.random.Generator
) -> Solution:
    """The heuristic sees the degrees in the whole graph, and may choose roots alone."""
    if problem.pair_loss is None:
        raise LenseError(f"In a stream, the mode ground-set is for mvc and bmc, not for {problem.name}.")
    roots = excerpts.of(part.roots)
    candidates, forced = roots.places(part.roots), roots.places(part.forced)
    here = problem.within(roots)
    to_spend = min(budget, roots.graph.num_vertices)
    found = here.search(roots.graph, to_spend, rng, candidates=candidates, forced=forced)
    return replace(found, indices=roots.vertices[found.indices], budget=budget)


def _certified(problem: Problem, excerpts: Excerpts, found: Solution, way: Way) -> Solution:
    """``found`` with its score in the whole graph, and with a bound on the optimum."""
    if problem.pair_loss is None:
        score = float(domination.count_dominated(excerpts, found.indices))
        scored = replace(found, score=score, stderr=0.0, upper_bound=None, unit=problem.unit)
        if not way.certify:
            return scored
        with Stopwatch() as watch:
            bound = domination.domination_bound(excerpts, int(found.budget))
        return replace(scored, upper_bound=bound, lower_bound=score, certificate_seconds=watch.seconds)
    part = excerpts.for_choices(problem.pair_loss, int(found.budget), np.sort(found.indices))
    within = problem.within(part)
    here = within.score(part.graph, replace(found, indices=part.places(found.indices), upper_bound=None))
    if way.certify:
        here = within.certify(part.graph, here, np.random.default_rng(way.seed))
    return replace(here, indices=part.vertices[here.indices])


def _bare(problem: Problem, budget: float, vertices: Int64s, seconds: float) -> Solution:
    return Solution(problem.name, problem.solver, budget, vertices, float("nan"), float("nan"), seconds)


def _shares(part: TruncatedGraph) -> tuple[float, float]:
    """The shares of the whole graph's vertices and edges that were left out."""
    graph = part.graph
    return 1 - graph.num_vertices / part.whole_vertices, 1 - graph.num_edges / max(part.whole_edges, 1)
