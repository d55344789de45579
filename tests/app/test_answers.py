"""What the page shows of an answer is what the library found; comparisons fill while they run."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lense
from lense.app import answers
from lense.app.answers import answer, compare, walk_section
from lense.app.requests import JobSpec
from lense.app.worker import Events, look
from lense.graph import power_law, read_graph
from lense.navigation import LeNSE
from tests.app.pages import QUESTION, SMALL, SOLVE
from tests.conftest import Command


def spec(folder: Path, source: str = "", ask: dict[str, Any] = SOLVE, **changes: Any) -> JobSpec:
    asked = {**ask, **changes, **({"graph": {"kind": "given"}} if source else {})}
    body = {"ask": asked, "source": source, "title": source or "generated", "folder": str(folder)}
    return JobSpec.model_validate_json(json.dumps(body))


def answered(folder: Path, source: str = "", **changes: Any) -> dict[str, Any]:
    return answer(spec(folder, source, **changes), Events(list[Any]().append))


def record_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "answer.json").read_text())
    return found


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
    found, graph = answered(tmp_path, problem=problem, solver=solver, way=way), spec(tmp_path).open_graph()
    record, rows = record_in(tmp_path), found["chosen"]["rows"]
    numbers = np.array(record["vertices"])
    assert record["score"] == pytest.approx(lense.get_problem(problem).objective(graph, numbers))
    gains = [float(row[3].removesuffix(" %").replace(",", "")) / (100 if "%" in row[3] else 1) for row in rows]
    assert sum(gains) == pytest.approx(record["score"], rel=1e-3)
    assert [int(row[2].replace(",", "")) for row in rows] == np.diff(graph.incident.indptr)[numbers].tolist()
    assert record["graph"]["source"] == "generated"
    (certified,) = [tile["value"] for tile in found["tiles"] if tile["name"] == "Certified"]
    assert (certified == "optimal (proven)") == record["optimal"]


def test_the_part_that_is_drawn_is_the_one_that_was_solved_and_can_be_taken_away(tmp_path: Path) -> None:
    found = answered(tmp_path, way="core")
    record, part, drawn = record_in(tmp_path), read_graph(tmp_path / "pruned.txt.gz"), found["picture"]
    assert (part.num_vertices, part.num_edges) == (record["pruned"]["vertices"], record["pruned"]["edges"])
    assert len(drawn["id"]) == part.num_vertices
    chosen = {label for label, role in zip(drawn["id"], drawn["role"], strict=True) if role < 2}
    assert chosen == {str(vertex) for vertex in record["vertices"]}
    assert drawn["title"] == "The part that was solved"


@pytest.mark.parametrize("way", ["auto", "whole", "core", "bounds", "exact"])
def test_the_command_and_the_python_lines_do_the_same(
    way: str, graph_file: Path, tmp_path: Path, lense: Command
) -> None:
    found = answered(tmp_path, str(graph_file), way=way, problem="bmc", solver="local-search")
    record = record_in(tmp_path)
    (command,) = found["recipe"]["command"].splitlines()
    again = lense(*shlex.split(command)[1:], "--json").json
    assert [again[key] for key in ("vertices", "score", "certified")] == [
        record[key] for key in ("vertices", "score", "certified")
    ]
    names: dict[str, Any] = {}
    exec(found["recipe"]["python"], names)
    assert names["answer"].score == record["score"]


def test_the_commands_of_a_generated_graph_make_it_again(
    tmp_path: Path, lense: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = answered(tmp_path, problem="im", solver="fresh-walks", seed=3)
    make, solve = found["recipe"]["command"].splitlines()
    assert lense(*shlex.split(make)[1:]).status == 0
    assert lense(*shlex.split(solve)[1:], "--json").json["score"] == record_in(tmp_path)["score"]
    names: dict[str, Any] = {}
    exec(found["recipe"]["python"], names)
    assert names["answer"].vertices == record_in(tmp_path)["vertices"]


def test_bounds_are_there_where_the_problem_has_them(tmp_path: Path) -> None:
    (section,) = answered(tmp_path)["inside"]
    lines, rounds = section["blocks"]
    assert lines["series"][0]["points"][0] == (0, 300)
    assert lines["series"][0]["points"][-1][1] == int(rounds["rows"][-1][4].replace(",", ""))
    assert answered(tmp_path, problem="im", solver="fresh-walks", way="random")["inside"] == []


def test_a_look_says_what_the_graph_is(tmp_path: Path) -> None:
    asked = spec(tmp_path, ask={"kind": "look", "graph": SMALL})
    found, graph = look(asked, Events(list[Any]().append)), asked.open_graph()
    assert (found["vertices"], found["edges"], found["directed"]) == (300, graph.num_edges, False)
    assert found["roots"][0] == 1
    assert found["shares"][0] == pytest.approx(np.diff(graph.indptr).max() / graph.num_edges, abs=1e-4)
    assert found["shares"] == sorted(found["shares"])
    assert found["shares"][-1] == 1.0


def test_the_walk_ends_with_the_part_that_the_pruner_keeps(trained: LeNSE, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = trained.problem_.prepare(power_law(300, 6, 2.3, np.random.default_rng(1)))
    part = trained.prune(graph, seed=3, prepared=True)
    section = walk_section(trained, graph, trained.budget, 3, whole_seconds=0.0)
    places = section["blocks"][0]["walks"]["places"]
    assert (places[-1]["vertices"], places[-1]["edges"]) == (part.graph.num_vertices, part.graph.num_edges)
    assert places[0]["step"] == 0
    assert places[-1]["ratio"] is not None
    slow = walk_section(trained, graph, trained.budget, 3, whole_seconds=1e6)
    assert all(place["ratio"] is None for place in slow["blocks"][0]["walks"]["places"])
    monkeypatch.setattr(answers, "has_learn", lambda: False)
    without = walk_section(trained, graph, trained.budget, 3, 0.0)
    assert "pip install 'lense[learn]'" in without["lead"]
    assert without["blocks"] == []


def test_the_plot_fills_while_pruners_run(tmp_path: Path) -> None:
    said, ask = list[dict[str, Any]](), {"kind": "compare", **QUESTION, "pruners": ["top-degree", "random"]}
    result = compare(spec(tmp_path, ask=ask), Events(said.append))
    partial = [event["partial"][0]["panels"][0]["points"] for event in said if "partial" in event]
    assert [len(points) for points in partial] == [1, 2]
    fronts = result["blocks"][0]
    assert {point["pruner"] for point in fronts["panels"][0]["points"]} == {"top-degree", "random"}
    for file in result["files"]:
        assert (tmp_path / file["name"]).stat().st_size > 0
    assert "lense compare graph.npz --problem mvc --budget 5" in result["recipe"]["command"]
    assert "--pruners top-degree,random" in result["recipe"]["command"]
