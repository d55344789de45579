"""What the covering and cutting kernels compute, by the definition and by trying everything."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.bounds import LIVE, Pairs, gain_intervals, live_pairs
from tests.strategies import graphs

Measure = Callable[[Graph, Iterable[int]], float]
QUARTERS = st.integers(0, 12).map(lambda quarters: quarters / 4)
"""Weights whose sums know no rounding."""


def edge_list(graph: Graph) -> list[tuple[int, int]]:
    return [(u, v) for u, v, _ in weighted_edges(graph)]


def weighted_edges(graph: Graph) -> list[tuple[int, int, float]]:
    """(u, v, weight) of each edge, the weight being 1 where there are none."""
    sources, targets, weights = graph.edges()
    counts = [1] * sources.size if weights is None else weights.tolist()
    return list(zip(sources.tolist(), targets.tolist(), counts, strict=True))


def all_edges(graph: Graph) -> float:
    """What all edges count together, or 1 where that is nothing."""
    return sum(weight for _, _, weight in weighted_edges(graph)) or 1


def covered(graph: Graph, vertices: Iterable[int]) -> float:
    """Edges with at least one end in the set, or their weight."""
    chosen = set(vertices)
    return sum(weight for u, v, weight in weighted_edges(graph) if u in chosen or v in chosen)


def cut(graph: Graph, vertices: Iterable[int]) -> float:
    """Edges with exactly one end in the set, or their weight."""
    chosen = set(vertices)
    return sum(weight for u, v, weight in weighted_edges(graph) if (u in chosen) != (v in chosen))


def dominated(graph: Graph, vertices: Iterable[int]) -> float:
    """Vertices that are in the set or have an edge to one that is."""
    chosen = set(vertices)
    return len(chosen.union(*({u, v} for u, v in edge_list(graph) if u in chosen or v in chosen)))


def optimum(
    graph: Graph, budget: int, measure: Measure, candidates: Iterable[int] | None = None, forced: Collection[int] = ()
) -> float:
    """The largest value of at most ``budget`` vertices, or candidates, all ``forced`` among them."""
    everyone = set(range(graph.num_vertices) if candidates is None else candidates) - set(forced)
    sizes = range(budget - len(forced) + 1)
    return max(measure(graph, [*forced, *chosen]) for size in sizes for chosen in combinations(everyone, size))


def is_greedy(graph: Graph, order: Sequence[int], candidates: Iterable[int], measure: Measure) -> bool:
    """Whether each vertex of ``order`` adds as much to those before it as any other candidate would."""
    left = set(candidates)
    for i, v in enumerate(order):
        best = max(measure(graph, [*order[:i], w]) for w in left)
        if measure(graph, [*order[:i], v]) != best:
            return False
        left.remove(v)
    return True


def pairs_of(graph: Graph, loss: int = 2) -> Pairs:
    """The program on all vertices of a graph, of which some cover (``loss`` 1) or cut (2) most."""
    rows, everyone, state = graph.incident, np.arange(graph.num_vertices), np.full(graph.num_vertices, LIVE)
    profit = gain_intervals(rows, state, everyone, 1, loss)[1]
    program: Pairs = live_pairs(rows, state, everyone, profit, loss)
    return program


@st.composite
def graphs_with_budgets(
    draw: st.DrawFn, max_vertices: int = 7, weighted: bool | None = None, weights: st.SearchStrategy[float] = QUARTERS
) -> tuple[Graph, int]:
    """A graph with at least one edge, self loops and parallel edges allowed, and a budget from 1 to n.

    Its edges have weights or not, unless that is said.
    """
    graph = draw(
        graphs(
            max_vertices=max_vertices,
            min_edges=1,
            max_edges=18,
            loops=True,
            duplicates=True,
            weighted=weighted,
            weights=weights,
        )
    )
    return graph, draw(st.integers(1, graph.num_vertices))


@st.composite
def graphs_with_candidates(draw: st.DrawFn, weighted: bool | None = None) -> tuple[Graph, int, list[int]]:
    """A graph and a budget as above, and candidates in rising order, which may be fewer than the budget."""
    graph, budget = draw(graphs_with_budgets(weighted=weighted))
    return graph, budget, sorted(draw(st.sets(st.integers(0, graph.num_vertices - 1), min_size=1)))
