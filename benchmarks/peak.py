"""Print the peak of memory while a graph is read, as a multiple of the size of its CSR arrays.

The tiny graph is read first, so that libraries and compiled code are in memory before anything is measured.
"""

import argparse
from pathlib import Path

from lense._util.measuring import highest_memory
from lense.graph import Graph, read_graph


def csr_bytes(graph: Graph) -> int:
    """The bytes of all arrays of the graph."""
    arrays = (graph.indptr, graph.indices, graph.weights, graph.labels)
    return sum(array.nbytes for array in arrays if array is not None)


def main() -> None:
    import psutil

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tiny", type=Path)
    parser.add_argument("large", type=Path)
    parser.add_argument("--directed", action="store_true")
    options = parser.parse_args()
    read_graph(options.tiny, directed=options.directed)
    before = psutil.Process().memory_info().rss
    graph = read_graph(options.large, directed=options.directed)
    highest = highest_memory()
    assert highest is not None
    print((highest - before) / csr_bytes(graph))


if __name__ == "__main__":
    main()
