"""A queue knows the vertex of highest gain, however gains move, and greedy is greedy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.jit import kernel
from lense._util.types import Bools, Float64s, Int32s, Int64s
from lense.graph import Graph
from lense.kernels.cut import loopless
from lense.kernels.queues import enter, greedy, highest, leave, new_queue, weighted_greedy
from lense.kernels.rows import degrees, weighted_degrees
from tests.brute_force import Measure, covered, cut, graphs_with_candidates

GAINS = st.integers(-12, 12).map(lambda quarters: quarters / 4)


@kernel
def leaders(
    gain: Float64s, vertices: Int32s, newest_first: bool, movers: Int32s, values: Float64s, changes_side: Bools
) -> Int64s:
    """The first of a queue of ``vertices`` after each move: a mover's gain gets a value, or it enters or leaves."""
    queue, found = new_queue(gain, vertices, newest_first), np.empty(movers.size, np.int64)
    for i, v in enumerate(movers):
        is_in, rises = queue.rank[v] != 0, values[i] > gain[v]
        gain[v] = values[i]
        if is_in and changes_side[i]:
            leave(queue, v)
        elif changes_side[i] or (is_in and rises):
            enter(queue, movers[i : i + 1])
        found[i] = highest(queue)
    return found


@pytest.mark.parametrize("newest_first", [False, True])
@given(
    st.lists(GAINS, min_size=5, max_size=5),
    st.sets(st.integers(0, 4)),
    st.lists(st.tuples(st.integers(0, 4), GAINS, st.booleans()), min_size=1, max_size=40),
)
@settings(max_examples=150, deadline=None)
def test_a_queue_knows_the_highest_gain_however_gains_move(
    newest_first: bool, gains: list[float], inside: set[int], moves: list[tuple[int, float, bool]]
) -> None:
    movers, values, changes = (np.array(column) for column in zip(*moves, strict=True))
    found = leaders(
        np.array(gains), np.array(sorted(inside), np.int32), newest_first, movers.astype(np.int32), values, changes
    )
    for (v, value, changes_side), first in zip(moves, found.tolist(), strict=True):
        gains[v] = value
        inside = inside ^ ({v} if changes_side else set())
        best = max(inside, key=lambda w: (gains[w], -w), default=-1)
        assert gains[first] == gains[best] and first in inside if newest_first and inside else first == best


@pytest.mark.parametrize("loss", [1, 2])
def test_equal_gains_go_to_the_first_candidate(loss: int) -> None:
    cycle = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    candidates = np.array([2, 3, 0, 1], dtype=np.int32)
    order = greedy(cycle.incident, degrees(cycle.indptr), candidates, 2, loss)
    assert order.tolist() == [2, 0]


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
    gain = weighted_degrees(rows if measure is covered else loopless(rows))
    order = weighted_greedy(rows, gain, np.array(candidates, np.int32), budget, loss)
    assert order.tolist() == greedy_by_definition(graph, budget, candidates, measure)
