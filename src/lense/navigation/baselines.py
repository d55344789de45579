"""LeNSE's swaps without learning: at random, towards more edges, or towards better ranks."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lense._util.types import AnyArray, Float32s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation.environment import (
    Policy,
    inverse_ranks,
    largest_gain,
    random_swaps,
    roots_after,
    separating_feature,
)
from lense.pruners.base import Pruner
from lense.pruners.ranking import ROOTS_PER_BUDGET, importance, standing


@dataclass(kw_only=True, repr=False, eq=False)
class SwapWalk(Pruner):
    """From M random ``roots``, T ``steps``: each root is offered a neighbour, as LeNSE's are, and one pair is swapped.

    The defaults are three roots for each unit of the budget, and as many steps as roots; both grow in proportion to a
    budget larger than its own. A graph with no more vertices than roots is kept whole.
    """

    randomised: ClassVar[bool] = True

    roots: int | None = None
    steps: int | None = None

    @abstractmethod
    def policy(self, graph: Graph) -> Policy:
        """Which pair to swap in walks on a prepared graph."""

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return self.prune_seeds(graph, budget, range(seed, seed + 1))[0]

    def prune_seeds(self, graph: Graph, budget: float, seeds: range) -> list[Subgraph]:
        roots = math.ceil(ROOTS_PER_BUDGET * self.budget) if self.roots is None else self.roots
        steps = roots if self.steps is None else self.steps
        if roots < 1 or steps < 0:
            raise LenseError(
                f"{type(self).__name__} needs at least one root, and no negative number of steps, "
                f"not {roots:,} and {steps:,}."
            )
        num_roots = math.ceil(max(1.0, budget / self.budget) * roots)
        if num_roots >= graph.num_vertices:
            everything = np.arange(graph.num_vertices)
            return [Subgraph(graph, everything, everything)]
        walked = roots_after(
            graph.incident,
            np.empty((graph.num_vertices, 0), np.float32),
            self.policy(graph),
            seeds=seeds,
            num_roots=num_roots,
            places=[math.ceil(steps * num_roots / roots)],
        )
        return [subgraph(graph, roots) for roots in walked[0]]


class RandomWalk(SwapWalk):
    """Swaps a pair at random."""

    name: ClassVar[str] = "random-walk"
    description: ClassVar[str] = "The subgraph that random swaps end with."

    def policy(self, graph: Graph) -> Policy:
        return random_swaps


class DegreeWalk(SwapWalk):
    """Swaps the pair with the largest gain in degree or out-weight, even if it is negative."""

    name: ClassVar[str] = "degree-walk"
    description: ClassVar[str] = "The subgraph that swaps by the largest gain in degree end with."

    def policy(self, graph: Graph) -> Policy:
        return largest_gain(importance(self.problem_, graph))


@dataclass(kw_only=True, repr=False, eq=False)
class RankWalk(SwapWalk):
    """Swaps the pair with the largest gain in n / r, the inverse rank of one feature of the vertices.

    ``fit`` chooses the feature that sets the heuristic's solution of the train graph apart. LeNSE's network starts as
    this walk and learns to correct it.
    """

    name: ClassVar[str] = "rank-walk"
    description: ClassVar[str] = "The subgraph that swaps by the largest gain in rank end with."
    learns: ClassVar[bool] = True

    seed: int = 0

    def fit_graph(self, graph: Graph) -> None:
        solution = self.problem_.search(graph, self.budget, np.random.default_rng(self.seed)).indices
        self.feature_ = separating_feature(self._standings(graph), solution)

    def policy(self, graph: Graph) -> Policy:
        return largest_gain(inverse_ranks(self._standings(graph)[:, self.feature_], graph.num_vertices))

    def _standings(self, graph: Graph) -> Float32s:
        return standing(self.problem_.features(graph))

    def learnt(self) -> Mapping[str, AnyArray]:
        return {"feature": np.array(self.feature_)}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        self.feature_ = int(learnt["feature"])
