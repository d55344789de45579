"""The heuristic on the whole graph or on a core of it, as is cheaper; where a core was poor, on one twice as large."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from lense._util.formatting import duration
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, shares_pruned, subgraph
from lense.problems import Problem, Solution
from lense.problems.base import Pruned
from lense.problems.parts import search_part
from lense.pruners.calibration import num_affordable
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from lense.solving.advice import Advice, Timer, advise, fitted_core, fitting_edges, larger, size_of
from lense.solving.cost import law_through

log = logging.getLogger(__name__)

_AT_MOST = 1.3
"""No round is begun that would make all of them take more of the time of the whole graph."""
_CLEARLY = 1.1
_UNKNOWN_SAMPLE = 20_000
Clock = Callable[[], float]


@dataclass(frozen=True)
class Way:
    """How to solve. ``prune`` None decides; ``size`` is a number of roots that is not to be doubled."""

    prune: bool | None = None
    target: float = 0.99
    size: int | None = None
    certify: bool = True
    time_limit: float | None = None
    mode: str = "subgraph"
    seed: int = 0
    clock: Clock = perf_counter
    timer: Timer = field(default_factory=Timer)

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit > 0:
            raise LenseError(f"The time limit must be a number of seconds above 0, not {self.time_limit:g}.")
        if not 0 < self.target <= 1:
            raise LenseError(f"The target is a share above 0 and at most 1, not {self.target:g}.")


def solve_prepared(
    problem: Problem,
    graph: Graph,
    budget: float,
    way: Way | None = None,
    core: Core | None = None,
    advice: Advice | None = None,
) -> Solution:
    """The answer of the problem's heuristic, found as ``way`` says, and scored on the whole ``graph``.

    ``core`` is the one that ships for the problem unless given; where there is none, one is fitted on a sample of the
    graph, if that pays. ``advice`` is for this graph and way, if it is known already.
    """
    way = Way() if way is None else way
    problem.check_budget(graph, budget)
    core = shipped_core(problem) if core is None else core
    if core is not None:
        core.set_params(target=way.target, size=way.size, budget=budget)
    if way.prune is False:
        return _solved_whole(problem, graph, budget, way, "solved on the whole graph, as asked")
    if way.prune is None or core is None:
        advice = advice or advise(
            problem,
            graph,
            budget,
            core=core,
            target=way.target,
            time_limit=way.time_limit,
            seed=way.seed,
            timer=way.timer,
        )
        if way.prune is None and not advice.prune:
            return _solved_whole(problem, graph, budget, way, advice.reason)
    begun = way.clock()
    core = core or _fitted(problem, graph, budget, advice, way)
    return _Rounds(problem, graph, budget, core, advice, way, begun).solution()


def _solved_whole(problem: Problem, graph: Graph, budget: float, way: Way, reason: str) -> Solution:
    solution = problem.solve(graph, budget, np.random.default_rng(way.seed), certify=way.certify)
    return replace(solution, reason=reason, expected_ratio=1.0)


def _fitted(problem: Problem, graph: Graph, budget: float, advice: Advice | None, way: Way) -> Core:
    """A core that learns from the heuristic on a sample: as large as is cheap, or if that is asked for, a fixed one."""
    edges = 0 if advice is None else advice.fitted_on
    if not edges and advice is not None and advice.law is not None:
        edges, _ = fitting_edges(advice.law, graph, num_affordable(problem, graph, budget))
    edges = edges or min(_UNKNOWN_SAMPLE, graph.num_edges)
    core = fitted_core(problem, graph, budget, edges, target=way.target, seed=way.seed)
    return core.set_params(size=way.size)


class _Rounds:
    """Cores of growing size, each solved, until one is good enough.

    A round follows another, with twice the roots, if there is doubt about the answer: the calibration is less sure of
    the target than it should be, or the answer scores less than ``target`` of what the first vertices of the quick
    order score. Rounds end when the certificate says that the target is met, when twice the roots gain less than half
    of what the target leaves, when all vertices are roots, or when the next one would take too long. If there is doubt
    even then, the whole graph is solved, unless the rounds took too much of its time.
    """

    def __init__(
        self, problem: Problem, graph: Graph, budget: float, core: Core, advice: Advice | None, way: Way, begun: float
    ) -> None:
        self.problem, self.graph, self.budget = problem, graph, budget
        self.core, self.advice, self.way, self.begun = core, advice, way, begun
        self.rng = np.random.default_rng(way.seed)
        self.rounds: list[dict[str, Any]] = []
        self.pruning = 0.0
        self._order: Int64s = np.empty(0, np.int64)

    def solution(self) -> Solution:
        self.expected = expected = self.core.expected(self.graph, budget=self.budget, prepared=True)
        first = best = self._round(expected.roots)
        if self.way.certify:
            first = best = self.problem.certify(self.graph, first, self.rng)
        in_doubt = self.way.size is None and not self._is_certain(best) and best.pruned is not None
        in_doubt = in_doubt and (expected.confidence < self.core.confidence or self._is_poor(best))
        while in_doubt and self._has_time():
            last, found = best.score, self._round(2 * self.rounds[-1]["roots"])
            best = found if found.score > best.score else best
            gained_little = found.score <= last * (1 + (1 - self.way.target) / 2)
            in_doubt = not gained_little and found.pruned is not None
        if in_doubt and self._has_time_for_all():
            found = self._round(self.graph.num_vertices)
            best = found if found.score > best.score else best
        if best is not first and self.way.certify:
            best = self._certified_like(first, best)
        return self._explained(best)

    def _round(self, roots: int) -> Solution:
        """What the heuristic finds on a core of so many roots, scored on the whole graph."""
        begun = self.way.clock()
        part = self._part(min(roots, self.graph.num_vertices))
        pruned_at = self.way.clock()
        rng = np.random.default_rng(self.way.seed)
        if part is None:
            found = self.problem.search(self.graph, self.budget, rng)
        else:
            found = search_part(self.problem, self.graph, part, self.budget, rng, mode=self.way.mode)
        found = self.problem.score(self.graph, found)
        done = self.way.clock()
        self.pruning += pruned_at - begun
        edges = self.graph.num_edges if part is None else part.graph.num_edges
        size = self.graph.num_vertices if part is None else part.roots.size
        self.rounds.append(
            {
                "roots": size,
                "edges": edges,
                "score": found.score,
                "heuristic_seconds": found.seconds,
                "seconds": done - begun,
            }
        )
        log.info("round %d: %s roots, score %.6g, %.3g s", len(self.rounds), f"{size:,}", found.score, done - begun)
        return found if part is None else replace(found, pruned=self._described(part))

    def _part(self, roots: int) -> Subgraph | None:
        """The core of so many roots, or None where that is the whole graph."""
        if roots == self.graph.num_vertices:
            return None
        if roots > self._order.size:
            # a longer order is little more work, and the next round needs it
            count = roots if not self._order.size else min(4 * roots, self.graph.num_vertices)
            self._order = self.core.ranking(self.graph, self.budget, count, self.core.weights_)
        return subgraph(self.graph, self._order[:roots], only_roots=True)

    def _described(self, part: Subgraph) -> Pruned:
        sizes = part.graph.num_vertices, part.graph.num_edges
        return Pruned(
            *sizes, *shares_pruned(self.graph, part), self.pruning, self.way.mode, part.roots.size, self.core.name
        )

    def _is_certain(self, solution: Solution) -> bool:
        return solution.certified is not None and solution.certified >= self.way.target

    def _is_poor(self, solution: Solution) -> bool:
        """Whether the first vertices of the quick order score so much more that the part must be to blame."""
        if self.problem.checked_costs(self.graph) is not None:
            return False
        quick = self._order[: int(self.budget)]
        if np.isin(quick, solution.indices).all():
            return False
        score, _ = self.problem.estimate(self.graph, quick)
        return solution.score < self.way.target * score

    def _next_seconds(self) -> float:
        """What a round with twice the roots takes: at most four times the last one."""
        return 4 * float(self.rounds[-1]["seconds"])

    def _has_time(self) -> bool:
        spent, needed = self.way.clock() - self.begun, self._next_seconds()
        if self.way.time_limit is not None and spent + needed > self.way.time_limit:
            return False
        return self.advice is None or spent + needed < (_AT_MOST - 1) * self._whole_seconds(self.advice)

    def _has_time_for_all(self) -> bool:
        """Whether the rounds took so little that the whole graph, solved after them, stays within the limits."""
        if self.advice is None:
            return False
        spent, whole = self.way.clock() - self.begun, self._whole_seconds(self.advice)
        is_late = self.way.time_limit is not None and spent + whole > self.way.time_limit
        return not is_late and spent <= (_AT_MOST - 1) * whole

    def _whole_seconds(self, advice: Advice) -> float:
        """What the whole graph takes; an estimate from samples is too large by as much as that for the part was."""
        if advice.law is None or advice.least_seconds is None or self.rounds[0]["edges"] == self.graph.num_edges:
            return advice.whole_seconds
        first: dict[str, float] = self.rounds[0]
        size = size_of(self.graph) * first["edges"] / self.graph.num_edges
        return advice.least_seconds * min(1.0, first["seconds"] / advice.law.at(size))

    def _certified_like(self, first: Solution, best: Solution) -> Solution:
        """``best`` with the bound on the optimum that was found with ``first``."""
        below = self.problem.lower_bound(self.graph, best, self.rng)
        return replace(best, upper_bound=first.upper_bound, lower_bound=below)

    def _explained(self, best: Solution) -> Solution:
        solver, pruned = self.problem.solver, best.pruned
        details = dict(best.details) if len(self.rounds) == 1 else {**best.details, "rounds": self.rounds}
        if pruned is None:
            reason = f"solved on the whole graph after {len(self.rounds)} rounds: every smaller part was poor"
            if len(self.rounds) == 1:
                reason = "solved on the whole graph: a core of it has all its vertices as roots"
            return replace(best, details=details, reason=reason, expected_ratio=1.0)
        kept = f"{100 * (1 - pruned.edges_pruned):.2g} %" if pruned.edges_pruned > 0.005 else "100 %"
        rounds = "" if len(self.rounds) == 1 else f", in {len(self.rounds)} rounds"
        if self.way.size is None:
            rounds += larger(self.expected.unlike)
        took = sum(one["heuristic_seconds"] for one in self.rounds)
        return replace(
            best,
            details=details,
            reason=f"pruned to {kept} of the edges in {duration(self.pruning, 2)}; {solver} took "
            f"{duration(took, 2)}{self._beside(took)}{rounds}",
            expected_ratio=self._expected_ratio(pruned.roots),
        )

    def _beside(self, took: float) -> str:
        """What the whole graph takes; where a part of it took longer, the estimate says little."""
        if self.advice is None:
            return ""
        estimated, whole = self.advice.whole_seconds, self._whole_by_part(self.advice)
        if _CLEARLY * took < whole:
            return f" instead of about {duration(whole, 2)}"
        if took < estimated:
            return ", and the whole graph seems to take hardly longer"
        return f" there, so that the {duration(estimated, 2)} estimated for the whole graph were too few"

    def _whole_by_part(self, advice: Advice) -> float:
        """What the whole graph takes, by a sample and the first part where samples said it: a fixed cost shows."""
        first: dict[str, float] = self.rounds[0]
        part = round(size_of(self.graph) * first["edges"] / self.graph.num_edges)
        if advice.law is None or advice.least_seconds is None or part <= advice.law.size:
            return advice.whole_seconds
        points = [(advice.law.size, advice.law.seconds), (part, max(first["heuristic_seconds"], advice.law.seconds))]
        return min(advice.whole_seconds, law_through(points).at(size_of(self.graph)))

    def _expected_ratio(self, roots: int) -> float:
        return self.core.calibration_.of_size(self.budget, self.way.target, roots).ratio
