"""Small random graphs and all their optima by brute force, fast enough for tens of thousands of them.

This is also a program: ``python -m tests.problems.small_graphs 50000`` tries so many graphs (``make fuzz``).
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from lense._util.types import Bools, Float64s
from lense.graph import Graph
from lense.problems import Problem, get_problem
from lense.problems.bounds import lossless_core
from lense.problems.edge_weights import edge_counts

Rng = np.random.Generator
KINDS = ("sparse", "dense", "cliques", "stars", "multi", "weighted", "whole weights", "directed")


def small_graph(rng: Rng, kind: str) -> Graph:
    """A graph of 2 to 9 vertices, some of them often isolated, with many ties unless it is weighted."""
    n = int(rng.integers(2, 10))
    count = int(rng.integers(1, {"sparse": n + 1, "stars": n + 1}.get(kind, 3 * n)))
    ends = rng.integers(0, n, (2, count))
    if kind == "stars":
        ends[0] = rng.integers(0, min(3, n), count)
    if kind == "cliques":
        groups = [rng.choice(n, int(rng.integers(2, min(n, 6) + 1)), replace=False) for _ in range(3)]
        ends = np.array([pair for group in groups for pair in combinations(group.tolist(), 2)]).T
    weights = None
    if kind == "weighted":
        scale = 10.0 ** int(rng.integers(-6, 7))
        weights = np.float32(scale) * rng.random(ends.shape[1], np.float32)
    elif kind == "whole weights":
        weights = rng.integers(0, 4, ends.shape[1]).astype(np.float32)
    many = kind in ("multi", "whole weights", "directed")
    return Graph.from_edges(
        ends[0],
        ends[1],
        weights,
        directed=kind == "directed",
        num_vertices=n,
        keep_duplicates=many,
        keep_self_loops=many,
    )


def all_values(graph: Graph, loss: int) -> tuple[Bools, Float64s]:
    """Every subset of the vertices (2^n, n) and what it covers (``loss`` 1) or cuts (2)."""
    n = graph.num_vertices
    inside = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    sources, targets, weights = graph.edges()
    counts = np.ones(sources.size) if weights is None else weights.astype(np.float64)
    one, other = inside[:, sources], inside[:, targets]
    return inside, ((one | other) if loss == 1 else (one != other)).astype(np.float64) @ counts


def violation(problem: Problem, graph: Graph, budget: int, rng: Rng, efforts: Sequence[float]) -> str:
    """What is wrong with the bounds of a graph, or "" if nothing is.

    With an effort of 0 there are intervals alone; with more there are all rules, from the heuristic's solution, from a
    poor one, and beyond that.
    """
    assert problem.pair_loss is not None
    inside, values = all_values(graph, problem.pair_loss)
    within = inside.sum(1) <= budget
    best = float(values[within].max())
    slack = 0.0 if edge_counts(graph).are_whole else 1e-12 * best
    optima = inside[within & (values >= best - slack)]
    known = rng.choice(graph.num_vertices, int(rng.integers(0, budget + 1)), replace=False)
    for effort in efforts:
        for start in (None, known) if effort else (None,):
            core = lossless_core(problem, graph, budget, start, effort=effort)
            decided: Bools = np.zeros(graph.num_vertices, np.bool_)
            decided[core.forced] = True
            if not optima[:, core.forced].all():
                return f"an optimum misses a forced vertex at effort {effort}"
            decided[core.live] = True
            if optima[:, ~decided].any():
                return f"an optimum holds a dropped vertex at effort {effort}"
            if core.upper_bound is not None and not core.upper_bound >= best * (1 - 1e-12):
                return f"the bound {core.upper_bound} is below the optimum {best}"
    if not any(efforts):
        return ""
    beyond = lossless_core(problem, graph, budget, known, beyond=True)
    assert beyond.upper_bound is not None
    equal = 1e-12 if edge_counts(graph).are_whole else 3e-9  # other sums must be better by more than a billionth
    if not beyond.upper_bound >= best * (1 - equal):
        return f"the bound {beyond.upper_bound} beyond a known solution is below the optimum {best}"
    if beyond.is_proven and not beyond.value >= best * (1 - equal):
        return f"{beyond.value} is said to be the optimum {best}"
    return ""


def violations(count: int, seed: int, efforts: Sequence[float] = (0.0, 50.0)) -> Iterator[str]:
    """What is wrong with ``count`` graphs of each kind, each with both problems and a budget drawn for each."""
    problems = [get_problem("mvc"), get_problem("bmc")]
    for number in range(count):
        for kind in KINDS:
            rng = np.random.default_rng([seed, number, KINDS.index(kind)])
            graph = small_graph(rng, kind)
            if graph.num_edges == 0:
                continue
            for problem in problems:
                budget = int(rng.integers(1, graph.num_vertices + 1))
                if fault := violation(problem, graph, budget, rng, efforts):
                    yield f"{problem.name}, {kind}, seed {[seed, number]}, budget {budget}: {fault}"


if __name__ == "__main__":
    wanted, first_seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    found = list(violations(-(-wanted // len(KINDS)), first_seed))
    print(f"{wanted:,} graphs, {len(found)} violations", *found[:20], sep="\n")
    sys.exit(bool(found))
