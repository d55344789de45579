"""The models that come with the package."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from lense.graph import Graph
from lense.problems import Problem, get_problem, heuristic
from lense.pruners.shipped import shipped_model


@pytest.mark.parametrize("name", ["mvc", "bmc", "im"])
def test_every_built_in_problem_has_one_that_says_what_it_saw(name: str) -> None:
    problem = get_problem(name)
    model = shipped_model(problem)
    assert model is not None
    assert model.problem_ is problem
    trained_on: Any = model.report_["trained_on"]
    assert trained_on["source"]


@dataclass(frozen=True, kw_only=True)
class Mine(Problem):
    name: ClassVar[str] = "mine"

    def objective(self, graph: Graph, vertices: object) -> float:
        return 0.0

    @heuristic("first")
    def first(self, graph: Graph, budget: int, rng: np.random.Generator) -> list[int]:
        return list(range(budget))


def test_a_problem_of_the_users_has_none() -> None:
    assert shipped_model(Mine()) is None
