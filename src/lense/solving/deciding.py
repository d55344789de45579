"""Whether to prune, and how often: the one rule by which :func:`lense.solve` runs a heuristic on a part of a graph.

1. What takes less than ``RULE.quick``, or no longer than the order that pruning begins with, gets the whole graph.
2. A problem says what its own heuristics take; any other one is timed on small samples, in at most
   ``RULE.sampling_share`` of the least time that the whole graph takes by them.
3. Prune if the part, the pruning and what there is to learn first take at most 1 / ``RULE.worth`` of the whole graph's
   time, or 1 / ``RULE.clear`` where parts may mislead the heuristic, and if pruning takes at most
   ``RULE.pruning_share`` of the least that the whole graph takes.
4. While there is doubt about a part's answer, solve one with twice the roots, as long as all rounds take at most
   ``RULE.at_most`` of the whole graph's time; then the whole graph. The best answer counts.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isinf, sqrt
from time import perf_counter
from typing import Any

import numpy as np

from lense._util.formatting import duration
from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, shares_pruned, subgraph
from lense.problems import Problem, Solution
from lense.problems.base import Pruned
from lense.problems.parts import search_part
from lense.pruners.calibration import num_affordable
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from lense.solving.costs import RULE, Cost, Law, TimeHeuristic, law_through, sample_like, sampled_law, time_heuristic
from lense.solving.options import SolveOptions

log = logging.getLogger(__name__)
Clock = Callable[[], float]


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
    whole_range: tuple[float, float] | None = None
    """CPU seconds of a heuristic of the user's on the whole graph, at least and at most, by samples."""
    graph: Mapping[str, Any] = field(default_factory=dict)
    """Source and size of the graph, by :func:`lense.advise`."""
    costs: Mapping[str, Cost] = field(default_factory=dict)
    """Measured seconds and bytes of "hold", "read", "solve", "certify", "learn core", …, where those are asked for."""


def advise(
    problem: Problem,
    graph: Graph,
    budget: float,
    *,
    core: Core | None = None,
    target: float = 0.99,
    time_limit: float | None = None,
    seed: int = 0,
    time: TimeHeuristic = time_heuristic,
) -> Advice:
    """What to do with a prepared ``graph``: solve it whole, or prune it.

    A problem says what its own heuristics and its quick order take, by counts of operations, so that the advice is the
    same each time. ``time`` runs any other heuristic on small samples of the graph. ``core`` is the one that ships
    unless given. Where the calibration is not as sure of the target as the core is to be, a second part twice as large
    is counted in.
    """
    problem.check_budget(graph, budget)
    core = shipped_core(problem) if core is None else core
    core = None if core is None else core.set_params(target=target)
    known, ordering = problem.seconds(graph, budget), problem.quick_seconds(graph, budget)
    if known is not None and (known < RULE.quick or (time_limit is None and RULE.worth * ordering > known)):
        return _whole(problem, known, ordering)
    expected = None if core is None else core.expected(graph, budget=budget, prepared=True)
    count = num_affordable(problem, graph, budget)
    roots = num_roots(problem, 2 * count if expected is None else expected.roots, count)
    if roots >= graph.num_vertices:
        return replace(
            _whole(problem, known or 0.0), reason=f"solved on the whole graph: {roots:,} roots would be all of it"
        )
    edges, whole = part_edges(graph, roots), size_of(graph)
    part = max(1, round(whole * edges / graph.num_edges))
    rounds = 0 if core is None or expected is None else 1 if expected.confidence >= core.confidence else 3
    samples = _Samples(problem, graph, budget, seed, time)
    if known is not None:
        law, spent, least = Law(whole, known), 0.0, None
    else:
        law, spent = sampled_law(
            samples.seconds,
            whole,
            samples.first,
            lambda law: _is_clear(law, whole, rounds * part, ordering),
            lambda law: _is_vain(law, whole, rounds * part, ordering),
        )
        least = law.at_least(whole)
    pruning, fitted_on = ordering, None
    if expected is None:
        fitted_on, fitting = fitting_edges(law, graph, count)
        pruning += fitting if fitted_on else inf
    advice = Advice(
        False,
        "",
        law.at(whole),
        pruning,
        (rounds or 3) * law.at(part),
        edges,
        None if expected is None else expected.ratio,
        None if expected is None else expected.confidence,
        spent,
        least,
        law,
        "" if expected is None else expected.unlike,
        fitted_on,
    )
    return decided(advice, problem, time_limit)


def decided(advice: Advice, problem: Problem, time_limit: float | None) -> Advice:
    """``advice`` with the cheaper way of the two; parts that may mislead the heuristic must be ten times cheaper."""
    assert advice.prune_seconds is not None
    assert advice.part_seconds is not None
    whole = advice.whole_seconds
    pruned = advice.prune_seconds + advice.part_seconds
    is_late = time_limit is not None and whole > time_limit and pruned < whole
    is_safe = advice.least_seconds is None or advice.prune_seconds <= RULE.pruning_share * advice.least_seconds
    misleads = bool(advice.unlike) and problem.reaches_far
    pays = (RULE.clear if misleads else RULE.worth) * pruned <= whole and is_safe
    if whole < RULE.quick or not (pays or is_late):
        if isinf(pruned):
            beside = ", no core ships for this problem, and to learn one would not pay"
        else:
            beside = f", and pruning would take about {duration(pruned, 2)}"
            if pruned < whole and not misleads:
                beside += ", which saves too little to be sure"
            if misleads and RULE.worth * pruned <= whole:
                beside += f", but {advice.unlike}"
        beside = "" if whole < RULE.quick else beside
        return replace(advice, reason=f"{_whole(problem, whole).reason}{beside}", expected_ratio=1.0, confidence=None)
    sizes = f"{advice.part_edges or 0:,} edges"
    return replace(
        advice,
        prune=True,
        reason=f"pruning to about {sizes} takes about {duration(pruned, 2)} with {problem.solver}, which takes about "
        f"{duration(whole, 2)} on the whole graph{larger(advice.unlike)}",
    )


def num_roots(problem: Problem, roots: int, count: int) -> int:
    """At least so many roots that a thorough heuristic has a choice, where the budget buys ``count`` vertices."""
    return max(roots, RULE.thorough * count) if problem.solver in problem.thorough_solvers else roots


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
    whole, edges, fewest = (
        law.at_least(size_of(graph)),
        graph.num_edges,
        max(RULE.least_to_fit, RULE.edges_per_choice * count),
    )
    while edges >= fewest and RULE.fitting_runs * law.at(1.5 * edges) > RULE.fitting_share * whole:
        edges = edges * 7 // 8
    edges = edges if edges >= fewest else 0
    return edges, RULE.fitting_runs * law.at(1.5 * edges) if edges else 0.0


def fitted_core(problem: Problem, graph: Graph, budget: float, edges: int, *, target: float, seed: int) -> Core:
    """A core that learnt from the heuristic's solutions on a sample of about ``edges`` edges."""
    sample = graph
    if edges < graph.num_edges:
        sample = sample_like(
            graph, round(size_of(graph) * edges / graph.num_edges), np.random.default_rng([seed, 0x46])
        )
    smaller = max(1, min(int(budget), sample.num_vertices // RULE.vertices_per_choice))
    core = Core(problem, smaller, target=target, seed=seed).fit(sample, prepared=True)
    core.calibration_ = core.calibration_.for_any_graph()
    return core.set_params(budget=budget)


def _whole(problem: Problem, seconds: float, ordering: float | None = None) -> Advice:
    """To solve the whole graph; where that is not quick, the reason names the ``ordering`` that pruning begins with."""
    reason = f"solved on the whole graph: {problem.solver} takes about {duration(seconds, 2)} there"
    if ordering is not None and seconds >= RULE.quick:
        reason += f", and pruning would take about {duration(ordering, 2)} or more"
    return Advice(False, reason, seconds, expected_ratio=1.0)


class _Samples:
    """Runs of the heuristic on samples with the same budget, or where the graph is too small for that, a smaller one.

    A budget in proportion to the size would make what goes over the graph for each choice look quick, and all of it
    would make what looks at few vertices for each choice look slow. So it is between the two.
    """

    def __init__(self, problem: Problem, graph: Graph, budget: float, seed: int, time: TimeHeuristic) -> None:
        self.problem, self.graph, self.budget, self.seed, self.time = problem, graph, budget, seed, time
        timed = RULE.vertices_per_choice_timed * num_affordable(problem, graph, budget)
        first = max(RULE.first_sample, int(timed * size_of(graph) / graph.num_vertices))
        largest = max(10, int(RULE.largest_first * size_of(graph)))
        self.first, self.is_small = min(first, largest), first > largest
        self.drawn: dict[int, Graph] = {}

    def seconds(self, size: int) -> tuple[int, float]:
        """The size of a sample of about that size, and the seconds of the heuristic on it."""
        if size not in self.drawn:
            self.drawn[size] = sample_like(self.graph, size, np.random.default_rng([self.seed, size]))
        sample, spent = self.drawn[size], self.budget
        if self.problem.checked_costs(self.graph) is None:
            share = sqrt(size / size_of(self.graph)) if self.is_small else 1.0
            spent = max(1, min(round(share * self.budget), sample.num_vertices))
        return size_of(sample), self.time(self.problem, sample, spent, np.random.default_rng(self.seed))


def _is_clear(law: Law, size: int, part: int, pruning: float) -> bool:
    """Whether more samples would change nothing, since the whole graph takes no less than any sample or part of it.

    So pruning costs at most a tenth if a sample took ten times as long. The rounds on a ``part`` of half the size take
    half the time if that grows with the size. A ``part`` of 0 says that there is no core yet, so that the time is
    needed for more than this.
    """
    if part and law.seconds > RULE.clear * pruning:
        return RULE.worth * part <= size
    return RULE.worth * pruning > RULE.clear * law.at(size)


def _is_vain(law: Law, size: int, part: int, pruning: float) -> bool:
    """Whether pruning does not pay, and would pay still less if the heuristic were quicker than by this law."""
    return law.at(size) < max(RULE.quick, RULE.worth * (pruning + law.seconds * part / law.size))


def solve_prepared(
    problem: Problem,
    graph: Graph,
    budget: float,
    options: SolveOptions | None = None,
    core: Core | None = None,
    advice: Advice | None = None,
    *,
    time: TimeHeuristic = time_heuristic,
    clock: Clock = perf_counter,
) -> Solution:
    """The answer of the problem's heuristic, on the whole ``graph`` or on parts of it, scored on the whole.

    ``core`` is the one that ships for the problem unless given; where there is none, one is fitted on a sample of the
    graph, if that pays. ``advice`` is for this graph and these options, if it is known already.
    """
    options = options or SolveOptions()
    problem.check_budget(graph, budget)
    core = shipped_core(problem) if core is None else core
    target = options.kept if core is None or options.target is not None else core.target
    options = replace(options, target=target)
    if core is not None:
        core.set_params(target=target, size=options.size, budget=budget)
    if options.prune is False:
        return _solved_whole(problem, graph, budget, options, "solved on the whole graph, without pruning", "whole")
    if not options.prunes or core is None:
        advice = advice or advise(
            problem,
            graph,
            budget,
            core=core,
            target=target,
            time_limit=options.time_limit,
            seed=options.seed,
            time=time,
        )
        if not options.prunes and not advice.prune:
            found = _solved_whole(problem, graph, budget, options, advice.reason, "advised whole")
            return replace(found, advice=advice)
    begun = clock()
    core = core or _fitted(problem, graph, budget, advice, options)
    found = _Rounds(problem, graph, budget, core, advice, options, clock, begun).solution()
    return replace(found, advice=advice)


def _solved_whole(
    problem: Problem, graph: Graph, budget: float, options: SolveOptions, reason: str, decision: str
) -> Solution:
    solution = problem.solve(graph, budget, np.random.default_rng(options.seed), certify=options.certify)
    found = replace(solution, expected_ratio=1.0, met_target=True, found_by=solution.solver)
    return replace(found, reason=reason, decision=decision)


def core_to_prune_with(problem: Problem, graph: Graph, budget: float, options: SolveOptions) -> Core:
    """The core that ships for the problem, or one that is fitted on a sample of the graph."""
    core = shipped_core(problem) or _fitted(problem, graph, budget, None, options)
    return core.set_params(budget=budget, target=options.kept)


def _fitted(problem: Problem, graph: Graph, budget: float, advice: Advice | None, options: SolveOptions) -> Core:
    """A core that learns from the heuristic on a sample: as large as is cheap, or if that is asked for, a fixed one."""
    edges = 0 if advice is None else advice.fitted_on
    if not edges and advice is not None and advice.law is not None:
        edges, _ = fitting_edges(advice.law, graph, num_affordable(problem, graph, budget))
    edges = edges or min(RULE.unknown_sample, graph.num_edges)
    core = fitted_core(problem, graph, budget, edges, target=options.kept, seed=options.seed)
    return core.set_params(size=options.size)


@dataclass
class _Rounds:
    """Cores of growing size, each solved, until one is good enough.

    A round follows another, with twice the roots, if there is doubt about the answer: the calibration is less sure of
    the target than it should be, or the answer scores less than ``target`` of what the first vertices of the quick
    order score. Rounds end when the certificate says that the target is met, when twice the roots gain less than half
    of what the target leaves, when all vertices are roots, or when the next one would take too long. If there is doubt
    even then, the whole graph is solved, unless the rounds took too much of its time.
    """

    problem: Problem
    graph: Graph
    budget: float
    core: Core
    advice: Advice | None
    options: SolveOptions
    clock: Clock
    begun: float
    rounds: list[dict[str, Any]] = field(default_factory=list)
    pruning: float = 0.0
    met_target: bool | None = None
    order: Int64s = field(default_factory=lambda: np.empty(0, np.int64))

    def solution(self) -> Solution:
        expected = self.core.expected(self.graph, budget=self.budget, prepared=True)
        rng = np.random.default_rng(self.options.seed)
        count = num_affordable(self.problem, self.graph, self.budget)
        roots = expected.roots if self.options.size is not None else num_roots(self.problem, expected.roots, count)
        first = best = self._round(roots)
        if self.options.certify:
            first = best = self.problem.certify(self.graph, first, rng)
        in_doubt = self.options.size is None and not self._is_certain(best) and best.pruned is not None
        in_doubt = in_doubt and (expected.confidence < self.core.confidence or self._is_poor(best))
        while in_doubt and self._has_time():
            last, found = best.score, self._round(2 * self.rounds[-1]["roots"])
            best = found if found.score > best.score else best
            gained_little = found.score <= last * (1 + (1 - self.options.kept) / 2)
            in_doubt = not gained_little and found.pruned is not None
        if in_doubt and self._has_time_for_all():
            found = self._round(self.graph.num_vertices)
            best = found if found.score > best.score else best
            in_doubt = False
        self.met_target = self._is_certain(best) or (not in_doubt and self.options.size is None)
        if best is not first and self.options.certify:
            below = self.problem.lower_bound(self.graph, best, rng)
            best = replace(best, upper_bound=first.upper_bound, lower_bound=below)
        return self._explained(best, "" if self.options.size is not None else larger(expected.unlike))

    def _round(self, roots: int) -> Solution:
        """What the heuristic finds on a core of so many roots, scored on the whole graph."""
        begun = self.clock()
        part = self._part(min(roots, self.graph.num_vertices))
        self.pruning += self.clock() - begun
        rng, mode, seconds = np.random.default_rng(self.options.seed), self.options.mode, self.pruning
        if part.graph is self.graph:
            found = self.problem.score(self.graph, self.problem.search(self.graph, self.budget, rng))
        else:
            found = search_part(self.problem, self.graph, part, self.budget, rng, mode=mode)
            sizes = part.graph.num_vertices, part.graph.num_edges, *shares_pruned(self.graph, part)
            pruned = Pruned(*sizes, seconds, mode, part.roots.size, self.core.name)
            found = replace(self.problem.score(self.graph, found), part=part, pruned=pruned)
        done = {"roots": part.roots.size, "edges": part.graph.num_edges, "score": found.score}
        self.rounds.append({**done, "heuristic_seconds": found.seconds, "seconds": self.clock() - begun})
        log.info("round %d: %s", len(self.rounds), self.rounds[-1])
        return found

    def _part(self, roots: int) -> Subgraph:
        """The core of so many roots; the whole graph, where those are all."""
        n = self.graph.num_vertices
        if roots == n:
            return Subgraph(self.graph, np.arange(n), np.arange(n))
        if roots > self.order.size:
            # a longer order is little more work, and the next round needs it
            count = roots if not self.order.size else min(4 * roots, n)
            self.order = self.core.ranking(self.graph, self.budget, count, self.core.weights_)
        return subgraph(self.graph, self.order[:roots], only_roots=True)

    def _is_certain(self, solution: Solution) -> bool:
        return solution.certified is not None and solution.certified >= self.options.kept

    def _is_poor(self, solution: Solution) -> bool:
        """Whether the first vertices of the quick order score so much more that the part must be to blame."""
        if self.problem.checked_costs(self.graph) is not None:
            return False
        quick = self.order[: int(self.budget)]
        if np.isin(quick, solution.indices).all():
            return False
        score, _ = self.problem.estimate(self.graph, quick)
        return solution.score < self.options.kept * score

    def _has_time(self) -> bool:
        """Whether a round with twice the roots, at most four times as long as the last one, stays within the limits."""
        needed = self.clock() - self.begun + 4 * float(self.rounds[-1]["seconds"])
        if self.options.time_limit is not None and needed > self.options.time_limit:
            return False
        return self.advice is None or needed < (RULE.at_most - 1) * self._whole_seconds(self.advice)

    def _has_time_for_all(self) -> bool:
        """Whether the rounds took so little that the whole graph, solved after them, stays within the limits."""
        if self.advice is None:
            return False
        spent, whole = self.clock() - self.begun, self._whole_seconds(self.advice)
        is_late = self.options.time_limit is not None and spent + whole > self.options.time_limit
        return not is_late and spent <= (RULE.at_most - 1) * whole

    def _whole_seconds(self, advice: Advice) -> float:
        """What the whole graph takes; an estimate from samples is too large by as much as that for the part was."""
        if advice.law is None or advice.least_seconds is None or self.rounds[0]["edges"] == self.graph.num_edges:
            return advice.whole_seconds
        first: dict[str, float] = self.rounds[0]
        size = size_of(self.graph) * first["edges"] / self.graph.num_edges
        return advice.least_seconds * min(1.0, first["seconds"] / advice.law.at(size))

    def _explained(self, best: Solution, larger: str) -> Solution:
        pruned, count = best.pruned, len(self.rounds)
        details = dict(best.details) if count == 1 else {**best.details, "rounds": self.rounds}
        if pruned is None:
            reason = f"solved on the whole graph after {count} rounds: every smaller part missed the target"
            if count == 1:
                reason = "solved on the whole graph: a core of it has all its vertices as roots"
            found = replace(best, expected_ratio=1.0, met_target=True, found_by=best.solver)
            return replace(found, details=details, reason=reason, decision="fell back")

        kept = f"{100 * (1 - pruned.edges_pruned):.2g} %" if pruned.edges_pruned > 0.005 else "100 %"
        took = sum(one["heuristic_seconds"] for one in self.rounds)
        whole = 0.0 if self.advice is None else self._whole_by_part(self.advice)
        instead = f" instead of about {duration(whole, 2)}" if RULE.clearly * took < whole else ""
        rounds = "" if count == 1 else f", in {count} rounds"
        return replace(
            best,
            details=details,
            decision="pruned",
            reason=f"pruned to {kept} of the edges in {duration(self.pruning, 2)}; {self.problem.solver} took "
            f"{duration(took, 2)}{instead}{rounds}{larger}",
            expected_ratio=self.core.calibration_.of_size(self.budget, self.options.kept, pruned.roots).ratio,
            met_target=self.met_target,
            found_by=best.solver if pruned.roots > best.indices.size else "the core's order",
        )

    def _whole_by_part(self, advice: Advice) -> float:
        """What the whole graph takes, by a sample and the first part where samples said it: a fixed cost shows."""
        first: dict[str, float] = self.rounds[0]
        part = round(size_of(self.graph) * first["edges"] / self.graph.num_edges)
        if advice.law is None or advice.least_seconds is None or part <= advice.law.size:
            return advice.whole_seconds
        points = [(advice.law.size, advice.law.seconds), (part, max(first["heuristic_seconds"], advice.law.seconds))]
        return min(advice.whole_seconds, law_through(points).at(size_of(self.graph)))
