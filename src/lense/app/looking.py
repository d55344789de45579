"""A graph as a task names it, and what it is."""

from typing import Any

import numpy as np

from lense.app.asking import GENERATED, Generated, Task
from lense.app.events import Events
from lense.graph import GENERATORS, Graph, open_graph

_POINTS = 60
_WHOLE = ("n", "m", "communities", "scale", "num_edges")


def opened(task: Task, *, arcs: bool = False) -> Graph:
    """The graph, read from its file or made; with ``arcs`` each line of a file is one arc."""
    graph = task.ask.graph
    if isinstance(graph, Generated):
        return generated(graph)
    return open_graph(task.source, arcs=arcs, **task.ask.reading.options())


def generated(graph: Generated) -> Graph:
    """The random graph of these settings."""
    return GENERATORS[graph.generator](**settings_of(graph), rng=np.random.default_rng(graph.seed))


def settings_of(graph: Generated) -> dict[str, float]:
    """All parameters of a generated graph, counts as whole numbers."""
    values = {**GENERATED[graph.generator], **graph.settings}
    return {name: round(value) if name in _WHOLE else value for name, value in values.items()}


def look(task: Task, events: Events) -> dict[str, Any]:
    """The size of the graph, and at most which share of its edges a part of so many roots has."""
    with events.stage("Reading the graph"):
        graph = opened(task)
    roots, shares = edge_shares(graph)
    return {
        "title": task.title,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "weighted": graph.weights is not None,
        "roots": roots,
        "shares": shares,
    }


def edge_shares(graph: Graph) -> tuple[list[int], list[float]]:
    """Numbers of roots up to n, and the share of the edges that as many vertices of largest degree have at most."""
    n, degrees = graph.num_vertices, np.diff(graph.incident.indptr)
    sums = np.cumsum(np.sort(degrees)[::-1])
    counts = np.unique(np.geomspace(1, max(n, 1), _POINTS).round().astype(np.int64))[: max(n, 1)]
    known = np.minimum(sums[np.minimum(counts, n) - 1] / max(graph.num_edges, 1), 1.0) if n else np.zeros(1)
    return counts.tolist(), np.round(known, 5).tolist()
