"""The graphs that benchmarks run on."""

import numpy as np

from lense.graph import Graph, find_dataset, open_graph, power_law

AVERAGE_DEGREE = 20
EXPONENT = 2.5


def paper_graph(name: str) -> Graph | None:
    """One of the paper's graphs, or None if there is no file of it."""
    return None if find_dataset(name) is None else open_graph(name)


def large_graph(num_edges: int, seed: int) -> Graph:
    """An undirected power-law graph of about ``num_edges`` edges, ten for each vertex, numbered at random.

    The generator numbers vertices by falling degree, so that what is used together lies close in memory. Files of real
    graphs seldom have such an order.
    """
    rng = np.random.default_rng([seed, num_edges])
    sorted_graph = power_law(2 * num_edges // AVERAGE_DEGREE, AVERAGE_DEGREE, EXPONENT, rng)
    sources, targets, _ = sorted_graph.edges()
    number = rng.permutation(sorted_graph.num_vertices).astype(np.int32)
    return Graph.from_edges(number[sources], number[targets], num_vertices=number.size, keep_duplicates=True)
