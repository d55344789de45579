"""What a vertex looks like to :class:`lense.Core`: its places in several rankings, all of them sums over edges."""

import numpy as np

from lense._util.types import AnyArray, Float64s, Int64s
from lense.graph import Graph
from lense.kernels.rows import Adjacency
from lense.problems import Problem
from lense.pruners.ranking import importance, largest

_DEEPEST = 20
"""Places beyond so many budgets count as the last one of these: what stands there is in no solution."""
NAMES = (
    "quick order",
    "importance",
    "incoming",
    "two hops",
    "neighbours' degree",
    "outside the largest",
    "from the largest",
    "shared neighbours",
)
"""One name for each feature."""


def places(problem: Problem, graph: Graph, budget: int) -> Float64s:
    """(n, 8): log(b / r), where r is the place of a vertex in each ranking of ``NAMES``, at most 20 b.

    A place in budgets means the same in a small and in a large graph, and for a small and a large budget. The first
    ranking is the problem's quick order. The others go by sums over the edges at v, with weights where they count:
    out-weight; in-weight; sum of w(v, u) times the out-weight of u; mean degree of the neighbours; out-weight that does
    not go to the b largest vertices; weight that comes from those; sum of w(v, u) / degree of u.
    """
    n = graph.num_vertices
    deepest = min(_DEEPEST * budget, n)
    found = np.empty((n, len(NAMES)))
    found[:, 0] = deepest
    order = problem.quick_order(graph, budget, min(4 * budget, n))
    found[order, 0] = np.arange(1, order.size + 1)
    for column, values in enumerate(_sums(problem, graph, budget), start=1):
        found[:, column] = _place(values, deepest)
    return np.log(budget / found)


def _sums(problem: Problem, graph: Graph, budget: int) -> list[Float64s]:
    out = graph.outgoing if problem.uses_direction else graph.incident
    into = graph.incoming if problem.uses_direction else graph.incident
    weighs = problem.uses_direction or problem.counts_weights
    one, degree = np.ones(graph.num_vertices), np.diff(graph.incident.indptr).astype(np.float64)
    worth = importance(problem, graph)
    is_large = np.zeros(graph.num_vertices)
    is_large[largest(worth, min(budget, graph.num_vertices))] = 1.0
    return [
        worth,
        _summed(into, one, weighs),
        _summed(out, worth, weighs),
        _summed(graph.incident, degree, False) / np.maximum(degree, 1),
        _summed(out, 1 - is_large, weighs),
        _summed(into, is_large, weighs),
        _summed(out, 1 / np.maximum(degree, 1), weighs),
    ]


def _summed(rows: Adjacency, values: Float64s, weighs: bool) -> Float64s:
    """(n): the sum of ``values`` (n) over the entries of each row, times their weights if those count."""
    from scipy.sparse import csr_array

    n = rows.indptr.size - 1
    counts = rows.weights if weighs and rows.weights is not None else np.ones(rows.indices.size, np.float32)
    return np.asarray(csr_array((counts, rows.indices, rows.indptr), shape=(n, n)) @ values, np.float64)


def _place(values: Float64s, deepest: int) -> AnyArray:
    """(n): how many values are at least as large as each, at most ``deepest``."""
    top = np.sort(np.partition(values, values.size - deepest)[values.size - deepest :])
    place: Int64s = np.full(values.size, deepest)
    within = np.flatnonzero(values >= top[0])
    place[within] = np.minimum(deepest, np.maximum(1, top.size - np.searchsorted(top, values[within])))
    return place
