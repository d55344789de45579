"""The rivals in benchmarks solve the same problem as lense, so that ratios of times mean something."""

import numpy as np
import pytest

from benchmarks.cover import plain_greedy
from benchmarks.domination import RIVALS
from benchmarks.end_to_end_cases import plain_celf, plain_naive, simulated_celf
from lense.graph import power_law, to_networkx
from lense.problems import get_problem

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))
MODULES = {"NetworKit GroupDegree": "networkit", "submodlib SetCover": "submodlib", "apricot MaxCoverage": "apricot"}


@pytest.mark.parametrize("plain", [plain_greedy, plain_celf, plain_naive])
def test_plain_python_scores_as_greedy_does(plain: object) -> None:
    mvc = get_problem("mvc")
    ours = mvc.solve(GRAPH, 10, np.random.default_rng(0)).score
    assert callable(plain)
    assert mvc.objective(GRAPH, plain(to_networkx(GRAPH), 10)) == pytest.approx(ours, rel=0.01)


def test_simulated_cascades_score_as_celf_does() -> None:
    problem = get_problem("im", solver="celf", worlds=500)
    graph = problem.prepare(GRAPH)
    ours = problem.solve(graph, 10, np.random.default_rng(0), certify=False).score
    assert problem.objective(graph, simulated_celf(to_networkx(graph), 10, 50)) > 0.9 * ours


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_in_domination_score_as_greedy_does(name: str) -> None:
    pytest.importorskip(MODULES[name], reason="Install the packages of the benchmarks (pip install lense[bench]).")
    problem = get_problem("domination")
    ours = problem.solve(GRAPH, 10, np.random.default_rng(0)).score
    chosen = RIVALS[name](GRAPH, 10)()
    assert len(set(chosen)) == 10
    assert problem.objective(GRAPH, chosen) == pytest.approx(ours, rel=0.02)
