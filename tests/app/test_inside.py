"""The walk of a LeNSE as the page draws it."""

import numpy as np
import pytest

from lense.app import inside
from lense.app.inside import walk_section
from lense.graph import power_law
from lense.navigation import LeNSE


def test_the_walk_ends_with_the_part_that_the_pruner_keeps(trained: LeNSE) -> None:
    graph = trained.problem_.prepare(power_law(300, 6, 2.3, np.random.default_rng(1)))
    part = trained.prune(graph, seed=3, prepared=True)
    section = walk_section(trained, graph, trained.budget, 3, whole_seconds=0.0)
    places = section["blocks"][0]["walks"]["places"]
    assert (places[-1]["vertices"], places[-1]["edges"]) == (part.graph.num_vertices, part.graph.num_edges)
    assert places[0]["step"] == 0
    assert places[-1]["ratio"] is not None
    slow = walk_section(trained, graph, trained.budget, 3, whole_seconds=1e6)
    assert all(place["ratio"] is None for place in slow["blocks"][0]["walks"]["places"])


def test_without_torch_the_page_says_what_the_map_needs(trained: LeNSE, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside, "has_learn", lambda: False)
    section = walk_section(trained, power_law(300, 6, 2.3, np.random.default_rng(1)), trained.budget, 3, 0.0)
    assert "pip install 'lense[learn]'" in section["lead"]
    assert section["blocks"] == []
