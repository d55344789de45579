"""Vertex classifiers: what they learn from, what they keep, and how they are saved; the same for every one of them."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import lense
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.pruners import get_pruner
from lense.pruners._networks import minimise
from lense.pruners.classifier import VertexClassifier
from lense.pruners.gnn import ThresholdGNN
from tests import learning
from tests.pruners.examples import HUBS, LEAVES, hubs_and_leaves

NAMES = ("gnn-r", "gnn-t", "combhelper", "gcn", "llm2prune")


def untrained(name: str, budget: float = HUBS, **params: Any) -> VertexClassifier:
    params = {"epochs": 400 if name.startswith("gnn") else 1000, **params}
    if name == "combhelper":
        params = {"teacher_epochs": min(300, params["epochs"]), "teacher_dim": 64, **params}
    pruner = get_pruner(name, params.pop("problem", "mvc"), budget, **params)
    assert isinstance(pruner, VertexClassifier)
    return pruner


@cache
def fitted(name: str) -> VertexClassifier:
    return untrained(name).fit(hubs_and_leaves())


@pytest.mark.parametrize("name", NAMES)
def test_hubs_that_are_the_solution_are_separated_from_leaves(name: str) -> None:
    pruner = fitted(name)
    probabilities = pruner.probabilities(hubs_and_leaves())
    assert probabilities.dtype == np.float32
    assert probabilities.shape == (hubs_and_leaves().num_vertices,)
    leaves = probabilities[HUBS : HUBS * (1 + LEAVES)]
    assert probabilities[:HUBS].min() > 0.5 > leaves.max()
    assert set(range(HUBS)) <= set(pruner.prune(hubs_and_leaves()).vertices.tolist())


@pytest.mark.parametrize("name", NAMES)
def test_one_seed_gives_one_result_and_another_seed_another(name: str) -> None:
    first, same, other = (untrained(name, seed=seed, epochs=5).fit(hubs_and_leaves()) for seed in (0, 0, 1))
    assert learning.same_weights(first.network_, same.network_)
    assert not learning.same_weights(first.network_, other.network_)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_saved_prunes_as_before_and_damaged_or_other_weights_are_refused(name: str, tmp_path: Path) -> None:
    pruner, graph = fitted(name), learning.graph()
    pruner.save(tmp_path / "model")
    again = lense.load(tmp_path / "model")
    assert again.get_params() == {**pruner.get_params(), "problem": again.problem}
    assert again.report_ == pruner.report_
    assert np.array_equal(again.logits(graph), pruner.logits(graph))
    assert np.array_equal(again.prune(graph).roots, pruner.prune(graph).roots)
    file = tmp_path / "model" / "learnt.safetensors"
    whole = file.read_bytes()
    file.write_bytes(whole[:-7])
    with pytest.raises(LenseError, match="damaged"):
        lense.load(tmp_path / "model")
    file.write_bytes(whole)
    config = tmp_path / "model" / "config.json"
    width = {"combhelper": '"student_dim": 32', "gcn": '"width": 16', "llm2prune": '"width": 16'}.get(
        name, '"vertex_dim": 30'
    )
    assert width in config.read_text()
    config.write_text(config.read_text().replace(width, width[:-2] + "77"))
    with pytest.raises(LenseError, match=f"does not belong to a {name}"):
        lense.load(tmp_path / "model")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("problem", ["mvc", "bmc", "im"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_problem_is_learnt_on_directed_graphs_with_isolated_vertices(
    name: str, problem: str, weighted: bool
) -> None:
    rng = np.random.default_rng(0)
    sources, targets = rng.integers(0, 40, (2, 150))
    graph = Graph.from_edges(sources, targets, rng.random(150) if weighted else None, directed=True, num_vertices=43)
    pruner = untrained(name, 4, problem=problem, epochs=3).fit(graph)
    whole = pruner.problem_.prepare(graph)
    assert np.isfinite(pruner.logits(whole)).all()
    part = pruner.prune(whole, prepared=True)
    assert part.graph.directed
    assert set(part.roots.tolist()) <= set(part.vertices.tolist())


@pytest.mark.parametrize("name", ["gnn-t", "combhelper", "gcn"])
@pytest.mark.parametrize(("shift", "kept"), [(-1e6, 0), (1e6, 200)])
def test_a_classifier_may_keep_nothing_or_everything(name: str, shift: float, kept: int) -> None:
    pruner = untrained(name, epochs=1).fit(hubs_and_leaves())
    last = list(pruner.network_.state_dict().values())[-1 if name == "gnn-t" else -2]
    assert last.numel() == 1
    last += shift
    part = pruner.prune(learning.graph())
    assert part.graph.num_vertices == part.roots.size == kept


def test_sums_have_one_order_whatever_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_THREADS", "3")
    used = []

    class Watched(ThresholdGNN):
        def learn(self, *given: Any) -> float:
            used.append(torch.get_num_threads())
            return super().learn(*given)

    Watched("mvc", HUBS, epochs=1).fit(hubs_and_leaves())
    assert used == [1]


def steps_of(losses: "list[float] | np.ndarray[Any, Any]", epochs: int) -> tuple[int, float]:
    """How many of these losses a training computes, and what it returns."""
    taken = iter(losses)
    network, count = nn.Linear(1, 1), 0

    def loss() -> torch.Tensor:
        nonlocal count
        count += 1
        value: torch.Tensor = network.weight.sum() * 0 + next(taken)
        return value

    smoothed = minimise(network, loss, epochs, description="a test")
    return count, smoothed


def test_training_ends_when_the_loss_has_not_fallen_for_a_hundred_epochs() -> None:
    assert steps_of([0.5] * 1000, 1000)[0] == 101
    falling = np.linspace(0.7, 0.1, 1000)
    assert steps_of(falling, 1000)[0] == 1000
    assert steps_of(falling, 30)[0] == 30


def test_a_loss_that_is_no_number_ends_the_training() -> None:
    with pytest.raises(LenseError, match="no longer a number"):
        steps_of([0.5, float("nan")], 10)


def test_features_other_than_those_learnt_are_refused() -> None:
    pruner = untrained("gnn-t", epochs=1).fit(hubs_and_leaves())
    pruner.set_params(problem="im")
    with pytest.raises(LenseError, match="knows 2 features of a vertex, but the problem im has 3"):
        pruner.prune(power_law(50, 4, 2.3, np.random.default_rng(0)))


@learning.needs_gpu
@pytest.mark.parametrize("name", NAMES)
def test_a_gpu_learns_and_judges_as_the_processor_does(name: str, tmp_path: Path) -> None:
    there = untrained(name, device="cuda", epochs=20).fit(hubs_and_leaves())
    here = untrained(name, epochs=20).fit(hubs_and_leaves())
    on_gpu = there.probabilities(learning.graph())
    assert np.allclose(on_gpu, here.probabilities(learning.graph()), atol=1e-3)
    there.save(tmp_path / "model")
    assert np.allclose(lense.load(tmp_path / "model").probabilities(learning.graph()), on_gpu, atol=1e-5)
