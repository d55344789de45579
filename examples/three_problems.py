"""Draw what each of the three problems chooses on one small generated graph.

python examples/three_problems.py three_problems.png
"""

import sys

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from lense.graph import Graph, planted_communities
from lense.graph.convert import to_networkx
from lense.problems import Problem, get_problem

BUDGET = 12
INK, CHOSEN, TOUCHED = "#c9ced6", "#d55e00", "#0072b2"
TITLES = {
    "mvc": "max vertex cover: touch most edges",
    "bmc": "budgeted max-cut: most edges across",
    "im": "influence maximisation: reach most vertices",
}

SCORES = {"mvc": "{:.1f} % of edges", "bmc": "{:.0f} edges", "im": "{:.1f} reached"}


def highlighted_edges(problem: Problem, graph: Graph, chosen: set[int]) -> list[tuple[int, int]]:
    """The edges that count for the problem: covered ones, cut ones, or those that carry influence first."""
    sources, targets, _ = graph.edges()
    ends = list(zip(sources.tolist(), targets.tolist(), strict=True))
    if problem.name == "bmc":
        return [(u, v) for u, v in ends if (u in chosen) != (v in chosen)]
    return [(u, v) for u, v in ends if u in chosen or v in chosen]


def main(path: str) -> None:
    graph = planted_communities(160, 4, 7.0, 0.7, np.random.default_rng(3)).without_isolated()
    drawn = to_networkx(graph)
    names = dict(enumerate(graph.labels.tolist()))
    layout = nx.spring_layout(drawn, seed=4, k=0.16, iterations=200)
    figure, panels = plt.subplots(1, 3, figsize=(13.5, 4.6), layout="constrained")
    for panel, (name, title) in zip(panels, TITLES.items(), strict=True):
        problem = get_problem(name, **({"model": "constant", "probability": "0.15"} if name == "im" else {}))
        prepared = problem.prepare(graph)
        solution = problem.solve(prepared, BUDGET, np.random.default_rng(0))
        chosen = set(solution.indices.tolist())
        counted = [(names[u], names[v]) for u, v in highlighted_edges(problem, graph, chosen)]
        nx.draw_networkx_edges(drawn, layout, ax=panel, edge_color=INK, width=0.6)
        nx.draw_networkx_edges(drawn, layout, counted, ax=panel, edge_color=TOUCHED, width=0.9, alpha=0.8)
        nx.draw_networkx_nodes(drawn, layout, ax=panel, node_size=14, node_color="#5b6472", linewidths=0)
        nx.draw_networkx_nodes(
            drawn, layout, [names[v] for v in chosen], ax=panel, node_size=95, node_color=CHOSEN, edgecolors="white"
        )
        score = SCORES[name].format(100 * solution.score if name == "mvc" else solution.score)
        certified = "" if solution.certified is None else f", at least {100 * solution.certified:.0f} % of the optimum"
        panel.set_title(f"{title}\n{BUDGET} vertices: {score}{certified}", fontsize=10)
        panel.margins(0.02)
        panel.axis("off")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "three_problems.png")
