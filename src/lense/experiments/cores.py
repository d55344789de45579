"""The core on every graph: what each target needs, what comes of it, and whether the target is met as often as said."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from lense._util.measuring import Stopwatch
from lense.evaluation import Yardstick
from lense.experiments.experiment import Experiment, Pictures
from lense.experiments.study import Cell, Source, Study, model_digest
from lense.experiments.tables import RATIO, Row
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.paper import RESULTS
from lense.pruners import load
from lense.pruners.core import Core
from lense.pruners.model_files import SHIPPED

TARGETS = (0.9, 0.95, 0.98, 0.99, 1.0)
SHOWN_TARGET = 0.99
_AT_HAND = ("facebook", "wiki", "deezer", "slashdot", "twitter", "dblp")
UNSEEN = ("deezer-HU", "deezer-RO", "ca-GrQc", "ca-HepTh", "ca-CondMat", "p2p-Gnutella31", "web-Google", "flickr")
"""Graphs that no model that ships has seen."""
_SAID = ("roots", "ratio", "expected", "confidence", "vertices_pruned", "edges_pruned")


@dataclass(frozen=True)
class OneTarget:
    """What was said of a target, and what came of it."""

    target: float
    roots: int
    expected: float
    confidence: float
    ratio: float
    vertices_pruned: float
    edges_pruned: float


@dataclass(frozen=True)
class CoreFigures:
    """Each target, and the ceiling: the ratio and the shares that the subgraph of the whole graph's solution has."""

    targets: list[OneTarget]
    ceiling_ratio: float
    ceiling_vertices: float
    ceiling_edges: float
    fit_seconds: float
    heuristic_seconds: float


class Cores(Experiment):
    """Not in the paper: the core for each target and several budgets.

    Of a graph of the paper, it is fitted to the train side and measured on the test side; of any other graph, the core
    that ships is measured on the whole.
    """

    name = "core"
    place = 9
    needs_learn = False
    title = f"The core for a target of {SHOWN_TARGET}"
    figures = CoreFigures
    pairs = tuple((graph, problem) for problem, graph in RESULTS if graph in _AT_HAND) + tuple(
        (graph, problem) for problem in ("mvc", "bmc", "im") for graph in UNSEEN
    )
    measured = (*_SAID, "ceiling_ratio", "ceiling_vertices", "ceiling_edges", "ratio_stderr")
    shown = (
        ("budget", "{budget}"),
        ("roots", "{roots:.0f}"),
        ("ratio", RATIO),
        ("expected", "{expected}"),
        ("sure", "{confidence}"),
        ("P_V / P_E", "{vertices_pruned:%.1f} / {edges_pruned:%.1f}"),
        ("ceiling", "{ceiling_ratio} at {ceiling_vertices:%.1f} / {ceiling_edges:%.1f}"),
    )
    variants = ("10", "50", "100", "200")
    """The budgets."""
    by_variant = True
    any_episodes = True
    notes = (
        "The ceiling is the subgraph that the whole graph's own solution induces: its ratio at P_V / P_E. Sure is how "
        "sure the core said it was that the target is met.",
    )

    def digest(self, study: Study, cell: Cell) -> str | None:
        return model_digest(SHIPPED / f"core-{cell.source.problem}")

    def run_cell(self, study: Study, cell: Cell) -> CoreFigures:
        budget = int(cell.variant)
        core, graph, fitting = _core_and_graph(cell, budget)
        yardstick = Yardstick(core.problem_, graph, budget, seed=cell.seed)
        ceiling = yardstick.measure(subgraph(graph, yardstick.best.indices))
        found = []
        for target in TARGETS:
            said = core.set_params(target=target).expected_on(graph, core.budget)
            one = yardstick.measure(core.prune(graph, prepared=True, seed=cell.seed))
            shares = one.vertices_pruned, one.edges_pruned
            found.append(OneTarget(target, said.roots, said.ratio, said.confidence, one.ratio, *shares))
        shares = ceiling.vertices_pruned, ceiling.edges_pruned
        return CoreFigures(found, ceiling.ratio, *shares, fitting, yardstick.best.seconds)

    def values(self, figures: CoreFigures) -> dict[str, list[float]]:
        (shown,) = (one for one in figures.targets if one.target == SHOWN_TARGET)
        found = {name: getattr(shown, name) for name in _SAID} | vars(figures)
        return {name: [float(found[name])] for name in self.measured if name in found}

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        seeds = len(self.done(study, source, line))
        return {"budget": int(line), **super().row_of(study, source, line), "seeds": seeds}

    def more(self, study: Study) -> list[str]:
        said = [one for ones in self._said(study).values() for one in ones]
        met, expected = sum(one.ratio >= one.target for one in said), sum(one.confidence for one in said)
        line = (
            f"Over all graphs, budgets, seeds and targets, {met} of {len(said)} met their target, where the cores said "
            f"{expected:.0f}."
        )
        return [line] if said else []

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        from lense.plots.cores import draw_reliability

        if said := self._said(study):
            pairs = {name: [(one.confidence, one.ratio >= one.target) for one in ones] for name, ones in said.items()}
            yield "core-reliability", draw_reliability(pairs)

    def _said(self, study: Study) -> dict[str, list[OneTarget]]:
        """What was said and came of every target, by the problem."""
        found: dict[str, list[OneTarget]] = {}
        for source, budget in product(study.sources, self.variants):
            for figures in self.done(study, source, budget):
                found.setdefault(source.problem, []).extend(figures.targets)
        return found


def _core_and_graph(cell: Cell, budget: int) -> tuple[Core, Graph, float]:
    """The core of a cell, the prepared graph to measure it on, and the seconds it took to fit."""
    source, seed = cell.source, cell.seed
    if source.paper_graph is not None:
        case = source.case(seed)
        with Stopwatch() as watch:
            core = Core(case.problem, budget, seed=seed).fit(case.train, prepared=True)
        return core, case.test, watch.seconds
    problem = source.problem_for(seed)
    shipped: Core = load(SHIPPED / f"core-{problem.name}", problem=problem)
    return shipped.set_params(budget=budget), source.opened(source.graph, problem), 0.0
