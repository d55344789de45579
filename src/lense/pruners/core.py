"""The smallest part that keeps a target: a scored set of roots, as many as held-out graphs say are needed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lense._util.options import is_count, is_number
from lense._util.progress import progress
from lense._util.types import AnyArray, Float64s, Int64s
from lense.errors import LenseError
from lense.graph import AnyGraph, Graph, split
from lense.graph.subgraph import Subgraph, subgraph
from lense.kernels.rows import Adjacency
from lense.problems import Problem
from lense.problems.parts import ratio_of, score_part
from lense.pruners.base import Pruner
from lense.pruners.calibration import GRID, Calibration, Expected, by_worth, describe, describe_values, num_affordable
from lense.pruners.ranking import importance, largest

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

_DEEPEST = 20
"""Places beyond so many budgets count as the last of these: they are in no solution."""
RANKINGS = {
    "quick order": "the order of the problem's own quick rule",
    "importance": "edges, or weight, at the vertex",
    "incoming": "weight that comes in",
    "two hops": "what its neighbours are worth",
    "neighbours' degree": "mean degree of its neighbours",
    "outside the largest": "what does not go to the largest vertices",
    "from the largest": "weight that comes from the largest vertices",
    "shared neighbours": "neighbours that have few others",
}
"""The features of a vertex: its places in these rankings, and what each goes by."""
NAMES = tuple(RANKINGS)
_RULE = np.eye(len(NAMES))[0]
"""The weights of the problem's quick order itself; what is learnt is a correction to them."""
_PENALTY = 0.1
_LEAST_GAIN = 0.01
"""A correction that gains less on held-out halves does not carry over to larger graphs; see docs/core.md."""
_THOROUGH = 4
"""Roots for each choice at least, where the heuristic finds more than the order of the roots."""
_REPORT = "report."


@dataclass(kw_only=True, repr=False, eq=False)
class Core(Pruner):
    """A pruner that keeps xi(X), where X are the fewest roots of largest score that keep ``target`` of the score.

    The score of a root is linear in the :func:`places` of a vertex. It starts as the problem's quick order alone, for
    im a greedy choice on a few worlds. ``fit`` learns a correction to it by logistic regression on the heuristic's
    solutions of two random halves of the train graph, and keeps it only if, learnt on either half, it gives a better
    answer on the other. There it also tries from 0.8 to 2 roots for each unit of the budget, which says how many meet
    the target with the ``confidence``; calibrations that ship with the package count as much as these two. That takes
    18 runs of the heuristic.

    Parameters
    ----------
    problem, budget
        As for :class:`Pruner`.
    target
        The share of the heuristic's own score that the part must keep.
    confidence
        The probability of keeping it, by the calibration.
    size
        The number of roots, in place of ``target`` and ``confidence``.
    seed
        Of the split into halves and of the heuristic.

    Examples
    --------
    >>> import lense, numpy as np
    >>> graph = lense.graph.barabasi_albert(500, 3, np.random.default_rng(0))
    >>> lense.Core("mvc", 5, size=8).fit(graph).prune(graph).roots.size
    8
    """

    name: ClassVar[str] = "core"
    is_star: ClassVar[bool] = True
    description: ClassVar[str] = "The smallest part that keeps a target, by a quick order and a learnt size."
    learns: ClassVar[bool] = True

    target: float = 0.99
    confidence: float = 0.9
    size: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self._check()

    def _check(self) -> None:
        for name in ("target", "confidence"):
            value: object = getattr(self, name)
            if not is_number(value) or not 0 < value <= 1:
                raise LenseError(f"The {name} of a core is a share above 0 and at most 1, not {value!r}.")
        if self.size is not None and not (is_count(self.size) and self.size > 0):
            raise LenseError(f"The size of a core is a whole number of roots from 1 on, not {self.size!r}.")

    def fit_graph(self, graph: Graph) -> None:
        self.fit_many(split(graph, 0.5, self.seed), [self.budget])
        count = num_affordable(self.problem_, graph, self.budget)
        self.calibration_: Calibration = self.calibration_.also_for(describe(self.problem_, graph, count))
        from lense.pruners.shipped import shipped_core  # which loads cores

        if (shipped := shipped_core(self.problem_)) is not None:
            self.calibration_ = self.calibration_.together(shipped.calibration_)

    def fit_many(self, graphs: Sequence[Graph], budgets: Iterable[float]) -> Self:
        """Learn from several graphs and budgets; each graph is held out once, while all others are fitted to.

        Parameters
        ----------
        graphs : sequence of Graph
            The training graphs, prepared for the problem.
        budgets : iterable of float
            The budgets; one larger than a quarter of a graph's vertices is left out there.
        """
        self._check()
        kinds = [(graph, budget) for graph, budget in product(graphs, budgets) if can_be_tried(graph, budget)]
        if len({id(graph) for graph, _ in kinds}) < 2:
            raise LenseError("The train graph is too small for its halves to be solved with this budget.")
        with progress("fitting a core", (2 + len(GRID)) * len(kinds)) as advance:

            def ratio(case: SolvedGraph, weights: Float64s, per_budget: float) -> float:
                advance(1)
                order = self.ranking(case.graph, case.budget, case.roots(per_budget), weights)
                return case.ratio(subgraph(case.graph, order, only_roots=True))

            cases = [SolvedGraph(self.problem_, graph, budget, self.seed) for graph, budget in kinds]
            # for each graph, what is learnt from all others
            others = {id(graph): [case for case in cases if case.graph is not graph] for graph, _ in kinds}
            found = {graph: corrected_weights(rest) for graph, rest in others.items()}
            learnt = [found[id(case.graph)] for case in cases]
            rule = np.array([ratio(case, _RULE, 1.0) for case in cases])
            corrected = np.array([ratio(*pair, 1.0) for pair in zip(cases, learnt, strict=True)])
            is_better = bool(corrected.mean() > rule.mean() + _LEAST_GAIN)
            used = learnt if is_better else [_RULE] * len(cases)
            self.calibration_ = Calibration.of(
                [[ratio(*pair, per_budget) for per_budget in GRID] for pair in zip(cases, used, strict=True)],
                [case.count for case in cases],
                [describe(self.problem_, case.graph, case.count) for case in cases],
            )
        self.weights_: Float64s = corrected_weights(cases) if is_better else _RULE
        self.report_ = {
            "rule": float(rule.mean()),
            "corrected": float(corrected.mean()),
            "keeps_correction": float(is_better),
            "heuristic_runs": float(sum(case.runs for case in cases)),
        }
        return self

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.str_]:
        """Return the names of the features that ``weights_`` (8) belong to.

        Parameters
        ----------
        input_features : object
            Makes no difference.
        """
        return np.array(NAMES, np.str_)

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        roots = min(self.expected_on(graph, budget).roots, graph.num_vertices)
        if roots == graph.num_vertices:
            everything = np.arange(roots)
            return Subgraph(graph, everything, everything)
        return subgraph(graph, self.ranking(graph, budget, roots, self.weights_), only_roots=True)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        if not self.follows_quick_order:
            raise LenseError("This core has learnt features of all vertices, which need the whole graph in memory.")
        roots = min(self.expected_in(graph, budget).roots, graph.scan.num_vertices)
        if roots == graph.scan.num_vertices:
            return graph.whole()
        return graph.subgraph(graph.quick_order(self.problem_, budget, roots), only_roots=True)

    def expected_in(self, graph: "StreamedGraph", budget: float) -> Expected:
        """Return what :meth:`expected` says, for a graph that stays on disk.

        Parameters
        ----------
        graph : StreamedGraph
            The graph, which is read in passes.
        budget : float
            How much to spend.
        """
        return self._expected(int(budget), describe_values(graph.degrees, int(budget)))

    def expected(self, graph: AnyGraph, *, budget: float | None = None, prepared: bool = False) -> Expected:
        found = super().expected(graph, budget=budget, prepared=prepared)
        assert found is not None
        return found

    def expected_on(self, graph: Graph, budget: float) -> Expected:
        count = num_affordable(self.problem_, graph, budget)
        return self._expected(count, describe(self.problem_, graph, count))

    def _expected(self, count: int, described: Float64s) -> Expected:
        self._check()
        if self.size is not None:
            return self.calibration_.of_size(count, self.target, self.size, described)
        found = self.calibration_.smallest(count, self.target, self.confidence, described)
        if self.problem_.solver not in self.problem_.thorough_solvers:
            return found
        return found._replace(roots=max(found.roots, _THOROUGH * count))

    @property
    def follows_quick_order(self) -> bool:
        """Whether no correction was kept, so that the roots are the first of the problem's quick order."""
        return np.array_equal(self.weights_, _RULE)

    def ranking(self, graph: Graph, budget: float, count: int, weights: Float64s) -> Int64s:
        """Return the vertices of largest score, best first.

        Parameters
        ----------
        graph : Graph
            The graph, prepared for the problem.
        budget : float
            How much to spend.
        count : int
            How many vertices to return.
        weights : array (8)
            Of the features, such as ``weights_``.
        """
        problem, most = self.problem_, num_affordable(self.problem_, graph, budget)
        if problem.checked_costs(graph) is not None:
            return by_worth(problem, graph)[:count]
        if np.array_equal(weights, _RULE):
            return problem.quick_order(graph, most, count)
        scores: Float64s = places(problem, graph, most) @ weights
        return largest(scores, count)

    def learnt(self) -> Mapping[str, AnyArray]:
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


class SolvedGraph:
    """A prepared train graph that the heuristic has solved: what its vertices look like, and what it finds in parts.

    ``count`` is how many vertices the ``budget`` buys, ``runs`` how often the heuristic was called. Vertices that stand
    last in every ranking, nearly all of a large graph, share a row of the ``features``; ``numbers`` (n) are the rows.
    """

    def __init__(self, problem: Problem, graph: Graph, budget: float, seed: int) -> None:
        self.problem, self.graph, self.budget, self.seed = problem, graph, budget, seed
        solution = problem.search(graph, budget, self._rng()).indices
        self.best = problem.objective_value(graph, solution)
        self.count = num_affordable(problem, graph, budget)
        self.runs = 1
        self._scores: dict[bytes, float] = {}
        features = places(problem, graph, self.count)
        lasts = features.min(axis=0)
        stands_out = (features > lasts).any(axis=1)
        self.numbers: Int64s = np.where(stands_out, np.cumsum(stands_out) - 1, stands_out.sum())
        self.features = np.concatenate([features[stands_out], lasts[None]])
        is_in = np.isin(np.arange(graph.num_vertices), solution)
        self.chosen = np.bincount(self.numbers, weights=is_in, minlength=len(self.features))

    def roots(self, per_budget: float) -> int:
        """So many for each vertex that the budget buys, but no more than there are."""
        return min(ceil(per_budget * self.count), self.graph.num_vertices)

    def ratio(self, part: Subgraph) -> float:
        """The score of what the heuristic finds in ``part``, to the best that was found on the graph so far."""
        key = part.roots.tobytes()
        if key not in self._scores:
            self._scores[key] = score_part(self.problem, self.graph, part, self.budget, self._rng(), self.best).score
            self.best = max(self.best, self._scores[key])
            self.runs += 1
        return ratio_of(self._scores[key], self.best)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng([self.seed, 0x43])


def can_be_tried(graph: Graph, budget: float) -> bool:
    """Whether a graph has edges, and at least four vertices for each unit of the budget."""
    return graph.num_edges > 0 and budget <= max(1, graph.num_vertices / 4)


def corrected_weights(cases: Sequence[SolvedGraph]) -> Float64s:
    """Weights w (k) of a logistic regression of the solutions on the features, with a penalty for leaving the rule.

    With x the features of a vertex and y = 1 if it is in the solution, else 0, they minimise the mean over cases of

        sum of (log(1 + e^z) - y z) / b + 0.1 |w - rule|^2,   z = w x + c
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


def places(problem: Problem, graph: Graph, budget: int) -> Float64s:
    """(n, 8): log(b / r), where r is the place of a vertex in each ranking of ``NAMES``, at most 20 b.

    A place in budgets means the same in small and large graphs, and for small and large budgets.
    """
    n = graph.num_vertices
    deepest = min(_DEEPEST * budget, n)
    found = np.empty((n, len(NAMES)))
    found[:, 0] = deepest
    order = problem.quick_order(graph, budget, min(4 * budget, n))
    found[order, 0] = np.arange(1, order.size + 1)
    for column, values in enumerate(_sums(problem, graph, budget), start=1):
        found[:, column] = _place(values, deepest)
    return np.log(budget / found)


def _sums(problem: Problem, graph: Graph, budget: int) -> list[Float64s]:
    out = graph.outgoing if problem.uses_direction else graph.incident
    into = graph.incoming if problem.uses_direction else graph.incident
    weighs = problem.uses_direction or problem.counts_weights
    one, degree = np.ones(graph.num_vertices), np.diff(graph.incident.indptr).astype(np.float64)
    worth = importance(problem, graph)
    is_large = np.zeros(graph.num_vertices)
    is_large[largest(worth, min(budget, graph.num_vertices))] = 1.0
    return [
        worth,
        _summed(into, one, weighs),
        _summed(out, worth, weighs),
        _summed(graph.incident, degree, False) / np.maximum(degree, 1),
        _summed(out, 1 - is_large, weighs),
        _summed(into, is_large, weighs),
        _summed(out, 1 / np.maximum(degree, 1), weighs),
    ]


def _summed(rows: Adjacency, values: Float64s, weighs: bool) -> Float64s:
    """(n): the sum of ``values`` (n) over the entries of each row, times their weights if those count."""
    from scipy.sparse import csr_array

    n = rows.indptr.size - 1
    counts = rows.weights if weighs and rows.weights is not None else np.ones(rows.indices.size, np.float32)
    return np.asarray(csr_array((counts, rows.indices, rows.indptr), shape=(n, n)) @ values, np.float64)


def _place(values: Float64s, deepest: int) -> AnyArray:
    """(n): how many values are at least as large as each, at most ``deepest``."""
    top = np.sort(np.partition(values, values.size - deepest)[values.size - deepest :])
    place: Int64s = np.full(values.size, deepest)
    within = np.flatnonzero(values >= top[0])
    place[within] = np.minimum(deepest, np.maximum(1, top.size - np.searchsorted(top, values[within])))
    return place
