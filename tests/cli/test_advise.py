"""``lense advise``: what each way would take, without solving."""

from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, write_graph
from tests.conftest import Command

OWN = """
from dataclasses import dataclass
from lense.problems.mvc import MaxVertexCover

@dataclass(frozen=True, kw_only=True)
class Mine(MaxVertexCover):
    name = "mine"
"""


def test_a_cheap_heuristic_needs_no_pruning(lense: Command, graph_file: Path) -> None:
    advice = lense("advise", graph_file, "-p", "mvc", "-b", 8, "--json").json
    assert advice["prune"] is False
    assert advice["reason"].startswith("solved on the whole graph: greedy takes about")
    assert advice["whole_seconds"] > 0
    assert advice["graph"]["vertices"] == 300


def test_an_expensive_one_does(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "big.npz"
    lense("graph", "generate", "barabasi-albert", path, "--set", "n=900", "--set", "m=3")
    words = ("advise", path, "-p", "bmc", "-b", 8, "--solver", "mip")
    advice = lense(*words, "--json").json
    assert advice["prune"] is True
    assert advice["part_seconds"] + advice["prune_seconds"] < advice["whole_seconds"]
    shown = " ".join(lense(*words).out.split())
    assert "sure of the target" in shown
    assert "which takes about" in shown


def test_a_graph_unlike_those_of_the_core_is_said(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "path.npz"
    write_graph(Graph.from_edges(np.arange(2000), np.arange(1, 2001)), path)
    words = ("advise", path, "-p", "bmc", "-b", 8, "--solver", "mip")
    advice = lense(*words, "--json").json
    assert advice["unlike"].startswith("the graph is unlike those that sizes were learnt on")
    assert advice["confidence"] == 0.5
    shown = " ".join(lense(*words).out.split())
    assert "the target; the graph is unlike" in shown
    pruned = ("prune", path, "-p", "bmc", "-b", 8, "--out", tmp_path / "core.txt")
    assert lense(*pruned, "--json").json["unlike"] == advice["unlike"]
    assert "the target; the graph is unlike" in " ".join(lense(*pruned).out.split())
    by_walks = lense(*pruned, "--pruner", "lense", "--json").json
    assert by_walks["unlike"].startswith("the graph is unlike those that the model learnt from (fewer of its edges")
    solved = lense("solve", path, "-p", "bmc", "-b", 8, "--pruner", "lense", "--json").json
    assert by_walks["unlike"] in solved["reason"]


def test_a_problem_without_a_core_can_be_advised(lense: Command, graph_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    words = ("advise", graph_file, "-p", f"{tmp_path / 'mine.py'}:Mine", "-b", 8)
    assert lense(*words, "--json").json["prune_seconds"] is None
    assert "pruning" not in lense(*words).out


def test_what_is_missing_is_said(lense: Command, graph_file: Path) -> None:
    assert "--budget" in lense("advise", graph_file, "-p", "mvc").err
    assert "--problem" in lense("advise", graph_file, "-b", 8).err
    assert lense("advise", graph_file, "-p", "mvc", "-b", 8, "--target", 2).status == 2


def test_costs_of_a_graph_yet_to_come_are_in_proportion(lense: Command) -> None:
    small, large = (
        lense("advise", "--edges", edges, "-p", "mvc", "-b", 5, "--json").json for edges in (50_000, 50_000_000)
    )
    assert (large["graph"]["vertices"], large["graph"]["edges"]) == (5_000_000, 50_000_000)
    assert large["costs"]["hold"]["bytes"] > 500 * small["costs"]["hold"]["bytes"]
    assert set(large["costs"]) == {"hold", "read", "solve", "certify", "learn core"}
    assert large["costs"]["solve"]["seconds"] > small["costs"]["solve"]["seconds"] > 0


def test_costs_include_learning_a_core(lense: Command, graph_file: Path) -> None:
    shown = lense("advise", graph_file, "-p", "mvc", "-b", 5, "--costs")
    assert shown.status == 0
    assert all(words in shown.out for words in ("to hold", "to solve", "to learn core"))


@pytest.mark.parametrize("words", [(), ("--vertices", "5"), ("--edges", "0")])
def test_a_graph_or_its_size_is_needed(lense: Command, words: tuple[str, ...]) -> None:
    found = lense("advise", *words, "-p", "mvc", "-b", 5)
    assert (found.status, found.out) == (2, "")
    assert "edges" in found.err
