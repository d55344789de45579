"""scikit-learn's conventions, as far as they mean something for pruners."""

from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone

from lense import evaluate, solve
from lense.graph import power_law
from lense.problems import get_problem
from lense.pruners import Pruner, get_pruner, pruner_class
from lense.pruners.ranking import RandomVertices
from lense.pruners.registry import pruner_names

GRAPH = power_law(200, 6, 2.4, np.random.default_rng(1))
KINDS = [pruner_class(name) for name in pruner_names()]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_arguments_are_stored_as_given_and_clone_makes_one_that_is_not_fitted(kind: type[Pruner]) -> None:
    pruner = kind("bmc" if kind.name != "bounds" else "mvc", 7)
    assert set(pruner.get_params()) == set(signature(kind).parameters)
    copied = clone(pruner)
    assert copied is not pruner
    assert copied.get_params() == pruner.get_params()
    assert copied.is_fitted is not kind.learns


def test_random_state_is_another_name_for_seed_in_functions() -> None:
    assert get_pruner("core", "mvc", 5, random_state=6).get_params()["seed"] == 6
    assert get_problem("im", random_state=7).seed == 7  # type: ignore[attr-defined]
    pruner = RandomVertices("mvc", 5)
    assert solve(GRAPH, "im", 3, random_state=4).score == solve(GRAPH, "im", 3, seed=4).score
    assert evaluate(pruner, GRAPH, random_state=3).ratios == evaluate(pruner, GRAPH, seed=3).ratios
