"""Our greedy domination beside that of libraries for submodular functions and for graphs."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.graphs import paper_graph
from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_least
from lense.graph import Graph, to_scipy
from lense.problems import get_problem

BUDGET = 100
Rival = Callable[[Graph, int], Callable[[], list[int]]]
"""Prepares a graph; what it returns chooses so many vertices."""


def domination(quick: bool) -> Iterator[Row]:
    """Greedy on Wiki, where 100 vertices do not reach everything; each side has the graph in its own form before."""
    arcs = paper_graph("wiki")
    graph = None if arcs is None else arcs.as_undirected()
    for name, rival in RIVALS.items():
        row = Row(f"greedy domination, wiki, b = {BUDGET}", name, "its time / ours", at_least(1))
        yield row if graph is None else against(row, graph, rival, BUDGET, turns=1 if quick else 3)


def against(row: Row, graph: Graph, rival: Rival, budget: int, turns: int) -> Row:
    """``row`` with the ratio of times and both scores, which are numbers of vertices in the set or next to it."""
    problem, rng = get_problem("domination"), np.random.default_rng(SEED)
    theirs = rival(graph, budget)

    def ours() -> Any:
        return problem.search(graph, budget, rng).indices

    score, their_score = (problem.objective(graph, choose()) for choose in (ours, theirs))
    times = best_times(turns, ours, theirs)
    return row.measured(
        times[1] / times[0],
        comparable=score >= 0.999 * their_score,  # equal gains are chosen from in different ways
        also=f"reached {score:,.0f}, theirs {their_score:,.0f}",
    )


def networkit(graph: Graph, budget: int) -> Callable[[], list[int]]:
    """GroupDegree, where the group counts too, on one thread."""
    import networkit as nk

    nk.setNumberOfThreads(1)
    sources, targets, _ = graph.edges()
    theirs = nk.GraphFromCoo((sources.astype(np.uint64), targets.astype(np.uint64)), graph.num_vertices)
    return lambda: list(nk.centrality.GroupDegree(theirs, budget, True).run().groupMaxDegree())


def submodlib(graph: Graph, budget: int) -> Callable[[], list[int]]:
    """Set cover by lazy greedy; a vertex covers itself and its neighbours."""
    from submodlib import SetCoverFunction

    rows = np.split(graph.indices, graph.indptr[1:-1])
    sets = [{v, *row.tolist()} for v, row in enumerate(rows)]
    function = SetCoverFunction(n=graph.num_vertices, cover_set=sets, num_concepts=graph.num_vertices)

    def choose() -> list[int]:
        found = function.maximize(budget=budget, optimizer="LazyGreedy", show_progress=False)
        return [vertex for vertex, _ in found]

    return choose


def apricot(graph: Graph, budget: int) -> Callable[[], list[int]]:
    """Maximum coverage on the sparse matrix of neighbours, by lazy greedy after as many naive steps as it likes."""
    from apricot import MaxCoverageSelection
    from scipy.sparse import csr_matrix, eye_array

    matrix = csr_matrix(to_scipy(graph) + eye_array(graph.num_vertices), dtype=np.float64)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)

    def choose() -> list[int]:
        found = MaxCoverageSelection(budget, optimizer="two-stage").fit(matrix)
        return [int(vertex) for vertex in found.ranking]

    return choose


RIVALS: dict[str, Rival] = {
    "NetworKit GroupDegree": networkit,
    "submodlib SetCover": submodlib,
    "apricot MaxCoverage": apricot,
}
