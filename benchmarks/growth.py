"""How the time of each operation grows with the edges of the graph."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib
import numpy as np

from benchmarks.cover import BUDGET, numpy_pass
from benchmarks.graphs import large_graph
from benchmarks.measure import SEED, best_times, log_log_slope
from benchmarks.table import Row, at_most
from lense.graph import Graph, read_graph, rmat, split, write_graph
from lense.plots import STYLE, new_figure, save_figure
from lense.problems.bmc import BudgetedMaxCut
from lense.problems.im import InfluenceMaximisation
from lense.problems.mvc import MaxVertexCover

# by Okabe and Ito, for people of any colour vision; without their yellow, which is hard to see on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#332288", "#8B5A2B")
MARKERS = "os^DvPXh"
PICTURE = Path(__file__).with_name("growth.png")
SIZES = (100_000, 316_000, 1_000_000, 3_160_000, 10_000_000, 100_000_000)
QUICK_SIZES = SIZES[:3]
NUMPY_PASS, NUMPY_GATHER = "one numpy pass", "one numpy gather"
REFERENCES = (NUMPY_PASS, NUMPY_GATHER)
"""Work that is linear in the edges, but takes longer for each edge once a graph no longer fits the caches."""
WORLDS = 64
TURNS = 3
EDGES_PER_VERTEX = 10

Job = Callable[[], object]


@dataclass(frozen=True)
class Curve:
    """Times, in units of the picture, over numbers of edges."""

    name: str
    edges: Sequence[float]
    times: Sequence[float]


@dataclass(frozen=True)
class Operation:
    """``prepare(graph, folder)`` gives the job that is timed; graphs have at most ``up_to`` edges."""

    prepare: Callable[[Graph, Path], Job]
    up_to: int = 10_000_000


def growth(quick: bool) -> Iterator[Row]:
    """The slope of each curve in logarithms; a full run also draws the curves."""
    curves = measured_curves(QUICK_SIZES if quick else SIZES)
    if not quick:
        draw(curves)
    slopes = {curve.name: log_log_slope(curve.edges, curve.times) for curve in curves}
    # a gather is linear work with ever more cache misses; a step of a cascade is several gathers in a row
    steepest = round(max(1.15, slopes[NUMPY_GATHER] + 0.15), 2)
    also = ", ".join(f"{name} {slopes[name]:.2f}" for name in REFERENCES)
    for curve in curves:
        if curve.name not in REFERENCES:
            first, last = (f"10^{math.log10(edges):.0f}" for edges in (curve.edges[0], curve.edges[-1]))
            what = f"growth of {curve.name}, {first} to {last} edges"
            row = Row(what, "numpy's own slope", "slope in logarithms", at_most(steepest))
            yield row.measured(slopes[curve.name], also=also)


def measured_curves(sizes: tuple[int, ...]) -> list[Curve]:
    """Times of all operations, in units of one numpy pass over the smallest graph."""
    times: dict[str, dict[int, float]] = {name: {} for name in OPERATIONS}
    for size in sizes:
        graph = large_graph(size, SEED)
        for name, operation in OPERATIONS.items():
            if size <= operation.up_to:
                with TemporaryDirectory() as folder:
                    times[name][size] = _best_time(operation.prepare(graph, Path(folder)))
    unit = times[NUMPY_PASS][sizes[0]]
    return [Curve(name, list(of), [time / unit for time in of.values()]) for name, of in times.items()]


def draw(curves: Sequence[Curve]) -> None:
    """One curve for each operation, those of the references black, over lines of linear growth."""
    left, right = min(curve.edges[0] for curve in curves), max(curve.edges[-1] for curve in curves)
    styles = iter(zip(COLOURS, MARKERS, strict=False))
    with matplotlib.rc_context(STYLE):
        figure = new_figure(8, 5.4)
        axes = figure.add_subplot(xscale="log", yscale="log")
        for curve in sorted(curves, key=lambda one: -one.times[0]):
            is_reference = curve.name in REFERENCES
            colour, marker = ("black", ".") if is_reference else next(styles)
            style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": "--" if is_reference else "-"}
            axes.plot(curve.edges, curve.times, markersize=5.5, linewidth=1.6, label=curve.name, **style)
        limits = axes.get_ylim()
        for start in 10.0 ** np.arange(-9, 12):
            axes.plot([left, right], [start, start * right / left], color="0.85", linewidth=0.8, zorder=0)
        axes.set(ylim=limits, xlabel="edges", ylabel=f"time, in units of {REFERENCES[0]} over the smallest graph")
        figure.legend(loc="outside right center", title="grey: linear growth")
    save_figure(figure, PICTURE)


def _best_time(job: Job) -> float:
    """The least of several times; the first run, which compiles, does not count."""
    job()
    (best,) = best_times(TURNS, job)
    return best


def _pass(graph: Graph, _folder: Path) -> Job:
    return lambda: numpy_pass(graph)


def _gather(graph: Graph, _folder: Path) -> Job:
    return lambda: graph.out_degrees[graph.indices].sum()


def _mvc(graph: Graph, _folder: Path) -> Job:
    problem = MaxVertexCover()
    return lambda: problem.greedy(graph, BUDGET, np.random.default_rng(SEED))


def _bmc(graph: Graph, _folder: Path) -> Job:
    problem = BudgetedMaxCut()
    return lambda: problem.local_search(graph, BUDGET, np.random.default_rng(SEED))


def _imm(graph: Graph, _folder: Path) -> Job:
    # by trivalency a reverse-reachable set is a fixed share of such a graph: the memory for them would set the limit
    problem = InfluenceMaximisation(model="weighted-cascade", seed=SEED)
    weighted = problem.prepare(graph)
    return lambda: problem.imm(weighted, BUDGET, np.random.default_rng(SEED))


def _spread(graph: Graph, _folder: Path) -> Job:
    # probable enough that a cascade reaches the same share of a graph of any size
    problem = InfluenceMaximisation(model="constant", probability=0.1, worlds=WORLDS, seed=SEED)
    weighted = problem.prepare(graph)
    seeds = MaxVertexCover().greedy(graph, BUDGET, np.random.default_rng(SEED))
    return lambda: problem.evaluate(weighted, seeds)


def _read_text(graph: Graph, folder: Path) -> Job:
    path = folder / "graph.txt.gz"
    write_graph(graph, path)
    return lambda: read_graph(path)


def _read_arrays(graph: Graph, folder: Path) -> Job:
    path = folder / "graph.npz"
    write_graph(graph, path)
    return lambda: read_graph(path)


def _split(graph: Graph, _folder: Path) -> Job:
    return lambda: split(graph, 0.3, SEED)


def _rmat(graph: Graph, _folder: Path) -> Job:
    scale = round(math.log2(graph.num_edges / EDGES_PER_VERTEX))
    return lambda: rmat(scale, graph.num_edges, np.random.default_rng(SEED))


OPERATIONS = {
    NUMPY_PASS: Operation(_pass, up_to=100_000_000),
    NUMPY_GATHER: Operation(_gather),
    "greedy mvc": Operation(_mvc, up_to=100_000_000),
    "local-search bmc": Operation(_bmc),
    "IMM": Operation(_imm),
    "spread": Operation(_spread),
    "reading .txt.gz": Operation(_read_text),
    "reading .npz": Operation(_read_arrays, up_to=100_000_000),
    "split": Operation(_split),
    "R-MAT generation": Operation(_rmat),
}
