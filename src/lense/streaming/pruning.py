"""The pruners that need no more than degrees and the edges between a few vertices, on a graph that stays on disk."""

from collections.abc import Callable

import numpy as np

from lense._util.options import check_budget_is_number, check_seed
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Scan
from lense.graph.subgraph import Subgraph
from lense.problems import Problem
from lense.problems.bounds import lossless_core
from lense.problems.domination import Domination
from lense.pruners import Pruner
from lense.pruners.bounds import Bounds
from lense.pruners.calibration import Expected, describe_values
from lense.pruners.core import Core
from lense.pruners.degree import TopDegree
from lense.pruners.discount import DegreeDiscount
from lense.pruners.quickprune import QuickPrune
from lense.pruners.ranking import RankingPruner, largest
from lense.pruners.roots import DiscountRoots, RootsPruner, TopRoots
from lense.streaming.domination import check_undirected, domination_order
from lense.streaming.excerpts import Excerpts
from lense.streaming.parts import streamed_kept_part, streamed_subgraph
from lense.streaming.quickprune import streamed_quickprune

STREAMED = ("bounds", "core", "degree-discount", "discount-roots", "quickprune", "top-degree", "top-roots")
"""Names of the pruners that know how to prune in a stream."""
PROBLEMS = ("mvc", "bmc", "domination")
"""Names of the problems whose score is a sum over edges or neighbours."""
_DISCOUNT_LOSS = 1


def prune_streamed(pruner: Pruner, excerpts: Excerpts, *, budget: float | None = None, seed: int = 0) -> Subgraph:
    """What ``pruner`` keeps of the graph, by a few passes: the same as ``pruner.prune`` in memory."""
    spent = pruner.budget if budget is None else budget
    check_seed(seed)
    check_problem(pruner.problem_, excerpts.scan)
    excerpts = excerpts.counting(pruner.problem_)
    pruner.check_fitted()
    check_budget(excerpts, spent)
    for kind, prune in _WAYS.items():
        if isinstance(pruner, kind):
            return prune(pruner, excerpts, spent)
    raise LenseError(
        f"The pruner {pruner.name} needs the whole graph in memory; in a stream there are {', '.join(STREAMED)}."
    )


def check_problem(problem: Problem, scan: Scan) -> None:
    """Raise unless the edges of ``scan`` can be counted for ``problem`` by passes."""
    if problem.name not in PROBLEMS:
        raise LenseError(f"In a stream there are {', '.join(PROBLEMS)}; {problem.name} needs the graph in memory.")
    if isinstance(problem, Domination):
        check_undirected(scan)


def check_budget(excerpts: Excerpts, budget: float) -> None:
    """Raise unless ``budget`` counts vertices of the graph."""
    check_budget_is_number(budget)
    scan = excerpts.scan
    if scan.num_edges == 0:
        raise LenseError("The graph has no edges, so there is nothing to solve.")
    if not float(budget).is_integer() or not 1 <= budget <= scan.num_vertices:
        raise LenseError(
            f"The budget must be a whole number from 1 to the graph's {scan.num_vertices:,} vertices, not {budget:g}."
        )


def _by_bounds(pruner: Pruner, excerpts: Excerpts, budget: float) -> Subgraph:
    assert isinstance(pruner, Bounds)
    loss = pruner.problem_.pair_loss
    if loss is None:
        raise LenseError(f"In a stream, bounds are for mvc and bmc, not for {pruner.problem_.name}.")
    part = excerpts.for_choices(loss, int(budget))
    core = lossless_core(pruner.problem_.within(part), part.graph, budget, effort=pruner.effort)
    if core.live.size == excerpts.scan.num_vertices:
        whole = excerpts.scan.read()
        return Subgraph(whole, core.live, core.live)
    roots, forced = part.vertices[np.union1d(core.live, core.forced)], part.vertices[core.forced]
    return streamed_subgraph(excerpts, roots, forced, only_roots=True)


def _by_roots(pruner: Pruner, excerpts: Excerpts, budget: float) -> Subgraph:
    assert isinstance(pruner, RootsPruner)
    wanted = min(pruner.num_roots(budget), excerpts.scan.num_vertices)
    if isinstance(pruner, TopRoots):
        return streamed_subgraph(excerpts, largest(excerpts.counted, wanted))
    return streamed_subgraph(excerpts, _discount_order(pruner, excerpts, wanted))


def _by_ranking(pruner: Pruner, excerpts: Excerpts, budget: float) -> Subgraph:
    assert isinstance(pruner, RankingPruner)
    roots, vertices = pruner.sizes(excerpts.scan.num_vertices, budget)
    if isinstance(pruner, TopDegree):
        order = largest(excerpts.counted, vertices)
    else:
        order = _discount_order(pruner, excerpts, vertices)
    return streamed_kept_part(excerpts, order, order[:roots])


def _discount_order(pruner: Pruner, excerpts: Excerpts, count: int) -> Int64s:
    assert isinstance(pruner, DiscountRoots | DegreeDiscount)
    part = excerpts.for_choices(_DISCOUNT_LOSS, count)
    return part.vertices[pruner.problem_.within(part).discount_order(part.graph, count)]


def expected_streamed(core: Core, excerpts: Excerpts, budget: float) -> Expected:
    """As ``core.expected`` in memory."""
    return core.expected_for(int(budget), describe_values(excerpts.degrees, int(budget)))


def _by_core(pruner: Pruner, excerpts: Excerpts, budget: float) -> Subgraph:
    assert isinstance(pruner, Core)
    if not pruner.follows_quick_order:
        raise LenseError("This core has learnt features of all vertices, which need the whole graph in memory.")
    scan, problem = excerpts.scan, pruner.problem_
    roots = min(expected_streamed(pruner, excerpts, budget).roots, scan.num_vertices)
    if roots == scan.num_vertices:
        everything = np.arange(roots)
        return Subgraph(scan.read(), everything, everything)
    if problem.pair_loss is None:
        order = domination_order(excerpts, roots)
    else:
        part = excerpts.for_choices(problem.pair_loss, roots)
        order = part.vertices[problem.within(part).quick_order(part.graph, int(budget), roots)]
    return streamed_subgraph(excerpts, order, only_roots=True)


def _by_quickprune(pruner: Pruner, excerpts: Excerpts, budget: float) -> Subgraph:
    assert isinstance(pruner, QuickPrune)
    return streamed_kept_part(excerpts, streamed_quickprune(pruner, excerpts, budget))


Way = Callable[[Pruner, Excerpts, float], Subgraph]
_WAYS: dict[type[Pruner] | tuple[type[Pruner], ...], Way] = {
    Bounds: _by_bounds,
    Core: _by_core,
    QuickPrune: _by_quickprune,
    (TopRoots, DiscountRoots): _by_roots,
    (TopDegree, DegreeDiscount): _by_ranking,
}
