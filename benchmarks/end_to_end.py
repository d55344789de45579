"""The whole graph against prune and solve: times and scores of cheap and expensive heuristics, in one run.

``python -m benchmarks.end_to_end --graphs facebook wiki --heuristics greedy mip-5 plain-greedy``

Each measurement has a process of its own, which ends at the time limit. The time is that of ``lense.solve`` on a graph
in memory, without the certificate: estimates, pruning, the heuristic and the score. Kernels are compiled before.
"""

import argparse
import heapq
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.cover import plain_greedy
from benchmarks.measure import SEED
from lense.graph import Graph, open_graph, power_law, to_networkx, to_scipy
from lense.parts.subgraph import kept_part
from lense.solving import solve

BUDGET = 100
LIMIT = 600.0
HEADINGS = ("graph", "heuristic", "whole", "default", "times as fast", "ratio", "what the default did")
WIDTHS = (12, 15, 10, 10, 14, 7, 0)


@dataclass(frozen=True)
class Case:
    """A heuristic: a problem with options, or a function on a graph of some type."""

    problem: str
    heuristic: str | Callable[[Any, int], Any] | None = None
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
    "plain-celf": Case("mvc", plain_celf, graph_type="networkx"),
    "group-degree": Case("domination", group_degree),
    "group-closeness": Case("own", group_closeness, closeness),
}
"""By name; IMM at 0.1 and mip take hours on the largest graphs."""


def measured(graph: str, name: str, budget: int, prune: bool | None) -> dict[str, Any]:
    """Seconds and score of one way to solve, in this process."""
    case = CASES[name]
    arcs = case.problem == "im"
    theirs: Any = open_graph(graph, arcs=arcs)
    small = power_law(300, 6, 2.3, np.random.default_rng(SEED))
    if case.graph_type == "networkx":
        theirs, small = to_networkx(theirs.as_undirected()), to_networkx(small)
    for way in (True, False):
        case.solve(small, 5, way)  # compiles
    begun = perf_counter()
    found = case.solve(theirs, budget, prune)
    return {"seconds": perf_counter() - begun, "score": found.score, "reason": found.reason}


def within(limit: float, *arguments: Any) -> dict[str, Any] | None:
    """What :func:`measured` returns in a process of its own, or None where it passes the limit."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=_answer, args=(answers, arguments))
    process.start()
    try:
        found: dict[str, Any] = answers.get(timeout=limit)
    except Empty:
        return None
    finally:
        process.kill()
        process.join()
    if "error" in found:
        raise RuntimeError(found["error"])
    return found


def _answer(answers: Any, arguments: tuple[Any, ...]) -> None:
    try:
        answers.put(measured(*arguments))
    except Exception as error:
        answers.put({"error": f"{type(error).__name__}: {error}"})


def rows(graphs: Sequence[str], heuristics: Sequence[str], budget: int, limit: float) -> Iterator[tuple[str, ...]]:
    """One row of ``HEADINGS`` for each graph and heuristic."""
    for graph in graphs:
        for name in heuristics:
            default, whole = (within(limit, graph, name, budget, prune) for prune in (None, False))
            yield cells(graph, name, default, whole, limit)


def cells(
    graph: str, name: str, default: dict[str, Any] | None, whole: dict[str, Any] | None, limit: float
) -> tuple[str, ...]:
    """A row; a side that passed the limit has no score, and its time is at least the limit."""
    times = [limit if side is None else side["seconds"] for side in (whole, default)]
    shown = [f"{'> ' if side is None else ''}{time:.3g} s" for side, time in zip((whole, default), times, strict=True)]
    ratio = "" if default is None or whole is None else f"{default['score'] / whole['score']:.4f}"
    faster = "" if default is None else f"{'> ' if whole is None else ''}{times[0] / times[1]:.3g}"
    return graph, name, *shown, faster, ratio, "" if default is None else default["reason"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.end_to_end", description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=["facebook", "wiki", "deezer"], help="files, or names of graphs")
    parser.add_argument("--heuristics", nargs="+", default=list(CASES), choices=list(CASES), metavar="NAME")
    parser.add_argument("--budget", type=int, default=BUDGET)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each measurement")
    given = parser.parse_args(arguments)
    _print(HEADINGS)
    for row in rows(given.graphs, given.heuristics, given.budget, given.limit):
        _print(row)
    return 0


def _print(row: tuple[str, ...]) -> None:
    print("  ".join(cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True)).rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
