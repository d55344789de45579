"""The subgraph of the first vertices of a ranking, as LeNSE's is that of the roots its walk ends with."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lense._util.types import AnyArray, Int64s
from lense.errors import LenseError
from lense.graph import Graph, split
from lense.graph.subgraph import Subgraph, subgraph
from lense.pruners.base import Pruner
from lense.pruners.calibration import (
    Calibration,
    Expected,
    Trial,
    calibrated,
    can_be_tried,
    check_share,
    describe,
    num_affordable,
    too_small,
)
from lense.pruners.ranking import importance, largest

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

ROOTS_PER_BUDGET = 1.25
_MOST_PER_BUDGET = 1e6
_CONFIDENCE = 0.9


@dataclass(kw_only=True, repr=False, eq=False)
class RootsPruner(Pruner):
    """Keeps xi(X): the roots X, their neighbours, and the edges at X. X are the first k vertices of a ranking.

    k is ``roots_per_budget`` times the budget, rounded up; no more than there are vertices, no fewer than 1. With a
    ``target``, the share of the heuristic's own score that is to be kept, ``fit`` finds k instead, as for
    :class:`~lense.pruners.core.Core`: two random halves of the train graph are solved with 0.8 to 2 roots for each unit
    of the budget, and the fewest are taken that met the target on both. That takes 16 runs of the heuristic.
    """

    roots_per_budget: float = ROOTS_PER_BUDGET
    target: float | None = None
    seed: int = 0

    @abstractmethod
    def ranking(self, graph: Graph, count: int) -> Int64s:
        """The ``count`` vertices of a prepared graph that rank first, best first."""

    @property
    def needs_fit(self) -> bool:
        return self.target is not None

    @property
    def is_fitted(self) -> bool:
        return self.target is None or hasattr(self, "calibration_")

    def fit_graph(self, graph: Graph) -> None:
        """With a ``target``, find on two halves of the training graph how many roots meet it."""
        self._check()
        if self.target is not None:
            halves = split(graph, 0.5, self.seed)
            if not all(can_be_tried(half, self.budget) for half in halves):
                raise too_small()
            trials = [Trial(self.problem_, half, self.budget, self.seed) for half in halves]
            described = describe(self.problem_, graph, num_affordable(self.problem_, graph, self.budget))
            self.calibration_ = calibrated(trials, self._ratio).also_for(described)
            self.report_ = {"heuristic_runs": float(sum(trial.runs for trial in trials))}

    def _ratio(self, trial: Trial, per_budget: float) -> float:
        return trial.ratio(subgraph(trial.graph, self.ranking(trial.graph, trial.roots(per_budget))))

    def expected_on(self, graph: Graph, budget: float) -> Expected | None:
        if self.target is None:
            return None
        count = num_affordable(self.problem_, graph, budget)
        return self.calibration_.smallest(count, self.target, _CONFIDENCE, describe(self.problem_, graph, count))

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        self._check()
        expected = self.expected_on(graph, budget)
        count = self.num_roots(budget) if expected is None else expected.roots
        return subgraph(graph, self.ranking(graph, min(count, graph.num_vertices)))

    def num_roots(self, budget: float) -> int:
        """How many roots a part has without a target, if the graph has so many vertices."""
        self._check()
        return math.ceil(self.roots_per_budget * budget)

    def _check(self) -> None:
        if not 0 < self.roots_per_budget <= _MOST_PER_BUDGET:
            raise LenseError(f"The roots_per_budget of {self.name} must be above 0, not {self.roots_per_budget:g}.")
        if self.target is not None:
            check_share(self.target, "target", self.name)
            if self.roots_per_budget != ROOTS_PER_BUDGET:
                raise LenseError(f"Give {self.name} a target or roots_per_budget, not both.")

    def learnt(self) -> Mapping[str, AnyArray]:
        return self.calibration_.arrays() if hasattr(self, "calibration_") else {}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        self.calibration_ = Calibration.from_arrays(learnt)


class TopRoots(RootsPruner):
    """The roots are the vertices of largest degree, or of largest out-weight where the problem uses direction."""

    name: ClassVar[str] = "top-roots"
    description: ClassVar[str] = "The subgraph of the 1.25 b vertices of largest degree."
    family: ClassVar[str] = "rule"

    def ranking(self, graph: Graph, count: int) -> Int64s:
        return largest(importance(self.problem_, graph), count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        wanted = min(self.num_roots(budget), graph.scan.num_vertices)
        return graph.subgraph(largest(graph.counted, wanted))


class DiscountRoots(RootsPruner):
    """The roots are the vertices that :meth:`lense.Problem.discount_order` takes first."""

    name: ClassVar[str] = "discount-roots"
    description: ClassVar[str] = "The subgraph of 1.25 b vertices of large degree, spread over the graph."
    family: ClassVar[str] = "rule"

    def ranking(self, graph: Graph, count: int) -> Int64s:
        return self.problem_.discount_order(graph, count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        wanted = min(self.num_roots(budget), graph.scan.num_vertices)
        return graph.subgraph(graph.discount_order(self.problem_, wanted))
