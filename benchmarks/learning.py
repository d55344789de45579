"""Where does learning pay? LeNSE, learned orders, the core and simple rules on problems that lense does not know.

``python -m benchmarks.learning`` measures six problems of ``black_box_problems.py``, each on one graph with three
seeds, and writes ``learning.md``. A seed splits the graph: the first 1,000 vertices in breadth-first order from a
random one are the train graph, and all others are the test graph. The methods learn on the train graph:

- ``LeNSE``: the paper's method with the preset "quick", for the problem as a :class:`lense.Problem`.
- ``learned from answers``: boosted trees that tell the vertices that f chooses, on the train graph and on three balls
  of half its size, from all others.
- ``learned from gains``: boosted trees for what random vertices add to the first half of f's answer.
- ``core``: the ranking of a fitted core; ``core, its own size`` is also as large as the core says.
- ``degree`` (weighted, where edges have weights), ``PageRank``, ``core number`` and ``random`` learn nothing.
- ``oracle``: f's answer on the whole test graph, then the vertices nearest to it; ``oracle, its own size``: the answer.

Every method gives a part of the test graph, and f solves that part, without candidates. A part has one of two shapes:
the edges that touch its roots, which is what LeNSE learns to find, or all edges among its vertices. All parts have
about as many vertices as LeNSE's, or as that of the 3 b vertices of highest degree where LeNSE has none. The ratio is
the score on the whole test graph, over that of f's answer there. Times are CPU seconds of one process, in which all
code is loaded and compiled before.
"""

import argparse
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

import lense
from benchmarks import black_box_problems as problems
from benchmarks.black_box import LIBRARIES, Record, add, cpu_seconds, records, what_is_measured
from benchmarks.black_box_graphs import GRAPHS, Instance
from benchmarks.black_box_problems import BlackBox, Cell
from lense._util.threads import available_cores
from lense._util.types import Float64s, Int64s
from lense.experiments.tables import markdown
from lense.graph import Graph, Subgraph, from_scipy, kept_part, to_scipy
from lense.kernels.core import core_numbers
from lense.problems.parts import search_part
from lense.solving.orders import Orders

STORE = Path(__file__).with_suffix(".jsonl")
CELLS: dict[type[BlackBox], Cell] = {
    problems.DensestSubgraph: Cell("cit-HepPh", 20, 10_000),
    problems.AnchoredCore: Cell("power-grid", 10, 3_500),
    problems.Contagion: Cell("ca-HepTh", 10, 5_000),
    problems.TwoHopDomination: Cell("deezer-RO", 20, 10_000),
    problems.WeightedCover: Cell("BioGrid-Homo-Sapiens", 20, 10_000),
    problems.GroupBetweenness: Cell("com-amazon", 12, 4_000),
}
SHAPES = {"one-hop": "The edges that touch the roots", "induced": "All edges among the vertices"}
TREES: dict[str, Any] = {"max_leaf_nodes": 8, "max_iter": 60}
TRAIN, BALLS, DRAWN, KEPT = 1_000, 3, 200, 0.99
OWN_SIZES = ("core, its own size", "oracle, its own size")
Part = tuple[Subgraph, Subgraph]  # both shapes
Find = Callable[[int], Part]


class OwnProblem(lense.Problem):
    """A black-box problem for lense: labels of graphs are rows of the ``instance``."""

    problem: type[BlackBox]
    instance: Instance

    def theirs(self, graph: Graph) -> Any:
        """The user's object."""
        return self.instance.make(sparse.csr_matrix(to_scipy(graph), dtype=np.float64), graph.labels)

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return self.value(graph, self.theirs(graph), np.asarray(vertices))

    def value(self, graph: Graph, theirs: Any, vertices: Int64s) -> float:
        named = vertices if self.instance.numbered else graph.labels[vertices]
        return float(self.problem.objective(theirs, named.tolist()))

    @lense.heuristic("f")
    def f(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        found = np.array(self.problem.heuristic(self.theirs(graph), budget), np.int64)
        return found if self.instance.numbered else np.searchsorted(graph.labels, found)


def near_one(matrix: Any, size: int, rng: np.random.Generator) -> Int64s:
    """The first vertices in breadth-first order from a random one, in rising order."""
    start = rng.integers(matrix.shape[0])
    found = csgraph.breadth_first_order(matrix, start, directed=False, return_predecessors=False)
    return np.sort(found[:size]).astype(np.int64)


@dataclass(frozen=True)
class Question:
    """A problem on the train and the test graph of a seed, and every method that learns on one and prunes the other."""

    problem: OwnProblem
    train: Graph
    test: Graph
    budget: int
    seed: int

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def orders(self, graph: Graph) -> Orders:
        return Orders(graph, self.budget, np.arange(graph.num_vertices), seed=self.seed)

    def features(self, graph: Graph) -> Float64s:
        """(n, k): all orders as ranks, core number, degree and clustering, and their means over 1 and 2 hops.

        A rank is log(n / place) / log n. Vertices that an order leaves out share its last place.
        """
        n, rows = graph.num_vertices, graph.incident
        orders = self.orders(graph)
        ranks = np.zeros((n, len(orders.names)))
        for column, name in enumerate(orders.names):
            order = orders.make(name)
            ranks[order, column] = np.log(n / np.arange(1, order.size + 1)) / np.log(n)
        ones = sparse.csr_array((np.ones(rows.indices.size), rows.indices, rows.indptr), shape=(n, n))
        degree = np.diff(rows.indptr).astype(np.float64)
        closed: Float64s = (ones @ ones).multiply(ones).sum(axis=1)
        clustering = closed / np.maximum(degree * (degree - 1), 1)
        core = core_numbers(rows.indptr, rows.indices, np.arange(n))
        own = np.column_stack([ranks, core, np.log1p(degree), clustering])
        mean = sparse.diags_array(1 / np.maximum(degree, 1)) @ ones
        return np.hstack([own, mean @ own, mean @ (mean @ own)])

    def chosen(self, graph: Graph) -> Int64s:
        """What f chooses, in its order."""
        return self.problem.search(graph, self.budget, self.rng()).indices

    @property
    def methods(self) -> dict[str, Callable[[], Find]]:
        """What learns, by name: each returns a function that finds a part of about so many vertices."""
        return {
            "LeNSE": self.by_lense,
            "learned from answers": self.from_answers,
            "learned from gains": self.from_gains,
            "core": self.by_core,
            **{name: partial(self.rule, name) for name in ("degree", "PageRank", "core number")},
            "random": lambda: partial(self.first, self.rng().permutation(self.test.num_vertices)),
            "oracle": self.oracle,
            OWN_SIZES[0]: lambda: lambda _: self.around(self.core.prune(self.test).roots),
            OWN_SIZES[1]: lambda: lambda _: self.around(self.own[0]),
        }

    def by_lense(self) -> Find:
        model = lense.LeNSE(self.problem, self.budget, preset="quick", seed=self.seed).fit(self.train)
        return lambda _: self.around(model.prune(self.test, seed=self.seed).roots)

    @cached_property
    def core(self) -> lense.Core:
        return lense.Core(self.problem, self.budget, seed=self.seed).fit(self.train)

    def by_core(self) -> Find:
        order = partial(self.core.ranking, self.test, self.budget, self.test.num_vertices, self.core.weights_)
        return lambda size: self.first(order(), size)

    def from_answers(self) -> Find:
        rng, matrix, size = self.rng(), to_scipy(self.train), self.train.num_vertices // 2
        graphs = [self.train]
        graphs += [self.train.among(near_one(matrix, size, rng)).without_isolated() for _ in range(BALLS)]
        known = np.vstack([self.features(graph) for graph in graphs])
        is_chosen = np.concatenate([np.isin(np.arange(one.num_vertices), self.chosen(one)) for one in graphs])
        model = HistGradientBoostingClassifier(class_weight="balanced", random_state=self.seed, **TREES)
        model.fit(known, is_chosen)
        return self.by(lambda known: model.predict_proba(known)[:, 1])

    def from_gains(self) -> Find:
        answer, theirs = self.chosen(self.train), self.problem.theirs(self.train)
        half, rest = np.array_split(answer, 2)
        others = np.setdiff1d(np.arange(self.train.num_vertices), answer)
        drawn = np.append(rest, self.rng().choice(others, min(DRAWN, others.size), replace=False))
        values = [self.problem.value(self.train, theirs, np.append(half, vertex)) for vertex in drawn]
        model = HistGradientBoostingRegressor(random_state=self.seed, **TREES)
        model.fit(self.features(self.train)[drawn], values)
        return self.by(model.predict)

    def by(self, predict: Callable[[Float64s], Float64s]) -> Find:
        """Order the vertices of the test graph by what trees predict."""
        return lambda size: self.first(np.argsort(-predict(self.features(self.test)), kind="stable"), size)

    def rule(self, name: str) -> Find:
        known = "weighted degree" if name == "degree" and self.test.weights is not None else name
        return lambda size: self.first(self.orders(self.test).make(known), size)

    def oracle(self) -> Find:
        degree = np.diff(self.test.incident.indptr)
        hops = csgraph.dijkstra(to_scipy(self.test), indices=self.own[0], unweighted=True, min_only=True)
        return partial(self.first, np.lexsort((-degree, hops)))

    def first(self, order: Int64s, size: int) -> Part:
        """The first vertices of an order: as roots whose part has about so many vertices, and so many of them."""
        n, rows = self.test.num_vertices, self.test.incident
        place = np.full(n, n - 1)
        place[order] = np.arange(n)
        enters = place.copy()  # the root that brings a vertex into the part
        np.minimum.at(enters, np.repeat(np.arange(n), np.diff(rows.indptr)), place[rows.indices])
        sizes = np.bincount(enters, minlength=n).cumsum()
        count = int(np.abs(sizes - size).argmin()) + 1
        return lense.subgraph(self.test, order[:count]), kept_part(self.test, order[:size])

    def around(self, roots: Int64s) -> Part:
        """The edges that touch the roots, and all among the same vertices."""
        part = lense.subgraph(self.test, roots)
        return part, kept_part(self.test, part.vertices)

    @cached_property
    def own(self) -> tuple[Int64s, float, float]:
        """f's answer on the whole test graph, its score, and the CPU seconds that f took."""
        begun, answer, ended = cpu_seconds(), self.chosen(self.test), cpu_seconds()
        return answer, self.problem.objective_value(self.test, answer), ended - begun

    def solved(self, part: Subgraph) -> Record:
        """What f finds on a part of the test graph."""
        sizes: Record = {"vertices": part.graph.num_vertices, "edges": part.graph.num_edges}
        begun = cpu_seconds()
        try:
            found = search_part(self.problem, self.test, part, self.budget, self.rng()).indices
        except Exception as error:  # f may refuse a part
            return sizes | {"ratio": None, "error": f"{type(error).__name__}: {error}"}
        sizes |= {"cpu_seconds": cpu_seconds() - begun}
        return sizes | {"ratio": self.problem.objective_value(self.test, found) / self.own[1]}

    def records(self) -> Iterator[Record]:
        """One for each method."""
        size = lense.subgraph(self.test, self.orders(self.test).make("degree")[: 3 * self.budget]).graph.num_vertices
        shared: Record = {"whole_seconds": self.own[2], "whole_score": self.own[1]}
        shared |= {"train_vertices": self.train.num_vertices, "test_vertices": self.test.num_vertices}
        for name, learn in self.methods.items():
            record = shared | {"method": name}
            begun = cpu_seconds()
            try:
                find = learn()
                learnt = cpu_seconds()
                parts = find(size)
            except Exception as error:  # a method that cannot learn this is a result
                yield record | {"error": f"{type(error).__name__}: {error}"}
                continue
            record |= {"fit_seconds": learnt - begun, "find_seconds": cpu_seconds() - learnt}
            size = parts[0].graph.num_vertices if name == "LeNSE" else size
            solved = {shape: self.solved(part) for shape, part in zip(SHAPES, parts, strict=True)}
            yield record | {"size": size, "roots": parts[0].roots.size} | solved


def measure(problem: type[BlackBox], cell: Cell, seed: int, size: int = TRAIN) -> list[Record]:
    """The records of a cell, one for each method, after learning on a train graph of a ``size``."""
    instance = problem.instance(cell)
    known = {"name": problem.__name__, "problem": problem, "instance": instance, "counts_weights": instance.weighted}
    kind: Any = type(problem.__name__, (OwnProblem,), known)
    near = near_one(instance.matrix, size, np.random.default_rng(seed))
    sides = near, np.setdiff1d(np.arange(instance.matrix.shape[0]), near)
    graphs = [from_scipy(instance.matrix[rows][:, rows], labels=rows).without_isolated() for rows in sides]
    question = Question(kind(), graphs[0], graphs[1], cell.budget, seed)
    facts = what_is_measured(problem, cell) | {
        "seed": seed,
        "versions": {name: version(name) for name in (*LIBRARIES, "scikit-learn")},
        "machine": {"system": platform.system(), "machine": platform.machine(), "cores": available_cores()},
        "python": platform.python_version(),
        "at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
    }
    return [facts | one for one in question.records()]


def page(found: Sequence[Record]) -> str:
    """The tables in Markdown."""
    frame = pd.json_normalize(list(found))
    methods, names = frame["method"].unique(), frame["problem"].unique()
    last, seeds = found[-1], ", ".join(map(str, sorted(set(frame["seed"]))))
    versions = ", ".join(f"{name} {number}" for name, number in last["versions"].items())
    text = [
        "# Where does learning pay?\n",
        "`python -m benchmarks.learning` writes this page; the module says how the figures are measured. A figure is",
        "the score of f's answer on a part of the test graph over that of its answer on the whole test graph: the mean",
        f"± the standard error over the seeds {seeds}, each with another split. All parts have about as many vertices",
        "as LeNSE's, but for the two that have their own size. The mean is over the problems where nothing failed.\n",
        f"{last['machine']['system']} on {last['machine']['machine']}, {last['machine']['cores']} cores, one used;",
        f"Python {last['python']}, {versions}; code of lense {last['code']['lense']}.\n",
    ]
    for shape, title in SHAPES.items():
        ratios = frame.groupby(["method", "problem"])[f"{shape}.ratio"].agg(["mean", "sem", "count", "size"])
        means, counts = (ratios[one].unstack().reindex(methods, columns=names) for one in ("mean", "count"))
        cells = ratios.apply(_figure, axis=1).unstack().reindex(methods, columns=names)
        everywhere = counts.columns[(counts == ratios["size"].max()).all()]
        cells[f"mean of {everywhere.size}"] = means[everywhere].mean(axis=1).map("{:.3f}".format)
        cells[f"≥ {KEPT}"] = (means >= KEPT).sum(axis=1).map(f"{{}} of {len(names)}".format)
        text += [f"## {title} ({shape})\n", _table(cells)]
    facts = frame.groupby("problem")[["graph", "split", "budget"]].first().loc[names]
    facts["graph"] = [f"{name} ({GRAPHS.get(name, 'other')})" for name in facts["graph"]]
    means = frame.groupby(["method", "problem"]).mean(numeric_only=True)
    titles = {"train_vertices": "train vertices", "test_vertices": "test", "size": "part", "whole_seconds": "f, s"}
    facts = facts.join(means.loc["degree"][list(titles)].rename(columns=titles))
    for method in OWN_SIZES:
        facts[f"part of {method}"] = means.loc[method]["one-hop.vertices"]
    for shape in SHAPES:
        facts[f"f on {shape} part of degree"] = means.loc["degree"][f"{shape}.cpu_seconds"]
    for method in ("LeNSE", "learned from answers", "learned from gains", "core"):
        facts[f"fit {method}"] = means.loc[method].get("fit_seconds")
    text += ["## Sizes and CPU seconds\n", _table(facts), "## What failed\n"]
    for one in found:
        for error in (part["error"] for part in (one, *(one.get(shape, {}) for shape in SHAPES)) if "error" in part):
            text.append(f"{one['method']} on {one['problem']}, seed {one['seed']}: {error}\n")
    return "\n".join(text)


def _figure(ratios: Any) -> str:
    some = "" if ratios["count"] == ratios["size"] else f" ({ratios['count']:.0f} of {ratios['size']:.0f})"
    return f"{ratios['mean']:.3f} ± {ratios['sem']:.3f}{some}".replace(" ± nan", "") if ratios["count"] else "failed"


def _table(frame: Any) -> str:
    shown = frame.map(lambda one: one if isinstance(one, str) else f"{one:,.0f}" if one >= 10 else f"{one:.2g}")
    return markdown((shown.index.name, *shown.columns), shown.reset_index().to_numpy().tolist())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", nargs="+", type=int, default=(0, 1, 2), metavar="SEED")
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--summary", action="store_true", help="measure nothing; write the page")
    chosen = parser.parse_args()
    if not chosen.summary:
        os.environ.setdefault("LENSE_THREADS", "1")
        threadpool_limits(1)
        measure(problems.DensestSubgraph, Cell("ca-GrQc", 5, 900), 0, 300)  # loads and compiles
        keys = ("problem", "graph", "budget", "ball", "seed")
        known = [[one[key] for key in keys] for one in records(chosen.store, every=True)]
        for seed, (problem, cell) in product(chosen.seeds, CELLS.items()):
            if [problem.__name__, cell.graph, cell.budget, cell.ball, seed] not in known:
                print(f"{problem.__name__} on {cell.graph}, seed {seed}", flush=True)
                for record in measure(problem, cell, seed):
                    add(chosen.store, record)
    chosen.store.with_suffix(".md").write_text(page(records(chosen.store, every=True)), encoding="utf-8")


if __name__ == "__main__":
    main()
