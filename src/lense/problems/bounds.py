"""A lossless core: vertices that no optimum holds are dropped, those that every optimum holds are forced.

Five rules take turns until none of them finds anything more.

- *intervals*: with F the forced vertices, L the live ones and k = b - |F|, a problem says what a live vertex adds at
  least (lo) and at most (hi) to F and up to k - 1 other live vertices. A vertex with hi below 0, or below the k-th
  largest lo, is dropped. One with lo above 0 and above the (k + 1)-th largest hi is forced.
- *edges*: given a known solution, a vertex is dropped if a bound on all sets that hold it is below the solution's
  value. It is forced if a bound on all sets without it is. The bound is the linear relaxation with a variable for each
  edge.
- *cliques*: the same with edges bundled into cliques, which is much tighter where a graph is full of them.
- *convex*: the same with a concave program, which knows the whole matrix of costs at once; see
  :mod:`lense.problems.relaxation`.
- *probing*: the same for one vertex at a time, with a few more steps towards a bound on the sets with or without it.

The last round is called *bound* where a bound on all sets met the known solution: nothing that is left can be better.

Sets hold *at most* b vertices, which matters where a vertex can do harm, as in bmc. All comparisons are strict, so that
every optimum survives, also where several sets are equally good. Sums of weights that are no whole numbers are compared
with a margin of a billionth that can only keep more. To *prove* an optimum among such sums, sets must be better by more
than that margin to count as better.
"""

from dataclasses import dataclass
from math import floor, inf
from time import monotonic

import numpy as np

from lense._util.types import Bools, Float64s, Int8s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.kernels.bounds import (
    DROPPED,
    FORCED,
    LIVE,
    Pairs,
    gain_intervals,
    improve,
    live_pairs,
    pair_intervals,
    pair_value,
)
from lense.kernels.relaxation import clique_work
from lense.problems.base import Problem, Solution
from lense.problems.relaxation import Dual, Relaxation, convex_bound, convex_work

EFFORT = 1000.0
_CERTIFICATE_EFFORT = 60.0
ROUNDING, _WHOLE_ROUNDING = 1e-9, 1e-10
_LEAST_WORK = 5e7
_MOST_CLIQUE_WORK = 2e9
_MOST_DENSE = 4096
_WORK_PER_SECOND = 3e8
_STALLED = 0.02
_SHRUNK = 0.9
_MOST_FAILURES = 20
_PROBES = 5
_SORTING = 20
_PATIENCE = 3
_MOST_MOVES = 1000
_MOVING_WORK = 1e8
RULES = {
    "intervals": "what a vertex adds at least, against what others add at most",
    "edges": "a linear relaxation, edge by edge",
    "cliques": "the same with edges bundled into cliques",
    "convex": "a concave program on what is left",
    "probing": "one vertex at a time supposed chosen, or not",
    "bound": "nothing that is left can beat the best choice known",
}
"""What decides vertices, and how."""


@dataclass(frozen=True)
class Round:
    """What one rule did: how many vertices it dropped and forced, and how many were live after it."""

    rule: str
    dropped: int
    forced: int
    live: int


@dataclass(frozen=True)
class LosslessCore:
    """What is left of a problem on a graph: at most ``left`` of ``live`` are to be chosen with all of ``forced``.

    ``known`` is the best solution found. Where ``upper_bound`` is not None, no set is worth more. It, ``value``, which
    is that of ``known``, and ``offset``, that of ``forced``, are in the units that edges count in. ``pairs`` is the
    program on ``live``.
    """

    forced: Int64s
    live: Int64s
    left: int
    rounds: tuple[Round, ...]
    known: Int64s | None = None
    value: float = -inf
    offset: float = 0.0
    upper_bound: float | None = None
    pairs: Pairs | None = None

    @property
    def is_proven(self) -> bool:
        """Whether ``known`` is an optimum."""
        return self.upper_bound is not None and self.upper_bound <= self.value


def takes_part(problem: Problem) -> bool:
    """Whether ``problem`` says what a vertex adds at least and at most, without which nothing can be decided."""
    return problem.pair_loss is not None or type(problem).intervals is not Problem.intervals


def check_takes_part(problem: Problem) -> None:
    """Raise unless ``problem`` takes part."""
    if not takes_part(problem):
        raise _no_intervals(problem)


def _no_intervals(problem: Problem) -> LenseError:
    return LenseError(
        f"Bounds need to know what a vertex adds at least and at most, which {problem.name} does not say: "
        "they are for problems with a pair_loss or a method called intervals."
    )


def lossless_core(
    problem: Problem,
    graph: Graph,
    budget: float,
    known: Int64s | None = None,
    *,
    effort: float = EFFORT,
    probing: bool = True,
    beyond: bool = False,
    deadline: float = inf,
) -> LosslessCore:
    """Drop and force vertices of ``graph`` until no rule decides about any more.

    Every optimum holds all that is forced and nothing that was dropped. With ``beyond``, this is said only of sets
    that are worth more than ``known``, the best solution at hand, so that more is decided. ``effort`` is how many
    passes over the graph the relaxation may take, besides those that are over in a moment; 0 leaves it out, and without
    ``probing`` the last rule is left out. After ``deadline``, a time by the monotonic clock, no rule is begun.
    """
    problem.check_budget(graph, budget)
    if problem.checked_costs(graph) is not None:
        raise LenseError(
            f"Bounds need a budget that counts vertices, but those of {problem.name} have costs: "
            "take another pruner or solver."
        )
    state, left, rounds = _by_intervals(problem, graph, int(budget))
    live, forced = np.flatnonzero(state == LIVE), np.flatnonzero(state == FORCED)
    if problem.pair_loss is None or effort <= 0:
        return LosslessCore(forced, live, left, tuple(rounds))
    closing = _Closing(problem, graph, int(budget), state, rounds, known, beyond)
    closing.run(max(effort * problem.edges(graph).num_arcs, _LEAST_WORK), probing, deadline)
    return closing.core()


def certificate(problem: Problem, graph: Graph, budget: float, solution: Solution) -> float:
    """A bound on the optimum of a problem with a ``pair_loss``, by a few passes over ``graph``; infinite with costs."""
    if problem.checked_costs(graph) is not None:
        return inf
    core = lossless_core(
        problem, graph, budget, solution.indices, effort=_CERTIFICATE_EFFORT, probing=False, beyond=True
    )
    return safe_bound(problem, graph, core, solution)


def safe_bound(problem: Problem, graph: Graph, core: LosslessCore, solution: Solution) -> float:
    """The core's bound in the units of the objective; the score itself where that is proven to be the optimum."""
    assert core.upper_bound is not None
    assert problem.pair_loss is not None
    edges = problem.edges(graph)
    if core.is_proven and edges.worth(solution.indices, problem.pair_loss) >= core.value:
        return solution.score
    bound = problem.edge_value(graph) * core.upper_bound
    return max(solution.score, bound if edges.are_whole else bound * (1 + ROUNDING))


def _by_intervals(problem: Problem, graph: Graph, budget: int) -> tuple[Int8s, int, list[Round]]:
    """The state (n) of each vertex after the first rule, what is left of the budget, and the rounds it took."""
    state, left, rounds = np.full(graph.num_vertices, LIVE), budget, list[Round]()
    left_out = 0 if problem.pair_loss is None else problem.edges(graph).num_left_out  # these cannot matter
    while left > 0:
        live = np.flatnonzero(state == LIVE)
        interval = problem.intervals(graph, state, left)
        if interval is None:
            raise _no_intervals(problem)
        lo, hi = interval
        decided = _without_rest(_decided_by_intervals(lo, hi, left), left)
        state[live] = decided
        rounds.append(_round("intervals", decided, 0 if rounds else left_out))
        left -= rounds[-1].forced
        if rounds[-1].dropped == rounds[-1].forced == 0:
            break
    return state, left, rounds


def _without_rest(state: Int8s, left: int) -> Int8s:
    """``state`` with all live vertices dropped, if the ``left`` to choose are forced."""
    if np.count_nonzero(state == FORCED) == left:
        state[state == LIVE] = DROPPED
    return state


def _decided_by_intervals(lo: Float64s, hi: Float64s, left: int) -> Int8s:
    """The state of each live vertex by the first rule.

    Let a set S of at most k = ``left`` live vertices be worth as much as any. If v in S has hi(v) below 0, S - v is
    worth more. If hi(v) is below the k-th largest lo, one of those k vertices, u, is not in S, and S - v + u is worth
    at least lo(u) - hi(v) > 0 more. If v is not in S and lo(v) is above 0, S has k vertices, else S + v would be worth
    more. If lo(v) is also above the (k + 1)-th largest hi, a u in S has hi(u) < lo(v), and S - u + v is worth more.
    """
    state = np.full(lo.size, LIVE)
    least, most = _positive(lo, left), _positive(hi, left + 1)
    is_exact = (hi == np.rint(hi)).all() and (lo == np.rint(lo)).all()
    margin = 0.0 if is_exact else ROUNDING * float(max(np.abs(hi).max(), np.abs(lo).max()))
    state[hi < least - margin] = DROPPED
    state[lo > most + margin] = FORCED
    return state


def _positive(values: Float64s, rank: int) -> float:
    """The ``rank``-th largest value, or 0 where that is not above 0 or there are fewer."""
    above = values[values > 0]
    return float(np.partition(above, above.size - rank)[above.size - rank]) if above.size >= rank else 0.0


def _round(rule: str, state: Int8s, left_out: int = 0) -> Round:
    dropped, live, forced = np.bincount(state, minlength=3).tolist()
    return Round(rule, dropped + left_out, forced, live)


class _Closing:
    """The rules that know a solution, on the live part of a graph, which shrinks."""

    def __init__(
        self,
        problem: Problem,
        graph: Graph,
        budget: int,
        state: Int8s,
        rounds: list[Round],
        known: Int64s | None,
        beyond: bool,
    ) -> None:
        assert problem.pair_loss is not None
        loss, edges = problem.pair_loss, problem.edges(graph)
        self.edges, self.loss, self.rounds, self.beyond = edges, loss, rounds, beyond
        self.vertices, self.forced = np.flatnonzero(state == LIVE), np.flatnonzero(state == FORCED)
        left = budget - self.forced.size
        if known is None:
            everyone = np.arange(graph.num_vertices, dtype=np.int32)
            known = edges.greedy(everyone, budget, loss)
        self.offset = edges.worth(self.forced, loss)
        self.known, self.value = known, edges.worth(known, loss)
        profit = gain_intervals(edges.rows, state, self.vertices, left, loss)[1] + edges.leading_out(self.vertices)
        self.relaxation = Relaxation(live_pairs(edges.rows, state, self.vertices, profit, loss), left)
        self.upper_bound, self.bundled = inf, inf
        self._try(np.isin(self.vertices, known))

    @property
    def left(self) -> int:
        return self.relaxation.left

    @property
    def margin(self) -> float:
        return (_WHOLE_ROUNDING if self.edges.are_whole else ROUNDING) * abs(self.value)

    @property
    def cutoff(self) -> float:
        """What a set must be worth to matter, less ``offset``; a better one is better by 1, or by twice the margin."""
        step = 0.0 if not self.beyond else 1.0 if self.edges.are_whole else 2 * self.margin
        return self.value + step - self.margin - self.offset

    @property
    def is_closed(self) -> bool:
        return not self.vertices.size or self.left == 0 or (self.beyond and self.upper_bound <= self.value)

    def run(self, most_work: float, probing: bool, deadline: float) -> None:
        """Relax and probe in turns, until nothing more is decided or the work is done."""
        self._bound()
        self.most_work, self.deadline = most_work, deadline
        while self._relax() or self._convexify() or (probing and self._probe()):
            continue

    @property
    def goes_on(self) -> bool:
        return not self.is_closed and self.relaxation.work < self.most_work and monotonic() < self.deadline

    def _relax(self) -> bool:
        """Relax, by cliques once edges lead no further, and decide, until it stalls; whether anything was decided."""
        before, stalls = self.vertices.size, 0
        while self.goes_on:
            last = self.relaxation.bound
            self.relaxation.descend()
            gained, gap = last - self.relaxation.bound, self.relaxation.bound + self.offset - self.value
            self._bound()
            self._try(_first(self.relaxation.x, self.left))
            rule = "cliques" if self.relaxation.is_bundled else "edges"
            stalls = (
                0
                if self._decide(rule, self.relaxation.dual) or gained > max(_STALLED * gap, self.margin)
                else stalls + 1
            )
            if stalls < (_PATIENCE if self.relaxation.is_bundled else 1):
                continue
            if self.vertices.size > _SHRUNK * self.bundled or clique_work(self.relaxation.pairs) > _MOST_CLIQUE_WORK:
                break
            self.bundled, stalls = self.vertices.size, 0
            self.relaxation.bundle()
        return self.vertices.size < before

    def _convexify(self) -> bool:
        """Decide by a concave program, if its dense matrix is not too large; whether anything was decided."""
        size, relaxation = self.vertices.size, self.relaxation
        work = convex_work(size)
        is_small = size <= _MOST_DENSE and relaxation.work + work <= self.most_work
        if not is_small or not self.goes_on or monotonic() + work / _WORK_PER_SECOND > self.deadline:
            return False
        relaxation.work += work
        tangent = convex_bound(relaxation.pairs, self.left, relaxation.x, self.cutoff)
        self._bound(tangent.dual.bound)
        self._try(_first(tangent.x, self.left))
        return self._decide("convex", tangent.dual)

    def _bound(self, found: float = inf) -> None:
        """Let ``upper_bound`` be the least that is known; ``found`` is one more bound on what is left."""
        if not self.vertices.size or self.left == 0:
            self._keep_if_better(np.zeros(self.vertices.size, np.bool_))
            self.upper_bound = self.value
            return
        bound = self.offset + min(self.relaxation.bound, found)
        if self.edges.are_whole:
            bound = floor(bound + self.margin)
        elif not self.beyond or bound > self.value + self.margin:
            bound += self.margin
        else:
            bound = self.value
        self.upper_bound = max(self.value, min(self.upper_bound, bound))

    def _try(self, inside: Bools) -> None:
        """Improve the vertices ``inside`` by swaps, and keep them if they are the best known."""
        if np.count_nonzero(inside) > self.left:
            inside[np.flatnonzero(inside)[self.left :]] = False
        pairs = self.relaxation.pairs
        moves = max(10, min(_MOST_MOVES, int(_MOVING_WORK / (pairs.indices.size + inside.size + 1))))
        improve(pairs, inside, self.left, 0.0 if self.edges.are_whole else self.margin, moves)
        if self.offset + pair_value(pairs, inside) > self.value - self.margin:
            self._keep_if_better(inside)

    def _keep_if_better(self, inside: Bools) -> None:
        known = np.concatenate([self.forced, self.vertices[inside]])
        value = self.edges.worth(known, self.loss)
        if value > self.value:
            self.known, self.value = known, value

    def _decide(self, rule: str, dual: Dual) -> bool:
        """Drop and force what ``dual`` decides, and then what intervals do; whether that was anything."""
        if self.is_closed:
            return False
        if dual.bound < self.cutoff:
            return self._apply(rule, np.full(self.vertices.size, DROPPED))
        anything = self._apply(rule, dual.decided(self.cutoff))
        while anything and not self.is_closed:
            pairs = self.relaxation.pairs
            decided = _decided_by_intervals(pair_intervals(pairs, self.left), pairs.profit, self.left)
            if not self._apply("intervals", decided):
                break
        return anything

    def _probe(self) -> bool:
        """Suppose of one vertex after the other that it is chosen, or that it is not, and see if that can be.

        Those that the bound nearly decides come first. Whether anything was decided.
        """
        before = self.vertices.size
        for state in (FORCED, DROPPED):
            failures, tried = 0, set[int]()
            while failures < _MOST_FAILURES and self.goes_on:
                v = self._likeliest(state, tried)
                if v is None:
                    break
                tried.add(int(self.vertices[v]))
                if not self._is_impossible(v, state):
                    failures += 1
                    continue
                failures = 0
                decided = np.full(self.vertices.size, LIVE)
                decided[v] = DROPPED if state == FORCED else FORCED
                self._apply("probing", decided)
        return self.vertices.size < before

    def _likeliest(self, state: np.int8, tried: set[int]) -> int | None:
        """The vertex, not tried yet, that looks least as if it could have ``state``."""
        reduced = self.relaxation.dual.reduced if state == FORCED else -self.relaxation.dual.reduced
        for v in np.argsort(reduced, kind="stable").tolist():
            if int(self.vertices[v]) not in tried:
                return int(v)
        return None

    def _is_impossible(self, v: int, state: np.int8) -> bool:
        base = self.relaxation
        other, worth = base.supposing(v, state), float(base.pairs.profit[v]) if state == FORCED else 0.0
        for _ in range(_PROBES):
            if worth + other.bound < self.cutoff or other.left == 0:
                break
            other.descend()
        base.work += other.work + base.pairs.indices.size + _SORTING * self.vertices.size
        return worth + other.bound < self.cutoff

    def _apply(self, rule: str, state: Int8s) -> bool:
        done = _round(rule, _without_rest(state, self.left))
        if done.dropped == done.forced == 0:
            return False
        if self.rounds and self.rounds[-1].rule == rule == "probing":
            last = self.rounds.pop()
            done = Round(rule, last.dropped + done.dropped, last.forced + done.forced, done.live)
        self.rounds.append(done)
        chosen = state == FORCED
        self.offset += pair_value(self.relaxation.pairs, chosen)
        self.forced = np.concatenate([self.forced, self.vertices[chosen]])
        self.vertices = self.vertices[state == LIVE]
        self.relaxation.narrow(state)
        self._bound()
        return True

    def core(self) -> LosslessCore:
        """What is left, once all is decided that can be."""
        if self.is_closed and self.vertices.size:  # nothing can be better than what is known
            self._apply("bound", np.full(self.vertices.size, DROPPED))
        return LosslessCore(
            forced=np.sort(self.forced),
            live=self.vertices,
            left=self.left,
            rounds=tuple(self.rounds),
            known=self.known,
            value=self.value,
            offset=self.offset,
            upper_bound=self.upper_bound,
            pairs=self.relaxation.pairs,
        )


def _first(values: Float64s, count: int) -> Bools:
    """Where the ``count`` largest values above 0 stand."""
    first: Bools = np.zeros(values.size, np.bool_)
    order = np.argsort(-values, kind="stable")[:count]
    first[order[values[order] > 0]] = True
    return first
