"""What walking with a learnt policy takes: a network, sizes and features."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lense.errors import LenseError
from lense.graph import Graph
from lense.pruners.ranking import standing
from lense.types import Int64s
from lense.walking.encoder_training import embed
from lense.walking.inference import WalkPlan, find_roots, mean_degree, network_of
from lense.walking.q_network import QNetwork
from tests.learning import ROOTS, features, graph, needs_gpu, same_weights, tensors, trained

PLAN = WalkPlan(roots=30, steps=20, longest=90, train_degree=4.0, ranks=True)


@pytest.mark.parametrize(("factor", "roots"), [(1.0, 30), (2.0, 60), (1.01, 31), (0.1, 30)])
def test_a_budget_larger_than_that_of_training_has_roots_in_proportion(factor: float, roots: int) -> None:
    assert PLAN.num_roots(factor) == roots


def test_walks_have_the_steps_that_were_enough_but_all_on_a_much_denser_graph() -> None:
    assert PLAN.num_steps(4.0) == PLAN.num_steps(10.0) == 20
    assert PLAN.num_steps(10.1) == 90
    assert PLAN.num_steps(4.0, 2.0) == 40
    assert PLAN.num_steps(10.1, 2.0) == 180


def test_features_are_given_by_their_ranks_if_they_were_in_training() -> None:
    raw = np.random.default_rng(0).random((9, 2)).astype(np.float32)
    assert np.array_equal(PLAN.given_features(raw), standing(raw))
    plain = WalkPlan(**{**PLAN.as_dict(), "ranks": False})
    assert plain.given_features(raw) is raw


@pytest.mark.parametrize("directed", [True, False])
def test_the_mean_degree_counts_edges_whatever_their_direction(directed: bool) -> None:
    graph = Graph.from_edges([0, 0, 1], [1, 2, 3], directed=directed)
    assert mean_degree(graph.incident) == 6 / 4


def network(*, sees: bool = False, corrects: bool = True) -> QNetwork:
    torch.manual_seed(0)
    feature = 0 if corrects else None
    q = QNetwork.for_encoder(trained().encoder, feature, graph().num_vertices, sees_subgraph=sees)
    torch.nn.init.normal_(q.value.weight)
    return q


def found(places: list[int], q: QNetwork, seeds: range = range(3)) -> Int64s:
    return find_roots(
        graph().incident,
        features(),
        q,
        seeds=seeds,
        num_roots=ROOTS,
        places=places,
        embedded=lambda roots: embed(trained().encoder, tensors(), roots),
    )


@pytest.mark.parametrize("sees", [True, False])
def test_roots_along_a_walk_are_those_of_walks_that_end_there_and_of_each_walk_alone(sees: bool) -> None:
    along = found([0, 3, 8], network(sees=sees))
    assert along.shape == (3, 3, ROOTS)
    for number, place in enumerate((0, 3, 8)):
        assert np.array_equal(found([place], network(sees=sees))[0], along[number])
    assert np.array_equal(found([8], network(sees=sees), range(1, 2))[0, 0], along[2, 1])
    assert not np.array_equal(along[0], along[2])


def test_the_users_number_of_threads_is_as_before_afterwards() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found([2], network())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("sees", [True, False])
@pytest.mark.parametrize("corrects", [True, False])
def test_a_network_is_made_of_its_tensors_alone_and_nothing_else_is_drawn(sees: bool, corrects: bool) -> None:
    q = network(sees=sees, corrects=corrects)
    before = torch.get_rng_state()
    again = network_of(q.state_dict(), Path("file"))
    assert torch.equal(before, torch.get_rng_state())
    assert same_weights(again, q)
    assert not any(weight.requires_grad for weight in again.parameters())
    assert np.array_equal(found([4], again), found([4], q))


def test_tensors_of_something_else_are_refused() -> None:
    q = network().state_dict()
    others = [{}, {"vectors.weight": torch.zeros(3)}, {name: q[name] for name in q if name != "joint.bias"}]
    for tensors_of_another in others:
        with pytest.raises(LenseError, match="file does not belong to this model"):
            network_of(tensors_of_another, Path("file"))


@needs_gpu
def test_walks_by_rank_are_the_same_on_a_gpu() -> None:
    start = QNetwork.for_encoder(trained().encoder, 0, graph().num_vertices)
    here = found([8], start)
    assert np.array_equal(found([8], start.cuda()), here)
