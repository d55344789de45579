"""Both queues know the vertex of highest gain, however gains move, and greedy is greedy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.cut import loopless_degrees
from lense.kernels.queues import (
    enter,
    greedy,
    highest,
    leader,
    leave,
    link,
    new_buckets,
    new_tournament,
    relink,
    unlink,
    weighted_greedy,
)
from lense.kernels.rows import degrees, weighted_degrees
from tests.brute_force import Measure, covered, cut, graphs_with_candidates

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


@pytest.mark.parametrize("loss", [1, 2])
def test_equal_gains_go_to_the_first_candidate(loss: int) -> None:
    cycle = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    candidates = np.array([2, 3, 0, 1], dtype=np.int32)
    order = greedy(cycle.incident, degrees(cycle.indptr), candidates, 2, loss)
    assert order.tolist() == [2, 0]


GAINS = st.integers(-12, 12).map(lambda quarters: quarters / 4)


@given(
    st.lists(GAINS, min_size=5, max_size=5),
    st.sets(st.integers(0, 4)),
    st.lists(st.tuples(st.integers(0, 4), GAINS, st.booleans()), max_size=40),
)
@settings(max_examples=150, deadline=None)
def test_it_keeps_the_highest_gain_and_the_smallest_vertex_among_equals(
    gains: list[float], inside: set[int], moves: list[tuple[int, float, bool]]
) -> None:
    gain = np.array(gains)
    queue = new_tournament(gain, np.array(sorted(inside), np.int32))
    for v, value, changes_side in [(0, gain[0], False), *moves]:
        rises = value > gain[v]
        gain[v] = value
        if changes_side and v in inside:
            leave(queue, v)
            inside = inside - {v}
        elif changes_side or (v in inside and rises):
            enter(queue, v)
            inside = inside | {v}
        assert leader(queue) == max(inside, key=lambda w: (gain[w], -w), default=-1)


def greedy_by_definition(graph: Graph, budget: int, candidates: list[int], measure: Measure) -> list[int]:
    order: list[int] = []
    for _ in range(budget):
        left = [v for v in candidates if v not in order]
        order.append(max(left, key=lambda v: (measure(graph, [*order, v]), -v)))
    return order


@pytest.mark.parametrize(("measure", "loss"), [(covered, 1), (cut, 2)])
@given(case=graphs_with_candidates(weighted=True))
@settings(max_examples=150, deadline=None)
def test_greedy_takes_the_candidate_of_most_weight_and_the_smallest_among_equals(
    measure: Measure, loss: int, case: tuple[Graph, int, list[int]]
) -> None:
    graph, budget, candidates = case
    budget, rows = min(budget, len(candidates)), graph.incident
    gain = weighted_degrees(rows) if measure is covered else loopless_degrees(graph.incident)
    order = weighted_greedy(rows, gain, np.array(candidates, np.int32), budget, loss)
    assert order.tolist() == greedy_by_definition(graph, budget, candidates, measure)
