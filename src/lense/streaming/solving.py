"""Solve and prune a graph that stays on disk, to the answer, the score and the certificate that memory would give.

Cascades need the arcs of whatever vertex they reach next, so passes do not help influence maximization. Where not all
arcs fit into memory, it is solved on xi of the vertices with most edges, as many as fit. The spread that is found there
is an estimate: arcs that were left out could have carried cascades further.
"""

from dataclasses import replace
from math import isclose

import numpy as np

from lense._util.measuring import Stopwatch
from lense._util.options import check_budget_is_number, check_seed
from lense._util.types import Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, Scan
from lense.graph.subgraph import Subgraph
from lense.kernels.streaming import add_out_degrees
from lense.problems import Problem, Solution
from lense.problems.base import InStream, Pruned
from lense.problems.exact import solve_exactly
from lense.problems.im import InfluenceMaximisation
from lense.problems.parts import search_part
from lense.pruners import Pruner
from lense.pruners.core import Core
from lense.pruners.ranking import largest
from lense.streaming.graph import StreamedGraph
from lense.streaming.memory import MemoryBudget
from lense.streaming.passes import Engine

_ROOTS_PER_CHOICE = 2
_ROUNDING = 1e-6


def solve_scan(
    problem: Problem,
    scan: Scan,
    budget: float,
    *,
    pruner: Pruner | None = None,
    mode: str = "subgraph",
    certify: bool = True,
    exact: bool = False,
    time_limit: float | None = None,
    seed: int = 0,
    memory_limit: int | None = None,
    engine: Engine | None = None,
) -> Solution:
    """The answer of the problem's heuristic, by a few passes over the edges, scored and certified on the whole graph.

    It is solved on all that can matter, or on what a ``pruner`` keeps, used as ``mode`` says.
    """
    graph = StreamedGraph(scan, MemoryBudget.of(memory_limit), engine)
    if isinstance(problem, InfluenceMaximisation):
        if pruner is not None or exact or mode != "subgraph":
            raise LenseError("In a stream im is solved on the part that fits: leave out pruner=, exact= and mode=.")
        check_budget(graph, budget)
        found = spread_streamed(problem, graph, budget, seed, graph.memory.most_arcs, certify=certify)
        return replace(found, vertices=scan.labels_of(found.indices).tolist())
    check_problem(problem, graph)
    if problem.solver not in problem.streamed_solvers:
        raise LenseError(
            f"The solver {problem.solver} needs the whole graph in memory; in a stream {problem.name} has "
            f"{' and '.join(problem.streamed_solvers)}{'' if problem.pair_loss is None else ', and exact=True'}."
        )
    if exact:
        problem.loss_for("Solving exactly")
    graph = graph.counting(problem)
    check_budget(graph, budget)
    own = None if exact else problem.in_stream(graph)
    if pruner is not None:
        found = _certified(problem, graph, _by_pruner(problem, graph, budget, pruner, mode, seed), seed, certify)
    elif own is not None:
        found = _certified(problem, graph, _by_order(problem, own, budget), seed, certify)
    else:
        found = _by_truncation(problem, graph, budget, seed, certify, exact, time_limit)
    return replace(found, vertices=scan.labels_of(found.indices).tolist())


def prune_streamed(pruner: Pruner, graph: StreamedGraph, *, budget: float | None = None, seed: int = 0) -> Subgraph:
    """What ``pruner`` keeps of the graph, by a few passes: the same as ``pruner.prune`` in memory."""
    spent = pruner.budget if budget is None else budget
    check_seed(seed)
    check_problem(pruner.problem_, graph)
    pruner.check_fitted()
    graph = graph.counting(pruner.problem_)
    check_budget(graph, spent)
    return pruner.prune_stream(graph, spent)


def check_problem(problem: Problem, graph: StreamedGraph) -> None:
    """Raise unless ``problem`` says how to solve ``graph`` by passes."""
    if not problem.streamed_solvers or (problem.pair_loss is None and problem.in_stream(graph) is None):
        raise LenseError(f"{problem.name} needs the graph in memory: it cannot be solved by passes over the edges.")


def check_budget(graph: StreamedGraph, budget: float) -> None:
    """Raise unless ``budget`` counts vertices of the graph."""
    check_budget_is_number(budget)
    scan = graph.scan
    if scan.num_edges == 0:
        raise LenseError("The graph has no edges, so there is nothing to solve.")
    if not float(budget).is_integer() or not 1 <= budget <= scan.num_vertices:
        raise LenseError(
            f"The budget must be a whole number from 1 to the graph's {scan.num_vertices:,} vertices, not {budget:g}."
        )


def _by_truncation(
    problem: Problem,
    graph: StreamedGraph,
    budget: float,
    seed: int,
    certify: bool,
    exact: bool,
    time_limit: float | None,
) -> Solution:
    with Stopwatch() as watch:
        part = graph.truncated_for(problem.loss_for("Solving in a stream"), int(budget))
    within, rng = problem.within(part), np.random.default_rng(seed)
    if exact:
        found = solve_exactly(within, part.graph, budget, rng, time_limit=time_limit)
    else:
        found = within.solve(part.graph, budget, rng, certify=certify)
    _check_counts(within, part.graph, found)
    vertices = part.graph.num_vertices
    pruned = _pruned(graph.scan, part.graph, watch.seconds, "subgraph", vertices, "degrees")
    left = f"{vertices:,} of {part.whole_vertices:,} vertices"
    how = "solved exactly" if exact else "solved"
    reason = f"{how} in a stream: by their {'weights' if graph.weighted else 'degrees'}, {left} can matter"
    return replace(found, indices=part.vertices[found.indices], pruned=pruned, reason=reason, expected_ratio=1.0)


def _by_order(problem: Problem, own: InStream, budget: float) -> Solution:
    with Stopwatch() as watch:
        vertices = own.order(int(budget))
    found = Solution(problem.name, problem.solver, budget, vertices, np.nan, np.nan, watch.seconds)
    return replace(found, reason="solved in a stream", expected_ratio=1.0)


def _by_pruner(problem: Problem, graph: StreamedGraph, budget: float, pruner: Pruner, mode: str, seed: int) -> Solution:
    with Stopwatch() as watch:
        part = prune_streamed(pruner, graph, budget=budget, seed=seed)
    rng = np.random.default_rng(seed)
    if mode == "ground-set":
        found = _among_roots(problem, graph, part, budget, rng)
    else:
        # a part stands for the whole here, since vertices have no costs that only the whole would know
        found = search_part(problem, part.graph, part, budget, rng, mode=mode)
    pruned = _pruned(graph.scan, part.graph, watch.seconds, mode, part.roots.size, pruner.name)
    reason = f"pruned by {pruner.name} in a stream"
    if isinstance(pruner, Core) and (unlike := pruner.expected_in(graph, budget).unlike):
        reason += f"; {unlike}"
    return replace(found, pruned=pruned, reason=reason)


def _among_roots(
    problem: Problem, graph: StreamedGraph, part: Subgraph, budget: float, rng: np.random.Generator
) -> Solution:
    """The heuristic sees the degrees in the whole graph, and may choose roots alone."""
    problem.loss_for("In a stream, the mode ground-set")
    roots = graph.truncated(part.roots)
    candidates, forced = roots.places(part.roots), roots.places(part.forced)
    here = problem.within(roots)
    to_spend = min(budget, roots.graph.num_vertices)
    found = here.search(roots.graph, to_spend, rng, candidates=candidates, forced=forced)
    return replace(found, indices=roots.vertices[found.indices], budget=budget)


def _certified(problem: Problem, graph: StreamedGraph, found: Solution, seed: int, certify: bool) -> Solution:
    """``found`` with its score in the whole graph, and with a bound on the optimum."""
    if (own := problem.in_stream(graph)) is not None:
        score = own.score(found.indices)
        scored = replace(found, score=score, stderr=0.0, upper_bound=None, unit=problem.unit)
        if not certify:
            return scored
        with Stopwatch() as watch:
            bound = own.bound(int(found.budget))
        return replace(scored, upper_bound=bound, lower_bound=score, certificate_seconds=watch.seconds)
    loss = problem.loss_for("Scoring in a stream")
    part = graph.truncated_for(loss, int(found.budget), np.sort(found.indices))
    within = problem.within(part)
    here = within.score(part.graph, replace(found, indices=part.places(found.indices), upper_bound=None))
    _check_counts(within, part.graph, here)
    if certify:
        here = within.certify(part.graph, here, np.random.default_rng(seed))
    return replace(here, indices=part.vertices[here.indices])


def _check_counts(problem: Problem, part: Graph, found: Solution) -> None:
    """Raise where the objective leaves out the edges that lead out of the ``part``, which ``problem.edges`` counts."""
    edges, loss = problem.edges(part), problem.loss_for("Solving in a stream")
    if not isclose(found.score, problem.edge_value(part) * edges.worth(found.indices, loss), rel_tol=_ROUNDING):
        raise LenseError(
            f"{problem.name} needs the graph in memory: its objective is not what its pair_loss makes of the edges in "
            "self.edges(graph)."
        )


def _pruned(scan: Scan, part: Graph, seconds: float, mode: str, roots: int, pruner: str) -> Pruned:
    """The ``part`` of a graph on disk, and the shares that were left out."""
    shares = 1 - part.num_vertices / scan.num_vertices, 1 - part.num_edges / scan.num_edges
    return Pruned(part.num_vertices, part.num_edges, *shares, seconds, mode, roots, pruner)


def spread_streamed(
    problem: InfluenceMaximisation,
    stream: StreamedGraph,
    budget: float,
    seed: int,
    most_arcs: int,
    *,
    certify: bool = True,
) -> Solution:
    """The heuristic on at most ``most_arcs`` arcs; what it finds is exact if those are all, else an estimate."""
    scan, rng = stream.scan, np.random.default_rng(seed)
    if scan.is_weighted or problem.model == "file":
        raise LenseError("Edge probabilities from a file are not read in a stream: choose a model, with weights=False.")
    if scan.num_edges <= most_arcs:
        whole = problem.prepare(_as_arcs(scan.read()))
        found = problem.solve(whole, budget, rng, certify=certify)
        return replace(found, reason="solved in memory, since all arcs fit", expected_ratio=1.0)
    with Stopwatch() as watch:
        order = largest(stream.degrees, scan.num_vertices)
        fit = int(np.searchsorted(np.cumsum(stream.degrees[order], dtype=np.int64), most_arcs, side="right"))
        part = stream.subgraph(order[: max(fit, _ROOTS_PER_CHOICE * int(budget))])
        graph = _prepared(problem, scan, _as_arcs(part.graph), part.vertices)
    found = problem.solve(graph, min(budget, graph.num_vertices), rng, certify=False)
    pruned = _pruned(scan, graph, watch.seconds, "subgraph", part.roots.size, "top-roots")
    reason = (
        f"solved in a stream on {100 * (1 - pruned.edges_pruned):.3g} % of the arcs, those at the {part.roots.size:,} "
        "vertices of largest degree: the spread is an estimate from that part"
    )
    details = {**found.details, "estimate": "the spread is that in the part, without the arcs left out"}
    found = replace(found, indices=part.vertices[found.indices], budget=budget, upper_bound=None, lower_bound=None)
    return replace(found, details=details, pruned=pruned, reason=reason)


def _as_arcs(graph: Graph) -> Graph:
    """Each edge as one arc, from the smaller id to the larger, as a file is read for im."""
    if graph.directed:
        return graph
    sources, targets, _ = graph.edges()
    return Graph.from_edges(sources, targets, directed=True, labels=graph.labels)


def _prepared(problem: InfluenceMaximisation, scan: Scan, graph: Graph, vertices: Int64s) -> Graph:
    """The part with edge probabilities; those of the weighted cascade go by in-degrees in the whole graph."""
    if problem.model != "weighted-cascade":
        return problem.prepare(graph)
    degrees: Int32s = np.zeros(scan.num_vertices, np.int32)
    for sources, targets, _ in scan.batches("counting in-degrees"):
        add_out_degrees(targets, sources, degrees)
    shares = (1.0 / np.maximum(degrees[vertices], 1)).astype(np.float32)
    return graph.reweighted(shares[graph.indices])
