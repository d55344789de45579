"""The shipped models on graphs that none of them learnt from: ``python -m benchmarks.shipped`` prints a table.

Each figure is the mean ratio at P_V / P_E of a few walks with budget 100. Real graphs are read from ``LENSE_DATA``;
those that are missing there are left out.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from lense._util.threads import num_threads
from lense.evaluation import Figures, Yardstick
from lense.experiments.tables import markdown
from lense.graph import Graph, open_graph
from lense.graph.datasets import graph_files
from lense.graph.generate import power_law
from lense.problems import Problem, get_problem
from lense.pruners import load
from lense.pruners.shipped import shipped_models

REAL = ("ca-CondMat", "p2p-Gnutella31", "deezer-RO")
WALKS = {"im": 2}
MOST_WALKS = 4
BUDGET = 100


def graphs(problem: Problem) -> Iterator[Graph]:
    """A power law, then the real graphs that are there, prepared for the problem."""
    yield problem.prepare(power_law(10_000, 10, 2.5, np.random.default_rng(0)))
    for name in real_graphs():
        yield problem.prepare(open_graph(name, arcs=problem.uses_direction))


def real_graphs() -> list[str]:
    return [name for name in REAL if name in graph_files()]


def figures(name: str, problem: Problem, graph: Graph, yardstick: Yardstick) -> str:
    """The mean ratio at P_V / P_E of a model's walks on a graph, as text."""
    model = load(name, problem=problem)
    walks = WALKS.get(problem.name, MOST_WALKS)
    parts = model.parts(graph, episodes=walks, budget=BUDGET, prepared=True)
    found = Figures.of([yardstick.measure(part, episode) for episode, part in enumerate(parts)])
    return f"{found.ratio:.3f} at {100 * found.vertices_pruned:.0f} / {100 * found.edges_pruned:.0f}"


def rows(problems: list[str]) -> Iterator[tuple[str, ...]]:
    """A line for each model of one of the problems."""
    for name in problems:
        problem = get_problem(name)
        cases = [(graph, Yardstick(problem, graph, BUDGET)) for graph in graphs(problem)]
        for model in (known["name"] for known in shipped_models() if known["problem"] == name):
            yield model, *(figures(model, problem, *case) for case in cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default="mvc,bmc,im", help="separated by commas")
    chosen = parser.parse_args().problems.split(",")
    headings = ("model", "power law", *real_graphs())
    print(markdown(headings, list(rows(chosen))), end="")
    print(f"\n{MOST_WALKS} walks each (im: {WALKS['im']}), {num_threads()} threads")


if __name__ == "__main__":
    main()
