"""What reading, solving, certifying and learning take of time and memory, by doing so with a part of the graph."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import numpy as np

from lense._util.environment import has_learn
from lense._util.measuring import PeakMemory, Stopwatch
from lense._util.options import takes_random_state
from lense.errors import LenseError
from lense.graph import Graph, power_law, read_graph, write_graph
from lense.graph.sample import edge_sample
from lense.problems import Problem

_SAMPLE = 100_000
_EXPONENT = 2.3
_CORE_RUNS = 18
_LARGER = 8
_LONG = 5.0
"""Seconds of a first run, compiling left out, after which it is not done again."""
Result = TypeVar("Result")


class Cost(NamedTuple):
    """Seconds, and bytes beyond what was held before; None where it is not known."""

    seconds: float
    bytes: int | None = None


@dataclass(frozen=True)
class Estimate:
    """What a graph of so many ``vertices`` and ``edges`` takes, in proportion to a sample of ``sampled`` edges.

    ``graph_bytes`` is what it holds in memory. ``costs`` are those of "read", "solve", "certify" and "learn core", and
    where the extra ``learn`` is installed, of "learn lense" and "learn lense, quick".
    """

    vertices: int
    edges: int
    sampled: int
    graph_bytes: int
    costs: dict[str, Cost]

    def as_dict(self) -> dict[str, Any]:
        """In types that JSON knows."""
        return {
            "vertices": self.vertices,
            "edges": self.edges,
            "sampled_edges": self.sampled,
            "graph_bytes": self.graph_bytes,
            "costs": {name: cost._asdict() for name, cost in self.costs.items()},
        }


def stand_in(vertices: int, edges: int, seed: int = 0, most: int = _SAMPLE) -> Graph:
    """A generated graph with as many edges for each vertex, and a power law for degrees, as many large graphs have."""
    if not vertices >= 2 or not edges >= 1:
        raise LenseError("An estimate needs at least two vertices and one edge: correct --vertices and --edges.")
    share = min(1.0, most / edges)
    size = max(2, round(share * vertices))
    degree = min(2 * edges / vertices, size - 1)
    return power_law(size, degree, _EXPONENT, np.random.default_rng(seed))


@takes_random_state
def estimate(
    problem: Problem,
    graph: Graph,
    budget: float,
    *,
    vertices: int | None = None,
    edges: int | None = None,
    seed: int = 0,
) -> Estimate:
    """What ``graph`` takes, or one like it that has so many ``vertices`` and ``edges``.

    A random sample of at most 100,000 edges is solved and certified, and what that takes is multiplied by how many
    times as many edges there are. Where the problem knows what its heuristic takes on ``graph`` itself, that counts, as
    in ``lense advise``. Reading goes by what a larger file takes more than a smaller one. That is rough: for another
    heuristic that is slower than linear it is too little.
    """
    is_at_hand = edges is None
    edges = graph.num_edges if edges is None else edges
    vertices = graph.num_vertices if vertices is None else vertices
    few = graph.num_edges > _SAMPLE
    sample = edge_sample(graph, _SAMPLE, np.random.default_rng([seed, 0x45])) if few else graph
    times = edges / max(sample.num_edges, 1)
    spent = budget if problem.checked_costs(sample) is not None else max(1, min(int(budget), sample.num_vertices))
    rng = np.random.default_rng(seed)
    reading = _reading(vertices, edges, seed)
    prepared = problem.prepare(sample)
    found, solving = _cost(lambda: problem.solve(prepared, spent, rng, certify=False), times)
    if few and is_at_hand and (known := problem.seconds(problem.prepare(graph), budget)) is not None:
        solving = solving._replace(seconds=known)
    _, certifying = _cost(lambda: problem.certify(prepared, found, rng), times)
    costs = {"read": reading, "solve": solving, "certify": certifying}
    costs["learn core"] = Cost(_CORE_RUNS * solving.seconds / 2, solving.bytes)
    return Estimate(vertices, edges, sample.num_edges, round(graph.nbytes * edges / max(graph.num_edges, 1)), costs)


def _reading(vertices: int, edges: int, seed: int) -> Cost:
    """By two generated files, since a small one takes hardly more than an empty one."""
    (few, small), (many, large) = (_read(vertices, edges, seed, share * _SAMPLE) for share in (1, _LARGER))
    if many <= few:
        return large
    rest = (edges - many) / (many - few)
    seconds = large.seconds + max(large.seconds - small.seconds, 0.0) * rest
    if small.bytes is None or large.bytes is None:
        return Cost(seconds)
    return Cost(seconds, round(large.bytes + max(large.bytes - small.bytes, 0) * rest))


def _read(vertices: int, edges: int, seed: int, most: int) -> tuple[int, Cost]:
    """The edges of a generated file, and what reading it takes."""
    made = stand_in(vertices, edges, seed, most)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sample.txt"
        write_graph(made, path)
        return made.num_edges, _cost(lambda: read_graph(path), 1.0)[1]


def lense_costs(
    problem: Problem, graph: Graph, budget: float, *, seed: int = 0, device: str = "auto"
) -> dict[str, Cost]:
    """What LeNSE takes to learn from a prepared train graph, and what it takes by the preset quick; else nothing."""
    if not has_learn():
        return {}
    from lense._util.torch_device import torch_device
    from lense.navigation.estimate import training_pace
    from lense.navigation.settings import preset_settings

    usual, quick = (preset_settings(name, problem.name, None, graph.num_vertices, budget) for name in ("auto", "quick"))
    pace = training_pace(problem, graph, budget, usual, seed=seed, device=torch_device(device))
    return {"learn lense": Cost(pace.seconds(usual)), "learn lense, quick": Cost(pace.seconds(quick))}


def _cost(work: Callable[[], Result], times: float) -> tuple[Result, Cost]:
    """What the work returns, and its cost for ``times`` as much; it is done once before, to compile."""
    with Stopwatch() as first:
        result = work()
    if first.seconds >= _LONG:
        return result, Cost(first.seconds * times)
    with PeakMemory() as peak, Stopwatch() as watch:
        result = work()
    held = None if peak.bytes is None else round(peak.bytes * times)
    return result, Cost(watch.seconds * times, held)
