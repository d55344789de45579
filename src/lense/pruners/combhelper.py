"""COMBHelper: a large graph convolutional network teaches a small one which vertices are in the solution."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from lense.errors import LenseError
from lense.pruners.classifier import VertexClassifier, class_weights, minimise
from lense.pruners.gcn import GCN

_WEIGHT_DECAY = 0.0005


@dataclass(kw_only=True, repr=False, eq=False)
class COMBHelper(VertexClassifier):
    """A teacher of width ``teacher_dim`` learns the solution; a student of width ``student_dim`` learns from both.

    The student's loss is (1 - ``distilled``) cross-entropy + ``distilled`` :func:`distillation` at ``temperature``.
    With ``boosting``, vertices that the teacher got wrong have more weight in its cross-entropy (see :func:`boosted`).
    Both networks have ``layers`` graph convolutions. Only the student is kept.
    """

    name: ClassVar[str] = "combhelper"
    title: ClassVar[str] = "COMBHelper"
    description: ClassVar[str] = "Vertices that a distilled and boosted GCN puts in the solution."
    family: ClassVar[str] = "later"
    first_weights: ClassVar[str] = "convolutions.0.lin.weight"
    counts: ClassVar[tuple[str, ...]] = ("epochs", "teacher_epochs", "teacher_dim", "student_dim", "layers")

    teacher_dim: int = 128
    student_dim: int = 32
    layers: int = 3
    distilled: float = 0.8
    temperature: float = 1.0
    boosting: bool = True
    teacher_epochs: int = 500
    epochs: int = 1000
    seed: int = 0
    device: str = "cpu"

    def network(self, num_features: int) -> nn.Module:
        return self._network(num_features, self.student_dim)

    def _network(self, num_features: int, width: int) -> GCN:
        return GCN([num_features] + [width] * (self.layers - 1))

    def learn(self, network: nn.Module, features: Tensor, matrix: Tensor, is_in: Tensor) -> float:
        if not (0 <= self.distilled <= 1 and self.temperature > 0):
            raise LenseError(
                "COMBHelper takes a share distilled from 0 to 1 and a temperature above 0, "
                f"not {self.distilled} and {self.temperature}."
            )
        weights = class_weights(is_in)
        taught = self._teacher(features, matrix, is_in, weights)
        boost = boosted(weights, (taught >= 0) != is_in) if self.boosting else weights

        def loss() -> Tensor:
            judged = network(features, matrix)
            softened = distillation(judged, taught, weights, self.temperature)
            return (1 - self.distilled) * cross_entropy(judged, is_in, boost) + self.distilled * softened

        return minimise(network, loss, self.epochs, description="learning from the teacher", weight_decay=_WEIGHT_DECAY)

    def _teacher(self, features: Tensor, matrix: Tensor, is_in: Tensor, weights: Tensor) -> Tensor:
        """The logits (n) of a trained teacher."""
        teacher = self._network(features.shape[1], self.teacher_dim).to(features.device)

        def loss() -> Tensor:
            return cross_entropy(teacher(features, matrix), is_in, weights)

        minimise(teacher, loss, self.teacher_epochs, description="learning to teach", weight_decay=_WEIGHT_DECAY)
        with torch.no_grad():
            taught: Tensor = teacher(features, matrix)
        return taught


def cross_entropy(logits: Tensor, is_in: Tensor, weights: Tensor) -> Tensor:
    """The weighted mean of -log p(v) over vertices that are in and -log (1 - p(v)) over those that are out."""
    return binary_cross_entropy_with_logits(logits, is_in.float(), weights, reduction="sum") / weights.sum()


def distillation(student: Tensor, teacher: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """T^2 times the weighted mean over vertices of KL(q || p) for the classes in and out.

    q = sigmoid(teacher / T) and p = sigmoid(student / T) are the softened probabilities. The factor T^2 keeps the size
    of the gradient independent of T.
    """
    s, t = student / temperature, teacher / temperature
    q = t.sigmoid()
    divergence = q * (logsigmoid(t) - logsigmoid(s)) + (1 - q) * (logsigmoid(-t) - logsigmoid(-s))
    return temperature**2 * (weights * divergence).sum() / weights.sum()


def boosted(weights: Tensor, misjudged: Tensor) -> Tensor:
    """AdaBoost's step: the weights of ``misjudged`` vertices (n, bool) times (1 - e) / e, where e is their share.

    Then they have as much weight as all others together. If e is 0, or 0.5 or more, nothing changes.
    """
    error = float(weights[misjudged].sum() / weights.sum())
    return torch.where(misjudged, weights * (1 - error) / error, weights) if 0 < error < 0.5 else weights
