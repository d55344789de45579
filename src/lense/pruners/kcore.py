"""Keep the innermost vertices of the graph, those of largest core number."""

from typing import ClassVar

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.kernels.core import deepest_core
from lense.pruners.ranking import RankingPruner, importance, largest


class KCore(RankingPruner):
    """Keeps the vertices of largest core number, of equal ones those of largest degree or out-weight.

    The k-core is the largest part in which every vertex has k edges or more. A vertex has core number k if it is in the
    k-core but not in the (k + 1)-core. Edges count in both directions.
    """

    name: ClassVar[str] = "k-core"
    description: ClassVar[str] = "The innermost vertices."
    family: ClassVar[str] = "rule"

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        rows = graph.incident
        vertices, cores = deepest_core(rows.indptr, rows.indices, count)
        values = importance(self.problem_, graph)[vertices]
        last = np.partition(cores, cores.size - count)[cores.size - count]
        inside, edge = np.flatnonzero(cores > last), np.flatnonzero(cores == last)
        ordered: Int64s = inside[np.lexsort((-values[inside], -cores[inside]))]
        order = np.concatenate([ordered, edge[largest(values[edge], count - inside.size)]])
        kept: Int64s = vertices[order]
        return kept
