"""Make the cores that ship: ``python -m benchmarks.shipped_cores --out FOLDER`` writes one for each problem.

Each learns from both halves of the train sides (seed 0) of the paper's graphs that are in ``LENSE_DATA``, and from
budgets of 10 to 1,000. With ``--describe`` the cores in FOLDER are kept as they are, and only what those graphs look
like is computed again, which takes seconds.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from lense.experiments.study import Source
from lense.graph import DATASETS, Graph, split
from lense.pruners import load
from lense.pruners.calibration import describe, num_affordable
from lense.pruners.core import Core, can_be_tried

BUDGETS = (10, 30, 100, 300, 1000)
PROBLEMS = ("mvc", "bmc", "im", "domination")


def halves(problem: str) -> list[Graph]:
    """Both halves of each train graph that is here."""
    sources = [source for name in DATASETS if (source := Source(name, problem)).is_available]
    return [half for source in sources for half in split(source.case(0).train, 0.5, 0)]


def described(core: Core, graphs: Sequence[Graph]) -> Core:
    """``core`` with what the graphs that it was calibrated on look like."""
    problem = core.problem_
    tried = [(graph, budget) for graph, budget in product(graphs, BUDGETS) if can_be_tried(graph, budget)]
    counts = [num_affordable(problem, graph, budget) for graph, budget in tried]
    if not np.array_equal(counts, core.calibration_.budgets):
        raise SystemExit(f"The core of {problem.name} was calibrated on other graphs: make it again.")
    looks = [describe(problem, graph, count) for (graph, _), count in zip(tried, counts, strict=True)]
    core.calibration_ = replace(core.calibration_, described=np.array(looks))
    return core


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default=",".join(PROBLEMS), help="separated by commas")
    parser.add_argument("--out", type=Path, required=True, help="the folder that the models are written to")
    parser.add_argument("--describe", action="store_true", help="change no more than the descriptions")
    given = parser.parse_args()
    for problem in given.problems.split(","):
        folder, graphs = given.out / f"core-{problem}", halves(problem)
        core = described(load(folder), graphs) if given.describe else Core(problem).fit_many(graphs, BUDGETS)
        core.save(folder)
        print(problem, len(core.calibration_.ratios), core.report_, flush=True)


if __name__ == "__main__":
    main()
