"""The Q-network: the value of swapping v for u in a subgraph."""

import torch
from torch import Tensor, nn

from lense.settings import Settings

HIDDEN = 128


class QNetwork(nn.Module):
    """Q: R^d x R^d' x R^d' -> R. Three layers of 128 take the subgraph, v and u; three more their concatenation.

    With no ``embedding_dim`` d, Q is a function of the vectors of v and u alone, R^d' x R^d' -> R. With a ``prior``,
    <p, u - v> is added for a p in R^d' that :meth:`begin_with` sets: a policy to begin with, to which the layers learn
    a correction (Silver et al. 2018); p is learnt as well.
    """

    def __init__(self, embedding_dim: int | None, vertex_dim: int, *, prior: bool = False) -> None:
        super().__init__()
        self.subgraph = None if embedding_dim is None else nn.Linear(embedding_dim, HIDDEN)
        self.leaving = nn.Linear(vertex_dim, HIDDEN)
        self.entering = nn.Linear(vertex_dim, HIDDEN)
        self.joint = nn.Linear((2 if embedding_dim is None else 3) * HIDDEN, HIDDEN)
        self.hidden = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, 1)
        self.prior = nn.Linear(vertex_dim, 1, bias=False) if prior else None

    @torch.no_grad()
    def begin_with(self, direction: Tensor) -> None:
        """Let Q be what a swap gains along ``direction`` (d'), before anything is learnt."""
        assert self.prior is not None
        self.prior.weight.copy_(direction)
        self.value.weight.zero_()
        self.value.bias.zero_()

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
        if self.prior is not None:
            values = values + self.prior(entering - leaving)
        return values.squeeze(-1)


def q_network(settings: Settings) -> QNetwork:
    """An untrained network that sees what the ``settings`` say."""
    embedding_dim = settings.embedding_dim if settings.sees_subgraph else None
    return QNetwork(embedding_dim, settings.vertex_dim, prior=settings.prior == "always")


def greedy(values: Tensor, mask: Tensor) -> Tensor:
    """The allowed action of largest value, of values and mask (..., M)."""
    return values.masked_fill(~mask, -torch.inf).argmax(dim=-1)
