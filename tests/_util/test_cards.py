"""What a notebook shows of the types that everybody meets."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from lense import Core, Graph, evaluate, solve, subgraph
from lense.graph import power_law
from lense.problems import get_problem
from lense.pruners.ranking import TopDegree
from lense.pruners.shipped import shipped_core

GRAPH = power_law(200, 6, 2.4, np.random.default_rng(1))


def shown(thing: Any) -> str:
    """The text of a card, which must be well-formed."""
    return " ".join(ElementTree.fromstring(thing._repr_html_()).itertext())


def test_cards_are_tables_of_facts() -> None:
    assert "vertices 200" in shown(GRAPH)
    assert "largest out-degree" in shown(Graph.from_edges([0], [1], directed=True))
    assert "roots 3 forced 1" in shown(subgraph(GRAPH, [1, 2, 3], [1]))
    assert "optimal (proven)" in shown(solve(GRAPH, "mvc", 5))
    found = evaluate(TopDegree("mvc", 5, vertices=60), GRAPH)
    assert "over one pruning" in shown(found)
    assert f"ceiling {found.ceiling.ratio:.3f} baseline: " in shown(found)
    core = shipped_core(get_problem("mvc"))
    assert core is not None
    assert "fitted yes" in shown(core)
    assert "fitted no" in shown(Core("mvc", 5))


@pytest.mark.parametrize("label", ["<b>", "a & b"])
def test_ids_are_text_and_not_markup(label: str) -> None:
    graph = Graph.from_edges([0, 0], [1, 2], labels=np.array([label, "x", "y"]))
    assert label in shown(solve(graph, "mvc", 1))
