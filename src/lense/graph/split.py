"""Random edges of a graph: a split into a train graph and a test graph, and samples."""

import numpy as np

from lense._util.options import check_seed
from lense._util.progress import progress
from lense._util.types import Bools
from lense.errors import LenseError
from lense.graph.csr import Graph


def split(graph: Graph, train_fraction: float, seed: int) -> tuple[Graph, Graph]:
    """Split the edges of a graph at random into a train graph and a test graph.

    Parameters
    ----------
    graph
        The graph.
    train_fraction
        The share of its edges to train on: round(``train_fraction`` * edges) of them.
    seed
        The seed of the draw.

    Returns
    -------
    tuple[Graph, Graph]
        The train graph and the test graph. Each has only the vertices that its edges touch, and keeps weights, labels,
        repeated edges and self-loops.

    Raises
    ------
    LenseError
        For a fraction that leaves a side without edges.

    Examples
    --------
    >>> import lense
    >>> lense.split(lense.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4]), 0.25, 0)
    (Graph(2 vertices, 1 edges, undirected), Graph(4 vertices, 3 edges, undirected))
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
    kept = None if weights is None else weights[chosen]
    return graph.with_edges(sources[chosen], targets[chosen], kept, graph.labels).without_isolated()


def edge_sample(graph: Graph, count: int, rng: np.random.Generator) -> Graph:
    """About ``count`` random edges of ``graph`` and the vertices they touch, found in time that depends on ``count``.

    An edge may be drawn twice and counts once then, so that there are a few less.
    """
    arcs = np.sort(rng.integers(graph.num_arcs, size=count))
    sources = np.searchsorted(graph.indptr, arcs, side="right") - 1
    ends = np.stack([sources, graph.indices[arcs]])
    used, numbers = np.unique(ends, return_inverse=True)
    u, v = numbers.reshape(2, -1)
    return Graph.from_edges(
        u,
        v,
        None if graph.weights is None else graph.weights[arcs],
        directed=graph.directed,
        labels=graph.labels[used],
        keep_self_loops=True,
    )
