"""What work on a graph takes of time and memory, measured on a sample of it: reading, solving, certifying, learning."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

import numpy as np

from lense._util.measuring import PeakMemory, Stopwatch
from lense.errors import LenseError
from lense.graph import Graph, power_law, read_graph, write_graph
from lense.graph.split import edge_sample
from lense.problems import Problem

_SAMPLE = 100_000
"""Edges that costs are measured on."""
_LONG = 5.0
"""Seconds of a first run, compiling left out, after which it is not done again."""
_RUNS_TO_LEARN = 18
"""Of the heuristic, on halves of a graph, to learn a core."""
Result = TypeVar("Result")


class Cost(NamedTuple):
    """Seconds, and bytes beyond what was held before; None where it is not known."""

    seconds: float
    bytes: int | None = None


def stand_in(vertices: int, edges: int, seed: int = 0, most: float = _SAMPLE) -> Graph:
    """Generate a graph with as many edges for each vertex, and a power law for degrees, as many large graphs have."""
    if not vertices >= 2 or not edges >= 1:
        raise LenseError("An estimate needs at least two vertices and one edge: correct vertices= and edges=.")
    share = min(1.0, most / edges)
    size = max(2, round(share * vertices))
    return power_law(size, min(2 * edges / vertices, size - 1), 2.3, np.random.default_rng(seed))


def measured_costs(
    problem: Problem, graph: Graph, budget: float, size: tuple[int, int] | None = None, *, seed: int = 0
) -> dict[str, Cost]:
    """What it takes to hold, read, solve and certify a prepared ``graph``, and to learn a core from it.

    A random sample of at most 100,000 edges is solved and certified, and what that takes is multiplied by how many
    times as many edges there are; ``size`` is that of a larger graph for which ``graph`` stands. Where the problem
    knows what its heuristic takes, that counts. For one that is slower than linear the estimate is too low.
    """
    vertices, edges = (graph.num_vertices, graph.num_edges) if size is None else size
    few = graph.num_edges > _SAMPLE
    sample = edge_sample(graph, _SAMPLE, np.random.default_rng([seed, 0x45])) if few else graph
    times = edges / max(sample.num_edges, 1)
    spent = budget if problem.checked_costs(sample) is not None else max(1, min(int(budget), sample.num_vertices))
    rng = np.random.default_rng(seed)
    reading = _reading(vertices, edges, seed)
    found, solving = _measured(lambda: problem.solve(sample, spent, rng, certify=False), times)
    if few and size is None and (known := problem.seconds(graph, budget)) is not None:
        solving = solving._replace(seconds=known)
    _, certifying = _measured(lambda: problem.certify(sample, found, rng), times)
    held = Cost(0.0, round(graph.nbytes * edges / max(graph.num_edges, 1)))
    learning = Cost(_RUNS_TO_LEARN * solving.seconds / 2, solving.bytes)
    return {"hold": held, "read": reading, "solve": solving, "certify": certifying, "learn core": learning}


def _reading(vertices: int, edges: int, seed: int) -> Cost:
    """By a generated file, large enough that opening it takes a small part of the time."""
    made = stand_in(vertices, edges, seed, 8 * _SAMPLE)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sample.txt"
        write_graph(made, path)
        return _measured(lambda: read_graph(path), edges / made.num_edges)[1]


def _measured(work: Callable[[], Result], times: float) -> tuple[Result, Cost]:
    """What the work returns, and its cost for ``times`` as much; quick work is done once before, to compile."""
    with Stopwatch() as watch:
        result = work()
    if watch.seconds >= _LONG:
        return result, Cost(watch.seconds * times)
    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    return result, Cost(watch.seconds * times, None if peak.bytes is None else round(peak.bytes * times))
