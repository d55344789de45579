"""The Q-network: the value of swapping v for u in a subgraph."""

import torch
from torch import Tensor, nn

from lense.walking.settings import Settings

HIDDEN = 128


class QNetwork(nn.Module):
    """Q: R^d x R^d' x R^d' -> R. Three layers of 128 take the subgraph, v and u; three more their concatenation.

    With no ``embedding_dim`` d, Q is a function of the vectors of v and u alone, R^d' x R^d' -> R.
    """

    def __init__(self, embedding_dim: int | None, vertex_dim: int) -> None:
        super().__init__()
        self.subgraph = None if embedding_dim is None else nn.Linear(embedding_dim, HIDDEN)
        self.leaving = nn.Linear(vertex_dim, HIDDEN)
        self.entering = nn.Linear(vertex_dim, HIDDEN)
        self.joint = nn.Linear((2 if embedding_dim is None else 3) * HIDDEN, HIDDEN)
        self.hidden = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, 1)

    def forward(self, embedding: Tensor | None, leaving: Tensor, entering: Tensor) -> Tensor:
        """Values (..., M) of the swaps of v for u (..., M, d') in the subgraphs (..., d), if it sees them."""
        # the concatenation times a matrix is the sum of the parts times its parts: the subgraph's is needed only once
        *of_subgraph, of_leaving, of_entering = torch.split(self.joint.weight, HIDDEN, dim=1)
        joint = nn.functional.linear(self.leaving(leaving).relu(), of_leaving, self.joint.bias)
        joint = joint + nn.functional.linear(self.entering(entering).relu(), of_entering)
        if self.subgraph is not None:
            assert embedding is not None
            joint = joint + nn.functional.linear(self.subgraph(embedding).relu(), *of_subgraph).unsqueeze(-2)
        values: Tensor = self.value(self.hidden(joint.relu()).relu())
        return values.squeeze(-1)


class FeatureGain(nn.Module):
    """exp(k x_u) - exp(k x_v): what a swap of v for u gains in one ``feature`` x, for a ``steepness`` k.

    Nothing of it is learnt. For a feature told by its rank, x = log(n / r) / log n, and k = log n it is n / r_u -
    n / r_v: the first vertices count for far more than all others, so that they are brought in first, and what else
    the subgraph holds matters little.
    """

    feature: Tensor
    steepness: Tensor

    def __init__(self, feature: int = 0, steepness: float = 1.0) -> None:
        super().__init__()
        self.register_buffer("feature", torch.tensor(feature))
        self.register_buffer("steepness", torch.tensor(steepness))

    def forward(self, leaving: Tensor, entering: Tensor) -> Tensor:
        """Values (..., M) of the swaps of v for u, whose features are (..., M, k)."""
        after, before = (x.index_select(-1, self.feature.view(1)).squeeze(-1) for x in (entering, leaving))
        return (self.steepness * after).exp() - (self.steepness * before).exp()


def q_network(settings: Settings) -> QNetwork:
    """An untrained network that sees what the ``settings`` say."""
    embedding_dim = settings.embedding_dim if settings.sees_subgraph else None
    return QNetwork(embedding_dim, settings.vertex_dim)


def greedy(values: Tensor, mask: Tensor) -> Tensor:
    """The allowed action of largest value, of values and mask (..., M)."""
    return values.masked_fill(~mask, -torch.inf).argmax(dim=-1)
