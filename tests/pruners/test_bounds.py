"""The lossless pruner: its part holds every optimum, and what is forced is chosen there."""

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import power_law
from lense.problems import get_problem
from lense.problems.parts import search_part
from lense.pruners.bounds import Bounds
from tests.brute_force import covered, cut, optimum
from tests.problems.samples import NAMES, collaboration

HUBS = power_law(2000, 8, 2.1, np.random.default_rng(4))


@NAMES
def test_a_set_of_roots_is_worth_in_the_part_what_it_is_worth_in_the_graph(name: str) -> None:
    part = Bounds(name, 8).prune(HUBS)
    measure = covered if name == "mvc" else cut
    roots = part.roots[:5]
    assert measure(part.graph, np.searchsorted(part.vertices, roots).tolist()) == measure(HUBS, roots.tolist())
    assert set(part.forced.tolist()) <= set(part.roots.tolist())
    assert part.graph.num_edges < HUBS.num_edges
    assert "forced" in repr(part)


@NAMES
@pytest.mark.parametrize("mode", ["subgraph", "ground-set"])
def test_every_solver_chooses_what_is_forced(name: str, mode: str) -> None:
    part = Bounds(name, 8, effort=0).prune(HUBS)
    assert part.forced.size
    for solver in get_problem(name).heuristics:
        problem = get_problem(name, solver=solver)
        found = search_part(problem, HUBS, part, 8, np.random.default_rng(0), mode=mode)
        assert set(part.forced.tolist()) <= set(found.indices.tolist()) <= set(part.roots.tolist())
        assert found.indices.size == 8


@NAMES
def test_the_exact_solver_finds_the_optimum_of_the_graph_in_the_part(name: str) -> None:
    graph = collaboration(12, 3)
    found = Bounds(get_problem(name, solver="mip", **({"gap": 0.0})), 3).solve(graph)
    measure, unit = (covered, graph.num_edges) if name == "mvc" else (cut, 1)
    assert found.score == optimum(graph, 3, measure) / unit
    assert found.optimal


def test_problems_without_intervals_are_refused_at_once() -> None:
    with pytest.raises(LenseError, match="which im does not say"):
        Bounds("im", 3)
    with pytest.raises(LenseError, match="which im does not say"):
        Bounds("mvc", 3).set_params(problem="im").prune(HUBS)
