"""The edges of a graph as Python lists, as a test states them."""

from typing import Any

from lense.graph import Graph


def edges_of(graph: Graph) -> list[tuple[Any, ...]]:
    """Each edge once, as (source, target), or (source, target, weight) where there are weights; sorted by vertex."""
    sources, targets, weights = graph.edges()
    columns = [graph.labels[sources].tolist(), graph.labels[targets].tolist()]
    columns += [] if weights is None else [weights.tolist()]
    return list(zip(*columns, strict=True))
