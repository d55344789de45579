"""A random split of a graph's edges into a train graph and a test graph."""

import numpy as np

from lense._util.options import check_seed, takes_random_state
from lense._util.progress import progress
from lense._util.types import Bools
from lense.errors import LenseError
from lense.graph.csr import Graph


@takes_random_state
def split(graph: Graph, train_fraction: float, seed: int) -> tuple[Graph, Graph]:
    """Train and test graph: round(``train_fraction`` * edges) random edges of ``graph``, and all the others.

    Each side drops the vertices that none of its edges touches and keeps weights, labels, repeated edges and
    self loops. An undirected edge goes to one side whole.
    """
    if not 0 < train_fraction < 1:
        raise LenseError(f"The train fraction must lie between 0 and 1, not at {train_fraction}.")
    check_seed(seed)
    total = graph.num_edges
    num_train = round(train_fraction * total)
    if not 0 < num_train < total:
        raise LenseError(
            f"A train fraction of {train_fraction} puts {num_train:,} of {total:,} edges into the train "
            "graph, but each side needs at least one."
        )
    chosen = np.zeros(total, np.bool_)
    chosen[np.random.default_rng(seed).choice(total, num_train, replace=False, shuffle=False)] = True
    with progress("splitting the graph", 2) as advance:
        train = _with_edges(graph, chosen)
        advance(1)
        test = _with_edges(graph, ~chosen)
        advance(1)
    return train, test


def _with_edges(graph: Graph, chosen: Bools) -> Graph:
    """The graph of the ``chosen`` ones among ``graph.edges()`` and of the vertices they touch."""
    sources, targets, weights = graph.edges()
    return Graph.from_edges(
        sources[chosen],
        targets[chosen],
        None if weights is None else weights[chosen],
        directed=graph.directed,
        labels=graph.labels,
        keep_duplicates=True,
        keep_self_loops=True,
    ).without_isolated()
