"""Any pruner solves: on the part it keeps, scored on the whole graph."""

from pathlib import Path
from typing import Self

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph
from lense.pruners import Pruner
from lense.subgraphs import Subgraph, subgraph
from tests import learning


class FirstVertices(Pruner):
    """Keeps the subgraph of the first ``budget`` vertices, good or bad."""

    def __init__(self, problem: str, budget: float) -> None:
        self.problem, self.budget = problem, budget

    def fit(self, graph: Graph, *, prepared: bool = False) -> Self:
        return self

    def prune(self, graph: Graph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        return subgraph(graph, np.arange(int(self.budget if budget is None else budget)))

    def save(self, folder: str | Path) -> None:
        return None


def test_the_answer_lies_in_the_part_and_is_scored_on_the_whole() -> None:
    pruner, graph = FirstVertices("bmc", 4), learning.graph()
    answer = pruner.solve(graph)
    assert set(answer.vertices.tolist()) <= set(pruner.prune(graph).vertices.tolist())
    assert answer.score == pruner.problem_.objective(graph, answer.vertices)
    assert answer.certified is not None
    assert pruner.solve(graph, certify=False).certified is None


def test_another_budget_may_be_spent() -> None:
    assert FirstVertices("mvc", 4).solve(learning.graph(), budget=6).vertices.size == 6


def test_a_budget_larger_than_the_graph_is_refused() -> None:
    with pytest.raises(LenseError, match="budget"):
        FirstVertices("mvc", 4).solve(learning.graph(), budget=201)
