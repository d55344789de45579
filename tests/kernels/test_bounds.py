"""Intervals and the quadratic program of the live vertices say what the objective says."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense._util.types import Int8s
from lense.graph import Graph
from lense.kernels.bounds import (
    DROPPED,
    FORCED,
    LIVE,
    gain_intervals,
    improve,
    live_pairs,
    narrowed,
    pair_intervals,
    pair_value,
)
from tests.brute_force import Measure, covered, cut, graphs_with_budgets

LOSSES = pytest.mark.parametrize(("loss", "measure"), [(1, covered), (2, cut)])
STATES = st.lists(st.sampled_from([DROPPED, LIVE, LIVE, LIVE, FORCED]), min_size=7, max_size=7)


def drawn_state(graph: Graph, states: list[np.int8]) -> Int8s:
    return np.array(states[: graph.num_vertices], np.int8)


@LOSSES
@given(case=graphs_with_budgets(max_vertices=6), states=STATES)
def test_the_intervals_hold_whatever_else_is_chosen_and_are_reached(
    loss: int, measure: Measure, case: tuple[Graph, int], states: list[np.int8]
) -> None:
    graph, left = case
    state = drawn_state(graph, states)
    live, forced = np.flatnonzero(state == LIVE), np.flatnonzero(state == FORCED).tolist()
    lo, hi = gain_intervals(graph.incident, state, live, left, loss)
    for i, v in enumerate(live.tolist()):
        others = [w for w in live.tolist() if w != v]
        gains = [
            measure(graph, [*forced, *chosen, v]) - measure(graph, [*forced, *chosen])
            for size in range(min(left - 1, len(others)) + 1)
            for chosen in combinations(others, size)
        ]
        assert (min(gains), max(gains)) == (lo[i], hi[i])


@LOSSES
@given(case=graphs_with_budgets(), states=STATES)
def test_the_program_on_the_live_vertices_is_the_objective_less_what_is_forced(
    loss: int, measure: Measure, case: tuple[Graph, int], states: list[np.int8]
) -> None:
    graph, left = case
    state = drawn_state(graph, states)
    rows, live, forced = graph.incident, np.flatnonzero(state == LIVE), np.flatnonzero(state == FORCED).tolist()
    lo, hi = gain_intervals(rows, state, live, left, loss)
    pairs = live_pairs(rows, state, live, hi, loss)
    inside = np.arange(live.size) % 2 == 0
    added = measure(graph, [*forced, *live[inside].tolist()]) - measure(graph, forced)
    assert pair_value(pairs, inside) == added
    assert pair_intervals(pairs, left).tolist() == lo.tolist()


@LOSSES
@given(case=graphs_with_budgets(), states=STATES)
def test_narrowing_the_program_is_as_good_as_starting_from_the_graph(
    loss: int, measure: Measure, case: tuple[Graph, int], states: list[np.int8]
) -> None:
    graph, left = case
    state, rows = drawn_state(graph, states), graph.incident
    everyone, all_live = np.arange(graph.num_vertices), np.full(graph.num_vertices, LIVE)
    whole = live_pairs(rows, all_live, everyone, gain_intervals(rows, all_live, everyone, left, loss)[1], loss)
    live = np.flatnonzero(state == LIVE)
    fresh = live_pairs(rows, state, live, gain_intervals(rows, state, live, left, loss)[1], loss)
    found = narrowed(whole, state)
    assert [array.tolist() for array in found] == [array.tolist() for array in fresh]


@LOSSES
@given(case=graphs_with_budgets())
def test_improving_ends_where_no_move_helps(loss: int, measure: Measure, case: tuple[Graph, int]) -> None:
    graph, left = case
    rows, everyone, state = graph.incident, np.arange(graph.num_vertices), np.full(graph.num_vertices, LIVE)
    pairs = live_pairs(rows, state, everyone, gain_intervals(rows, state, everyone, left, loss)[1], loss)
    inside = everyone < min(left, 2)
    before = measure(graph, np.flatnonzero(inside).tolist())
    assert improve(pairs, inside, left, 0.0, 1000) < 1000
    chosen = set(np.flatnonzero(inside).tolist())
    value = measure(graph, chosen)
    assert len(chosen) <= left
    assert value >= before
    outside = set(range(graph.num_vertices)) - chosen
    moves = [chosen - {u} for u in chosen] + [chosen - {u} | {v} for u in chosen for v in outside]
    moves += [chosen | {v} for v in outside] if len(chosen) < left else []
    assert all(measure(graph, moved) <= value for moved in moves)
