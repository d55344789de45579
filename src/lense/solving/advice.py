"""Whether to prune: what the heuristic takes on the whole graph, what it would take on a part, and what that costs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import inf, isinf, sqrt

import numpy as np

from lense._util.formatting import duration
from lense._util.measuring import Stopwatch
from lense._util.options import takes_random_state
from lense.graph import Graph
from lense.problems import Problem
from lense.pruners.calibration import Expected, num_affordable
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from lense.solving.cost import QUICK, Law, sampled_law
from lense.solving.sampling import alike

WORTH_IT = 2.0
"""Estimates are rough, so pruning must be expected to save half of the time."""
_CLEAR = 10.0
_PRUNING_SHARE = 0.25
"""What pruning may take of the least time that the whole graph takes, since all of it may be in vain."""
_FIRST_SAMPLE, _VERTICES_PER_CHOICE_TIMED, _LARGEST_FIRST = 750, 2, 1 / 32
_FITTING_SHARE, _FITTING_RUNS, _LEAST_TO_FIT = 0.1, 18, 400
_VERTICES_PER_CHOICE, _EDGES_PER_CHOICE = 16, 32


class Timer:
    """Runs heuristics on samples of a graph."""

    def seconds(self, problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
        """What the problem's heuristic takes on ``graph``, were the machine not busy."""
        with Stopwatch() as watch:
            problem.search(graph, budget, rng)
        return watch.undisturbed

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
    least_seconds: float | None = None
    """What the whole graph takes at least, where only samples say what it takes."""
    law: Law | None = None
    unlike: str = ""
    """Why nothing is known of parts of such a graph, if so."""
    fitted_on: int | None = None
    """Edges of the sample that a core is to be fitted on, where none ships for the problem."""


@takes_random_state
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
    known, ordering = problem.seconds(graph, budget), problem.quick_seconds(graph, budget)
    if known is not None and (known < QUICK or (time_limit is None and WORTH_IT * ordering > known)):
        return _whole(problem, known, ordering)
    expected = None if core is None else core.expected(graph, budget=budget, prepared=True)
    roots = 2 * num_affordable(problem, graph, budget) if expected is None else expected.roots
    if roots >= graph.num_vertices:
        return replace(
            _whole(problem, known or 0.0), reason=f"solved on the whole graph: {roots:,} roots would be all of it"
        )
    edges, pruning = part_edges(graph, roots), ordering
    whole, part = size_of(graph), max(1, round(size_of(graph) * edges / graph.num_edges))
    if known is not None:
        law, spent, least = Law(whole, known), 0.0, None
    else:
        rounds = 0 if core is None or expected is None else _rounds(core, expected)
        law, spent = _law(
            problem,
            graph,
            budget,
            seed,
            timer,
            lambda law: _is_clear(law, whole, rounds * part, pruning + timer.converting(edges)),
            lambda law: _is_vain(law, whole, rounds * part, pruning + timer.converting(edges)),
        )
        least = law.at_least(whole)
    advice = Advice(
        False,
        "",
        law.at(whole),
        pruning + timer.converting(edges),
        law.at(part),
        edges,
        law=law,
        spent=spent,
        least_seconds=least,
    )
    return decided(
        _with_core(advice, core, expected, graph, num_affordable(problem, graph, budget)), problem, time_limit
    )


def decided(advice: Advice, problem: Problem, time_limit: float | None) -> Advice:
    """``advice`` with the cheaper way of the two; parts that may mislead the heuristic must be ten times cheaper."""
    assert advice.prune_seconds is not None
    assert advice.part_seconds is not None
    whole = advice.whole_seconds
    pruned = advice.prune_seconds + advice.part_seconds
    is_late = time_limit is not None and whole > time_limit and pruned < whole
    is_safe = advice.least_seconds is None or advice.prune_seconds <= _PRUNING_SHARE * advice.least_seconds
    misleads = bool(advice.unlike) and problem.reaches_far
    pays = (_CLEAR if misleads else WORTH_IT) * pruned <= whole and is_safe
    if whole < QUICK or not (pays or is_late):
        beside = f", and pruning would take about {duration(pruned, 2)}"
        if pruned < whole and not misleads:
            beside += ", which saves too little to be sure"
        if misleads and WORTH_IT * pruned <= whole:
            beside += f", but {advice.unlike}"
        if isinf(pruned):
            beside = ", no core ships for this problem, and to learn one would not pay"
        beside = "" if whole < QUICK else beside
        return replace(advice, reason=f"{_whole(problem, whole).reason}{beside}", expected_ratio=1.0, confidence=None)
    sizes = f"{advice.part_edges or 0:,} edges"
    return replace(
        advice,
        prune=True,
        reason=f"pruning to about {sizes} takes about {duration(pruned, 2)} with {problem.solver}, which takes about "
        f"{duration(whole, 2)} on the whole graph{larger(advice.unlike)}",
    )


def larger(unlike: str) -> str:
    """The end of a sentence about a core."""
    return f"; {unlike}, so the core is larger" if unlike else ""


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


def fitting_edges(law: Law, graph: Graph, count: int) -> tuple[int, float]:
    """How many edges of a graph a core may be fitted on within a tenth of its time, and the seconds for that.

    The runs are on halves of the sample, where an edge has up to two vertices of its own. A sample in which ``count``
    choices reach everything would teach nothing, so that 0 is the answer if only a smaller one is cheap.
    """
    whole, edges, fewest = law.at_least(size_of(graph)), graph.num_edges, max(_LEAST_TO_FIT, _EDGES_PER_CHOICE * count)
    while edges >= fewest and _FITTING_RUNS * law.at(1.5 * edges) > _FITTING_SHARE * whole:
        edges = edges * 7 // 8
    edges = edges if edges >= fewest else 0
    return edges, _FITTING_RUNS * law.at(1.5 * edges) if edges else 0.0


def fitted_core(problem: Problem, graph: Graph, budget: float, edges: int, *, target: float, seed: int) -> Core:
    """A core that learnt from the heuristic's solutions on a sample of about ``edges`` edges."""
    sample = graph
    if edges < graph.num_edges:
        sample = alike(graph, round(size_of(graph) * edges / graph.num_edges), np.random.default_rng([seed, 0x46]))
    smaller = max(1, min(int(budget), sample.num_vertices // _VERTICES_PER_CHOICE))
    core = Core(problem, smaller, target=target, seed=seed).fit(sample, prepared=True)
    core.calibration_ = core.calibration_.for_any_graph()
    return core.set_params(budget=budget)


def _with_core(advice: Advice, core: Core | None, expected: Expected | None, graph: Graph, count: int) -> Advice:
    """The estimates with what there is to learn first, and with a second round where the target is not sure."""
    assert advice.law is not None
    assert advice.prune_seconds is not None
    assert advice.part_seconds is not None
    if core is None:
        sample, fitting = fitting_edges(advice.law, graph, count)
        pruning = advice.prune_seconds + fitting if sample else inf
        return replace(advice, fitted_on=sample, prune_seconds=pruning, part_seconds=3 * advice.part_seconds)
    assert expected is not None
    return replace(
        advice,
        expected_ratio=expected.ratio,
        confidence=expected.confidence,
        unlike=expected.unlike,
        part_seconds=_rounds(core, expected) * advice.part_seconds,
    )


def _rounds(core: Core, expected: Expected) -> int:
    """How many times the first part's time all rounds take: a second one, twice as large, if the target is not sure."""
    return 1 if expected.confidence >= core.confidence else 3


def _whole(problem: Problem, seconds: float, ordering: float | None = None) -> Advice:
    """To solve the whole graph; where that is not quick, the reason names the ``ordering`` that pruning begins with."""
    reason = f"solved on the whole graph: {problem.solver} takes about {duration(seconds, 2)} there"
    if ordering is not None and seconds >= QUICK:
        reason += f", and pruning would take about {duration(ordering, 2)} or more"
    return Advice(False, reason, seconds, expected_ratio=1.0)


def _law(
    problem: Problem,
    graph: Graph,
    budget: float,
    seed: int,
    timer: Timer,
    is_clear: Callable[[Law], bool],
    is_vain: Callable[[Law], bool],
) -> tuple[Law, float]:
    """By samples with the same budget, or where the graph is too small for that, with a smaller one.

    A budget in proportion to the size would make what goes over the graph for each choice look quick, and all of it
    would make what looks at few vertices for each choice look slow. So it is between the two.
    """
    per_vertex = size_of(graph) / graph.num_vertices
    first = max(_FIRST_SAMPLE, int(_VERTICES_PER_CHOICE_TIMED * num_affordable(problem, graph, budget) * per_vertex))
    largest = max(10, int(_LARGEST_FIRST * size_of(graph)))
    is_small, has_costs = first > largest, problem.checked_costs(graph) is not None
    drawn = cache(lambda size: alike(graph, size, np.random.default_rng([seed, size])))

    def on_sample(size: int) -> tuple[int, float]:
        sample = drawn(size)
        share = sqrt(size / size_of(graph)) if is_small else 1.0
        spent = budget if has_costs else max(1, min(round(share * budget), sample.num_vertices))
        return size_of(sample), timer.seconds(problem, sample, spent, np.random.default_rng(seed))

    found = sampled_law(on_sample, size_of(graph), min(first, largest), is_clear, is_vain)
    return found.law, found.spent


def _is_clear(law: Law, size: int, part: int, pruning: float) -> bool:
    """Whether more samples would change nothing, since the whole graph takes no less than any sample or part of it.

    So pruning costs at most a tenth if a sample took ten times as long. The rounds on a ``part`` of half the size take
    half the time if that grows with the size. A ``part`` of 0 says that there is no core yet, so that the time is
    needed for more than this.
    """
    if part and law.seconds > _CLEAR * pruning:
        return WORTH_IT * part <= size
    return WORTH_IT * pruning > _CLEAR * law.at(size)


def _is_vain(law: Law, size: int, part: int, pruning: float) -> bool:
    """Whether pruning does not pay, and would pay still less if the heuristic were quicker than by this law."""
    return law.at(size) < max(QUICK, WORTH_IT * (pruning + law.seconds * part / law.size))
