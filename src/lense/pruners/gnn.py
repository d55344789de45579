"""GNN-R and GNN-T, the paper's vertex classifier: the encoder's layers without pooling, and a logit for each vertex."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.pruners.classifier import VertexClassifier
from lense.pruners.ranking import RankingPruner, largest

if TYPE_CHECKING:
    from torch import Tensor, nn


@dataclass(kw_only=True, repr=False, eq=False)
class ThresholdGNN(VertexClassifier):
    """GNN-T: keeps the vertices whose probability of being in the solution is 0.5 or more.

    The loss of an epoch is the binary cross-entropy on the b vertices of the solution and on b others drawn for it.
    ``vertex_dim`` is the width d' of the three layers.
    """

    name: ClassVar[str] = "gnn-t"
    title: ClassVar[str] = "GNN-T"
    description: ClassVar[str] = "The vertices with a probability of 0.5 or more by a GNN."

    vertex_dim: int = 30
    epochs: int = 2000
    seed: int = 0
    device: str = "cpu"

    def network(self, num_features: int) -> "nn.Module":
        from lense.pruners._networks import VertexSAGE

        return VertexSAGE(num_features, self.vertex_dim)

    def learn(self, network: "nn.Module", features: "Tensor", matrix: "Tensor", is_in: "Tensor") -> float:
        from torch.nn.functional import binary_cross_entropy_with_logits

        from lense._util.torch_device import on_device
        from lense.pruners._networks import minimise

        rng = np.random.default_rng([self.seed, 3])
        solution, others = (mask.nonzero().squeeze(1).cpu().numpy() for mask in (is_in, ~is_in))

        def loss() -> "Tensor":
            judged = on_device(with_as_many_others(solution, others, rng), is_in.device)
            return binary_cross_entropy_with_logits(network(features, matrix)[judged], is_in[judged].float())

        return minimise(network, loss, self.epochs, description="learning which vertices are in the solution")


@dataclass(kw_only=True, repr=False, eq=False)
class RankingGNN(ThresholdGNN, RankingPruner):
    """GNN-R: the same classifier, but it keeps as many vertices as a :class:`RankingPruner`, the most probable."""

    name: ClassVar[str] = "gnn-r"
    title: ClassVar[str] = "GNN-R"
    description: ClassVar[str] = "The vertices that a GNN finds most probable."

    prune_graph = RankingPruner.prune_graph

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        # by logits, since probabilities near 1 are rounded to the same number
        return largest(self.logits(graph, seed=seed).astype(np.float64), count)


def with_as_many_others(solution: Int64s, others: Int64s, rng: np.random.Generator) -> Int64s:
    """The b vertices of the solution and b of the others, all different, or all others if they are fewer."""
    return np.append(solution, rng.choice(others, min(solution.size, others.size), replace=False))
