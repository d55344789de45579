"""A proven optimum by bounds beside one pass over the graph, and beside HiGHS on the whole graph."""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from benchmarks.cover import numpy_pass
from benchmarks.graphs import large_graph, paper_graph
from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_least, at_most
from lense.graph import Graph, graph_files, open_graph
from lense.problems import Problem, Solution, get_problem
from lense.problems.bounds import lossless_core
from lense.problems.exact import solve_exactly

BUDGET = 100
WHOLE_LIMIT = 60.0


def bounds(quick: bool) -> Iterator[Row]:
    """The lossless core of a large graph, and the optimum of Wiki."""
    at_hand = "web-Google" in graph_files() and not quick
    name = "web-Google" if at_hand else "generated"
    graph = open_graph("web-Google", directed=True).as_undirected() if at_hand else large_graph(100_000, SEED)
    for problem in ("mvc", "bmc"):
        yield _against_one_pass(graph, name, get_problem(problem), 3 if quick else 10)
    for problem in ("mvc", "bmc"):
        yield _against_highs(get_problem(problem), quick)


def exactly(problem: Problem, graph: Graph, budget: int) -> Solution:
    """The optimum by bounds and, where those leave anything, HiGHS."""
    return solve_exactly(problem, graph, budget, np.random.default_rng(SEED), time_limit=WHOLE_LIMIT)


def _against_one_pass(graph: Graph, name: str, problem: Problem, turns: int) -> Row:
    core = lossless_core(problem, graph, BUDGET)
    ours, theirs = best_times(turns, lambda: lossless_core(problem, graph, BUDGET), lambda: numpy_pass(graph))
    what = f"lossless core {problem.name}, {name}, b = {BUDGET}"
    row = Row(what, "one numpy pass over the CSR", "our time / its", at_most(30))
    return row.measured(ours / theirs, also=f"{core.live.size:,} left, {core.forced.size:,} forced")


def _against_highs(problem: Problem, quick: bool) -> Row:
    row = Row(
        f"optimum {problem.name}, wiki, b = {BUDGET}", "HiGHS on the whole graph", "its time / ours", at_least(10)
    )
    graph = paper_graph("wiki")
    if graph is None:
        return row
    limit = 5.0 if quick else WHOLE_LIMIT
    whole = get_problem(problem.name, solver="mip", gap=0.0, time_limit=limit)
    found = exactly(problem, graph, BUDGET)
    (ours,) = best_times(3, lambda: exactly(problem, graph, BUDGET))
    begin = perf_counter()
    rival = whole.solve(graph, BUDGET, np.random.default_rng(SEED), certify=False)
    theirs = perf_counter() - begin
    also = f"ours {'proven' if found.optimal else 'not proven'}, theirs {rival.details['status']}".lower()
    return row.measured(theirs / ours, comparable=found.optimal and found.score >= rival.score, also=also)
