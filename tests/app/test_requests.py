"""What the page may ask for, and what there is to choose from."""

import json
from pathlib import Path
from typing import Any

import pytest

from lense._util.classes import known_names
from lense.app.requests import (
    GeneratedGraph,
    Limits,
    SolveRequest,
    choices,
    parsed,
    suffix_of,
)
from lense.errors import LenseError
from lense.graph.generate import EXAMPLES
from lense.solving.options import pruners_for, ways
from tests.app.pages import QUESTION, SOLVE

LIMITS = Limits()


def asked(question: Any) -> Any:
    return parsed(json.dumps(question).encode(), LIMITS)


def generated(generator: str, **settings: float) -> dict[str, Any]:
    return {"graph": {"kind": "generated", "generator": generator, "settings": settings}}


def test_a_question_is_read_with_defaults() -> None:
    ask = asked(SOLVE)
    assert isinstance(ask, SolveRequest)
    assert isinstance(ask.graph, GeneratedGraph)
    assert (ask.way, ask.seed, ask.reading.options(), ask.options()) == ("auto", 0, {}, {"target": 0.99})
    reading = {"directed": False, "columns": "a,b", "weights": False}
    assert asked({**SOLVE, "reading": reading}).reading.options() == reading


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "delete"}, "delete"),
        ({"budget": 0}, "budget"),
        ({"budget": "5"}, "budget"),
        ({"budget": 5.5}, "budget"),
        ({"target": 2}, "target"),
        ({"target": float("nan")}, "target"),
        ({"more": 1}, "more"),
        ({"problem": "chess"}, "'chess'"),
        ({"solver": "luck"}, "'luck'"),
        ({"way": "magic"}, "'magic'"),
        ({"way": "gcn"}, "'gcn'"),
        ({"problem": "im", "solver": "imm", "way": "exact"}, "'exact'"),
        ({"problem": "im", "solver": "imm", "way": "bounds"}, "'bounds'"),
        ({"seed": -1}, "seed"),
        ({"graph": {"kind": "named", "name": "nowhere"}}, "'nowhere'"),
        (generated("oracle"), "'oracle'"),
        (generated("rmat", n=3), "'n'"),
        (generated("rmat", scale=40), "5,000,000"),
        (generated("power-law", n=1e6, average_degree=1e4), "50,000,000"),
        (generated("rmat", scale=float("inf")), "scale"),
        ({"kind": "compare", "pruners": ["core", "axe"]}, "'axe'"),
        ({"kind": "compare", "pruners": []}, "pruners"),
    ],
)
def test_what_is_not_known_is_refused_in_a_sentence(change: dict[str, Any], words: str) -> None:
    base = QUESTION if change.get("kind") == "compare" else SOLVE
    with pytest.raises(LenseError, match=words) as error:
        asked({**base, **change})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 50_000, b'{"kind": "look"}'])
def test_what_is_no_question_is_refused(body: bytes) -> None:
    with pytest.raises(LenseError):
        parsed(body, LIMITS)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.txt", "/etc/hosts.txt", "c:\\graph.txt", "graph.txt", "~/graph.txt"]
)
def test_only_names_at_hand_are_opened_and_never_paths(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "graph.txt").write_text("1 2\n")
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    asked({**SOLVE, "graph": {"kind": "named", "name": "graph"}})
    with pytest.raises(LenseError):
        asked({**SOLVE, "graph": {"kind": "named", "name": name}})


def test_every_pruner_is_offered_and_those_that_need_no_training_can_solve() -> None:
    assert set(pruners_for("mvc")) == set(known_names("lense.pruners"))
    assert {"core", "lense", "bounds", "random"} <= set(ways("mvc"))
    assert not {"bounds", "gcn"} & set(ways("im"))
    assert "lense" not in ways("domination")


def test_graphs_at_hand_problems_and_generators_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.csv").write_text("1,2\n")
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path / "none"))
    found = choices()
    assert [graph["name"] for graph in found["graphs"]] == ["mine"]
    problems = {problem["name"]: problem for problem in found["problems"]}
    assert next(iter(problems)) == "mvc"
    assert set(problems) == set(known_names("lense.problems"))
    assert problems["mvc"]["solvers"][0] == "greedy"
    assert [way["name"] for way in problems["mvc"]["ways"]][:3] == ["auto", "whole", "exact"]
    assert {one["name"] for one in found["generators"]} == set(EXAMPLES)


@pytest.mark.parametrize(
    ("name", "suffix"), [("My graph.TXT.GZ", ".txt.gz"), ("..\\x.csv.zst", ".csv.zst"), ("../<b>.npz", ".npz")]
)
def test_of_the_name_of_a_file_only_its_format_counts(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


@pytest.mark.parametrize("name", ["", "graph", "graph.exe", ".txt/../passwd", "graph.gz"])
def test_a_name_without_a_format_is_refused(name: str) -> None:
    with pytest.raises(LenseError):
        suffix_of(name)
