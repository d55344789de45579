"""Influence maximisation under the independent cascade or the linear threshold model."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt
from types import MappingProxyType
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from lense._util.formatting import size
from lense._util.progress import progress
from lense._util.random_streams import seed_from
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import Graph
from lense.kernels.cascade import Arcs, LiveArcs, live_arcs, picked_arcs, picking_arcs
from lense.kernels.gains import Gains
from lense.kernels.hitting import hitting_bound
from lense.kernels.quick_orders import degree_discount, fresh_walk_order, round_totals
from lense.kernels.reverse_sets import ReverseSets, count_hits, hit_gains
from lense.kernels.rows import row_sums, weighted_degrees
from lense.kernels.spread import SpreadSample, WorldGains, reachable, reached_per_world
from lense.problems.base import Found, Problem, Rng, Solution, candidate_array, heuristic, min_max, vertex_set
from lense.problems.reverse_sampling import (
    POSSIBLE,
    corrected_ell,
    imm_lambda,
    imm_lower_bound,
    imm_sets,
    log_choose,
    opim_sets,
    run_opim_c,
    spread_above,
    spread_below,
    unseen_variance,
)

log = logging.getLogger(__name__)

_FEW_HITS, _ENOUGH_HITS = 5_000, (75_000, 150_000)
_GOOD_CERTIFICATE = 0.95
_MOST_NUMBERS, _MOST_UNSTORED = 64_000_000, 64_000_000
_SHARE_OF_MEMORY = 0.5
_HITS_PER_CHOICE = 100
_PACK_IMM, _PACK_OPIM = 1 << 24, 1 << 26
"""From how many members on reverse-reachable sets are compressed: it saves 128 MB, and 512 MB where a bound of each
choice is taken too, which is slower on compressed sets."""
_CELF_BATCH = 32
_PROBE_SETS, _PROBE_MEMBERS = 128, 5_000
_PROBE_WORLDS = 4
_FIRST_WORLDS, _MARGIN = 64, 1.05
_UNSEEN = 1.5
"""Of w worlds, all may miss an event of probability 3 / w (rule of three); half of that is one standard error."""
_SECONDS_PER_SET, _SECONDS_PER_KEPT, _SECONDS_PER_MEMBER = 5e-9, 45e-9, 65e-9
"""To draw a set; if it has several members, to keep it; and for each of these."""
_SECONDS_PER_CASCADE, _SECONDS_PER_REACHED = 0.25e-6, 100e-9
_SECONDS_PER_ROUND = 12e-9
"""Of the quick order, for each vertex and arc."""
_PROBABILITY = 0.01
CASCADES = {"independent": "independent cascade", "threshold": "linear threshold"}
"""How influence spreads, by the names that the option ``cascade`` takes."""
_NEEDS_PROBABILITIES = "Influence maximisation needs edge probabilities: pass the graph through prepare() first."
_arranged_sides: WeakKeyDictionary[Graph, dict[tuple[str, str], Arcs]] = WeakKeyDictionary()
_SHARE_ROUNDING = 1e-5
MODELS = {name: name for name in ("trivalency", "weighted-cascade", "constant", "file")}
TRIVALENCY = np.array([0.1, 0.01, 0.001], np.float32)


@dataclass(frozen=True, kw_only=True)
class InfluenceMaximisation(Problem):
    """f(X) = expected number of vertices that a cascade from X reaches.

    Edge weights are probabilities; ``prepare`` draws them by ``model`` ("auto", "trivalency", "weighted-cascade",
    "constant" with ``probability``, "file") from ``seed``. The ``cascade`` is "independent", where a vertex that is
    reached reaches each neighbour once by chance, or "threshold" (linear threshold), where a vertex is reached as soon
    as the in-weights from those reached exceed a threshold that is uniform in 0..1. There the in-weights of a vertex
    sum to 1 at most, and "auto" takes the weights of the graph, else "weighted-cascade".

    The objective is the mean over ``worlds`` live-edge worlds fixed by ``seed``, the same for every set compared. The
    score of an answer takes the first of them, as many as bring its standard error to ``precision`` times the score; 0
    asks for all. ``epsilon`` is 0.5 for imm and 0.1 for opim-c unless given, ``ell`` is imm's exponent of certainty
    (failure at most n^-ell), ``delta`` the failure probability of opim-c (1 / n unless given) and of the certificate
    (0.01 unless given). ``memory_gib`` caps the reverse-reachable sets.
    """

    name: ClassVar[str] = "im"
    place: ClassVar[int] = 3
    title: ClassVar[str] = "Influence Maximisation"
    goal: ClassVar[str] = "influence the most vertices"
    thorough_solvers: ClassVar[tuple[str, ...]] = ("opim-c", "celf")
    unit: ClassVar[str] = "vertices reached"
    uses_direction: ClassVar[bool] = True
    reaches_far: ClassVar[bool] = True
    retired: ClassVar[tuple[str, ...]] = ("processes",)
    solvers_with: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType(
        {"epsilon": ("imm", "opim-c"), "ell": ("imm",)}
    )

    cascade: str = "independent"
    model: str = "auto"
    probability: float = _PROBABILITY
    worlds: int = 1000
    precision: float = 0.002
    epsilon: float | None = None
    ell: float = 1.0
    delta: float | None = None
    memory_gib: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        choose(self.cascade, CASCADES, "cascade")
        if self.probability != _PROBABILITY and self.model != "constant":
            raise LenseError("The option probability is for the model constant: set that too, or leave it out.")
        for field, low, high in (
            ("probability", 0, 1),
            ("epsilon", 1e-4, 1),
            ("delta", 1e-15, 1),
            ("ell", 1e-3, 100),
            ("memory_gib", 1e-9, 1e9),
            ("worlds", 2, 1e9),
            ("precision", 0, 1),
            ("seed", 0, 2**63),
        ):
            value = getattr(self, field)
            if value is not None and not low <= value <= high:
                raise LenseError(f"The option {field} must lie between {low:g} and {high:g}, not {value:g}.")

    def prepare(self, graph: Graph) -> Graph:
        draw = with_shares if self.cascade == "threshold" else with_probabilities
        return draw(graph, self.model, self.seed, self.probability)

    def evaluate(self, graph: Graph, vertices: ArrayLike) -> tuple[float, float]:
        """The spread of ``vertices``: mean and standard error over the problem's worlds."""
        return self._spread(graph, vertices, precision=0.0)

    def estimate(self, graph: Graph, vertices: ArrayLike) -> tuple[float, float]:
        """The spread over the first worlds alone, as many as ``precision`` asks for."""
        return self._spread(graph, vertices, self.precision)

    def _spread(self, graph: Graph, vertices: ArrayLike, precision: float) -> tuple[float, float]:
        """The mean over as many worlds as bring its error to ``precision``, and that error; 0 if the mean is exact.

        The error is the standard error of the mean, but no less than what the worlds may have missed: that a cascade
        ends early, and that it reaches more than in any of them.
        """
        seeds, worlds = vertex_set(graph, vertices), self.worlds if precision == 0 else min(self.worlds, _FIRST_WORLDS)
        sample = SpreadSample(self._forward(graph), seeds, self._worlds_key)
        sure = reachable(graph.outgoing, seeds, 1.0)
        sets = ReverseSets(self._reverse(graph), seed_from(np.random.default_rng([self.seed, 0x45])))
        while True:
            sample.extend_to(worlds)
            mean, variance = float(sample.sizes.mean()), float(sample.sizes.var(ddof=1))
            if variance == 0 and (reachable(graph.outgoing, seeds, POSSIBLE) == sure).all():
                return mean, 0.0
            missed, allowed = _UNSEEN * (mean - int(sure.sum())) / worlds, precision * mean
            if worlds == self.worlds or max(missed, sqrt(variance / worlds)) <= allowed:
                variance += unseen_variance(graph.outgoing, sample, sure, sets)
                error = max(missed, sqrt(variance / worlds))
                if worlds == self.worlds or error <= allowed:
                    return mean, error
            wanted = worlds * _MARGIN * max(missed / allowed, variance / worlds / allowed**2)
            worlds = int(min(self.worlds, max(worlds + 1, ceil(wanted))))

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        seeds = vertex_set(graph, vertices)
        return float(reached_per_world(self._forward(graph), seeds, self.worlds, self._worlds_key).mean())

    def features(self, graph: Graph) -> Float32s:
        """Vertex features (n, 3): degree and eigenvector centrality as for every problem, and the out-weights' sum."""
        sums = row_sums(graph.indptr, _probabilities(graph))
        return np.column_stack([super().features(graph), min_max(sums)])

    def quick_order(self, graph: Graph, budget: int, count: int) -> Int64s:
        """By what each vertex adds to those before it; see :mod:`lense.kernels.quick_orders`.

        Also for the threshold model, arcs are taken to be live independently of each other.
        """
        return self._fresh_walks(graph, budget, count)

    def quick_seconds(self, graph: Graph, budget: float) -> float:
        rounds = len(round_totals(int(budget), 2 * int(budget)))
        return _SECONDS_PER_ROUND * rounds * (graph.num_vertices + graph.num_arcs)

    def gains(self, graph: Graph, budget: float) -> Gains:
        """The reverse-reachable sets that v hits and A does not, drawn from the problem's own ``seed``.

        There are as many as make a greedy choice of ``budget`` vertices hit 100 for each: a vertex that adds an average
        share of the best spread is known to 10 %, one that adds a tenth of that (where QuickPrune draws its line by
        default) to about 30 %.
        """
        budget = int(budget)
        sets = self._reverse_sets(graph, np.random.default_rng([self.seed, 0x47]))
        theta = wanted = _HITS_PER_CHOICE * budget
        while True:
            sets.extend_to(theta)
            covered = sets.cover(budget).covered
            if covered >= wanted:
                return hit_gains(sets)
            theta = ceil(theta * max(1.25, wanted / covered))

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float:
        """OPIM's bound (Tang et al. 2018), from fresh sets: holds with probability 1 - delta / 2.

        With theta sets of which no b vertices hit more than L^u,
        OPT <= (sqrt(L^u + a / 2) + sqrt(a / 2))^2 n / theta, where a = ln(4 / delta). It is taken twice, the second
        time with twice the sets, and only if the first bound would not do to certify 0.95.
        L^u counts all sets that hold three vertices of the solution as hit, which is safe for any choice. It adds the
        linear relaxation's bound on hitting the others, which are few and small; see :mod:`lense.kernels.hitting`.
        """
        n, a = graph.num_vertices, self._certificate_log
        sets = self._reverse_sets(graph, rng, settling=solution.indices)
        sets.extend_to(self._hitting(graph, solution, _FEW_HITS))
        most, bound = self._most_sets(sets), float(n)
        for wanted in _ENOUGH_HITS:
            sets.extend_to(min(self._hitting(graph, solution, wanted), most))
            bound = min(bound, spread_above(_most_hits(sets, int(budget)), a, len(sets), n))
            below = solution.score * spread_below(2 * wanted, a, 2 * wanted, 1)
            if below >= _GOOD_CERTIFICATE * bound or len(sets) == most:
                break
        return bound

    def lower_bound(self, graph: Graph, solution: Solution, rng: Rng) -> float:
        """OPIM's lower bound on the solution's spread from fresh sets: holds with probability 1 - delta / 2.

        It is taken twice too, and the second time only if the first bound is not 0.95 of the upper bound.
        """
        n, key = graph.num_vertices, seed_from(rng)
        enough = np.inf if solution.upper_bound is None else _GOOD_CERTIFICATE * solution.upper_bound
        hits, drawn, below = 0, 0, float(solution.indices.size)
        for wanted in _ENOUGH_HITS:
            theta = min(self._hitting(graph, solution, 2 * wanted), _MOST_UNSTORED)
            hits += count_hits(self._reverse(graph), key, theta, solution.indices, start=drawn)
            drawn = theta
            below = max(below, spread_below(hits, self._certificate_log, theta, n))
            if below >= enough:
                break
        return below

    def seconds(self, graph: Graph, budget: float) -> float | None:
        """By the size of a few reverse-reachable sets, and by how many a solution of ``budget`` needs.

        celf looks at each vertex in each world, and a cascade is as large as such a set in the mean.
        """
        if self.solver == "degree-discount":
            return 15e-9 * graph.num_arcs
        if self.solver == "fresh-walks":
            return self.quick_seconds(graph, budget)
        if self.solver not in ("imm", "opim-c", "celf"):
            return None
        n, most = graph.num_vertices, int(min(budget, graph.num_vertices))
        sets = self._probed_sets(graph)
        if self.solver == "celf":
            reached = sets.num_members / len(sets)
            return self.worlds * n * (_SECONDS_PER_CASCADE + _SECONDS_PER_REACHED * reached)
        members = sets.num_stored_members / len(sets)
        each = _SECONDS_PER_SET + _SECONDS_PER_KEPT * sets.num_stored / len(sets) + _SECONDS_PER_MEMBER * members
        quick = self.degree_discount(graph, most, np.random.default_rng(self.seed))
        spread = float(reached_per_world(self._forward(graph), quick, _PROBE_WORLDS, self._worlds_key).mean())
        if self.solver == "opim-c":
            return opim_sets(n, most, spread) * each
        return imm_sets(n, most, 0.5 if self.epsilon is None else self.epsilon, self.ell, spread) * each

    def _probed_sets(self, graph: Graph) -> ReverseSets:
        """A few sets, which say how many members others have."""
        sets = self._reverse_sets(graph, np.random.default_rng([self.seed, 0x54]))
        while sets.num_members < _PROBE_MEMBERS and len(sets) < _PROBE_MEMBERS:
            sets.extend_to(max(_PROBE_SETS, 2 * len(sets)))
        return sets

    @heuristic("imm")
    def imm(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Found:
        """IMM (Tang, Shi and Xiao 2015): (1 - 1/e - epsilon) optimal with probability at least 1 - n^-ell.

        The sets that find the lower bound are used again in the end, so the final number of sets depends on them. The
        bound is corrected for that as Chen (2018) proposes, by a union bound over every number it can take: ell grows
        by the least gamma with lambda* <= n^gamma. Where only c candidates may be chosen, the optimum is that among
        them and there are c over b choices; n stays the number of vertices, any of which may be the root of a set.
        """
        n, budget = graph.num_vertices, int(budget)
        epsilon = 0.5 if self.epsilon is None else self.epsilon
        sets = self._reverse_sets(graph, rng, candidates, pack_from=_PACK_IMM)
        log_choices = log_choose(sets.candidates.size, budget)
        ell = corrected_ell(n, log_choices, epsilon, self.ell)
        lower, cover = imm_lower_bound(sets, budget, log_choices, epsilon, ell)
        theta = ceil(imm_lambda(n, log_choices, epsilon, ell) / lower)
        if cover is None or theta > len(sets):
            sets.extend_to(theta)
            cover = sets.cover(budget)
        return Found(cover.vertices, details={"reverse_sets": len(sets), "set_members": sets.num_members})

    @heuristic("opim-c")
    def opim_c(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Found:
        """OPIM-C (Tang et al. 2018): stops as soon as its own bounds show 1 - 1/e - epsilon, at most delta to fail.

        Sets R1 choose the vertices and bound the optimum, independent sets R2 bound the choice; both double until done.
        With candidates both bounds, and the number of choices, are those among them.
        """
        n, budget = graph.num_vertices, int(budget)
        epsilon = 0.1 if self.epsilon is None else self.epsilon
        delta = 1 / max(2, n) if self.delta is None else self.delta
        choosing = self._reverse_sets(graph, rng, candidates, pack_from=_PACK_OPIM)
        return run_opim_c(choosing, seed_from(rng), budget, epsilon, delta)

    @heuristic("celf")
    def celf(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """Exact greedy on the problem's own worlds, gains looked at again only while they may be best
        (Leskovec et al. 2007); keeps four bytes for each vertex and world."""
        needed = 4 * self.worlds * graph.num_vertices
        if self.memory_gib is not None and needed > self.memory_gib * 2**30:
            raise LenseError(
                f"CELF needs {size(needed)} for {self.worlds:,} worlds, more than memory_gib = "
                f"{self.memory_gib:g}; take fewer worlds, or imm."
            )
        worlds = WorldGains(self._forward(graph), self.worlds, self._worlds_key)
        gains = np.full(graph.num_vertices, -1)
        pool = candidate_array(graph, candidates).astype(np.int64)
        gains[pool] = worlds.of(pool)
        current = np.ones(graph.num_vertices, np.bool_)
        chosen = np.empty(int(budget), np.int64)
        with progress("CELF", chosen.size) as advance:
            for i in range(chosen.size):
                while not current[best := gains.argmax()]:
                    stale = np.flatnonzero(~current & (gains >= 0))
                    batch = stale[np.argsort(-gains[stale], kind="stable")[:_CELF_BATCH]]
                    gains[batch] = worlds.of(batch)
                    current[batch] = True
                chosen[i] = best
                worlds.add(int(best))
                gains[best] = -1
                current[:] = False
                advance(1)
        return chosen

    @heuristic("fresh-walks")
    def fresh_walks(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """Greedy, with what a vertex adds summed over walks to what 128 worlds leave unreached; no guarantee.

        It takes about 110 passes over the arcs; see :mod:`lense.kernels.quick_orders`.
        """
        return self._fresh_walks(graph, int(budget), int(budget), candidates)

    @heuristic("degree-discount")
    def degree_discount(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        """Degree discount (Chen, Wang and Yang 2009) for any edge probabilities; no guarantee, but instant."""
        out, into = graph.outgoing, graph.incoming
        if out.weights is None or into.weights is None:
            raise LenseError(_NEEDS_PROBABILITIES)
        pool = candidate_array(graph, candidates)
        return degree_discount(out, into, pool, int(budget))

    @property
    def _worlds_key(self) -> np.uint64:
        return seed_from(np.random.default_rng([self.seed, 0x57]))

    def _fresh_walks(self, graph: Graph, budget: int, count: int, candidates: Int64s | None = None) -> Int64s:
        live = _arranged(graph, "outgoing", "independent")
        assert isinstance(live, LiveArcs)
        key = seed_from(np.random.default_rng([self.seed, 0x46]))  # for worlds that are not those of the score
        degrees = np.diff(graph.incident.indptr)
        return fresh_walk_order(graph.outgoing, live, degrees, key, budget, count, candidates)

    @property
    def _certificate_log(self) -> float:
        """ln(4 / delta): both bounds of the certificate are taken twice, and each time may fail with delta / 4."""
        return float(np.log(4 / (0.01 if self.delta is None else self.delta)))

    def _reverse_sets(
        self,
        graph: Graph,
        rng: Rng,
        candidates: Int64s | None = None,
        settling: Int64s | None = None,
        pack_from: int | None = None,
    ) -> ReverseSets:
        limit = None if self.memory_gib is None else self.memory_gib * 2**30
        chosen_from = None if candidates is None else candidates.astype(np.int32)
        return ReverseSets(self._reverse(graph), seed_from(rng), limit, chosen_from, settling, pack_from)

    def _forward(self, graph: Graph) -> Arcs:
        return _arranged(graph, "outgoing", self.cascade)

    def _reverse(self, graph: Graph) -> Arcs:
        is_same = not graph.directed and self.cascade == "independent"
        return _arranged(graph, "outgoing" if is_same else "incoming", self.cascade)

    def _hitting(self, graph: Graph, solution: Solution, hits: int) -> int:
        """Enough sets for the solution to hit about ``hits`` of them."""
        return int(np.ceil(hits * graph.num_vertices / max(solution.score, 1.0)))

    def _most_sets(self, sets: ReverseSets) -> int:
        """As many sets like those drawn as the memory may take, and no fewer than those."""
        numbers = sets.num_members + len(sets)  # eight bytes a set, and eight a member with the index by vertex
        most = float(_MOST_NUMBERS)
        if self.memory_gib is not None:
            most = min(most, _SHARE_OF_MEMORY * self.memory_gib * 2**30 / 8)
        return max(len(sets), int(most / numbers * len(sets)))


def _probabilities(graph: Graph) -> Float32s:
    if graph.weights is None:
        raise LenseError(_NEEDS_PROBABILITIES)
    check_probabilities(graph.weights)
    return graph.weights


def _arranged(graph: Graph, side: str, cascade: str) -> Arcs:
    """The arcs of ``graph`` to search along in one direction, arranged once for as long as the graph lives."""
    sides = _arranged_sides.setdefault(graph, {})
    if (side, cascade) not in sides:
        _probabilities(graph)
        if cascade == "threshold":
            sides[side, cascade] = (
                picked_arcs(graph.outgoing, graph.incoming) if side == "outgoing" else picking_arcs(graph.incoming)
            )
        else:
            sides[side, cascade] = live_arcs(getattr(graph, side))
    return sides[side, cascade]


def _most_hits(sets: ReverseSets, budget: int) -> int:
    """No ``budget`` vertices hit more of the sets."""
    if sets.num_settled == len(sets):
        return len(sets)
    cover = sets.cover(budget, bounded=True)
    relaxed = hitting_bound(*sets.all_arrays(), sets.reverse.vertices.size, cover.vertices, cover.covered)
    return sets.num_settled + min(cover.upper_bound, floor(relaxed))


def with_probabilities(graph: Graph, model: str, seed: int, probability: float) -> Graph:
    """``graph`` with edge probabilities as weights.

    They are 0.1, 0.01 or 0.001 with the same chance ("trivalency"), 1 / in-degree of the end ("weighted-cascade"), a
    ``probability`` for all ("constant"), or those it came with ("file"). "auto" takes these where there are some, else
    trivalency.
    """
    if model == "auto":
        model = "trivalency" if graph.weights is None else "file"
    elif graph.weights is not None and model != "file":
        log.info("the model %s replaces the graph's own weights", model)
    if model == "constant":
        return graph.reweighted(np.full(graph.num_arcs, probability, np.float32))
    if model == "weighted-cascade":  # the two directions of an undirected edge differ
        shares = (1.0 / np.maximum(graph.in_degrees, 1)).astype(np.float32)
        return replace(graph, weights=shares[graph.indices], directed=True)
    if model == "trivalency":
        weights = np.random.default_rng(seed).choice(TRIVALENCY, graph.num_edges)
        if graph.directed:
            return graph.reweighted(weights)
        sources, targets, _ = graph.edges()  # both directions share the draw
        return Graph.from_edges(
            sources, targets, weights, labels=graph.labels, keep_duplicates=True, keep_self_loops=True
        )
    choose(model, MODELS, "cascade model")
    if graph.weights is None:
        raise LenseError("The graph has no weights to take as edge probabilities; choose another model.")
    check_probabilities(graph.weights)
    return graph


def with_shares(graph: Graph, model: str, seed: int, probability: float) -> Graph:
    """``graph`` with weights for the linear threshold model: those that enter a vertex sum to 1 at most.

    ``model`` is as for :func:`with_probabilities`, but "auto" is weighted-cascade where the graph has no weights.
    """
    if model == "auto" and graph.weights is None:
        model = "weighted-cascade"
    weighted = with_probabilities(graph, model, seed, probability)
    sums = weighted_degrees(weighted.incoming)
    if sums.size and sums.max() > 1 + _SHARE_ROUNDING:
        vertex = int(sums.argmax())
        raise LenseError(
            f"The weights of the edges that enter the vertex '{weighted.labels[vertex]}' sum to {sums[vertex]:.4g}, "
            "and in the linear threshold model they sum to 1 at most: divide them, or take the model weighted-cascade."
        )
    return weighted


def check_probabilities(weights: Float32s) -> None:
    """Raise unless every weight is a probability."""
    outside = ~((weights >= 0) & (weights <= 1))
    if outside.any():
        raise LenseError(
            f"Edge weight {weights[outside][0]:g} is not a probability between 0 and 1; correct it, or draw "
            "probabilities with a model: trivalency, weighted-cascade or constant."
        )
