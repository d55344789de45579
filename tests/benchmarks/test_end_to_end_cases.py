"""Heuristics that are compared end to end: plain Python finds what ours do."""

import numpy as np
import pytest

from benchmarks.cover import plain_greedy
from benchmarks.end_to_end_cases import plain_celf, plain_naive, simulated_celf
from lense.graph import power_law, to_networkx
from lense.problems import get_problem
from tests.skips import NO_NETWORKX

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))


def test_plain_python_finds_what_greedy_finds() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    mvc, theirs = get_problem("mvc"), to_networkx(GRAPH)
    ours = mvc.solve(GRAPH, 10, np.random.default_rng(0)).score
    for plain in (plain_greedy, plain_celf, plain_naive):
        assert mvc.objective(GRAPH, plain(theirs, 10)) == pytest.approx(ours, rel=0.01)


def test_simulated_cascades_find_what_celf_finds() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    problem = get_problem("im", solver="celf", worlds=500)
    graph = problem.prepare(GRAPH)
    ours = problem.solve(graph, 10, np.random.default_rng(0), certify=False).score
    theirs = problem.objective(graph, simulated_celf(to_networkx(graph), 10, 50))
    assert theirs > 0.9 * ours
