"""Answers as records and files; and answers from elsewhere: their score, and how good it is."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import replacing, system_errors, to_json
from lense._util.options import takes_random_state
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, Scan
from lense.problems import Problem, Solution

ANSWER_COLUMNS = ("order", "vertex")
"""Of an answer as .csv."""


@takes_random_state
def score_answer(
    problem: Problem,
    graph: Graph,
    labels: Sequence[Any],
    budget: float | None = None,
    *,
    seed: int = 0,
    certify: bool = True,
) -> Solution:
    """The vertices of a prepared ``graph`` that have these ``labels``, scored, and certified for the ``budget``.

    Without a budget it is what they take: their number, or the sum of their costs.
    """
    vertices = numbers_of(graph, labels)
    costs = problem.checked_costs(graph)
    taken = float(vertices.size if costs is None else costs[vertices].sum())
    allowed = taken if budget is None else budget
    if taken > allowed:
        raise LenseError(f"The answer takes {taken:g} of a budget of {allowed:g}.")
    problem.check_budget(graph, allowed)
    solution = Solution(problem.name, "given", allowed, vertices, float("nan"), float("nan"), 0.0)
    scored = problem.score(graph, solution)
    return problem.certify(graph, scored, np.random.default_rng(seed)) if certify else scored


def answer_record(problem: Problem, graph: Graph | Scan, solution: Solution, source: str, seed: int) -> dict[str, Any]:
    """Everything about a solution, vertices by the user's ids, in types that JSON knows."""
    return {
        "problem": solution.problem,
        "solver": solution.solver,
        "budget": int(solution.budget) if float(solution.budget).is_integer() else solution.budget,
        "score": solution.score,
        "stderr": solution.stderr,
        "unit": solution.unit,
        "lower_bound": solution.lower_bound,
        "upper_bound": solution.upper_bound,
        "certified": solution.certified,
        "optimal": solution.optimal,
        "seconds": solution.seconds,
        "certificate_seconds": solution.certificate_seconds,
        "vertices": list(solution.vertices),
        "details": dict(solution.details),
        "options": asdict(problem),
        "graph": {
            "source": source,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "directed": graph.directed,
        },
        "reason": solution.reason,
        "expected_ratio": solution.expected_ratio,
        "pruned": None,
        "seed": seed,
        "lense": version("lense"),
    }


def write_answer(path: Path, record: dict[str, Any]) -> None:
    """The record as .json, or its vertices as .csv, by way of a temporary file."""
    with system_errors(path, "written"), replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        if path.suffix == ".json":
            file.write(to_json(record) + "\n")
        else:
            rows = csv.writer(file)
            rows.writerow(ANSWER_COLUMNS)
            rows.writerows(enumerate(record["vertices"], start=1))


def numbers_of(graph: Graph, labels: Sequence[Any]) -> Int64s:
    """The vertices that have these labels, which may be text where the graph's are integers."""
    if not len(labels):
        raise LenseError("The answer has no vertices.")
    if not graph.num_vertices:
        raise LenseError("The graph has no vertices, so there is nothing to score.")
    given = np.asarray([str(label).strip() for label in labels])
    known = graph.labels.astype(np.str_)
    order = np.argsort(known)
    places = np.minimum(np.searchsorted(known, given, sorter=order), known.size - 1)
    numbers: Int64s = order[places].astype(np.int64)
    unknown = np.flatnonzero(known[numbers] != given)
    if unknown.size:
        raise LenseError(f"The graph has no vertex '{given[unknown[0]]}', which the answer names.")
    if np.unique(numbers).size < numbers.size:
        raise LenseError("The answer names a vertex more than once.")
    return numbers
