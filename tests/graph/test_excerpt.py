"""Some vertices of a graph with the number of edges that lead out of them."""

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Excerpt, Graph
from lense.problems import get_problem


def excerpt() -> tuple[Graph, Excerpt]:
    """A path 0-1-2-3-4 with leaves at 1, and its vertices 1, 2 and 3."""
    whole = Graph.from_edges([0, 1, 2, 3, 1, 1], [1, 2, 3, 4, 5, 6])
    part = Graph.from_edges([0, 1], [1, 2])
    return whole, Excerpt(
        indptr=part.indptr,
        indices=part.indices,
        weights=None,
        directed=False,
        labels=np.array([1, 2, 3]),
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
    whole, part = excerpt()
    problem = get_problem(name)
    assert problem.objective(part, chosen) == problem.objective(whole, part.vertices[chosen])
    assert problem.degrees(part).tolist() == problem.degrees(whole)[part.vertices].tolist()


def test_sizes_are_those_of_the_whole_graph() -> None:
    _, part = excerpt()
    assert (part.num_edges, part.num_listed, part.num_left_out) == (6, 2, 4)
    assert part.cut_off.tolist() == [3, 0, 1]


def test_places_are_for_vertices_that_are_there() -> None:
    _, part = excerpt()
    assert part.places(np.array([3, 1])).tolist() == [2, 0]
    for missing in (4, 9):
        with pytest.raises(LenseError, match="left out of the excerpt"):
            part.places(np.array([missing]))


def test_arrays_must_fit_together() -> None:
    from dataclasses import replace

    _, part = excerpt()
    with pytest.raises(LenseError, match="needs the number of each vertex, and what its edges count"):
        replace(part, counted=np.array([1]))
    with pytest.raises(LenseError, match="has no directions"):
        replace(part, directed=True)
