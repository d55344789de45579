"""Whether to prune: what the heuristic takes on the whole graph, what it would take on a part, and what that costs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isinf

import numpy as np

from lense.graph import Graph
from lense.graph.sample import edge_sample
from lense.problems import Problem
from lense.pruners.calibration import Expected
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from lense.pruners.trials import bought
from lense.solving.cost import QUICK, Law, sampled_law
from lense.solving.sampling import alike

WORTH_IT = 2.0
"""Estimates are rough, so pruning must be expected to save half of the time."""
_CLEAR = 10.0
_FIRST_SAMPLE, _VERTICES_PER_CHOICE_TIMED = 750, 2
_FITTING_SHARE, _FITTING_RUNS, _LEAST_TO_FIT = 0.1, 18, 400
_VERTICES_PER_CHOICE = 16


class Timer:
    """Runs heuristics on samples of a graph."""

    def seconds(self, problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
        """What the problem's heuristic takes on ``graph``."""
        return problem.search(graph, budget, rng).seconds

    def converting(self, edges: int) -> float:
        """What it takes to make a part of so many edges an object that the heuristic knows, by the runs so far."""
        return 0.0


@dataclass(frozen=True)
class Advice:
    """Whether to prune, and the estimates that say so, all in seconds.

    ``prune_seconds`` are those to find the part, including what is learnt for it; None where that was not looked at.
    """

    prune: bool
    reason: str
    whole_seconds: float
    prune_seconds: float | None = None
    part_seconds: float | None = None
    part_edges: int | None = None
    expected_ratio: float | None = None
    confidence: float | None = None
    spent: float = 0.0
    """What the estimates themselves took."""
    law: Law | None = None
    fitted_on: int | None = None
    """Edges of the sample that a core is to be fitted on, where none ships for the problem."""


def advise(
    problem: Problem,
    graph: Graph,
    budget: float,
    *,
    core: Core | None = None,
    target: float = 0.99,
    time_limit: float | None = None,
    seed: int = 0,
    timer: Timer | None = None,
) -> Advice:
    """What to do with a prepared ``graph``: solve it whole, or prune it.

    A problem says what its own heuristics and its quick order take, by counts of operations, so that the advice is the
    same each time. Any other heuristic is run on small samples of the graph by the ``timer``. ``core`` is the one that
    ships unless given. Pruning is advised if it halves the time. Where the calibration is not as sure of the target as
    the core is to be, a second part twice as large is counted in.
    """
    problem.check_budget(graph, budget)
    timer = Timer() if timer is None else timer
    core = shipped_core(problem) if core is None else core
    core = None if core is None else core.set_params(target=target)
    known = problem.seconds(graph, budget)
    if known is not None and known < QUICK:
        return _whole(problem, known)
    expected = None if core is None else core.expected(graph, budget=budget, prepared=True)
    roots = 2 * bought(problem, graph, budget) if expected is None else expected.roots
    if roots >= graph.num_vertices:
        return replace(
            _whole(problem, known or 0.0), reason=f"solved on the whole graph: {roots:,} roots would be all of it"
        )
    edges, pruning = part_edges(graph, roots), problem.quick_seconds(graph)
    size = max(1, round(size_of(graph) * edges / graph.num_edges))
    if known is not None:
        law, spent = Law(size_of(graph), known), 0.0
    else:
        law, spent = _law(
            problem, graph, budget, seed, timer, lambda law: _is_clear(law, size_of(graph), size, pruning)
        )
    advice = Advice(
        False, "", law.at(size_of(graph)), pruning, law.at(size) + timer.converting(edges), edges, law=law, spent=spent
    )
    return decided(_with_core(advice, core, expected, graph), problem, time_limit)


def decided(advice: Advice, problem: Problem, time_limit: float | None) -> Advice:
    """``advice`` with the cheaper way of the two."""
    assert advice.prune_seconds is not None
    assert advice.part_seconds is not None
    whole = advice.whole_seconds
    pruned = advice.prune_seconds + advice.part_seconds
    is_late = time_limit is not None and whole > time_limit and pruned < whole
    if whole < QUICK or (WORTH_IT * pruned > whole and not is_late):
        beside = ", and pruning would take about " + in_words(pruned)
        if isinf(pruned):
            beside = f", no core ships for {problem.name}, and to learn one would not pay"
        beside = "" if whole < QUICK else beside
        return replace(advice, reason=f"{_whole(problem, whole).reason}{beside}", expected_ratio=1.0, confidence=None)
    sizes = f"{advice.part_edges or 0:,} edges"
    return replace(
        advice,
        prune=True,
        reason=f"pruning to about {sizes} takes about {in_words(pruned)} with {problem.solver}, which takes about "
        f"{in_words(whole)} on the whole graph",
    )


def in_words(seconds: float) -> str:
    """An estimate for people."""
    if seconds < 1:
        return f"{max(round(1000 * seconds), 1)} ms"
    if seconds < 120:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"


def size_of(graph: Graph) -> int:
    """Vertices and edges, which a heuristic's time goes by."""
    return graph.num_vertices + graph.num_edges


def part_edges(graph: Graph, roots: int) -> int:
    """At most so many edges are in the part of the ``roots`` vertices of largest degree."""
    degrees = graph.out_degrees
    if graph.directed:
        degrees = degrees + np.bincount(graph.indices, minlength=graph.num_vertices)
    largest = np.partition(degrees, graph.num_vertices - roots)[graph.num_vertices - roots :]
    return int(min(largest.sum(), graph.num_edges))


def fitting_edges(law: Law, graph: Graph) -> tuple[int, float]:
    """How many edges of a graph a core may be fitted on within a tenth of its time, and the seconds for that.

    The runs are on halves of the sample, where an edge has up to two vertices of its own.
    """
    whole, edges = law.at(size_of(graph)), graph.num_edges
    while edges >= _LEAST_TO_FIT and _FITTING_RUNS * law.at(1.5 * edges) > _FITTING_SHARE * whole:
        edges //= 2
    edges = edges if edges >= _LEAST_TO_FIT else 0
    return edges, _FITTING_RUNS * law.at(1.5 * edges) if edges else 0.0


def fitted_core(problem: Problem, graph: Graph, budget: float, edges: int, *, target: float, seed: int) -> Core:
    """A core that learnt from the heuristic's solutions on a sample of ``edges`` random edges."""
    sample = edge_sample(graph, edges, np.random.default_rng([seed, 0x46])) if edges < graph.num_edges else graph
    smaller = max(1, min(int(budget), sample.num_vertices // _VERTICES_PER_CHOICE))
    core = Core(problem, smaller, target=target, seed=seed).fit(sample, prepared=True)
    return core.set_params(budget=budget)


def _with_core(advice: Advice, core: Core | None, expected: Expected | None, graph: Graph) -> Advice:
    """The estimates with what there is to learn first, and with a second round where the target is not sure."""
    assert advice.law is not None
    assert advice.prune_seconds is not None
    assert advice.part_seconds is not None
    if core is None:
        sample, fitting = fitting_edges(advice.law, graph)
        pruning = advice.prune_seconds + fitting if sample else inf
        return replace(advice, fitted_on=sample, prune_seconds=pruning, part_seconds=3 * advice.part_seconds)
    assert expected is not None
    rounds = 1 if expected.confidence >= core.confidence else 3
    return replace(
        advice,
        expected_ratio=expected.ratio,
        confidence=expected.confidence,
        part_seconds=rounds * advice.part_seconds,
    )


def _whole(problem: Problem, seconds: float) -> Advice:
    reason = f"solved on the whole graph: {problem.solver} takes about {in_words(seconds)} there"
    return Advice(False, reason, seconds, expected_ratio=1.0)


def _law(
    problem: Problem, graph: Graph, budget: float, seed: int, timer: Timer, is_clear: Callable[[Law], bool]
) -> tuple[Law, float]:
    """By samples with the same budget, or where the graph is too small for that, with one in proportion."""
    per_vertex = size_of(graph) / graph.num_vertices
    first = max(_FIRST_SAMPLE, int(_VERTICES_PER_CHOICE_TIMED * bought(problem, graph, budget) * per_vertex))
    in_proportion, has_costs = first > size_of(graph) / 16, problem.checked_costs(graph) is not None
    first = max(10, min(first, size_of(graph) // 16))

    def on_sample(size: int) -> tuple[int, float]:
        sample = alike(graph, size, np.random.default_rng([seed, size]))
        share = size / size_of(graph) if in_proportion else 1.0
        spent = budget if has_costs else max(1, min(round(share * budget), sample.num_vertices))
        return size_of(sample), timer.seconds(problem, sample, spent, np.random.default_rng(seed))

    found = sampled_law(on_sample, size_of(graph), first, is_clear)
    return found.law, found.spent


def _is_clear(law: Law, size: int, part: int, pruning: float) -> bool:
    """Whether a mistake of a factor of ten would not change what is advised."""
    whole, pruned = law.at(size), pruning + law.at(part)
    return whole > _CLEAR * WORTH_IT * pruned or WORTH_IT * pruned > _CLEAR * whole
