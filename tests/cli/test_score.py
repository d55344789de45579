"""``lense score``: an answer from elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, write_graph
from tests.conftest import Command


@pytest.fixture
def star(tmp_path: Path) -> Path:
    path = tmp_path / "star.txt"
    path.write_text("10 20\n10 30\n10 40\n50 40\n")
    return path


@pytest.mark.parametrize("text", ["20\n40\n", "# mine\n20\n\n40", "[20, 40]", '["20", "40"]', '{"vertices": [20, 40]}'])
def test_ids_come_one_on_a_line_or_as_json(lense: Command, star: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "answer").write_text(text)
    found = lense("score", star, "--vertices", tmp_path / "answer", "-p", "mvc", "--json").json
    assert found["vertices"] == [20, 40]
    assert (found["budget"], found["score"], found["certified"], found["optimal"]) == (2, 0.75, 0.75, False)


@pytest.mark.parametrize("name", ["answer.json", "answer.csv"])
def test_what_solve_writes_can_be_scored(lense: Command, star: Path, tmp_path: Path, name: str) -> None:
    lense("solve", star, "-p", "mvc", "-b", 1, "--out", tmp_path / name)
    shown = lense("score", star, "--vertices", tmp_path / name, "-p", "mvc", "--json")
    assert (json.loads(shown.out)["score"], json.loads(shown.out)["optimal"]) == (0.75, True)


@pytest.mark.parametrize(
    ("text", "more", "sentence"),
    [
        ("99", (), "no vertex '99'"),
        ("10\n10", (), "more than once"),
        ("order,vertex\n1," + 200_000 * "9", (), "is no table: field larger than field limit"),
        ("", (), "no vertices"),
        ("[10", (), "no JSON"),
        ('{"a": 1}', (), "no list of vertices"),
        ("10\n20", ("-b", 1), "takes 2 of a budget of 1"),
    ],
)
def test_a_wrong_answer_is_one_sentence(
    lense: Command, star: Path, tmp_path: Path, text: str, more: tuple[object, ...], sentence: str
) -> None:
    (tmp_path / "answer").write_text(text)
    lense("score", star, "--vertices", tmp_path / "answer", "-p", "mvc", *more).assert_refused(sentence)


@pytest.mark.parametrize("vertices", [0, 4])
@pytest.mark.parametrize("problem", ["mvc", "im"])
def test_a_graph_with_nothing_in_it_is_one_sentence(
    lense: Command, tmp_path: Path, vertices: int, problem: str
) -> None:
    nothing = np.empty(0, np.int64)
    write_graph(Graph.from_edges(nothing, nothing, num_vertices=vertices), tmp_path / "graph.npz")
    (tmp_path / "answer.txt").write_text("0\n")
    outcome = lense("score", tmp_path / "graph.npz", "-p", problem, "--vertices", tmp_path / "answer.txt")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "The graph has no " in outcome.err
