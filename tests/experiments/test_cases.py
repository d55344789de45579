"""Train and test graphs of an experiment."""

from pathlib import Path

from lense.experiments.cases import Source
from lense.graph import DATASETS, open_graph, write_graph
from tests import learning
from tests.skips import needs_data


def test_a_share_of_the_edges_is_learnt_from_and_the_rest_pruned() -> None:
    graph = learning.graph()
    case = Source(graph, "mvc", train_share=0.25).case(3)
    assert case.train.num_edges == round(0.25 * graph.num_edges)
    assert case.train.num_edges + case.test.num_edges == graph.num_edges


def test_seeds_split_in_different_ways_and_each_always_in_the_same() -> None:
    source = Source(learning.graph(), "mvc")
    first, second = source.case(0), source.case(1)
    assert not first.test.equals(second.test)
    assert source.case(0).test.equals(first.test)


def test_edge_probabilities_are_drawn_before_the_split() -> None:
    case = Source(learning.graph(), "im").case(0)
    assert case.problem.name == "im"
    assert case.train.weights is not None
    assert case.test.weights is not None


def test_options_reach_the_problem_and_the_seed_its_lots() -> None:
    problem = Source(learning.graph(), "im", options={"worlds": "50"}).problem_for(7)
    assert (problem.worlds, problem.seed) == (50, 7)  # type: ignore[attr-defined]


def test_a_train_graph_of_its_own_leaves_the_graph_whole(tmp_path: Path) -> None:
    write_graph(learning.graph(), tmp_path / "test.txt")
    case = Source(str(tmp_path / "test.txt"), "mvc", train=learning.graph()).case(0)
    assert case.test.num_edges == case.train.num_edges == learning.graph().num_edges


def test_a_file_is_titled_by_its_name_alone(tmp_path: Path) -> None:
    assert Source(str(tmp_path / "test.txt"), "mvc").title == "test.txt"


@needs_data
def test_a_graph_of_the_paper_is_split_as_there() -> None:
    source = Source("facebook", "mvc", train_share=0.9)
    assert source.paper_graph == "facebook"
    whole = open_graph("facebook")
    assert source.case(0).train.num_edges == round(DATASETS["facebook"].train_fraction() * whole.num_edges)
