"""The map: subgraphs as tensors, the encoder psi that embeds them, and how it is trained on labelled subgraphs."""

import copy
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import TopKPooling

from lense._util.options import check_ranges
from lense._util.progress import progress
from lense._util.torch_device import in_threads, on_device
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import Graph
from lense.kernels.rows import Adjacency
from lense.navigation.checkpoints import restore_checkpoint, save_checkpoint
from lense.navigation.labels import LabelledSubgraphs
from lense.pruners._networks import LAYERS, SymmetricSAGE, neighbour_mean

log = logging.getLogger(__name__)

BATCH = 128
LEARNING_RATE = 0.001
TEMPERATURE = 0.1
POOL_RATIO = 0.8
_HELD_OUT = 5
_NEAREST = 5
_ORDERED = 0.7
_MOST_ENTRIES, _MOST_ENTRIES_ON_GPU = 250_000, 4_000_000
"""Adjacency entries embedded at once: what fits into a processor's caches, or into a GPU's memory."""
_FEWEST_PIECES = 4
_BLOCK = 512
_LARGEST = 0x7FFFFFFF
_PICTURE_HIDDEN, _PICTURE_STEPS = 64, 1500

Report = Callable[..., None]
"""Called with the stage, the step and figures by name."""


@dataclass(frozen=True)
class GraphTensors:
    """A graph on a device: its incident ``indptr`` (n + 1) and ``indices``, and its vertex ``features`` (n, k).

    ``rows`` and ``vertex_features`` are the same in numpy, for walks.
    """

    rows: Adjacency
    vertex_features: Float32s
    indptr: Tensor
    indices: Tensor
    features: Tensor

    @classmethod
    def of(cls, graph: Graph, features: Float32s, device: torch.device | str = "cpu") -> "GraphTensors":
        rows = graph.incident
        # copies: a graph's arrays are read-only, which torch does not support
        tensors = (on_device(array.copy(), device) for array in (rows.indptr, rows.indices, features))
        return cls(rows, features, *tensors)

    @property
    def num_vertices(self) -> int:
        return self.indptr.numel() - 1

    @property
    def device(self) -> torch.device:
        return self.indptr.device


@dataclass(frozen=True)
class SubgraphBatch:
    """xi(X_1), ..., xi(X_B) as one disconnected graph on N vertices, sorted by set and then by parent id.

    ``vertices`` (N) are ids in the parent, with ``features`` (N, k); set i begins at ``begins`` (B + 1)[i]. The CSR
    arrays ``indptr`` (N + 1) and ``indices`` (A) hold every edge in the rows of both ends.
    """

    vertices: Tensor
    features: Tensor
    begins: Tensor
    indptr: Tensor
    indices: Tensor


def induce(graph: GraphTensors, roots: Tensor) -> SubgraphBatch:
    """xi of each row of ``roots`` (B, M), which are distinct; the cost is that of the result."""
    num_sets, num_roots = roots.shape
    n, num_keys = graph.num_vertices, roots.numel()
    flat = roots.flatten()
    first = graph.indptr.index_select(0, flat)
    begins = _begins_of(graph.indptr.index_select(0, flat + 1) - first)
    owner = torch.repeat_interleave(begins.diff())
    position = torch.arange(owner.numel(), device=roots.device) + (first - begins[:-1]).index_select(0, owner)
    first_key = torch.arange(num_keys, device=roots.device) // num_roots * n
    reached = first_key.index_select(0, owner) + graph.indices.index_select(0, position)
    keys = torch.cat([first_key + flat, reached])
    # half the bits sort in little more than half the time
    keys = keys.int() if n * (num_sets + 1) < 1 << 31 else keys
    distinct, first_place, number, place = _numbered(keys)
    root, neighbour = number[:num_keys], number[num_keys:]

    # Rows of roots are whole rows of the parent. Rows of other vertices list roots alone: they are the transpose of the
    # entries that do not lead to a root, which the sort has brought into order already.
    indptr = _begins_of(first_place.diff().scatter_(0, root, begins.diff()))
    num_entries = int(indptr[-1])
    indices = root.new_empty(num_entries + 1)
    to = (indptr.index_select(0, root) - begins[:-1]).index_select(0, owner)
    indices.scatter_(0, to + torch.arange(to.numel(), device=to.device), neighbour)
    # what leads to a root is in that root's row already, so it goes past the end
    back = (indptr[:-1] - first_place[:-1]).index_fill_(0, root, num_entries).index_select(0, neighbour)
    indices.scatter_(0, (back + place[num_keys:]).clamp_(max=num_entries), root.index_select(0, owner))
    vertices = distinct % n
    return SubgraphBatch(
        vertices=vertices,
        features=graph.features.index_select(0, vertices),
        begins=torch.searchsorted(distinct // n, torch.arange(num_sets + 1, device=roots.device)),
        indptr=indptr,
        indices=indices[:-1],
    )


def _numbered(keys: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The distinct ``keys`` (N) and where each is first among all sorted (N + 1); of each key (K) its number among the
    distinct ones and its place among all sorted.
    """
    sorted_keys, order = keys.sort(stable=True)
    is_new = torch.ones_like(sorted_keys, dtype=torch.bool)
    torch.ne(sorted_keys[1:], sorted_keys[:-1], out=is_new[1:])
    number = is_new.cumsum(0) - 1
    first = torch.cat([is_new.nonzero().squeeze(1), number.new_full((1,), keys.numel())])
    place = torch.empty_like(order).scatter_(0, order, torch.arange(keys.numel(), device=keys.device))
    return sorted_keys.index_select(0, first[:-1]).long(), first, number.index_select(0, place), place


def _begins_of(counts: Tensor) -> Tensor:
    """Where rows of these lengths (R) begin and the last ends (R + 1)."""
    begins = torch.zeros(counts.numel() + 1, dtype=torch.int64, device=counts.device)
    torch.cumsum(counts, 0, out=begins[1:])
    return begins


class Encoder(nn.Module):
    """psi(S) = W sum_l [mean || max](h_l) + b in R^d, scaled to length 1.

    h_l is what top-k pooling leaves of ReLU(GraphSAGE(h_{l-1})), l = 1, 2, 3: the ceil(0.8 N) vertices of each
    subgraph with the largest tanh(p h / |p|), times that number. h_0 are the ``num_features`` of the vertices (N, k).
    """

    def __init__(self, num_features: int, vertex_dim: int, embedding_dim: int) -> None:
        super().__init__()
        widths = [num_features] + [vertex_dim] * (LAYERS - 1)
        self.convolutions = nn.ModuleList(SymmetricSAGE(width, vertex_dim) for width in widths)
        self.pools = nn.ModuleList(TopKPooling(vertex_dim, ratio=POOL_RATIO) for _ in range(LAYERS))
        self.output = nn.Linear(2 * vertex_dim, embedding_dim)
        self.num_features = num_features

    @property
    def first_layer(self) -> tuple[Tensor, Tensor]:
        """Weight (d', 2k) and bias (d') that map a vertex's own features and its neighbours' mean to its vector."""
        first: Any = self.convolutions[0]
        return torch.cat([first.lin_r.weight, first.lin_l.weight], dim=1), first.lin_l.bias

    def forward(self, batch: SubgraphBatch) -> Tensor:
        """psi (B, d) of the subgraphs of a batch."""
        indptr, indices, begins = batch.indptr, batch.indices, batch.begins
        readout = torch.zeros((), device=batch.features.device)
        seen = torch.cat([batch.features, neighbour_mean(_matrix(indptr, indices), batch.features)], dim=-1)
        x = nn.functional.linear(seen, *self.first_layer)
        for layer, (convolution, pool) in enumerate(zip(self.convolutions, self.pools, strict=True)):
            if layer:
                x = convolution(x, _matrix(indptr, indices))
            x = x.relu()
            select: Any = pool.select
            score = select.act(x @ select.weight.squeeze(0) / select.weight.norm())
            kept, begins = _best(score.detach(), begins)
            x = x.index_select(0, kept) * score.index_select(0, kept).unsqueeze(-1)
            if layer + 1 < LAYERS:
                indptr, indices = _among(kept, indptr, indices)
            readout = readout + _mean_and_max(x, begins)
        return nn.functional.normalize(self.output(readout), dim=-1)


def _matrix(indptr: Tensor, indices: Tensor) -> Tensor:
    """The sparse adjacency matrix (N, N), with parallel edges side by side."""
    n, ones = indptr.numel() - 1, torch.ones(indices.numel(), device=indices.device)
    return torch.sparse_csr_tensor(indptr, indices, ones, (n, n), check_invariants=False)


def _among(kept: Tensor, indptr: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """The CSR entries between the vertices ``kept`` (rising), which become 0, 1, ..."""
    number = torch.full((indptr.numel() - 1,), -1, device=kept.device)
    number[kept] = torch.arange(kept.numel(), device=kept.device)
    of = number.repeat_interleave(indptr.diff(), output_size=indices.numel())
    indices = number.index_select(0, indices)
    stays = (torch.minimum(of, indices) >= 0).nonzero().squeeze(1)
    counts = torch.bincount(of.index_select(0, stays), minlength=kept.numel())
    return _begins_of(counts), indices.index_select(0, stays)


def _best(score: Tensor, begins: Tensor) -> tuple[Tensor, Tensor]:
    """The ceil(0.8 n) vertices of largest ``score`` (N) of each set of n, rising, and where the sets then begin.

    Of equal ones the first count. One sort by set and falling score ranks all vertices. It sorts integers, which is
    several times as fast: the bits of floats, inverted but for the sign where negative, are in their order.
    """
    bits = (0.0 - score).view(torch.int32)
    falling = bits ^ ((bits >> 31) & _LARGEST)
    set_of = torch.repeat_interleave(begins.diff(), output_size=score.numel())
    order = ((set_of << 32) + falling).argsort(stable=True)
    sizes = (POOL_RATIO * begins.diff().to(score.dtype)).ceil().long()
    ends = begins[:-1] + sizes
    is_among = torch.arange(score.numel(), device=score.device) < ends.index_select(0, set_of)
    best = torch.empty_like(is_among).scatter_(0, order, is_among)
    return best.nonzero().squeeze(1), _begins_of(sizes)


def _mean_and_max(x: Tensor, begins: Tensor) -> Tensor:
    """[mean || max] (B, 2 d') of the rows of x (N, d') in each set.

    In two steps, blocks and then sets: a GPU adds up what goes to one place one after the other.
    """
    sizes = begins.diff()
    num_sets, set_of = sizes.numel(), torch.repeat_interleave(sizes, output_size=x.shape[0])
    first_block = _begins_of((sizes + _BLOCK - 1) // _BLOCK)
    rank = torch.arange(x.shape[0], device=x.device) - begins.index_select(0, set_of)
    block = first_block.index_select(0, set_of) + rank // _BLOCK
    num_blocks = x.shape[0] // _BLOCK + num_sets + 1
    set_of_block = block.new_full((num_blocks,), num_sets).scatter_(0, block, set_of)

    def reduced(rows: Tensor, group: Tensor, num_groups: int, start: float, how: str) -> Tensor:
        where = group.unsqueeze(1).expand_as(rows)
        return rows.new_full((num_groups, rows.shape[1]), start).scatter_reduce(0, where, rows, how)

    total, largest = (
        reduced(reduced(x, block, num_blocks, start, how), set_of_block, num_sets + 1, start, how)[:-1]
        for start, how in ((0.0, "sum"), (-torch.inf, "amax"))
    )
    return torch.cat([total / sizes.clamp(min=1).unsqueeze(-1), largest], dim=-1)


def embed(encoder: Encoder, graph: GraphTensors, roots: Int64s) -> Tensor:
    """psi(xi(X)) (N, d) of each row X of ``roots`` (N, M), on the graph's device."""
    pieces = torch.split(on_device(roots, graph.device), _piece_size(graph, roots))
    return torch.cat(in_threads(torch.no_grad()(lambda piece: encoder(induce(graph, piece))), pieces))


def _embedded(encoder: Encoder, pieces: Sequence[SubgraphBatch]) -> Tensor:
    """psi (N, d) of all pieces of a batch, without gradients."""
    return torch.cat(in_threads(torch.no_grad()(lambda piece: encoder(piece)), pieces))


def _piece_size(graph: GraphTensors, roots: Int64s) -> int:
    """How many of the sets ``roots`` (N, M) to embed at once; sums must not depend on the number of threads."""
    entries = int((graph.rows.indptr[roots + 1] - graph.rows.indptr[roots]).sum())
    on_cpu = graph.device.type == "cpu"
    size = max(1, len(roots) * (_MOST_ENTRIES if on_cpu else _MOST_ENTRIES_ON_GPU) // max(entries, 1))
    return min(size, max(1, len(roots) // _FEWEST_PIECES)) if on_cpu else size


class InfoNCE(nn.Module):
    """The mean of -log(e^(x x+ / t) / (e^(x x+ / t) + sum e^(x x- / t))) over all pairs x, x+ of one class.

    The sum runs over the x- of other classes; x y is the cosine, t = 0.1. Without pairs it is 0.
    """

    def __init__(self, embedding_dim: int, num_classes: int) -> None:
        super().__init__()

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        # normalized once for each side: gradients add up as in the bundled models
        similarity = nn.functional.normalize(embeddings) @ nn.functional.normalize(embeddings).T / TEMPERATURE
        same = labels.unsqueeze(1) == labels
        negatives = similarity.masked_fill(same, -torch.inf).logsumexp(dim=1, keepdim=True)
        pairs = (same & ~torch.eye(labels.numel(), dtype=torch.bool, device=labels.device)).nonzero(as_tuple=True)
        if not pairs[0].numel():
            return (embeddings * 0).sum()
        return nn.functional.softplus(negatives - similarity)[pairs].mean()


class CrossEntropy(nn.Module):
    """The cross-entropy of the classes predicted by a linear layer on the embedding."""

    def __init__(self, embedding_dim: int, num_classes: int) -> None:
        super().__init__()
        self.output = nn.Linear(embedding_dim, num_classes)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(self.output(embeddings), labels)


class Ordinal(CrossEntropy):
    """The squared error of sigmoid(W x + b) from y with y_j = 1 for j <= i, 0 else, for class i (Cheng et al. 2008)."""

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        predicted = self.output(embeddings).sigmoid()
        ranks = torch.arange(predicted.shape[1], device=labels.device)
        return nn.functional.mse_loss(predicted, (ranks <= labels.unsqueeze(1)).to(predicted.dtype))


LOSSES: Mapping[str, Callable[[int, int], nn.Module]] = {
    "infonce": InfoNCE,
    "cross-entropy": CrossEntropy,
    "ordinal": Ordinal,
}
"""By name: classes made with (embedding_dim, num_classes) and called with embeddings (B, d) and labels 0..K-1 (B)."""


@dataclass(frozen=True, kw_only=True)
class EncoderSettings:
    """The encoder and its training; the paper's symbols are d' for ``vertex_dim`` and d for ``embedding_dim``.

    ``ranks``: vertex features are given by their ranks. Training ends after ``epochs``, or when the loss on held-out
    samples has not improved for ``patience`` of them.
    """

    ranks: bool = True
    vertex_dim: int = 30
    embedding_dim: int = 10
    loss: str = "infonce"
    epochs: int = 100
    patience: int = 20

    def __post_init__(self) -> None:
        sizes, counts = (1, 4096), (1, 1e6)
        check_ranges(self, {"vertex_dim": sizes, "embedding_dim": sizes, "epochs": counts, "patience": counts})
        choose(self.loss, LOSSES, "loss")


@dataclass(frozen=True)
class TrainedEncoder:
    """The encoder, the goal g* (d), the embeddings of all samples (N, d), and a report of how good they are.

    It is about the held-out fifth of the samples. ``neighbour_accuracy``: share in the class of most of their 5 nearest
    training samples. ``order``: Spearman's correlation of the distance to the goal with the class. ``silhouette``: of
    the classes.
    """

    encoder: Encoder
    goal: Tensor
    embeddings: Tensor
    report: dict[str, float]


def train_encoder(
    graph: GraphTensors,
    samples: LabelledSubgraphs,
    settings: EncoderSettings,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: Report = lambda *_, **__: None,
) -> TrainedEncoder:
    """Minimise the loss on four fifths of the samples, and keep the weights that are best on the fifth held out.

    The goal is the centroid of the best class. With a ``checkpoint``, a file written after every epoch, an interrupted
    run continues to the same result.
    """
    labels: Int64s = np.searchsorted(samples.classes, samples.labels)  # 0, 1, ..., whatever classes were dropped
    learnt, held_out = _held_out_fifth(labels, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = Encoder(graph.features.shape[1], settings.vertex_dim, settings.embedding_dim)
        loss = LOSSES[settings.loss](settings.embedding_dim, int(labels.max()) + 1)
    network = nn.ModuleDict({"encoder": encoder, "loss": loss}).to(graph.device)
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    epoch, since_best, best_loss, best = 0, 0, math.inf, copy.deepcopy(network.state_dict())
    if checkpoint is not None and checkpoint.exists():
        groups, facts = restore_checkpoint(checkpoint, network, optimiser)
        best = {name: tensor.to(graph.device) for name, tensor in groups["best"].items()}
        epoch, since_best, best_loss = facts["epoch"], facts["since_best"], facts["best_loss"]

    sets, targets = on_device(samples.roots, graph.device), on_device(labels, graph.device)
    piece_size = _piece_size(graph, samples.roots[:BATCH])

    def batch(chosen: Int64s) -> tuple[list[SubgraphBatch], Tensor]:
        where = on_device(chosen, graph.device)
        return in_threads(lambda roots: induce(graph, roots), torch.split(sets[where], piece_size)), targets[where]

    with progress("learning the map", settings.epochs) as advance:
        advance(epoch)
        while epoch < settings.epochs and since_best < settings.patience:
            order, losses = np.random.default_rng([seed, 2, epoch]).permutation(learnt), []
            for chosen in np.array_split(order, math.ceil(order.size / BATCH)):
                optimiser.zero_grad()
                losses.append(backward(encoder, loss, *batch(chosen)))
                optimiser.step()
            epoch, since_best = epoch + 1, since_best + 1
            mean_loss = float(torch.stack(losses).mean())
            pieces, wanted = batch(held_out)
            with torch.no_grad():
                held_out_loss = float(loss(_embedded(encoder, pieces), wanted))
            if not math.isfinite(held_out_loss):
                raise LenseError(
                    "The encoder's loss is no longer a number: try another seed or more samples_per_class."
                )
            if held_out_loss < best_loss:
                best_loss, since_best, best = held_out_loss, 0, copy.deepcopy(network.state_dict())
            report("encoder", epoch, loss=mean_loss, held_out_loss=held_out_loss)
            if checkpoint is not None:
                facts = {"epoch": epoch, "since_best": since_best, "best_loss": best_loss}
                save_checkpoint(checkpoint, {"network": network.state_dict(), "best": best}, optimiser, facts)
            advance(1, f"loss {mean_loss:.3g}, held out {held_out_loss:.3g}")
        advance(settings.epochs - epoch)

    network.load_state_dict(best)
    encoder.requires_grad_(False)
    embeddings = embed(encoder, graph, samples.roots).cpu()
    goal = embeddings[torch.from_numpy(labels == 0)].mean(dim=0)
    quality = _quality(embeddings, goal, samples.labels, learnt, held_out)
    if not quality["order"] > _ORDERED:
        log.warning(
            "the map does not order the classes well (Spearman %.2f of the distance to the goal with the class): "
            "try more samples_per_class, a larger embedding_dim or vertex_dim, or other roots",
            quality["order"],
        )
    return TrainedEncoder(encoder, goal, embeddings, {"epochs": epoch, "held_out_loss": best_loss, **quality})


def _held_out_fifth(labels: Int64s, seed: int) -> tuple[Int64s, Int64s]:
    """Indices to learn from and indices held out, one in five of each class."""
    order = np.random.default_rng([seed, 1]).permutation(labels.size)
    order = order[np.argsort(labels[order], kind="stable")]
    rank = np.arange(labels.size)
    return order[rank % _HELD_OUT != 0], order[rank % _HELD_OUT == 0]


def backward(encoder: Encoder, loss: nn.Module, pieces: Sequence[SubgraphBatch], labels: Tensor) -> Tensor:
    """Leave the gradients of the loss on a batch in ``pieces`` in the weights, and return the loss.

    In pieces, embeddings are computed once for the loss's gradient at each of them, and once more to pass it on.
    """
    is_whole = len(pieces) == 1
    embeddings: Tensor = encoder(pieces[0]) if is_whole else _embedded(encoder, pieces).requires_grad_()
    value: Tensor = loss(embeddings, labels)
    value.backward()  # type: ignore[no-untyped-call]
    if is_whole:
        return value.detach()
    weights = list(encoder.parameters())

    def gradients(pair: tuple[SubgraphBatch, Tensor]) -> tuple[Tensor, ...]:
        piece, gradient = pair
        with torch.enable_grad():  # which is the calling thread's own setting
            return torch.autograd.grad(encoder(piece), weights, gradient)

    assert embeddings.grad is not None
    shares = torch.split(embeddings.grad, [piece.begins.numel() - 1 for piece in pieces])
    for found in in_threads(gradients, list(zip(pieces, shares, strict=True))):
        for weight, gradient in zip(weights, found, strict=True):
            weight.grad = gradient if weight.grad is None else weight.grad + gradient
    return value.detach()


def _quality(embeddings: Tensor, goal: Tensor, labels: Int64s, learnt: Int64s, held_out: Int64s) -> dict[str, float]:
    from scipy.stats import spearmanr
    from sklearn.metrics import silhouette_score
    from sklearn.neighbors import KNeighborsClassifier

    points = embeddings.numpy()
    nearest = KNeighborsClassifier(min(_NEAREST, learnt.size)).fit(points[learnt], labels[learnt])
    distance = (embeddings - goal).norm(dim=1).numpy()[held_out]
    order = spearmanr(distance, labels[held_out]).statistic if np.ptp(distance) > 0 else 0.0
    return {
        "neighbour_accuracy": float(nearest.score(points[held_out], labels[held_out])),
        "order": float(order),
        "silhouette": float(silhouette_score(points[held_out], labels[held_out])),
    }


class PictureMap(nn.Module):
    """The map in two dimensions, for pictures: an autoencoder R^d -> R^2 -> R^d with one hidden layer each way."""

    def __init__(self, embedding_dim: int) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Linear(embedding_dim, _PICTURE_HIDDEN), nn.Tanh(), nn.Linear(_PICTURE_HIDDEN, 2))
        self.up = nn.Sequential(nn.Linear(2, _PICTURE_HIDDEN), nn.Tanh(), nn.Linear(_PICTURE_HIDDEN, embedding_dim))

    def forward(self, embeddings: Tensor) -> Tensor:
        points: Tensor = self.down(embeddings)
        return points

    @classmethod
    def fitted(cls, embeddings: Tensor, seed: int) -> "PictureMap":
        """Minimise the squared error on ``embeddings`` (N, d), on the CPU."""
        points = embeddings.detach().cpu()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = cls(points.shape[1])
        optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
        for _ in range(_PICTURE_STEPS):
            optimiser.zero_grad()
            nn.functional.mse_loss(model.up(model(points)), points).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return model.requires_grad_(False)
