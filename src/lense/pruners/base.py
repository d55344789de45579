"""What a pruner is: fitted on a train graph, it finds in any graph the subgraph that is worth solving."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

import numpy as np

from lense.graph import Graph
from lense.problems import Problem, Solution, get_problem
from lense.subgraphs import Subgraph
from lense.subgraphs.within import solve_within


class Pruner(ABC):
    """A pruner for one problem and budget. Arguments of the constructor are stored as given; what is learnt ends in _.

    Graphs are passed as they were read: a pruner prepares them for the problem (edge probabilities, say) unless told
    that they are ``prepared``.
    """

    problem: str | Problem
    budget: float

    @abstractmethod
    def fit(self, graph: Graph, *, prepared: bool = False) -> Self:
        """Learn from a train graph."""

    @abstractmethod
    def prune(self, graph: Graph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        """The part of ``graph`` to solve on, within the budget fitted for or another one."""

    @abstractmethod
    def save(self, folder: str | Path) -> None:
        """Write what was learnt to a folder."""

    @property
    def problem_(self) -> Problem:
        """The problem itself, where the constructor was given its name."""
        return get_problem(self.problem) if isinstance(self.problem, str) else self.problem

    def solve(
        self,
        graph: Graph,
        *,
        budget: float | None = None,
        seed: int = 0,
        certify: bool = True,
        prepared: bool = False,
        **pruning: Any,
    ) -> Solution:
        """The heuristic on the pruned graph, its answer scored on the whole ``graph`` and bounded there.

        ``pruning`` goes to :meth:`prune`.
        """
        problem, budget = self.problem_, self.budget if budget is None else budget
        whole = graph if prepared else problem.prepare(graph)
        problem.check_budget(whole, budget)
        part = self.prune(whole, budget=budget, seed=seed, prepared=True, **pruning)
        return solve_within(problem, whole, part, budget, np.random.default_rng(seed), certify=certify)
