"""The models that come with the package."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.graph import power_law
from lense.navigation import LeNSE
from lense.problems import get_problem
from lense.pruners import load
from lense.pruners.shipped import DEFAULTS, shipped_core, shipped_cores, shipped_model, shipped_models


@pytest.mark.parametrize("name", ["mvc", "bmc", "im", "domination"])
def test_every_built_in_problem_has_a_core_for_budgets_from_10_to_1000(name: str) -> None:
    problem = get_problem(name)
    core = shipped_core(problem)
    assert core is not None
    assert core.problem_ is problem
    (described,) = [row for row in shipped_cores() if row["problem"] == name]
    assert (described["least_budget"], described["largest_budget"]) == (10, 1000)
    graph = problem.prepare(power_law(5000, 6, 2.3, np.random.default_rng(0)))
    for budget in (10, 100, 1000):
        assert budget <= core.expected(graph, budget=budget, prepared=True).roots <= 1.5 * budget


@pytest.mark.parametrize(("name", "solver"), [("mvc", "mip"), ("im", "celf"), ("domination", "mip")])
def test_a_heuristic_that_finds_more_than_the_order_of_the_roots_has_a_choice(name: str, solver: str) -> None:
    problem = get_problem(name, solver=solver)
    core = shipped_core(problem)
    assert core is not None
    graph = problem.prepare(power_law(2000, 6, 2.3, np.random.default_rng(0)))
    assert core.prune(graph, budget=20, prepared=True).roots.size == 80


@pytest.mark.parametrize("described", shipped_models(), ids=lambda described: str(described["name"]))
def test_each_of_the_collection_loads_and_is_for_what_its_name_says(described: dict[str, Any]) -> None:
    model = load(described["name"])
    assert described["name"] == f"{model.paper_graph}-{model.problem_.name}"
    graph = model.problem_.prepare(power_law(1500, 4, 2.3, np.random.default_rng(0)))
    walked = model.find_roots(graph, episodes=1, places=[3])
    assert walked.shape == (1, 1, described["roots"])


def test_the_default_is_the_one_that_ships_whatever_lies_in_the_folder_one_works_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / DEFAULTS["mvc"]).mkdir()
    assert isinstance(shipped_model(get_problem("mvc")), LeNSE)
