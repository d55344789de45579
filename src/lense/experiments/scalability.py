"""The paper's scalability study: what pruning saves, or costs, on growing shares of a large graph's edges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lense._util.measuring import Stopwatch
from lense.experiments.experiment import Experiment, Pictures
from lense.experiments.rivals import METHODS
from lense.experiments.store import Size
from lense.experiments.study import Cell, SharedModel, Source, Study, model_digest
from lense.experiments.tables import NONE, RATIO, Row
from lense.graph import split
from lense.pruners import Pruner, load
from lense.pruners.model_files import SHIPPED

_WARM_UP_STEPS = 2
_CORE = "+core"
_SHARES = ("20", "40", "60", "80", "100")
_NAMES = (
    *("speed_up", "seconds_on_graph", "seconds_navigation", "seconds_heuristic"),
    *("vertices", "edges", "graph_vertices", "graph_edges", "ratio"),
)


@dataclass(frozen=True)
class OneWalk:
    """Seconds of one pruning, features and all, and of the heuristic on what it keeps, the ratio, and its size."""

    navigation: float
    heuristic: float
    ratio: float
    vertices: int
    edges: int


@dataclass(frozen=True)
class ScalingFigures:
    """The graph, seconds and ``score`` of the heuristic on it, and each pruning."""

    solver: str
    graph: Size
    seconds: float
    walks: list[OneWalk]
    score: float | None = None


class Scalability(Experiment):
    """Times of the heuristic on the whole graph, and of pruning and the same heuristic on what is kept.

    Cells are run one at a time. LeNSE's model is that of the whole study: it was trained for the problem's default
    heuristic, whichever is timed here. The core is the one that ships, which is fitted to nothing here.
    """

    name = "scalability"
    place = 3
    title = "Scalability: seconds, and vertices and edges kept"
    figures = ScalingFigures
    measured = (*_NAMES, "speed_up_stderr", "ratio_stderr")
    shown = (
        ("edges", lambda row: NONE if row["ratio"] is None else f"{row['edges_pct']} %"),
        ("pruner", "{pruner}"),
        ("speed-up", "{speed_up:few}"),
        ("whole graph", "{seconds_on_graph:few}"),
        ("navigation", "{seconds_navigation:few}"),
        ("heuristic", "{seconds_heuristic:few}"),
        ("kept", "{vertices:,.0f} / {edges:,.0f}"),
        ("ratio", RATIO),
    )
    pairs = (("talk", "im"), ("talk", "bmc"))
    variants = tuple(f"{share}{pruner}" for share in _SHARES for pruner in ("", _CORE))
    """Per cent of the test graph's edges, pruned by LeNSE or by the core."""
    by_variant = True
    takes_options = True
    notes = (
        "Speed-up is the heuristic's time on the whole graph over that of navigation (what pruning takes: features and "
        "walk, or scores) and heuristic on the subgraph; below 1, pruning costs more than it saves.",
    )
    is_timed = True
    any_episodes = True

    def model(self, study: Study, cell: Cell) -> SharedModel:
        return SharedModel(study, replace(cell.source, options={}), cell.seed)

    def digest(self, study: Study, cell: Cell) -> str | None:
        if cell.variant.endswith(_CORE):
            return model_digest(SHIPPED / f"core-{cell.source.problem}")
        return super().digest(study, cell)

    def run_cell(self, study: Study, cell: Cell) -> ScalingFigures:
        case, pruner = cell.case, self._pruner(study, cell)
        share = int(cell.variant.removesuffix(_CORE)) / 100
        graph = case.test if share == 1 else split(case.test, share, cell.seed)[0]
        yardstick, found = cell.yardstick(study.budget, graph), []
        for episode in range(study.episodes):  # each on its own, as somebody with one graph to prune would run it
            with Stopwatch() as watch:
                part = pruner.prune(graph, budget=study.budget, seed=cell.seed + episode, prepared=True)
            one, kept = yardstick.measure(part, episode), part.graph
            found.append(OneWalk(watch.seconds, one.seconds, one.ratio, kept.num_vertices, kept.num_edges))
        size, best = Size(graph.num_vertices, graph.num_edges), yardstick.best
        return ScalingFigures(best.solver, size, best.seconds, found, best.score)

    def _pruner(self, study: Study, cell: Cell) -> Pruner:
        """The pruner of a cell, after a first run that loads its code, which is not timed."""
        case = cell.case
        if not cell.variant.endswith(_CORE):
            model = self.model(study, cell).load()
            model.find_roots(case.train, episodes=1, budget=study.budget, places=[_WARM_UP_STEPS])
            return model
        core: Pruner = load(SHIPPED / f"core-{case.problem.name}", problem=case.problem)
        core.prune(case.train, budget=min(study.budget, case.train.num_vertices), prepared=True)
        return core

    def values(self, figures: ScalingFigures) -> dict[str, list[float]]:
        names = ("navigation", "heuristic", "vertices", "edges", "ratio")
        *times, vertices, edges, ratio = ([getattr(one, name) for one in figures.walks] for name in names)
        speed_up = [figures.seconds / sum(both) for both in zip(*times, strict=True)]
        sizes = vertices, edges, [figures.graph.vertices], [figures.graph.edges]
        return dict(zip(_NAMES, (speed_up, [figures.seconds], *times, *sizes, ratio), strict=True))

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        known = self.done(study, source, line)
        share, plus, core = line.partition("+")
        return {
            "edges_pct": int(share),
            "pruner": core if plus else "lense",
            **super().row_of(study, source, line),
            "solver": known[0].solver if known else None,
            "seeds": len(known),
            "walks": sum(len(one.walks) for one in known),
        }

    def pictures(self, study: Study, rows: Sequence[Row]) -> Pictures:
        from lense.plots.scaling import draw_scaling

        for source in study.sources:
            names = (source.graph_name, source.problem_label)
            done = [row for row in rows if (row["graph"], row["problem"]) == names and row["speed_up"] is not None]
            if done:
                options = [f"{name} {value}" for name, value in sorted(source.options.items()) if name != "solver"]
                by = ", ".join([done[0]["solver"], *options])
                title = f"{source.problem} on {source.graph_name}, heuristic {by}"
                yield f"{self.name}-{source.pair_name}", draw_scaling(done, title, METHODS)
