"""Random graphs for tests, demonstrations and studies of scale.

Each generator draws from a ``numpy.random.Generator``, which seeds the streams of :mod:`lense._util.random_streams`.
What a row or an edge draws depends on the seed and on its own number alone, never on the thread that drew it.
"""

import math
from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from lense._util.jit import kernel
from lense._util.options import converted
from lense._util.progress import progress
from lense._util.random_streams import GOLDEN, mix, seed_from, substream, uniform
from lense._util.threads import map_chunks
from lense._util.types import Float64s, Int32s
from lense.errors import LenseError, choose
from lense.graph.csr import Graph
from lense.graph.labels import MAX_VERTICES

T = TypeVar("T")
Rng = np.random.Generator
Rows = tuple[Int32s, Int32s]
"""Degrees of consecutive rows of an adjacency matrix, and their column numbers one row after the other."""

ROWS_PER_TASK = 1 << 14
EDGES_PER_TASK = 1 << 20
MOST_EDGES = 1 << 36


@kernel
def _skip(state: np.uint64, p: float) -> float:
    """How many pairs to pass over before one that is joined, when each is joined with probability ``p``."""
    return math.log(uniform(mix(state))) / math.log1p(-p) if p < 1.0 else 0.0


@kernel
def _append(buffer: Int32s, size: int, value: int) -> Int32s:
    """``buffer`` with ``value`` at ``size``, moved to one twice as long when it is full."""
    if size == buffer.size:
        longer = np.empty(2 * size, np.int32)
        longer[:size] = buffer
        buffer = longer
    buffer[size] = value
    return buffer


@kernel
def _attach_preferentially(n: int, m: int, seed: np.uint64) -> tuple[Int32s, Int32s]:
    """Sources and targets of the m (n - m) edges of a Barabasi-Albert graph that starts from a star."""
    ends = np.empty(2 * m * (n - m), np.int32)
    for leaf in range(m):
        ends[2 * leaf], ends[2 * leaf + 1] = m, leaf
    chosen_by = np.full(n, -1, np.int32)
    written = 2 * m
    state = seed
    for newcomer in range(m + 1, n):
        before = written
        while written < before + 2 * m:
            state += GOLDEN
            # a vertex stands in `ends` as often as it has edges
            target = ends[int(uniform(mix(state)) * before)]
            if chosen_by[target] != newcomer:
                chosen_by[target] = newcomer
                ends[written], ends[written + 1] = newcomer, target
                written += 2
    return ends[::2].copy(), ends[1::2].copy()


@kernel
def _chung_lu_rows(first: int, last: int, seed: np.uint64, weights: Float64s) -> Rows:
    """Rows ``first`` to ``last - 1`` of the upper triangle, where p(u, v) = min(1, weights[u] * weights[v]).

    ``weights`` fall, and so does the probability along a row: a skip drawn with the probability p at hand
    lands on a candidate, which is kept with q / p, q being its own probability (Miller and Hagberg, 2011).
    """
    n = weights.size
    degrees = np.zeros(last - first, np.int32)
    targets = np.empty(1024, np.int32)
    size = 0
    for u in range(first, last):
        state = substream(seed, u)
        v = u + 1
        p = min(1.0, weights[u] * weights[v]) if v < n else 0.0
        while v < n and p > 0.0:
            state += GOLDEN
            skip = _skip(state, p)
            if skip >= n - v:
                break
            v += int(skip)
            q = min(1.0, weights[u] * weights[v])
            state += GOLDEN
            if uniform(mix(state)) * p < q:
                targets = _append(targets, size, v)
                size += 1
                degrees[u - first] += 1
            p = q
            v += 1
    return degrees, targets[:size].copy()


@kernel
def _community_rows(
    first: int, last: int, seed: np.uint64, n: int, communities: int, p_in: float, p_out: float
) -> Rows:
    """Rows ``first`` to ``last - 1`` of the upper triangle; two vertices of one community join with ``p_in``.

    Community c holds the vertices u with u * communities // n = c, so that a row is a stretch at ``p_in`` and
    then one at ``p_out``.
    """
    degrees = np.zeros(last - first, np.int32)
    targets = np.empty(1024, np.int32)
    size = 0
    for u in range(first, last):
        state = substream(seed, u)
        community_end = -(-(u * communities // n + 1) * n // communities)
        for begin, end, p in ((u + 1, community_end, p_in), (community_end, n, p_out)):
            v = begin
            while v < end and p > 0.0:
                state += GOLDEN
                skip = _skip(state, p)
                if skip >= end - v:
                    break
                v += int(skip)
                targets = _append(targets, size, v)
                size += 1
                degrees[u - first] += 1
                v += 1
    return degrees, targets[:size].copy()


@kernel
def draw_rmat(
    first: int, count: int, seed: np.uint64, scale: int, a: float, b: float, c: float
) -> tuple[Int32s, Int32s]:
    """Sources and targets of the edges from number ``first`` on, which depend on the seed and their number alone."""
    sources, targets = np.empty(count, np.int32), np.empty(count, np.int32)
    ab, abc = a + b, a + b + c
    for e in range(count):
        state = seed + np.uint64(first + e) * np.uint64(scale) * GOLDEN
        u = v = 0
        for _ in range(scale):
            state += GOLDEN
            r = uniform(mix(state))
            # sums of comparisons, since a branch here is guessed wrong half of the time
            u = 2 * u + (r >= ab)
            v = 2 * v + (r >= a) - (r >= ab) + (r >= abc)
        sources[e], targets[e] = u, v
    return sources, targets


def barabasi_albert(n: int, m: int, rng: Rng) -> Graph:
    """Draw a graph that grows by preferential attachment, undirected.

    Growth starts from a star of m + 1 vertices; every further vertex joins ``m`` different earlier ones, each
    drawn with a probability proportional to its degree.

    Parameters
    ----------
    n
        The number of vertices.
    m
        How many edges each new vertex brings; the graph has m (n - m).
    rng
        The source of randomness.
    """
    _check_vertices(n)
    if not 1 <= m < n:
        raise LenseError(f"Each new vertex can join 1 to {n - 1} others, so m cannot be {m}.")
    with progress("Growing the graph"):
        sources, targets = _attach_preferentially(n, m, seed_from(rng))
        return Graph.from_edges(sources, targets, num_vertices=n)


def power_law(n: int, average_degree: float, exponent: float, rng: Rng) -> Graph:
    """Draw a Chung-Lu graph whose expected degrees follow a power law, undirected, in time linear in its size.

    Vertices u != v are joined with probability w_u w_v / W, where W = n * ``average_degree`` is the sum of
    the weights, so that u has w_u (1 - w_u / W) neighbours on average. The weights fall from vertex 0 on:
    they are the quantiles of a Pareto law with density proportional to w^-``exponent``, cut at sqrt(W), so
    that no probability exceeds one.

    Parameters
    ----------
    n
        The number of vertices.
    average_degree
        The mean expected degree.
    exponent
        Of the power law, above 2.
    rng
        The source of randomness.
    """
    _check_vertices(n)
    if not 0 < average_degree <= n - 1:
        raise LenseError(f"The average degree on {n} vertices is above 0 and at most {n - 1}, so not {average_degree}.")
    if not 2 < exponent <= 1000:
        raise LenseError(f"The exponent of a power law must be above 2 and at most 1000, so not {exponent}.")
    weights = _power_law_weights(n, average_degree, exponent)
    scaled = weights / math.sqrt(n * average_degree)
    return _graph_from_rows(n, seed_from(rng), _chung_lu_rows, scaled)


def planted_communities(n: int, communities: int, degree_in: float, degree_out: float, rng: Rng) -> Graph:
    """Draw a planted partition: communities of equal size (but for one vertex), undirected.

    Pairs are joined independently. Vertex u is in community u * communities // n.

    Parameters
    ----------
    n
        The number of vertices.
    communities
        The number of communities.
    degree_in, degree_out
        The neighbours that a vertex has on average in its own community, and elsewhere.
    rng
        The source of randomness.
    """
    _check_vertices(n)
    if not 1 <= communities <= n:
        raise LenseError(f"There can be 1 to {n} communities on {n} vertices, not {communities}.")
    size = n / communities
    small, larger = divmod(n, communities)
    # those in a vertex's own community, averaged over the vertices
    inside = (larger * (small + 1) ** 2 + (communities - larger) * small**2) / n - 1
    p_in = _probability(degree_in, inside, f"inside a community of {size:g} vertices")
    p_out = _probability(degree_out, n - 1 - inside, f"outside a community of {size:g} vertices")
    return _graph_from_rows(n, seed_from(rng), _community_rows, n, communities, p_in, p_out)


def rmat(
    scale: int,
    num_edges: int,
    rng: Rng,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    directed: bool = True,
    drop_isolated: bool = False,
) -> Graph:
    """Draw an R-MAT graph (Chakrabarti, Zhan and Faloutsos, 2004), without noise.

    Each edge descends ``scale`` times into a quadrant of the adjacency matrix. Repeats and self-loops are then
    dropped, so that the graph has fewer edges than are drawn.

    Parameters
    ----------
    scale
        The binary logarithm of the number of vertices.
    num_edges
        How many edges to draw.
    rng
        The source of randomness.
    a, b, c
        The probabilities of the upper left, upper right and lower left quadrant.
    directed
        Whether edges have a direction.
    drop_isolated
        Whether to drop vertices without an edge; the others keep their numbers as labels.
    """
    check_rmat(scale, num_edges, a, b, c)
    seed = seed_from(rng)

    def draw(first: int) -> tuple[Int32s, Int32s]:
        return draw_rmat(first, min(EDGES_PER_TASK, num_edges - first), seed, scale, a, b, c)

    blocks = _run_in_threads(draw, num_edges, EDGES_PER_TASK)
    sources, targets = (np.concatenate(ends) for ends in zip(*blocks, strict=True))
    del blocks
    with progress("Sorting edges"):
        graph = Graph.from_edges(sources, targets, directed=directed, num_vertices=1 << scale)
        return graph.without_isolated() if drop_isolated else graph


def check_rmat(scale: int, num_edges: int, a: float, b: float, c: float) -> None:
    """Raise unless these are parameters of an R-MAT graph."""
    if not 1 <= scale <= 30:
        raise LenseError(f"The scale of an R-MAT graph, the binary logarithm of its vertices, is 1 to 30, not {scale}.")
    if not 1 <= num_edges <= MOST_EDGES:
        raise LenseError(f"An R-MAT graph is drawn from 1 to {MOST_EDGES:,} edges, not {num_edges:,}.")
    if not (min(a, b, c) >= 0 and a + b + c <= 1 + 1e-9):
        raise LenseError(
            f"The probabilities a, b and c must not be negative nor exceed 1 in sum, so not {a}, {b} and {c}."
        )


GENERATORS: Mapping[str, Callable[..., Graph]] = MappingProxyType(
    {
        "barabasi-albert": barabasi_albert,
        "power-law": power_law,
        "rmat": rmat,
        "planted-communities": planted_communities,
    }
)
"""The generators by the names that the command line gives them; all parameters but ``rng`` are the user's."""
EXAMPLES: Mapping[str, Mapping[str, tuple[str, int | float]]] = {
    "power-law": {"n": ("vertices", 20_000), "average_degree": ("average degree", 12.0), "exponent": ("exponent", 2.3)},
    "barabasi-albert": {"n": ("vertices", 20_000), "m": ("edges of a new vertex", 6)},
    "planted-communities": {
        "n": ("vertices", 20_000),
        "communities": ("communities", 40),
        "degree_in": ("degree inside", 10.0),
        "degree_out": ("degree outside", 2.0),
    },
    "rmat": {"scale": ("log2 of the vertices", 14), "num_edges": ("edges to draw", 150_000)},
}
"""Of generators that the app offers: what each parameter is, and the value to start with."""


def make_graph(kind: str, settings: Mapping[str, Any], seed: int) -> Graph:
    """The graph that the generator called ``kind`` draws; values may be text."""
    arguments = generator_arguments(kind, settings)
    return GENERATORS[kind](**arguments, rng=np.random.default_rng(seed))


def generator_arguments(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """``settings`` as arguments of a generator; what is missing or unknown is named with what there is."""
    of_generator = signature(choose(kind, GENERATORS, "generator")).parameters.values()
    parameters = {one.name: one for one in of_generator if one.name != "rng"}
    if missing := [name for name, one in parameters.items() if one.default is one.empty and name not in settings]:
        raise LenseError(f"{kind} needs {' and '.join(f'--set {name}=…' for name in missing)}.")
    return {
        name: converted(name, value, choose(name, parameters, f"parameter of {kind}").annotation)
        for name, value in settings.items()
    }


def _check_vertices(n: int) -> None:
    if not 2 <= n <= MAX_VERTICES:
        raise LenseError(f"A generated graph has 2 to {MAX_VERTICES:,} vertices, not {n:,}.")


def _power_law_weights(n: int, average: float, exponent: float) -> Float64s:
    """The n mid-quantiles, falling, of a Pareto law on [low, sqrt(n * average)] whose mean is ``average``."""
    from scipy.optimize import brentq

    k = exponent - 1.0
    high = math.sqrt(n * average)

    def excess(low: float) -> float:
        log_ratio = math.log(low / high)
        mean = low * k / (k - 1.0) * math.expm1((k - 1.0) * log_ratio) / math.expm1(k * log_ratio)
        return mean - average

    # the mean is at least low, and at most what it is without the cut, low * k / (k - 1)
    low = float(brentq(excess, 0.5 * average * (k - 1.0) / k, average, xtol=1e-12 * average))
    survival = (np.arange(n) + 0.5) / n
    survival += (1.0 - survival) * (low / high) ** k
    weights = low * survival ** (-1.0 / k)
    weights *= n * average / weights.sum()
    return weights


def _probability(degree: float, others: float, where: str) -> float:
    if not 0 <= degree <= others:
        raise LenseError(f"A vertex has 0 to {others:g} neighbours {where} on average, so not {degree}.")
    return degree / others if degree else 0.0


def _graph_from_rows(n: int, seed: np.uint64, kernel: Callable[..., Rows], *parameters: object) -> Graph:
    """The undirected graph whose upper triangle ``kernel(first, last, seed, *parameters)`` draws."""

    def draw(first: int) -> Rows:
        return kernel(first, min(first + ROWS_PER_TASK, n), seed, *parameters)

    blocks = _run_in_threads(draw, n, ROWS_PER_TASK)
    degrees, targets = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    sources = np.repeat(np.arange(n, dtype=np.int32), degrees)
    with progress("Sorting edges"):
        return Graph.from_edges(sources, targets, num_vertices=n)


def _run_in_threads(task: Callable[[int], T], total: int, per_task: int) -> list[T]:
    """``task(first)`` for first = 0, per_task, ... below ``total``, results in that order."""
    results = []
    with progress("Drawing edges", total) as advance:
        for result in map_chunks(lambda _, first: task(first), range(0, total, per_task), lambda: None):
            results.append(result)
            advance(per_task)
    return results
