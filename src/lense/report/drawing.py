"""A drawing of a pruned subgraph: solution in the middle, the other roots around it, all other vertices outside."""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array

from lense._util.types import Float64s, Int64s
from lense.graph import Graph
from lense.graph.subgraph import Subgraph
from lense.problems import Problem
from lense.problems.parts import search_part
from lense.report.blocks import Block, rounded, section

MOST_ROOTS = 1000
MOST_OTHERS = 300
MOST_EDGES = 4000
ROLES = ("solution, root", "solution, no root", "root", "other")
_RING_OF_ROLE = np.array([0, 0, 1, 2])
_NUM_RINGS, _GAP = 3, 0.07
_MOST_DENSE, _PRODUCTS = 2000, 60


def drawing_block(problem: Problem, graph: Graph, part: Subgraph, budget: float, seed: list[int]) -> Block:
    """The section that draws ``part`` with what the heuristic chooses on it; ``seed`` is that of its random numbers."""
    found = search_part(problem, graph, part, budget, np.random.default_rng(seed))
    return drawing_section(graph, part, found.indices, "Where the walk drawn above ends")


def drawing_section(graph: Graph, part: Subgraph, chosen: Int64s, what: str) -> Block:
    """The section that draws ``part``, which is ``what`` says, with the vertices of ``graph`` that were ``chosen``."""
    roles = roles_of(part, chosen)
    drawn = _drawn(roles)
    places = np.full(part.vertices.size, -1, np.int64)
    places[drawn] = np.arange(drawn.size)
    sources, targets, _ = part.graph.edges()
    inside = (places[sources] >= 0) & (places[targets] >= 0)
    edges = np.stack([places[sources[inside]], places[targets[inside]]], axis=1)
    here, whole = np.diff(part.graph.incident.indptr), np.diff(graph.incident.indptr)
    points = layout(roles[drawn], here[drawn], edges)
    kept = _sample(np.arange(len(edges)), MOST_EDGES)
    block = {
        "kind": "drawing",
        "title": "",
        "roles": list(ROLES),
        "points": rounded(points),
        "role": roles[drawn].tolist(),
        "id": part.graph.labels[drawn].astype(str).tolist(),
        "degree": whole[part.vertices[drawn]].tolist(),
        "degree_here": here[drawn].tolist(),
        "edges": edges[kept].tolist(),
        "caption": _caption(part, roles, drawn, len(edges), kept.size),
    }
    return section(
        "Pruned subgraph",
        block,
        lead=f"{what}: innermost the vertices that the heuristic chooses there, then the other "
        "roots, and outermost their neighbours. Within its ring a vertex of larger degree lies nearer the middle.",
    )


def roles_of(part: Subgraph, solution: Int64s) -> Int64s:
    """Numbers of :data:`ROLES`, one for each vertex of the part."""
    is_root, is_chosen = np.isin(part.vertices, part.roots), np.isin(part.vertices, solution)
    roles: Int64s = np.where(is_chosen, np.where(is_root, 0, 1), np.where(is_root, 2, 3))
    return roles


def _drawn(roles: Int64s) -> Int64s:
    """The vertices to draw, in rising order: the solution, and of roots and others as many as can be seen apart."""
    return np.sort(
        np.concatenate(
            [
                np.flatnonzero(roles <= 1),
                _sample(np.flatnonzero(roles == 2), MOST_ROOTS),
                _sample(np.flatnonzero(roles == 3), MOST_OTHERS),
            ]
        )
    )


def _sample(numbers: Int64s, most: int) -> Int64s:
    """The numbers, or so many of them at random."""
    if numbers.size <= most:
        return numbers
    return np.sort(np.random.default_rng(0).choice(numbers, most, replace=False))


def layout(roles: Int64s, degrees: Int64s, edges: Int64s) -> Float64s:
    """Points (N, 2) in the unit disc: rings by role, and around them neighbours near one another."""
    angles, radii = np.zeros(roles.size), np.zeros(roles.size)
    around, ring = _around(roles.size, edges), _RING_OF_ROLE[roles]
    # where degrees are equal, chance decides who lies nearer the middle: their order would show as a pattern
    ties = np.random.default_rng(0).random(roles.size)
    for band, (inner, outer) in enumerate(_rings(np.bincount(ring, minlength=_NUM_RINGS))):
        members = np.flatnonzero(ring == band)
        angles[members] = 2 * np.pi * (_ranks(around[members]) + 0.5) / members.size
        depth = _ranks(ties[members] - degrees[members])
        radii[members] = np.sqrt(inner**2 + (outer**2 - inner**2) * (depth + 0.5) / members.size)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _rings(counts: Int64s) -> list[tuple[float, float]]:
    """Inner and outer radii: areas go by the roots of the ``counts`` (3), so that few vertices are still seen."""
    shares = np.cumsum(np.sqrt(counts)) / np.sqrt(counts).sum()
    outer = np.sqrt(shares)
    inner = np.where(counts > 0, np.append(0.0, outer[:-1]), outer)
    inner = np.where(inner > 0, np.minimum(inner + _GAP, outer), inner)
    return [*zip(inner.tolist(), outer.tolist(), strict=True)]


def _ranks(values: Float64s | Int64s) -> Int64s:
    ranks = np.empty(values.size, np.int64)
    ranks[np.argsort(values, kind="stable")] = np.arange(values.size)
    return ranks


def _around(size: int, edges: Int64s) -> Float64s:
    """An angle for each vertex (N), from the second and third eigenvector of the normalised adjacency matrix."""
    if size < 3:
        return np.zeros(size)
    if size > _MOST_DENSE:
        return _around_many(size, edges)
    matrix = np.zeros((size, size))
    matrix[edges[:, 0], edges[:, 1]] = matrix[edges[:, 1], edges[:, 0]] = 1.0
    scale = 1 / np.sqrt(np.maximum(matrix.sum(axis=1), 1.0))
    vectors = eigh(matrix * scale[:, None] * scale, subset_by_index=[size - 3, size - 2])[1]
    angles: Float64s = np.arctan2(vectors[:, 0], vectors[:, 1])
    return angles


def _around_many(size: int, edges: Int64s) -> Float64s:
    """As :func:`_around` for many vertices: nearly those eigenvectors, by a fixed number of sparse products."""
    both = np.concatenate([edges, edges[:, ::-1]])
    degrees = np.maximum(np.bincount(both[:, 0], minlength=size), 1)
    scale = 1 / np.sqrt(degrees)
    values = scale[both[:, 0]] * scale[both[:, 1]]
    matrix = csr_array((values, (both[:, 0], both[:, 1])), shape=(size, size))
    first = np.sqrt(degrees) / np.sqrt(degrees.sum())
    vectors = np.random.default_rng(0).normal(size=(size, 2))
    for _ in range(_PRODUCTS):
        vectors = vectors + matrix @ vectors  # the eigenvalues nearest 1, not those nearest -1
        vectors -= first[:, None] * (first @ vectors)
        vectors = np.linalg.qr(vectors)[0]
    angles: Float64s = np.arctan2(vectors[:, 0], vectors[:, 1])
    return angles


def _caption(part: Subgraph, roles: Int64s, drawn: Int64s, edges_between: int, edges_drawn: int) -> str:
    whole = f"The subgraph has {part.vertices.size:,} vertices and {part.graph.num_edges:,} edges"
    if drawn.size == part.vertices.size and edges_drawn == part.graph.num_edges:
        return f"{whole}; all are drawn."
    shown = np.bincount(roles[drawn], minlength=len(ROLES))
    there = np.bincount(roles, minlength=len(ROLES))
    counts = [
        f"{shown[0] + shown[1]:,} of the solution",
        f"{_of(shown[2], there[2])} other roots",
        f"{_of(shown[3], there[3])} other vertices",
    ]
    sampled = " (drawn at random)" if drawn.size < part.vertices.size else ""
    return f"{whole}; drawn are {', '.join(counts)}{sampled}, and {_of(edges_drawn, edges_between)} edges between them."


def _of(some: int, all_of_them: int) -> str:
    return f"all {some:,}" if some == all_of_them else f"{some:,} of {all_of_them:,}"
