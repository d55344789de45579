"""What walking with a learnt policy takes: a network, sizes and features."""

from pathlib import Path

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from lense._util.types import AnyArray, Float32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.navigation.encoder_training import embed
from lense.navigation.inference import Valuing, WalkPlan, find_roots, mean_degree, values_of
from lense.navigation.q_network import QNetwork
from lense.pruners.ranking import standing
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


def found(places: list[int], q: Valuing, seeds: range = range(3)) -> Int64s:
    return find_roots(
        graph().incident,
        features(),
        q,
        seeds=seeds,
        num_roots=ROOTS,
        places=places,
        embedded=lambda roots: embed(trained().encoder, tensors(), roots).numpy(),
    )


@pytest.mark.parametrize("sees", [True, False])
def test_roots_along_a_walk_are_those_of_walks_that_end_there_and_of_each_walk_alone(sees: bool) -> None:
    q = network(sees=sees).in_numpy()
    along = found([0, 3, 8], q)
    assert along.shape == (3, 3, ROOTS)
    for number, place in enumerate((0, 3, 8)):
        assert np.array_equal(found([place], q)[0], along[number])
    assert np.array_equal(found([8], q, range(1, 2))[0, 0], along[2, 1])
    assert not np.array_equal(along[0], along[2])


def numbers(*shape: int) -> Float32s:
    return np.random.default_rng(len(shape)).random((*shape, 2 * features().shape[1]), np.float32)


@pytest.mark.parametrize("sees", [True, False])
@pytest.mark.parametrize("corrects", [True, False])
def test_values_in_numpy_are_those_of_torch_and_so_are_walks(sees: bool, corrects: bool) -> None:
    q = network(sees=sees, corrects=corrects)
    embedding = np.random.default_rng(0).random((3, trained().encoder.output.out_features), np.float32)
    given = numbers(3, 6), -numbers(3, 6), embedding if sees else None
    np.testing.assert_allclose(q.in_numpy().values(*given), q.values(*given), rtol=1e-4, atol=1e-5)
    assert np.array_equal(found([8], q.in_numpy()), found([8], q))


def test_values_of_a_walk_do_not_depend_on_those_beside_it() -> None:
    q = network().in_numpy()
    leaving, entering = numbers(3, 6), -numbers(3, 6)
    assert np.array_equal(q.values(leaving, entering)[1:2], q.values(leaving[1:2], entering[1:2]))


def test_what_is_learnt_later_does_not_change_values_taken_before() -> None:
    q = network()
    values = q.in_numpy()
    before = values.values(numbers(6), -numbers(6))
    with torch.no_grad():
        for weight in q.parameters():
            weight.add_(1)
    assert np.array_equal(values.values(numbers(6), -numbers(6)), before)


@pytest.mark.parametrize("sees", [True, False])
@pytest.mark.parametrize("corrects", [True, False])
def test_a_network_is_made_of_its_weights_alone_and_nothing_else_is_drawn(sees: bool, corrects: bool) -> None:
    q = network(sees=sees, corrects=corrects)
    before = torch.get_rng_state()
    again = QNetwork.of(values_of(q.in_numpy().weights, Path("file")).weights)
    assert torch.equal(before, torch.get_rng_state())
    assert same_weights(again, q)
    assert not any(weight.requires_grad for weight in again.parameters())


def changed(**weights: AnyArray | None) -> dict[str, AnyArray]:
    """The weights of a network with some others in their place, or without some; _ stands for a dot."""
    known = {**network().in_numpy().weights, **{name.replace("_", "."): weight for name, weight in weights.items()}}
    return {name: weight for name, weight in known.items() if weight is not None}


@pytest.mark.parametrize(
    "weights",
    [
        {},
        {"vectors.weight": np.zeros(3, np.float32)},
        changed(joint_bias=None),
        changed(scale=None),
        changed(another=np.zeros(3, np.float32)),
        changed(value_bias=np.zeros(2, np.float32)),
        changed(hidden_weight=np.zeros((128, 128))),
        changed(vectors_weight=np.zeros((10**8, 0), np.float32)),
        changed(feature=np.array(0.5, np.float32)),
        changed(feature=np.array(-1)),
        changed(feature=np.array(features().shape[1])),
        changed(steepness=np.array(0, np.float32)),
    ],
)
def test_weights_of_something_else_are_refused(weights: dict[str, AnyArray]) -> None:
    with pytest.raises(LenseError, match="file does not belong to this model"):
        values_of(weights, Path("file"))


def test_numpys_number_of_threads_is_as_before_afterwards() -> None:
    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, "blas"):
        before = threads()
        found([2], network().in_numpy())
        assert threads() == before


@needs_gpu
def test_walks_by_rank_are_the_same_on_a_gpu() -> None:
    start = QNetwork.for_encoder(trained().encoder, 0, graph().num_vertices)
    here = found([8], start.in_numpy())
    assert np.array_equal(found([8], start.cuda()), here)
