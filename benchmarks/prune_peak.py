"""Print the peak of memory, in bytes beyond the graph, of pruning with the shipped model for mvc."""

import argparse
from pathlib import Path

import numpy as np
import psutil

from lense._util.measuring import highest_memory
from lense.graph import power_law, read_graph
from lense.problems import get_problem
from lense.pruners.shipped import shipped_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", type=Path)
    options = parser.parse_args()
    model = shipped_model(get_problem("mvc"))
    assert model is not None
    # code is loaded and compiled before anything is measured
    model.prune(power_law(3000, 10.0, 2.3, np.random.default_rng(0)))
    graph = read_graph(options.graph)
    graph.indices.sum()
    before = psutil.Process().memory_info().rss
    model.prune(graph)
    highest = highest_memory()
    assert highest is not None
    print(max(0, highest - before))


if __name__ == "__main__":
    main()
