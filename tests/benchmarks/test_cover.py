import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.cover import plain_greedy
from lense.graph import Graph
from lense.problems.mvc import MaxVertexCover
from tests.strategies import graphs


@settings(max_examples=50, deadline=None)
@given(graphs(directed=False, weighted=False, min_vertices=3, min_edges=1), st.data())
def test_every_choice_of_the_rival_is_a_greedy_one(graph: Graph, data: st.DataObject) -> None:
    budget = data.draw(st.integers(1, graph.num_vertices))
    rival = nx.Graph()
    rival.add_nodes_from(range(graph.num_vertices))
    sources, targets, _ = graph.edges()
    rival.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))

    chosen = plain_greedy(rival, budget)

    assert len(set(chosen)) == budget
    problem = MaxVertexCover()
    for i in range(budget):
        scores = [problem.objective(graph, [*chosen[:i], v]) for v in range(graph.num_vertices)]
        assert np.isclose(problem.objective(graph, chosen[: i + 1]), max(scores))
