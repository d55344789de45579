"""``lense.solve`` and ``lense.prune``: graphs and heuristics as their owner has them."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from inspect import signature
from os import PathLike, fspath
from typing import Any

import numpy as np

from lense._util.classes import is_in_file
from lense._util.measuring import Stopwatch
from lense._util.options import check_seed, takes_random_state
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, Scan
from lense.graph.adapters import AdaptedGraph, View, adapt, counts_of
from lense.problems import Problem, Solution
from lense.problems.base import finite, get_problem, problem_class
from lense.problems.exact import solve_exactly
from lense.problems.own import Run, own_problem, with_heuristic
from lense.pruners import Pruner, get_pruner, load, pruner_class
from lense.pruners.registry import pruner_names
from lense.pruners.shipped import shipped_core, shipped_model
from lense.solving.advice import Advice, Timer
from lense.solving.advice import advise as advise_prepared
from lense.solving.answers import score_answer
from lense.solving.deciding import Way, _fitted, solve_prepared
from lense.streaming.excerpts import Excerpts
from lense.streaming.opening import is_mapped, open_engine, scan_if_needed
from lense.streaming.pruning import prune_streamed
from lense.streaming.room import Room, parse_memory
from lense.streaming.solving import Way as StreamedWay
from lense.streaming.solving import solve_scan

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
    exact: bool = False,
    mode: str = "subgraph",
    size: int | None = None,
    stream: bool | None = None,
    memory_limit: int | str | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    graph_type: str | None = None,
    **options: Any,
) -> Solution:
    """Choose the best ``budget`` vertices of a graph, on the part of it that matters if that saves time.

    Parameters
    ----------
    graph
        A file, the name of a data set, a :class:`Graph`, a graph of networkx or igraph, a scipy sparse matrix, a
        PyTorch Geometric ``Data``, a table of edges (pandas, polars, Arrow), an array (m, 2) of edges, or a
        :func:`lense.scan` of a graph that stays on disk.
    problem
        The name of a problem, an instance or class of one, or a class in a file: ``"./mine.py:MyProblem"``.
    budget
        How many vertices to choose, or what they may cost in all.
    heuristic
        The name of one of the problem's heuristics, or a function ``f(graph, budget)`` that returns vertices. It is
        called with an object of the type of ``graph``, or of ``graph_type``. In networkx and in tables, vertices are
        ids; in all other types they are the numbers 0 to n - 1 of that object. A function with an argument
        ``candidates`` also gets the vertices to choose from.
    objective
        ``objective(graph, vertices)`` for a problem that lense does not know; ``problem`` then does not count.
    prune
        Whether to solve on a part of the graph; by default whichever is faster and keeps ``target`` of the score.
    target
        The share of the heuristic's own score that a part must keep.
    pruner
        The name of another pruner than core, a pruner class, the folder of a model, or a fitted pruner.
    seed
        Of all random numbers; ``random_state`` is another name for it.
    certify
        Bound the optimum, so that the answer says how good it is.
    time_limit
        Seconds after which ``exact`` returns the best answer found and no larger part is tried.
    exact
        Find an optimum and prove it (mvc and bmc).
    mode
        ``"subgraph"`` solves on the part alone, ``"ground-set"`` on the whole graph, choosing from the part.
    size
        The number of roots of the core, in place of ``target``.
    stream
        Leave the graph on disk; by default only if it would not fit into memory.
    memory_limit
        The most memory to take when streaming, in bytes or as "4GB".
    engine, scheduler
        Who reads a graph on disk: "local", or "dask" with the address of a scheduler.
    graph_type
        The type that ``heuristic`` and ``objective`` are called with, such as "networkx".
    **options
        Options of the problem.

    Returns
    -------
    Solution
        The vertices in your ids, their score on the whole graph, a bound on the optimum, and how they were found.

    Raises
    ------
    LenseError
        For input that cannot be used, in one sentence.

    Examples
    --------
    >>> import lense, numpy as np
    >>> star = np.array([[0, 1], [0, 2], [0, 3], [3, 4]])
    >>> answer = lense.solve(star, "mvc", 1, exact=True)
    >>> answer.vertices, answer.score_text, answer.optimal
    ([0], '75 % of edges covered', True)
    """
    if exact:
        given = {"prune": prune, "pruner": pruner, "size": size, "certify": certify, "mode": mode}
        _check_exact(given, heuristic, objective)
    limit = parse_memory(memory_limit) if isinstance(memory_limit, str) else memory_limit
    scan = _scanned(graph, problem, stream, limit)
    with open_engine(engine, scheduler, scan) as passes:
        if scan is not None:
            named = _streamed_problem(problem, heuristic, objective, graph_type, seed, options)
            if time_limit is not None and not exact:
                raise LenseError("In a stream there is no time limit but for exact=True: leave out time_limit.")
            chosen = None if exact else _streamed_pruner(named, pruner, prune, target, budget)
            how = StreamedWay(chosen, mode, certify, exact, time_limit, seed, limit, passes)
            return solve_scan(named, scan, budget, how)
    own = _Own(graph, problem, heuristic, objective, graph_type, seed, options)
    way = Way(
        prune=True if size is not None else prune,
        target=target,
        size=size,
        certify=certify,
        time_limit=time_limit,
        mode=mode,
        seed=seed,
        timer=own.timer,
    )
    if pruner is not None and (prune is False or size is not None):
        raise LenseError("pruner= says how to prune, which prune=False and size= contradict: leave one of them out.")
    if exact:
        found = solve_exactly(own.problem, own.prepared, budget, np.random.default_rng(seed), time_limit=time_limit)
        found = replace(found, reason="searched the whole graph for an optimum (exact)")
    elif pruner is None:
        found = solve_prepared(own.problem, own.prepared, budget, way)
    else:
        chosen = own.pruner(pruner, budget)
        found = chosen.solve(own.prepared, budget=budget, seed=seed, mode=mode, certify=certify, prepared=True)
        unlike = chosen.warning(own.prepared, budget)
        found = replace(found, reason="; ".join(filter(None, (f"pruned by {chosen.name}, as asked", unlike))))
    return replace(found, vertices=own.given.names(own.prepared.labels[found.indices]))


def _check_exact(given: dict[str, Any], *functions: Any) -> None:
    """Raise for arguments that have no effect beside ``exact``."""
    usual = {"prune": None, "pruner": None, "size": None, "certify": True, "mode": "subgraph"}
    if unused := [name for name, value in given.items() if value != usual[name]]:
        raise LenseError(f"exact=True searches the whole graph and proves its answer: leave out {', '.join(unused)}.")
    if any(callable(one) for one in functions):
        raise LenseError("exact=True is for mvc and bmc: leave out your own heuristic and objective.")


def _scanned(graph: Any, problem: Any, stream: bool | None, limit: int | None) -> Scan | None:
    """The graph on disk, if it is to stay there."""
    if isinstance(graph, Scan):
        return graph
    is_name = isinstance(graph, str | PathLike)
    if not is_name and (stream or limit is not None):
        raise LenseError("stream and memory_limit are for graphs in files: give the path of one.")
    if not is_name or (stream is None and _uses_direction(problem) and is_mapped(fspath(graph))):
        return None  # cascades need the arcs in any order
    return scan_if_needed(fspath(graph), {}, stream, limit)


def _uses_direction(problem: str | Problem | type[Problem]) -> bool:
    return (problem if isinstance(problem, Problem) else problem_class(problem)).uses_direction


@takes_random_state
def score(
    graph: Any,
    vertices: Sequence[Any],
    problem: str | Problem | type[Problem] = "mvc",
    budget: float | None = None,
    *,
    seed: int = 0,
    certify: bool = True,
    **options: Any,
) -> Solution:
    """Score an answer from elsewhere, and bound how far from optimal it is.

    Parameters
    ----------
    graph
        As for :func:`solve`, in memory.
    vertices
        The answer, in your ids.
    problem, seed, certify, **options
        As for :func:`solve`.
    budget
        What the bound is for; by default the number of vertices, or the sum of their costs.

    Returns
    -------
    Solution
        With ``score``, ``upper_bound`` and ``certified``.

    Examples
    --------
    >>> import lense, numpy as np
    >>> star = np.array([[0, 1], [0, 2], [0, 3], [3, 4]])
    >>> lense.score(star, [3], "mvc").score_text
    '50 % of edges covered'
    """
    own = _Own(graph, problem, None, None, None, seed, options)
    return score_answer(own.problem, own.prepared, list(vertices), budget, seed=seed, certify=certify)


@takes_random_state
def advise(
    graph: Any,
    problem: str | Problem | type[Problem] = "mvc",
    budget: float = 100,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    target: float = 0.99,
    time_limit: float | None = None,
    seed: int = 0,
    graph_type: str | None = None,
    **options: Any,
) -> Advice:
    """Say whether :func:`solve` would prune, what either way takes, and why, without solving.

    The arguments are those of :func:`solve`; your own heuristic is run on small samples.

    Examples
    --------
    >>> import lense, numpy as np
    >>> lense.advise(np.array([[0, 1], [0, 2], [0, 3], [3, 4]]), "mvc", 1).prune
    False
    """
    own = _Own(graph, problem, heuristic, objective, graph_type, seed, options)
    return advise_prepared(
        own.problem, own.prepared, budget, target=target, time_limit=time_limit, seed=seed, timer=own.timer
    )


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
        self.given: AdaptedGraph = adapt(graph, arcs=named is not None and named.uses_direction)
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
            return finite(found, f"The objective {_name(objective)}")

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


__all__ = ["OwnHeuristic", "OwnObjective", "advise", "prune", "score", "solve"]
