"""Generated graphs of many kinds: those with hubs, as the cores that ship learnt from, and others."""

from collections.abc import Callable

import numpy as np

from lense._util.types import AnyArray
from lense.graph import Graph, barabasi_albert, planted_communities, power_law, rmat, split

Rng = np.random.Generator
Make = Callable[[int, Rng], Graph]


def _joined(sources: AnyArray, targets: AnyArray, n: int) -> Graph:
    return Graph.from_edges(sources, targets, num_vertices=n).without_isolated()


def grid(n: int, rng: Rng) -> Graph:
    place = np.arange(int(n**0.5) ** 2).reshape(int(n**0.5), -1)
    sources = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    return _joined(sources, np.concatenate([place[:, 1:].ravel(), place[1:].ravel()]), place.size)


def roads(n: int, rng: Rng) -> Graph:
    """A grid of which a quarter of the edges are missing."""
    sources, targets, _ = grid(n, rng).edges()
    is_there = rng.random(sources.size) < 0.75
    return _joined(sources[is_there], targets[is_there], n)


def path(n: int, rng: Rng) -> Graph:
    return _joined(np.arange(n - 1), np.arange(1, n), n)


def star(n: int, rng: Rng) -> Graph:
    return _joined(np.zeros(n - 1, np.int64), np.arange(1, n), n)


def bipartite(n: int, rng: Rng) -> Graph:
    """All edges between two sets of the same size, about ten for each of ``n`` vertices."""
    half = int((10 * n) ** 0.5)
    return _joined(np.repeat(np.arange(half), half), np.tile(np.arange(half, 2 * half), half), 2 * half)


def near_regular(n: int, rng: Rng) -> Graph:
    """Eight edges at nearly each vertex: four random permutations."""
    sources, targets = (np.concatenate([rng.permutation(n) for _ in range(4)]) for _ in range(2))
    return _joined(sources, targets, n)


def dense(n: int, rng: Rng) -> Graph:
    """Each of all pairs with a chance of 0.3, about ten edges for each of ``n`` vertices."""
    few = int((10 * n / 0.15) ** 0.5)
    sources, targets = np.triu_indices(few, 1)
    is_there = rng.random(sources.size) < 0.3
    return _joined(sources[is_there], targets[is_there], few)


def near_points(n: int, rng: Rng) -> Graph:
    """Random points of a square, joined to those near them, eight in the mean."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(rng.random((n, 2))).query_pairs((8 / (np.pi * n)) ** 0.5, output_type="ndarray")
    return _joined(pairs[:, 0], pairs[:, 1], n)


def weighted(n: int, rng: Rng) -> Graph:
    """A graph with hubs whose weights are Pareto's with the exponent 1.2: the mean square has no bound."""
    graph = power_law(n, 6, 2.8, rng)
    sources, targets, _ = graph.edges()
    weights = (rng.pareto(1.2, sources.size) + 0.01).astype(np.float32)
    return Graph.from_edges(sources, targets, weights, num_vertices=n)


WITH_HUBS: dict[str, Make] = {
    "power law, steep": lambda n, rng: power_law(n, 6, 2.8, rng),
    "power law, flat": lambda n, rng: power_law(n, 10, 2.1, rng),
    "preferential attachment": lambda n, rng: barabasi_albert(n, 4, rng),
    "R-MAT": lambda n, rng: rmat(max(4, int(np.log2(n))), 6 * n, rng),
    "half of a power law": lambda n, rng: split(power_law(n, 12, 2.3, rng), 0.5, 0)[0],
}
COMMUNITIES: dict[str, Make] = {"communities": lambda n, rng: planted_communities(n, 20, 8.0, 2.0, rng)}
OTHERS: dict[str, Make] = {
    "grid": grid,
    "roads": roads,
    "path": path,
    "star": star,
    "complete bipartite": bipartite,
    "near-regular": near_regular,
    "dense random": dense,
    "near points": near_points,
    **COMMUNITIES,
}
HEAVY_WEIGHTS: dict[str, Make] = {"heavy-tailed weights": weighted}
