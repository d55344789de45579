"""Keep vertices drawn at random."""

from typing import ClassVar

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.pruners.ranking import RankingPruner


class RandomVertices(RankingPruner):
    """Keeps vertices drawn uniformly: what every other pruner has to beat."""

    name: ClassVar[str] = "random"
    description: ClassVar[str] = "Vertices drawn at random."
    family: ClassVar[str] = "baseline"
    randomised: ClassVar[bool] = True

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return np.random.default_rng(seed).permutation(graph.num_vertices)[:count]
