"""Measure the parts of a graph that a pruner keeps, with a ceiling and baselines."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import system_errors
from lense._util.measuring import Stopwatch, standard_error
from lense._util.options import is_count
from lense._util.progress import progress
from lense.errors import LenseError
from lense.graph import DATASETS, AnyGraph, Graph, open_graph, split
from lense.graph.datasets import is_dataset
from lense.graph.subgraph import Subgraph, kept_part, shares_pruned, subgraph
from lense.navigation import LeNSE
from lense.navigation.baselines import DegreeWalk, RandomWalk, RankWalk
from lense.paper import published
from lense.problems import Problem, Solution
from lense.problems.parts import PartScore, score_part
from lense.pruners.base import Pruner
from lense.pruners.ranking import importance, largest
from lense.solving.options import AnyProblem, AnyPruner, SolveOptions, find_setup

BASELINES = {
    "random_vertices": "random vertices, as many as kept",
    "top_vertices": "largest vertices, as many as kept",
    "top_roots": "subgraph of the largest vertices, as many as roots",
    "top_budget": "subgraph of the largest vertices, as many as the solution has",
    "random_walk": "walk by random swaps",
    "degree_walk": "walk by the largest gain in degree",
    "rank_walk": "walk by the largest gain in rank",
}
"""What each baseline is, in words. The walks are for LeNSE alone; they have its starts, roots and steps."""
_OPTIONS = ("pruner", "model", "target", "size", "swaps", "device", "seed")
_QUICK = 1.0


@dataclass(frozen=True)
class Measured:
    """One part S of G: the ``score`` on G of what the heuristic chose, its ``ratio`` to f(H(G)), the shares of G's
    vertices and edges that were pruned, and the ``seconds`` the heuristic took.
    """

    score: float
    ratio: float
    vertices_pruned: float
    edges_pruned: float
    seconds: float


class Yardstick:
    """Measure parts of a graph against H(G), the heuristic's solution of the whole graph.

    Parameters
    ----------
    problem, graph, budget
        What to solve, on a prepared graph.
    seed
        Of the heuristic's random numbers.
    best
        H(G), if it is known.
    """

    def __init__(
        self, problem: Problem, graph: Graph, budget: float, *, seed: int = 0, best: Solution | None = None
    ) -> None:
        self.problem, self.graph, self.budget, self.seed = problem, graph, budget, seed
        if best is None:
            best = problem.solve(graph, budget, np.random.default_rng(seed), certify=False)
            if best.seconds < _QUICK:  # the first run also loads code and builds arrays of the graph
                again = problem.search(graph, budget, np.random.default_rng(seed))
                best = replace(best, seconds=min(best.seconds, again.seconds))
        self.best = best
        if not self.best.score > 0:
            raise LenseError("The score of the whole graph's solution is not above 0, so ratios to it mean nothing.")

    def measure(self, part: Subgraph, episode: int = 0, mode: str = "subgraph") -> Measured:
        """Run the heuristic on a part, and measure what it found on the whole graph.

        Parameters
        ----------
        part
            What was kept of the graph.
        episode
            The number of the pruning, from which the heuristic's random numbers come.
        mode
            "subgraph", or "ground-set", in which all vertices but the roots count as pruned.
        """
        one = self._scored(part, episode, mode)
        seconds = one.solution.seconds
        if seconds < _QUICK:
            seconds = min(seconds, self._scored(part, episode, mode).solution.seconds)
        if mode == "subgraph":
            vertices, edges = shares_pruned(self.graph, part)
        else:
            vertices, edges = 1 - part.roots.size / max(self.graph.num_vertices, 1), 0.0
        return Measured(one.score, one.ratio, vertices, edges, seconds)

    def ratio(self, part: Subgraph, episode: int = 0) -> float:
        """Return the ratio of :meth:`measure` alone, without timing.

        Parameters
        ----------
        part, episode
            As in :meth:`measure`.
        """
        return self._scored(part, episode, "subgraph").ratio

    def _scored(self, part: Subgraph, episode: int, mode: str) -> PartScore:
        rng = np.random.default_rng([self.seed, episode])
        return score_part(self.problem, self.graph, part, self.budget, rng, self.best.score, mode=mode)


@dataclass(frozen=True)
class Figures:
    """Means over subgraphs; ``ratio_stderr`` is None for a single one."""

    ratio: float
    ratio_stderr: float | None
    vertices_pruned: float
    edges_pruned: float

    @classmethod
    def of(cls, measured: Sequence[Measured]) -> "Figures":
        ratios = np.array([one.ratio for one in measured])
        return cls(
            ratio=float(ratios.mean()),
            ratio_stderr=standard_error(ratios.tolist()),
            vertices_pruned=float(np.mean([one.vertices_pruned for one in measured])),
            edges_pruned=float(np.mean([one.edges_pruned for one in measured])),
        )


@dataclass(frozen=True)
class Evaluation(Figures):
    """A pruner's figures over ``episodes`` prunings, the ``ratios`` of each, and a ceiling and baselines.

    ``ceiling`` is the subgraph that the whole graph's solution induces. ``baselines`` are simple rules that keep a part
    of the same size (see ``BASELINES``). ``seconds`` are those of ``prune``, all episodes together, and of the
    heuristic: ``heuristic_on_subgraph`` (mean) and ``heuristic_on_graph``. ``expected_ratio``, ``confidence`` and
    ``unlike`` are what the pruner expected. ``paper`` is the row of the paper's table for that graph, if there is one.
    """

    ceiling: Figures
    baselines: Mapping[str, Figures]
    seconds: Mapping[str, float]
    ratios: tuple[float, ...]
    expected_ratio: float | None
    confidence: float | None
    unlike: str
    paper: Mapping[str, float | None] | None
    model: Mapping[str, Any]
    graph: Mapping[str, Any]
    seed: int
    title: str

    @property
    def episodes(self) -> int:
        return len(self.ratios)

    def _repr_html_(self) -> str:
        from lense._util.cards import card  # for notebooks alone

        over = "one pruning" if self.episodes == 1 else f"{self.episodes} prunings"
        facts = {
            "ratio": f"{self.ratio:.3f} of the heuristic's score, over {over}",
            "vertices pruned": f"{self.vertices_pruned:.1%}",
            "edges pruned": f"{self.edges_pruned:.1%}",
            "ceiling": f"{self.ceiling.ratio:.3f}",
        }
        facts |= {f"baseline: {BASELINES[name]}": f"{one.ratio:.3f}" for name, one in self.baselines.items()}
        return card("Evaluation", facts)

    def as_dict(self) -> dict[str, Any]:
        rest = asdict(self)
        del rest["title"]
        figures = {field.name: rest.pop(field.name) for field in fields(Figures)}
        return {**figures, "episodes": self.episodes, **rest, "ratios": list(self.ratios)}


@dataclass(frozen=True)
class EvaluationCase:
    """A pruner, how records name it (``source``), and the prepared graph to test it on.

    Of one of the paper's graphs that is the test side of the split with ``split_seed``, on which the pruner was trained
    if it knows that graph.
    """

    pruner: Pruner
    source: str
    graph: Graph
    name: str | None
    split_seed: int | None

    @property
    def paper(self) -> dict[str, float | None] | None:
        """The row of the paper's table for such a pruner on that graph, if there is one."""
        row = published(self.pruner.problem_.name, None if self.split_seed is None else self.name, self.pruner.name)
        return None if row is None else row._asdict()


def find_test_side(
    graph: AnyGraph,
    problem: AnyProblem | None = None,
    budget: float | None = None,
    options: SolveOptions | None = None,
    *,
    prepared: bool = False,
) -> EvaluationCase:
    """Find the pruner that ``options`` name, and the test graph: the test side of a data set, or another graph."""
    options = options or SolveOptions()
    setup = find_setup(problem, budget, None, options)
    is_paper, split_seed = is_dataset(graph), options.seed
    if setup.pruner is None:
        raise LenseError(
            f"No model ships for the problem {setup.problem.name}: train one with 'lense train' and give it as the "
            "model."
        )
    known = (_trained_on(setup.pruner) or {}).get("source")
    if is_paper and isinstance(known, dict) and known.get("graph") == graph and is_count(known.get("split_seed")):
        split_seed = known["split_seed"]
        setup = find_setup(problem, budget, None, replace(options, seed=split_seed))
    pruner = setup.pruner
    assert pruner is not None
    if budget not in (None, pruner.budget):
        raise LenseError(
            f"A model is evaluated for the budget it was trained for, {pruner.budget:g}: leave out the budget."
        )
    arcs = pruner.problem_.uses_direction
    opened = open_graph(graph, arcs=arcs, **options.reading) if options.reading else graph
    whole = pruner.prepared(opened, prepared)
    test = split(whole, DATASETS[graph].train_fraction(arcs=arcs), split_seed)[1] if is_paper else whole
    name = str(graph) if isinstance(graph, str | PathLike) else None
    return EvaluationCase(pruner, setup.model or pruner.name, test, name, split_seed if is_paper else None)


def evaluate(
    pruner: AnyPruner | None,
    graph: AnyGraph,
    problem: AnyProblem | None = None,
    budget: float | None = None,
    *,
    episodes: int = 10,
    baselines: bool = True,
    picture: str | PathLike[str] | None = None,
    prepared: bool = False,
    options: SolveOptions | None = None,
    **given: Any,
) -> Evaluation:
    """Prune ``graph``, and compare f(H(S)) on the parts S with f(H(G)); scores are taken on the whole graph.

    Parameters
    ----------
    pruner : str, path, Pruner or class
        A pruner or its name, or the folder or name of a model; None for the core that ships.
    graph : Graph, path, data set or object
        Anything :func:`lense.open_graph` takes. Of a data set, the test side of its split is taken.
    problem, budget
        What the pruner is for; needed where it is a name.
    episodes : int
        How many prunings, with the seeds from ``seed`` on, if they depend on the seed.
    baselines : bool
        Whether to measure simple rules as well.
    picture : path, optional
        Where to draw the walks of LeNSE.
    prepared : bool
        Whether the graph is prepared for the problem already.
    options, **given
        ``seed``, ``device``, ``target``, ``size``, ``swaps``, those of :func:`lense.read_graph` and those of the
        problem, as keyword arguments or in one :class:`~lense.solving.SolveOptions`.

    Returns
    -------
    Evaluation
        Ratios, shares pruned and seconds, with a ceiling and baselines.

    Raises
    ------
    LenseError
        For a pruner that keeps the whole graph, and for input that cannot be used.

    Examples
    --------
    >>> import lense, numpy as np
    >>> graph = lense.graph.barabasi_albert(500, 3, np.random.default_rng(0))
    >>> found = lense.evaluate("top-degree", graph, "mvc", 10)
    >>> found.ratio <= 1.1, found.episodes
    (True, 1)
    """
    options = SolveOptions.of(options, given if pruner is None else {**given, "pruner": pruner})
    options.check_only(_OPTIONS, "evaluate")
    if episodes < 1:
        raise LenseError(f"An evaluation needs at least one episode, not {episodes}.")
    if picture is not None:  # before the work that it takes
        from lense.plots.style import check_picture

        check_picture(Path(picture))
    side = find_test_side(graph, problem, budget, options, prepared=prepared)
    chosen, test, seed = side.pruner, side.graph, options.seed
    if picture is not None and not isinstance(chosen, LeNSE):
        raise LenseError(f"A picture shows the walks of LeNSE, and a {chosen.name} does not walk.")
    with Stopwatch() as pruning:
        parts = chosen.parts(test, episodes=episodes, seed=seed, prepared=True)
    if any(part.graph is test for part in parts):
        raise LenseError(
            f"There is nothing to prune in a graph of {test.num_vertices:,} vertices, of which {chosen.name} keeps "
            "all: evaluate on a larger graph."
        )
    expected, task = chosen.expected(test, prepared=True), chosen.problem_
    yardstick = Yardstick(task, test, chosen.budget, seed=seed)
    measured = _measured(yardstick, parts)
    if isinstance(chosen, LeNSE) and picture is not None:
        from lense.plots import save_figure

        # the walks that were measured, once more
        with system_errors(Path(picture), "written"):
            save_figure(chosen.draw_walks(chosen.walk(test, episodes=episodes, seed=seed)), Path(picture))
    return Evaluation(
        **asdict(Figures.of(measured)),
        ratios=tuple(one.ratio for one in measured),
        seconds={
            "prune": pruning.seconds,
            "heuristic_on_subgraph": sum(one.seconds for one in measured) / len(measured),
            "heuristic_on_graph": yardstick.best.seconds,
        },
        ceiling=Figures.of([yardstick.measure(subgraph(test, yardstick.best.indices))]),
        baselines=_baselines(chosen, yardstick, parts, seed) if baselines else {},
        expected_ratio=None if expected is None else expected.ratio,
        confidence=None if expected is None else expected.confidence,
        unlike="" if expected is None else expected.unlike,
        paper=side.paper,
        model={
            "source": side.source,
            "pruner": chosen.name,
            "problem": task.name,
            "solver": task.solver,
            "budget": chosen.budget,
            "trained_on": _trained_on(chosen),
        },
        graph={
            "source": side.name,
            "part": "whole" if side.split_seed is None else "test side of the paper's split",
            "vertices": test.num_vertices,
            "edges": test.num_edges,
            "split_seed": side.split_seed,
        },
        seed=seed,
        title=chosen.get_title(),
    )


def _trained_on(pruner: Pruner) -> dict[str, Any] | None:
    known: dict[str, Any] | None = getattr(pruner, "report_", {}).get("trained_on") if pruner.is_fitted else None
    return known


def _baselines(pruner: Pruner, yardstick: Yardstick, parts: Sequence[Subgraph], seed: int) -> dict[str, Figures]:
    """The baselines without the very rule evaluated."""
    graph = yardstick.graph
    kept = round(float(np.mean([part.graph.num_vertices for part in parts])))
    num_roots = round(float(np.mean([part.roots.size for part in parts])))
    ranking = largest(importance(yardstick.problem, graph), kept)
    drawn = np.random.default_rng(seed).choice(graph.num_vertices, kept, replace=False)
    found = {
        "random_vertices": [kept_part(graph, drawn)],
        "top_vertices": [kept_part(graph, ranking)],
        "top_budget": [subgraph(graph, ranking[: yardstick.best.indices.size])],
    }
    if num_roots < kept:
        found["top_roots"] = [subgraph(graph, ranking[:num_roots])]
    if isinstance(pruner, LeNSE):
        sizes: dict[str, Any] = {"roots": pruner.num_roots(), "steps": pruner.num_steps(graph)}
        of_model = pruner.problem_, pruner.budget
        walks: list[Pruner] = [RandomWalk(*of_model, **sizes), DegreeWalk(*of_model, **sizes)]
        if pruner.values_.feature is not None:
            walks.append(RankWalk(*of_model, **sizes))
            walks[-1].restore({"feature": np.array(pruner.values_.feature)})
        for walk in walks:
            found[walk.name.replace("-", "_")] = walk.parts(graph, episodes=len(parts), seed=seed, prepared=True)
    if not pruner.learns:
        own = [part.vertices.tolist() for part in parts]
        found = {name: rule for name, rule in found.items() if [part.vertices.tolist() for part in rule] != own}
    return {name: Figures.of(_measured(yardstick, found[name])) for name in BASELINES if name in found}


def _measured(yardstick: Yardstick, parts: Sequence[Subgraph]) -> list[Measured]:
    """Measure each part; one without edges has a ratio of 0."""
    measured = []
    with progress("solving on parts", len(parts)) as advance:
        for episode, part in enumerate(parts):
            if part.graph.num_edges:
                measured.append(yardstick.measure(part, episode))
            else:
                measured.append(Measured(0.0, 0.0, *shares_pruned(yardstick.graph, part), 0.0))
            advance(1)
    return measured
