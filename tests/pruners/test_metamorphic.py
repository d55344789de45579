"""What must not change when the same graph is given in another way, for every pruner and heuristic."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.graph import Graph, power_law, read_graph, relabel, write_graph
from lense.parts import Subgraph
from lense.problems import get_problem
from lense.pruners import get_pruner, pruner_class
from lense.pruners.registry import pruner_names, pruner_parameters
from tests.conftest import tiny_settings

BUDGET = 5
PROBLEMS = ("mvc", "bmc", "im", "domination")
QUICK = {"epochs": 3, "teacher_epochs": 3, "episodes": 2}


def graph() -> Graph:
    return power_law(250, 6, 2.3, np.random.default_rng(3)).without_isolated()  # which a .csv cannot hold


def fitted(name: str, problem: str) -> Any:
    known = pruner_parameters(name)
    params: dict[str, Any] = {key: value for key, value in QUICK.items() if key in known}
    if name == "lense":
        params = {"settings": {**tiny_settings(), "train_steps": 20}}
    pruner = get_pruner(name, problem, BUDGET, **params)
    return pruner.fit(graph()) if pruner.learns else pruner


def answer(part: Subgraph) -> set[Any]:
    return set(part.graph.labels.tolist())


def written_again(original: Graph, folder: Path, suffix: str) -> Graph:
    """The same graph from a file, with its edges in another order if the format has any."""
    path = folder / f"graph{suffix}"
    write_graph(original, path)
    if suffix == ".txt":
        head, *lines = path.read_text().splitlines(keepends=True)
        comments = [line for line in lines if line.startswith("#")]
        edges = [line for line in lines if not line.startswith("#")]
        path.write_text("".join([head, *comments, *np.random.default_rng(0).permutation(edges)]))
    return read_graph(path)


@pytest.mark.parametrize("name", sorted(pruner_names()))
def test_another_file_or_order_of_edges_changes_nothing(name: str, tmp_path: Path) -> None:
    if not pruner_class(name).supports(get_problem("mvc")):
        pytest.skip("it is for other problems")
    pruner, whole = fitted(name, "mvc"), graph()
    expected = answer(pruner.prune(whole))
    for suffix in (".txt", ".mtx", ".graph", ".npz", ".parquet", ".csv.gz"):
        assert answer(pruner.prune(written_again(whole, tmp_path, suffix))) == expected, suffix


@pytest.mark.parametrize("name", sorted(pruner_names()))
def test_other_names_of_the_vertices_in_the_same_order_change_nothing(name: str) -> None:
    pruner, whole = fitted(name, "mvc"), graph()
    renamed = replace(whole, labels=np.array([f"v{label:05d}" for label in whole.labels.tolist()]))
    expected = {f"v{label:05d}" for label in answer(pruner.prune(whole))}
    assert answer(pruner.prune(renamed)) == expected


@pytest.mark.parametrize("problem", PROBLEMS)
def test_numbering_vertices_in_another_order_changes_no_score(problem: str) -> None:
    whole = get_problem(problem).prepare(graph())
    task, rng = get_problem(problem), np.random.default_rng(5)
    order = rng.permutation(whole.num_vertices)
    sources, targets, weights = whole.edges()
    u, v, labels = relabel(order[sources], order[targets], np.arange(whole.num_vertices))
    moved = Graph.from_edges(u, v, weights, directed=whole.directed, labels=labels)
    chosen = rng.choice(whole.num_vertices, BUDGET, replace=False)
    here, there = (task.evaluate(one, at)[0] for one, at in ((whole, chosen), (moved, order[chosen])))
    assert there == pytest.approx(here, rel=0.05 if problem == "im" else 1e-12)  # im draws other worlds


@pytest.mark.parametrize("problem", PROBLEMS)
def test_an_isolated_vertex_changes_no_answer(problem: str) -> None:
    task, whole = get_problem(problem), graph()
    sources, targets, weights = whole.edges()
    larger = Graph.from_edges(sources, targets, weights, num_vertices=whole.num_vertices + 1)
    found = [task.solve(task.prepare(one), BUDGET, np.random.default_rng(0), certify=False) for one in (whole, larger)]
    if problem in ("mvc", "bmc"):
        assert found[0].vertices.tolist() == found[1].vertices.tolist()
    assert found[1].score == pytest.approx(found[0].score, rel=0.1 if problem == "im" else 1e-12)


@pytest.mark.parametrize("problem", ["mvc", "bmc"])
def test_weights_twice_as_large_choose_the_same(problem: str) -> None:
    whole = graph()
    sources, targets, _ = whole.edges()
    weights = np.random.default_rng(1).integers(1, 9, sources.size).astype(np.float32)
    task = get_problem(problem)
    one, two = (
        task.solve(
            task.prepare(Graph.from_edges(sources, targets, factor * weights)),
            BUDGET,
            np.random.default_rng(0),
            certify=False,
        )
        for factor in (1, 2)
    )
    assert one.vertices.tolist() == two.vertices.tolist()
    # the cover is a share of all weight, the cut is weight itself
    assert two.score == pytest.approx({"mvc": 1, "bmc": 2}[problem] * one.score)
