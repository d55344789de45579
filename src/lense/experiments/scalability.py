"""The paper's scalability study: what pruning saves, or costs, on growing shares of a large graph's edges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lense.experiments.experiment import Experiment
from lense.experiments.models import known_model, shared_model
from lense.experiments.records import Size
from lense.experiments.study import Cell, Source, Study
from lense.experiments.tables import Row, Table, with_error
from lense.graph import Graph, split
from lense.statistics import Mean
from lense.stopwatch import Stopwatch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WARM_UP_STEPS = 2
_TIMES = {
    "speed_up": "speed-up",
    "seconds_on_graph": "whole graph",
    "seconds_navigation": "navigation",
    "seconds_heuristic": "heuristic",
}
_NAMES = (*_TIMES, "vertices", "edges", "graph_vertices", "graph_edges", "ratio")


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

    def columns(self) -> dict[str, list[float]]:
        """The figures with a value for each walk."""
        whole, size, walks = self.seconds, self.graph, self.walks
        speed_up = [whole / (one.navigation + one.heuristic) for one in walks]
        times = [one.navigation for one in walks], [one.heuristic for one in walks]
        kept = [float(one.vertices) for one in walks], [float(one.edges) for one in walks]
        ratio = [one.ratio for one in walks]
        values: list[list[float]] = [speed_up, [whole], *times, *kept, [size.vertices], [size.edges], ratio]
        return dict(zip(_NAMES, values, strict=True))


class Scalability(Experiment):
    """Times of the heuristic on the whole graph, and of LeNSE and the same heuristic on what it keeps.

    Both are measured in the same run on the same machine, one cell at a time. The model is that of the whole study: it
    was trained for the problem's default heuristic, whichever is timed here.
    """

    name = "scalability"
    title = "Scalability: seconds, and vertices and edges kept"
    figures = ScalingFigures
    pairs = (("talk", "im"), ("talk", "bmc"))
    variants = ("20", "40", "60", "80", "100")
    """Per cent of the test graph's edges."""
    notes = (
        "Speed-up is the heuristic's time on the whole graph over that of navigation (features and walk) and heuristic "
        "on the subgraph; below 1, pruning costs more than it saves.",
    )
    is_timed = True
    any_episodes = True

    def model(self, study: Study, cell: Cell) -> Path | None:
        return known_model(study, _plain(cell.source), cell.seed)

    def run_cell(self, study: Study, cell: Cell) -> ScalingFigures:
        from lense.evaluation import Yardstick

        case, model = cell.source.case(cell.seed), shared_model(study, _plain(cell.source), cell.seed)
        graph = share_of_edges(case.test, int(cell.variant) / 100, cell.seed)
        model.walk(case.train, episodes=1, budget=study.budget, steps=_WARM_UP_STEPS)  # loads code, which is not timed
        yardstick = Yardstick(case.problem, graph, study.budget, seed=cell.seed)
        found = []
        for episode in range(study.episodes):  # each on its own, as somebody with one graph to prune would run it
            with Stopwatch() as watch:
                part = model.prune(graph, budget=study.budget, seed=cell.seed + episode, prepared=True)
            one = yardstick.measure(part, episode)
            sizes = part.graph.num_vertices, part.graph.num_edges
            found.append(OneWalk(watch.seconds, one.seconds, one.ratio, *sizes))
        size = Size(graph.num_vertices, graph.num_edges)
        return ScalingFigures(yardstick.best.solver, size, yardstick.best.seconds, found)

    def rows(self, study: Study) -> list[Row]:
        return [self._row(study, source, share) for source in study.sources for share in self.variants]

    def _row(self, study: Study, source: Source, share: str) -> Row:
        known = self.done(study, source, share)
        by_seed = [one.columns() for one in known]
        means = {name: Mean.of([columns[name] for columns in by_seed]) for name in _NAMES if known}
        errors = {f"{name}_stderr": means[name].stderr if known else None for name in ("speed_up", "ratio")}
        return {
            "problem": source.problem_label,
            "graph": source.graph_name,
            "edges_pct": int(share),
            **{name: means[name].value if known else None for name in _NAMES},
            **errors,
            "solver": known[0].solver if known else None,
            "seeds": len(known),
            "walks": sum(len(one.walks) for one in known),
            "note": self.why_empty(study, source, share),
        }

    def columns(self, study: Study) -> Mapping[str, str]:
        return {"edges_pct": "edges", **_TIMES, "kept": "kept", "ratio": "ratio"}

    def cell(self, row: Row, name: str) -> str:
        if row["speed_up"] is None:
            return "–"
        if name == "kept":
            return f"{row['vertices']:,.0f} / {row['edges']:,.0f}"
        if name in ("edges_pct", "ratio"):
            return f"{row[name]} %" if name == "edges_pct" else with_error(row[name], row["ratio_stderr"])
        return f"{row[name]:.3g}" if row[name] < 100 else f"{row[name]:,.0f}"

    def table(self, study: Study, rows: Sequence[Row]) -> Table:
        title, headings, lines = super().table(study, rows)
        return title, headings, list(dict.fromkeys(lines))  # of a graph without figures there is one line

    def pictures(self, study: Study, rows: Sequence[Row]) -> "Iterator[tuple[str, Figure]]":
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


def _plain(source: Source) -> Source:
    """The same with the problem as it is by default, which is what shared models are trained for."""
    return replace(source, options={})
