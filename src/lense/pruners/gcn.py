"""Two graph convolutions: on random features, as in the QuickPrune study, or on those that LLM2Prune publishes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lense._util.types import Float32s
from lense.graph import Graph
from lense.problems.base import Rng
from lense.pruners.classifier import VertexClassifier


@dataclass(kw_only=True, repr=False, eq=False)
class GCNPruner(VertexClassifier):
    """Two graph convolutions of ``width`` hidden units on ``num_features`` features of each vertex, uniform on 0..1."""

    name: ClassVar[str] = "gcn"
    title: ClassVar[str] = "GCN"
    description: ClassVar[str] = "Vertices that a two-layer GCN on random features puts in the solution."
    randomised: ClassVar[bool] = True

    width: int = 16
    num_features: int = 16
    epochs: int = 2000
    seed: int = 0
    device: str = "cpu"

    def features(self, graph: Graph, rng: Rng) -> Float32s:
        return rng.random((graph.num_vertices, self.num_features), dtype="float32")


@dataclass(kw_only=True, repr=False, eq=False)
class LLM2Prune(VertexClassifier):
    """Two graph convolutions of ``width`` hidden units on features x that say what a vertex is worth, as log(1 + x).

    For covering, x is the size of the closed neighbourhood. For cutting, there are two: the degree, and the expected
    number of edges in a random cut, half of it. For problems that use direction, x are the problem's own features.
    """

    name: ClassVar[str] = "llm2prune"
    title: ClassVar[str] = "LLM2Prune"
    description: ClassVar[str] = "Vertices that a GCN on published features puts in the solution."

    width: int = 16
    epochs: int = 2000
    seed: int = 0
    device: str = "cpu"

    def features(self, graph: Graph, rng: Rng) -> Float32s:
        problem = self.problem_
        if problem.uses_direction:
            return np.log1p(problem.features(graph))
        degrees = problem.degrees(graph)
        worth = [degrees, degrees / 2] if problem.pair_loss == 2 else [degrees + 1]
        found: Float32s = np.log1p(np.column_stack(worth)).astype(np.float32)
        return found
