"""Problems that lense does not know: the default against the user's heuristic, ten-line rules and an oracle.

``python -m benchmarks.black_box --develop`` measures half of the problems of ``black_box_problems.py``, and ``--test``
the other half. One cell is one problem on one graph, in a process of its own in which every method runs once:

- ``whole``: the user's heuristic f on the whole graph, b vertices.
- ``lense``: ``lense.solve(graph, budget=b, heuristic=f, objective=g, seed=1)``, conversion of the graph included.
- ``one-hop 1.5b``, ``3b``, ``10b``: f on the edges that touch the vertices of highest degree; f chooses from these if
  it accepts candidates.
- ``induced 10%``: f on the subgraph that the tenth of highest degree induces.
- ``candidates 3b``, ``10b``: f on the whole graph, choosing from these, if it accepts candidates.
- ``top b``: the vertices of highest degree, without f.
- ``oracle one-hop``, ``oracle induced``: the parts around the answer that f gave on the whole graph.

Times are CPU seconds of this process and its children, with one thread for BLAS. One call on a tiny graph comes first,
so that compiling and loading kernels does not count. Scores are taken on the whole graph. A ratio is the score over
that of ``whole``, or its inverse for a problem that minimises; a saving is the CPU time of ``whole`` over that of the
method, both from the same process. Each record goes to ``black_box.jsonl`` at once. What is there for the same code is
skipped.
"""

import argparse
import gc
import hashlib
import inspect
import json
import multiprocessing
import platform
import resource
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import lense
from benchmarks.black_box_graphs import Vertices, ball, by_degree, part
from benchmarks.black_box_problems import DEVELOP, TEST, BlackBox, Cell
from benchmarks.black_box_table import ORACLES, RULES, Row, draw, page, rows
from benchmarks.measure import SEED
from lense._util.threads import available_cores

STORE = Path(__file__).with_suffix(".jsonl")
LIMIT = 300.0
METHODS = ("whole", "lense", *RULES, *ORACLES)
TINY = 300
LIBRARIES = ("lense", "numpy", "scipy", "networkx", "igraph", "pandas", "torch", "numba")
Record = dict[str, Any]


def cpu_seconds() -> float:
    """What this process and its children have used; those that are still running do not count."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


@dataclass(frozen=True)
class Answer:
    """What a method returns: vertices of the whole graph, and what lense says of them."""

    vertices: Vertices
    said: Record


class Question:
    """One cell: the user's object and functions, and every method that answers it."""

    def __init__(self, problem: type[BlackBox], cell: Cell) -> None:
        self.problem, self.cell = problem, cell
        self.instance = problem.instance(cell)
        self.graph = self.instance.make()
        self.own: Vertices = []

    def answer(self, method: str) -> Answer | None:
        """The answer of a method, or None if the heuristic does not accept the candidates it needs."""
        name, _, size = method.partition(" ")
        if name == "lense":
            return self.by_lense()
        if name == "whole":
            self.own = list(self.problem.heuristic(self.graph, self.cell.budget))
            return Answer(self.own, {})
        if name == "oracle":
            return Answer(self.on_part(np.array(self.own), size), {})
        order = by_degree(self.instance)
        if name == "top":
            return Answer(self.affordable(order), {})
        if size == "10%":
            return Answer(self.on_part(order[: order.size // 10], name), {})
        first = order[: round(float(size.removesuffix("b")) * len(self.own))]
        if name == "one-hop":
            return Answer(self.on_part(first, name), {})
        if not accepts_candidates(self.problem):
            return None
        return Answer(self.problem.heuristic(self.graph, self.cell.budget, candidates=first.tolist()), {})

    def by_lense(self) -> Answer:
        """The default."""
        problem = self.problem
        found = lense.solve(
            self.graph,
            budget=self.cell.budget,
            heuristic=problem.heuristic,
            objective=problem.objective,
            minimise=problem.minimise,
            seed=SEED,
            **problem.options,
        )
        names = ("met_target", "found_by", "expected_ratio", "reason", "decision")
        vertices = found.indices if self.instance.numbered else found.vertices
        said = {name: getattr(found, name) for name in names}
        return Answer(list(vertices), said | {"estimated_seconds": found.details.get("estimated_seconds")})

    def warm_up(self) -> None:
        """Solve a small ball by an easy problem, so that lense loads what it needs for this type of graph."""
        tiny = ball(self.instance.matrix, TINY, np.random.default_rng(SEED))
        attributes = {name: values[:TINY] for name, values in self.instance.attributes.items()}
        graph = replace(self.instance, matrix=tiny, attributes=attributes).make()
        lense.solve(graph, budget=5, heuristic=_first_vertices, objective=_odd_vertices, seed=SEED)

    def on_part(self, roots: Any, shape: str) -> list[Any]:
        """What the heuristic chooses on the part that roots induce, or that their edges are."""
        matrix, ids = part(self.instance.matrix, roots, shape)
        theirs = self.instance.make(matrix, ids)
        more: dict[str, Any] = {}
        if accepts_candidates(self.problem) and shape == "one-hop":
            pool = np.flatnonzero(np.isin(ids, roots)) if self.instance.numbered else roots
            more["candidates"] = pool.tolist()
        found = list(self.problem.heuristic(theirs, self.cell.budget, **more))
        return ids[found].tolist() if self.instance.numbered else found

    def affordable(self, order: Any) -> list[int]:
        """The first vertices of an order that the budget allows."""
        costs = self.costs(order)
        return [] if costs is None else order[np.cumsum(costs) <= self.cell.budget].tolist()

    def costs(self, vertices: Any) -> Any:
        name = self.problem.options.get("costs")
        return self.instance.attributes[name][vertices] if name else np.ones(len(vertices))

    def score(self, vertices: Vertices) -> float | None:
        """The score on the whole graph; None for an answer that is empty or breaks a rule of the problem."""
        chosen, valid = list(vertices), self.problem.options.get("valid")
        if not chosen or len(set(chosen)) < len(chosen) or self.costs(chosen).sum() > self.cell.budget:
            return None
        if valid is not None and not valid(self.graph, chosen):
            return None
        return float(self.problem.objective(self.graph, chosen))


def _first_vertices(graph: Any, budget: int) -> Vertices:
    """A heuristic for :meth:`Question.warm_up`, just slow enough that lense looks for a part."""
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    if isinstance(graph, np.ndarray | pd.DataFrame):
        return np.unique(np.asarray(graph)[:, :2]).astype(int).tolist()[:budget]
    return list(graph)[:budget] if isinstance(graph, nx.Graph) else list(range(budget))


def _odd_vertices(graph: Any, vertices: Vertices) -> float:
    """An objective for :meth:`Question.warm_up`."""
    return float(sum(vertex % 2 for vertex in vertices))


def accepts_candidates(problem: type[BlackBox]) -> bool:
    return "candidates" in inspect.signature(problem.heuristic).parameters


def measure(problem: type[BlackBox], cell: Cell, methods: Sequence[str], store: Path, limit: float) -> None:
    """Add the records of a cell to the store, one by one; in a process of its own, which ends at the limit."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds() + limit), resource.RLIM_INFINITY))
    threadpool_limits(1, user_api="blas")  # idle threads of BLAS spin, and that would count
    question = Question(problem, cell)
    facts = what_is_measured(problem, cell) | {
        "kind": problem.kind,
        "vertices": question.instance.matrix.shape[0],
        "entries": question.instance.matrix.nnz,
        "accepts_candidates": accepts_candidates(problem),
        "seed": SEED,
        "versions": {name: version(name) for name in LIBRARIES},
        "machine": {"system": platform.system(), "machine": platform.machine(), "cores": available_cores()},
        "python": platform.python_version(),
    }
    if "lense" in methods:
        question.warm_up()
    whole: Record = {}
    for method in methods:
        gc.collect()
        begun = cpu_seconds()
        try:
            answer = question.answer(method)
        except Exception as error:  # a user's function may refuse a part, and so may lense: that is a result
            found: Record = {"score": None, "error": f"{type(error).__name__}: {error}"}
        else:
            if answer is None:
                continue
            found = {"cpu_seconds": max(cpu_seconds() - begun, 0.001), **answer.said, "chosen": len(answer.vertices)}
            found["score"] = question.score(answer.vertices)
        whole = whole or found
        record = facts | {"method": method} | compared(found, whole, problem.minimise)
        add(store, record | {"at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}"})
        print(f"  {method:15s} {line(record)}", flush=True)


def compared(found: Record, whole: Record, minimise: bool) -> Record:
    """A record with its ratio and its saving."""
    score, best, seconds = found["score"], whole["score"], found.get("cpu_seconds")
    ratio = None
    if score is not None and best is not None:
        above, below = (best, score) if minimise else (score, best)
        ratio = above / below if below else None
    saving = whole["cpu_seconds"] / seconds if seconds and "cpu_seconds" in whole else None
    return found | {"ratio": ratio, "saving": saving, "whole_cpu_seconds": whole.get("cpu_seconds")}


def line(record: Record) -> str:
    """A record in one line."""
    if "error" in record:
        return str(record["error"])
    ratio = "invalid" if record["ratio"] is None else f"{record['ratio']:.3f}"
    said = "" if record["method"] != "lense" else f"  met_target {record['met_target']}; {record['reason']}"
    return f"{record['cpu_seconds']:8.2f} s  {record['saving']:6.2f}x  {ratio}{said}"


def what_is_measured(problem: type[BlackBox], cell: Cell) -> Record:
    """What names a cell, with the code of its problem and of lense."""
    split = "develop" if problem in DEVELOP else "test"
    where = {"graph": cell.graph, "ball": cell.ball, "budget": cell.budget}
    code = {"problem": _digest(inspect.getsource(problem).encode()), "lense": code_of_lense()}
    return {"problem": problem.__name__, "split": split, **where, "code": code}


def code_of_lense() -> str:
    """A digest of the code of lense."""
    folder = Path(lense.__file__).parent
    return _digest(b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py"))))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def add(store: Path, record: Record) -> None:
    with store.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, allow_nan=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def records(store: Path, *, every: bool = False) -> list[Record]:
    """The last record of each problem, graph and method, or every record."""
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    found = [json.loads(line) for line in lines]
    return found if every else list({(one["problem"], one["graph"], one["method"]): one for one in found}.values())


def missing(problem: type[BlackBox], cell: Cell, methods: Sequence[str], store: Path) -> list[str]:
    """The methods of a cell that are not in the store for this code; ``whole`` runs with any other."""
    now = what_is_measured(problem, cell)
    same = [
        one for one in records(store) if all(one[key] == now[key] for key in ("problem", "graph", "ball", "budget"))
    ]
    done = {
        one["method"]
        for one in same
        if one["code"]["problem"] == now["code"]["problem"]
        and (one["method"] != "lense" or one["code"]["lense"] == now["code"]["lense"])
    }
    left = [
        one for one in methods if one not in done and (not one.startswith("candidates") or accepts_candidates(problem))
    ]
    return ["whole", *(one for one in left if one != "whole")] if left else []


def cells(problems: Sequence[type[BlackBox]], graphs: Sequence[str] | None) -> Iterator[tuple[type[BlackBox], Cell]]:
    for problem in problems:
        for cell in problem.cells:
            if graphs is None or cell.graph in graphs:
                yield problem, cell


def run(problem: type[BlackBox], cell: Cell, methods: Sequence[str], store: Path, limit: float) -> None:
    """Measure a cell in a process of its own; a method that passes the limit is recorded as an error."""
    before = len(records(store, every=True))
    process = multiprocessing.get_context("spawn").Process(target=measure, args=(problem, cell, methods, store, limit))
    process.start()
    process.join()
    if process.exitcode == -signal.SIGXCPU:
        done = {one["method"] for one in records(store, every=True)[before:]}
        stuck = next(one for one in methods if one not in done and (accepts_candidates(problem) or one[0] != "c"))
        error = f"The cell took more than {limit:g} s of CPU time."
        facts = {"method": stuck, "score": None, "ratio": None, "saving": None, "error": error}
        add(store, what_is_measured(problem, cell) | facts)
        print(f"  {stuck:15s} {error}", flush=True)
    elif process.exitcode:
        raise SystemExit(f"{problem.__name__} on {cell.graph} ended with status {process.exitcode}.")


def show(store: Path, to: Path | None, picture: Path | None) -> None:
    """Print the summary, or write it as a page and a picture."""
    found = rows(records(store))
    order = [one.__name__ for one in (*DEVELOP, *TEST)]
    found.sort(key=lambda row: order.index(row.whole["problem"]))
    text = page(found, "# Problems that lense does not know\n\n" + " ".join(_measured(found)) + "\n")
    if to is not None:
        to.write_text(text, encoding="utf-8")
    if picture is not None:
        draw(found, picture)
    if to is None and picture is None:
        print(text)


def _measured(found: Sequence[Row]) -> Iterator[str]:
    """Sentences on how the figures were measured."""
    yield "`python -m benchmarks.black_box` measures one run of each method, in CPU seconds; the module says how."
    yield "× is how many times less CPU time than f on the whole graph a method takes, and ratio its score over f's."
    yield "The rule is the best of seven with hindsight; the oracle has the part around f's own answer."
    versions = {json.dumps(row.lense.get("versions")): row.lense for row in found if "versions" in row.lense}
    for one in versions.values():
        machine = one["machine"]
        listed = ", ".join(f"{name} {number}" for name, number in one["versions"].items())
        yield f"{machine['system']} on {machine['machine']}, {machine['cores']} cores, seed {one['seed']};"
        yield f"Python {one['python']}, {listed}."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.black_box", description=__doc__.partition("\n")[0])
    names = [one.__name__ for one in (*DEVELOP, *TEST)]
    parser.add_argument("--problems", nargs="+", choices=names, metavar="PROBLEM", help=", ".join(names))
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, metavar="METHOD")
    parser.add_argument("--develop", action="store_true", help="only problems that lense may be tuned on")
    parser.add_argument("--test", action="store_true", help="only problems that it may not")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="CPU seconds for each cell")
    parser.add_argument("--again", action="store_true", help="measure also what is there")
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--summary", action="store_true", help="measure nothing; print the targets and the table")
    parser.add_argument("--page", type=Path, help="measure nothing; write the summary")
    parser.add_argument("--picture", type=Path, help="measure nothing; write the picture")
    chosen = parser.parse_args()
    if chosen.summary or chosen.page or chosen.picture:
        show(chosen.store, chosen.page, chosen.picture)
        return
    problems = [
        one
        for one in (*DEVELOP, *TEST)
        if (chosen.problems is None or one.__name__ in chosen.problems)
        and (chosen.develop == chosen.test or (one in DEVELOP) == chosen.develop)
    ]
    todo = list(cells(problems, chosen.graphs))
    for number, (problem, cell) in enumerate(todo, start=1):
        print(f"[{number}/{len(todo)}] {problem.__name__} on {cell.graph}, b = {cell.budget}", flush=True)
        methods = chosen.methods if chosen.again else missing(problem, cell, chosen.methods, chosen.store)
        if methods:
            run(problem, cell, ["whole", *(one for one in methods if one != "whole")], chosen.store, chosen.limit)


if __name__ == "__main__":
    main()
