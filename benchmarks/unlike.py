"""Graphs unlike those that a core learnt from: ``python -m benchmarks.unlike`` prints a table for each problem.

For each kind of graph: how often the core says that it is unlike, and the ratio of the part that it keeps, to the
heuristic on the whole graph, without that rule and with it. With it, the part has the most roots that were tried; for
im, where more roots need not be better, the whole graph is solved instead (unless that takes ten times as long).
"""

import argparse
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.kinds import HEAVY_WEIGHTS, OTHERS, WITH_HUBS, Make
from lense.experiments.tables import markdown
from lense.graph import Graph
from lense.problems import Problem, get_problem
from lense.problems.parts import search_part
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core


@dataclass(frozen=True)
class Case:
    """A problem with its solver and options, and how large the graphs and the budget are."""

    problem: str
    options: tuple[tuple[str, object], ...]
    vertices: int
    budget: int

    @property
    def title(self) -> str:
        return ", ".join([self.problem, *(f"{name} {value}" for name, value in self.options)])

    def kinds(self) -> dict[str, Make]:
        return {**WITH_HUBS, **OTHERS, **({} if self.problem in ("im", "domination") else HEAVY_WEIGHTS)}


CASES = {
    "mvc": Case("mvc", (), 3000, 30),
    "bmc": Case("bmc", (), 3000, 30),
    "domination": Case("domination", (), 3000, 30),
    "im": Case("im", (("model", "trivalency"),), 3000, 30),
    "im-constant": Case("im", (("model", "constant"), ("probability", 0.2)), 3000, 30),
    "im-cascade": Case("im", (("model", "weighted-cascade"),), 3000, 30),
    "mvc-mip": Case("mvc", (("solver", "mip"), ("time_limit", 10.0)), 300, 30),
    "bmc-mip": Case("bmc", (("solver", "mip"), ("gap", 0.01), ("time_limit", 10.0)), 300, 30),
    "domination-mip": Case("domination", (("solver", "mip"), ("time_limit", 10.0)), 300, 30),
}


@dataclass(frozen=True)
class Found:
    """One graph: why it is unlike, if so, and the ratios without and with the rule."""

    unlike: str
    without: float
    ratio: float


def tried(case: Case, make: Make, seeds: range) -> Iterator[Found]:
    for seed in seeds:
        task = get_problem(case.problem, **dict(case.options))
        graph = task.prepare(make(case.vertices, np.random.default_rng(seed)).without_isolated())
        core = shipped_core(task)
        assert core is not None
        core.set_params(budget=case.budget)
        blind = copy(core)
        blind.calibration_ = replace(core.calibration_, described=core.calibration_.described[:0])
        unlike = core.expected(graph, prepared=True).unlike
        score = task.score(graph, task.search(graph, case.budget, np.random.default_rng(seed))).score
        without = ratio = _kept(task, graph, blind, seed) / score
        if unlike:
            ratio = 1.0 if task.reaches_far else _kept(task, graph, core, seed) / score
        yield Found(unlike, without, ratio)


def _kept(task: Problem, graph: Graph, core: Core, seed: int) -> float:
    part = core.prune(graph, prepared=True)
    found = search_part(task, graph, part, core.budget, np.random.default_rng(seed))
    return task.score(graph, found).score


def table(case: Case, seeds: range) -> str:
    lines = []
    for kind, make in case.kinds().items():
        found = list(tried(case, make, seeds))
        fired = sum(bool(one.unlike) for one in found)
        without, ratio = ([getattr(one, name) for one in found] for name in ("without", "ratio"))
        lines.append(
            (
                kind,
                f"{fired} of {len(found)}",
                f"{np.mean(without):.3f}",
                f"{min(without):.3f}",
                f"{np.mean(ratio):.3f}",
                f"{min(ratio):.3f}",
            )
        )
        print(*lines[-1], sep=" | ", flush=True)
    return markdown(("kind", "unlike", "without: mean", "least", "with: mean", "least"), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default=",".join(CASES), help="separated by commas")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    for name in given.cases.split(","):
        case = CASES[name]
        made = table(case, range(given.seeds))
        print(f"\n{case.title}, {case.vertices:,} vertices, budget {case.budget}\n\n{made}", flush=True)


if __name__ == "__main__":
    main()
