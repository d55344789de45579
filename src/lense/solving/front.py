"""The front door: ``lense.solve``, ``prune``, ``score`` and ``advise``, for Python, the command line and the page.

Each opens the graph in whatever type it is given, finds the problem and the pruner that the options name, decides
whether the graph stays on disk and whether to prune, and answers in the ids of the graph's owner.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import parse_json, replacing, system_errors, to_json
from lense._util.measuring import Stopwatch
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, Scan, open_graph
from lense.graph.adapters import AdaptedGraph, View, adapt
from lense.graph.subgraph import Subgraph
from lense.problems import Problem, Solution
from lense.problems.exact import solve_exactly
from lense.pruners import Core, Pruner
from lense.pruners.calibration import Expected
from lense.solving.costs import measured_costs, stand_in
from lense.solving.deciding import Advice, ProblemHeuristic, solve_prepared
from lense.solving.deciding import advise as advise_prepared
from lense.solving.functions import (
    OwnFunction,
    OwnHeuristic,
    OwnObjective,
    check_functions,
    own_problem,
)
from lense.solving.options import AnyProblem, Setup, SolveOptions, find_setup
from lense.solving.own import OwnQuestion, advise_own, part_of_own, solve_own
from lense.streaming.graph import StreamedGraph
from lense.streaming.memory import MemoryBudget, is_mapped, parse_memory, scan_if_needed
from lense.streaming.passes import Engine, open_engine
from lense.streaming.solving import prune_streamed, solve_scan

ANSWER_COLUMNS = ("order", "vertex")
"""Of an answer as .csv."""
_SCORED = {"seed", "certify"}
_ADVISED = {"target", "time_limit", "seed", *SolveOptions.OWN}
_PRUNED = {"target", "pruner", "model", "size", "swaps", "device", "seed", *SolveOptions.OWN}
_ON_DISK = {"stream", "memory_limit", "engine", "scheduler"}


def solve(
    graph: Any,
    problem: AnyProblem | None = None,
    budget: float | None = None,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    options: SolveOptions | None = None,
    **given: Any,
) -> Solution:
    """Choose the best ``budget`` vertices of a graph, on the part of it that matters if that saves time.

    Parameters
    ----------
    graph
        A file, the name of a data set, a :class:`Graph`, a graph of networkx, igraph or NetworKit, a scipy sparse
        matrix, a PyTorch Geometric ``Data``, a table of edges (pandas, polars, Arrow), an array (m, 2) of edges, or a
        :func:`lense.scan` of a graph that stays on disk.
    problem
        The name of a problem, an instance or class of one, or a class in a file: ``"./mine.py:MyProblem"``. By default
        that of the model, or mvc.
    budget
        How many vertices to choose, or what they may cost in all; by default the model's, or 100.
    heuristic
        The name of one of the problem's heuristics, or a function ``f(graph, budget)`` that returns vertices. It is
        called with an object of the type of ``graph``, or of ``graph_type``. In networkx and in tables, vertices are
        ids; in all other types they are the numbers 0 to n - 1 of that object. A function with an argument
        ``candidates`` also gets the vertices to choose from, one with an argument ``rng`` a random generator.
    objective
        ``objective(graph, vertices)`` for a problem that lense does not know; ``problem`` then does not count.
        A function as ``heuristic`` needs it, or a ``problem`` that is named.
    options
        All options in one object, in place of keyword arguments or beside them.
    **given
        The options of :class:`SolveOptions`: ``prune``, ``target``, ``pruner``, ``size``, ``mode``, ``certify``,
        ``exact``, ``time_limit``, ``seed``, ``stream``, ``memory_limit``, ``engine`` and others; with your own
        heuristic also ``valid``, ``minimise``, ``costs``, ``candidates``, ``required``, ``forbidden``. For a file,
        options of :func:`lense.read_graph` such as ``directed``. All others are options of the problem, or of a named
        pruner.

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
    chosen = SolveOptions.of(options, given)
    chosen.check()
    if chosen.exact and (callable(heuristic) or objective is not None):
        raise LenseError("exact=True finds an optimum of its own: leave out your heuristic and objective.")
    with _asked(graph, problem, budget, heuristic, objective, chosen, chosen.prunes, streams=True) as question:
        found = _solved_on_disk(question) if isinstance(question.graph, Scan) else _solved_in_memory(question)
        return question.in_ids(found)


def prune(
    graph: Any,
    problem: AnyProblem | None = None,
    budget: float | None = None,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    options: SolveOptions | None = None,
    **given: Any,
) -> Any:
    """Return the part of a graph that keeps ``target`` of a heuristic's score, in the type of ``graph``.

    Parameters
    ----------
    graph, problem, budget, heuristic, objective, options, **given
        As for :func:`solve`. For a problem that lense does not know, the ``heuristic`` is run on small samples of the
        graph to learn from.

    Returns
    -------
    Any
        A graph of the type of ``graph``, with your ids; a :class:`Graph` for a file or a scan.

    Raises
    ------
    LenseError
        For input that cannot be used, in one sentence.

    Examples
    --------
    >>> import lense, numpy as np
    >>> path = np.array([[i, i + 1] for i in range(1000)])
    >>> len(lense.prune(path, "mvc", 3)) < len(path)
    True
    """
    return find_part(graph, problem, budget, heuristic, objective, options=options, **given).owned


def score(
    graph: Any,
    vertices: Sequence[Any],
    problem: AnyProblem | None = None,
    budget: float | None = None,
    *,
    options: SolveOptions | None = None,
    **given: Any,
) -> Solution:
    """Score an answer from elsewhere, and bound how far from optimal it is.

    Parameters
    ----------
    graph
        As for :func:`solve`, in memory.
    vertices
        The answer, in your ids.
    problem
        As for :func:`solve`.
    budget
        What the bound is for; by default the number of vertices, or the sum of their costs.
    options, **given
        As for :func:`solve`: ``certify``, ``seed``, options of the problem and of reading a file.

    Returns
    -------
    Solution
        With ``score``, ``upper_bound`` and ``certified``.

    Raises
    ------
    LenseError
        For vertices that the graph does not have, and for those that exceed the budget.

    Examples
    --------
    >>> import lense, numpy as np
    >>> star = np.array([[0, 1], [0, 2], [0, 3], [3, 4]])
    >>> lense.score(star, [3], "mvc").score_text
    '50 % of edges covered'
    """
    chosen = SolveOptions.of(options, given)
    chosen.check_only(_SCORED, "score")
    with _asked(graph, problem, budget, None, None, chosen, False) as question:
        named, whole = question.setup.problem, question.whole
        indices = _numbers(question, list(vertices))
        costs = named.checked_costs(whole)
        taken = float(indices.size if costs is None else costs[indices].sum())
        allowed = taken if budget is None else budget
        if taken > allowed:
            raise LenseError(f"The answer takes {taken:g} of a budget of {allowed:g}.")
        named.check_budget(whole, allowed)
        found = named.score(whole, Solution(named.name, "given", allowed, indices, np.nan, np.nan, 0.0))
        found = named.certify(whole, found, np.random.default_rng(chosen.seed)) if chosen.certify else found
        return question.in_ids(found)


def advise(
    graph: Any = None,
    problem: AnyProblem | None = None,
    budget: float | None = None,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    measure: bool = False,
    vertices: int | None = None,
    edges: int | None = None,
    options: SolveOptions | None = None,
    **given: Any,
) -> Advice:
    """Say whether :func:`solve` would prune, what either way takes, and why, without solving.

    Parameters
    ----------
    graph, problem, budget, heuristic, objective
        As for :func:`solve`; your own heuristic is run on small samples.
    measure
        Also measure, on a sample, what reading, solving, certifying and training take of time and memory.
    vertices, edges
        The size of a graph that you do not have yet, in place of ``graph``; a tenth as many vertices as edges unless
        given. A generated graph stands in for it.
    options, **given
        As for :func:`solve`: ``target``, ``time_limit``, ``seed``, options of the problem and of reading a file.

    Returns
    -------
    Advice
        ``prune``, ``reason``, the estimated seconds of either way, and with ``measure`` the measured ``costs``.

    Raises
    ------
    LenseError
        For input that cannot be used, in one sentence.

    Examples
    --------
    >>> import lense, numpy as np
    >>> lense.advise(np.array([[0, 1], [0, 2], [0, 3], [3, 4]]), "mvc", 1).prune
    False
    """
    if (graph is None) == (edges is None):
        raise LenseError("Name a graph, or give the number of edges= of one that is yet to come.")
    if vertices is not None and edges is None:
        raise LenseError("vertices= is for a graph that is yet to come: give edges= too.")
    chosen = SolveOptions.of(options, given)
    chosen.check_only(_ADVISED, "advise")
    seed = chosen.seed
    size = None if edges is None else (vertices or max(2, edges // 10), edges)
    theirs = graph
    if size is not None:
        theirs, chosen = stand_in(*size, seed), replace(chosen, reading={})
    with _asked(theirs, problem, budget, heuristic, objective, chosen, True) as question:
        named, whole, spent = question.setup.problem, question.whole, question.setup.budget
        if size is not None:
            measured = measured_costs(named, whole, min(spent, whole.num_vertices), size, seed=seed)
            facts = {"vertices": size[0], "edges": size[1], "text": f"{size[0]:,} vertices, {size[1]:,} edges"}
            reason = f"estimated from a generated graph of {whole.num_edges:,} edges"
            return Advice(False, reason, measured["solve"].seconds, graph=facts, costs=measured)
        advice = None
        if question.own is None:
            core = question.setup.pruner
            assert core is None or isinstance(core, Core)
            advice = advise_prepared(named, whole, spent, core=core, time_limit=chosen.time_limit)
        advice = advice or advise_own(question.searched)
        measured = measured_costs(named, whole, spent, seed=seed) if measure else {}
        return replace(advice, graph={**_facts(question.source, whole), "bytes": whole.nbytes}, costs=measured)


@dataclass(frozen=True)
class Part:
    """What a pruner or the search keeps of a graph, and what is known of it.

    ``owned`` is it in the type of the graph, ``forced`` are the ids of the vertices that every optimum holds, and
    ``expected`` what the pruner expects of it, where it knows. ``warning`` says how the graph differs from those that
    the pruner learnt from.
    """

    subgraph: Subgraph
    owned: Any = field(repr=False)
    setup: Setup
    forced: list[Any]
    expected: Expected | None
    warning: str
    seconds: float
    graph: dict[str, Any]

    @property
    def found_by(self) -> str:
        """The pruner's name, or "search"."""
        return "search" if self.setup.pruner is None else self.setup.pruner.name

    @property
    def says_forced(self) -> bool:
        """Whether the pruner says which vertices every optimum holds."""
        return self.setup.pruner is not None and self.setup.pruner.forces


def find_part(
    graph: Any,
    problem: AnyProblem | None = None,
    budget: float | None = None,
    heuristic: str | OwnHeuristic | None = None,
    objective: OwnObjective | None = None,
    *,
    options: SolveOptions | None = None,
    **given: Any,
) -> Part:
    """As :func:`prune`, with what is known of the part."""
    chosen = SolveOptions.of(options, given)
    chosen.check_only(_PRUNED | _ON_DISK, "prune")
    with _asked(graph, problem, budget, heuristic, objective, chosen, True, streams=True) as question:
        setup, whole = question.setup, question.graph
        spent, seed = setup.budget, chosen.seed
        if isinstance(whole, Scan):
            pruner = _needed(setup)
            streamed = StreamedGraph(whole, MemoryBudget.of(question.memory_limit), question.engine)
            with Stopwatch() as watch:
                part = prune_streamed(pruner, streamed, budget=spent, seed=seed)
            expected = pruner.expected_in(streamed, spent) if isinstance(pruner, Core) else None
            forced, owned, warning = whole.labels_of(part.forced).tolist(), part.graph, ""
        elif setup.pruner is None:
            with Stopwatch() as watch:
                part, owned = part_of_own(question.searched)
            facts = _facts(question.source, whole)
            return Part(part, owned, replace(setup, model="search"), [], None, "", watch.seconds, facts)
        else:
            setup.problem.check_budget(whole, spent)
            pruner = setup.pruner
            expected = pruner.expected(whole, budget=spent, prepared=True)
            with Stopwatch() as watch:
                part = pruner.prune(whole, budget=spent, seed=seed, prepared=True)
            forced, view = question.names(part.forced), question.view
            assert view is not None
            owned, warning = view.of(part.graph), pruner.warning(whole, spent)
        warning = warning if expected is None else expected.unlike
        return Part(part, owned, setup, forced, expected, warning, watch.seconds, _facts(question.source, whole))


@dataclass(frozen=True)
class Question:
    """A user's graph, problem and functions, as the rest of the package knows them."""

    setup: Setup
    options: SolveOptions
    graph: Graph | Scan
    source: str
    view: View | None = None
    own: OwnQuestion | None = None
    engine: Engine | None = None
    memory_limit: int | None = None

    @property
    def whole(self) -> Graph:
        assert isinstance(self.graph, Graph)
        return self.graph

    def names(self, vertices: Int64s) -> list[Any]:
        """What the owner of the graph calls these vertices."""
        if isinstance(self.graph, Scan) or self.view is None:
            return []
        return self.view.given.names(self.graph.labels[vertices])

    @cached_property
    def searched(self) -> OwnQuestion:
        """The user's heuristic, or the problem's own, as the search takes it."""
        if self.own is not None:
            return self.own
        assert self.view is not None
        function = ProblemHeuristic(self.setup.problem, self.whole, self.options.seed)
        names = self.names(np.arange(self.whole.num_vertices))
        return OwnQuestion(function, self.setup.problem, self.setup.budget, self.options, self.view, names)

    def in_ids(self, found: Solution) -> Solution:
        """``found`` in the ids of the graph's owner, with all that a record of it says."""
        if isinstance(self.graph, Graph):
            found = replace(found, vertices=self.names(found.indices))
        if found.decision:  # solved, not only scored
            if found.met_target is None and (found.optimal or found.expected_ratio == 1.0):
                found = replace(found, met_target=True)
            found = replace(found, found_by=found.found_by or found.solver)
        model = self.setup.model
        if found.pruned is not None and (self.setup.pruner is None or self.setup.pruner.name != found.pruned.pruner):
            model = found.pruned.pruner
        return replace(
            found, provenance=provenance(self.setup.problem, self.graph, self.source, model, self.options.seed)
        )


@contextmanager
def _asked(
    graph: Any,
    problem: AnyProblem | None,
    budget: float | None,
    heuristic: str | OwnHeuristic | None,
    objective: OwnObjective | None,
    options: SolveOptions,
    prunes: bool | None,
    *,
    streams: bool = False,
) -> Iterator[Question]:
    """The question of a call: its graph is read into memory and prepared, or if it ``streams`` may stay on disk."""
    check_functions(heuristic, objective, problem, options)
    named = heuristic if isinstance(heuristic, str) else None
    setup = None if objective is not None else find_setup(problem, budget, named, options, prunes=prunes)
    arcs = setup is not None and setup.problem.uses_direction
    limit = parse_memory(options.memory_limit) if isinstance(options.memory_limit, str) else options.memory_limit
    scan = _scanned(graph, arcs, options, limit) if streams else None
    with open_engine(options.engine, options.scheduler, scan) as engine:
        if scan is not None:
            if setup is None or callable(heuristic) or options.graph_type is not None:
                raise LenseError(
                    "Functions of your own need the graph in memory: prune the scan first, and call them on that."
                )
            yield Question(setup, options, scan, _source(graph), None, None, engine, limit)
            return
        given = _given(graph, arcs, options)
        view = View(given, options.graph_type)
        if objective is not None:
            setup = find_setup(own_problem(objective, view), budget, None, options, prunes=prunes)
        assert setup is not None
        whole, own = setup.problem.prepare(given.graph), None
        if callable(heuristic):
            function = OwnFunction(heuristic, view, whole, options.seed)
            if options.pruner is None and options.model is None:
                names = given.names(whole.labels)
                own = OwnQuestion(function, setup.problem, setup.budget, options, view, names, objective)
                setup = replace(setup, pruner=None, model=None)
            else:
                solved = function.solving(setup.problem)
                if setup.pruner is not None:
                    setup.pruner.set_params(problem=solved)
                setup = replace(setup, problem=solved)
        yield Question(setup, options, whole, _source(graph), view, own)


def _given(graph: Any, arcs: bool, options: SolveOptions) -> AdaptedGraph:
    if isinstance(graph, str | PathLike):
        return AdaptedGraph(open_graph(graph, arcs=arcs, **options.reading), "graph")
    if others := [name for name in options.reading if name != "directed"]:
        raise LenseError(f"{', '.join(others)} say how to read a file: leave them out for an object.")
    return adapt(graph, arcs=arcs, directed=options.reading.get("directed"))


def _scanned(graph: Any, arcs: bool, options: SolveOptions, limit: int | None) -> Scan | None:
    """The graph on disk, if it is to stay there."""
    if isinstance(graph, Scan):
        return graph
    if not isinstance(graph, str | PathLike):
        if options.stream or limit is not None:
            raise LenseError("stream and memory_limit are for graphs in files: give the path of one.")
        return None
    if options.stream is None and arcs and is_mapped(fspath(graph)):
        return None  # cascades need the arcs in any order
    return scan_if_needed(fspath(graph), options.reading, options.stream, limit)


def _source(graph: Any) -> str:
    return fspath(graph) if isinstance(graph, str | PathLike) else f"{type(graph).__module__}.{type(graph).__name__}"


def _facts(source: str, graph: Graph | Scan) -> dict[str, Any]:
    """What a record says of a graph; ``text`` is for people."""
    return {
        "source": source,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "text": repr(graph).removeprefix("Graph(").removeprefix("Scan(").removesuffix(")"),
    }


def provenance(problem: Problem, graph: Graph | Scan, source: str, model: str | None, seed: int) -> dict[str, Any]:
    """What a record of a solution says of its question."""
    options = {name: value for name, value in asdict(problem).items() if name != "value"}
    return {"options": options, "graph": _facts(source, graph), "model": model, "seed": seed}


def _solved_on_disk(question: Question) -> Solution:
    options, setup, scan = question.options, question.setup, question.graph
    assert isinstance(scan, Scan)
    if options.time_limit is not None and not options.exact:
        raise LenseError("In a stream, time_limit= is for exact=True.")
    prunes = options.prunes or (options.target is not None and not options.exact)
    pruner = _needed(setup).set_params(budget=setup.budget) if prunes else None
    found = solve_scan(
        setup.problem,
        scan,
        setup.budget,
        pruner=pruner,
        mode=options.mode,
        certify=options.certify,
        exact=options.exact,
        time_limit=options.time_limit,
        seed=options.seed,
        memory_limit=question.memory_limit,
        engine=question.engine,
    )
    return replace(found, decision="streamed")


def _needed(setup: Setup) -> Pruner:
    if setup.pruner is None:
        raise LenseError(f"No core ships for the problem {setup.problem.name}: train a model, or name a pruner.")
    return setup.pruner


def _solved_in_memory(question: Question) -> Solution:
    setup, options, whole = question.setup, question.options, question.whole
    problem, budget, pruner = setup.problem, setup.budget, setup.pruner
    if question.own is not None:
        return solve_own(question.own)
    if options.exact:
        rng = np.random.default_rng(options.seed)
        found = solve_exactly(problem, whole, budget, rng, time_limit=options.time_limit)
        return replace(found, decision="exact", reason="solved exactly, on the whole graph")
    if not options.prunes or pruner is None or isinstance(pruner, Core):
        core = pruner if isinstance(pruner, Core) else None
        return solve_prepared(problem, whole, budget, options, core) or _searched(question)
    if options.time_limit is not None:
        raise LenseError(f"time_limit= is for exact=True and for cores, and a {pruner.name} prunes once: leave it out.")
    found = pruner.solve(
        whole,
        budget=budget,
        seed=options.seed,
        mode=options.mode,
        certify=options.certify,
        prepared=True,
    )
    reason = f"pruned by {pruner.name}"
    if found.pruned is None:
        reason = f"solved on the whole graph, all of which {pruner.name} keeps"
        if pruner.name == "lense":
            reason = "solved on the whole graph, since a walk has at least as many roots as the graph has vertices"
    warning = pruner.warning(whole, budget)
    return replace(found, decision="pruner", reason="; ".join(filter(None, (reason, warning))))


def _searched(question: Question) -> Solution:
    """The search's answer, with all that the problem's heuristic said of it, if it is that on the whole graph."""
    function = question.searched.function
    assert isinstance(function, ProblemHeuristic)
    if question.options.mode == "ground-set" and not function.takes_candidates:
        raise LenseError(
            f"mode='ground-set' needs a heuristic with an argument candidates, which {function.name} lacks."
        )
    found = solve_own(question.searched)
    first = function.on_whole
    if first is None or found.pruned is not None or not np.array_equal(first.indices, found.indices):
        return found
    bounds = [bound for bound in (first.upper_bound, found.upper_bound) if bound is not None]
    return replace(found, upper_bound=min(bounds, default=None), details={**first.details, **found.details})


def _numbers(question: Question, ids: list[Any]) -> Int64s:
    """The vertices that have these ids, which may be text where the graph's are integers."""
    if not ids:
        raise LenseError("The answer has no vertices.")
    if not question.whole.num_vertices:
        raise LenseError("The graph has no vertices, so there is nothing to score.")
    known = {str(name): i for i, name in enumerate(question.names(np.arange(question.whole.num_vertices)))}
    texts = [str(one).strip() for one in ids]
    for text in texts:
        if text not in known:
            raise LenseError(f"The graph has no vertex '{text}', which the answer names.")
    if len(set(texts)) < len(texts):
        raise LenseError("The answer names a vertex more than once.")
    return np.array([known[text] for text in texts], np.int64)


_RECORDED = (
    *("problem", "solver", "budget", "score", "stderr", "unit", "lower_bound", "upper_bound", "certified", "optimal"),
    *("seconds", "certificate_seconds", "vertices", "details", "options", "graph", "reason", "expected_ratio"),
    *("met_target", "found_by", "pruned", "seed", "lense"),
)
"""What a record says of a solution, in this order."""


def answer_record(found: Solution) -> dict[str, Any]:
    """Everything about a solution of :func:`solve` or :func:`score`, in types that JSON knows."""
    about = found.provenance
    other = {
        "budget": int(found.budget) if float(found.budget).is_integer() else found.budget,
        "graph": {name: about["graph"][name] for name in ("source", "vertices", "edges", "directed")},
        "options": about["options"],
        "pruned": None if found.pruned is None else {**asdict(found.pruned), "model": about["model"]},
        "seed": about["seed"],
        "lense": version("lense"),
    }
    return {name: other[name] if name in other else getattr(found, name) for name in _RECORDED}


def write_answer(path: Path, record: dict[str, Any]) -> None:
    """The record as .json, or its vertices as .csv, by way of a temporary file."""
    with system_errors(path, "written"), replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        if path.suffix == ".json":
            file.write(to_json(record) + "\n")
        else:
            rows = csv.writer(file)
            rows.writerow(ANSWER_COLUMNS)
            rows.writerows(enumerate(record["vertices"], start=1))


def read_answer(path: Path) -> list[Any]:
    """The ids in a file: a JSON list, what :func:`write_answer` wrote, or one id on a line."""
    with system_errors(path, "read"):
        content = path.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise LenseError(f"{path} is not UTF-8 text: give it one id on a line, or a JSON list of ids.") from error
    if text.lstrip()[:1] in ("[", "{"):
        try:
            read = parse_json(text)
        except ValueError as error:
            raise LenseError(f"{path} is no JSON: {error}.") from error
        listed = read.get("vertices") if isinstance(read, dict) else read
        if not isinstance(listed, list):
            raise LenseError(f"{path} has no list of vertices: write one as [1, 2, 3].")
        return listed
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if lines[:1] != [",".join(ANSWER_COLUMNS)]:
        return [line.strip() for line in lines]
    try:
        return [row["vertex"] for row in csv.DictReader(lines)]
    except csv.Error as error:
        raise LenseError(f"{path} is no table: {error}.") from error
