"""The Q-network, the value of swapping v for u in a subgraph: as it is learnt, and as it runs on a GPU."""

import copy
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from lense._util.torch_device import on_device
from lense._util.types import AnyArray, Float32s
from lense.navigation.inference import HIDDEN, QValues

if TYPE_CHECKING:
    from lense.navigation.encoder import Encoder


class QNetwork(nn.Module):
    """Q(S, v, u) = e^a g(v, u) + h(S, v, u): the gain in rank, and what is learnt to add to it.

    h takes the subgraph S (d), and v and u by their vectors in the encoder's first layer (d'), which ``vectors`` holds
    and learning leaves alone: a layer of 128 for each of the three, then three layers for their concatenation. Without
    ``embedding_dim`` it does not see S.

    With x the ``feature`` of a vertex that separates the solution best, given by its rank as log(n / r) / log n,
    n / r = exp(x log n), and g(v, u) = sign(G) log(1 + |G|) / log n with G = n / r_u - n / r_v. It orders swaps as G
    does: the first vertices count for far more than all others. a is learnt too, and h is 0 before learning, so
    that the network starts as the gain in rank. Without a ``feature`` it is h alone, as in the paper.
    """

    feature: Tensor
    steepness: Tensor

    def __init__(
        self,
        num_numbers: int,
        vertex_dim: int,
        embedding_dim: int | None = None,
        *,
        feature: int | None = None,
        num_vertices: int = 2,
    ) -> None:
        super().__init__()
        self.vectors = nn.Linear(num_numbers, vertex_dim).requires_grad_(False)
        self.subgraph = None if embedding_dim is None else nn.Linear(embedding_dim, HIDDEN)
        self.leaving = nn.Linear(vertex_dim, HIDDEN)
        self.entering = nn.Linear(vertex_dim, HIDDEN)
        self.joint = nn.Linear((2 if embedding_dim is None else 3) * HIDDEN, HIDDEN)
        self.hidden = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, 1)
        self.corrects_ranks = feature is not None
        if feature is not None:
            nn.init.zeros_(self.value.weight)
            nn.init.zeros_(self.value.bias)
            self.scale = nn.Parameter(torch.zeros(()))
            self.register_buffer("feature", torch.tensor(feature))
            self.register_buffer("steepness", torch.tensor(math.log(max(num_vertices, 2))))

    @classmethod
    def for_encoder(
        cls, encoder: "Encoder", feature: int | None, num_vertices: int, *, sees_subgraph: bool = False
    ) -> "QNetwork":
        """A network that has learnt nothing, for vertices as the encoder sees them."""
        weight, bias = encoder.first_layer
        vertex_dim, num_numbers = weight.shape
        embedding_dim = encoder.output.out_features if sees_subgraph else None
        network = cls(num_numbers, vertex_dim, embedding_dim, feature=feature, num_vertices=num_vertices)
        network.vectors.load_state_dict({"weight": weight, "bias": bias})
        return network

    @classmethod
    def of(cls, weights: Mapping[str, AnyArray]) -> "QNetwork":
        """The network with these weights; random numbers are not touched."""
        vertex_dim, num_numbers = weights["vectors.weight"].shape
        embedding_dim = weights["subgraph.weight"].shape[1] if "subgraph.weight" in weights else None
        with torch.random.fork_rng(devices=[]):
            network = cls(num_numbers, vertex_dim, embedding_dim, feature=0 if "feature" in weights else None)
        network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        return network.requires_grad_(False)

    def in_numpy(self) -> QValues:
        """The same for walks on a CPU, where numpy is faster; what is learnt later does not change it."""
        return QValues({name: tensor.cpu().numpy().copy() for name, tensor in self.state_dict().items()})

    def for_walks(self) -> "QValues | QNetwork":
        """Itself on a GPU, in numpy on a CPU."""
        return self if self.on_gpu else self.in_numpy()

    @property
    def sees_subgraph(self) -> bool:
        return self.subgraph is not None

    @property
    def on_gpu(self) -> bool:
        return self.value.weight.device.type != "cpu"

    @torch.no_grad()
    def values(self, leaving: Float32s, entering: Float32s, embedding: Float32s | None = None) -> Float32s:
        """What :class:`QValues` finds, computed where the network is."""
        given = {"leaving": leaving, "entering": entering} | ({} if embedding is None else {"embedding": embedding})
        device = self.value.weight.device
        found: Float32s = self({name: on_device(array, device) for name, array in given.items()}).cpu().numpy()
        return found

    def weakened(self, strength: float) -> "QNetwork":
        """The same with ``strength`` times what was learnt to add to the gain in rank."""
        network = copy.deepcopy(self)
        with torch.no_grad():
            for parameter in network.value.parameters():
                parameter.mul_(strength)
        return network

    def forward(self, observation: dict[str, Tensor]) -> Tensor:
        """Values (..., M) of the swaps whose v and u are ``leaving`` and ``entering`` (..., M, 2k) in subgraphs whose
        ``embedding`` is (..., d), if it sees them.
        """
        leaving, entering = observation["leaving"], observation["entering"]
        # the concatenation times a matrix is the sum of the parts times its parts: the subgraph's is needed only once
        *of_subgraph, of_leaving, of_entering = torch.split(self.joint.weight, HIDDEN, dim=1)
        joint = nn.functional.linear(self.leaving(self.vectors(leaving)).relu(), of_leaving, self.joint.bias)
        joint = joint + nn.functional.linear(self.entering(self.vectors(entering)).relu(), of_entering)
        if self.subgraph is not None:
            seen = self.subgraph(observation["embedding"]).relu()
            joint = joint + nn.functional.linear(seen, *of_subgraph).unsqueeze(-2)
        values: Tensor = self.value(self.hidden(joint.relu()).relu()).squeeze(-1)
        return values + self.scale.exp() * self._rank_gain(leaving, entering) if self.corrects_ranks else values

    def _rank_gain(self, leaving: Tensor, entering: Tensor) -> Tensor:
        """g (..., M) of the swaps of v for u."""
        after, before = (x.index_select(-1, self.feature.view(1)).squeeze(-1) for x in (entering, leaving))
        gain = (self.steepness * after).exp() - (self.steepness * before).exp()
        return gain.sign() * gain.abs().log1p() / self.steepness

    def best(self, observation: dict[str, Tensor]) -> Tensor:
        """The allowed action of largest value (...), by the ``mask`` (..., M)."""
        values: Tensor = self(observation)
        return values.masked_fill(~observation["mask"], -torch.inf).argmax(dim=-1)
