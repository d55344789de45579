"""What a heuristic costs: by runs on small samples of a graph, before the work; also memory, reading and training."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

import numpy as np

from lense._util.measuring import PeakMemory, Stopwatch
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law, read_graph, write_graph
from lense.graph.split import edge_sample
from lense.graph.subgraph import kept_part
from lense.problems import Problem


@dataclass(frozen=True)
class Rule:
    """Every constant of the rule by which :mod:`lense.solving.deciding` prunes."""

    quick: float = 0.03  # seconds that are not worth saving
    worth: float = 2.0  # estimates are rough: pruning must be expected to save half of the time
    clear: float = 10.0  # the same where parts may mislead the heuristic
    pruning_share: float = 0.25  # of the least time of the whole graph, which pruning may waste
    sampling_share: float = 0.05  # of the same, which samples may take
    first_sample: int = 750  # vertices and edges of the first sample, more for a large budget
    vertices_per_choice_timed: int = 2  # in that sample
    largest_first: float = 1 / 32  # of the graph, which that sample is at most
    growth: int = 4  # of one sample to the next
    most_power: float = 2.5  # of the size, faster than which no time is taken to grow
    suspect: float = 1.3  # a power above which a sample is run again
    warm_up: float = 10.0  # seconds of a first run, after which it is not done again
    runs: int = 4  # of one sample at most
    agreeing: float = 2.0  # factor within which two runs of the first sample agree
    measurable: float = 0.005  # seconds: shorter runs say nothing about how the time grows
    fitting_share: float = 0.1  # of the time of the whole graph, which learning a core may take
    fitting_runs: int = 18  # of the heuristic, to learn a core
    least_to_fit: int = 400  # edges of the smallest sample to learn from
    edges_per_choice: int = 32  # in that sample
    vertices_per_choice: int = 16  # in that sample
    unknown_sample: int = 20_000  # its edges where pruning is forced and nobody knows what the heuristic takes
    thorough: int = 4  # roots for each choice, where the heuristic finds more than the order of the roots
    at_most: float = 1.3  # of the time of the whole graph, which all rounds together may take
    clearly: float = 1.1  # by which the whole graph must be slower, for the reason to say so


RULE = Rule()


@dataclass(frozen=True)
class Law:
    """``fixed`` + (``seconds`` - ``fixed``) (s / ``size``)^``power``: the time on a graph of s vertices and edges.

    A time that grows more slowly than the size is a fixed part and a linear one. It may also be ``least_power``, the
    growth as it was seen, which says less.
    """

    size: int
    seconds: float
    power: float = 1.0
    fixed: float = 0.0
    least_power: float = 1.0

    def at(self, size: float) -> float:
        return float(self.fixed + (self.seconds - self.fixed) * (max(size, 1) / self.size) ** self.power)

    def at_least(self, size: float) -> float:
        """The time on a larger graph if it grows no faster than the size, and no faster than was seen."""
        return float(self.seconds * (size / self.size) ** self.least_power)


def sampled_law(
    run: Callable[[int], tuple[int, float]],
    size: int,
    first: int,
    is_clear: Callable[[Law], bool] = lambda law: False,
    is_vain: Callable[[Law], bool] = lambda law: False,
) -> tuple[Law, float]:
    """How the seconds of a heuristic grow with the size of a graph, up to ``size``; and the seconds spent to find it.

    ``run(s)`` runs it on a sample of about size s and returns its size and the seconds. Samples have the size
    ``first``, then four times that, up to a quarter of the graph. There are no more of them if the whole graph takes no
    time worth saving, if another one would make them take more than a twentieth of the least that the whole graph
    takes, or if the law ``is_clear`` enough. One run is enough if the law by it ``is_vain``: a time so short that its
    being shorter would change nothing.

    Busy cores and threads that wait for each other make some runs a thousand times as long, and never make one shorter.
    So the least time of several runs counts, and a smaller sample takes no longer than a larger one did.
    """
    samples = _Timings(run, size, is_vain)
    samples.look_at(first)
    target = first * RULE.growth
    while target <= size / RULE.growth:
        law = samples.law()
        if Law(law.size, law.seconds, max(law.power, 2.0)).at(size) < RULE.quick or is_clear(law):
            break
        if samples.needed + law.at(target) > RULE.sampling_share * law.at_least(size):
            break
        samples.look_at(target)
        target *= RULE.growth
    return samples.law(), samples.spent


def law_through(points: Sequence[tuple[int, float]]) -> Law:
    """The law through the last two of the (size, seconds), in rising order of both, or in proportion to the last."""
    size, seconds = points[-1]
    if len(points) == 1 or points[-2][1] < RULE.measurable:
        return Law(size, seconds)
    before, seconds_before = points[-2]
    power = log(seconds / seconds_before) / log(size / before)
    if power >= 1:
        return Law(size, seconds, min(power, RULE.most_power))
    return Law(size, seconds, 1.0, (seconds_before * size - seconds * before) / (size - before), power)


class _Timings:
    """The least seconds on samples of growing size.

    All runs took ``spent`` seconds, or ``needed`` if each had taken its least: what is done once, and a busy moment,
    are no reason to look no further.
    """

    def __init__(self, run: Callable[[int], tuple[int, float]], whole: int, is_vain: Callable[[Law], bool]) -> None:
        self.run, self.whole, self.is_vain = run, whole, is_vain
        self.spent, self.needed = 0.0, 0.0
        self.points: list[tuple[int, float]] = []

    def look_at(self, target: int) -> None:
        """Run on a sample, and again where the seconds may be more than it takes."""
        size, seconds = self._timed(target)
        readings = [seconds]
        while len(readings) < RULE.runs and self._is_in_doubt(size, readings):
            readings = sorted([*readings, self._timed(target)[1]])
        least = readings[0]
        self.needed += len(readings) * least
        self.points = [(s, min(seconds, least)) for s, seconds in self.points if s < size]
        self.points.append((size, least))

    def law(self) -> Law:
        """Through the last two samples: with a fixed part if the time grows more slowly than the size."""
        return law_through(self.points)

    def _timed(self, target: int) -> tuple[int, float]:
        size, seconds = self.run(target)
        self.spent += seconds
        return max(size, 1), max(seconds, 1e-9)

    def _is_in_doubt(self, size: int, readings: Sequence[float]) -> bool:
        """Whether the least reading may be too long.

        On the first sample two runs must agree, since the first run does what is done once, unless the law by that run
        is vain and there is no time for a larger sample. A later sample is compared with the one before, and run again
        if there is time for that.
        """
        least = readings[0]
        if not self.points and len(readings) == 1:
            is_last = RULE.sampling_share * self.whole / size < 1 + RULE.growth
            return least < RULE.warm_up and not (is_last and self.is_vain(Law(size, least)))
        if not self.points:
            return readings[1] > RULE.agreeing * least
        before, seconds_before = self.points[-1]
        growth = least / max(seconds_before, RULE.measurable)
        has_time = self.needed + least <= RULE.sampling_share * least * self.whole / size
        return has_time and size > before and growth > float(size / before) ** RULE.suspect


def sample_like(graph: Graph, size: int, rng: np.random.Generator) -> Graph:
    """A part of about ``size`` vertices and edges together, with as many edges for each vertex as ``graph`` has.

    A heuristic may go over all vertices at each step, or over all edges, so both must be in proportion. Random walks
    that branch find the vertices, so that the part hangs together as the graph does. Their edges are drawn too if there
    are more than wanted; if there are fewer, so it is.
    """
    n, m = graph.num_vertices, graph.num_edges
    count = min(max(2, round(size * n / (n + m))), n)
    part = kept_part(graph, _walked(graph, count, rng)).graph
    wanted = max(1, round(part.num_vertices * m / n))
    if part.num_edges <= wanted:
        return part
    sources, targets, weights = part.edges()
    drawn = np.sort(rng.choice(sources.size, wanted, replace=False))
    return Graph.from_edges(
        sources[drawn],
        targets[drawn],
        None if weights is None else weights[drawn],
        directed=part.directed,
        labels=part.labels,
        keep_duplicates=True,
        keep_self_loops=True,
    )


def _walked(graph: Graph, count: int, rng: np.random.Generator) -> Int64s:
    """``count`` different vertices, or nearly as many, that random walks reach, each of which branches at each step.

    Walks that reach nothing new begin again at a random arc.
    """
    is_found = np.zeros(graph.num_vertices, np.bool_)
    found, fresh = 0, np.empty(0, np.int64)
    for _ in range(2000):
        if not fresh.size:
            fresh = np.searchsorted(graph.indptr, rng.integers(graph.num_arcs, size=1), side="right") - 1
            fresh = fresh[~is_found[fresh]]
        fresh = rng.choice(fresh, min(fresh.size, count - found), replace=False)
        is_found[fresh] = True
        found += fresh.size
        if found >= count:
            break
        tails = np.repeat(fresh, 3)
        degrees = graph.out_degrees[tails]
        tails, degrees = tails[degrees > 0], degrees[degrees > 0]
        ends = np.unique(graph.indices[graph.indptr[tails] + rng.integers(degrees)])
        fresh = ends[~is_found[ends]].astype(np.int64)
    return np.flatnonzero(is_found)


_SAMPLE = 100_000
"""Edges that costs are measured on."""
_LONG = 5.0
"""Seconds of a first run, compiling left out, after which it is not done again."""
Result = TypeVar("Result")


TimeHeuristic = Callable[[Problem, Graph, float, np.random.Generator], float]


def time_heuristic(problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
    """What the problem's heuristic takes on ``graph``, without the time in which other programs had the processor."""
    with Stopwatch() as watch:
        problem.search(graph, budget, rng)
    return watch.undisturbed


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
    learning = Cost(RULE.fitting_runs * solving.seconds / 2, solving.bytes)
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
