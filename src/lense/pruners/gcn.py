"""The GCN pruner of the QuickPrune study: two graph convolutions on random features."""

from dataclasses import dataclass
from typing import ClassVar

from lense._util.types import Float32s
from lense.graph import Graph
from lense.problems.base import Rng
from lense.pruners.classifier import VertexClassifier


@dataclass(kw_only=True, repr=False, eq=False)
class GCNPruner(VertexClassifier):
    """Two graph convolutions of ``width`` hidden units on ``num_features`` random features of each vertex.

    The features are uniform on 0..1. They are drawn from ``seed`` for the train graph, and again for every graph to
    prune.
    """

    name: ClassVar[str] = "gcn"
    title: ClassVar[str] = "GCN"
    description: ClassVar[str] = "Vertices that a two-layer GCN on random features puts in the solution."
    family: ClassVar[str] = "later"
    randomised: ClassVar[bool] = True
    counts: ClassVar[tuple[str, ...]] = ("epochs", "width", "num_features")

    width: int = 16
    num_features: int = 16
    epochs: int = 2000
    seed: int = 0
    device: str = "cpu"

    def features(self, graph: Graph, rng: Rng) -> Float32s:
        return rng.random((graph.num_vertices, self.num_features), dtype="float32")
