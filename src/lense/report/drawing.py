"""A drawing of a part of a graph: the solution in the middle, the other roots around it, their neighbours outside."""

import numpy as np
from scipy.sparse import csr_array

from lense._util.types import Float64s, Int64s
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.report.blocks import Block, rounded, section

ROLES = ("solution, root", "solution, no root", "root", "other")
MOST_VERTICES, MOST_EDGES = 1500, 4000
_RING_OF_ROLE = np.array([0, 0, 1, 2])
_GAP, _PRODUCTS = 0.07, 60


def drawing_section(graph: Graph, part: Subgraph, chosen: Int64s, what: str) -> Block:
    """The section that draws ``part``, which is ``what`` says, with the vertices of ``graph`` that were ``chosen``."""
    return section(
        "Pruned subgraph",
        drawing_block(graph, part, chosen),
        lead=f"{what}: innermost the vertices that the heuristic chooses there, then the other roots, and outermost "
        "their neighbours. Within its ring a vertex of larger degree lies nearer the middle.",
    )


def drawing_block(
    graph: Graph,
    part: Subgraph,
    chosen: Int64s,
    *,
    title: str = "",
    most_vertices: int = MOST_VERTICES,
    most_edges: int = MOST_EDGES,
) -> Block:
    """All of ``part``; where that is too much the solution, then roots, then others, those of largest degree first."""
    is_other, is_no_root = (np.isin(part.vertices, some, invert=True) for some in (chosen, part.roots))
    roles: Int64s = 2 * is_other + is_no_root
    here, whole = np.diff(part.graph.incident.indptr), np.diff(graph.incident.indptr)[part.vertices]
    drawn = np.sort(np.lexsort((-here, roles))[:most_vertices])
    places = np.full(part.vertices.size, -1, np.int64)
    places[drawn] = np.arange(drawn.size)
    ends = places[np.stack(part.graph.edges()[:2], axis=1)]
    edges = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    shown = edges[evenly(len(edges), most_edges)]
    sizes = f"{part.graph.num_vertices:,} vertices and {part.graph.num_edges:,} edges"
    which = "" if drawn.size == part.vertices.size else ", those of largest degree first,"
    is_whole = (drawn.size, len(shown)) == (part.graph.num_vertices, part.graph.num_edges)
    some = f"drawn are {drawn.size:,} vertices{which} and {len(shown):,} of the edges between them."
    return {
        "kind": "drawing",
        "title": title,
        "roles": list(ROLES),
        "points": rounded(layout(roles[drawn], here[drawn], edges)),
        "role": roles[drawn].tolist(),
        "id": part.graph.labels[drawn].astype(str).tolist(),
        "degree": whole[drawn].tolist(),
        "degree_here": here[drawn].tolist(),
        "edges": shown.tolist(),
        "caption": f"The subgraph has {sizes}; {'all are drawn.' if is_whole else some}",
    }


def evenly(size: int, most: int) -> Int64s:
    """At most so many of the numbers below ``size``, evenly spaced, the first and the last among them."""
    numbers: Int64s = np.linspace(0, size - 1, min(size, most)).round().astype(np.int64)
    return numbers


def layout(roles: Int64s, degrees: Int64s, edges: Int64s) -> Float64s:
    """Points (N, 2) in the unit disc: rings by role, and around them neighbours near one another."""
    angles, radii = np.zeros(roles.size), np.zeros(roles.size)
    around, ring = _around(roles.size, edges), _RING_OF_ROLE[roles]
    # where degrees are equal, chance decides who lies nearer the middle: their order would show as a pattern
    ties = np.random.default_rng(0).random(roles.size)
    # areas go by the roots of the numbers of vertices, so that few of them are still seen
    shares = np.sqrt(np.bincount(ring, minlength=len(ROLES)))
    inner = 0.0
    for band, outer in enumerate(np.sqrt(np.cumsum(shares) / shares.sum())):
        if (members := np.flatnonzero(ring == band)).size:
            inner = min(inner, outer)
            angles[members] = 2 * np.pi * (_ranks(around[members]) + 0.5) / members.size
            depth = (_ranks(ties[members] - degrees[members]) + 0.5) / members.size
            radii[members] = np.sqrt(inner**2 + (outer**2 - inner**2) * depth)
            inner = outer + _GAP
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _ranks(values: Float64s) -> Int64s:
    return np.argsort(np.argsort(values, kind="stable"))


def _around(size: int, edges: Int64s) -> Float64s:
    """An angle for each vertex (N): nearly the second and third eigenvector of the normalised adjacency matrix."""
    both = np.concatenate([edges, edges[:, ::-1]])
    degrees = np.maximum(np.bincount(both[:, 0], minlength=size), 1)
    scale = 1 / np.sqrt(degrees)
    matrix = csr_array((scale[both[:, 0]] * scale[both[:, 1]], (both[:, 0], both[:, 1])), shape=(size, size))
    first = np.sqrt(degrees / degrees.sum())
    vectors = np.random.default_rng(0).normal(size=(size, 2))
    for _ in range(_PRODUCTS):
        vectors = vectors + matrix @ vectors  # the eigenvalues nearest 1, not those nearest -1
        vectors -= first[:, None] * (first @ vectors)
        if size > 2:
            vectors = np.linalg.qr(vectors)[0]
    angles: Float64s = np.arctan2(vectors[:, 0], vectors[:, 1])
    return angles
