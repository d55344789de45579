"""The encoder: GraphSAGE, top-k pooling and summed readouts, as PyTorch Geometric's stock modules compute them."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.func import functional_call
from torch_geometric.nn import SAGEConv, TopKPooling, global_max_pool, global_mean_pool

from lense._util.types import Int64s
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation.batches import GraphTensors, begins_of, induce
from lense.navigation.encoder import Encoder, _Sets
from lense.problems.mvc import MaxVertexCover
from lense.pruners.sage import neighbour_mean
from tests.learning import graph, needs_gpu, root_sets, tensors


def encoder(seed: int = 0) -> Encoder:
    torch.manual_seed(seed)
    return Encoder(2, 8, 5).requires_grad_(False)


def world(graph: Graph) -> GraphTensors:
    return GraphTensors.of(graph, MaxVertexCover().features(graph))


def psi(model: Encoder, graph: GraphTensors, sets: Int64s) -> Tensor:
    batch = induce(graph, torch.from_numpy(sets).to(graph.device))
    embeddings: Tensor = model(batch, *model.vertex_features(graph, batch))
    return embeddings


def arcs(graph: Graph) -> Tensor:
    """Every edge in both directions, a self loop once, as PyTorch Geometric lists them (2, A)."""
    rows = graph.incident
    heads = np.repeat(np.arange(graph.num_vertices), np.diff(rows.indptr))
    return torch.from_numpy(np.stack([rows.indices.astype(np.int64), heads]))


def stock_psi(model: Encoder, graph: Graph, roots: Int64s) -> Tensor:
    """The definition for one subgraph, by stock modules with the weights of ``model``."""
    part = subgraph(graph, roots)
    x, edges = torch.from_numpy(MaxVertexCover().features(graph)[part.vertices]), arcs(part.graph)
    one_graph = torch.zeros(len(x), dtype=torch.int64)
    readout = torch.zeros(())
    for convolution, pool in zip(model.convolutions, model.pools, strict=True):
        sage, top = SAGEConv(x.shape[1], 8), TopKPooling(8, ratio=0.8)
        x = functional_call(sage, dict(convolution.named_parameters()), (x, edges)).relu()
        x, edges, _, one_graph, *_ = functional_call(
            top, dict(pool.named_parameters()), (x, edges), {"batch": one_graph}
        )
        readout = readout + torch.cat([global_mean_pool(x, one_graph), global_max_pool(x, one_graph)], dim=1)
    embedding: Tensor = model.output(readout)[0]
    return torch.nn.functional.normalize(embedding, dim=-1)


def parallel(graph: Graph, *, directed: bool) -> Graph:
    """The graph with every third edge once more, opposite arcs among them, and some self loops."""
    sources, targets, _ = graph.edges()
    loops = np.arange(0, graph.num_vertices, 5)
    return Graph.from_edges(
        np.concatenate([sources, targets[::3], loops]),
        np.concatenate([targets, sources[::3], loops]),
        directed=directed,
        num_vertices=graph.num_vertices,
        keep_duplicates=True,
        keep_self_loops=True,
    )


GRAPHS: dict[str, Callable[[], Graph]] = {
    "simple": graph,
    "undirected with parallel edges and loops": lambda: parallel(graph(), directed=False),
    "directed with opposite arcs and loops": lambda: parallel(graph(), directed=True),
}


@pytest.mark.parametrize("kind", GRAPHS)
def test_the_embedding_is_that_of_the_stock_modules(kind: str) -> None:
    whole, model = GRAPHS[kind](), encoder()
    ours = psi(model, world(whole), root_sets(6))
    stock = torch.stack([stock_psi(model, whole, roots) for roots in root_sets(6)])
    torch.testing.assert_close(ours, stock, rtol=1e-4, atol=1e-5)


def test_the_gradients_are_those_of_the_stock_modules() -> None:
    model, stock = encoder().requires_grad_(), encoder().requires_grad_()
    towards = torch.linspace(-1, 1, 5)
    (psi(model, world(graph()), root_sets(3)) @ towards).sum().backward()  # type: ignore[no-untyped-call]
    torch.stack([stock_psi(stock, graph(), roots) @ towards for roots in root_sets(3)]).sum().backward()  # type: ignore[no-untyped-call]
    for ours, theirs in zip(model.parameters(), stock.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-3, atol=1e-5)


def test_each_layer_keeps_four_fifths_of_each_subgraph_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """n_l = ceil(0.8 n_(l - 1)) for l = 1, 2, 3, whatever the sizes of the others in the batch."""
    sizes: list[list[int]] = []

    def noting(sets: _Sets, score: Tensor, ratio: float) -> tuple[Tensor, _Sets]:
        kept, made = best_of_each(sets, score, ratio)
        sizes.append(made.sizes.tolist())
        assert torch.bincount(sets.set_of(score.numel())[kept]).tolist() == sizes[-1]
        return kept, made

    best_of_each = _Sets.best
    monkeypatch.setattr(_Sets, "best", noting)
    psi(encoder(), tensors(), root_sets(7))
    expected = [subgraph(graph(), roots).vertices.size for roots in root_sets(7)]
    assert len(set(expected)) > 1
    for layer in sizes:
        expected = [-(-4 * n // 5) for n in expected]
        assert layer == expected
    assert len(sizes) == 3


@given(st.lists(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1e-6, 0.5, 1.0]), max_size=9), min_size=1, max_size=4))
@settings(max_examples=80, deadline=None)
def test_the_vertices_kept_are_those_of_largest_score_and_the_first_of_equal_ones(scores: list[list[float]]) -> None:
    flat = torch.tensor([score for one in scores for score in one])
    begins = begins_of(torch.tensor([len(one) for one in scores]))
    expected: list[int] = []
    for one, before in zip(scores, begins.tolist(), strict=False):
        ranked = sorted(range(len(one)), key=lambda v: (-one[v], v))
        expected += sorted(before + v for v in ranked[: -(-4 * len(one) // 5)])
    kept, made = _Sets(begins).best(flat, 0.8)
    assert kept.tolist() == expected
    assert made.sizes.tolist() == [-(-4 * len(one) // 5) for one in scores]


@pytest.mark.parametrize("sizes", [[1], [3, 700, 2], [512, 513, 1]])
def test_readouts_are_the_mean_and_the_largest_of_each_set_however_large(sizes: list[int]) -> None:
    x = torch.randn(sum(sizes), 3, generator=torch.Generator().manual_seed(0))
    readout = _Sets(begins_of(torch.tensor(sizes))).mean_and_max(x)
    expected = [torch.cat([one.mean(dim=0), one.amax(dim=0)]) for one in torch.split(x, sizes)]
    torch.testing.assert_close(readout, torch.stack(expected), rtol=1e-4, atol=1e-5)


def test_one_vertex_alone_has_an_embedding_too() -> None:
    lonely = Graph.from_edges([0], [1], num_vertices=3)
    alone = GraphTensors.of(lonely, np.ones((3, 2), np.float32))
    assert psi(encoder(), alone, np.array([[2], [0]])).isfinite().all()


def test_a_batch_of_subgraphs_is_embedded_as_each_one_alone() -> None:
    together = psi(encoder(), tensors(), root_sets(8))
    alone = torch.cat([psi(encoder(), tensors(), roots[None]) for roots in root_sets(8)])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)


def test_the_order_of_the_roots_does_not_matter() -> None:
    sets = root_sets(4)
    torch.testing.assert_close(
        psi(encoder(), tensors(), sets), psi(encoder(), tensors(), sets[:, ::-1].copy()), rtol=1e-4, atol=1e-5
    )


def test_embeddings_have_length_one() -> None:
    torch.testing.assert_close(psi(encoder(), tensors(), root_sets(5)).norm(dim=1), torch.ones(5))


def test_the_first_layer_maps_a_vertex_and_its_neighbours_mean_to_its_vector_in_the_subgraph() -> None:
    model, roots = encoder(), root_sets(1)[0]
    part = subgraph(graph(), roots)
    sage = SAGEConv(2, 8)
    sage.load_state_dict(model.convolutions[0].state_dict())
    batch = induce(tensors(), torch.from_numpy(roots[None]))
    numbers = torch.cat(model.vertex_features(tensors(), batch), dim=1)
    weight, bias = model.first_layer
    expected = sage(tensors().features[part.vertices], arcs(part.graph))
    torch.testing.assert_close(numbers @ weight.T + bias, expected, rtol=1e-4, atol=1e-5)


def test_what_is_seen_of_a_root_is_the_same_in_every_subgraph() -> None:
    """The subgraph holds all its neighbours: what the replay stores of a root never changes."""
    root = 0
    batch = induce(tensors(), torch.tensor([[root, 5, 17], [root, 90, 150]]))
    own, mean = encoder().vertex_features(tensors(), batch)
    of_root = batch.vertices == root
    neighbours = graph().indices[: graph().out_degrees[root]].tolist()
    torch.testing.assert_close(own[of_root], tensors().features[[root, root]])
    torch.testing.assert_close(mean[of_root], tensors().features[neighbours].mean(dim=0).expand(2, 2))


def symmetric_matrix(dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """A sparse matrix with parallel edges, a self loop and an isolated vertex, and the same one dense."""
    pairs = [(0, 1), (0, 1), (0, 2), (1, 3), (2, 2), (3, 4)]
    entries = sorted([*pairs, *((v, u) for u, v in pairs if u != v)])
    rows, columns = torch.tensor(entries).T
    dense = torch.zeros(6, 6, dtype=dtype).index_put_((rows, columns), torch.ones((), dtype=dtype), accumulate=True)
    indptr = torch.bincount(rows + 1, minlength=7).cumsum(0)
    return torch.sparse_csr_tensor(
        indptr, columns, torch.ones(len(entries), dtype=dtype), (6, 6), check_invariants=False
    ), dense


def test_the_mean_over_neighbours_counts_parallel_edges_and_is_0_without_neighbours() -> None:
    matrix, dense = symmetric_matrix(torch.float32)
    x = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(neighbour_mean(matrix, x), dense @ x / dense.sum(1, keepdim=True).clamp(min=1))
    assert (neighbour_mean(matrix, x)[5] == 0).all()


def test_the_gradient_of_the_mean_is_exact() -> None:
    matrix, _ = symmetric_matrix(torch.float64)
    x = torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    assert torch.autograd.gradcheck(lambda y: neighbour_mean(matrix, y), x)


@needs_gpu
def test_the_embedding_is_the_same_on_a_gpu() -> None:
    here, there = psi(encoder(), tensors(), root_sets(8)), psi(encoder().cuda(), tensors("cuda"), root_sets(8))
    torch.testing.assert_close(here, there.cpu(), rtol=1e-3, atol=1e-4)
