"""Keep what an optimum can contain, and find what every optimum contains."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lense._util.options import is_number
from lense.errors import LenseError
from lense.graph import AnyGraph, Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.problems import Problem
from lense.problems.bounds import EFFORT, LosslessCore, check_takes_part, lossless_core, takes_part
from lense.pruners.base import Pruner

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph


@dataclass(kw_only=True, repr=False, eq=False)
class Bounds(Pruner):
    """A lossless pruner for mvc, bmc and other problems with intervals: every optimum survives.

    Its part is xi of the live and the forced vertices, so that a set of them is worth there what it is worth in the
    whole graph. See :mod:`lense.problems.bounds`.

    Parameters
    ----------
    problem, budget
        As for :class:`Pruner`.
    effort
        How many passes over the graph the linear relaxation may take; 0 leaves the rule of intervals alone.

    Examples
    --------
    >>> import lense
    >>> star = lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    >>> lense.Bounds("mvc", 1).prune(star)
    Subgraph(4 vertices, 3 edges, 1 roots, 1 forced)
    """

    name: ClassVar[str] = "bounds"
    description: ClassVar[str] = "The vertices an optimum can contain, by proof."
    forces: ClassVar[bool] = True

    effort: float = EFFORT

    def __post_init__(self) -> None:
        self._check()

    @classmethod
    def supports(cls, problem: Problem) -> bool:
        return takes_part(problem)

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        core = self.core(graph, budget=budget, prepared=True)
        if core.live.size == graph.num_vertices:
            return Subgraph(graph, core.live, core.live)
        return subgraph(graph, np.union1d(core.live, core.forced), core.forced, only_roots=True)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        loss = self.problem_.loss_for("In a stream, the pruner bounds")
        part = graph.truncated_for(loss, int(budget))
        core = lossless_core(self.problem_.within(part), part.graph, budget, effort=self.effort)
        if core.live.size == graph.scan.num_vertices:
            return graph.whole()
        roots, forced = part.vertices[np.union1d(core.live, core.forced)], part.vertices[core.forced]
        return graph.subgraph(roots, forced, only_roots=True)

    def core(self, graph: AnyGraph, *, budget: float | None = None, prepared: bool = False) -> LosslessCore:
        """Return what is forced, what is live, what each round did, and a bound on the optimum.

        Parameters
        ----------
        graph, budget, prepared
            As for :meth:`prune`.
        """
        self._check()
        _, whole, spent = self._opened(graph, "core", prepared, budget)
        return lossless_core(self.problem_, whole, spent, effort=self.effort)

    def _check(self) -> None:
        if not is_number(self.effort) or not self.effort >= 0:
            raise LenseError(f"The effort of Bounds is a number of passes from 0 on, not {self.effort!r}.")
        check_takes_part(self.problem_)
