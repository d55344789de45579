"""Solve, prune and advise for a heuristic of the user's, by :mod:`lense.solving.search`."""

import logging
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from lense._util.options import check_budget_is_number
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.adapters import View
from lense.graph.fingerprint import fingerprint
from lense.graph.subgraph import Subgraph, kept_part, shares_pruned
from lense.problems import Problem, Solution
from lense.problems.base import Pruned, finite
from lense.solving.deciding import Advice
from lense.solving.functions import Ground, OwnFunction, OwnObjective, name_of
from lense.solving.options import SolveOptions
from lense.solving.search import CANDIDATES, INDUCED, RULE, Asked, Search, Trial

log = logging.getLogger(__name__)
WHOLE = "on the whole graph"


@dataclass(frozen=True)
class OwnQuestion:
    """A user's heuristic for a ``problem``, which has its own objective unless one is given; ``names`` are all ids."""

    function: OwnFunction
    problem: Problem
    budget: float
    options: SolveOptions
    view: View
    names: list[Any]
    objective: OwnObjective | None = None

    @property
    def whole(self) -> Graph:
        return self.function.whole

    def asked(self) -> Asked:
        """The question in numbers of vertices, once its options are known to fit the graph and each other."""
        options, whole, n = self.options, self.whole, self.whole.num_vertices
        check_budget_is_number(self.budget)
        costs = self.problem.checked_costs(whole) if options.costs is None else self._costs(options.costs)
        if options.costs is None:
            self.problem.check_budget(whole, self.budget)
        elif not costs.min() <= self.budget < np.inf:  # type: ignore[union-attr]
            raise LenseError(f"A budget of {self.budget:g} buys no vertex: choose a larger one.")
        is_allowed = np.full(n, options.candidates is None)
        if options.candidates is not None:
            is_allowed[self._numbers(options.candidates, "candidates")] = True
        barred = self._numbers(options.forbidden, "forbidden")
        required = self._numbers(options.required, "required")
        if np.isin(required, barred).any():
            raise LenseError("A vertex is both required and forbidden: take it out of one of them.")
        is_allowed[barred] = False
        is_allowed[required] = True
        if not is_allowed.any():
            raise LenseError("candidates= and forbidden= leave no vertex to choose from.")
        spent = float(required.size if costs is None else costs[required].sum())
        if spent > self.budget:
            raise LenseError(f"The required vertices take {spent:g} of a budget of {self.budget:g}.")
        return Asked(
            self.function,
            self._value,
            self.budget,
            np.flatnonzero(is_allowed),
            required,
            costs,
            options.minimise,
            options.valid,
            options.kept,
            options.seed,
            None if self.objective is not None else partial(self.problem.quick_order, whole, self._bought(costs)),
            self.objective is None,
            self._certified if self.objective is None and options.certify and options.costs is None else None,
        )

    def _certified(self, vertices: Int64s) -> float | None:
        """The share of the optimum that an answer reaches for certain."""
        problem, rng = self.problem, np.random.default_rng(self.options.seed)
        found = Solution(problem.name, self.function.name, self.budget, vertices, nan, nan, 0.0)
        return problem.certify(self.whole, problem.score(self.whole, found), rng).certified

    def _bought(self, costs: Float64s | None) -> int:
        return max(1, int(self.budget if costs is None else self.budget / float(np.median(costs))))

    def _value(self, ground: Ground, vertices: Int64s) -> float:
        """The objective of vertices of the whole graph, on the whole graph or on a part; NaN where it is not finite."""
        if self.objective is not None:
            found = self.objective(ground.theirs, ground.ids(vertices))
            if isinstance(found, float | np.floating) and not np.isfinite(found):
                return nan
            return finite(found, f"The objective {name_of(self.objective)}")
        local = np.searchsorted(ground.vertices, vertices)
        if ground.graph is self.whole:
            return self.problem.estimate(self.whole, local)[0]
        return self.problem.objective_value(ground.graph, local)

    def _numbers(self, ids: Any, what: str) -> Int64s:
        """The vertices that have these ids, in rising order."""
        if ids is None:
            return np.empty(0, np.int64)
        number = dict(zip(self.names, range(len(self.names)), strict=True))
        if isinstance(ids, str) or not isinstance(ids, Iterable):
            raise LenseError(f"{what}= must be a list of vertices, not {ids!r}.")
        listed = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
        for one in listed:
            if not isinstance(one, Hashable) or one not in number:
                raise LenseError(f"{what}= names {one!r}, which is no vertex of the graph.")
        return np.unique(np.array([number[one] for one in listed], np.int64))

    def _costs(self, given: Any) -> Float64s:
        """What each vertex takes of the budget: by an attribute's name, a mapping, a function of an id, or numbers."""
        if isinstance(given, str):
            found: Any = self.view.attribute(given)
        elif isinstance(given, Mapping) or hasattr(given, "reindex"):  # a Series of pandas goes by its index
            missing = next((one for one in self.names if one not in given), None)
            if missing is not None:
                raise LenseError(f"costs= has no cost for the vertex {missing!r}.")
            found = [given[one] for one in self.names]
        elif callable(given):
            found = [given(one) for one in self.names]
        else:
            found = given
        try:
            costs = np.asarray(found, np.float64)
        except (TypeError, ValueError):
            costs = np.empty(0)
        if costs.shape != (len(self.names),) or not ((costs > 0) & (costs < np.inf)).all():
            raise LenseError(
                f"costs= must be one positive, finite number for each of the {len(self.names):,} vertices."
            )
        return costs


def solve_own(question: OwnQuestion) -> Solution:
    """The answer of the user's heuristic, found on parts of the graph if that is quicker and loses next to nothing."""
    options = question.options
    asked = question.asked()
    search = Search(asked, time_limit=options.time_limit, forced=options.prunes is True)
    before = fingerprint(search.whole.theirs)
    try:
        trial, decision = _searched(search, options)
    except KeyboardInterrupt:
        if options.on_interrupt != "return" or search.best is None:
            raise
        trial, decision = search.best, "interrupted"
    if fingerprint(search.whole.theirs) != before:
        what = "heuristic" if question.objective is None else "heuristic or the objective"
        raise LenseError(f"The {what} changed the graph: let it work on a copy.")
    return _solution(question, asked, search, trial, decision)


def _searched(search: Search, options: SolveOptions) -> tuple[Trial, str]:
    """The answer, and how it was decided: "whole", "advised whole", "pruned", "fell back" or "stopped"."""
    if options.prune is False:
        return search.run_whole(), "whole"
    if options.size is not None:
        return _of_size(search, options), "pruned"
    if search.is_small and not options.prunes and options.time_limit is None:
        return search.run_whole(), "advised whole"
    search.run()
    if search.is_quick and not options.prunes:
        return search.run_whole(), "advised whole"
    if search.is_quick:
        search.look_at_orders()
        search.look_at_parts()
    if options.prunes and not any(one.found_by == search.own.name for one in search.trials):
        _run_least_part(search)
    best = search.best
    if best is not None and (search.accepted or options.prunes):
        return best, "pruned"
    if not search.has_time_for(search.whole_seconds):
        if best is None and search.ranked:
            _run_least_part(search)
            best = search.best or max(search.by_orders, key=lambda one: -inf if one.score is None else one.score)
        if best is not None and best.score is not None:
            return best, "stopped"
    whole = search.run_whole()
    best = search.best
    return whole if best is None else best, "fell back"


def _of_size(search: Search, options: SolveOptions) -> Trial:
    """f on the part of as many vertices as the options say."""
    if options.mode == "ground-set" and not search.own.takes_candidates:
        raise LenseError(
            f"mode='ground-set' needs a heuristic with an argument candidates, which {search.own.name} lacks."
        )
    search.look_at_orders()
    assert options.size is not None
    shape = CANDIDATES if options.mode == "ground-set" else INDUCED
    search.run_part(shape, search.pool(options.size))
    best = search.best
    if best is None:
        raise LenseError(f"No part of {options.size:,} vertices gave a valid answer{_because(search)}.")
    return best


def _run_least_part(search: Search) -> None:
    pool = search.pool(min(RULE.few * search.bought, search.n // 2 + 1))
    search.run_part(CANDIDATES if search.own.takes_candidates else INDUCED, pool)


def _because(search: Search) -> str:
    return f": {search.why}" if search.why else ""


def _solution(question: OwnQuestion, asked: Asked, search: Search, trial: Trial, decision: str) -> Solution:
    problem, whole, name = question.problem, question.whole, search.own.name
    if trial.score is None and asked.valid is None and trial.vertices.size:
        found, what = asked.value(search.whole, trial.vertices), name_of(question.objective)
        raise LenseError(f"The objective {what} must be a finite number, not {found} for the answer of {name}.")
    if trial.score is None:
        rule = "" if asked.valid is None else f" that {name_of(asked.valid)} accepts"
        raise LenseError(f"{name} found no answer{rule}: it returned {trial.vertices.size:,} vertices.")
    is_whole = trial.part is search.whole and trial.where.startswith(WHOLE)
    of_own, part = trial.found_by == name, trial.part
    pruned = subgraph = None
    if not is_whole and of_own and part is not None:
        pool = min(trial.size, whole.num_vertices)
        subgraph = Subgraph(part.graph, part.vertices, part.vertices)
        mode = "ground-set" if part is search.whole else "subgraph"
        spent = max(search.spent - search.own_seconds, 0.0)
        pruned = Pruned(
            part.graph.num_vertices, part.graph.num_edges, *shares_pruned(whole, subgraph), spent, mode, pool, "search"
        )
    ratio, reached = search.expected, None if search.expected is None else search.expected >= asked.target
    if decision in ("whole", "advised whole", "fell back"):
        own = next((one for one in reversed(search.trials) if one.part is search.whole), trial)
        ratio, reached = (1.0 if search.quality(own.score) > 0 else None), True
    reason = _reason(search, trial, decision)
    if asked.costs is None and trial.vertices.size < min(question.budget, asked.allowed.size):
        reason += f"; the answer has {trial.vertices.size:,} of {question.budget:,g} vertices"
    if reached and not search.has_time_for(0):
        reason += f"; {name} took longer than expected, and longer than the time limit"
        log.warning("%s", reason)
    if decision in ("stopped", "interrupted") or (decision == "pruned" and not search.accepted):
        reached = False if asked.target < 1 or ratio is None else reached
        log.warning("%s", reason)
    solution = Solution(
        problem=problem.name,
        solver=name,
        budget=question.budget,
        indices=trial.vertices,
        score=trial.score,
        stderr=0.0,
        seconds=search.own_seconds,
        pruned=pruned,
        part=subgraph,
        decision=decision,
        reason=reason,
        expected_ratio=ratio,
        met_target=reached,
        found_by=trial.found_by,
        details={
            "trials": search.record(),
            "estimated_seconds": search.whole_range,
        },
    )
    if question.objective is not None:
        return solution
    scored = problem.score(whole, solution)
    if not question.options.certify or question.options.costs is not None:
        return scored
    return problem.certify(whole, scored, np.random.default_rng(question.options.seed))


def _reason(search: Search, trial: Trial, decision: str) -> str:
    """What was done and why, in one line."""
    name, estimate = search.own.name, search.estimate()
    if decision == "whole":
        return f"solved {trial.where}, without pruning"
    if decision == "advised whole":
        if search.is_small:
            return "solved on the whole graph: the budget is too large a share of it for a part to help"
        return f"solved on the whole graph: {name} is too quick there for pruning to help"
    instead = f"; on the whole graph it would take {estimate}" if estimate else ""
    if decision == "fell back":
        tried = any(one.found_by == name and one.where != WHOLE for one in search.trials)
        why = search.why or ("larger parts kept improving the answer" if tried else "none seemed to save time")
        ahead = (
            "" if trial.found_by == name and trial.part is search.whole else f"; best answer: {search.in_words(trial)}"
        )
        return f"solved on the whole graph, since no part was good enough ({why}){ahead}"
    if decision == "pruned" and search.accepted:
        how = search.proof or "confirmed by larger parts or samples, and by random swaps"
        return f"{search.in_words(trial)}, {how}{instead}"
    stop = {"interrupted": "interrupted", "stopped": "stopped at the time limit"}.get(decision, "pruned as asked")
    why = search.why or "larger parts may improve the answer"
    return f"{stop}, and the target may be missed ({why}): {search.in_words(trial)}{instead}"


def part_of_own(question: OwnQuestion) -> tuple[Subgraph, Any]:
    """The part on which the search found its answer, and it in the user's type."""
    asked = question.asked()
    search = Search(asked, time_limit=question.options.time_limit, forced=True)
    trial, _ = _searched(search, replace(question.options, prune=True))
    vertices = trial.vertices if trial.part is None else trial.part.vertices
    if trial.part is None or trial.part is search.whole:
        vertices = np.union1d(trial.vertices, search.pool(max(trial.size, RULE.few * search.bought)))
    part = kept_part(question.whole, np.sort(vertices))
    return part, question.view.induced(np.sort(vertices), question.whole).graph


def advise_own(question: OwnQuestion) -> Advice:
    """What :func:`solve_own` would do, by samples and orders alone."""
    search = Search(question.asked(), time_limit=question.options.time_limit)
    name = search.own.name
    if search.is_small:
        return Advice(False, "the budget is too large a share of the graph for a part to help", nan)
    search.look_at_samples()
    between = search.whole_range
    if not search.growth.points:
        why = search.why or f"{name} chose nothing on samples"
        return Advice(False, f"parts may not help: {why}", nan, spent=search.spent)
    known: dict[str, Any] = {"whole_seconds": search.whole_seconds, "whole_range": between}
    if search.is_quick:
        return Advice(False, f"{name} is too quick for pruning to help", spent=search.spent, **known)
    search.look_at_orders()
    best = search.best
    first = "" if best is None else f"; without {name}, {best.where} score {best.score:,.6g}"
    takes = search.estimate()
    reason = f"parts are tried first: {name} takes {takes or 'an unknown time'} on the whole graph{first}"
    return Advice(True, reason, spent=search.spent, **known)
