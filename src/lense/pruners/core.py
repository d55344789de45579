"""The smallest part that keeps a target: a scored set of roots, as many as held-out graphs say are needed."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lense._util.options import is_count
from lense._util.progress import progress
from lense._util.types import AnyArray, Bools, Float64s, Int64s
from lense.errors import LenseError
from lense.graph import AnyGraph, Graph, split
from lense.graph.subgraph import Subgraph, subgraph
from lense.problems import Problem
from lense.pruners.base import Pruner
from lense.pruners.calibration import GRID, Calibration, Expected
from lense.pruners.core_features import NAMES, places
from lense.pruners.ranking import largest
from lense.pruners.trials import Trial, bought, by_worth, calibrated, can_be_tried, check_share, describe, too_small

_RULE = np.eye(len(NAMES))[0]
"""The score that is the problem's quick order itself; what is learnt is a correction to it."""
_PENALTY = 0.1
_LEAST_GAIN = 0.01
"""A correction that gains less on held-out halves did not carry over to larger graphs; see docs/core.md."""
_REPORT = "report."


class Core(Pruner):
    """Keeps xi(X), where X are the roots of largest score, as few as keep ``target`` of the heuristic's own score.

    The score is linear in the :func:`~lense.pruners.core_features.places` of a vertex. It starts as the problem's quick
    order alone, for im a greedy choice on a few worlds. ``fit`` learns a correction to it by logistic regression on
    the heuristic's solutions of two random halves of the train graph, and keeps it only if, learnt on either half, it
    gives a better answer on the other. There it also tries from 0.8 to 2 roots for each unit of the budget, which says
    how many meet the target with the ``confidence``; calibrations that ship with the package count as much as these
    two. ``size`` is a number of roots that overrules this. That takes 18 runs of the heuristic.
    """

    name: ClassVar[str] = "core"
    learns: ClassVar[bool] = True
    weights_: Float64s
    calibration_: Calibration

    def __init__(
        self,
        problem: str | Problem = "mvc",
        budget: float = 100,
        *,
        target: float = 0.99,
        confidence: float = 0.9,
        size: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(problem, budget)
        self.target, self.confidence, self.size, self.seed = target, confidence, size, seed
        self._check()

    def _check(self) -> None:
        for name in ("target", "confidence"):
            check_share(getattr(self, name), name, "a core")
        if self.size is not None and not (is_count(self.size) and self.size > 0):
            raise LenseError(f"The size of a core is a whole number of roots from 1 on, not {self.size!r}.")

    def fit(self, graph: AnyGraph, *, prepared: bool = False) -> Self:
        """Learn from a train graph, of which each half is held out once."""
        whole = self.prepared_to_fit(graph, prepared)
        halves = split(whole, 0.5, self.seed)
        self.fit_many(halves, [self.budget])
        count = bought(self.problem_, whole, self.budget)
        self.calibration_ = self.calibration_.also_for(describe(self.problem_, whole, count))
        known = _shipped_calibration(self.problem_)
        if known is not None:
            self.calibration_ = self.calibration_.together(known)
        return self

    def fit_many(self, graphs: Sequence[Graph], budgets: Iterable[float]) -> Self:
        """Learn from several prepared graphs and budgets; each graph is held out once, while all others are fitted to.

        A budget larger than a quarter of a graph's vertices is left out there.
        """
        self._check()
        kinds = [(graph, budget) for graph, budget in product(graphs, budgets) if can_be_tried(graph, budget)]
        if len({id(graph) for graph, _ in kinds}) < 2:
            raise too_small()
        with progress("fitting a core", (2 + len(GRID)) * len(kinds)) as advance:

            def ratio(case: Trial, weights: Float64s, per_budget: float) -> float:
                advance(1)
                order = self.ranking(case.graph, case.budget, case.roots(per_budget), weights)
                return case.ratio(subgraph(case.graph, order, only_roots=True))

            cases = [SolvedGraph(self.problem_, graph, budget, self.seed) for graph, budget in kinds]
            learnt = _held_out(cases)
            rule = np.array([ratio(case, _RULE, 1.0) for case in cases])
            corrected = np.array([ratio(*pair, 1.0) for pair in zip(cases, learnt, strict=True)])
            is_better = bool(corrected.mean() > rule.mean() + _LEAST_GAIN)
            used = {id(case): weights if is_better else _RULE for case, weights in zip(cases, learnt, strict=True)}
            self.calibration_ = calibrated(cases, lambda case, per_budget: ratio(case, used[id(case)], per_budget))
        self.weights_ = corrected_weights(cases) if is_better else _RULE
        self.report_ = {
            "rule": float(rule.mean()),
            "corrected": float(corrected.mean()),
            "keeps_correction": float(is_better),
            "heuristic_runs": float(sum(case.runs for case in cases)),
        }
        return self

    @property
    def is_fitted(self) -> bool:
        return hasattr(self, "weights_")

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.str_]:
        """The names of the features that ``weights_`` (8) belong to; see ``lense.pruners.core_features``."""
        return np.array(NAMES, np.str_)

    def picture(self) -> tuple[str, list[tuple[float, float]]]:
        means = self.calibration_.shares @ self.calibration_.ratios
        return "expected ratio by roots, from 0.8 to 2 budgets", list(zip(GRID, means.tolist(), strict=True))

    def prune(self, graph: AnyGraph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        whole = self.prepared(graph, prepared, budget, seed)
        spent = self.budget if budget is None else budget
        roots = min(self.expected(whole, budget=spent, prepared=True).roots, whole.num_vertices)
        if roots == whole.num_vertices:
            everything = np.arange(roots)
            return Subgraph(whole, everything, everything)
        order = self.ranking(whole, spent, roots, self.weights_)
        return subgraph(whole, order, only_roots=True)

    def expected(self, graph: AnyGraph, *, budget: float | None = None, prepared: bool = False) -> Expected:
        """How many roots a part of ``graph`` would have, and what to expect of it."""
        whole = self.prepared(graph, prepared, budget)
        count = bought(self.problem_, whole, self.budget if budget is None else budget)
        return self.expected_for(count, describe(self.problem_, whole, count))

    def expected_for(self, count: int, described: Float64s) -> Expected:
        """As :meth:`expected`, where the budget buys ``count`` vertices of a graph that is ``described``."""
        self._check()
        if self.size is not None:
            return self.calibration_.of_size(count, self.target, self.size, described)
        return self.calibration_.smallest(count, self.target, self.confidence, described)

    @property
    def follows_quick_order(self) -> bool:
        """Whether no correction was kept, so that the roots are the first of the problem's quick order."""
        return np.array_equal(self.weights_, _RULE)

    def ranking(self, graph: Graph, budget: float, count: int, weights: Float64s) -> Int64s:
        """The ``count`` vertices of largest score, best first."""
        problem, most = self.problem_, bought(self.problem_, graph, budget)
        if problem.checked_costs(graph) is not None:
            return by_worth(problem, graph)[:count]
        if np.array_equal(weights, _RULE):
            return problem.quick_order(graph, most, count)
        scores: Float64s = places(problem, graph, most) @ weights
        return largest(scores, count)

    def learnt(self) -> Mapping[str, AnyArray]:
        if not self.is_fitted:
            return {}
        report = {_REPORT + name: np.array(value) for name, value in self.report_.items()}
        return {"weights": self.weights_, **self.calibration_.arrays(), **report}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        weights = np.asarray(learnt["weights"], np.float64)
        if weights.shape != _RULE.shape or not np.isfinite(weights).all():
            raise ValueError(f"a core has {len(NAMES)} weights")
        self.calibration_ = Calibration.from_arrays(learnt)
        report = {name: a for name, a in learnt.items() if name.startswith(_REPORT)}
        self.report_ = {name.removeprefix(_REPORT): float(a) for name, a in report.items()}
        self.weights_ = weights


class SolvedGraph(Trial):
    """A train graph that the heuristic has solved, and what its vertices look like."""

    def __init__(self, problem: Problem, graph: Graph, budget: float, seed: int) -> None:
        super().__init__(problem, graph, budget, seed)
        self.features, self.numbers = _alike(places(problem, graph, self.count))
        is_in: Bools = np.isin(np.arange(graph.num_vertices), self.solution.indices)
        self.chosen = np.bincount(self.numbers, weights=is_in, minlength=len(self.features))


def _shipped_calibration(problem: Problem) -> Calibration | None:
    """That of the core that ships for the problem, if there is one."""
    from lense.pruners.shipped import shipped_core  # which loads cores

    shipped = shipped_core(problem)
    return None if shipped is None else shipped.calibration_


def _held_out(cases: Sequence[SolvedGraph]) -> list[Float64s]:
    """For each case, the correction learnt from all other graphs."""
    graphs = {id(case.graph) for case in cases}
    learnt = {graph: corrected_weights([case for case in cases if id(case.graph) != graph]) for graph in graphs}
    return [learnt[id(case.graph)] for case in cases]


def _alike(features: Float64s) -> tuple[Float64s, Int64s]:
    """The rows of ``features`` (n, k) with those that stand last in every ranking made one row, and each vertex's row.

    That is nearly all of a large graph.
    """
    lasts = features.min(axis=0)
    stands_out = (features > lasts).any(axis=1)
    numbers: Int64s = np.where(stands_out, np.cumsum(stands_out) - 1, stands_out.sum())
    return np.concatenate([features[stands_out], lasts[None]]), numbers


def corrected_weights(cases: Sequence[SolvedGraph]) -> Float64s:
    """Weights w (k) of a logistic regression of the solutions on the features, with a penalty for leaving the rule.

    With x the features of a vertex and y = 1 if it is in the solution, else 0, they minimise

        sum of (log(1 + e^z) - y z) / b + 0.1 |w - rule|^2,   z = w x + c,

    where each case counts the same.
    """
    from scipy.optimize import minimize

    features = np.concatenate([case.features for case in cases])
    each = np.concatenate([np.full(len(case.features), 1 / case.count) for case in cases]) / len(cases)
    all_of_them = each * np.concatenate([np.bincount(case.numbers, minlength=len(case.features)) for case in cases])
    chosen = each * np.concatenate([case.chosen for case in cases])

    def loss(guess: Float64s) -> tuple[float, Float64s]:
        weights, constant = guess[:-1], guess[-1]
        z = features @ weights + constant
        slope = all_of_them / (1 + np.exp(-z)) - chosen
        away = weights - _RULE
        value = all_of_them @ np.logaddexp(0, z) - chosen @ z + _PENALTY * away @ away
        return float(value), np.append(features.T @ slope + 2 * _PENALTY * away, slope.sum())

    found: Float64s = minimize(loss, np.append(_RULE, -1.0), jac=True, method="L-BFGS-B").x[:-1]
    return found
