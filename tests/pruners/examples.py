"""A graph and a problem that tests of several pruners share."""

from functools import cache

import numpy as np

from lense.graph import Graph
from lense.problems.bmc import BudgetedMaxCut

HUBS, LEAVES = 6, 12


@cache
def hubs_and_leaves() -> Graph:
    """A ring of hubs 0..5, each with leaves of its own, and three vertices without edges."""
    hubs = np.arange(HUBS)
    leaves = np.arange(HUBS, HUBS * (1 + LEAVES))
    return Graph.from_edges(
        np.append(hubs, np.repeat(hubs, LEAVES)),
        np.append(np.roll(hubs, 1), leaves),
        num_vertices=HUBS * (1 + LEAVES) + 3,
    )


class Hidden(BudgetedMaxCut):
    """Budgeted max-cut whose gains are not known; its objective is a whole number, so gains by difference are exact."""

    def gains(self, graph: Graph, budget: float) -> None:  # type: ignore[override]
        return None
