"""Answers from elsewhere are scored and certified like our own."""

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import get_problem
from lense.solving import score_answer

STAR = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 3], labels=np.array([10, 20, 30, 40, 50]))
MVC = get_problem("mvc")


def test_the_score_and_the_share_of_the_optimum_are_those_of_a_solution() -> None:
    found = score_answer(MVC, STAR, [20, "40"])
    assert found.indices.tolist() == [1, 3]
    assert found.budget == 2
    assert found.score == 0.75
    assert found.upper_bound == 1.0
    assert found.certified == 0.75


def test_a_larger_budget_has_a_larger_optimum() -> None:
    assert score_answer(MVC, STAR, [10]).optimal
    assert not score_answer(MVC, STAR, [10], 2).optimal


def test_without_a_certificate_there_is_no_bound() -> None:
    assert score_answer(MVC, STAR, [10], certify=False).upper_bound is None


@pytest.mark.parametrize(
    ("labels", "budget", "sentence"),
    [
        ([99], None, "no vertex '99'"),
        ([10, 10], None, "more than once"),
        ([], None, "no vertices"),
        ([10, 20], 1, "takes 2 of a budget of 1"),
    ],
)
def test_a_wrong_answer_is_one_sentence(labels: list[int], budget: float | None, sentence: str) -> None:
    with pytest.raises(LenseError, match=sentence):
        score_answer(MVC, STAR, labels, budget)
