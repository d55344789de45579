"""Some vertices of a graph with the number of edges that lead out of them."""

from dataclasses import replace

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, TruncatedGraph
from lense.problems import get_problem


def truncated() -> tuple[Graph, TruncatedGraph]:
    """A path 0-1-2-3-4 with leaves at 1, and its vertices 1, 2 and 3."""
    whole = Graph.from_edges([0, 1, 2, 3, 1, 1], [1, 2, 3, 4, 5, 6])
    return whole, TruncatedGraph(
        graph=Graph.from_edges([0, 1], [1, 2], labels=np.array([1, 2, 3])),
        vertices=np.array([1, 2, 3]),
        counted=np.array([4, 2, 2], np.int32),
        whole_vertices=7,
        whole_edges=6,
        whole_arcs=12,
        whole_weight=6.0,
        whole_numbers=True,
    )


@pytest.mark.parametrize("name", ["mvc", "bmc"])
@pytest.mark.parametrize("chosen", [[0], [0, 1], [0, 2], [0, 1, 2]])
def test_a_set_is_worth_what_it_is_worth_in_the_whole_graph(name: str, chosen: list[int]) -> None:
    whole, part = truncated()
    problem = get_problem(name)
    within = problem.within(part)
    assert within.objective(part.graph, chosen) == problem.objective(whole, part.vertices[chosen])
    assert within.degrees(part.graph).tolist() == problem.degrees(whole)[part.vertices].tolist()


def test_what_was_left_out_is_counted() -> None:
    _, part = truncated()
    assert (part.graph.num_edges, part.num_left_out) == (2, 4)
    assert part.cut_off.tolist() == [3, 0, 1]


def test_places_are_for_vertices_that_are_there() -> None:
    _, part = truncated()
    assert part.places(np.array([3, 1])).tolist() == [2, 0]
    for missing in (4, 9):
        with pytest.raises(LenseError, match="left out of the truncated"):
            part.places(np.array([missing]))


def test_arrays_must_fit_together() -> None:
    _, part = truncated()
    with pytest.raises(LenseError, match="needs the number of each vertex, and what its edges count"):
        replace(part, counted=np.array([1]))
    with pytest.raises(LenseError, match="has no directions"):
        replace(part, graph=replace(part.graph, directed=True))
