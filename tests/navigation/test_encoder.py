"""The map: batches of subgraphs, the encoder against PyTorch Geometric's stock modules, its losses and its training."""

import logging
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.func import functional_call
from torch_geometric.nn import SAGEConv, TopKPooling, global_max_pool, global_mean_pool

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation import encoder as module
from lense.navigation.encoder import (
    LOSSES,
    Encoder,
    EncoderSettings,
    GraphTensors,
    InfoNCE,
    Ordinal,
    PictureMap,
    SubgraphBatch,
    TrainedEncoder,
    backward,
    embed,
    induce,
    train_encoder,
)
from lense.navigation.labels import LabelledSubgraphs
from lense.problems.mvc import MaxVertexCover
from tests.learning import SETTINGS as ALL_SETTINGS
from tests.learning import graph, needs_gpu, root_sets, same_weights, samples, tensors, trained
from tests.strategies import graphs

SETTINGS = ALL_SETTINGS.encoder
CLASSES = 4


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
    assert batch.begins.numel() - 1 == len(sets)
    assert batch.vertices.numel() == batch.begins[-1] == batch.indptr.numel() - 1
    for (begin, end), roots in zip(pairwise(batch.begins.tolist()), sets, strict=True):
        part = subgraph(graph, roots)
        assert batch.vertices[begin:end].tolist() == part.vertices.tolist()
        rows = part.graph.incident
        for vertex, (first, last) in zip(range(begin, end), pairwise(rows.indptr), strict=True):
            assert row(batch, vertex) == part.vertices[rows.indices[first:last]].tolist()
            within = batch.indices[batch.indptr[vertex] : batch.indptr[vertex + 1]]
            assert ((within >= begin) & (within < end)).all()


def test_many_sets_of_a_large_graph_are_numbered_as_few_are() -> None:
    """Numbers that do not fit in 32 bits take 64."""
    far = Graph.from_edges([0, 2_000_000], [1, 1_999_999], num_vertices=2_000_001)
    sets = torch.tensor([[0, 2_000_000]]).repeat(1100, 1)
    batch = induce(tensors_of(far), sets)
    assert batch.vertices.numel() == 4 * 1100
    assert batch.vertices[-4:].tolist() == [0, 1, 1_999_999, 2_000_000]


def encoder(seed: int = 0) -> Encoder:
    torch.manual_seed(seed)
    return Encoder(2, 8, 5).requires_grad_(False)


def world(graph: Graph) -> GraphTensors:
    return GraphTensors.of(graph, MaxVertexCover().features(graph))


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


@given(st.lists(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1e-6, 0.5, 1.0]), max_size=9), min_size=1, max_size=4))
@settings(max_examples=80, deadline=None)
def test_the_vertices_kept_are_those_of_largest_score_and_the_first_of_equal_ones(scores: list[list[float]]) -> None:
    flat = torch.tensor([score for one in scores for score in one])
    begins = module._begins_of(torch.tensor([len(one) for one in scores]))
    expected: list[int] = []
    for one, before in zip(scores, begins.tolist(), strict=False):
        ranked = sorted(range(len(one)), key=lambda v: (-one[v], v))
        expected += sorted(before + v for v in ranked[: -(-4 * len(one) // 5)])
    kept, made = module._best(flat, begins)
    assert kept.tolist() == expected
    assert made.diff().tolist() == [-(-4 * len(one) // 5) for one in scores]


@pytest.mark.parametrize("sizes", [[1], [3, 700, 2], [512, 513, 1]])
def test_readouts_are_the_mean_and_the_largest_of_each_set_however_large(sizes: list[int]) -> None:
    x = torch.randn(sum(sizes), 3, generator=torch.Generator().manual_seed(0))
    readout = module._mean_and_max(x, module._begins_of(torch.tensor(sizes)))
    expected = [torch.cat([one.mean(dim=0), one.amax(dim=0)]) for one in torch.split(x, sizes)]
    torch.testing.assert_close(readout, torch.stack(expected), rtol=1e-4, atol=1e-5)


def psi(model: Encoder, graph: GraphTensors, sets: Int64s) -> Tensor:
    embeddings: Tensor = model(induce(graph, torch.from_numpy(sets).to(graph.device)))
    return embeddings


def batch(size: int = 20, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Embeddings (size, 5) and labels 0..3."""
    generator = torch.Generator().manual_seed(seed)
    points = torch.randn(size, 5, generator=generator, dtype=torch.float64)
    return points, torch.randint(CLASSES, (size,), generator=generator)


def infonce(points: Tensor, labels: Tensor) -> float:
    """The formula, pair by pair."""
    unit = points / points.norm(dim=1, keepdim=True)
    likeness = (unit @ unit.T / 0.1).tolist()
    classes, losses = labels.tolist(), []
    for x in range(len(classes)):
        others = sum(math.exp(likeness[x][y]) for y in range(len(classes)) if classes[y] != classes[x])
        losses += [
            -math.log(math.exp(likeness[x][y]) / (math.exp(likeness[x][y]) + others))
            for y in range(len(classes))
            if y != x and classes[y] == classes[x]
        ]
    return sum(losses) / len(losses)


@given(st.integers(0, 1000), st.integers(6, 24))
@settings(max_examples=25, deadline=None)
def test_infonce_is_its_formula_with_temperature_a_tenth(seed: int, size: int) -> None:
    assert module.TEMPERATURE == 0.1
    points, labels = batch(size, seed)
    assert InfoNCE(5, CLASSES)(points, labels).item() == pytest.approx(infonce(points, labels), rel=1e-6)


def test_the_ordinal_loss_is_the_squared_error_from_a_one_for_each_class_up_to_the_true_one() -> None:
    points, labels = batch()
    loss = Ordinal(5, CLASSES).double()
    predicted = 1 / (1 + (-(points @ loss.output.weight.T + loss.output.bias)).exp())
    wanted = torch.tensor([[float(j <= label) for j in range(CLASSES)] for label in labels.tolist()]).double()
    torch.testing.assert_close(loss(points, labels), ((predicted - wanted) ** 2).mean())


def test_infonce_is_0_where_no_two_samples_share_a_class() -> None:
    points, labels = batch(4)[0].requires_grad_(), torch.arange(4)
    loss = InfoNCE(5, CLASSES)(points, labels)
    loss.backward()
    assert loss.item() == 0


def history(settings: EncoderSettings, **options: Any) -> tuple[TrainedEncoder, list[float]]:
    """What training gives, and the loss on the held-out samples after each epoch."""
    losses: list[float] = []
    result = train_encoder(
        tensors(), samples(), settings, report=lambda *_, held_out_loss, **__: losses.append(held_out_loss), **options
    )
    return result, losses


@pytest.fixture
def fast_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps so large that the loss soon rises again."""
    monkeypatch.setattr(module, "LEARNING_RATE", 0.1)


def test_the_goal_is_the_centroid_of_class_1() -> None:
    best = samples().roots[samples().labels == 1]
    torch.testing.assert_close(trained().goal, embed(trained().encoder, tensors(), best).mean(dim=0))
    torch.testing.assert_close(trained().embeddings, embed(trained().encoder, tensors(), samples().roots))


def test_without_class_1_the_goal_is_the_centroid_of_the_best_class_there_is() -> None:
    left = samples().labels > 1
    rest = replace(samples(), roots=samples().roots[left], ratios=samples().ratios[left], labels=samples().labels[left])
    result = train_encoder(tensors(), rest, replace(SETTINGS, epochs=1))
    torch.testing.assert_close(result.goal, result.embeddings[torch.from_numpy(rest.labels == 2)].mean(dim=0))


@pytest.mark.usefixtures("fast_steps")
def test_training_stops_when_the_held_out_loss_has_not_fallen_for_patience_epochs_and_keeps_the_best() -> None:
    result, losses = history(replace(SETTINGS, epochs=60, patience=3))
    best = int(np.argmin(losses))
    assert result.report["epochs"] == len(losses) == best + 1 + 3 < 60
    assert result.report["held_out_loss"] == losses[best] < 0.99 * losses[-1]
    labels = class_numbers()
    _, held_out = module._held_out_fifth(labels, 0)
    points = embed(result.encoder, tensors(), samples().roots[held_out])
    assert float(InfoNCE(4, 4)(points, torch.from_numpy(labels[held_out]))) == pytest.approx(min(losses), rel=1e-4)


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("size", [1, 6, 100])
def test_gradients_in_pieces_are_those_in_one_piece(loss: str, size: int) -> None:
    chosen = np.arange(0, 60, 3)
    sets, labels = samples().roots[chosen], torch.from_numpy(class_numbers()[chosen])
    found = []
    for pieces in (-(-20 // size), 1):
        torch.manual_seed(0)
        model, measure = Encoder(2, 8, 4), LOSSES[loss](4, CLASSES)
        batches = [induce(tensors(), torch.from_numpy(part)) for part in np.array_split(sets, pieces)]
        value = backward(model, measure, batches, labels)
        found.append([value, *(weight.grad for weight in (*model.parameters(), *measure.parameters()))])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


def test_a_checkpoint_of_another_network_is_reported(tmp_path: Path) -> None:
    train_encoder(tensors(), samples(), replace(SETTINGS, epochs=1), checkpoint=tmp_path / "encoder")
    with pytest.raises(LenseError, match="does not belong to this model"):
        train_encoder(tensors(), samples(), replace(SETTINGS, vertex_dim=9), checkpoint=tmp_path / "encoder")


def test_a_loss_that_is_no_number_is_reported() -> None:
    broken = replace(tensors(), features=torch.full_like(tensors().features, torch.nan))
    with pytest.raises(LenseError, match="no longer a number"):
        train_encoder(broken, samples(), SETTINGS)


@needs_gpu
def test_a_gpu_learns_the_same_map() -> None:
    settings = replace(SETTINGS, epochs=3)
    here, there = (train_encoder(tensors(device), samples(), settings) for device in ("cpu", "cuda"))
    assert there.report["held_out_loss"] == pytest.approx(here.report["held_out_loss"], rel=0.01)
    torch.testing.assert_close(here.goal, there.goal.cpu(), rtol=0.05, atol=0.02)


def class_numbers() -> Int64s:
    return samples().labels - 1


def test_a_map_that_does_not_order_the_classes_warns(caplog: pytest.LogCaptureFixture) -> None:
    order = np.random.default_rng(0).permutation(samples().labels.size)
    mislabelled: LabelledSubgraphs = replace(samples(), roots=samples().roots[order])
    with caplog.at_level(logging.WARNING):
        train_encoder(tensors(), samples(), SETTINGS)
        assert not caplog.records
        result = train_encoder(tensors(), mislabelled, replace(SETTINGS, epochs=2))
    assert result.report["order"] < 0.7
    assert "does not order the classes" in caplog.text


@pytest.mark.parametrize("seed", [3, 4])
def test_points_of_a_plane_lose_next_to_nothing_in_a_picture_of_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PICTURE_STEPS", 1500)
    generator = torch.Generator().manual_seed(0)
    points = torch.rand(60, 2, generator=generator) @ torch.randn(2, 5, generator=generator)
    before = torch.get_rng_state()
    picture, again = PictureMap.fitted(points, seed), PictureMap.fitted(points, seed)
    assert torch.equal(before, torch.get_rng_state())
    assert same_weights(picture, again)
    assert picture(points).shape == (60, 2)
    assert (picture.up(picture(points)) - points).square().mean() < 0.01 * points.var()
