"""The models that come with the package."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.problems import Problem, get_problem, heuristic
from lense.pruners.shipped import named_model, shipped_model, shipped_models


@pytest.mark.parametrize("name", ["mvc", "bmc", "im"])
def test_every_built_in_problem_has_one_that_says_what_it_saw(name: str) -> None:
    problem = get_problem(name)
    model = shipped_model(problem)
    assert model is not None
    assert model.problem_ is problem
    trained_on: Any = model.report_["trained_on"]
    assert trained_on["source"]


@pytest.mark.parametrize("told", shipped_models(), ids=lambda told: str(told["name"]))
def test_each_of_the_collection_loads_and_is_for_what_its_name_says(told: dict[str, Any]) -> None:
    model = named_model(told["name"])
    assert model is not None
    assert told["name"] == f"{model.paper_graph}-{model.problem_.name}"
    graph = model.problem_.prepare(power_law(1500, 4, 2.3, np.random.default_rng(0)))
    walked = model.roots_along(graph, [3], episodes=1)
    assert walked.shape == (1, 1, told["roots"])


def test_no_other_name_is_in_the_collection() -> None:
    assert named_model("moon-mvc") is None
    assert named_model("../models/wiki-mvc") is None


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
