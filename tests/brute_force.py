"""What the covering and cutting kernels compute, by the definition and by trying everything."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from hypothesis import strategies as st

from lense.graph import Graph
from tests.strategies import graphs

Measure = Callable[[Graph, Iterable[int]], int]


def edge_list(graph: Graph) -> list[tuple[int, int]]:
    sources, targets, _ = graph.edges()
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


def covered(graph: Graph, vertices: Iterable[int]) -> int:
    """Edges with at least one end in the set."""
    chosen = set(vertices)
    return sum(u in chosen or v in chosen for u, v in edge_list(graph))


def cut(graph: Graph, vertices: Iterable[int]) -> int:
    """Edges with exactly one end in the set."""
    chosen = set(vertices)
    return sum((u in chosen) != (v in chosen) for u, v in edge_list(graph))


def optimum(graph: Graph, budget: int, measure: Measure, candidates: Iterable[int] | None = None) -> int:
    """The largest value of any ``budget`` vertices, or candidates."""
    everyone = range(graph.num_vertices) if candidates is None else candidates
    return max(measure(graph, chosen) for chosen in combinations(everyone, budget))


def is_greedy(graph: Graph, order: Sequence[int], candidates: Iterable[int], measure: Measure) -> bool:
    """Whether each vertex of ``order`` adds as much to those before it as any other candidate would."""
    left = set(candidates)
    for i, v in enumerate(order):
        best = max(measure(graph, [*order[:i], w]) for w in left)
        if measure(graph, [*order[:i], v]) != best:
            return False
        left.remove(v)
    return True


@st.composite
def graphs_with_budgets(draw: st.DrawFn, max_vertices: int = 7) -> tuple[Graph, int]:
    """A graph with at least one edge, self loops and parallel edges allowed, and a budget from 1 to n."""
    graph = draw(
        graphs(max_vertices=max_vertices, min_edges=1, max_edges=18, loops=True, duplicates=True, weighted=False)
    )
    return graph, draw(st.integers(1, graph.num_vertices))


@st.composite
def graphs_with_candidates(draw: st.DrawFn) -> tuple[Graph, int, list[int]]:
    """A graph and a budget as above, and candidates in rising order, which may be fewer than the budget."""
    graph, budget = draw(graphs_with_budgets())
    return graph, budget, sorted(draw(st.sets(st.integers(0, graph.num_vertices - 1), min_size=1)))
