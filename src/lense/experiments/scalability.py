"""The paper's scalability study: what pruning saves, or costs, on growing shares of a large graph's edges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lense.experiments.experiment import Experiment, Pictures
from lense.experiments.models import SharedModel
from lense.experiments.store import Size
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import NONE, RATIO, Row
from lense.graph import Graph, split
from lense.stopwatch import Stopwatch

_WARM_UP_STEPS = 2
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
    """The graph, seconds of the heuristic on it, and each walk."""

    solver: str
    graph: Size
    seconds: float
    walks: list[OneWalk]


class Scalability(Experiment):
    """Times of the heuristic on the whole graph, and of LeNSE and the same heuristic on what it keeps.

    Both are measured in the same run on the same machine, one cell at a time. The model is that of the whole study: it
    was trained for the problem's default heuristic, whichever is timed here.
    """

    name = "scalability"
    title = "Scalability: seconds, and vertices and edges kept"
    figures = ScalingFigures
    measured = (*_NAMES, "speed_up_stderr", "ratio_stderr")
    shown = (
        ("edges", lambda row: NONE if row["ratio"] is None else f"{row['edges_pct']} %"),
        ("speed-up", "{speed_up:few}"),
        ("whole graph", "{seconds_on_graph:few}"),
        ("navigation", "{seconds_navigation:few}"),
        ("heuristic", "{seconds_heuristic:few}"),
        ("kept", "{vertices:,.0f} / {edges:,.0f}"),
        ("ratio", RATIO),
    )
    pairs = (("talk", "im"), ("talk", "bmc"))
    variants = ("20", "40", "60", "80", "100")
    """Per cent of the test graph's edges."""
    by_variant = True
    notes = (
        "Speed-up is the heuristic's time on the whole graph over that of navigation (features and walk) and heuristic "
        "on the subgraph; below 1, pruning costs more than it saves.",
    )
    is_timed = True
    any_episodes = True

    def model(self, study: Study, cell: Cell) -> SharedModel:
        return SharedModel(study, replace(cell.source, options={}), cell.seed)

    def run_cell(self, study: Study, cell: Cell) -> ScalingFigures:
        case, model = cell.case, self.model(study, cell).load()
        graph = share_of_edges(case.test, int(cell.variant) / 100, cell.seed)
        model.walk(case.train, episodes=1, budget=study.budget, steps=_WARM_UP_STEPS)  # loads code, which is not timed
        yardstick, found = cell.yardstick(study.budget, graph), []
        for episode in range(study.episodes):  # each on its own, as somebody with one graph to prune would run it
            with Stopwatch() as watch:
                part = model.prune(graph, budget=study.budget, seed=cell.seed + episode, prepared=True)
            one, kept = yardstick.measure(part, episode), part.graph
            found.append(OneWalk(watch.seconds, one.seconds, one.ratio, kept.num_vertices, kept.num_edges))
        size = Size(graph.num_vertices, graph.num_edges)
        return ScalingFigures(yardstick.best.solver, size, yardstick.best.seconds, found)

    def values(self, figures: ScalingFigures) -> dict[str, list[float]]:
        names = ("navigation", "heuristic", "vertices", "edges", "ratio")
        *times, vertices, edges, ratio = ([getattr(one, name) for one in figures.walks] for name in names)
        speed_up = [figures.seconds / sum(both) for both in zip(*times, strict=True)]
        sizes = vertices, edges, [figures.graph.vertices], [figures.graph.edges]
        return dict(zip(_NAMES, (speed_up, [figures.seconds], *times, *sizes, ratio), strict=True))

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        known = self.done(study, source, line)
        return {
            "edges_pct": int(line),
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
                yield f"{self.name}-{source.pair_name}", draw_scaling(done, title)


def share_of_edges(graph: Graph, share: float, seed: int) -> Graph:
    """A random ``share`` of the edges, and the vertices that they touch."""
    return graph if share == 1 else split(graph, share, seed)[0]
