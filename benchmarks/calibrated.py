"""Is calibrated calibrated? ``python -m benchmarks.calibrated``: how often a core meets its target on generated graphs.

Six kinds of graphs that no shipped core has seen, each from several seeds. A core says how sure it is of its target;
over many graphs it should meet the target at least as often as it says.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lense.graph import Graph, barabasi_albert, planted_communities, power_law, rmat, split
from lense.parts.solving import search_part
from lense.problems import get_problem
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core

Rng = np.random.Generator
KINDS: dict[str, Callable[[int, Rng], Graph]] = {
    "power law, steep": lambda n, rng: power_law(n, 6, 2.8, rng),
    "power law, flat": lambda n, rng: power_law(n, 10, 2.1, rng),
    "preferential attachment": lambda n, rng: barabasi_albert(n, 4, rng),
    "communities": lambda n, rng: planted_communities(n, 20, 8.0, 2.0, rng),
    "R-MAT": lambda n, rng: rmat(max(4, int(np.log2(n))), 6 * n, rng),
    "half of a power law": lambda n, rng: split(power_law(n, 12, 2.3, rng), 0.5, 0)[0],
}


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


def trials(problem: str, n: int, seeds: int, budget: int, target: float = 0.99) -> Iterator[Trial]:
    task = get_problem(problem)
    for kind, make in KINDS.items():
        for seed in range(seeds):
            core: Core | None = shipped_core(task)
            assert core is not None
            core.set_params(budget=budget, target=target)
            graph = task.prepare(make(n, np.random.default_rng(seed)).without_isolated())
            whole = task.score(graph, task.search(graph, budget, np.random.default_rng(seed)))
            part = core.prune(graph, prepared=True)
            found = search_part(task, graph, part, budget, np.random.default_rng(seed))
            ratio = task.score(graph, found).score / whole.score
            yield Trial(kind, ratio, core.expected(graph, prepared=True).confidence, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default="mvc,bmc,im,domination", help="separated by commas")
    parser.add_argument("--vertices", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=50)
    given = parser.parse_args()
    for problem in given.problems.split(","):
        found = list(trials(problem, given.vertices, given.seeds, given.budget))
        for kind in KINDS:
            own = [one for one in found if one.kind == kind]
            met, least = np.mean([one.met for one in own]), min(one.ratio for one in own)
            print(f"{problem:11} {kind:24} met {met:4.0%} of {len(own)}, least ratio {least:.4f}", flush=True)
        promised, met = np.mean([one.sure for one in found]), np.mean([one.met for one in found])
        print(f"{problem:11} promised {promised:.1%}, met {met:.1%} of {len(found)}", flush=True)


if __name__ == "__main__":
    main()
