"""What the encoder minimises: InfoNCE, or one of the two alternatives of the paper's appendix."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.losses.generic_pair_loss import GenericPairLoss
from torch import Tensor, nn

TEMPERATURE = 0.1


class InfoNCE(GenericPairLoss):  # type: ignore[misc]
    """The mean of -log(e^(x x+ / t) / (e^(x x+ / t) + sum e^(x x- / t))) over all pairs x, x+ of one class.

    The sum runs over the x- of other classes in the batch; all are compared by the cosine, t = 0.1. It is the value of
    pytorch-metric-learning's ``NTXentLoss``, which compares every positive with every negative pair; with the sum of
    each x taken once, n^2 numbers do instead of n^4.
    """

    def __init__(self, embedding_dim: int, num_classes: int) -> None:
        super().__init__(mat_based_loss=True)

    def get_default_distance(self) -> CosineSimilarity:
        return CosineSimilarity()

    def _compute_loss(self, mat: Tensor, pos_mask: Tensor, neg_mask: Tensor) -> dict[str, dict[str, object]]:
        similarity = mat / TEMPERATURE
        negatives = similarity.masked_fill(neg_mask == 0, -torch.inf).logsumexp(dim=1, keepdim=True)
        pairs = pos_mask.nonzero(as_tuple=True)
        losses = nn.functional.softplus(negatives - similarity)[pairs]
        return {"loss": {"losses": losses, "indices": pairs, "reduction_type": "pos_pair"}}


class CrossEntropy(nn.Module):
    """The cross-entropy of the classes predicted by a linear layer on the embedding."""

    def __init__(self, embedding_dim: int, num_classes: int) -> None:
        super().__init__()
        self.output = nn.Linear(embedding_dim, num_classes)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(self.output(embeddings), labels)


class Ordinal(nn.Module):
    """The squared error of sigmoid(W x + b) from y with y_j = 1 for j <= i, 0 else, for class i (Cheng et al. 2008)."""

    def __init__(self, embedding_dim: int, num_classes: int) -> None:
        super().__init__()
        self.output = nn.Linear(embedding_dim, num_classes)

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        predicted = self.output(embeddings).sigmoid()
        ranks = torch.arange(predicted.shape[1], device=labels.device)
        return nn.functional.mse_loss(predicted, (ranks <= labels.unsqueeze(1)).to(predicted.dtype))


LOSSES: Mapping[str, Callable[[int, int], nn.Module]] = MappingProxyType(
    {"infonce": InfoNCE, "cross-entropy": CrossEntropy, "ordinal": Ordinal}
)
"""By name: classes made with (embedding_dim, num_classes) and called with embeddings (B, d) and labels 0..K-1 (B)."""
