"""Subgraphs as tensors: those of many root sets at once, as one disconnected graph."""

from itertools import pairwise

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation.batches import GraphTensors, SubgraphBatch, induce, joined
from tests.learning import needs_gpu, root_sets
from tests.learning import tensors as small_world
from tests.strategies import graphs

ARRAYS = ("vertices", "begins", "indptr", "indices")


def tensors_of(graph: Graph) -> GraphTensors:
    return GraphTensors.of(graph, np.zeros((graph.num_vertices, 1), np.float32))


def row(batch: SubgraphBatch, vertex: int) -> list[int]:
    """The neighbours of a vertex of the batch, as vertices of the parent."""
    where = batch.indices[batch.indptr[vertex] : batch.indptr[vertex + 1]]
    return sorted(batch.vertices[where].tolist())


@st.composite
def graphs_with_root_sets(draw: st.DrawFn) -> tuple[Graph, Int64s]:
    graph = draw(graphs(loops=True, duplicates=True, weighted=False))
    size = draw(st.integers(1, graph.num_vertices))
    one = st.permutations(range(graph.num_vertices)).map(lambda order: order[:size])
    return graph, np.array(draw(st.lists(one, min_size=1, max_size=4)), np.int64)


@given(graphs_with_root_sets())
@settings(max_examples=100, deadline=None)
def test_a_batch_holds_the_subgraph_of_each_set_and_nothing_between_them(case: tuple[Graph, Int64s]) -> None:
    graph, sets = case
    batch = induce(tensors_of(graph), torch.from_numpy(sets))
    assert batch.num_sets == len(sets)
    assert batch.num_vertices == batch.begins[-1] == batch.indptr.numel() - 1
    for (begin, end), roots in zip(pairwise(batch.begins.tolist()), sets, strict=True):
        part = subgraph(graph, roots)
        assert batch.vertices[begin:end].tolist() == part.vertices.tolist()
        rows = part.graph.incident
        for vertex, (first, last) in zip(range(begin, end), pairwise(rows.indptr), strict=True):
            assert row(batch, vertex) == part.vertices[rows.indices[first:last]].tolist()
            within = batch.indices[batch.indptr[vertex] : batch.indptr[vertex + 1]]
            assert ((within >= begin) & (within < end)).all()


@given(graphs_with_root_sets())
@settings(max_examples=50, deadline=None)
def test_the_matrix_of_a_batch_is_symmetric(case: tuple[Graph, Int64s]) -> None:
    graph, sets = case
    batch = induce(tensors_of(graph), torch.from_numpy(sets))
    dense = torch.zeros(batch.num_vertices, batch.num_vertices)
    rows = torch.repeat_interleave(batch.indptr.diff())
    dense.index_put_((rows, batch.indices), torch.ones(rows.numel()), accumulate=True)
    assert torch.equal(dense, dense.T)


@given(graphs_with_root_sets(), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_batches_that_are_joined_are_the_batch_of_all_their_sets(case: tuple[Graph, Int64s], size: int) -> None:
    graph, sets = case
    world, roots = tensors_of(graph), torch.from_numpy(sets)
    whole, parts = induce(world, roots), joined([induce(world, piece) for piece in torch.split(roots, size)])
    for name in ARRAYS:
        assert torch.equal(getattr(parts, name), getattr(whole, name))


def test_batches_are_joined_in_the_order_given() -> None:
    sets = torch.from_numpy(root_sets(3))
    one = [induce(small_world(), roots.unsqueeze(0)) for roots in sets]
    turned = joined([one[2], one[0]])
    assert torch.equal(turned.vertices, induce(small_world(), sets[[2, 0]]).vertices)


def test_the_entries_of_a_set_are_those_of_the_rows_of_its_vertices() -> None:
    star = tensors_of(Graph.from_edges([0, 0, 0], [1, 2, 3], num_vertices=5))
    assert star.entries_of(torch.tensor([[0, 1], [1, 2], [3, 4]])).tolist() == [4, 2, 1]


def test_the_tensors_of_a_graph_are_a_copy_that_may_be_written_to() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    tensors = tensors_of(graph)
    tensors.indices[0] = 2
    assert graph.indices[0] == 1


def test_many_sets_of_a_large_graph_are_numbered_as_few_are() -> None:
    """Numbers that do not fit in 32 bits take 64."""
    far = Graph.from_edges([0, 2_000_000], [1, 1_999_999], num_vertices=2_000_001)
    sets = torch.tensor([[0, 2_000_000]]).repeat(1100, 1)
    batch = induce(tensors_of(far), sets)
    assert batch.num_vertices == 4 * 1100
    assert batch.vertices[-4:].tolist() == [0, 1, 1_999_999, 2_000_000]


@needs_gpu
def test_the_batch_is_the_same_on_a_gpu() -> None:
    sets = torch.from_numpy(root_sets(5))
    here, there = induce(small_world(), sets), induce(small_world("cuda"), sets.cuda())
    for name in ("vertices", "begins", "indptr"):
        assert torch.equal(getattr(here, name), getattr(there, name).cpu())
    rows = [row(here, vertex) for vertex in range(here.num_vertices)]
    assert rows == [row(there, vertex) for vertex in range(there.num_vertices)]
