"""The greedy max vertex cover beside one pass over the graph, and beside plain Python."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.graphs import large_graph, paper_graph
from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_least, at_most
from lense.graph import Graph
from lense.problems.mvc import MaxVertexCover

BUDGET = 100


def mvc(quick: bool) -> Iterator[Row]:
    """Greedy with b = 100 on a large graph and on Facebook."""
    yield _against_one_pass(1_000_000 if quick else 10_000_000)
    yield _against_plain_python(quick)


def numpy_pass(graph: Graph) -> int:
    """Read every number of the CSR arrays once."""
    return int(graph.indices.sum()) + int(graph.indptr.sum())


def plain_greedy(graph: Any, budget: int) -> list[Any]:
    """The textbook greedy on a networkx graph, the uncovered edges of each vertex kept in a dictionary."""
    uncovered = dict(graph.degree())
    chosen = []
    for _ in range(budget):
        best = max(uncovered, key=uncovered.__getitem__)
        chosen.append(best)
        del uncovered[best]
        for neighbour in graph[best]:
            if neighbour in uncovered:
                uncovered[neighbour] -= 1
    return chosen


def _against_one_pass(num_edges: int) -> Row:
    problem, rng = MaxVertexCover(), np.random.default_rng(SEED)
    graph = large_graph(num_edges, SEED)
    problem.greedy(graph, BUDGET, rng)
    ours, theirs = best_times(10, lambda: problem.greedy(graph, BUDGET, rng), lambda: numpy_pass(graph))
    what = f"greedy mvc, {num_edges / 1e6:g} million edges, b = {BUDGET}"
    return Row(what, "one numpy pass over the CSR", "our time / its", at_most(10)).measured(ours / theirs)


def _against_plain_python(quick: bool) -> Row:
    import networkx as nx

    row = Row(f"greedy mvc, facebook, b = {BUDGET}", "plain Python over networkx", "its time / ours", at_least(500))
    graph = paper_graph("facebook")
    if graph is None:
        return row
    sources, targets, _ = graph.edges()
    rival = nx.Graph(zip(sources.tolist(), targets.tolist(), strict=True))
    problem, rng = MaxVertexCover(), np.random.default_rng(SEED)
    score = problem.objective(graph, problem.greedy(graph, BUDGET, rng))
    their_score = problem.objective(graph, plain_greedy(rival, BUDGET))
    ours, theirs = best_times(
        10 if quick else 100, lambda: problem.greedy(graph, BUDGET, rng), lambda: plain_greedy(rival, BUDGET)
    )
    # ties are broken in different ways, so the scores may differ a little
    return row.measured(
        theirs / ours,
        comparable=score >= 0.999 * their_score,
        also=f"covered {score:.2%}, theirs {their_score:.2%}",
    )
