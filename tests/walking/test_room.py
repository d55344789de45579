"""Room for the rows of roots that are exchanged one by one, without asking for their number at each step."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lense.graph import Graph
from lense.walking import room
from lense.walking.batches import GraphTensors
from lense.walking.room import Room
from tests.learning import root_sets, tensors
from tests.strategies import graphs


def exchanged(roots: Tensor, num_vertices: int, rng: np.random.Generator) -> Tensor:
    """One root of each set for a vertex outside it."""
    after = roots.clone()
    for one in after:
        outside = np.setdiff1d(np.arange(num_vertices), one.numpy())
        one[rng.integers(one.numel())] = int(rng.choice(outside))
    return after


@given(graphs(loops=True, duplicates=True, min_vertices=2), st.integers(1, 7), st.integers(1, 3), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_there_is_always_room_enough(graph: Graph, num_roots: int, num_sets: int, steps: int) -> None:
    world, rng = GraphTensors.of(graph, np.zeros((graph.num_vertices, 1), np.float32)), np.random.default_rng(0)
    num_roots = min(num_roots, graph.num_vertices - 1)
    roots = torch.from_numpy(np.stack([rng.permutation(graph.num_vertices)[:num_roots] for _ in range(num_sets)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "STEPS", steps)
        enough = Room(world, num_sets, num_roots)
        for _ in range(12):
            assert enough.of(roots) >= int(world.entries_of(roots).sum())
            roots = exchanged(roots, graph.num_vertices, rng)


def test_room_is_for_the_entries_there_are_and_the_longest_rows_and_no_more_than_for_the_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "STEPS", 2)
    roots, degrees = torch.from_numpy(root_sets(3)), tensors().indptr.diff().sort(descending=True).values
    now = int(tensors().entries_of(roots).sum())
    assert Room(tensors(), 3, 16).of(roots) == now + 3 * int(degrees[:2].sum())
    hubs = tensors().indptr.diff().argsort(descending=True)[:16].expand(3, -1)
    assert Room(tensors(), 3, 16).of(hubs) == 3 * int(degrees[:16].sum())


def test_the_device_is_asked_once_in_so_many_steps_or_when_room_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "STEPS", 4)
    asked, entries_of = [], GraphTensors.entries_of

    def noting(graph: GraphTensors, sets: Tensor) -> Tensor:
        asked.append(step)
        return entries_of(graph, sets)

    monkeypatch.setattr(GraphTensors, "entries_of", noting)
    roots, enough = torch.from_numpy(root_sets(3)), Room(tensors(), 3, 16)
    for step in range(14):
        enough.of(roots, anew=step == 7)
    assert asked == [0, 5, 7, 12]
