"""COMBHelper: a large graph convolutional network teaches a small one which vertices are in the solution."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lense.errors import LenseError
from lense.pruners.classifier import VertexClassifier

if TYPE_CHECKING:
    from torch import Tensor, nn

_WEIGHT_DECAY = 0.0005


@dataclass(kw_only=True, repr=False, eq=False)
class COMBHelper(VertexClassifier):
    """A teacher of width ``teacher_dim`` learns the solution; a student of width ``student_dim`` learns from both.

    The student's loss is (1 - ``distilled``) cross-entropy + ``distilled`` distillation at ``temperature``. With
    ``boosting``, vertices that the teacher got wrong have more weight in its cross-entropy. Both networks have
    ``layers`` graph convolutions. Only the student is kept.
    """

    name: ClassVar[str] = "combhelper"
    title: ClassVar[str] = "COMBHelper"
    description: ClassVar[str] = "Vertices that a distilled and boosted GCN puts in the solution."

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

    def network(self, num_features: int, *, teaches: bool = False) -> "nn.Module":
        from lense.pruners._networks import GCN

        width = self.teacher_dim if teaches else self.student_dim
        return GCN([num_features] + [width] * (self.layers - 1))

    def learn(self, network: "nn.Module", features: "Tensor", matrix: "Tensor", is_in: "Tensor") -> float:
        if not (0 <= self.distilled <= 1 and self.temperature > 0):
            raise LenseError(
                "COMBHelper takes a share distilled from 0 to 1 and a temperature above 0, "
                f"not {self.distilled} and {self.temperature}."
            )
        from lense.pruners._networks import boosted, class_weights, cross_entropy, distillation, minimise

        weights = class_weights(is_in)
        taught = self._teacher(features, matrix, is_in, weights)
        boost = boosted(weights, (taught >= 0) != is_in) if self.boosting else weights

        def loss() -> "Tensor":
            judged = network(features, matrix)
            softened = distillation(judged, taught, weights, self.temperature)
            return (1 - self.distilled) * cross_entropy(judged, is_in, boost) + self.distilled * softened

        return minimise(network, loss, self.epochs, description="learning from the teacher", weight_decay=_WEIGHT_DECAY)

    def _teacher(self, features: "Tensor", matrix: "Tensor", is_in: "Tensor", weights: "Tensor") -> "Tensor":
        """The logits (n) of a trained teacher."""
        from lense.pruners._networks import cross_entropy, minimise

        teacher = self.network(features.shape[1], teaches=True).to(features.device)

        def loss() -> "Tensor":
            return cross_entropy(teacher(features, matrix), is_in, weights)

        minimise(teacher, loss, self.teacher_epochs, description="learning to teach", weight_decay=_WEIGHT_DECAY)
        taught: Tensor = teacher.requires_grad_(False)(features, matrix)
        return taught
