"""Learning the map: the encoder's training, its goal, and how well it orders the classes."""

import logging
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from scipy.stats import spearmanr
from sklearn.metrics import silhouette_score
from sklearn.neighbors import KNeighborsClassifier
from torch import Tensor, nn

from lense.errors import LenseError, choose
from lense.progress import progress
from lense.torch_device import on_device
from lense.types import Int64s
from lense.walking.batches import GraphTensors, SubgraphBatch, induce
from lense.walking.checkpoint import (
    load_module,
    load_tensors,
    optimiser_tensors,
    prefixed,
    restore_optimiser,
    save_tensors,
    without_prefix,
)
from lense.walking.encoder import Encoder
from lense.walking.labels import LabelledSubgraphs
from lense.walking.losses import LOSSES
from lense.walking.parallel import in_threads
from lense.walking.settings import Settings

log = logging.getLogger(__name__)

BATCH = 128
LEARNING_RATE = 0.001
_HELD_OUT = 5
_NEAREST = 5
_ORDERED = 0.7
_MOST_ENTRIES = {"cpu": 250_000}
_MOST_ENTRIES_ELSEWHERE = 4_000_000
"""Adjacency entries embedded at once: what keeps to a processor's caches, or to a GPU's memory."""

Report = Callable[..., None]
Inputs = tuple[SubgraphBatch, Tensor, Tensor]
Piece = tuple[Tensor, int, int | None]
"""Root sets (N, M), how many adjacency entries they have, and how many vertices, where that is known."""


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
    settings: Settings,
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
    run = _Run(graph, samples.roots, labels, settings, seed)
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
    embeddings = embed(encoder, graph, samples.roots)
    goal = embeddings[torch.from_numpy(samples.labels == samples.classes[0])].mean(dim=0)
    quality = _quality(embeddings, goal, samples.labels, learnt, held_out, run.epoch, run.best_loss)
    if not quality.order > _ORDERED:
        log.warning(
            "the map does not order the classes well (Spearman %.2f of the distance to the goal with the class): "
            "try more samples_per_class, a larger embedding_dim or vertex_dim, or other roots",
            quality.order,
        )
    return TrainedEncoder(encoder, goal, embeddings, quality)


@torch.no_grad()
def embed(encoder: Encoder, graph: GraphTensors, roots: Int64s) -> Tensor:
    """psi(xi(X)) (N, d) of each row X of ``roots`` (N, M), on the CPU."""
    sets = on_device(roots, graph.device)
    return _embeddings(encoder, graph, sets, _entries(graph, sets)).cpu()


def _embeddings(
    encoder: Encoder, graph: GraphTensors, sets: Tensor, entries: Int64s, vertices: Int64s | None = None
) -> Tensor:
    """psi(xi(X)) (N, d) of each row X of ``sets`` (N, M), without gradients."""
    inputs = in_threads(partial(_inputs, encoder, graph), _pieces(graph, sets, entries, vertices))
    return torch.cat(in_threads(partial(_embedded, encoder), inputs))


@torch.no_grad()
def _embedded(encoder: Encoder, inputs: Inputs) -> Tensor:
    embeddings: Tensor = encoder(*inputs)
    return embeddings


def _entries(graph: GraphTensors, sets: Tensor) -> Int64s:
    found: Int64s = graph.entries_of(sets).cpu().numpy()
    return found


def _vertices(graph: GraphTensors, sets: Tensor, entries: Int64s) -> Int64s | None:
    """How many vertices (N) the subgraph of each set has, where a device is better told than asked at each batch."""
    if not graph.is_far:
        return None
    batches = (induce(graph, some) for some, *_ in _pieces(graph, sets, entries))
    return np.concatenate([torch.bincount(b.set_of, minlength=b.num_sets).cpu().numpy() for b in batches])


def _pieces(graph: GraphTensors, sets: Tensor, entries: Int64s, vertices: Int64s | None = None) -> list[Piece]:
    """``sets`` (N, M), with so many adjacency ``entries`` (N) and ``vertices`` (N), in pieces of one size and not too
    many entries.
    """
    most = _MOST_ENTRIES.get(graph.device.type, _MOST_ENTRIES_ELSEWHERE)
    size = max(1, entries.size * most // max(int(entries.sum()), 1))
    firsts = np.arange(0, entries.size, size)
    of_each = [None] * firsts.size if vertices is None else np.add.reduceat(vertices, firsts).tolist()
    return list(zip(torch.split(sets, size), np.add.reduceat(entries, firsts).tolist(), of_each, strict=True))


def _inputs(encoder: Encoder, graph: GraphTensors, piece: Piece) -> Inputs:
    """What the encoder takes for a piece."""
    sets, entries, vertices = piece
    batch = induce(graph, sets, entries if graph.is_far else None, vertices)
    return batch, *encoder.vertex_features(graph, batch)


def _class_numbers(samples: LabelledSubgraphs) -> Int64s:
    """Labels as 0, 1, ..., whatever classes were dropped."""
    return np.searchsorted(samples.classes, samples.labels)


def _held_out_fifth(labels: Int64s, seed: int) -> tuple[Int64s, Int64s]:
    """Indices to learn from and indices held out, one in five of each class."""
    order = np.random.default_rng([seed, 1]).permutation(labels.size)
    order = order[np.argsort(labels[order], kind="stable")]
    rank = np.arange(labels.size)
    return order[rank % _HELD_OUT != 0], order[rank % _HELD_OUT == 0]


class _Run:
    """The state of one training: weights, optimiser, and the best weights so far."""

    def __init__(self, graph: GraphTensors, roots: Int64s, labels: Int64s, settings: Settings, seed: int) -> None:
        self.graph, self.seed = graph, seed
        self.roots, self.labels = on_device(roots, graph.device), on_device(labels, graph.device)
        self.entries = _entries(graph, self.roots)
        self.vertices = _vertices(graph, self.roots, self.entries)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.encoder = Encoder(
                graph.features.shape[1],
                settings.vertex_dim,
                settings.embedding_dim,
                normalised=settings.normalised,
                marks_roots=settings.marks_roots,
            )
            loss = choose(settings.loss, LOSSES, "loss")(settings.embedding_dim, int(labels.max()) + 1)
        self.network = nn.ModuleDict({"encoder": self.encoder, "loss": loss}).to(graph.device)
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

    def _sizes(self, chosen: Int64s) -> tuple[Int64s, Int64s | None]:
        """Adjacency entries and vertices of the samples ``chosen``."""
        return self.entries[chosen], None if self.vertices is None else self.vertices[chosen]

    def _backward(self, chosen: Int64s) -> Tensor:
        """Leave the gradients of the loss on ``chosen`` in the network, and return the loss.

        The loss compares all subgraphs of a batch, but their embeddings can be computed in pieces: once without
        gradients, to learn the loss's gradient at each embedding, and once more to pass it on.
        """
        where = on_device(chosen, self.graph.device)
        pieces = _pieces(self.graph, self.roots[where], *self._sizes(chosen))
        inputs = in_threads(partial(_inputs, self.encoder, self.graph), pieces)
        if len(inputs) == 1:
            whole: Tensor = self.network["loss"](self.encoder(*inputs[0]), self.labels[where])
            whole.backward()  # type: ignore[no-untyped-call]
            return whole.detach()
        embeddings = torch.cat(in_threads(partial(_embedded, self.encoder), inputs)).requires_grad_()
        loss: Tensor = self.network["loss"](embeddings, self.labels[where])
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
        where = on_device(held_out, self.graph.device)
        embeddings = _embeddings(self.encoder, self.graph, self.roots[where], *self._sizes(held_out))
        self.held_out_loss = float(self.network["loss"](embeddings, self.labels[where]))
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
        self.best = {name: t.to(self.graph.device) for name, t in without_prefix("best", tensors).items()}
        restore_optimiser(self.optimiser, without_prefix("optimiser", tensors))
        self.epoch, self.since_best, self.best_loss = facts["epoch"], facts["since_best"], facts["best_loss"]


def _copied(network: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}


def _quality(
    embeddings: Tensor, goal: Tensor, labels: Int64s, learnt: Int64s, held_out: Int64s, epochs: int, loss: float
) -> EncoderReport:
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
