"""Cheap and expensive heuristics for ``benchmarks.end_to_end``: those of lense, plain Python on networkx, NetworKit."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from benchmarks.cover import plain_greedy
from benchmarks.measure import SEED
from lense.graph import Graph, to_scipy
from lense.graph.subgraph import kept_part
from lense.solving import solve


@dataclass(frozen=True)
class Case:
    """A heuristic: a problem with options, or a function on a graph of some type."""

    problem: str
    heuristic: str | Callable[..., Any] | None = None
    objective: Callable[[Any, Any], float] | None = None
    graph_type: str = "graph"
    options: dict[str, Any] = field(default_factory=dict)

    def solve(self, graph: Any, budget: int, prune: bool | None) -> Any:
        return solve(
            graph,
            self.problem,
            budget,
            self.heuristic,
            self.objective,
            prune=prune,
            certify=False,
            seed=SEED,
            graph_type=self.graph_type,
            **self.options,
        )


def plain_celf(graph: Any, budget: int) -> list[Any]:
    """Max vertex cover by lazy greedy on a networkx graph: a gain is looked at again only if it is the largest."""
    chosen: set[Any] = set()
    gains = [(-degree, i, node) for i, (node, degree) in enumerate(graph.degree())]
    heapq.heapify(gains)
    order: list[Any] = []
    while len(order) < budget:
        _, i, node = heapq.heappop(gains)
        gain = sum(1 for neighbour in graph[node] if neighbour not in chosen)
        if not gains or -gain <= gains[0][0]:
            chosen.add(node)
            order.append(node)
        else:
            heapq.heappush(gains, (-gain, i, node))
    return order


def plain_naive(graph: Any, budget: int) -> list[Any]:
    """The textbook greedy without any bookkeeping: every gain is counted again at every step."""
    chosen: dict[Any, None] = {}
    for _ in range(budget):
        left = (node for node in graph if node not in chosen)
        chosen[max(left, key=lambda node: sum(1 for other in graph[node] if other not in chosen))] = None
    return list(chosen)


def plain_candidates(graph: Any, budget: int, candidates: list[Any]) -> list[Any]:
    """:func:`plain_naive` among the candidates alone."""
    chosen: dict[Any, None] = {}
    for _ in range(budget):
        left = (node for node in candidates if node not in chosen)
        chosen[max(left, key=lambda node: sum(1 for other in graph[node] if other not in chosen))] = None
    return list(chosen)


def simulated_celf(graph: Any, budget: int, simulations: int = 10) -> list[Any]:
    """CELF for im on a networkx graph, each spread the mean of simulated cascades in plain Python."""
    rng = Random(SEED)
    rows = {u: [(v, float(data["weight"])) for v, data in row.items()] for u, row in graph.adjacency()}

    def spread(seeds: list[Any]) -> float:
        reached = 0
        for _ in range(simulations):
            seen, waiting = set(seeds), list(seeds)
            while waiting:
                for other, chance in rows[waiting.pop()]:
                    if other not in seen and rng.random() < chance:
                        seen.add(other)
                        waiting.append(other)
            reached += len(seen)
        return reached / simulations

    order: list[Any] = []
    known = 0.0
    gains = [(-spread([node]), i, node, 0) for i, node in enumerate(rows)]
    heapq.heapify(gains)
    while len(order) < budget and gains:
        gain, i, node, looked_at = heapq.heappop(gains)
        if looked_at == len(order):
            order.append(node)
            known -= gain
        else:
            heapq.heappush(gains, (known - spread([*order, node]), i, node, len(order)))
    return order


def group_degree(graph: Graph, budget: int) -> list[int]:
    """NetworKit's GroupDegree, which counts the neighbours of a group."""
    import networkit as nk

    found = nk.centrality.GroupDegree(_networkit(graph), budget)
    return list(found.run().groupMaxDegree())


def group_closeness(graph: Graph, budget: int) -> list[int]:
    """NetworKit's GroupCloseness on the largest component, since it is for connected graphs."""
    import networkit as nk
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(to_scipy(graph), directed=False)
    largest = np.flatnonzero(component == np.bincount(component).argmax())
    connected = kept_part(graph, largest).graph
    found = nk.centrality.GroupCloseness(_networkit(connected), min(budget, largest.size - 1))
    return largest[list(found.run().groupMaxCloseness())].tolist()  # type: ignore[no-any-return]


def closeness(graph: Graph, vertices: Any) -> float:
    """Vertices for each step to the group: n / sum of the distances."""
    import networkit as nk

    return float(nk.centrality.GroupCloseness(_networkit(graph), len(vertices)).scoreOfGroup(list(vertices)))


def _networkit(graph: Graph) -> Any:
    import networkit as nk

    nk.setNumberOfThreads(1)  # on shared cores its threads wait for each other, a thousand times as long as they work
    sources, targets, _ = graph.edges()
    return nk.GraphFromCoo((sources.astype(np.uint64), targets.astype(np.uint64)), graph.num_vertices)


CASES = {
    "greedy": Case("mvc"),
    "local-search": Case("bmc"),
    "domination": Case("domination"),
    "degree-discount": Case("im", "degree-discount"),
    "imm-0.5": Case("im"),
    "imm-0.1": Case("im", options={"epsilon": 0.1}),
    "opim-c": Case("im", "opim-c"),
    "celf": Case("im", "celf", options={"worlds": 100}),
    "mvc-mip-5": Case("mvc", "mip", options={"gap": 0.05}),
    "mvc-mip-1": Case("mvc", "mip", options={"gap": 0.01}),
    "bmc-mip-5": Case("bmc", "mip", options={"gap": 0.05}),
    "bmc-mip-1": Case("bmc", "mip", options={"gap": 0.01}),
    "plain-greedy": Case("mvc", plain_greedy, graph_type="networkx"),
    "plain-naive": Case("mvc", plain_naive, graph_type="networkx"),
    "plain-candidates": Case("mvc", plain_candidates, graph_type="networkx"),
    "plain-celf": Case("mvc", plain_celf, graph_type="networkx"),
    "simulated-celf": Case("im", simulated_celf, graph_type="networkx", options={"worlds": 1000}),
    "group-degree": Case("domination", group_degree),
    "group-closeness": Case("own", group_closeness, closeness),
}
"""By name; IMM at 0.1 and mip take hours on the largest graphs."""
