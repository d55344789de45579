"""Is calibrated calibrated? ``python -m benchmarks.calibrated``: how often a core meets its target on generated graphs.

Six kinds of graphs that no shipped core has seen, each from several seeds, with several budgets and targets. A core
says how sure it is of its target; over many graphs it should meet the target at least as often as it says.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.kinds import COMMUNITIES, WITH_HUBS
from lense.experiments.tables import markdown
from lense.problems import Problem, get_problem
from lense.problems.parts import search_part
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core

KINDS = {**WITH_HUBS, **COMMUNITIES}
TARGETS = (0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class Trial:
    """One graph: what the core kept of the heuristic's score, and how sure it was to keep the target."""

    kind: str
    ratio: float
    sure: float
    target: float

    @property
    def met(self) -> bool:
        return self.ratio >= self.target


def the_shipped(problem: Problem) -> Core:
    core = shipped_core(problem)
    assert core is not None
    return core


def trials(
    problem: Problem,
    n: int,
    seeds: Iterable[int],
    budget: int,
    targets: Sequence[float] = TARGETS,
    core_for: Callable[[Problem], Core] = the_shipped,
) -> Iterator[Trial]:
    """Each kind of graph of ``n`` vertices from each seed, pruned for each target by the core of the problem."""
    core = core_for(problem).set_params(budget=budget)
    for kind, make in KINDS.items():
        for seed in seeds:
            graph = problem.prepare(make(n, np.random.default_rng([seed, 0x43])).without_isolated())
            whole = problem.score(graph, problem.search(graph, budget, np.random.default_rng(seed)))
            for target in targets:
                core.set_params(target=target)
                part = core.prune(graph, prepared=True)
                found = search_part(problem, graph, part, budget, np.random.default_rng(seed))
                ratio = problem.score(graph, found).score / whole.score
                yield Trial(kind, ratio, core.expected(graph, prepared=True).confidence, target)


def chance_of_so_few(found: Sequence[Trial]) -> float:
    """How likely no more targets than these are met, if each is met with the chance that the core gave."""
    counts = np.ones(1)
    for one in found:
        counts = np.convolve(counts, [1 - one.sure, one.sure])
    return float(counts[: sum(one.met for one in found) + 1].sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default="mvc,bmc,im,domination", help="separated by commas")
    parser.add_argument("--solver", default="", help="the problem's first unless given")
    parser.add_argument("--vertices", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budgets", default="10,50,200", help="separated by commas")
    given = parser.parse_args()
    lines = []
    for name in given.problems.split(","):
        problem = get_problem(name, solver=given.solver)
        found = [
            trial
            for budget in given.budgets.split(",")
            for trial in trials(problem, given.vertices, range(given.seeds), int(budget))
        ]
        for kind in KINDS:
            own = [one for one in found if one.kind == kind]
            said, met = sum(one.sure for one in own), sum(one.met for one in own)
            least = min(one.ratio for one in own)
            lines.append((name, kind, f"{len(own)}", f"{said:.0f}", f"{met}", f"{least:.4f}"))
            print(*lines[-1], sep=" | ", flush=True)
        print(f"{name}: the chance of so few is {chance_of_so_few(found):.3g}", flush=True)
    print(markdown(("problem", "kind", "targets", "said", "met", "least ratio"), lines))


if __name__ == "__main__":
    main()
