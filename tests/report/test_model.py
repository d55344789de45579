"""The page of a model, and of a model on a graph: its figures are those of the library."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.evaluation import Evaluation, evaluate
from lense.graph import Graph, read_graph
from lense.navigation import LeNSE
from lense.navigation.lense import Walk
from lense.paper import Result
from lense.pruners import get_pruner, load
from lense.report import model_page, trial
from lense.report.blocks import Block
from tests.report.pages import blocks, titles

EPISODES, SEED = 3, 1
PAPER = {"ratio": 0.987, "ratio_stderr": 0.001, "vertices_pruned": 0.5, "edges_pruned": 0.6}


@pytest.fixture(scope="module")
def model(model_folder: Path) -> LeNSE:
    found: LeNSE = load(model_folder)
    return found


@pytest.fixture(scope="module")
def graph(model: LeNSE, graph_file: Path) -> Graph:
    return model.problem_.prepare(read_graph(graph_file))


@pytest.fixture(scope="module")
def found(model: LeNSE, graph: Graph) -> Evaluation:
    return evaluate(model, graph, episodes=EPISODES, seed=SEED, prepared=True)


@pytest.fixture(scope="module")
def tried(model: LeNSE, graph: Graph) -> list[Block]:
    return trial(model, graph, name="a graph", episodes=EPISODES, seed=SEED, paper=PAPER)


@pytest.fixture(scope="module")
def walked(model: LeNSE, graph: Graph) -> Walk:
    return model.walk(graph, episodes=EPISODES, seed=SEED)


def walks(tried: list[Block]) -> Block:
    """What the map shows of the walks."""
    found: Block = tried[1]["blocks"][0]["walks"]
    return found


def median(walked: Walk) -> int:
    """The walk that ends at the median distance."""
    return int(walked.distances[-1].argsort(stable=True)[(EPISODES - 1) // 2])


def test_the_table_holds_what_evaluate_finds_and_the_papers_row(tried: list[Block], found: Evaluation) -> None:
    rows = {row[0]: row[1:] for row in tried[0]["blocks"][0]["rows"]}

    def cells(figures: Any) -> list[str]:
        shares = [f"{100 * share:.1f} %" for share in (figures.vertices_pruned, figures.edges_pruned)]
        return [f"{figures.ratio:.3f} ± {figures.ratio_stderr:.3f}", *shares]

    assert rows["LeNSE"] == cells(found)
    assert rows["LeNSE in the paper"] == cells(Result(**PAPER))
    ceiling, *baselines = [row for name, row in rows.items() if name.startswith(("ceiling: ", "baseline: "))]
    assert ceiling[0] == f"{found.ceiling.ratio:.3f}"
    assert [row[0][:5] for row in baselines] == [f"{figures.ratio:.3f}" for figures in found.baselines.values()]


def test_the_walk_of_median_distance_is_followed_to_the_ratio_it_ended_with(
    tried: list[Block], found: Evaluation, walked: Walk
) -> None:
    shown = median(walked)
    places = walks(tried)["places"]
    assert [place["step"] for place in places] == list(range(len(walked.distances)))
    np.testing.assert_allclose([place["distance"] for place in places], walked.distances[:, shown], rtol=1e-4)
    assert places[-1]["ratio"] == found.ratios[shown]
    assert len(walks(tried)["others"]) == EPISODES - 1


def test_a_pruner_that_does_not_walk_gets_its_configuration(tmp_path: Path) -> None:
    get_pruner("top-degree", "bmc", 5, vertices=30).save(tmp_path / "other")
    page: dict[str, Any] = model_page(load(tmp_path / "other"), tmp_path / "other")
    assert titles(page) == ["Configuration"]
    assert ("vertices", "30") in [fact for block in blocks(page, "facts") for fact in block["facts"]]
