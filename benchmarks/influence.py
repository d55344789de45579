"""Influence maximisation beside pynetim, and the spread of a seed set beside cynetdiff."""

import warnings
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.measure import SEED, best_times
from benchmarks.table import Row, at_least, significant
from lense.graph import Graph, graph_files, open_graph
from lense.problems.im import InfluenceMaximisation

GRAPHS = (
    "wiki",
    "facebook",
    "ca-GrQc",
    "ca-HepTh",
    "ca-CondMat",
    "deezer-RO",
    "deezer-HU",
    "deezer",
    "p2p-Gnutella31",
    "dblp",
)
"""Where pynetim ends within seconds. Twitter, web-Google and flickr would take it hours, and Slashdot minutes."""
SPREAD_GRAPHS = ("wiki", "facebook")
BUDGET = 100
WORLDS = 1_000
JUDGE = InfluenceMaximisation(worlds=10_000, seed=SEED + 1)
"""Scores the seed sets of both sides, in worlds that neither has seen."""

Chooser = Callable[[int], ArrayLike]
"""From the seed of the random numbers to the vertices chosen."""


def imm(quick: bool) -> Iterator[Row]:
    """IMM with epsilon 0.5 and l = 1 on both sides."""
    return (_imm(name, quick) for name in GRAPHS)


def opim_c(quick: bool) -> Iterator[Row]:
    """OPIM-C with epsilon 0.1 and delta = 1 / n on both sides."""
    return (_opim_c(name, quick) for name in GRAPHS)


def spread(quick: bool) -> Iterator[Row]:
    """The mean spread of the same seeds over as many worlds."""
    return (_spread(name, quick) for name in SPREAD_GRAPHS)


def _imm(name: str, quick: bool) -> Row:
    row = Row(f"IMM, {name}, b = {BUDGET}", "pynetim IMM", "its time / ours", at_least(10))
    graph = _cascade_graph(name)
    if graph is None:
        return row
    problem, rival = InfluenceMaximisation(epsilon=0.5, ell=1), _pynetim_graph(graph)
    from pynetim.algorithms.ris.imm_algorithm import IMMAlgorithm

    def ours(seed: int) -> ArrayLike:
        return problem.imm(graph, BUDGET, np.random.default_rng(seed)).vertices

    def theirs(seed: int) -> ArrayLike:
        return list(IMMAlgorithm(rival, "IC", epsilon=0.5, l=1, random_seed=seed).run(BUDGET))

    return _contest(row, graph, ours, theirs, quick)


def _opim_c(name: str, quick: bool) -> Row:
    row = Row(f"OPIM-C, {name}, b = {BUDGET}", "pynetim OPIM-C", "its time / ours", at_least(10))
    graph = _cascade_graph(name)
    if graph is None:
        return row
    delta = 1 / graph.num_vertices
    problem, rival = InfluenceMaximisation(epsilon=0.1, delta=delta), _pynetim_graph(graph)
    from pynetim.algorithms.ris.opim_algorithm import OPIMCAlgorithm

    def ours(seed: int) -> ArrayLike:
        return problem.opim_c(graph, BUDGET, np.random.default_rng(seed)).vertices

    def theirs(seed: int) -> ArrayLike:
        return list(OPIMCAlgorithm(rival, "IC", random_seed=seed).run(BUDGET, epsilon=0.1, delta=delta))

    return _contest(row, graph, ours, theirs, quick)


def _contest(row: Row, graph: Graph, ours: Chooser, theirs: Chooser, quick: bool) -> Row:
    """Times and spreads summed over several seeds; our spread may be below theirs by two standard errors at most."""
    seeds = range(SEED, SEED + (1 if quick else 3))
    # these first runs also compile and prepare, so that the timed ones need not
    spread, stderr = _mean_spread(graph, ours, seeds)
    their_spread, their_stderr = _mean_spread(graph, theirs, seeds)
    times = [best_times(1 if quick else 3, partial(ours, seed), partial(theirs, seed)) for seed in seeds]
    our_time, their_time = np.sum(times, axis=0)
    work = [best_times(1, partial(ours, seed), partial(theirs, seed), clock=process_time) for seed in seeds]
    our_work, their_work = np.sum(work, axis=0)
    return row.measured(
        their_time / our_time,
        comparable=bool(spread >= their_spread - 2 * np.hypot(stderr, their_stderr)),
        also=f"its processor time {significant(their_work / our_work)} times ours; "
        f"spread {spread:,.1f} ± {stderr:.1f}, theirs {their_spread:,.1f} ± {their_stderr:.1f}",
    )


def _mean_spread(graph: Graph, choose: Chooser, seeds: range) -> tuple[float, float]:
    """The mean spread of the sets chosen and its standard error, which is that of one set, as they share the worlds."""
    spreads, stderrs = zip(*(JUDGE.evaluate(graph, choose(seed)) for seed in seeds), strict=True)
    return float(np.mean(spreads)), float(np.mean(stderrs))


def _spread(name: str, quick: bool) -> Row:
    row = Row(f"spread, {name}, {BUDGET} seeds, {WORLDS:,} worlds", "cynetdiff", "its time / ours", at_least(4))
    graph = _cascade_graph(name)
    if graph is None:
        return row
    problem = InfluenceMaximisation(worlds=WORLDS, seed=SEED)
    seeds = np.asarray(problem.imm(graph, BUDGET, np.random.default_rng(SEED)).vertices)
    simulate = _cynetdiff(graph, seeds)
    mean, stderr = problem.evaluate(graph, seeds)
    sizes = simulate()
    their_mean, their_stderr = np.mean(sizes), np.std(sizes, ddof=1) / np.sqrt(WORLDS)
    our_time, their_time = best_times(2 if quick else 7, partial(problem.evaluate, graph, seeds), simulate)
    return row.measured(
        their_time / our_time,
        comparable=bool(abs(mean - their_mean) <= 3 * np.hypot(stderr, their_stderr)),
        also=f"mean {mean:,.1f} ± {stderr:.1f}, theirs {their_mean:,.1f} ± {their_stderr:.1f}",
    )


def _cascade_graph(name: str) -> Graph | None:
    """The arcs of a graph of this machine with trivalency probabilities, or None if there is no file of it."""
    if name not in graph_files():
        return None
    return InfluenceMaximisation(model="trivalency", seed=SEED).prepare(open_graph(name, arcs=True))


def _pynetim_graph(graph: Graph) -> Any:
    with warnings.catch_warnings():
        # its dependencies use features that are deprecated
        warnings.simplefilter("ignore")
        from pynetim.graph import IMGraph
    sources, targets, weights = graph.edges()
    assert weights is not None
    arcs = list(zip(sources.tolist(), targets.tolist(), strict=True))
    return IMGraph(arcs, weights.tolist(), directed=True, renumber=False)


def _cynetdiff(graph: Graph, seeds: ArrayLike) -> Callable[[], list[int]]:
    """A function that simulates cascades from ``seeds`` with cynetdiff and lists their sizes."""
    from cynetdiff.models import IndependentCascadeModel

    assert graph.weights is not None
    model = IndependentCascadeModel(
        array("I", graph.indptr[:-1].astype(np.uint32)),
        array("I", graph.indices.astype(np.uint32)),
        activation_probs=array("f", graph.weights),
    )
    model.set_rng(SEED)
    model.set_seeds(np.asarray(seeds).tolist())

    def simulate() -> list[int]:
        sizes = []
        for _ in range(WORLDS):
            model.reset_model()
            model.advance_until_completion()
            sizes.append(model.get_num_activated_nodes())
        return sizes

    return simulate
