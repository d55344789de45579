"""What a notebook shows of the types that everybody meets."""

from xml.etree import ElementTree

import numpy as np
import pytest

from lense import Core, Graph, evaluate, solve, subgraph
from lense._util.cards import shares
from lense.graph import power_law
from lense.problems import get_problem
from lense.pruners.degree import TopDegree
from lense.pruners.shipped import shipped_core

GRAPH = power_law(200, 6, 2.4, np.random.default_rng(1))


def read(shown: str) -> tuple[str, int]:
    """The text of a card, which must be well-formed, and how many pictures it has."""
    tree = ElementTree.fromstring(shown)
    return " ".join(tree.itertext()), len(list(tree.iter("svg")))


def test_a_graph_shows_its_degrees() -> None:
    text, pictures = read(GRAPH._repr_html_())
    assert "200" in text
    assert pictures == 1
    assert read(Graph.from_edges([], [], num_vertices=2)._repr_html_())[1] == 0
    assert "largest degree" in text
    assert "largest out-degree" in read(Graph.from_edges([0], [1], directed=True)._repr_html_())[0]


def test_a_part_shows_its_roots_and_its_fringe() -> None:
    text, pictures = read(subgraph(GRAPH, [1, 2, 3], [1])._repr_html_())
    assert ("forced: 1" in text, "other roots: 2" in text, pictures) == (True, True, 1)


def test_a_solution_shows_what_is_certain() -> None:
    text, pictures = read(solve(GRAPH, "mvc", 5)._repr_html_())
    assert "of the optimum" in text
    assert pictures == 1
    assert read(solve(GRAPH, "mvc", 5, certify=False)._repr_html_())[1] == 0


def test_an_evaluation_shows_ratios_beside_the_floors() -> None:
    found = evaluate(TopDegree("mvc", 5, vertices=60), GRAPH)
    text, pictures = read(found._repr_html_())
    assert "over one pruning" in text
    assert f"ceiling: {found.ceiling.ratio:.3f}" in text
    assert pictures == 1


def test_a_fitted_pruner_shows_its_calibration() -> None:
    core = shipped_core(get_problem("mvc"))
    assert core is not None
    text, pictures = read(core._repr_html_())
    assert ("expected ratio" in text, pictures) == (True, 1)
    assert read(Core("mvc", 5)._repr_html_())[1] == 0


def test_each_stretch_of_a_bar_is_named_beside_its_colour() -> None:
    tree = ElementTree.fromstring(shares({"roots": 1.0, "fringe": 3.0}, "a part"))
    fills = [one.get("fill-opacity") for one in tree.iter("rect")]
    assert fills == ["1.00", "1.00", "0.25", "0.25"]
    assert [one.text for one in tree.iter("text")] == ["roots", "fringe"]


@pytest.mark.parametrize("label", ["<b>", "a & b"])
def test_ids_are_text_and_not_markup(label: str) -> None:
    graph = Graph.from_edges([0, 0], [1, 2], labels=np.array([label, "x", "y"]))
    assert label in read(solve(graph, "mvc", 1)._repr_html_())[0]
