"""The drawing of a core: all of it, or what matters most."""

import numpy as np
import pytest

from lense.app import picture as module
from lense.app.picture import picture
from lense.graph import power_law
from lense.graph.subgraph import subgraph
from lense.report.drawing import layout

GRAPH = power_law(3000, 8, 2.3, np.random.default_rng(0))
PART, CHOSEN = subgraph(GRAPH, np.arange(60)), np.arange(40)


def test_a_core_is_drawn_whole_if_it_is_not_too_large() -> None:
    drawn = picture(GRAPH, PART, CHOSEN)
    assert len(drawn["id"]) == PART.graph.num_vertices
    assert len(drawn["edges"]) == 2 * PART.graph.num_edges
    assert drawn["caption"].endswith("all drawn.")
    assert np.bincount(drawn["role"], minlength=4)[:3].tolist() == [40, 0, 20]


def test_of_a_larger_one_the_answer_and_the_roots_come_first_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_VERTICES", 100)
    monkeypatch.setattr(module, "MOST_EDGES", 50)
    drawn = picture(GRAPH, PART, CHOSEN)
    assert np.bincount(drawn["role"], minlength=4).tolist() == [40, 0, 20, 40]
    assert len(drawn["edges"]) <= 100
    assert "drawn are 100 vertices" in drawn["caption"]


def test_many_vertices_have_places_of_their_own_in_the_ring_of_their_role() -> None:
    rng = np.random.default_rng(0)
    roles = np.repeat([0, 2, 3], [100, 50, 4000])
    edges = np.stack([rng.integers(0, 150, 9000), rng.integers(150, 4150, 9000)], axis=1)
    points = layout(roles, np.bincount(edges.ravel(), minlength=4150), edges)
    radii = np.linalg.norm(points, axis=1)
    assert len(np.unique(points.round(6), axis=0)) == 4150
    assert radii[roles == 0].max() < radii[roles == 2].min()
    assert radii[roles == 2].max() < radii[roles == 3].min()
    assert radii.max() <= 1
