"""``lense.solve`` and ``lense.prune``: graphs and heuristics as their owner has them."""

import copy
from collections.abc import Callable
from dataclasses import fields, replace
from inspect import signature
from math import isfinite, nan
from os import PathLike
from typing import Any

import numpy as np

from lense.classes import is_in_file
from lense.errors import LenseError
from lense.graph import Graph, Scan
from lense.graph.given import Given, View, as_given, counts_of
from lense.options import check_seed, takes_random_state
from lense.problems import Problem, Solution
from lense.problems.base import get_problem, problem_class
from lense.problems.own import Run, own_problem, with_heuristic
from lense.pruners import Pruner, get_pruner, load, pruner_class
from lense.pruners.registry import pruner_names
from lense.pruners.shipped import doubts, shipped_core, shipped_model
from lense.solving.advice import Timer
from lense.solving.deciding import Way, _fitted, solve_prepared
from lense.stopwatch import Stopwatch
from lense.streaming.excerpts import Excerpts
from lense.streaming.pruning import prune_streamed
from lense.streaming.room import Room
from lense.streaming.solving import Way as StreamedWay
from lense.streaming.solving import solve_scan
from lense.types import Int64s

OwnHeuristic = Callable[..., Any]
"""``f(graph, budget)`` or ``f(graph, budget, candidates)`` that returns vertices."""
OwnObjective = Callable[[Any, Any], float]


@takes_random_state
def solve(
    graph: Any,
    problem: str | Problem | type[Problem] = "mvc",
    budget: float = 100,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    prune: bool | None = None,
    target: float = 0.99,
    pruner: str | PathLike[str] | Pruner | type[Pruner] | None = None,
    seed: int = 0,
    certify: bool = True,
    time_limit: float | None = None,
    graph_type: str | None = None,
    **options: Any,
) -> Solution:
    """Choose vertices of any ``graph`` by any ``heuristic``, on the part of it that matters if that saves time.

    ``graph`` is a file, a data set's name, a :class:`Graph`, a graph of networkx or igraph, a sparse matrix of scipy, a
    ``Data`` of PyTorch Geometric, a table of edges of pandas, polars or Arrow, an array (m, 2) of edges, or a
    :func:`lense.scan` of a graph that stays on disk. ``heuristic`` is the name of one of the problem's own, or a
    function ``f(graph, budget)`` that returns vertices. It is called with an object of the type that ``graph`` has, or
    of ``graph_type`` ("networkx", say). In networkx and in tables vertices are called by their ids. In all other types
    they are the numbers 0 to n - 1 of the object that f was called with. A function that has an argument
    ``candidates`` is also given the vertices to choose from: the roots of a part, or all vertices.

    ``objective(graph, vertices)`` is for a problem that lense does not know; ``problem`` then does not count.
    ``prune`` says whether to prune; None takes the cheaper way that keeps ``target`` of the heuristic's own score.
    ``pruner`` is the name of another pruner than core, the folder of a model, or a fitted pruner. A problem or a pruner
    may also be a class, or one in a file: "./mine.py:MyProblem". ``options`` are those of the problem; among them
    ``random_state`` is another name for ``seed``. The answer's ``labels`` are the vertices in your ids.
    """
    if isinstance(graph, Scan):
        named = _streamed_problem(problem, heuristic, objective, graph_type, seed, options)
        chosen = _streamed_pruner(named, pruner, prune, target, budget)
        how = StreamedWay(pruner=chosen, certify=certify, seed=seed)
        if time_limit is not None:
            raise LenseError("In a stream there is no time limit: leave out time_limit.")
        return solve_scan(named, graph, budget, how)
    own = _Own(graph, problem, heuristic, objective, graph_type, seed, options)
    way = Way(prune=prune, target=target, certify=certify, time_limit=time_limit, seed=seed, timer=own.timer)
    if pruner is None or prune is False:
        if pruner is not None:
            raise LenseError("prune=False says not to prune and pruner= with what: leave one of them out.")
        found = solve_prepared(own.problem, own.prepared, budget, way)
    else:
        chosen = own.pruner(pruner, budget)
        found = chosen.solve(own.prepared, budget=budget, seed=seed, certify=certify, prepared=True)
        unlike = doubts(chosen, own.prepared, budget)
        found = replace(found, reason=f"pruned by {chosen.name}, as asked{unlike}")
    return replace(found, vertices=own.given.names(own.prepared.labels[found.indices]))


@takes_random_state
def prune(
    graph: Any,
    problem: str | Problem | type[Problem] = "mvc",
    budget: float = 100,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    target: float = 0.99,
    pruner: str | PathLike[str] | Pruner | type[Pruner] | None = None,
    seed: int = 0,
    graph_type: str | None = None,
    **options: Any,
) -> Any:
    """The part of any ``graph`` that keeps ``target`` of a heuristic's score, in the type of ``graph``.

    The arguments are those of :func:`solve`. For a problem that lense does not know, the ``heuristic`` is run on small
    samples of the graph to learn from.
    """
    if isinstance(graph, Scan):
        named = _streamed_problem(problem, heuristic, objective, graph_type, seed, options)
        streamed = _streamed_pruner(named, pruner, True, target, budget)
        assert streamed is not None
        return prune_streamed(streamed, Excerpts(graph, Room.of(None)), budget=budget, seed=seed).graph
    own = _Own(graph, problem, heuristic, objective, graph_type, seed, options)
    whole = own.prepared
    own.problem.check_budget(whole, budget)
    if pruner is not None:
        chosen: Pruner = own.pruner(pruner, budget)
    else:
        way = Way(prune=True, target=target, seed=seed, timer=own.timer)
        core = shipped_core(own.problem) or _fitted(own.problem, whole, budget, None, way)
        chosen = core.set_params(budget=budget, target=target)
    part = chosen.prune(whole, budget=budget, seed=seed, prepared=True)
    return own.view.of(part.graph)


def _streamed_problem(
    problem: str | Problem | type[Problem],
    heuristic: Any,
    objective: Any,
    graph_type: str | None,
    seed: int,
    options: dict[str, Any],
) -> Problem:
    """The problem to solve on a graph that stays on disk, where functions of the user cannot see it."""
    if callable(heuristic) or objective is not None or graph_type is not None:
        raise LenseError("Functions of your own need the graph in memory: prune the scan first, and call them on that.")
    return _named(problem, heuristic, seed, options)


def _streamed_pruner(
    problem: Problem,
    pruner: str | PathLike[str] | Pruner | type[Pruner] | None,
    prune: bool | None,
    target: float,
    budget: float,
) -> Pruner | None:
    """What to prune a scan with; None, where nothing is asked for, leaves all that can matter."""
    if pruner is None and not prune:
        return None
    found = _found_pruner("core" if pruner is None else pruner, problem, budget)
    return found.set_params(budget=budget, **({"target": target} if pruner is None else {}))


class _OwnTimer(Timer):
    """Leaves out the conversion where the whole graph needs none."""

    def __init__(self) -> None:
        self.heuristic_seconds: float | None = None
        self.converts_whole = True
        self._edges, self._converting = 0, 0.0

    def seconds(self, problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
        self.heuristic_seconds = None
        found = super().seconds(problem, graph, budget, rng)
        own = self.heuristic_seconds
        if own is None or self.converts_whole:
            return found
        self._edges += graph.num_edges
        self._converting += max(found - own, 0.0)
        return own

    def converting(self, edges: int) -> float:
        return self._converting * edges / self._edges if self._edges else 0.0


class _Own:
    """A user's graph, problem and functions, as the rest of the package knows them."""

    def __init__(
        self,
        graph: Any,
        problem: str | Problem | type[Problem],
        heuristic: str | OwnHeuristic | None,
        objective: OwnObjective | None,
        graph_type: str | None,
        seed: int,
        options: dict[str, Any],
    ) -> None:
        check_seed(seed)
        _check_functions(heuristic, objective)
        self.timer = _OwnTimer()
        named = None if objective is not None else _named(problem, heuristic, seed, options)
        self.given: Given = as_given(graph, arcs=named is not None and named.uses_direction)
        self.view = View(self.given, graph_type)
        if named is None:
            self.problem = self._unknown(heuristic, objective, options)
        elif callable(heuristic):
            name, run, limited = _name(heuristic), self._run(heuristic), _takes_candidates(heuristic)
            self.problem = with_heuristic(named, name, run, can_be_limited=limited)
        else:
            self.problem = named
        self.prepared: Graph = self.problem.prepare(self.given.graph)
        self.timer.converts_whole = self.view.converts(self.prepared)

    def _unknown(self, heuristic: Any, objective: Any, options: dict[str, Any]) -> Problem:
        if not callable(heuristic):
            raise LenseError("A problem with an objective of your own needs your heuristic too: give heuristic=f.")
        if options:
            raise LenseError(f"{', '.join(options)} are options of a problem, and objective= has none: leave them out.")

        def value(graph: Graph, vertices: Int64s) -> float:
            found = objective(self.view.of(graph), self.view.vertices(graph, vertices))
            try:  # a tensor of one number is one too
                number = nan if isinstance(found, str | bytes) else float(found)
            except (TypeError, ValueError):
                number = nan
            if not isfinite(number):
                raise LenseError(f"{_name(objective)} must return a number, not {found!r}.")
            return number

        run, limited = self._run(heuristic), _takes_candidates(heuristic)
        return own_problem(_name(heuristic), run, value, can_be_limited=limited)

    def _run(self, heuristic: OwnHeuristic) -> Run:
        name, takes_candidates = _name(heuristic), _takes_candidates(heuristic)

        def run(graph: Graph, budget: int, candidates: Int64s | None) -> Int64s:
            theirs, more = self.view.of(graph), {}
            if takes_candidates:
                pool = np.arange(graph.num_vertices) if candidates is None else candidates
                more["candidates"] = self.view.vertices(graph, pool)
            counts, part = counts_of(theirs), "" if graph is self.prepared else _of_part(graph, budget)
            with Stopwatch() as watch:
                try:
                    answer = heuristic(theirs, budget, **more)
                except Exception as error:
                    if part:
                        error.add_note(f"lense called {name}{part}; prune=False calls it with the whole graph alone.")
                    raise
            self.timer.heuristic_seconds = watch.undisturbed
            if counts_of(theirs) != counts:
                raise LenseError(f"{name} changed the graph that it was given: let it work on a copy.")
            vertices = self.view.numbers(graph, answer, name)
            if vertices.size > budget:
                raise LenseError(f"{name} returned {vertices.size:,} vertices, and the budget is {budget:,}{part}.")
            return vertices

        return run

    def pruner(self, pruner: str | PathLike[str] | Pruner | type[Pruner], budget: float) -> Pruner:
        """The pruner by its name, from a folder, or one that is fitted, for this problem."""
        return _found_pruner(pruner, self.problem, budget)


def _found_pruner(pruner: str | PathLike[str] | Pruner | type[Pruner], problem: Problem, budget: float) -> Pruner:
    """The pruner by its name, from a folder, or one that is fitted, for ``problem``."""
    if isinstance(pruner, Pruner):
        return copy.copy(pruner).set_params(problem=problem)
    name = str(pruner)
    if name in ("core", "lense"):
        found = shipped_core(problem) if name == "core" else shipped_model(problem)
        if found is None:
            raise LenseError(f"No {name} ships for the problem {problem.name}: fit one and give it as pruner=.")
        return found
    if isinstance(pruner, type) or name in pruner_names() or is_in_file(name):
        kind = pruner_class(pruner if isinstance(pruner, type) else name)
        if kind.learns:
            raise LenseError(f"The pruner {kind.name} learns: fit one, and give it or its folder as pruner=.")
        return get_pruner(kind, problem, budget)
    loaded: Pruner = load(name, problem=problem)
    return loaded


def _named(problem: str | Problem | type[Problem], heuristic: Any, seed: int, options: dict[str, Any]) -> Problem:
    """The problem with its options, solved by the heuristic of that name, and with the seed if it has one."""
    solver = {"solver": heuristic} if isinstance(heuristic, str) else {}
    if isinstance(problem, Problem):
        if options:
            raise LenseError("The options of a problem that is given as an object are set in it: leave them out.")
        return replace(problem, **solver) if solver else problem
    own_seed = {"seed": seed} if any(one.name == "seed" for one in fields(problem_class(problem))) else {}
    return get_problem(problem, **{**own_seed, **options, **solver})


def _check_functions(heuristic: Any, objective: Any) -> None:
    if not (heuristic is None or isinstance(heuristic, str) or callable(heuristic)):
        raise LenseError(f"heuristic= is the name of one or a function, not {heuristic!r}.")
    if not (objective is None or callable(objective)):
        raise LenseError(f"objective= is a function, not {objective!r}.")


def _of_part(graph: Graph, budget: int) -> str:
    """The end of a sentence about a call with less than the whole graph."""
    return f" for a part of the graph, with {graph.num_vertices:,} vertices and a budget of {budget:,}"


def _takes_candidates(function: OwnHeuristic) -> bool:
    try:
        return "candidates" in signature(function).parameters
    except ValueError:  # some functions written in C do not say
        return False


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


__all__ = ["OwnHeuristic", "OwnObjective", "prune", "solve"]
