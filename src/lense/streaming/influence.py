"""Influence maximisation on a graph that stays on disk: on all of its arcs if they fit, else on a part of them.

Cascades need the arcs of whatever vertex they reach next, so passes do not help. Where not all arcs fit into memory,
the part is xi of the vertices with most edges, as many as fit. The spread that is found there is an estimate: arcs that
were left out could have carried cascades further.
"""

from dataclasses import replace

import numpy as np

from lense._util.measuring import Stopwatch
from lense._util.types import Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, Scan
from lense.kernels.streaming import add_out_degrees
from lense.problems import Solution
from lense.problems.base import Pruned
from lense.problems.im import InfluenceMaximisation
from lense.pruners.ranking import largest
from lense.streaming.excerpts import Excerpts
from lense.streaming.parts import streamed_subgraph

_ROOTS_PER_CHOICE = 2


def spread_streamed(
    problem: InfluenceMaximisation,
    excerpts: Excerpts,
    budget: float,
    seed: int,
    most_arcs: int,
    *,
    certify: bool = True,
) -> Solution:
    """The heuristic on at most ``most_arcs`` arcs; what it finds is exact if those are all, else an estimate."""
    scan, rng = excerpts.scan, np.random.default_rng(seed)
    if scan.is_weighted or problem.model == "file":
        raise LenseError("Edge probabilities from a file are not read in a stream: choose a model, with --no-weights.")
    if scan.num_edges <= most_arcs:
        whole = problem.prepare(_as_arcs(scan.read()))
        found = problem.solve(whole, budget, rng, certify=certify)
        return replace(found, reason="solved in memory, since all arcs fit", expected_ratio=1.0)
    with Stopwatch() as watch:
        part = streamed_subgraph(excerpts, _roots(excerpts, int(budget), most_arcs))
        graph = _prepared(problem, scan, _as_arcs(part.graph), part.vertices)
    found = problem.solve(graph, min(budget, graph.num_vertices), rng, certify=False)
    vertices, edges = graph.num_vertices, graph.num_arcs
    shares = 1 - vertices / scan.num_vertices, 1 - edges / scan.num_edges
    pruned = Pruned(vertices, edges, *shares, watch.seconds, "subgraph", part.roots.size, "top-roots")
    reason = (
        f"solved in a stream on {100 * (1 - shares[1]):.3g} % of the arcs, those at the {part.roots.size:,} vertices "
        "of largest degree: the spread is an estimate from that part"
    )
    details = {**found.details, "estimate": "the spread is that in the part, without the arcs left out"}
    found = replace(found, indices=part.vertices[found.indices], budget=budget, upper_bound=None, lower_bound=None)
    return replace(found, details=details, pruned=pruned, reason=reason)


def _roots(excerpts: Excerpts, budget: int, most_arcs: int) -> Int64s:
    """The vertices of largest degree, as many as have ``most_arcs`` edges together, and twice the budget at least."""
    order = largest(excerpts.degrees, excerpts.degrees.size)
    fit = int(np.searchsorted(np.cumsum(excerpts.degrees[order], dtype=np.int64), most_arcs, side="right"))
    return order[: max(fit, min(_ROOTS_PER_CHOICE * budget, order.size))]


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
    for sources, targets in scan.batches("counting in-degrees"):
        add_out_degrees(targets, sources, degrees)
    shares = (1.0 / np.maximum(degrees[vertices], 1)).astype(np.float32)
    return graph.reweighted(shares[graph.indices])
