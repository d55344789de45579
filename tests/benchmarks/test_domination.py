"""Greedy domination beside its rivals: all of them solve the same problem."""

import numpy as np
import pytest

from benchmarks.domination import RIVALS, against
from benchmarks.table import Row, at_least
from lense.graph import power_law
from lense.problems import get_problem

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))
MODULES = {"NetworKit GroupDegree": "networkit", "submodlib SetCover": "submodlib", "apricot MaxCoverage": "apricot"}


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_chooses_as_greedy_does(name: str) -> None:
    pytest.importorskip(MODULES[name], reason="the packages of the benchmarks are not installed")
    problem = get_problem("domination")
    ours = problem.solve(GRAPH, 10, np.random.default_rng(0)).score
    chosen = RIVALS[name](GRAPH, 10)()
    assert len(set(chosen)) == 10
    assert problem.objective(GRAPH, chosen) == pytest.approx(ours, rel=0.02)


def test_a_row_has_the_ratio_of_times_and_both_scores() -> None:
    row = Row("greedy", "the first vertices", "its time / ours", at_least(1))
    found = against(row, GRAPH, lambda graph, budget: lambda: list(range(budget)), 10, turns=1)
    assert found.ratio is not None
    assert found.comparable
    assert found.also.startswith("reached ")
    better = against(row, GRAPH, lambda graph, budget: lambda: list(range(graph.num_vertices)), 10, turns=1)
    assert better.missed
