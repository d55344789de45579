"""What must not change when the same graph is given in another way, for every pruner and heuristic that is registered.

The graph has hubs of clearly different sizes, more than a small part needs, so that what to choose does not depend on
how ties are broken. Where random numbers are drawn, scores are means over seeds, and may differ by what that leaves
open.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from lense._util.classes import registered
from lense._util.measuring import standard_error
from lense.graph import Graph, read_graph, write_graph
from lense.problems import Problem, get_problem
from lense.problems.base import problem_class
from lense.problems.parts import solve_part
from lense.pruners import Pruner, get_pruner, pruner_class
from lense.pruners.registry import pruner_names, pruner_parameters
from tests.conftest import tiny_settings

BUDGET, HUBS = 4, 12
SEEDS = range(6)
QUICK = {"epochs": 60, "teacher_epochs": 60, "episodes": 2}
WEIGHS = ("mvc", "bmc", "im")
PROBLEMS = sorted(registered("lense.problems"))
HEURISTICS = [(problem, solver) for problem in PROBLEMS for solver in problem_class(problem).heuristics]
PRUNED = [
    (name, problem)
    for name in sorted(pruner_names())
    for problem in (PROBLEMS if not pruner_class(name).learns else ("mvc",))
    if pruner_class(name).supports(get_problem(problem))
]
"""Those that learn do so for one problem: that takes most of the time."""


@cache
def graph(weighs: bool) -> Graph:
    """Hubs in a ring, with 60, 51, 43 ... leaves each; weights from 0.2 to 0.4."""
    rng = np.random.default_rng(3)
    sizes, hubs = (60 * 0.85 ** np.arange(HUBS)).astype(int), np.arange(HUBS)
    sources = np.concatenate([np.repeat(hubs, sizes), hubs])
    targets = np.concatenate([HUBS + np.arange(sizes.sum()), np.roll(hubs, 1)])
    weights = (0.2 + 0.2 * rng.random(sources.size)).astype(np.float32)
    return Graph.from_edges(sources, targets, weights if weighs else None)


def renumbered(whole: Graph, folder: Path) -> Graph:
    number = np.random.default_rng(5).permutation(whole.num_vertices)
    sources, targets, weights = whole.edges()
    return Graph.from_edges(number[sources], number[targets], weights, num_vertices=number.size)


def with_a_vertex_more(whole: Graph, folder: Path) -> Graph:
    return Graph.from_edges(*whole.edges(), num_vertices=whole.num_vertices + 1)


def weighing_twice(whole: Graph, folder: Path) -> Graph:
    return whole if whole.weights is None else whole.reweighted(2 * whole.weights)


def in_other_lines(whole: Graph, folder: Path) -> Graph:
    """From an edge list with its lines in another order and, in some of them, the ends the other way round."""
    write_graph(whole, folder / "graph.txt")
    rng, comments, lines = np.random.default_rng(0), [], []
    for line in (folder / "graph.txt").read_text().splitlines():
        if line.startswith("#"):
            comments.append(line)
        else:
            one, other, *rest = line.split()
            lines.append("\t".join([other, one, *rest] if rng.random() < 0.5 else [one, other, *rest]))
    (folder / "graph.txt").write_text("\n".join([*comments, *rng.permutation(lines)]) + "\n")
    return read_graph(folder / "graph.txt")


def in_shards(whole: Graph, folder: Path) -> Graph:
    """From a folder of Parquet files, each with some of the edges."""
    (folder / "shards").mkdir()
    columns = dict(zip(("source", "target", "weight"), whole.edges(), strict=True))
    table = pa.table({name: values for name, values in columns.items() if values is not None})
    for number, first in enumerate(range(0, table.num_rows, 100)):
        parquet.write_table(table.slice(first, 100), folder / "shards" / f"{number:03d}.parquet")
    return read_graph(folder / "shards")


Change = Callable[[Graph, Path], Graph]
CHANGES: tuple[Change, ...] = (renumbered, with_a_vertex_more, weighing_twice)
FACTORS = {"bmc": 2.0}
"""What a score is multiplied by if all weights are; mvc is a share, and domination counts no weights."""
SAME: tuple[Change, ...] = (in_other_lines, in_shards)
"""After which the graph is the very same, and so is every answer."""


IN_ORDER = ("quickprune",)
"""Pruners that decide on each vertex as they come to it, in the order of the numbers, so that these matter."""


def changes(problem: str) -> Iterator[Change]:
    """Where weights are chances, twice their value is another graph."""
    return (change for change in CHANGES if not (problem == "im" and change is weighing_twice))


def agree(here: list[tuple[float, float]], there: list[tuple[float, float]], factor: float = 1.0) -> None:
    """Assert that the mean scores are the same, up to four standard errors."""
    means, errors = zip(*(_mean(scores) for scores in (here, there)), strict=True)
    assert means[1] == pytest.approx(factor * means[0], rel=1e-6, abs=4 * hypot(factor * errors[0], errors[1]))


def _mean(scores: list[tuple[float, float]]) -> tuple[float, float]:
    """The mean score, and its standard error: that of the runs, and that of each score, which all runs may share."""
    values, errors = np.array(scores).T
    return float(values.mean()), hypot(standard_error(values) or 0.0, float(errors.max()))


def solved(task: Problem, whole: Graph) -> list[tuple[float, float]]:
    found = [task.solve(whole, BUDGET, np.random.default_rng(seed), certify=False) for seed in SEEDS]
    return [(one.score, one.stderr) for one in found]


@pytest.mark.parametrize(("problem", "solver"), HEURISTICS)
def test_a_heuristic_scores_the_same_on_the_same_graph_given_in_another_way(
    problem: str, solver: str, tmp_path: Path
) -> None:
    task, whole = get_problem(problem, solver=solver), graph(problem in WEIGHS)
    expected = solved(task, task.prepare(whole))
    for change in changes(problem):
        changed = task.prepare(change(whole, tmp_path))
        agree(expected, solved(task, changed), FACTORS.get(problem, 1.0) if change is weighing_twice else 1.0)
    for change in SAME:
        assert solved(task, task.prepare(change(whole, tmp_path))) == expected, change.__name__


@cache
def fitted(name: str, problem: str) -> Pruner:
    known = pruner_parameters(name)
    params: dict[str, Any] = {key: value for key, value in QUICK.items() if key in known}
    if name == "lense":
        params = {"settings": {**tiny_settings(), "train_steps": 20}}
    pruner = get_pruner(name, problem, BUDGET, **params)
    return pruner.fit(graph(problem in WEIGHS)) if pruner.learns else pruner


def pruned(pruner: Pruner, whole: Graph) -> list[tuple[float, float]]:
    """As a ground set: a part of few edges leaves choices that add nothing there, and those are all the same."""
    parts = pruner.parts(whole, episodes=len(SEEDS), prepared=True)
    found = [
        solve_part(pruner.problem_, whole, part, BUDGET, np.random.default_rng(seed), mode="ground-set")
        for seed, part in zip(SEEDS, cycle(parts), strict=False)
    ]
    return [(one.score, one.stderr) for one in found]


@pytest.mark.parametrize(("name", "problem"), PRUNED)
def test_a_pruner_keeps_as_much_of_the_same_graph_given_in_another_way(name: str, problem: str, tmp_path: Path) -> None:
    pruner, whole = fitted(name, problem), graph(problem in WEIGHS)
    task = pruner.problem_
    expected = pruned(pruner, task.prepare(whole))
    for change in changes(problem):
        if change is renumbered and name in IN_ORDER:
            continue
        changed = task.prepare(change(whole, tmp_path))
        agree(expected, pruned(pruner, changed), FACTORS.get(problem, 1.0) if change is weighing_twice else 1.0)
    for change in SAME:
        assert pruned(pruner, task.prepare(change(whole, tmp_path))) == expected, change.__name__


@pytest.mark.parametrize("name", sorted(pruner_names()))
def test_other_names_of_the_vertices_in_the_same_order_change_nothing(name: str) -> None:
    pruner, whole = fitted(name, "mvc"), graph(weighs=True)
    names = np.array([f"v{label:05d}" for label in whole.labels.tolist()])
    renamed = Graph.from_edges(*whole.edges(), labels=names)
    kept = pruner.prune(whole).graph.labels
    assert pruner.prune(renamed).graph.labels.tolist() == names[kept].tolist()


@pytest.mark.parametrize("problem", PROBLEMS)
def test_numbering_vertices_in_another_order_changes_the_score_of_no_set(problem: str, tmp_path: Path) -> None:
    task, whole = get_problem(problem), graph(problem in WEIGHS)
    number = np.random.default_rng(5).permutation(whole.num_vertices)  # that of renumbered
    chosen = np.random.default_rng(1).choice(whole.num_vertices, BUDGET, replace=False)
    here = task.evaluate(task.prepare(whole), chosen)
    there = task.evaluate(task.prepare(renumbered(whole, tmp_path)), number[chosen])
    agree([here], [there])
