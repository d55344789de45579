"""Draw a graph, the part of it that matters for a problem, and the answer found there.

python examples/small_part.py small_part.png
"""

import sys

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from scipy.sparse.csgraph import connected_components

import lense
from lense.graph import Graph, power_law
from lense.graph.convert import to_networkx, to_scipy
from lense.graph.subgraph import kept_part

BUDGET = 8
INK, ROOT, FRINGE, CHOSEN = "#c9ced6", "#0072b2", "#56b4e9", "#d55e00"


def draw(axes: Axes, graph: Graph, part: Graph, layout: dict[int, np.ndarray], colours: dict[int, str]) -> None:
    """The ``part`` in colours, by the labels of its vertices, above the rest of ``graph``."""
    whole, kept = to_networkx(graph), to_networkx(part)
    pale = {"edge_color": INK, "width": 0.35, "alpha": 0.35 if part is not graph else 0.9}
    nx.draw_networkx_edges(whole, layout, ax=axes, **pale)
    nx.draw_networkx_nodes(whole, layout, ax=axes, node_size=3, node_color=INK)
    if part is not graph:
        nx.draw_networkx_edges(kept, layout, ax=axes, edge_color=FRINGE, width=0.5)
        for colour in (FRINGE, ROOT, CHOSEN):
            nodes = [node for node in kept if colours.get(node, FRINGE) == colour]
            size = {FRINGE: 7, ROOT: 40, CHOSEN: 60}[colour]
            nx.draw_networkx_nodes(kept, layout, nodes, ax=axes, node_size=size, node_color=colour)
    axes.set_axis_off()


def largest_component(graph: Graph) -> Graph:
    """The part of ``graph`` with the most vertices that hang together."""
    _, component = connected_components(to_scipy(graph), directed=False)
    return kept_part(graph, np.flatnonzero(component == np.bincount(component).argmax())).graph


def main(path: str) -> None:
    graph = largest_component(power_law(1200, 2.2, 2.3, np.random.default_rng(4)))
    core = lense.load("core-mvc").set_params(budget=BUDGET, size=2 * BUDGET)
    part = core.prune(graph)
    answer = core.solve(graph)
    roots = graph.labels[part.roots].tolist()
    chosen = answer.vertices
    layout = nx.kamada_kawai_layout(to_networkx(graph))
    share = 100 * (1 - part.graph.num_edges / graph.num_edges)
    quality = "a proven optimum" if answer.optimal else f"at least {100 * (answer.certified or 0):.1f} % of the optimum"
    titles = (
        f"the graph: {graph.num_edges:,} edges",
        f"the part that matters: {share:.0f} % of the edges pruned",
        f"the answer: {100 * answer.score:.0f} % of all edges covered, {quality}",
    )
    figure, panels = plt.subplots(1, 3, figsize=(13.5, 4.6), layout="constrained")
    draw(panels[0], graph, graph, layout, {})
    draw(panels[1], graph, part.graph, layout, dict.fromkeys(roots, ROOT))
    draw(panels[2], graph, part.graph, layout, {**dict.fromkeys(roots, ROOT), **dict.fromkeys(chosen, CHOSEN)})
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize=11)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1])
