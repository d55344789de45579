"""Make the cores that ship: ``python -m benchmarks.shipped_cores --out FOLDER`` writes one for each problem.

Each learns from both halves of the train sides (seed 0) of the paper's graphs that are in ``LENSE_DATA``, and from
budgets of 10 to 1,000.
"""

import argparse
from pathlib import Path

from lense.experiments.study import Source
from lense.graph import DATASETS, Graph, split
from lense.pruners.core import Core

BUDGETS = (10, 30, 100, 300, 1000)
PROBLEMS = ("mvc", "bmc", "im", "domination")


def halves(problem: str) -> list[Graph]:
    """Both halves of each train graph that is here."""
    sources = [source for name in DATASETS if (source := Source(name, problem)).is_at_hand]
    return [half for source in sources for half in split(source.case(0).train, 0.5, 0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default=",".join(PROBLEMS), help="separated by commas")
    parser.add_argument("--out", type=Path, required=True, help="the folder that the models are written to")
    given = parser.parse_args()
    for problem in given.problems.split(","):
        core = Core(problem).fit_many(halves(problem), BUDGETS)
        core.save(given.out / f"core-{problem}")
        print(problem, len(core.calibration_.ratios), core.report_, flush=True)


if __name__ == "__main__":
    main()
