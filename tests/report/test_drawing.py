"""The drawing of a pruned subgraph."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.problems.mvc import MaxVertexCover
from lense.report import drawing
from lense.report.drawing import ROLES, drawing_block
from tests import learning

PROBLEM, BUDGET = MaxVertexCover(), 4


@pytest.fixture
def graph() -> Graph:
    return replace(learning.graph(), labels=np.array([f"<v{i}>" for i in range(learning.graph().num_vertices)]))


@pytest.fixture
def part(graph: Graph) -> Subgraph:
    return subgraph(graph, np.arange(12))


def drawn(graph: Graph, part: Subgraph) -> dict[str, Any]:
    (block,) = drawing_block(PROBLEM, graph, part, BUDGET, [0, 0])["blocks"]
    found: dict[str, Any] = block
    return found


def test_every_vertex_has_its_id_its_degrees_and_its_role(graph: Graph, part: Subgraph) -> None:
    block = drawn(graph, part)
    assert block["id"] == graph.labels[part.vertices].tolist()
    assert block["degree"] == np.diff(graph.incident.indptr)[part.vertices].tolist()
    assert block["degree_here"] == np.diff(part.graph.incident.indptr).tolist()
    roles = np.array(ROLES)[block["role"]]
    assert {name.rpartition(", ")[0] == "solution" for name in roles} == {True, False}
    assert sum("solution" in name for name in roles) == BUDGET
    assert sorted(part.vertices[[name.endswith("root") and "no" not in name for name in roles]]) == list(range(12))


def test_a_small_subgraph_is_drawn_whole_and_says_so(graph: Graph, part: Subgraph) -> None:
    block = drawn(graph, part)
    assert len(block["edges"]) == part.graph.num_edges
    assert block["caption"].endswith("all are drawn.")


def test_a_large_subgraph_is_sampled_but_for_its_solution(
    graph: Graph, part: Subgraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most in (("MOST_ROOTS", 5), ("MOST_OTHERS", 7), ("MOST_EDGES", 6)):
        monkeypatch.setattr(drawing, name, most)
    block = drawn(graph, part)
    roles = np.bincount(np.array(block["role"]), minlength=4)
    assert (roles[0] + roles[1], roles[2], roles[3], len(block["edges"])) == (BUDGET, 5, 7, 6)
    assert "4 of the solution, 5 of " in block["caption"]
    assert "drawn at random" in block["caption"]


def test_edges_join_the_vertices_that_they_join_in_the_graph(graph: Graph, part: Subgraph) -> None:
    block = drawn(graph, part)
    sources, targets, _ = graph.edges()
    there = {(graph.labels[u], graph.labels[v]) for u, v in zip(sources, targets, strict=True)}
    ids = block["id"]
    assert {(ids[u], ids[v]) for u, v in block["edges"]} <= there


def test_rings_keep_roles_apart(graph: Graph, part: Subgraph) -> None:
    block = drawn(graph, part)
    radii = np.hypot(*np.array(block["points"]).T)
    ring = np.minimum(np.maximum(np.array(block["role"]), 1), 3)
    assert radii[ring == 1].max() < radii[ring == 2].min() < radii[ring == 2].max() < radii[ring == 3].min()
    assert radii.max() <= 1


def test_the_smallest_part_can_be_drawn() -> None:
    pair = Graph.from_edges([0], [1], num_vertices=4)
    (block,) = drawing_block(PROBLEM, pair, subgraph(pair, [1]), 1, [0, 0])["blocks"]
    assert (block["id"], block["edges"], sorted(block["role"])) == (["0", "1"], [[0, 1]], [1, 2])
