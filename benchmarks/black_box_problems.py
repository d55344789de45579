"""Problems that lense does not know: a slow heuristic as a competent user writes it, an objective, and graphs.

One class is one problem. ``heuristic`` and ``objective`` are the two functions that the user gives to ``lense.solve``;
a heuristic with an argument ``candidates`` accepts the vertices to choose from. Budgets are such that a heuristic takes
about 3 to 30 s of CPU time on each of its graphs.

``DEVELOP`` and ``TEST`` were chosen before any result was seen. Tune on ``DEVELOP`` alone.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import ceil, sqrt
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import eigsh, splu

from benchmarks.black_box_graphs import Instance, Vertices, ball, random_weights, read
from benchmarks.measure import SEED


@dataclass(frozen=True)
class Cell:
    """A graph, a budget, and for a large graph the number of vertices of the ball that stands for it.

    The ball has the first ``ball`` vertices in breadth-first order from a vertex of the largest connected component,
    which the seed draws.
    """

    graph: str
    budget: int
    ball: int | None = None


class BlackBox:
    """One problem. ``attributes`` and ``weigh`` add what the files lack, drawn from the seed."""

    cells: ClassVar[tuple[Cell, ...]]
    kind: ClassVar[str] = "networkx"
    directed: ClassVar[bool] = False
    connected: ClassVar[bool] = False
    """Whether the problem needs a connected graph: it gets the largest component."""
    minimise: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {}
    """More arguments of ``lense.solve``: ``costs`` and ``valid``."""
    heuristic: ClassVar[Any]
    """``f(graph, budget)`` or ``f(graph, budget, candidates)``, which returns vertices."""
    objective: ClassVar[Any]
    """``g(graph, vertices)``, which returns a number."""

    @classmethod
    def weigh(cls, matrix: Any, rng: np.random.Generator) -> Any:
        """The matrix with weights, or None for a problem without them."""
        return None

    @classmethod
    def attributes(cls, matrix: Any, rng: np.random.Generator) -> dict[str, Any]:
        """What the vertices have."""
        return {}

    @classmethod
    def instance(cls, cell: Cell) -> Instance:
        """The graph of a cell."""
        rng = np.random.default_rng(SEED)
        matrix = read(cell.graph, cls.directed)
        if cls.connected or cell.ball:
            matrix = ball(matrix, cell.ball, rng)
        weights = cls.weigh(matrix, rng)
        attributes = cls.attributes(matrix, rng)
        return Instance(cls.kind, matrix if weights is None else weights, cls.directed, weights is not None, attributes)


def naive_greedy(
    candidates: Iterable[Any], budget: int, gain: Callable[[Any], float], choose: Callable[[Any], None]
) -> list[Any]:
    """Choose the vertex of the largest gain, again and again, as textbooks have it."""
    left = dict.fromkeys(candidates)
    chosen: list[Any] = []
    while left and len(chosen) < budget:
        best = max(left, key=gain)
        del left[best]
        choose(best)
        chosen.append(best)
    return chosen


def lazy_greedy(
    candidates: Iterable[Any], budget: int, gain: Callable[[Any], float], choose: Callable[[Any], None]
) -> list[Any]:
    """As :func:`naive_greedy` for gains that only shrink: a gain is counted again only when it leads."""
    heap = [(-gain(vertex), rank, vertex) for rank, vertex in enumerate(candidates)]
    heapify(heap)
    chosen: list[Any] = []
    while heap and len(chosen) < budget:
        _, rank, vertex = heappop(heap)
        entry = (-gain(vertex), rank, vertex)
        if heap and entry[:2] > heap[0][:2]:
            heappush(heap, entry)
            continue
        choose(vertex)
        chosen.append(vertex)
    return chosen


def matrix_greedy(values: Any, budget: int) -> list[int]:
    """Rows of a matrix whose column-wise maximum has the largest sum, chosen one by one."""
    best = np.zeros(values.shape[1], values.dtype)
    chosen: list[Any] = []
    for _ in range(min(budget, values.shape[0])):
        totals = np.array([np.maximum(row, best).sum() for row in values])
        totals[chosen] = -np.inf
        chosen.append(int(totals.argmax()))
        best = np.maximum(best, values[chosen[-1]])
    return chosen


class GroupCloseness(BlackBox):
    """Be near to everybody: the sum of 1 / (1 + hops) from each vertex to the nearest chosen one."""

    kind = "igraph"
    cells = (Cell("facebook", 60), Cell("power-grid", 60))

    @staticmethod
    def heuristic(graph: Any, budget: int, candidates: Vertices | None = None) -> Vertices:
        pool = range(graph.vcount()) if candidates is None else candidates
        near = np.array([1 / (1 + np.array(graph.distances(one)[0], np.float32)) for one in pool], np.float32)
        return [pool[i] for i in matrix_greedy(near, budget)]

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        hops = np.array(graph.distances(list(vertices)), float).min(axis=0)
        return float((1 / (1 + hops)).sum())


class Dismantling(BlackBox):
    """Break the graph up: the largest component that is left, by betweenness that is computed again eight times."""

    kind = "igraph"
    minimise = True
    cells = (Cell("power-grid", 40), Cell("openflights", 150))

    @staticmethod
    def heuristic(graph: Any, budget: int) -> Vertices:
        left = graph.copy()
        chosen: list[Any] = []
        left.vs["number"] = list(range(left.vcount()))
        while len(chosen) < min(budget, graph.vcount()):
            size = min(ceil(budget / 8), budget - len(chosen))
            top = np.argsort(-np.array(left.betweenness()), kind="stable")[:size].tolist()
            chosen += left.vs[top]["number"]
            left.delete_vertices(top)
        return chosen

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        left = graph.copy()
        left.delete_vertices(list(vertices))
        return float(max(left.connected_components().sizes(), default=0))


class Immunization(BlackBox):
    """Raise the epidemic threshold: how far the largest eigenvalue falls."""

    kind = "scipy"
    cells = (Cell("as-caida20071105", 300), Cell("ca-CondMat", 300))

    @staticmethod
    def heuristic(graph: Any, budget: int) -> Vertices:
        left = graph.astype(float)
        chosen: list[Any] = []
        for _ in range(min(budget, graph.shape[0] - 2)):
            share = np.abs(Immunization.leading(left)[1])
            share[chosen] = -1
            chosen.append(int(share.argmax()))
            left = without(graph, chosen)
        return chosen

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        return Immunization.leading(graph)[0] - Immunization.leading(without(graph, vertices))[0]

    @staticmethod
    def leading(matrix: Any) -> tuple[float, Any]:
        """The largest eigenvalue and its vector."""
        if not matrix.nnz:
            return 0.0, np.zeros(matrix.shape[0])
        values, vectors = eigsh(matrix.astype(float), k=1, which="LA", v0=np.ones(matrix.shape[0]), tol=1e-4)
        return float(values[0]), vectors[:, 0]


def without(matrix: Any, vertices: Vertices) -> Any:
    """The matrix without the edges of these vertices."""
    keep = np.ones(matrix.shape[0])
    keep[list(vertices)] = 0
    diagonal = sparse.diags_array(keep)
    left = (diagonal @ matrix @ diagonal).tocsr()
    left.eliminate_zeros()
    return left


class KMedian(BlackBox):
    """Place depots on roads: the total distance from each vertex to the nearest chosen one, in metres."""

    kind = "scipy"
    minimise = True
    connected = True
    cells = (Cell("dimacs9-NY", 30, 8_000), Cell("road-riga", 60, 5_000))

    @classmethod
    def weigh(cls, matrix: Any, rng: np.random.Generator) -> Any:
        return random_weights(matrix, lambda m: rng.uniform(50, 500, m))

    @staticmethod
    def heuristic(graph: Any, budget: int, candidates: Vertices | None = None) -> Vertices:
        pool = list(range(graph.shape[0])) if candidates is None else list(candidates)
        metres = csgraph.dijkstra(graph, directed=False, indices=pool).astype(np.float32)
        longest = metres[np.isfinite(metres)].max(initial=1)
        metres[~np.isfinite(metres)] = 2 * longest
        return [pool[i] for i in matrix_greedy(2 * longest - metres, budget)]

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        metres = csgraph.dijkstra(graph, directed=False, indices=list(vertices), min_only=True)
        return float(metres.sum())


class Contagion(BlackBox):
    """Start a fashion that spreads to whoever sees it in half of the neighbours: how many follow in the end."""

    cells = (Cell("ca-HepTh", 150), Cell("as-caida20071105", 40))

    @staticmethod
    def heuristic(graph: nx.Graph, budget: int, candidates: Vertices | None = None) -> Vertices:
        need = {vertex: ceil(degree / 2) for vertex, degree in graph.degree()}
        active: set[Hashable] = set()
        support: Counter[Hashable] = Counter()

        def followers(seed: Hashable) -> set[Hashable]:
            new, more, queue = {seed} - active, Counter[Hashable](), deque({seed} - active)
            while queue:
                for other in graph[queue.popleft()]:
                    if other not in active and other not in new:
                        more[other] += 1
                        if support[other] + more[other] >= need[other]:
                            new.add(other)
                            queue.append(other)
            return new

        def choose(seed: Hashable) -> None:
            new = followers(seed)
            active.update(new)
            for vertex in new:
                support.update(list(graph[vertex]))

        pool = graph if candidates is None else candidates
        return naive_greedy(pool, budget, lambda vertex: len(followers(vertex)), choose)

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        active, queue = set(vertices), deque(vertices)
        seen: Counter[Hashable] = Counter()
        while queue:
            for other in graph[queue.popleft()]:
                seen[other] += 1
                if other not in active and 2 * seen[other] >= graph.degree(other):
                    active.add(other)
                    queue.append(other)
        return float(len(active))


def within(graph: nx.Graph, vertex: Hashable, hops: int) -> set[Hashable]:
    """The vertices that are at most so many hops away."""
    found, border = {vertex}, {vertex}
    for _ in range(hops):
        border = {other for one in border for other in graph[one]} - found
        found |= border
    return found


class TwoHopDomination(BlackBox):
    """Reach as many vertices as possible within two hops."""

    cells = (Cell("cit-HepPh", 100), Cell("deezer", 200))

    @staticmethod
    def heuristic(graph: nx.Graph, budget: int, candidates: Vertices | None = None) -> Vertices:
        covered: set[Hashable] = set()
        return lazy_greedy(
            graph if candidates is None else candidates,
            budget,
            lambda vertex: len(within(graph, vertex, 2) - covered),
            lambda vertex: covered.update(within(graph, vertex, 2)),
        )

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        return float(len(set().union(*(within(graph, vertex, 2) for vertex in vertices))))


class GroupBetweenness(BlackBox):
    """Watch traffic: the share of pairs all of whose shortest paths pass a chosen vertex."""

    kind = "igraph"
    cells = (Cell("ca-CondMat", 50), Cell("dimacs9-NY", 30, 40_000))

    @staticmethod
    def heuristic(graph: Any, budget: int) -> Vertices:
        rng = np.random.default_rng(SEED)
        left = graph.copy()
        chosen: list[Any] = []
        while len(chosen) < min(budget, graph.vcount()):
            size = min(ceil(budget / 6), budget - len(chosen))
            sources = rng.choice(graph.vcount(), min(400, graph.vcount()), replace=False).tolist()
            flow = np.array(left.betweenness(sources=sources))
            flow[chosen] = -1
            chosen += np.argsort(-flow, kind="stable")[:size].tolist()
            left = graph.copy()
            left.delete_edges(left.es.select(_incident=chosen))
        return chosen

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        rng = np.random.default_rng(SEED + 1)
        ends = [rng.permutation(graph.vcount())[:60].tolist() for _ in range(2)]
        left = graph.copy()
        left.delete_edges(left.es.select(_incident=list(vertices)))
        before, after = (np.array(one.distances(*ends)) for one in (graph, left))
        return float((after > before).sum() / max((np.isfinite(before) & (before > 0)).sum(), 1))


class DirectedReach(BlackBox):
    """Reach as many vertices as possible along at most three arcs."""

    kind = "scipy"
    directed = True
    cells = (Cell("wiki", 600), Cell("p2p-Gnutella31", 1200))

    @staticmethod
    def heuristic(graph: Any, budget: int, candidates: Vertices | None = None) -> Vertices:
        pool = np.arange(graph.shape[0]) if candidates is None else np.array(candidates)
        reached = sparse.eye_array(graph.shape[0], format="csr", dtype=np.float32)[pool]
        for _ in range(3):
            reached = reached + reached @ graph.astype(np.float32)
            reached.data[:] = 1
        left = np.ones(graph.shape[0], np.float32)
        chosen: list[Any] = []
        for _ in range(min(budget, pool.size)):
            gains = reached @ left
            gains[chosen] = -1
            chosen.append(int(gains.argmax()))
            left[reached.indices[reached.indptr[chosen[-1]] : reached.indptr[chosen[-1] + 1]]] = 0
        return pool[chosen].tolist()

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        reached = np.zeros(graph.shape[0])
        reached[list(vertices)] = 1
        for _ in range(3):
            reached = np.minimum(reached + graph.T @ reached, 1)
        return float(np.count_nonzero(reached))


class KnapsackCover(BlackBox):
    """Cover vertices of different value by vertices of different cost, at most the budget in all."""

    options: ClassVar[dict[str, Any]] = {"costs": "cost"}
    cells = (Cell("facebook", 1500), Cell("ca-CondMat", 200))

    @classmethod
    def attributes(cls, matrix: Any, rng: np.random.Generator) -> dict[str, Any]:
        n = matrix.shape[0]
        return {"cost": rng.integers(1, 11, n), "value": rng.lognormal(0, 1, n)}

    @staticmethod
    def heuristic(graph: nx.Graph, budget: float) -> Vertices:
        cost, value = dict(graph.nodes("cost")), dict(graph.nodes("value"))
        covered, done = set[Hashable](), set[Hashable]()
        chosen: list[Hashable] = []

        def worth(vertex: Hashable) -> float:
            new = sum(value[other] for other in graph[vertex] if other not in covered)
            return float((new + (0 if vertex in covered else value[vertex])) / cost[vertex])

        while pool := [vertex for vertex in graph if cost[vertex] <= budget and vertex not in done]:
            chosen.append(max(pool, key=worth))
            done.add(chosen[-1])
            budget -= cost[chosen[-1]]
            covered.update(graph[chosen[-1]], [chosen[-1]])
        return chosen

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        covered = set(vertices).union(*(graph[vertex] for vertex in vertices))
        return float(sum(graph.nodes[vertex]["value"] for vertex in covered))


class WeightedCover(BlackBox):
    """Cover the edges of most weight, in a table."""

    kind = "pandas"
    cells = (Cell("BioGrid-Homo-Sapiens", 500), Cell("deezer-RO", 500))

    @classmethod
    def weigh(cls, matrix: Any, rng: np.random.Generator) -> Any:
        return random_weights(matrix, lambda m: rng.lognormal(0, 2, m))

    @staticmethod
    def heuristic(edges: pd.DataFrame, budget: int) -> Vertices:
        chosen: list[Any] = []
        while len(edges) and len(chosen) < budget:
            one, other = (edges.groupby(end)["weight"].sum() for end in ("source", "target"))
            chosen.append(one.add(other, fill_value=0).idxmax())
            edges = edges[(edges["source"] != chosen[-1]) & (edges["target"] != chosen[-1])]
        return chosen

    @staticmethod
    def objective(edges: pd.DataFrame, vertices: Vertices) -> float:
        covered = edges["source"].isin(vertices) | edges["target"].isin(vertices)
        return float(edges["weight"][covered].sum())


class DensestSubgraph(BlackBox):
    """Find a team: the number of edges among the chosen, by peeling six times (Greedy++) and then swapping."""

    cells = (Cell("cit-HepPh", 100), Cell("BioGrid-Homo-Sapiens", 100))

    @staticmethod
    def heuristic(graph: nx.Graph, budget: int, candidates: Vertices | None = None) -> Vertices:
        pool = graph if candidates is None else graph.subgraph(candidates)
        near = {vertex: set(pool[vertex]) for vertex in pool}
        load = dict.fromkeys(near, 0)
        teams = [DensestSubgraph.swapped(near, DensestSubgraph.peeled(near, load, budget)) for _ in range(6)]
        return max(teams, key=lambda team: sum(len(near[vertex] & set(team)) for vertex in team))

    @staticmethod
    def peeled(near: dict[Hashable, set[Hashable]], load: dict[Hashable, int], budget: int) -> set[Hashable]:
        """What is left once the vertices of least degree are gone; those that left late leave later the next time."""
        left = {vertex: len(others) + load[vertex] for vertex, others in near.items()}
        heap = [(degree, rank, vertex) for rank, (vertex, degree) in enumerate(left.items())]
        heapify(heap)
        while len(left) > budget:
            degree, rank, vertex = heappop(heap)
            if left.get(vertex) != degree:
                continue
            load[vertex] = left.pop(vertex)
            for other in near[vertex]:
                if other in left:
                    left[other] -= 1
                    heappush(heap, (left[other], rank, other))
        load.update(left)
        return set(left)

    @staticmethod
    def swapped(near: dict[Hashable, set[Hashable]], chosen: set[Hashable]) -> list[Hashable]:
        """The team with its worst member replaced as long as somebody outside knows more of it."""
        inside = Counter(other for vertex in chosen for other in near[vertex])
        while outside := [vertex for vertex in inside if vertex not in chosen]:
            worst = min(chosen, key=lambda vertex: inside[vertex])
            best = max(outside, key=lambda vertex: inside[vertex] - (vertex in near[worst]))
            if inside[best] - (best in near[worst]) <= inside[worst]:
                break
            chosen = chosen ^ {worst, best}
            inside.subtract(near[worst])
            inside.update(near[best])
        return list(chosen)

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        chosen = set(vertices)
        return sum(other in chosen for vertex in chosen for other in graph[vertex]) / 2


def core_of(graph: nx.Graph, k: int, anchors: Collection[Hashable]) -> dict[Hashable, int]:
    """The k-core if the anchors never leave, and the round in which each other vertex leaves."""
    degree, rounds = dict(graph.degree()), dict[Hashable, int]()
    leaving, turn = [v for v, d in degree.items() if d < k and v not in anchors], 0
    while leaving:
        turn += 1
        rounds.update(dict.fromkeys(leaving, turn))
        touched = [other for vertex in leaving for other in graph[vertex] if other not in rounds]
        for other in touched:
            degree[other] -= 1
        leaving = [v for v in dict.fromkeys(touched) if degree[v] < k and v not in anchors]
    return rounds


class AnchoredCore(BlackBox):
    """Keep users engaged: the size of the 3-core if the chosen vertices never leave."""

    cells = (Cell("power-grid", 100), Cell("com-amazon", 100, 20_000))

    @staticmethod
    def heuristic(graph: nx.Graph, budget: int) -> Vertices:
        chosen: list[Hashable] = []
        for _ in range(min(budget, len(graph))):
            rounds = core_of(graph, 3, set(chosen))
            left = [vertex for vertex in graph if vertex not in chosen]
            chosen.append(
                max(left, key=lambda vertex: len(AnchoredCore.followers(graph, vertex, rounds) & rounds.keys()))
            )
        return chosen

    @staticmethod
    def followers(graph: nx.Graph, anchor: Hashable, rounds: dict[Hashable, int]) -> set[Hashable]:
        """Vertices that stay if the anchor does: on paths from it whose vertices leave in later and later rounds."""
        found, queue = {anchor}, [anchor]
        while queue:
            vertex = queue.pop()
            for other in graph[vertex]:
                if other not in found and rounds.get(other, 0) > (rounds.get(vertex, 0) if vertex != anchor else 1):
                    found.add(other)
                    queue.append(other)
        queue = list(found - {anchor})
        while queue:
            vertex = queue.pop()
            stays = sum(other in found or other not in rounds for other in graph[vertex])
            if vertex in found and stays < 3:
                found.discard(vertex)
                queue += [other for other in graph[vertex] if other in found and other != anchor]
        return found

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        return float(len(graph) - len(core_of(graph, 3, set(vertices))))


class Resistance(BlackBox):
    """Choose leaders: the trace of the inverse of the Laplacian without their rows and columns."""

    kind = "scipy"
    minimise = True
    connected = True
    cells = (Cell("openflights", 100), Cell("ca-HepTh", 60, 4_500))

    @staticmethod
    def heuristic(graph: Any, budget: int) -> Vertices:
        n = graph.shape[0]
        if csgraph.connected_components(graph, directed=False)[0] > 1:
            raise ValueError("the graph is not connected")
        laplacian = Resistance.laplacian(graph).toarray()
        inverse = np.linalg.inv(laplacian + 1 / n) - 1 / n
        first = int(np.diag(inverse).argmin())
        column = inverse[:, first]
        inverse = inverse - column[:, None] - column[None] + column[first]
        chosen = [first]
        while len(chosen) < min(budget, n):
            diagonal = np.diag(inverse).copy()
            diagonal[chosen] = np.inf
            best = int((np.square(inverse).sum(axis=0) / diagonal).argmax())
            inverse -= np.outer(inverse[:, best], inverse[best] / inverse[best, best])
            inverse[chosen], inverse[:, chosen] = 0, 0
            chosen.append(best)
        return chosen

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        n = graph.shape[0]
        left = np.setdiff1d(np.arange(n), list(vertices))
        grounded = Resistance.laplacian(graph)[left][:, left].tocsc()
        signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (n, 50))[left]  # Hutchinson's estimate of the trace
        return float(
            (signs * splu(grounded, "MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(signs)).sum()
            / signs.shape[1]
        )

    @staticmethod
    def laplacian(graph: Any) -> Any:
        """The degrees on the diagonal, minus the matrix."""
        return (sparse.diags_array(np.asarray(graph.sum(axis=1)).ravel()) - graph).tocsr()


class IndependentCover(BlackBox):
    """Dominate as many vertices as possible by vertices of which no two are adjacent."""

    cells = (Cell("ca-CondMat", 200), Cell("as-caida20071105", 200))

    @staticmethod
    def heuristic(graph: nx.Graph, budget: int) -> Vertices:
        covered: set[Hashable] = set()
        chosen: list[Hashable] = []
        while len(chosen) < budget:
            pool = [vertex for vertex in graph if vertex not in covered]  # whatever is covered is chosen or adjacent
            if not pool:
                break
            chosen.append(max(pool, key=lambda vertex: sum(other not in covered for other in graph[vertex])))
            covered.update(graph[chosen[-1]], [chosen[-1]])
        return chosen

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        return float(len(set(vertices).union(*(graph[vertex] for vertex in vertices))))

    @staticmethod
    def valid(graph: nx.Graph, vertices: Vertices) -> bool:
        """Whether no two are adjacent."""
        chosen = set(vertices)
        return not any(other in chosen for vertex in vertices for other in graph[vertex])

    options: ClassVar[dict[str, Any]] = {"valid": valid}


class AttributeLocation(BlackBox):
    """Represent everybody: the sum of each vertex's similarity to the most similar chosen one."""

    kind = "pyg"
    cells = (Cell("facebook", 200), Cell("power-grid", 200))

    @classmethod
    def attributes(cls, matrix: Any, rng: np.random.Generator) -> dict[str, Any]:
        features = rng.normal(size=(matrix.shape[0], 16))
        mean = sparse.diags_array(1 / np.maximum(matrix.sum(axis=1).A1, 1)) @ matrix
        for _ in range(3):
            features = features + mean @ features  # neighbours are alike
        return {"x": (features / np.linalg.norm(features, axis=1, keepdims=True)).astype(np.float32)}

    @staticmethod
    def heuristic(data: Any, budget: int, candidates: Vertices | None = None) -> Vertices:
        features = data.x.numpy()
        pool = np.arange(len(features)) if candidates is None else np.array(candidates)
        return pool[matrix_greedy(np.maximum(features[pool] @ features.T, 0), budget)].tolist()

    @staticmethod
    def objective(data: Any, vertices: Vertices) -> float:
        features = data.x.numpy()
        return float(np.maximum(features[list(vertices)] @ features.T, 0).max(axis=0).sum())


class TriangleCover(BlackBox):
    """Touch as many triangles as possible."""

    kind = "scipy"
    cells = (Cell("facebook", 100), Cell("ca-CondMat", 100))

    @staticmethod
    def heuristic(graph: Any, budget: int) -> Vertices:
        left = graph.astype(np.float32)
        chosen: list[Any] = []
        for _ in range(min(budget, graph.shape[0])):
            count = np.asarray((left @ left).multiply(left).sum(axis=1)).ravel()
            count[chosen] = -1
            chosen.append(int(count.argmax()))
            left = without(graph, chosen).astype(np.float32)
        return chosen

    @staticmethod
    def objective(graph: Any, vertices: Vertices) -> float:
        every, left = graph.astype(float), without(graph, vertices).astype(float)
        return float(((every @ every).multiply(every).sum() - (left @ left).multiply(left).sum()) / 6)


class WalkAbsorption(BlackBox):
    """Catch random walkers: the share that meets a chosen vertex within eight steps."""

    kind = "array"
    cells = (Cell("as-caida20071105", 40), Cell("com-amazon", 100, 20_000))

    @staticmethod
    def heuristic(edges: Any, budget: int, candidates: Vertices | None = None) -> Vertices:
        ids, matrix = WalkAbsorption.matrix(edges)
        rng = np.random.default_rng(SEED)
        n, degree = ids.size, np.diff(matrix.indptr)
        walks = np.empty((9, 15 * n), np.int64)
        walks[0] = np.tile(np.arange(n), 15)
        for at, after in pairwise(walks):
            after[:] = matrix.indices[matrix.indptr[at] + (rng.random(at.size) * degree[at]).astype(int)]
        met = np.unique(walks + n * np.arange(15 * n))
        walk, vertex = met // n, met % n
        alive = np.isin(vertex, np.searchsorted(ids, ids if candidates is None else candidates))
        chosen: list[Any] = []
        while len(chosen) < budget and alive.any():
            walk, vertex = walk[alive], vertex[alive]
            chosen.append(int(np.bincount(vertex).argmax()))
            alive = ~np.isin(walk, walk[vertex == chosen[-1]])
        return ids[chosen].tolist()

    @staticmethod
    def objective(edges: Any, vertices: Vertices) -> float:
        ids, matrix = WalkAbsorption.matrix(edges)
        step = (sparse.diags_array(1 / matrix.sum(axis=1)) @ matrix).T
        walking = np.full(ids.size, 1 / ids.size)
        stops = np.searchsorted(ids, list(vertices))
        for _ in range(8):
            walking[stops] = 0
            walking = step @ walking
        walking[stops] = 0
        return float(1 - walking.sum())

    @staticmethod
    def matrix(edges: Any) -> tuple[Any, Any]:
        """The ids, sorted, and the symmetric matrix."""
        ids, numbers = np.unique(edges, return_inverse=True)
        ends = numbers.reshape(edges.shape).T
        half = sparse.coo_array((np.ones(len(edges)), tuple(ends)), shape=(ids.size, ids.size))
        return ids, (half + half.T).tocsr()


class BalancedCover(BlackBox):
    """Dominate every district alike: the sum of the square roots of how many are dominated in each."""

    cells = (Cell("deezer-RO", 40), Cell("facebook", 200))

    @classmethod
    def attributes(cls, matrix: Any, rng: np.random.Generator) -> dict[str, Any]:
        centres = rng.choice(matrix.shape[0], 40, replace=False)
        hops, _, nearest = csgraph.dijkstra(
            matrix, directed=False, unweighted=True, indices=centres, min_only=True, return_predecessors=True
        )
        return {"district": np.where(np.isfinite(hops), nearest, -1)}

    @staticmethod
    def heuristic(graph: nx.Graph, budget: int, candidates: Vertices | None = None) -> Vertices:
        district = dict(graph.nodes("district"))
        covered: set[Hashable] = set()
        size: Counter[Any] = Counter()

        def new(vertex: Hashable) -> list[Hashable]:
            return [other for other in (vertex, *graph[vertex]) if other not in covered]

        def gain(vertex: Hashable) -> float:
            more = Counter([district[other] for other in new(vertex)])
            return sum(sqrt(size[key] + count) - sqrt(size[key]) for key, count in more.items())

        def choose(vertex: Hashable) -> None:
            size.update([district[other] for other in new(vertex)])
            covered.update(new(vertex))

        return naive_greedy(graph if candidates is None else candidates, budget, gain, choose)

    @staticmethod
    def objective(graph: nx.Graph, vertices: Vertices) -> float:
        covered = set(vertices).union(*(graph[vertex] for vertex in vertices))
        return sum(map(sqrt, Counter(graph.nodes[vertex]["district"] for vertex in covered).values()))


DEVELOP: tuple[type[BlackBox], ...] = (
    GroupCloseness,
    Dismantling,
    Contagion,
    TwoHopDomination,
    KnapsackCover,
    DensestSubgraph,
    AnchoredCore,
    Resistance,
    IndependentCover,
)
TEST: tuple[type[BlackBox], ...] = (
    Immunization,
    KMedian,
    GroupBetweenness,
    DirectedReach,
    WeightedCover,
    AttributeLocation,
    TriangleCover,
    WalkAbsorption,
    BalancedCover,
)
