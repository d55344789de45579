"""The drawing of a pruned subgraph."""

from dataclasses import replace

import numpy as np
import pytest

from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.report.drawing import ROLES, drawing_block, layout
from tests import learning


@pytest.fixture
def graph() -> Graph:
    return replace(learning.graph(), labels=np.array([f"<v{i}>" for i in range(learning.graph().num_vertices)]))


@pytest.fixture
def part(graph: Graph) -> Subgraph:
    return subgraph(graph, np.arange(12))


def test_every_vertex_has_its_id_its_degrees_and_its_role(graph: Graph, part: Subgraph) -> None:
    chosen = np.array([0, 3, 5, part.vertices[-1]])
    block = drawing_block(graph, part, chosen)
    assert block["id"] == graph.labels[part.vertices].tolist()
    assert block["degree"] == np.diff(graph.incident.indptr)[part.vertices].tolist()
    assert block["degree_here"] == np.diff(part.graph.incident.indptr).tolist()
    roles = np.array(ROLES)[block["role"]]
    assert sorted(part.vertices[["solution" in name for name in roles]]) == chosen.tolist()
    assert sorted(part.vertices[[name.endswith("root") and "no" not in name for name in roles]]) == list(range(12))
    sources, targets, _ = part.graph.edges()
    ends = zip(part.graph.labels[sources].tolist(), part.graph.labels[targets].tolist(), strict=True)
    assert {(block["id"][u], block["id"][v]) for u, v in block["edges"]} == set(ends)
    pair = Graph.from_edges([0], [1], num_vertices=4)
    smallest = drawing_block(pair, subgraph(pair, [1]), np.array([0]))
    assert (smallest["id"], smallest["edges"], smallest["role"]) == (["0", "1"], [[0, 1]], [1, 2])


def test_of_a_large_subgraph_the_solution_and_the_roots_come_first(graph: Graph, part: Subgraph) -> None:
    found = drawing_block(graph, part, part.roots[:4], most_vertices=15, most_edges=6)
    assert np.bincount(found["role"], minlength=4).tolist() == [4, 0, 8, 3]
    assert len(found["edges"]) == 6
    assert "drawn are 15 vertices, those of largest degree first, and 6 of the edges" in found["caption"]


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
