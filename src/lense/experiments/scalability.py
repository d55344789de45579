"""The paper's scalability study: what pruning saves, or costs, on growing shares of a large graph's edges."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lense.experiments.cases import Source
from lense.experiments.experiment import Experiment, Made
from lense.experiments.marks import Mean, with_error
from lense.experiments.rows import Table
from lense.experiments.store import Record
from lense.experiments.study import Cell, Study, graph_name, pair_name, problem_label
from lense.experiments.tables import asked_for, grouped, write_pictures, write_table
from lense.graph import Graph, split
from lense.stopwatch import Stopwatch

if TYPE_CHECKING:
    from lense.evaluation import Yardstick
    from lense.pruners import LeNSE
    from lense.walking.batches import GraphTensors

_WARM_UP_STEPS = 2


class Scalability(Experiment):
    """Times of the heuristic on the whole graph, and of LeNSE and the same heuristic on what it keeps.

    Both are measured in the same run on the same machine, one cell at a time. The model is that of the whole study: it
    was trained for the problem's default heuristic, whichever is timed here.
    """

    name = "scalability"
    pairs = (("talk", "im"), ("talk", "bmc"))
    variants = ("20", "40", "60", "80", "100")
    """Per cent of the test graph's edges."""
    is_timed = True

    def plan(self, study: Study) -> Record:
        """Not the number of walks: with an expensive heuristic there may be time for a few alone, which cells tell."""
        return {"experiment": self.name, **study.model_plan()}

    def figures(self, study: Study, cell: Cell) -> Record:
        from lense.evaluation import Yardstick
        from lense.experiments.shared_models import shared_model

        case, model = cell.source.case(cell.seed), shared_model(study, cell.source, cell.seed)
        graph = share_of_edges(case.test, int(cell.variant) / 100, cell.seed)
        model.walk(case.train, episodes=1, budget=study.budget, steps=_WARM_UP_STEPS)  # loads code, which no time tells
        yardstick = Yardstick(case.problem, graph, study.budget, seed=cell.seed)
        with Stopwatch() as features:
            tensors = model.tensors(graph)
        return {
            "solver": yardstick.best.solver,
            "graph": {"vertices": graph.num_vertices, "edges": graph.num_edges},
            "heuristic_on_graph": yardstick.best.seconds,
            "features": features.seconds,
            "episodes": [
                self._episode(model, tensors, yardstick, study.budget, cell.seed, episode)
                for episode in range(study.episodes)
            ],
        }

    def _episode(
        self, model: "LeNSE", tensors: "GraphTensors", yardstick: "Yardstick", budget: float, seed: int, episode: int
    ) -> Record:
        """One walk on its own, as somebody with one graph to prune would run it."""
        from lense.parts import subgraph

        with Stopwatch() as walking:
            roots = model.find_roots(tensors, episodes=1, budget=budget, seed=seed + episode)
            part = subgraph(yardstick.graph, roots[0])
        found = yardstick.measure(part, episode)
        return {
            "walk": walking.seconds,
            "heuristic": found.seconds,
            "ratio": found.ratio,
            "vertices": part.graph.num_vertices,
            "edges": part.graph.num_edges,
        }

    def make(self, study: Study) -> Made:
        everything = self.shown(study)
        rows = [self._row(everything, source, share) for source in everything.sources for share in self.variants]
        headings = ("problem", "graph", "edges", "speed-up", "whole graph", "navigation", "heuristic", "kept", "ratio")
        lines = list(dict.fromkeys(_cells(row) for row in rows))  # of a graph without figures there is one line
        table: Table = ("Scalability: seconds, and vertices and edges kept", headings, lines)
        files = [file for source in everything.sources for file in self._draw(everything, source, rows)]
        files += write_table(study.out, self.name, table, rows, notes=[_EXPLANATION])
        return Made(_terminal_tables(asked_for(study, rows)), files, [_EXPLANATION])

    def _row(self, study: Study, source: Source, share: str) -> Record:
        records = self.done(study, source, share)
        figures = [_derived(record) for record in records]
        names = list(figures[0]) if figures else list(_FIGURES)
        means = {name: Mean.of([one[name] for one in figures]) for name in names} if figures else {}
        return {
            "problem": problem_label(source),
            "graph": graph_name(source),
            "edges_pct": int(share),
            **{name: means[name].value if name in means else None for name in _FIGURES},
            "speed_up_stderr": means["speed_up"].stderr if means else None,
            "ratio_stderr": means["ratio"].stderr if means else None,
            "solver": records[0]["solver"] if records else None,
            "seeds": len(records),
            "walks": sum(len(record["episodes"]) for record in records),
            "note": self.why_empty(study, source, share),
        }

    def _draw(self, study: Study, source: Source, rows: Sequence[Record]) -> list[Path]:
        mine = [row for row in rows if (row["graph"], row["problem"]) == (graph_name(source), problem_label(source))]
        done = [row for row in mine if row["speed_up"] is not None]
        if not done:
            return []
        from lense.experiments.scaling_figure import draw_scaling

        options = [f"{name} {value}" for name, value in sorted(source.options.items()) if name != "solver"]
        by = ", ".join([done[0]["solver"], *options])
        title = f"{source.problem} on {graph_name(source)}, heuristic {by}"
        return write_pictures(study.out / f"{self.name}-{pair_name(source)}", draw_scaling(done, title))


_EXPLANATION = (
    "Speed-up is the heuristic's time on the whole graph over that of navigation (features and walk) and "
    "heuristic on the subgraph; below 1, pruning costs more than it saves."
)
_FIGURES = (
    "speed_up",
    "seconds_on_graph",
    "seconds_navigation",
    "seconds_heuristic",
    "vertices",
    "edges",
    "graph_vertices",
    "graph_edges",
    "ratio",
)


def share_of_edges(graph: Graph, share: float, seed: int) -> Graph:
    """A random ``share`` of the edges, and the vertices that they touch."""
    return graph if share == 1 else split(graph, share, seed)[0]


def _derived(record: Record) -> dict[str, list[float]]:
    """The figures of a cell, a value for each episode; every episode bears the cost of the features."""
    episodes, whole = record["episodes"], record["heuristic_on_graph"]
    navigation = np.array([record["features"] + one["walk"] for one in episodes])
    heuristic = np.array([one["heuristic"] for one in episodes])
    found = {
        "speed_up": whole / (navigation + heuristic),
        "seconds_on_graph": np.array([whole]),
        "seconds_navigation": navigation,
        "seconds_heuristic": heuristic,
        "graph_vertices": np.array([record["graph"]["vertices"]]),
        "graph_edges": np.array([record["graph"]["edges"]]),
        **{name: np.array([one[name] for one in episodes]) for name in ("vertices", "edges", "ratio")},
    }
    return {name: values.astype(float).tolist() for name, values in found.items()}


def _cells(row: Record) -> tuple[str, ...]:
    names = (row["problem"], row["graph"])
    if row["speed_up"] is None:
        return *names, "–", row["note"].partition(":")[0], "–", "–", "–", "–", "–"
    kept = f"{row['vertices']:,.0f} / {row['edges']:,.0f}"
    return *names, *_times(row), kept, with_error(row["ratio"], row["ratio_stderr"])


def _times(row: Record) -> tuple[str, ...]:
    """The share of edges, the speed-up, and the three times that it comes of."""
    names = ("speed_up", "seconds_on_graph", "seconds_navigation", "seconds_heuristic")
    return f"{row['edges_pct']} %", *(f"{row[name]:.3g}" if row[name] < 100 else f"{row[name]:,.0f}" for name in names)


def _terminal_tables(rows: Sequence[Record]) -> list[Table]:
    """A table for each graph and problem that has figures, narrow enough for a terminal."""
    headings = ("edges", "speed-up", "on graph", "navigation", "heuristic", "V / E kept", "ratio")
    made: list[Table] = []
    for problem, mine in grouped((row for row in rows if row["speed_up"] is not None), "problem").items():
        for graph, shares in grouped(mine, "graph").items():
            title = f"Scalability in seconds: {problem} on {graph}, heuristic {shares[0]['solver']}"
            lines = [
                (*_times(row), f"{_short(row['vertices'])} / {_short(row['edges'])}", f"{row['ratio']:.3f}")
                for row in shares
            ]
            made.append((title, headings, lines))
    return made


def _short(count: float) -> str:
    """A count in three digits: 47, 1.23k, 45.6M."""
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{name}"
    return f"{count:.0f}"
