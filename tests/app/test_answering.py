"""What the page shows of an answer is what the library found."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lense
from lense.app.answering import answer
from lense.app.asking import Solve, Task
from lense.app.events import Events
from lense.app.looking import look, opened
from lense.graph import read_graph
from tests.app.pages import SMALL, SOLVE
from tests.conftest import Command


def task(folder: Path, source: str = "", **changes: Any) -> Task:
    ask = {**SOLVE, **changes}
    if source:
        ask["graph"] = {"kind": "given"}
    body = {"ask": ask, "source": source, "title": source or "generated", "folder": str(folder)}
    return Task.model_validate_json(json.dumps(body))


def answered(folder: Path, source: str = "", **changes: Any) -> dict[str, Any]:
    return answer(task(folder, source, **changes), Events(io.StringIO()))


@pytest.mark.parametrize(
    ("problem", "solver", "way"),
    [
        ("mvc", "greedy", "auto"),
        ("bmc", "local-search", "core"),
        ("domination", "greedy", "whole"),
        ("mvc", "greedy", "exact"),
    ],
)
def test_the_score_and_the_gains_are_those_of_the_whole_graph(
    problem: str, solver: str, way: str, tmp_path: Path
) -> None:
    found = answered(tmp_path, problem=problem, solver=solver, way=way)
    record = json.loads((tmp_path / "answer.json").read_text())
    graph, known = opened(task(tmp_path)), lense.get_problem(problem)
    numbers = np.array(record["vertices"])
    assert record["score"] == pytest.approx(known.objective(graph, numbers))
    gains = [row[3][1] for row in found["chosen"]["rows"]]
    assert sum(gains) == pytest.approx(record["score"])
    assert [row[2][1] for row in found["chosen"]["rows"]] == np.diff(graph.incident.indptr)[numbers].tolist()


def test_the_part_that_is_drawn_is_the_one_that_was_solved_and_can_be_taken_away(tmp_path: Path) -> None:
    found = answered(tmp_path, way="core")
    record = json.loads((tmp_path / "answer.json").read_text())
    part = read_graph(tmp_path / "pruned.txt.gz")
    assert (part.num_vertices, part.num_edges) == (record["pruned"]["vertices"], record["pruned"]["edges"])
    assert len(found["picture"]["id"]) == part.num_vertices
    chosen = {label for label, role in zip(found["picture"]["id"], found["picture"]["role"], strict=True) if role < 2}
    assert chosen == {str(vertex) for vertex in record["vertices"]}
    assert found["picture"]["title"] == "The part that was solved"


def test_a_proven_optimum_is_called_one(tmp_path: Path) -> None:
    (certified,) = [tile for tile in answered(tmp_path, way="exact")["tiles"] if tile["name"] == "Certified"]
    assert certified["value"] == "optimal (proven)"


@pytest.mark.parametrize("way", ["auto", "whole", "core", "bounds", "exact"])
def test_the_command_and_the_python_lines_do_the_same(
    way: str, graph_file: Path, tmp_path: Path, lense: Command
) -> None:
    found = answered(tmp_path, str(graph_file), way=way, problem="bmc", solver="local-search")
    record = json.loads((tmp_path / "answer.json").read_text())
    (command,) = found["recipe"]["command"].splitlines()
    again = lense(*shlex.split(command)[1:], "--json").json
    assert (again["vertices"], again["score"], again["certified"]) == (
        record["vertices"],
        record["score"],
        record["certified"],
    )
    names: dict[str, Any] = {}
    exec(found["recipe"]["python"], names)
    assert names["answer"].score == record["score"]


def test_the_commands_of_a_generated_graph_make_it_again(
    tmp_path: Path, lense: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = answered(tmp_path)
    monkeypatch.chdir(tmp_path)
    make, solve = found["recipe"]["command"].splitlines()
    assert lense(*shlex.split(make)[1:]).status == 0
    assert (
        lense(*shlex.split(solve)[1:], "--json").json["score"] == json.loads(Path("answer.json").read_text())["score"]
    )
    names: dict[str, Any] = {}
    exec(found["recipe"]["python"], names)
    assert names["answer"].vertices == json.loads(Path("answer.json").read_text())["vertices"]


def test_bounds_and_scores_are_there_where_the_problem_has_them(tmp_path: Path) -> None:
    sections = {part["title"]: part for part in answered(tmp_path)["inside"]}
    assert set(sections) == {"Bounds", "Scores"}
    lines, rounds = sections["Bounds"]["blocks"]
    assert lines["series"][0]["points"][0] == (0, 300)
    assert lines["series"][0]["points"][-1][1] == rounds["rows"][-1][4][1]
    (rankings,) = sections["Scores"]["blocks"]
    assert rankings["rows"][0][0][0] == "quick order"
    im = answered(tmp_path, problem="im", solver="fresh-walks", way="whole")["inside"]
    assert [part["title"] for part in im] == ["Scores"]


def test_a_look_says_what_the_graph_is(tmp_path: Path) -> None:
    body = {"ask": {"kind": "look", "graph": SMALL}, "source": "", "title": "x", "folder": str(tmp_path)}
    found = look(Task.model_validate_json(json.dumps(body)), Events(io.StringIO()))
    graph = opened(task(tmp_path))
    assert (found["vertices"], found["edges"], found["directed"]) == (300, graph.num_edges, False)
    assert found["roots"][0] == 1
    assert found["shares"][0] == pytest.approx(np.diff(graph.indptr).max() / graph.num_edges, abs=1e-4)
    assert found["shares"] == sorted(found["shares"])
    assert found["shares"][-1] == 1.0


def test_a_budget_beyond_the_graph_is_the_librarys_sentence(tmp_path: Path) -> None:
    with pytest.raises(lense.LenseError, match="from 1 to the graph's 300 vertices"):
        answered(tmp_path, budget=301)
    assert isinstance(task(tmp_path).ask, Solve)
