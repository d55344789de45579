"""Whoever reads a plan or a piece can rely on what it holds."""

from copy import deepcopy
from typing import Any

import pytest

from lense.experiments.shapes import Array, Each, Either, fault, fault_of_piece, fault_of_plan


@pytest.mark.parametrize(
    ("value", "shape", "told"),
    [
        (1, float, ""),
        (1.5, int, " is no whole number"),
        (True, float, " is no number"),
        (float("nan"), float, " is no number"),
        (float("-inf"), float, " is no number"),
        (10**400, float, " is no number"),
        (None, Either((float, None)), ""),
        ("1", Either((float, None)), " is no number"),
        ({"a": {"b": "x"}}, {"a": {"b": float}}, "a.b is no number"),
        ({"a": {}}, {"a": {"b": float}}, "it lacks a.b"),
        ({}, {"a?": float}, ""),
        ({"a": []}, {"a?": float}, "a is no number"),
        ({"a": []}, {"a": Each(float)}, "a is no list of one or more"),
        ({"a": [1, [2]]}, {"a": Each(float)}, "a[1] is no number"),
        ({"a": [1, 2]}, {"a": [float]}, "a is no list of 1"),
        ({"a": [[1, 2], [3, 4.5]], "b": [1, 2]}, {"a": Array(("n", 2)), "b": Array(("n",))}, ""),
        ({"a": [[1, 2], [3]]}, {"a": Array(("n", 2))}, "a does not hold numbers alone"),
        ({"a": [1, 2.5]}, {"a": Array(("n",), are_whole=True)}, "a does not hold whole numbers alone"),
        ({"a": [1, "2"]}, {"a": Array(("n",))}, "a does not hold numbers alone"),
        ({"a": [1, 2, 3]}, {"a": Array((2,))}, "a has not as many numbers as it must"),
        ({"a": [[1, 2]], "b": [1, 2]}, {"a": Array(("n", 2)), "b": Array(("n",))}, "b has not as many numbers"),
        ({"a": []}, {"a": Array(("n",))}, "a "),
    ],
)
def test_what_is_wrong_is_told_with_its_place(value: Any, shape: Any, told: str) -> None:
    found = fault(value, shape)
    assert found.startswith(told) if told else not found


CONFIG: dict[str, Any] = {"graph": "wiki", "problem": "mvc", "options": {}, "train_share": None, "seed": 0}
SHARES = {"ratio": 1.0, "vertices_pruned": 0.5, "edges_pruned": 0.5}
MEASURED = {**SHARES, "seconds": 0.1, "combined": 0.5}
COSTS = {"seconds": None, "peak_bytes": 3}
CIRCUMSTANCES: dict[str, Any] = {"versions": {}, "machine": {}}
DONE: dict[str, tuple[str, dict[str, Any]]] = {
    "table1": ("wiki-mvc-0", {"ceiling": SHARES}),
    "budgets": ("wiki-mvc-0", {"budgets": [{"budget": budget, "ratios": [1.0, 0.9]} for budget in (1, 10, 12)]}),
    "scalability": (
        "wiki-mvc-0.20",
        {
            "solver": "greedy",
            "graph": {"vertices": 5, "edges": 6},
            "heuristic_on_graph": 1.0,
            "features": 0.5,
            "episodes": [{"walk": 0.1, "heuristic": 0.1, "ratio": 1, "vertices": 3, "edges": 2}],
        },
    ),
    "losses": ("wiki-mvc-0.infonce", {"parts": [SHARES, SHARES]}),
    "walk": (
        "wiki-mvc-0",
        {
            "cutoffs": [0.9],
            "labels": [1, 2, 1],
            "points": [[0, 1], [2, 3], [4, 5]],
            "goal": [0.5, 1],
            "distances": [[3, 2], [1, 1]],
            "paths": [[[0, 0], [1, 1]], [[2, 2], [3, 3]]],
        },
    ),
    "maps": ("wiki-mvc-0", {"encoder": {"neighbour_accuracy": 0.9, "order": 0.8, "silhouette": None}}),
    "compare": (
        "lense.0",
        {
            "pruner": "lense",
            "seed": 0,
            "given_size": {},
            "fit": COSTS,
            "prune": {**COSTS, "side_by_side": 2},
            "parts": [{"vertices": 5, "edges": 4, "roots": 3}],
            "subgraph": [MEASURED],
            "ground-set": [{"error": "It is too small."}],
            **CIRCUMSTANCES,
        },
    ),
}


def plan_of(experiment: str) -> dict[str, Any]:
    return {"experiment": experiment, **{name: CONFIG[name] for name in CONFIG if name != "seed"}, "budget": 12}


def leaves(value: Any) -> list[tuple[Any, Any]]:
    """Every list or dictionary within a value, with each of its keys that holds a number or numbers."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    found = [(value, key) for key in keys if value[key] is not None and not isinstance(value[key], str | dict)]
    return found + [leaf for key in keys for leaf in leaves(value[key])]


@pytest.mark.parametrize("experiment", list(DONE))
def test_a_piece_is_sound_and_any_figure_in_it_that_is_none_is_told(experiment: str) -> None:
    piece, figures = DONE[experiment]
    sound = {"status": "done", "config": CONFIG, **figures}
    assert not fault_of_piece(plan_of(experiment), piece, sound)
    damages = 0
    for number in range(len(leaves(figures))):
        wrong: list[Any] = ["x", [], {}, float("nan")]
        for bad in wrong:
            damaged = deepcopy(figures)
            place, key = leaves(damaged)[number]
            place[key] = bad
            assert fault_of_piece(plan_of(experiment), piece, {**sound, **damaged})
            damages += 1
    assert damages > 4
    for name in figures.keys() - CIRCUMSTANCES.keys():
        rest = {key: value for key, value in sound.items() if key != name}
        assert fault_of_piece(plan_of(experiment), piece, rest) == f"it lacks {name}"


def test_a_piece_that_failed_must_say_why_and_no_more() -> None:
    failed = {"status": "failed", "config": CONFIG}
    assert fault_of_piece(plan_of("losses"), "wiki-mvc-0.infonce", failed) == "it lacks error"
    assert not fault_of_piece(plan_of("losses"), "wiki-mvc-0.infonce", {**failed, "error": "Its process died."})


@pytest.mark.parametrize("name", ["graph", "problem", "options", "budget"])
def test_the_plan_of_a_comparison_tells_what_was_compared(name: str) -> None:
    assert not fault_of_plan(plan_of("compare"))
    assert name in fault_of_plan({**plan_of("compare"), name: [1]})
    assert fault_of_plan({**plan_of("compare"), "experiment": 1}) == "experiment is no text"
