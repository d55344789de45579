"""Print a peak of memory, measured in its own process: of reading a graph, or of pruning one.

    python -m benchmarks.peak read TINY LARGE [--directed]    as a multiple of the size of its arrays
    python -m benchmarks.peak prune GRAPH                     in bytes beyond the graph, with the shipped model for mvc

Something small comes first, so that libraries and compiled code are in memory before anything is measured.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

from lense._util.measuring import highest_memory
from lense.graph import Graph, power_law, read_graph
from lense.problems import get_problem
from lense.pruners.shipped import shipped_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["read", "prune"])
    parser.add_argument("graphs", type=Path, nargs="+")
    parser.add_argument("--directed", action="store_true")
    options = parser.parse_args()
    print(prune(*options.graphs) if options.what == "prune" else read(*options.graphs, directed=options.directed))


def read(tiny: Path, large: Path, *, directed: bool) -> float:
    read_graph(tiny, directed=directed)
    graph, used = _beyond(lambda: read_graph(large, directed=directed))
    arrays = (graph.indptr, graph.indices, graph.weights, graph.labels)
    return used / sum(array.nbytes for array in arrays if array is not None)


def prune(path: Path) -> int:
    model = shipped_model(get_problem("mvc"))
    assert model is not None
    model.prune(power_law(3000, 10.0, 2.3, np.random.default_rng(0)))
    graph = read_graph(path)
    graph.indices.sum()
    return _beyond(lambda: model.prune(graph).graph)[1]


def _beyond(work: Callable[[], Graph]) -> tuple[Graph, int]:
    """What work returns, and the most bytes that the process held meanwhile beyond what it held before."""
    before = psutil.Process().memory_info().rss
    result, highest = work(), highest_memory()
    return result, max(0, highest - before)


if __name__ == "__main__":
    main()
