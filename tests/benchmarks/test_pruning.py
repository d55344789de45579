"""What it takes to choose the vertices to keep: what is timed does what it says."""

import numpy as np
import pytest

from benchmarks import pruning
from lense.graph import Graph, power_law
from lense.pruners.degree import TopDegree
from lense.pruners.quickprune import QuickPrune


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setattr(pruning, "BUDGET", 5)
    monkeypatch.setattr(pruning, "KEPT", 12)
    return power_law(300, 6.0, 2.3, np.random.default_rng(0))


def test_quickprune_is_timed_at_choosing_what_it_would_keep(graph: Graph) -> None:
    pruner = QuickPrune("bmc", 5)
    row = pruning._quickprune(graph, "small", pruner, 1)
    assert row.what == "quickprune bmc, small, b = 5"
    assert row.ratio is not None
    assert row.ratio > 0
    assert row.also.endswith(f"{pruner.prune(graph).vertices.size:,} kept")


def test_rankings_are_timed_at_as_many_vertices_as_said(graph: Graph) -> None:
    row = pruning._ranking(graph, "small", TopDegree("mvc", 5), 1)
    assert row.what == "top-degree, small"
    assert row.also.endswith("12 kept")


@pytest.mark.parametrize("problem", ["mvc", "im"])
def test_a_core_is_timed_with_the_part_that_it_makes(graph: Graph, problem: str) -> None:
    row = pruning._core(graph, "small", problem, 1)
    assert row.what == f"core {problem}, small, b = 5"
    assert row.ratio is not None
    assert row.ratio > 0
    assert row.also.endswith("edges kept, 1 feature")


def test_for_influence_the_pass_is_timed_alone_and_with_the_sets_it_reads(graph: Graph) -> None:
    alone, whole = pruning._influence(graph, "small", 1)
    assert alone.also == f"{QuickPrune('im', 5).prune(graph).vertices.size:,} kept"
    assert alone.rival.endswith(whole.also)
    assert whole.also.endswith("sets")
