"""What a problem is: an objective, heuristics, vertex features and an upper bound on the optimum."""

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from inspect import signature
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from lense._util.classes import name_of, registered, typed_class
from lense._util.formatting import quantity
from lense._util.measuring import Stopwatch
from lense._util.options import check_budget_is_number, converted, with_seed
from lense._util.types import AnyArray, Float32s, Float64s, Int8s, Int32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import Graph, TruncatedGraph
from lense.graph.subgraph import Subgraph
from lense.kernels.bounds import LIVE, gain_intervals
from lense.kernels.gains import Gains
from lense.kernels.queues import greedy
from lense.kernels.quick_orders import degree_discount
from lense.kernels.rows import degrees
from lense.problems.centrality import eigenvector_centrality
from lense.problems.edge_weights import EdgeCounts, edge_counts

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

Rng = np.random.Generator
_ROUNDING = 1e-9
_SHOWN = 10
GROUP = "lense.problems"


@dataclass(frozen=True)
class Found:
    """What a heuristic returns when it knows more than the vertices.

    Parameters
    ----------
    vertices
        Vertices in the order of choice, by their numbers.
    upper_bound
        A value that no solution within the budget exceeds.
    details
        Anything else to report, by name.

    Examples
    --------
    >>> import lense
    >>> lense.Found([0, 3], upper_bound=5.0)
    Found(vertices=[0, 3], upper_bound=5.0, details={})
    """

    vertices: ArrayLike
    upper_bound: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pruned:
    """The part of a graph that a solution was found with, how it was used, and the seconds that finding it took.

    ``vertices_pruned`` and ``edges_pruned`` are the shares of the whole graph that are not in it. As a ground set, only
    its ``roots`` could be chosen. ``pruner`` is the name of what found it.
    """

    vertices: int
    edges: int
    vertices_pruned: float
    edges_pruned: float
    seconds: float
    mode: str
    roots: int
    pruner: str


@dataclass(frozen=True)
class Solution:
    """Vertices in the order of choice, so that every smaller budget is a prefix, and what is known of them.

    Solutions are equal if they have the same problem, solver, budget, vertices, score and bounds; timings and
    explanations do not count.

    Attributes
    ----------
    problem, solver, budget
        The names of the problem and of what solved it, and what could be spent.
    vertices, indices
        The vertices by the user's ids, and by their numbers 0 to n - 1 in the graph.
    score, stderr, unit
        The objective on the graph that was solved, its standard error (0 if it is exact), and what it counts.
    lower_bound, upper_bound
        What the score is certain to be, and what the optimum is at most.
    certified, optimal
        The share of the optimum that is certain, and whether the optimum is proven.
    seconds, certificate_seconds
        The heuristic's time, without that of the compiler, and the time of the two bounds.
    details
        Anything else that the solver reports, by name.
    pruned, reason, expected_ratio
        The part that was solved, or None for the whole graph; what was decided and why; and how the score compares with
        the heuristic's on the whole graph, None where that is not known.
    met_target, found_by
        Whether the score is expected to be at least ``target`` of the heuristic's on the whole graph, None where that
        is not known; and whose answer it is: the heuristic, or an order of the vertices that none improved on.
    decision
        How it was found: "whole", "advised whole", "pruned", "fell back", "stopped" (at the time limit), "interrupted",
        "pruner", "exact" or "streamed".
    part, advice
        The subgraph that was solved, and the :class:`lense.solving.Advice` that decided whether to prune, if any.
    provenance
        The problem's ``options``, the ``graph`` (source and size), the ``model`` and the ``seed``, by the front door.

    Examples
    --------
    >>> import lense
    >>> star = lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    >>> found = lense.solve(star, "mvc", 1)
    >>> found.vertices, found.score_text, found.quality_text
    ([0], '75 % of edges covered', 'optimal (proven)')
    """

    problem: str
    solver: str
    budget: float
    indices: Int64s = field(compare=False)
    score: float
    stderr: float
    seconds: float = field(compare=False)
    upper_bound: float | None = None
    lower_bound: float | None = None
    certificate_seconds: float | None = field(default=None, compare=False)
    details: Mapping[str, Any] = field(default_factory=dict, compare=False)
    pruned: Pruned | None = field(default=None, compare=False)
    reason: str = field(default="", compare=False)
    expected_ratio: float | None = field(default=None, compare=False)
    met_target: bool | None = field(default=None, compare=False)
    found_by: str = field(default="", compare=False)
    vertices: Sequence[Any] = ()
    unit: str = ""
    decision: str = field(default="", compare=False)
    part: Subgraph | None = field(default=None, compare=False, repr=False)
    advice: Any = field(default=None, compare=False, repr=False)
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def score_text(self) -> str:
        """The score with its error and unit, such as "14.1 % of edges covered"."""
        return format_score(self.score, self.unit, self.stderr)

    @property
    def quality_text(self) -> str:
        """How close to the optimum the score is known to be, never rounded up."""
        if self.certified is None:
            return "no bound on the optimum is known"
        if self.optimal:
            return "optimal (proven)"
        return f"at least {min(1000 * self.certified // 1 / 10, 99.9):.1f} % of optimal"

    @property
    def certified(self) -> float | None:
        """The share of the optimum that the solution is certain to reach, or None without a bound."""
        if self.upper_bound is None:
            return None
        if self.upper_bound <= 0:
            return 1.0
        return (self.score if self.lower_bound is None else self.lower_bound) / self.upper_bound

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no solution scores more; a bound that may fail with some chance proves nothing."""
        return self.certified is not None and self.certified >= 1.0 and self.stderr == 0

    def _repr_html_(self) -> str:
        from lense._util.cards import card  # for notebooks alone

        named = self.vertices
        shown = ", ".join(map(str, named[:_SHOWN])) + (", …" if len(named) > _SHOWN else "")
        facts = {
            "problem": f"{self.problem}, budget {self.budget:g}, by {self.solver}",
            "score": self.score_text,
            "certified": self.quality_text,
            "vertices": shown,
            **({"how": self.reason} if self.reason else {}),
        }
        return card("Solution", facts)


Heuristic = Callable[..., "ArrayLike | Found"]
H = TypeVar("H", bound=Heuristic)


def heuristic(name: str) -> Callable[[H], H]:
    """Mark a method of a :class:`Problem` as a solver.

    The method takes ``(self, graph, budget, rng)`` and returns vertices or a :class:`Found`. Arguments of these names
    are passed to a method that has them: ``candidates`` (vertices in rising order, or None for all), the only ones it
    may choose, ``costs`` (n), what each vertex takes of the budget, and ``forced`` (vertices in rising order, or None),
    which it must choose.

    Parameters
    ----------
    name
        What the solver is called.

    Returns
    -------
    Callable
        A decorator that returns the method itself.

    Examples
    --------
    >>> import lense
    >>> from lense.problems.mvc import MaxVertexCover
    >>> class SampledCover(MaxVertexCover):
    ...     name = "sampled-cover"
    ...
    ...     @lense.heuristic("random")
    ...     def random(self, graph, budget, rng):
    ...         return rng.choice(graph.num_vertices, budget, replace=False)
    >>> star = lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    >>> lense.solve(star, SampledCover, 2, "random").solver
    'random'
    """

    def mark(method: H) -> H:
        method.heuristic_name = name  # type: ignore[attr-defined]
        return method

    return mark


class InStream(Protocol):
    """What a problem finds out about one graph on disk by passes over its edges."""

    def order(self, count: int) -> Int64s:
        """The first ``count`` choices of its streamed solver, and of its quick order."""

    def score(self, vertices: Int64s) -> float:
        """The objective of ``vertices`` on the whole graph."""

    def bound(self, budget: int) -> float:
        """A value that no solution within the budget exceeds."""


@dataclass(frozen=True, kw_only=True)
class Problem(ABC):
    """A budgeted problem on graphs.

    Subclass it with a ``name``, an :meth:`objective` and at least one method marked with :func:`heuristic`. Its options
    are dataclass fields, which the command line sets with ``--set name=value``.

    Parameters
    ----------
    solver
        The name of the heuristic to run; by default the first of the class.

    Examples
    --------
    >>> import lense, numpy as np
    >>> class Degrees(lense.Problem):
    ...     name = "degrees"
    ...
    ...     def objective(self, graph, vertices):
    ...         return float(graph.out_degrees[vertices].sum())
    ...
    ...     @lense.heuristic("largest")
    ...     def largest(self, graph, budget, rng):
    ...         return np.argsort(-graph.out_degrees, kind="stable")[:budget]
    >>> star = lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    >>> lense.solve(star, Degrees, 2).vertices
    [0, 3]
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """What tables call it, by default its name."""
    place: ClassVar[int] = 100
    """Lists show problems in the order of their places, those of one place by name."""
    goal: ClassVar[str] = "maximize the objective"
    """What the b vertices are chosen for, in a few words that start with a verb."""
    unit: ClassVar[str] = ""
    """What a score counts, such as "edges cut"; "% of …" for a share."""
    thorough_solvers: ClassVar[tuple[str, ...]] = ()
    """The solvers that find more than the quick order, so that a part must leave them something to choose from."""
    superlinear_solvers: ClassVar[tuple[str, ...]] = ()
    """The solvers whose time grows about with the square of the number of edges."""
    streamed_solvers: ClassVar[tuple[str, ...]] = ()
    """The solvers that also solve a graph on disk, by the ``pair_loss`` or by :meth:`in_stream`."""
    uses_direction: ClassVar[bool] = False
    """Whether the direction of an edge matters; if so, each line of an edge list is read as one arc."""
    counts_weights: ClassVar[bool] = False
    """Whether an edge of a weighted graph counts its weight instead of 1."""
    pair_loss: ClassVar[int | None] = None
    """a, where f(X) is in proportion to what the edges at each vertex of X count, added up, less a times what the edges
    between two vertices of X count. A self loop counts 2 - a. It is 1 for coverage, 2 for the cut, None for others."""
    reaches_far: ClassVar[bool] = False
    """Whether what a vertex adds depends on edges that are not at it. A part of a graph leaves these out, so that more
    roots need not make it better."""
    solvers_with: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The solvers that use an option, by its name; an option that is not there is for all of them."""
    retired: ClassVar[tuple[str, ...]] = ()
    """Options of earlier versions that changed no answer; models that name them still load."""
    heuristics: ClassVar[Mapping[str, Heuristic]] = {}
    """The methods marked with :func:`heuristic`, by name: those of the class itself first, then those it inherits."""

    _part: ClassVar[tuple[Graph, EdgeCounts] | None] = None

    solver: str = ""

    def __init_subclass__(cls) -> None:
        found: dict[str, Heuristic] = {}
        for method in (method for owner in cls.__mro__ for method in vars(owner).values()):
            if hasattr(method, "heuristic_name"):
                found.setdefault(method.heuristic_name, method)
        cls.heuristics = found

    def __post_init__(self) -> None:
        if not self.heuristics:
            raise LenseError(f"{type(self).__name__} needs at least one method marked with @heuristic('name').")
        if not self.solver:
            object.__setattr__(self, "solver", next(iter(self.heuristics)))
        choose(self.solver, self.heuristics, f"solver of {self.name}")

    @abstractmethod
    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        """f(X), the value to be maximised, of the vertex set X on ``graph``.

        Parameters
        ----------
        graph, vertices
            The prepared graph, and numbers of its vertices.
        """

    def within(self, part: TruncatedGraph) -> Self:
        """This problem on ``part.graph``, where edges that lead out of the part count too.

        Parameters
        ----------
        part
            A graph without what cannot matter.

        Returns
        -------
        Problem
            A copy that counts so on ``part.graph``, and as this one does on all others.
        """
        bound = copy(self)
        object.__setattr__(bound, "_part", (part.graph, EdgeCounts(part.graph, part)))
        return bound

    def in_stream(self, graph: "StreamedGraph") -> "InStream | None":
        """How passes over the edges solve a graph on disk, or None where they cannot.

        Where f is of the kind that ``pair_loss`` describes, it is enough to set that.

        Parameters
        ----------
        graph
            The graph, which is read in passes.
        """
        return None

    def edges(self, graph: Graph) -> EdgeCounts:
        """What the edges of ``graph`` count.

        Parameters
        ----------
        graph
            The prepared graph.
        """
        return self._part[1] if self._part is not None and self._part[0] is graph else edge_counts(graph)

    def loss_for(self, what: str) -> int:
        """The ``pair_loss``; raise where there is none, which ``what`` needs.

        Parameters
        ----------
        what
            Starts the sentence of the error.
        """
        if self.pair_loss is None:
            able = [name for name, kind in registered(GROUP).items() if getattr(kind, "pair_loss", None) is not None]
            raise LenseError(f"{what} is for problems with a pair_loss ({', '.join(able)}), not for {self.name}.")
        return self.pair_loss

    def objective_value(self, graph: Graph, vertices: ArrayLike) -> float:
        """The :meth:`objective`; raise unless it is a finite number.

        Parameters
        ----------
        graph, vertices
            The prepared graph, and numbers of its vertices.
        """
        return finite(self.objective(graph, vertices), f"The objective of {self.name}")

    def evaluate(self, graph: Graph, vertices: ArrayLike) -> tuple[float, float]:
        """The objective and its standard error, which is 0 where the objective is exact.

        Parameters
        ----------
        graph, vertices
            The prepared graph, and numbers of its vertices.

        Returns
        -------
        tuple of float
            The value and its standard error.
        """
        return self.objective_value(graph, vertices), 0.0

    def estimate(self, graph: Graph, vertices: ArrayLike) -> tuple[float, float]:
        """As :meth:`evaluate`, as precise as the score of an answer needs to be, where that takes less time.

        Parameters
        ----------
        graph, vertices
            The prepared graph, and numbers of its vertices.

        Returns
        -------
        tuple of float
            The value and its standard error.
        """
        return self.evaluate(graph, vertices)

    def prepare(self, graph: Graph) -> Graph:
        """The graph as the problem needs it (edge probabilities, say); called once on the whole graph.

        Parameters
        ----------
        graph
            The whole graph as it was read.

        Returns
        -------
        Graph
            What all other methods are called with, or parts of it.
        """
        if self.counts_weights:
            self.edges(graph)  # raises if one cannot be counted
        return graph

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float | None:
        """A value that no solution within the budget exceeds, or None where the problem knows of none.

        Parameters
        ----------
        graph, budget
            As for :meth:`solve`.
        solution
            A scored solution of this budget, which may help to find a bound.
        rng
            For bounds from samples.
        """
        return None

    def lower_bound(self, graph: Graph, solution: Solution, rng: Rng) -> float:
        """What the solution is certain to score; less than ``solution.score`` where that is an estimate.

        Parameters
        ----------
        graph
            The prepared graph.
        solution
            A scored solution.
        rng
            For bounds from samples.
        """
        return solution.score

    def degrees(self, graph: Graph) -> AnyArray:
        """(n): the edges at each vertex whatever their direction, or their weight if the problem counts weights.

        Parameters
        ----------
        graph
            The prepared graph.
        """
        if self.counts_weights:
            return self.edges(graph).degrees(1)
        return np.diff(graph.incident.indptr)

    def features(self, graph: Graph) -> Float32s:
        """Vertex features (n, k): the :meth:`degrees` scaled to 0..1 and the eigenvector centrality.

        For a problem that uses the direction of edges, they are the out-degree and the centrality by in-arcs.

        Parameters
        ----------
        graph
            The prepared graph.
        """
        degrees = graph.out_degrees if self.uses_direction else self.degrees(graph)
        centrality = eigenvector_centrality(graph, along_arcs=self.uses_direction)
        return np.column_stack([min_max(degrees), centrality]).astype(np.float32)

    def quick_order(self, graph: Graph, budget: int, count: int) -> Int64s:
        """The ``count`` vertices that a quick rule takes first, best first, with a ``budget`` of so many in mind.

        It takes a few passes over the edges. Unless a problem knows better, it is greedy if there is a ``pair_loss``,
        and a greedy choice by discounted degree if not.

        Parameters
        ----------
        graph, budget
            The prepared graph, and how many vertices are to be chosen.
        count
            How many vertices to return.
        """
        if self.pair_loss is None:
            return self.discount_order(graph, count)
        return self.edges(graph).greedy(candidate_array(graph, None), count, self.pair_loss)

    def discount_order(self, graph: Graph, count: int) -> Int64s:
        """The first ``count`` vertices of a greedy choice by degree, where edges to those already taken do not count.

        Where the problem uses direction and the arcs have probabilities, a vertex counts its one-step influence, less
        what the vertices taken reach already (see :func:`lense.kernels.quick_orders.degree_discount`). Otherwise each
        neighbour taken lowers the degree by what the edges to it count, the single discount of Chen, Wang and Yang
        (2009). Of equal degrees, the vertex that came down to it last goes first.

        Parameters
        ----------
        graph, count
            The prepared graph, and how many vertices to return.
        """
        everyone = candidate_array(graph, None)
        if self.counts_weights and graph.weights is not None:
            return self.edges(graph).greedy(everyone, count, 1)
        if self.uses_direction and graph.weights is not None:
            return degree_discount(graph.outgoing, graph.incoming, everyone, count)
        gain = degrees(graph.incident.indptr)
        if self._part is not None:
            gain += self._part[1].leading_out(everyone).astype(np.int32)
        return greedy(graph.incident, gain, everyone, count, 1)

    def quick_seconds(self, graph: Graph, budget: float) -> float:
        """About what :meth:`quick_order` takes with such a ``budget``, by a count of operations.

        A problem with another order says so.

        Parameters
        ----------
        graph, budget
            The prepared graph, and what may be spent on it.
        """
        return 50e-9 * graph.num_edges

    def seconds(self, graph: Graph, budget: float) -> float | None:
        """About what the chosen heuristic takes on ``graph``, or None where only a run can say.

        It is known for a few passes over the edges, or by a count of operations, in next to no time.

        Parameters
        ----------
        graph, budget
            The prepared graph, and what may be spent on it.
        """
        return None

    def gains(self, graph: Graph, budget: float) -> Gains | None:
        """f and its gains f(v | A) as kernels can work on them, or None where nothing but :meth:`objective` is known.

        Every call returns the same gains. Estimated ones are precise enough for sets within the ``budget``.

        Parameters
        ----------
        graph, budget
            The prepared graph, and what may be spent on it.
        """
        return None

    def intervals(self, graph: Graph, state: Int8s, left: int) -> tuple[Float64s, Float64s] | None:
        """What each live vertex, in rising order, adds to f at least and at most: lo and hi, or None where unknown.

        With F the forced vertices, a live vertex v adds no less than lo(v) and no more than hi(v) to F and any
        ``left`` - 1 or fewer other live vertices, in any unit. With that :mod:`lense.problems.bounds` drops and forces
        vertices. Where f is of the kind that ``pair_loss`` describes, it is enough to set that.

        Parameters
        ----------
        graph
            The prepared graph.
        state
            (n): 0 for dropped vertices, 1 for live and 2 for forced ones.
        left
            How many live vertices may be chosen at most.

        Returns
        -------
        tuple of arrays or None
            lo and hi of the live vertices.
        """
        if self.pair_loss is None:
            return None
        edges, live = self.edges(graph), np.flatnonzero(state == LIVE)
        lo, hi = gain_intervals(edges.rows, state, live, left, self.pair_loss)
        out = edges.leading_out(live)
        return lo + out, hi + out

    def edge_value(self, graph: Graph) -> float:
        """What an edge that counts 1 adds to f, for a problem with a ``pair_loss``.

        Parameters
        ----------
        graph
            The prepared graph.
        """
        return 1.0

    def costs(self, graph: Graph) -> Float64s | None:
        """What each vertex (n) of the whole ``graph`` takes of the budget, or None where each takes 1.

        Parameters
        ----------
        graph
            The whole graph, prepared.
        """
        return None

    def checked_costs(self, graph: Graph) -> Float64s | None:
        """The :meth:`costs` of the whole ``graph``, once they are known to be positive and finite, one per vertex.

        Parameters
        ----------
        graph
            The whole graph, prepared.

        Raises
        ------
        LenseError
            If a cost is not positive and finite, or there are too few of them.
        """
        given = self.costs(graph)
        if given is None:
            return None
        costs = np.asarray(given, np.float64)
        if costs.shape != (graph.num_vertices,) or not ((costs > 0) & (costs < np.inf)).all():
            raise LenseError(f"The costs of {self.name} must be one positive, finite number for each vertex.")
        return costs

    def check_budget(self, graph: Graph, budget: float) -> None:
        """Raise unless ``budget`` can be spent on the whole ``graph``: on so many vertices, or on one of its cost.

        Parameters
        ----------
        graph, budget
            The prepared graph, and what may be spent on it.
        """
        check_budget_is_number(budget)
        if (graph if self._part is None else self._part[1]).num_edges == 0:
            raise LenseError("The graph has no edges, so there is nothing to solve.")
        costs = self.checked_costs(graph)
        if costs is not None:
            _check_affordable(costs, budget)
        elif not float(budget).is_integer() or not 1 <= budget <= graph.num_vertices:
            raise LenseError(
                f"The budget must be a whole number from 1 to the graph's {graph.num_vertices:,} vertices, "
                f"not {budget:g}."
            )

    def solve(self, graph: Graph, budget: float, rng: Rng, *, certify: bool = True) -> Solution:
        """Run the chosen heuristic on ``graph``; with ``certify`` also bound the optimum.

        Parameters
        ----------
        graph, budget
            The prepared graph, and what may be spent on it.
        rng
            For heuristics that use random numbers.
        certify
            Bound the optimum too.

        Returns
        -------
        Solution
            Scored on ``graph``.
        """
        solution = self.score(graph, self.search(graph, budget, rng))
        return self.certify(graph, solution, rng) if certify else solution

    def search(
        self,
        graph: Graph,
        budget: float,
        rng: Rng,
        *,
        candidates: ArrayLike | None = None,
        costs: Float64s | None = None,
        forced: ArrayLike | None = None,
    ) -> Solution:
        """What the chosen heuristic finds on ``graph``, not scored yet.

        A budget that counts vertices is lowered to their number. A heuristic without an argument ``forced`` chooses as
        if no vertex were; they then come first, and others last in its order give way to them.

        Parameters
        ----------
        graph, budget
            The prepared graph, and what may be spent on it.
        rng
            For heuristics that use random numbers.
        candidates
            The only vertices that may be chosen; the heuristic must have an argument of that name.
        costs
            (n): what the vertices of a part cost in the whole graph; the heuristic must have an argument of that name.
        forced
            Candidates that must be chosen.

        Returns
        -------
        Solution
            Without a score.

        Raises
        ------
        LenseError
            If the heuristic lacks an argument that it needs, or breaks a rule.
        """
        if costs is None:
            self.check_budget(graph, budget)
        pool = None if candidates is None else vertex_set(graph, candidates)
        pinned = np.empty(0, np.int64) if forced is None else vertex_set(graph, forced)
        self._check_arguments(pool, costs)
        prices = self.checked_costs(graph) if costs is None else costs
        if prices is not None:
            _check_affordable(prices if pool is None else prices[pool], budget)
        method = self.heuristics[self.solver]
        given: dict[str, AnyArray] = {} if pool is None else {"candidates": pool}
        if "costs" in signature(method).parameters:
            given["costs"] = np.ones(graph.num_vertices) if prices is None else prices.copy()
        most = graph.num_vertices if pool is None else pool.size
        to_spend = int(min(budget, most)) if prices is None else budget
        if pinned.size:
            self._check_forced(pinned, pool, prices, to_spend)
            if "forced" in signature(method).parameters:
                given["forced"] = pinned
        with Stopwatch() as watch:
            found = method(self, graph, to_spend, rng, **given)
        if not isinstance(found, Found):
            found = Found(found)
        vertices = np.asarray(found.vertices, dtype=np.int64)
        if not np.isin(pinned, vertices).all():
            vertices = np.concatenate([pinned, vertices[~np.isin(vertices, pinned)]])[:to_spend]
        self._check_choice(graph, vertices, pool, prices, budget)
        return Solution(
            problem=self.name,
            solver=self.solver,
            budget=budget,
            indices=vertices,
            score=float("nan"),
            stderr=float("nan"),
            seconds=watch.seconds,
            upper_bound=found.upper_bound,
            details=found.details,
        )

    def _check_arguments(self, candidates: Int64s | None, costs: Float64s | None) -> None:
        """Raise unless the heuristic takes what it must know."""
        takes, named = signature(self.heuristics[self.solver]).parameters, f"The solver {self.solver} of {self.name}"
        if costs is not None and "costs" not in takes:
            raise LenseError(
                f"{named} cannot solve on a part of a graph, where a vertex costs what it costs in the whole graph: "
                "give it an argument called costs, or solve in the mode ground-set."
            )
        if candidates is None:
            return
        if not candidates.size:
            raise LenseError("There are no candidates to choose from.")
        if "candidates" not in takes:
            raise LenseError(
                f"{named} cannot be limited to some of the vertices: it has no argument called candidates."
            )

    def _check_forced(self, forced: Int64s, candidates: Int64s | None, costs: Float64s | None, budget: float) -> None:
        """Raise unless all of ``forced`` can be chosen."""
        if costs is not None:
            raise LenseError(f"No vertex can be forced where vertices have costs, as those of {self.name} have.")
        if forced.size > budget or (candidates is not None and not np.isin(forced, candidates).all()):
            raise LenseError(
                f"{forced.size:,} vertices are forced, which must be candidates and within a budget of {budget:g}."
            )

    def _check_choice(
        self, graph: Graph, vertices: Int64s, candidates: Int64s | None, costs: Float64s | None, budget: float
    ) -> None:
        """Raise unless ``vertices`` are different candidates within the budget."""
        fault = f"The solver {self.solver} of {self.name} "
        if vertex_set(graph, vertices).size != vertices.size:
            raise LenseError(f"{fault}chose a vertex twice, which is a fault in it.")
        if candidates is not None and not np.isin(vertices, candidates).all():
            raise LenseError(f"{fault}chose a vertex that is not a candidate, which is a fault in it.")
        spent = float(vertices.size if costs is None else costs[vertices].sum())
        if spent > budget * (1 + _ROUNDING):
            raise LenseError(f"{fault}spent {spent:g} of a budget of {budget:g}, which is a fault in it.")

    def score(self, graph: Graph, solution: Solution) -> Solution:
        """``solution`` with the objective of its vertices on ``graph``, and their ids there.

        Parameters
        ----------
        graph, solution
            The prepared graph, and what was found on it or on a part of it.

        Returns
        -------
        Solution
            With score, error, unit and ids.
        """
        score, stderr = (
            finite(one, f"The {what} of {self.name}")
            for one, what in zip(self.estimate(graph, solution.indices), ("score", "standard error"), strict=True)
        )
        ids, weighted = graph.labels[solution.indices].tolist(), self.counts_weights and graph.weights is not None
        unit = self.unit.replace("edges", "edge weight") if weighted else self.unit
        return replace(solution, score=score, stderr=stderr, vertices=ids, unit=unit)

    def certify(self, graph: Graph, solution: Solution, rng: Rng) -> Solution:
        """``solution`` with its bounds, the heuristic's own upper bound included where that is the lower one.

        Parameters
        ----------
        graph, solution
            The prepared graph, and a scored solution on it.
        rng
            For bounds from samples.

        Returns
        -------
        Solution
            With its bounds.
        """
        with Stopwatch() as watch:
            own, general = solution.upper_bound, self.upper_bound(graph, solution.budget, solution, rng)
            known = [finite(bound, f"The upper bound of {self.name}") for bound in (own, general) if bound is not None]
            bounded = replace(solution, upper_bound=min(known) if known else None)
            below = finite(self.lower_bound(graph, bounded, rng), f"The lower bound of {self.name}")
        return replace(bounded, lower_bound=below, certificate_seconds=watch.seconds)


def finite(value: Any, what: str) -> float:
    """``value`` as a number; raise, with ``what`` it is, unless it is a finite one, or an array or tensor of one."""
    try:
        number = nan if isinstance(value, str | bytes) else float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        number = nan
    if not isfinite(number):
        raise LenseError(f"{what} must be a finite number, not {reprlib.repr(value)}.")
    return number


def _check_affordable(costs: Float64s, budget: float) -> None:
    """Raise unless the budget buys at least one of the vertices that have these costs."""
    if not costs.min() <= budget < np.inf:
        raise LenseError(f"A budget of {budget:g} buys no vertex: the cheapest costs {costs.min():g}.")


def min_max(values: ArrayLike) -> Float32s:
    """``values`` scaled linearly to 0..1; constant values become 0."""
    array = np.asarray(values, dtype=np.float64)
    low, high = (array.min(), array.max()) if array.size else (0.0, 0.0)
    return ((array - low) / (high - low if high > low else 1.0)).astype(np.float32)


def format_score(score: float, unit: str = "", stderr: float = 0.0) -> str:
    """Return a score for people, such as "14.1 % of edges covered" or "3,515 vertices dominated"."""
    scale, mark = (100, " %") if unit.startswith("%") else (1, "")
    error = f" ± {scale * stderr:.2g}" if stderr > 0 else ""
    return f"{quantity(scale * score)}{error}{mark} {unit.removeprefix('%').lstrip()}".rstrip()


def vertex_set(graph: Graph, vertices: ArrayLike) -> Int64s:
    """The different vertices among ``vertices``, in rising order, once they are known to be vertices of ``graph``."""
    array = np.asarray(vertices)
    if array.size and array.dtype.kind not in "iu":
        raise LenseError(f"Vertices are given by their numbers, not as an array of {array.dtype}.")
    distinct = np.unique(array).astype(np.int64)
    if distinct.size and not 0 <= distinct[0] <= distinct[-1] < graph.num_vertices:
        raise LenseError(f"Vertices must lie between 0 and {graph.num_vertices - 1}, the last of the graph.")
    return distinct


def candidate_array(graph: Graph, candidates: Int64s | None) -> Int32s:
    """``candidates`` as the kernels take them; all vertices of ``graph`` where there are none."""
    return np.arange(graph.num_vertices, dtype=np.int32) if candidates is None else candidates.astype(np.int32)


def problem_class(name: "str | type[Problem]") -> type[Problem]:
    """Return the class registered as ``name``, or the one in a file, as ``./mine.py:MyProblem``.

    Classes are returned unchanged. The user typed this name: one that was read from a file or a request goes through
    :func:`lense._util.classes.known_class` instead.
    """
    found: type[Problem] = typed_class(name_of(name, GROUP, Problem), GROUP, Problem)
    return found


def get_problem(name: str | type[Problem], /, **options: Any) -> Problem:
    """Return a problem by its name.

    Parameters
    ----------
    name
        A registered name, a class, or one in a file, as "./mine.py:MyProblem".
    **options
        Fields of the problem, also as text. ``random_state`` is another name for ``seed``.

    Returns
    -------
    Problem
        The problem with these options.

    Raises
    ------
    LenseError
        If there is no such problem or option, or a value is out of range.

    Examples
    --------
    >>> from lense import get_problem
    >>> get_problem("bmc", solver="mip", gap="0.1").gap
    0.1
    """
    cls = problem_class(name)
    hints = get_type_hints(cls)
    known = {f.name: hints[f.name] for f in fields(cls)}
    given = with_seed(options, known)
    return cls(
        **{key: converted(key, value, choose(key, known, f"option of {cls.name}")) for key, value in given.items()}
    )


def seeded_problem(name: str | type[Problem], seed: int, options: Mapping[str, Any]) -> Problem:
    """As :func:`get_problem`, ``seed`` going to a problem that has a seed of its own, unless ``options`` sets it."""
    has_seed = any(f.name == "seed" for f in fields(problem_class(name)))
    return get_problem(name, **{**({"seed": seed} if has_seed else {}), **options})
