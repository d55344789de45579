"""The time to choose the vertices to keep, without learning, beside one pass over what is read for it."""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from benchmarks.cover import numpy_pass
from benchmarks.graphs import large_graph
from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_most
from lense.graph import Graph, graph_files, open_graph
from lense.kernels.quickprune import quickprune
from lense.problems import get_problem
from lense.pruners.quickprune import QuickPrune
from lense.pruners.ranking import KCore, RankingPruner, TopDegree
from lense.pruners.shipped import shipped_core

BUDGET = 100
KEPT = 1250
_PER_FEATURE = "one numpy pass over the CSR for each feature"


def pruning(quick: bool) -> Iterator[Row]:
    """Pruners that read every vertex, on web-Google, or on a generated graph if there is no file of it."""
    at_hand = "web-Google" in graph_files() and not quick
    name = "web-Google" if at_hand else "generated"
    graph = open_graph("web-Google", directed=True) if at_hand else large_graph(30_000 if quick else 1_000_000, SEED)
    turns = 3 if quick else 20
    edges = graph.as_undirected()
    for problem in ("mvc", "bmc"):
        yield _quickprune(edges, name, QuickPrune(get_problem(problem), BUDGET), turns)
    for pruner in (TopDegree(get_problem("mvc"), BUDGET), KCore(get_problem("mvc"), BUDGET)):
        yield _ranking(edges, name, pruner, turns)
    for problem in ("mvc", "bmc", "domination", "im"):
        yield _core(graph if problem == "im" else edges, name, problem, turns)
    yield from _influence(graph if at_hand else large_graph(30_000, SEED), name, turns)


def _quickprune(graph: Graph, name: str, pruner: QuickPrune, turns: int) -> Row:
    kept = pruner.chosen(graph, BUDGET)
    ours, theirs = best_times(turns, lambda: pruner.chosen(graph, BUDGET), lambda: numpy_pass(graph))
    what = f"{pruner.name} {pruner.problem_.name}, {name}, b = {BUDGET}"
    return _row(what, "one numpy pass over the CSR", ours, theirs, f"{kept.size:,} kept")


def _ranking(graph: Graph, name: str, pruner: RankingPruner, turns: int) -> Row:
    pruner.ranking(graph, KEPT, SEED)
    ours, theirs = best_times(turns, lambda: pruner.ranking(graph, KEPT, SEED), lambda: numpy_pass(graph))
    return _row(f"{pruner.name}, {name}", "one numpy pass over the CSR", ours, theirs, f"{KEPT:,} kept")


def _core(graph: Graph, name: str, problem: str, turns: int) -> Row:
    """All of what 'lense prune' does with the core that ships, the part included, once the graph is read."""
    named = get_problem(problem)
    core, prepared = shipped_core(named), named.prepare(graph)
    assert core is not None
    part = core.prune(prepared, budget=BUDGET, prepared=True)
    passes = np.count_nonzero(core.weights_)
    rounds = 1 if problem == "im" else turns  # a run takes seconds there
    ours, theirs = best_times(
        rounds, lambda: core.prune(prepared, budget=BUDGET, prepared=True), lambda: numpy_pass(prepared)
    )
    row = Row(f"core {problem}, {name}, b = {BUDGET}", _PER_FEATURE, "our time / its", at_most(8))
    return row.measured(ours / (passes * theirs), also=f"{part.graph.num_edges:,} edges kept, {passes} feature")


def _influence(graph: Graph, name: str, turns: int) -> Iterator[Row]:
    """The pass over the reverse-reachable sets that estimate the objective, alone and with the drawing of the sets."""
    problem, pruner, free = get_problem("im"), QuickPrune(), np.empty(0)
    prepared = problem.prepare(graph)
    problem.gains(prepared, 1)
    begin = perf_counter()
    gains = problem.gains(prepared, BUDGET)
    drawing = perf_counter() - begin
    assert gains is not None
    indptr, items = gains.indptr, gains.items
    kept = quickprune(gains, free, float(BUDGET), pruner.delta, pruner.epsilon)
    ours, theirs = best_times(
        turns,
        lambda: quickprune(gains, free, float(BUDGET), pruner.delta, pruner.epsilon),
        lambda: int(items.sum()) + int(indptr.sum()),
    )
    what, size = f"{pruner.name} im, {name}, b = {BUDGET}", f"{gains.holder_indptr.size - 1:,} sets"
    yield _row(what, f"one numpy pass over the {size}", ours, theirs, f"{kept.size:,} kept")
    (whole,) = best_times(turns, lambda: numpy_pass(graph))
    yield _row(f"{what}, its sets drawn", "one numpy pass over the CSR", drawing + ours, whole, size)


def _row(what: str, rival: str, ours: float, theirs: float, also: str) -> Row:
    return Row(what, rival, "our time / its", at_most(10)).measured(ours / theirs, also=also)
