"""What the page may ask for."""

import json
from pathlib import Path
from typing import Any

import pytest

from lense.app.asking import Generated, Solve, parsed, rivals, suffix_of, ways
from lense.app.limits import Limits
from lense.errors import LenseError
from tests.app.pages import QUESTION, SOLVE

LIMITS = Limits()


def asked(question: Any) -> Any:
    return parsed(json.dumps(question).encode(), LIMITS)


def test_a_question_is_read_with_what_is_usual() -> None:
    ask = asked(SOLVE)
    assert isinstance(ask, Solve)
    assert isinstance(ask.graph, Generated)
    assert (ask.way, ask.seed, ask.reading.options()) == ("auto", 0, {})


def test_how_to_read_a_file_is_what_open_graph_takes() -> None:
    ask = asked({**SOLVE, "reading": {"directed": False, "columns": "a,b", "weights": False}})
    assert ask.reading.options() == {"directed": False, "columns": "a,b", "weights": False}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "delete"}, "not known"),
        ({"budget": 0}, "budget"),
        ({"budget": "5"}, "budget"),
        ({"budget": 5.5}, "budget"),
        ({"target": 2}, "target"),
        ({"target": float("nan")}, "target"),
        ({"more": 1}, "more"),
        ({"problem": "chess"}, "There is no problem called 'chess'"),
        ({"solver": "luck"}, "There is no solver of mvc called 'luck'"),
        ({"way": "magic"}, "There is no way to solve mvc called 'magic'"),
        ({"problem": "im", "solver": "imm", "way": "exact"}, "im cannot be solved exactly"),
        ({"problem": "im", "solver": "imm", "way": "bounds"}, "There is no way to solve im called 'bounds'"),
        ({"seed": -1}, "seed"),
        ({"graph": {"kind": "named", "name": "nowhere"}}, "There is no graph at hand called 'nowhere'"),
        ({"graph": {"kind": "generated", "generator": "oracle", "settings": {}}}, "There is no generator"),
        ({"graph": {"kind": "generated", "generator": "rmat", "settings": {"n": 3}}}, "parameter of rmat"),
        (
            {"graph": {"kind": "generated", "generator": "rmat", "settings": {"scale": 40}}},
            "at most 5,000,000 vertices",
        ),
        (
            {"graph": {"kind": "generated", "generator": "power-law", "settings": {"n": 1e6, "average_degree": 1e4}}},
            "most",
        ),
        ({"graph": {"kind": "generated", "generator": "rmat", "settings": {"scale": float("inf")}}}, "finite"),
    ],
)
def test_what_is_not_known_is_refused_in_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(LenseError, match=sentence) as error:
        asked({**SOLVE, **change})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 50_000, b'{"kind": "look"}'])
def test_what_is_no_question_is_refused(body: bytes) -> None:
    with pytest.raises(LenseError, match="not known"):
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
    with pytest.raises(LenseError, match="no graph at hand"):
        asked({**SOLVE, "graph": {"kind": "named", "name": name}})


def test_a_comparison_names_pruners_for_the_problem() -> None:
    assert asked({"kind": "compare", **QUESTION, "pruners": ["core", "random"]}).pruners == ("core", "random")
    with pytest.raises(LenseError, match="There is no pruner for mvc called 'axe'"):
        asked({"kind": "compare", **QUESTION, "pruners": ["core", "axe"]})
    with pytest.raises(LenseError, match="pruners"):
        asked({"kind": "compare", **QUESTION, "pruners": []})


def test_ways_are_those_that_ship_or_need_no_fitting() -> None:
    assert {"core", "lense", "bounds", "random"} <= set(ways("mvc"))
    assert not {"bounds", "gcn"} & set(ways("im"))
    assert "lense" not in ways("domination")
    assert "gcn" in rivals("mvc")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("graph.txt", ".txt"),
        ("My graph.TXT.GZ", ".txt.gz"),
        ("../../x.mtx", ".mtx"),
        ("..\\x.csv.zst", ".csv.zst"),
        ("<b>.npz", ".npz"),
    ],
)
def test_of_the_name_of_a_file_only_its_format_counts(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


@pytest.mark.parametrize("name", ["", "graph", "graph.exe", ".txt/../passwd", "graph.gz"])
def test_a_name_without_a_format_is_refused(name: str) -> None:
    with pytest.raises(LenseError, match="which format"):
        suffix_of(name)
