"""The graphs of an experiment: what is learnt from, and what is pruned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from lense.graph import DATASETS, Graph, open_graph, split
from lense.graph.datasets import is_dataset
from lense.problems import Problem, seeded_problem

TRAIN_SHARE = 0.3


@dataclass(frozen=True)
class Case:
    """One seed of an experiment: the problem with its lots, a train graph, and a test graph, both prepared."""

    problem: Problem
    train: Graph
    test: Graph


@dataclass(frozen=True)
class Source:
    """A graph by name, file or as it is, and how train and test graphs are made of it for ``problem``.

    One of the paper's graphs is split as there; of any other graph, a random ``train_share`` of the edges is the train
    graph and the rest the test graph, unless ``train`` is a graph of its own. ``options`` are the problem's,
    ``reading`` those of :func:`lense.open_graph`.
    """

    graph: str | Graph
    problem: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    train: str | Graph | None = None
    train_share: float = TRAIN_SHARE
    reading: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def paper_graph(self) -> str | None:
        """The name of one of the paper's graphs, if it is one."""
        return self.graph if isinstance(self.graph, str) and is_dataset(self.graph) else None

    @property
    def title(self) -> str:
        return Path(self.graph).name if isinstance(self.graph, str) else repr(self.graph)

    def problem_for(self, seed: int) -> Problem:
        return seeded_problem(self.problem, seed, self.options)

    def case(self, seed: int) -> Case:
        """The problem and the graphs of one seed."""
        return _case(self, seed)

    def _split_share(self, problem: Problem) -> float:
        name = self.paper_graph
        return self.train_share if name is None else DATASETS[name].train_fraction(arcs=problem.uses_direction)

    def _opened(self, graph: str | Graph, problem: Problem) -> Graph:
        if isinstance(graph, str):
            graph = open_graph(graph, arcs=problem.uses_direction, **self.reading)
        return problem.prepare(graph)


@lru_cache(maxsize=1)  # the pieces of one seed follow one another, and each of them needs the graphs
def _case(source: Source, seed: int) -> Case:
    problem = source.problem_for(seed)
    whole = source._opened(source.graph, problem)
    if source.train is not None:
        return Case(problem, source._opened(source.train, problem), whole)
    return Case(problem, *split(whole, source._split_share(problem), seed))
