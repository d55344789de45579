"""The core as the page draws it: places, roles and edges, at most as many as a browser moves without stutter."""

from typing import Any

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.report.drawing import ROLES, layout, roles_of

MOST_VERTICES = 20_000
MOST_EDGES = 60_000
_DIGITS = 4


def picture(graph: Graph, part: Subgraph, chosen: Int64s) -> dict[str, Any]:
    """All of ``part``, or where that is too much the answer, then roots, then others, those of larger degree first."""
    roles = roles_of(part, chosen)
    here, whole = np.diff(part.graph.incident.indptr), np.diff(graph.incident.indptr)[part.vertices]
    drawn = np.sort(np.lexsort((-here, roles))[:MOST_VERTICES])
    places = np.full(part.vertices.size, -1, np.int64)
    places[drawn] = np.arange(drawn.size)
    sources, targets, _ = part.graph.edges()
    inside = (places[sources] >= 0) & (places[targets] >= 0) & (sources != targets)
    edges = np.stack([places[sources[inside]], places[targets[inside]]], axis=1)
    points = layout(roles[drawn], here[drawn], edges)
    step = -(-len(edges) // MOST_EDGES) if len(edges) else 1
    shown = edges[::step]
    return {
        "roles": list(ROLES),
        "x": np.round(points[:, 0], _DIGITS).tolist(),
        "y": np.round(points[:, 1], _DIGITS).tolist(),
        "role": roles[drawn].tolist(),
        "id": part.graph.labels[drawn].astype(str).tolist(),
        "degree": whole[drawn].tolist(),
        "edges": shown.ravel().tolist(),
        "caption": _caption(part, drawn.size, len(shown)),
    }


def _caption(part: Subgraph, vertices: int, edges: int) -> str:
    sizes = f"{part.graph.num_vertices:,} vertices and {part.graph.num_edges:,} edges"
    if vertices == part.graph.num_vertices and edges == part.graph.num_edges:
        return f"{sizes}, all drawn."
    return f"{sizes}; drawn are {vertices:,} vertices, those of largest degree first, and {edges:,} edges between them."
