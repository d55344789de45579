"""Whether to prune, and how often: the one rule by which :func:`lense.solve` runs a problem's heuristic on a part.

1. A problem says what its heuristics and its quick order take, by counts of operations. A heuristic of which nobody
   knows that, or that no core ships for, is searched like a function of the user's: see :mod:`lense.solving.search`.
2. What takes less than ``RULE.quick``, or too little for the order that pruning begins with, gets the whole graph.
3. Prune if pruning and the part take at most 1 / ``RULE.worth`` of the whole graph's time, or 1 / ``RULE.clear`` where
   parts may mislead the heuristic. If the core is not sure of the target, a second part twice as large counts too.
4. While there is doubt about a part's answer, solve one with twice the roots, as long as all rounds take at most
   ``RULE.at_most`` of the whole graph's time; then the whole graph. The best answer counts.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from lense._util.formatting import duration
from lense._util.measuring import Stopwatch
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.adapters import AdaptedGraph, View
from lense.graph.subgraph import Subgraph, shares_pruned, subgraph
from lense.problems import Problem, Solution
from lense.problems.base import Pruned
from lense.problems.parts import search_part
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from lense.solving.costs import Cost
from lense.solving.functions import Ground, OwnFunction, Run
from lense.solving.options import SolveOptions

log = logging.getLogger(__name__)
Clock = Callable[[], float]


@dataclass(frozen=True)
class Rule:
    """Every constant of the rule."""

    quick: float = 0.03  # seconds that are not worth saving
    worth: float = 2.0  # estimates are rough: pruning must be expected to save half of the time
    clear: float = 10.0  # the same where parts may mislead the heuristic
    at_most: float = 1.3  # of the time of the whole graph, which all rounds together may take


RULE = Rule()


@dataclass(frozen=True)
class Advice:
    """Whether to prune, and the estimates that say so, all in seconds.

    Parameters
    ----------
    prune, reason
        What :func:`lense.solve` would do, and why.
    whole_seconds, prune_seconds, part_seconds
        About what the heuristic takes on the whole graph, finding the part, and the heuristic on it; None where that
        was not looked at.
    part_edges
        The part has at most so many edges.
    expected_ratio, confidence
        What share of its score the heuristic is expected to keep, and how sure it is that the target is met.
    spent
        What the estimates themselves took.
    unlike
        Why nothing is known of parts of such a graph, if so.
    whole_range
        CPU seconds of your own heuristic on the whole graph, at least and at most, by samples.
    graph
        Source and size of the graph, by :func:`lense.advise`.
    costs
        Measured seconds and bytes of "hold", "read", "solve", "certify", "learn core", …, where those are asked for.
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
    unlike: str = ""
    whole_range: tuple[float, float] | None = None
    graph: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Cost] = field(default_factory=dict)


def advise(
    problem: Problem,
    graph: Graph,
    budget: float,
    *,
    core: Core | None = None,
    time_limit: float | None = None,
) -> Advice | None:
    """What to do with a prepared ``graph``, the same each time; None where only a search can say.

    ``core`` is the one that ships unless given, and its target counts.
    """
    problem.check_budget(graph, budget)
    core = shipped_core(problem) if core is None else core
    whole = problem.seconds(graph, budget)
    if whole is None or (core is None and whole >= RULE.quick):
        return None
    ordering, what = problem.quick_seconds(graph, budget), f"solved on the whole graph: {problem.solver}"
    if core is None or whole < RULE.quick or (time_limit is None and RULE.worth * ordering > whole):
        return Advice(False, f"{what} is too quick there for pruning to help", whole, expected_ratio=1.0)
    expected = core.expected(graph, budget=budget, prepared=True)
    if expected.roots >= graph.num_vertices:
        reason = f"solved on the whole graph: {expected.roots:,} roots would be all of it"
        return Advice(False, reason, whole, expected_ratio=1.0)
    edges, rounds = part_edges(graph, expected.roots), 1 if expected.confidence >= core.confidence else 3
    growth = 2 if problem.solver in problem.superlinear_solvers else 1
    part = rounds * whole * (edges / graph.num_edges) ** growth
    misleads = bool(expected.unlike) and problem.reaches_far
    is_late = time_limit is not None and whole > time_limit and ordering + part < whole
    if is_late or (RULE.clear if misleads else RULE.worth) * (ordering + part) <= whole:
        times = f"{whole / (ordering + part):.2g} times quicker"
        reason = f"{problem.solver} on at most {edges:,} edges should be {times}{_larger(expected.unlike)}"
        ratio, confidence = expected.ratio, expected.confidence
        return Advice(True, reason, whole, ordering, part, edges, ratio, confidence, unlike=expected.unlike)
    reason = f"{what} on a part would save too little{f', and {expected.unlike}' if misleads else ''}"
    return Advice(False, reason, whole, ordering, part, edges, expected_ratio=1.0, unlike=expected.unlike)


def part_edges(graph: Graph, roots: int) -> int:
    """At most so many edges are in the part of the ``roots`` vertices of largest degree."""
    degrees = graph.out_degrees
    if graph.directed:
        degrees = degrees + np.bincount(graph.indices, minlength=graph.num_vertices)
    largest = np.partition(degrees, graph.num_vertices - roots)[graph.num_vertices - roots :]
    return int(min(largest.sum(), graph.num_edges))


def _larger(unlike: str) -> str:
    """The end of a sentence about a core."""
    return f"; {unlike}, so the core is larger" if unlike else ""


class ProblemHeuristic(OwnFunction):
    """A problem's heuristic of which only runs say what it takes, so that it is searched like a user's function.

    ``on_whole`` is what it said of the whole graph, once it was asked.
    """

    def __init__(self, problem: Problem, whole: Graph, seed: int) -> None:
        super().__init__(problem.heuristics[problem.solver], View(AdaptedGraph(whole, "graph")), whole, seed)
        self.problem, self.name, self.costs = problem, problem.solver, problem.checked_costs(whole)
        self.on_whole: Solution | None = None

    def run(self, ground: Ground, budget: float, candidates: Int64s | None = None) -> Run:
        """What it chooses on ``ground``, by numbers in the whole graph."""
        is_part = ground.graph is not self.whole
        costs = self.costs[ground.vertices] if is_part and self.costs is not None else None
        pool = None if candidates is None else np.searchsorted(ground.vertices, candidates)
        rng = np.random.default_rng(self.seed)
        with Stopwatch() as watch:
            try:
                found = self.problem.search(ground.graph, budget, rng, candidates=pool, costs=costs)
            except LenseError as error:
                if is_part:  # the search goes on without parts
                    raise RuntimeError(str(error)) from error
                raise
        if not is_part:
            self.on_whole = found
        return Run(ground.vertices[found.indices], watch.cpu)


def solve_prepared(
    problem: Problem,
    graph: Graph,
    budget: float,
    options: SolveOptions | None = None,
    core: Core | None = None,
    *,
    clock: Clock = perf_counter,
) -> Solution | None:
    """The answer of the problem's heuristic, on the whole ``graph`` or on cores of it, scored on the whole.

    ``core`` is the one that ships for the problem unless given. None where it has to be searched.
    """
    options = options or SolveOptions()
    problem.check_budget(graph, budget)
    if options.prunes is False:
        return _solved_whole(problem, graph, budget, options, "solved on the whole graph, without pruning", None)
    core = shipped_core(problem) if core is None else core
    if core is not None and options.target is not None:
        core.set_params(target=options.target)
    begun, advice = clock(), None
    if not options.prunes:
        advice = advise(problem, graph, budget, core=core, time_limit=options.time_limit)
        if advice is None or not advice.prune:
            return None if advice is None else _solved_whole(problem, graph, budget, options, advice.reason, advice)
    if core is None:
        return None
    core.set_params(size=options.size, budget=budget)
    options = replace(options, target=core.target)
    return replace(_Rounds(problem, graph, budget, core, advice, options, clock, begun).solution(), advice=advice)


def _solved_whole(
    problem: Problem, graph: Graph, budget: float, options: SolveOptions, reason: str, advice: Advice | None
) -> Solution:
    found = problem.solve(graph, budget, np.random.default_rng(options.seed), certify=options.certify)
    decision = "whole" if advice is None else "advised whole"
    found = replace(found, expected_ratio=1.0, met_target=True, found_by=found.solver)
    return replace(found, reason=reason, decision=decision, advice=advice)


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
        is_sized = self.options.size is not None
        first = best = self._round(expected.roots)
        if self.options.certify:
            first = best = self.problem.certify(self.graph, first, rng)
        in_doubt = not is_sized and not self._is_certain(best) and best.pruned is not None
        in_doubt = in_doubt and (expected.confidence < self.core.confidence or self._is_poor(best))
        while in_doubt:
            seconds = 4 * float(self.rounds[-1]["seconds"])  # at most, with twice the roots
            if not self._has_time(seconds, seconds):
                break
            last, found = best.score, self._round(2 * self.rounds[-1]["roots"])
            best = found if found.score > best.score else best
            gained_little = found.score <= last * (1 + (1 - self.options.kept) / 2)
            in_doubt = not gained_little and found.pruned is not None
        if in_doubt and self.advice is not None and self._has_time(self.advice.whole_seconds, 0.0):
            found = self._round(self.graph.num_vertices)
            best = found if found.score > best.score else best
            in_doubt = False
        self.met_target = self._is_certain(best) or (not in_doubt and not is_sized)
        if best is not first and self.options.certify:
            below = self.problem.lower_bound(self.graph, best, rng)
            best = replace(best, upper_bound=first.upper_bound, lower_bound=below)
        return self._explained(best, "" if is_sized else _larger(expected.unlike))

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

    def _has_time(self, seconds: float, wasted: float) -> bool:
        """Whether so many seconds more stay within the limits, of which so many are for nothing if parts do not do."""
        spent, limit = self.clock() - self.begun, self.options.time_limit
        if limit is not None and spent + seconds > limit:
            return False
        return self.advice is None or spent + wasted <= (RULE.at_most - 1) * self.advice.whole_seconds

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
        rounds = "" if count == 1 else f", in {count} rounds"
        return replace(
            best,
            details=details,
            decision="pruned",
            reason=f"pruned to {kept} of the edges in {duration(self.pruning, 2)}; {self.problem.solver} took "
            f"{duration(took, 2)}{rounds}{larger}",
            expected_ratio=self.core.calibration_.of_size(self.budget, self.options.kept, pruned.roots).ratio,
            met_target=self.met_target,
            found_by=best.solver if pruned.roots > best.indices.size else "the core's order",
        )
