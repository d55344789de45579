"""The map xi: the subgraph of a set X is X, its neighbours, and every edge with an end in X."""

from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph
from lense.parts import kept_part, subgraph
from lense.types import Int64s
from lense.walking.batches import GraphTensors, SubgraphBatch, induce
from tests.learning import needs_gpu, never_waiting, root_sets
from tests.learning import tensors as small_world
from tests.strategies import graphs

Edges = list[tuple[Any, ...]]


def edge_list(graph: Graph, vertices: Int64s) -> Edges:
    """The edges of ``graph`` as (end, end, weight) in the numbers ``vertices``, in rising order."""
    sources, targets, weights = graph.edges()
    ends = zip(vertices[sources].tolist(), vertices[targets].tolist(), strict=True)
    return sorted(
        (*(pair if graph.directed else sorted(pair)), weight)
        for pair, weight in zip(ends, weights if weights is not None else [0.0] * graph.num_edges, strict=True)
    )


def xi(graph: Graph, roots: set[int]) -> tuple[set[int], Edges]:
    """The definition, by networkx."""
    whole = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    whole.add_nodes_from(range(graph.num_vertices))
    whole.add_weighted_edges_from(edge_list(graph, np.arange(graph.num_vertices)))
    kept = [edge for edge in whole.edges(data="weight") if roots & set(edge[:2])]
    return roots | {end for edge in kept for end in edge[:2]}, sorted(kept)


def tensors_of(graph: Graph) -> GraphTensors:
    return GraphTensors.of(graph, np.zeros((graph.num_vertices, 1), np.float32))


def row(batch: SubgraphBatch, vertex: int) -> list[int]:
    """The neighbours of a vertex of the batch, as vertices of the parent."""
    where = batch.indices[batch.indptr[vertex] : batch.indptr[vertex + 1]]
    return sorted(batch.vertices[where].tolist())


@st.composite
def graphs_with_roots(draw: st.DrawFn) -> tuple[Graph, list[int]]:
    graph = draw(graphs(loops=True, duplicates=True, labels=None))
    return graph, draw(st.lists(st.integers(0, graph.num_vertices - 1), max_size=6))


@st.composite
def graphs_with_root_sets(draw: st.DrawFn) -> tuple[Graph, Int64s]:
    graph = draw(graphs(loops=True, duplicates=True, weighted=False))
    size = draw(st.integers(1, graph.num_vertices))
    one = st.permutations(range(graph.num_vertices)).map(lambda order: order[:size])
    return graph, np.array(draw(st.lists(one, min_size=1, max_size=4)), np.int64)


@given(graphs_with_roots())
@settings(max_examples=150, deadline=None)
def test_the_subgraph_is_the_roots_their_neighbours_and_the_edges_with_an_end_among_the_roots(
    case: tuple[Graph, list[int]],
) -> None:
    """Direction, weights, parallel edges, opposite arcs and self loops are all kept as they are."""
    graph, roots = case
    part = subgraph(graph, roots)
    vertices, edges = xi(graph, set(roots))
    assert part.vertices.tolist() == sorted(vertices)
    assert part.roots.tolist() == sorted(set(roots))
    assert edge_list(part.graph, part.vertices) == edges
    assert part.graph.directed == graph.directed
    assert (part.graph.weights is None) == (graph.weights is None)
    assert part.graph.labels.tolist() == graph.labels[part.vertices].tolist()


@pytest.mark.parametrize("roots", [[3], [-1], [0, 7]])
def test_roots_that_are_not_there_are_refused(roots: list[int]) -> None:
    with pytest.raises(LenseError, match="between 0 and 2"):
        subgraph(Graph.from_edges([0, 1], [1, 2]), roots)


@given(graphs_with_roots())
@settings(max_examples=150, deadline=None)
def test_the_kept_part_is_the_kept_vertices_and_the_edges_with_both_ends_among_them(
    case: tuple[Graph, list[int]],
) -> None:
    """Direction, weights, parallel edges, opposite arcs and self loops are all kept as they are."""
    graph, kept = case
    part = kept_part(graph, kept)
    every_edge = edge_list(graph, np.arange(graph.num_vertices))
    assert part.vertices.tolist() == part.roots.tolist() == sorted(set(kept))
    assert edge_list(part.graph, part.vertices) == [edge for edge in every_edge if {*edge[:2]} <= {*kept}]
    assert part.graph.directed == graph.directed
    assert (part.graph.weights is None) == (graph.weights is None)
    assert part.graph.labels.tolist() == graph.labels[part.vertices].tolist()


def test_the_roots_of_a_kept_part_may_be_fewer() -> None:
    part = kept_part(Graph.from_edges([0, 1, 2], [1, 2, 3]), [0, 1, 3], roots=[3, 1, 3])
    assert (part.vertices.tolist(), part.roots.tolist()) == ([0, 1, 3], [1, 3])
    assert part.graph.num_edges == 1


@pytest.mark.parametrize(("vertices", "roots"), [([3], None), ([-1], None), ([0], [7])])
def test_vertices_and_roots_of_a_kept_part_that_are_not_there_are_refused(
    vertices: list[int], roots: list[int] | None
) -> None:
    with pytest.raises(LenseError, match="between 0 and 2"):
        kept_part(Graph.from_edges([0, 1], [1, 2]), vertices, roots)


@given(graphs_with_root_sets())
@settings(max_examples=150, deadline=None)
def test_a_batch_holds_the_subgraph_of_each_set_and_nothing_between_them(case: tuple[Graph, Int64s]) -> None:
    graph, sets = case
    batch = induce(tensors_of(graph), torch.from_numpy(sets))
    assert batch.num_sets == len(sets)
    assert batch.num_vertices == batch.set_of.numel() == batch.is_root.numel() == batch.indptr.numel() - 1
    assert torch.equal(batch.vertices[batch.roots], torch.from_numpy(sets))
    for number, roots in enumerate(sets):
        part, here = subgraph(graph, roots), (batch.set_of == number).nonzero().squeeze(1).tolist()
        assert batch.vertices[here].tolist() == part.vertices.tolist()
        assert batch.vertices[here][batch.is_root[here]].tolist() == part.roots.tolist()
        rows = part.graph.incident
        for vertex, (first, last) in zip(here, pairwise(rows.indptr), strict=True):
            assert row(batch, vertex) == part.vertices[rows.indices[first:last]].tolist()
            within = batch.indices[batch.indptr[vertex] : batch.indptr[vertex + 1]]
            assert (batch.set_of[within] == number).all()


@given(graphs_with_root_sets())
@settings(max_examples=50, deadline=None)
def test_the_matrix_of_a_batch_is_symmetric(case: tuple[Graph, Int64s]) -> None:
    graph, sets = case
    batch = induce(tensors_of(graph), torch.from_numpy(sets))
    dense = torch.zeros(batch.num_vertices, batch.num_vertices)
    rows = torch.repeat_interleave(batch.indptr.diff())
    dense.index_put_((rows, batch.indices), torch.ones(rows.numel()), accumulate=True)
    assert torch.equal(dense, dense.T)


@given(graphs_with_root_sets(), st.integers(0, 150), st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_batch_with_room_is_the_same_batch_and_padding_after_it(
    case: tuple[Graph, Int64s], spare: int, knows_vertices: bool
) -> None:
    """Padding is of no set and no root, and its edges lead to padding, so many from each vertex that no row is long."""
    graph, sets = case
    world, roots = tensors_of(graph), torch.from_numpy(sets)
    exact = induce(world, roots)
    vertices = exact.num_vertices if knows_vertices else None
    padded = induce(world, roots, int(world.entries_of(roots).sum()) + spare, vertices)
    n, entries = exact.num_vertices, exact.indices.numel()
    assert not exact.padded
    assert padded.padded
    assert torch.equal(padded.roots, exact.roots)
    for name in ("vertices", "set_of", "is_root"):
        assert torch.equal(getattr(padded, name)[:n], getattr(exact, name))
    assert torch.equal(padded.indptr[: n + 1], exact.indptr)
    assert torch.equal(padded.indices[:entries], exact.indices)
    assert torch.equal(padded.root_rows[0], exact.root_rows[0])
    assert torch.equal(padded.root_rows[1][: exact.root_rows[1].numel()], exact.root_rows[1])

    assert padded.num_vertices == padded.set_of.numel() == padded.indptr.numel() - 1 > n
    assert (padded.set_of[n:] == len(sets)).all()
    assert not padded.is_root[n:].any()
    assert ((padded.vertices >= 0) & (padded.vertices < graph.num_vertices)).all()
    assert ((padded.indices[entries:] >= n) & (padded.indices[entries:] < padded.num_vertices)).all()
    assert (padded.root_rows[1][exact.root_rows[1].numel() :] >= n).all()
    assert padded.indptr[-1] == padded.indices.numel()
    lengths = padded.indptr[n:].diff()
    assert ((lengths >= 0) & (lengths <= 64)).all()


def test_shapes_depend_on_the_room_and_not_on_the_roots() -> None:
    world = small_world()
    hubs = world.indptr.diff().argsort(descending=True)[:16]
    room = 3 * int(world.entries_of(hubs))
    few, many = (induce(world, roots.expand(3, -1), room) for roots in (torch.arange(184, 200), hubs))
    for name in ("vertices", "set_of", "is_root", "indptr", "indices"):
        assert getattr(few, name).shape == getattr(many, name).shape
    assert few.root_rows[1].shape == many.root_rows[1].shape


def test_the_entries_of_a_set_are_those_of_the_rows_of_its_vertices() -> None:
    star = tensors_of(Graph.from_edges([0, 0, 0], [1, 2, 3], num_vertices=5))
    assert star.entries_of(torch.tensor([[0, 1], [1, 2], [3, 4]])).tolist() == [4, 2, 1]


def test_the_tensors_of_a_graph_are_a_copy_that_may_be_written_to() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    tensors = tensors_of(graph)
    tensors.indices[0] = 2
    assert graph.indices[0] == 1


@needs_gpu
def test_the_batch_is_the_same_on_a_gpu() -> None:
    sets = torch.from_numpy(root_sets(5))
    here, there = induce(small_world(), sets), induce(small_world("cuda"), sets.cuda())
    for name in ("vertices", "set_of", "roots", "is_root", "indptr"):
        assert torch.equal(getattr(here, name), getattr(there, name).cpu())
    rows = [row(here, vertex) for vertex in range(here.num_vertices)]
    assert rows == [row(there, vertex) for vertex in range(there.num_vertices)]


@needs_gpu
def test_a_batch_with_room_is_the_same_on_a_gpu_which_is_not_waited_for() -> None:
    sets, far = torch.from_numpy(root_sets(5)), small_world("cuda")
    room, far_sets = int(small_world().entries_of(sets).sum()) + 100, sets.cuda()
    here = induce(small_world(), sets, room)
    with never_waiting():
        there = induce(far, far_sets, room)
    for name in ("vertices", "set_of", "roots", "is_root", "indptr"):
        assert torch.equal(getattr(here, name), getattr(there, name).cpu())
    rows = [row(here, vertex) for vertex in range(here.num_vertices)]
    assert rows == [row(there, vertex) for vertex in range(there.num_vertices)]
