"""Learning the map: the encoder's training, its goal, and how well it orders the classes."""

import logging
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lense._util.options import check_ranges
from lense._util.progress import progress
from lense._util.torch_device import in_threads, on_device
from lense._util.types import Int64s
from lense.errors import LenseError, choose
from lense.navigation.batches import GraphTensors, SubgraphBatch, induce, joined
from lense.navigation.checkpoint import (
    load_module,
    load_tensors,
    optimiser_tensors,
    prefixed,
    restore_optimiser,
    save_tensors,
    without_prefix,
)
from lense.navigation.encoder import Encoder
from lense.navigation.labels import LabelledSubgraphs

log = logging.getLogger(__name__)

BATCH = 128
LEARNING_RATE = 0.001
_HELD_OUT = 5
_NEAREST = 5
_ORDERED = 0.7
_MOST_ENTRIES, _MOST_ENTRIES_ON_GPU = 250_000, 4_000_000
"""Adjacency entries embedded at once: what keeps to a processor's caches, or to a GPU's memory."""
_FEWEST_PIECES = 4
_MOST_KEPT = 100_000_000
"""Adjacency entries of all samples up to which their subgraphs are kept from epoch to epoch."""
LOSS_NAMES = ("infonce", "cross-entropy", "ordinal")

Report = Callable[..., None]
Inputs = tuple[SubgraphBatch, Tensor, Tensor]
"""A batch, and what the encoder takes of its vertices: their own features and their neighbours' mean."""


@dataclass(frozen=True, kw_only=True)
class EncoderSettings:
    """What the encoder is and how it is learnt; the paper's symbols are d' for ``vertex_dim`` and d for
    ``embedding_dim``.

    Vertex features are given by their ``ranks``; the ``loss`` is one of ``LOSSES``. Training ends after ``epochs``, or
    when the loss on held-out samples has not improved for ``patience`` of them.
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
        choose(self.loss, dict.fromkeys(LOSS_NAMES), "loss")


@dataclass(frozen=True)
class EncoderReport:
    """How good a map is, by the held-out fifth of the samples.

    ``neighbour_accuracy``: share whose class is that of most of its 5 nearest training samples. ``order``: Spearman's
    correlation of the distance to the goal with the class (1 is perfect). ``silhouette``: of the classes, -1 to 1.
    """

    epochs: int
    held_out_loss: float
    neighbour_accuracy: float
    order: float
    silhouette: float

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


@dataclass(frozen=True)
class TrainedEncoder:
    """The encoder, the goal g* (d), the embeddings of all samples (N, d), and how good they are."""

    encoder: Encoder
    goal: Tensor
    embeddings: Tensor
    report: EncoderReport


def train_encoder(
    graph: GraphTensors,
    samples: LabelledSubgraphs,
    settings: EncoderSettings,
    *,
    seed: int = 0,
    checkpoint: Path | None = None,
    report: Report = lambda *_, **__: None,
) -> TrainedEncoder:
    """Minimise the loss on four fifths of the samples, stop when that on the fifth held out has not improved for
    ``patience`` epochs, and keep the best weights. The goal is the centroid of the best class.

    With a ``checkpoint``, a file written after every epoch, a run that was interrupted goes on to the same result.
    """
    labels = _class_numbers(samples)
    learnt, held_out = _held_out_fifth(labels, seed)
    run = EncoderRun(graph, samples.roots, labels, settings, seed)
    if checkpoint is not None and checkpoint.exists():
        run.restore(checkpoint)
    with progress("learning the map", settings.epochs) as advance:
        advance(run.epoch)
        while run.epoch < settings.epochs and run.since_best < settings.patience:
            loss = run.learn(learnt)
            run.look(held_out)
            report("encoder", run.epoch, loss=loss, held_out_loss=run.held_out_loss)
            if checkpoint is not None:
                run.save(checkpoint)
            advance(1, f"loss {loss:.3g}, held out {run.held_out_loss:.3g}")
        advance(settings.epochs - run.epoch)
    encoder = run.best_encoder()
    embeddings = embed(encoder, graph, samples.roots).cpu()
    goal = embeddings[torch.from_numpy(samples.labels == samples.classes[0])].mean(dim=0)
    quality = _quality(embeddings, goal, samples.labels, learnt, held_out, run.epoch, run.best_loss)
    if not quality.order > _ORDERED:
        log.warning(
            "the map does not order the classes well (Spearman %.2f of the distance to the goal with the class): "
            "try more samples_per_class, a larger embedding_dim or vertex_dim, or other roots",
            quality.order,
        )
    return TrainedEncoder(encoder, goal, embeddings, quality)


def new_encoder(num_features: int, settings: EncoderSettings) -> Encoder:
    """An encoder that has learnt nothing."""
    return Encoder(num_features, settings.vertex_dim, settings.embedding_dim)


def embed(encoder: Encoder, graph: GraphTensors, roots: Int64s) -> Tensor:
    """psi(xi(X)) (N, d) of each row X of ``roots`` (N, M), on the graph's device."""
    pieces = torch.split(on_device(roots, graph.device), _piece_size(graph, roots))
    return torch.cat(in_threads(lambda piece: _embedded(encoder, _inputs(encoder, graph, piece)), pieces))


@torch.no_grad()
def _embedded(encoder: Encoder, inputs: Inputs) -> Tensor:
    embeddings: Tensor = encoder(*inputs)
    return embeddings


def _piece_size(graph: GraphTensors, roots: Int64s) -> int:
    """How many of the sets ``roots`` (N, M) to embed at once.

    They have not too many entries on average, and on a processor there are pieces for several threads. It does not
    depend on how many threads there are, and so neither do the sums.
    """
    entries = int((graph.rows.indptr[roots + 1] - graph.rows.indptr[roots]).sum())
    on_cpu = graph.device.type == "cpu"
    size = max(1, len(roots) * (_MOST_ENTRIES if on_cpu else _MOST_ENTRIES_ON_GPU) // max(entries, 1))
    return min(size, max(1, len(roots) // _FEWEST_PIECES)) if on_cpu else size


def _inputs(encoder: Encoder, graph: GraphTensors, sets: Tensor) -> Inputs:
    batch = induce(graph, sets)
    return batch, *encoder.vertex_features(graph, batch)


class _Samples:
    """What the encoder takes of the labelled samples, whose subgraphs are found once where there is room for them."""

    def __init__(self, graph: GraphTensors, encoder: Encoder, roots: Int64s) -> None:
        self._graph, self._encoder = graph, encoder
        self._sets = on_device(roots, graph.device)
        self.piece_size = _piece_size(graph, roots[:BATCH])
        keeps = int(graph.entries_of(self._sets).sum()) <= _MOST_KEPT
        self._kept = [self._found(piece) for piece in torch.split(self._sets, 1)] if keeps else None

    def inputs(self, chosen: Int64s) -> Inputs:
        """Of the samples ``chosen`` (C), in that order."""
        if self._kept is None:
            return self._found(self._sets[on_device(chosen, self._graph.device)])
        kept = [self._kept[number] for number in chosen.tolist()]
        batch = joined([one[0] for one in kept])
        return batch, torch.cat([one[1] for one in kept]), torch.cat([one[2] for one in kept])

    def _found(self, sets: Tensor) -> Inputs:
        return _inputs(self._encoder, self._graph, sets)


def _class_numbers(samples: LabelledSubgraphs) -> Int64s:
    """Labels as 0, 1, ..., whatever classes were dropped."""
    return np.searchsorted(samples.classes, samples.labels)


def _held_out_fifth(labels: Int64s, seed: int) -> tuple[Int64s, Int64s]:
    """Indices to learn from and indices held out, one in five of each class."""
    order = np.random.default_rng([seed, 1]).permutation(labels.size)
    order = order[np.argsort(labels[order], kind="stable")]
    rank = np.arange(labels.size)
    return order[rank % _HELD_OUT != 0], order[rank % _HELD_OUT == 0]


class EncoderRun:
    """The state of one training: weights, optimiser, and the best weights so far."""

    def __init__(
        self, graph: GraphTensors, roots: Int64s, labels: Int64s, settings: EncoderSettings, seed: int
    ) -> None:
        from lense.navigation.losses import LOSSES

        self.device, self.seed = graph.device, seed
        self.labels = on_device(labels, graph.device)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encoder = new_encoder(graph.features.shape[1], settings)
            loss = LOSSES[settings.loss](settings.embedding_dim, int(labels.max()) + 1)
        self.network = nn.ModuleDict({"encoder": self.encoder, "loss": loss}).to(graph.device)
        self.samples = _Samples(graph, self.encoder, roots)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=LEARNING_RATE)
        self.epoch, self.since_best, self.best_loss = 0, 0, math.inf
        self.held_out_loss = math.inf
        self.best = _copied(self.network)

    def learn(self, learnt: Int64s) -> float:
        """One epoch over the samples to learn from, in a fresh order; the mean loss."""
        order = np.random.default_rng([self.seed, 2, self.epoch]).permutation(learnt)
        losses = []
        for chosen in np.array_split(order, math.ceil(order.size / BATCH)):
            self.optimiser.zero_grad()
            losses.append(self._backward(chosen))
            self.optimiser.step()
        self.epoch += 1
        return float(torch.stack(losses).mean())

    def _pieces(self, chosen: Int64s) -> list[Inputs]:
        """What the encoder takes of the samples ``chosen``, in pieces small enough to embed at once."""
        size = self.samples.piece_size
        pieces = [chosen[first : first + size] for first in range(0, chosen.size, size)]
        return in_threads(self.samples.inputs, pieces)

    def _backward(self, chosen: Int64s) -> Tensor:
        """Leave the gradients of the loss on ``chosen`` in the network, and return the loss.

        The loss compares all subgraphs of a batch, but their embeddings can be computed in pieces: once without
        gradients, to learn the loss's gradient at each embedding, and once more to pass it on.
        """
        inputs, labels = self._pieces(chosen), self.labels[on_device(chosen, self.device)]
        if len(inputs) == 1:
            whole: Tensor = self.network["loss"](self.encoder(*inputs[0]), labels)
            whole.backward()  # type: ignore[no-untyped-call]
            return whole.detach()
        embeddings = torch.cat(in_threads(partial(_embedded, self.encoder), inputs)).requires_grad_()
        loss: Tensor = self.network["loss"](embeddings, labels)
        loss.backward()  # type: ignore[no-untyped-call]
        assert embeddings.grad is not None
        pairs = list(zip(inputs, torch.split(embeddings.grad, inputs[0][0].num_sets), strict=True))
        for gradients in in_threads(self._gradients, pairs):
            for weight, gradient in zip(self.encoder.parameters(), gradients, strict=True):
                weight.grad = gradient if weight.grad is None else weight.grad + gradient
        return loss.detach()

    def _gradients(self, pair: tuple[Inputs, Tensor]) -> tuple[Tensor, ...]:
        """Of each weight of the encoder, given that at the embeddings of a piece."""
        inputs, gradient = pair
        with torch.enable_grad():  # which is the calling thread's own setting
            return torch.autograd.grad(self.encoder(*inputs), list(self.encoder.parameters()), gradient)

    @torch.no_grad()
    def look(self, held_out: Int64s) -> None:
        """The loss on the samples held out; the weights are kept if it is the lowest yet."""
        embeddings = torch.cat(in_threads(partial(_embedded, self.encoder), self._pieces(held_out)))
        self.held_out_loss = float(self.network["loss"](embeddings, self.labels[on_device(held_out, self.device)]))
        if not math.isfinite(self.held_out_loss):
            raise LenseError("The encoder's loss is no longer a number: try another seed or more samples_per_class.")
        self.since_best += 1
        if self.held_out_loss < self.best_loss:
            self.best_loss, self.since_best, self.best = self.held_out_loss, 0, _copied(self.network)

    def best_encoder(self) -> Encoder:
        self.network.load_state_dict(self.best)
        return self.encoder.requires_grad_(False)

    def save(self, path: Path) -> None:
        tensors = {
            **prefixed("network", self.network.state_dict()),
            **prefixed("best", self.best),
            **prefixed("optimiser", optimiser_tensors(self.optimiser)),
        }
        save_tensors(path, tensors, {"epoch": self.epoch, "since_best": self.since_best, "best_loss": self.best_loss})

    def restore(self, path: Path) -> None:
        tensors, facts = load_tensors(path)
        load_module(self.network, without_prefix("network", tensors), path)
        self.best = {name: t.to(self.device) for name, t in without_prefix("best", tensors).items()}
        restore_optimiser(self.optimiser, without_prefix("optimiser", tensors))
        self.epoch, self.since_best, self.best_loss = facts["epoch"], facts["since_best"], facts["best_loss"]


def _copied(network: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}


def _quality(
    embeddings: Tensor, goal: Tensor, labels: Int64s, learnt: Int64s, held_out: Int64s, epochs: int, loss: float
) -> EncoderReport:
    from scipy.stats import spearmanr
    from sklearn.metrics import silhouette_score
    from sklearn.neighbors import KNeighborsClassifier

    points = embeddings.numpy()
    nearest = KNeighborsClassifier(min(_NEAREST, learnt.size)).fit(points[learnt], labels[learnt])
    distance = (embeddings - goal).norm(dim=1).numpy()[held_out]
    order = spearmanr(distance, labels[held_out]).statistic if np.ptp(distance) > 0 else 0.0
    return EncoderReport(
        epochs=epochs,
        held_out_loss=loss,
        neighbour_accuracy=float(nearest.score(points[held_out], labels[held_out])),
        order=float(order),
        silhouette=float(silhouette_score(points[held_out], labels[held_out])),
    )
