"""Walking with a learnt policy: its values in numpy, sizes, and which subgraph of a walk across the map counts."""

from pathlib import Path

import numpy as np
import pytest
import torch

from lense._util.types import AnyArray, Float32s, Int64s
from lense.errors import LenseError
from lense.navigation.encoder import embed
from lense.navigation.environment import RootSets
from lense.navigation.inference import WalkPlan, greedy, values_of
from lense.navigation.q_learning import QNetwork
from tests.learning import ROOTS, features, graph, tensors, trained

PLAN = WalkPlan(roots=30, steps=20, longest=90, train_degree=4.0, ranks=True)


def network(*, sees: bool = False, corrects: bool = True) -> QNetwork:
    torch.manual_seed(0)
    feature = 0 if corrects else None
    q = QNetwork(trained().encoder, feature, graph().num_vertices, sees_subgraph=sees)
    torch.nn.init.normal_(q.value.weight)
    return q


def test_walks_have_the_steps_that_were_enough_but_all_on_a_much_denser_graph() -> None:
    assert [PLAN.num_roots(factor) for factor in (1.0, 2.0, 1.01, 0.1)] == [30, 60, 31, 30]
    assert PLAN.num_steps(4.0) == PLAN.num_steps(10.0) == 20
    assert PLAN.num_steps(10.1) == 90
    assert PLAN.num_steps(4.0, 2.0) == 40
    assert PLAN.num_steps(10.1, 2.0) == 180


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


@pytest.mark.parametrize("sees", [True, False])
@pytest.mark.parametrize("corrects", [True, False])
def test_values_in_numpy_are_those_of_torch_walk_by_walk(sees: bool, corrects: bool) -> None:
    q, rng = network(sees=sees, corrects=corrects), np.random.default_rng(0)
    seen = {name: rng.random((3, 6, 2 * features().shape[1]), np.float32) for name in ("leaving", "entering")}
    seen["embedding"] = rng.random((3, trained().encoder.output.out_features), np.float32)
    values, given = q.in_numpy(), [seen["leaving"], seen["entering"], *([seen["embedding"]] if sees else [])]
    with torch.no_grad():
        expected = q({name: torch.from_numpy(array) for name, array in seen.items()}).numpy()
    np.testing.assert_allclose(values.values(*given), expected, rtol=1e-4, atol=1e-5)
    alone = values.values(*(one[1:2] for one in given))
    np.testing.assert_allclose(values.values(*given)[1:2], alone, rtol=1e-4 if sees else 0, atol=1e-6 if sees else 0)
    with torch.no_grad():
        q.value.weight.add_(1)  # what is learnt later changes nothing
    np.testing.assert_allclose(values.values(*given), expected, rtol=1e-4, atol=1e-5)


def test_a_policy_needs_embeddings_only_if_its_network_sees_the_subgraph() -> None:
    asked: list[Int64s] = []

    def embedded(roots: Int64s) -> Float32s:
        asked.append(roots)
        found: Float32s = embed(trained().encoder, tensors(), roots).numpy()
        return found

    offer = RootSets(graph().incident, features(), [3, 4], ROOTS).offer()
    for sees in (False, True):
        q = network(sees=sees)
        actions = greedy(q.in_numpy(), embedded)(offer)
        assert len(asked) == sees
        seen = {"leaving": torch.from_numpy(offer.leaving), "entering": torch.from_numpy(offer.entering)}
        embeddings = embed(trained().encoder, tensors(), offer.roots)
        best = q.best({**seen, "embedding": embeddings, "mask": torch.from_numpy(offer.allowed)})[1]
        assert actions.tolist() == best.tolist()
    assert asked[0].tolist() == offer.roots.tolist()
