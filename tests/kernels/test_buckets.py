"""The bucket queue knows the vertex of highest gain, however gains move."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.queues import greedy, highest, link, new_buckets, relink, unlink
from lense.kernels.rows import degrees
from tests.brute_force import covered, graphs_with_budgets, is_greedy

REACH = 6
MOVES = st.lists(st.tuples(st.integers(0, 4), st.integers(-REACH, REACH), st.booleans()), max_size=40)


@given(st.lists(st.integers(-REACH, REACH), min_size=5, max_size=5), MOVES)
@settings(max_examples=150, deadline=None)
def test_two_queues_keep_their_highest_gains_while_gains_move(
    gains: list[int], moves: list[tuple[int, int, bool]]
) -> None:
    gain = np.array(gains, dtype=np.int32)
    queues = new_buckets(gain, -REACH, REACH)
    members: list[set[int]] = [set(range(5)), set()]
    for v in range(5):
        link(queues[0], v)
    for v, value, changes_side in moves:
        side = int(v in members[1])
        if changes_side:
            unlink(queues[side], v)
            gain[v] = value
            link(queues[1 - side], v)
            members[side].remove(v)
            members[1 - side].add(v)
        elif value > gain[v]:
            gain[v] = value
            relink(queues[side], v)
        else:
            gain[v] = value
        for queue, inside in zip(queues, members, strict=True):
            first = highest(queue)
            assert first in inside if inside else first == -1
            assert not inside or gain[first] == max(gain[w] for w in inside)


def test_unlinking_twice_does_nothing() -> None:
    queue, _ = new_buckets(np.array([1, 2], dtype=np.int32), 0, 2)
    link(queue, 0)
    link(queue, 1)
    unlink(queue, 1)
    unlink(queue, 1)
    assert highest(queue) == 0


@given(graphs_with_budgets(weighted=False))
@settings(max_examples=100, deadline=None)
def test_every_greedy_step_of_the_cover_is_maximal(case: tuple[Graph, int]) -> None:
    graph, budget = case
    rows, everyone = graph.incident, np.arange(graph.num_vertices, dtype=np.int32)
    order = greedy(rows, degrees(rows.indptr), everyone, budget, 1)
    assert is_greedy(graph, order.tolist(), everyone.tolist(), covered)


@given(graphs_with_budgets(weighted=False), st.data())
@settings(max_examples=100, deadline=None)
def test_greedy_takes_candidates_only(case: tuple[Graph, int], data: st.DataObject) -> None:
    graph, _ = case
    candidates = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, unique=True))
    rows = graph.incident
    listed = np.array(candidates, dtype=np.int32)
    order = greedy(rows, degrees(rows.indptr), listed, len(candidates), 1)
    assert sorted(order.tolist()) == sorted(candidates)
    assert is_greedy(graph, order.tolist(), candidates, covered)


@pytest.mark.parametrize("loss", [1, 2])
def test_equal_gains_go_to_the_first_candidate(loss: int) -> None:
    cycle = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    candidates = np.array([2, 3, 0, 1], dtype=np.int32)
    order = greedy(cycle.incident, degrees(cycle.indptr), candidates, 2, loss)
    assert order.tolist() == [2, 0]
