"""The tournament knows the vertex of highest gain, however gains move, and greedy by weights is greedy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.cut import loopless_degrees
from lense.kernels.queues import enter, leader, leave, new_tournament, weighted_greedy
from lense.kernels.rows import weighted_degrees
from tests.brute_force import Measure, covered, cut, graphs_with_candidates

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


def test_leaving_twice_does_nothing() -> None:
    queue = new_tournament(np.array([1.5, 2.5]), np.array([0, 1], np.int32))
    leave(queue, 1)
    leave(queue, 1)
    assert leader(queue) == 0


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
