"""``lense solve``: an answer for people, for machines and in files."""

import csv
import json
from pathlib import Path

import pytest

from tests.conftest import Command

STAR = "10 20\n10 30\n10 40\n50 40\n"


@pytest.fixture
def star(tmp_path: Path) -> Path:
    path = tmp_path / "star.txt"
    path.write_text(STAR)
    return path


def test_json_has_the_answer_in_the_users_ids_and_in_order_of_choice(lense: Command, star: Path) -> None:
    answer = lense("solve", star, "--problem", "mvc", "--budget", 2, "--json").json
    assert answer["vertices"][0] == 10
    assert set(answer["vertices"][1:]) <= {40, 50}
    assert answer["score"] == 1.0
    assert answer["upper_bound"] == 1.0
    assert answer["certified"] == 1.0
    assert answer["seconds"] >= 0
    assert (answer["problem"], answer["solver"], answer["budget"]) == ("mvc", "greedy", 2)


@pytest.mark.parametrize(
    ("problem", "solver"),
    [
        ("mvc", "greedy"),
        ("mvc", "stochastic-greedy"),
        ("mvc", "probabilistic-greedy"),
        ("mvc", "mip"),
        ("bmc", "local-search"),
        ("bmc", "hassin-rubinstein"),
        ("bmc", "mip"),
        ("im", "imm"),
        ("im", "opim-c"),
        ("im", "celf"),
        ("im", "degree-discount"),
    ],
)
def test_every_solver_runs_from_the_command_line(lense: Command, star: Path, problem: str, solver: str) -> None:
    answer = lense("solve", star, "-p", problem, "-b", 2, "--solver", solver, "--no-prune", "--json").json
    assert answer["solver"] == solver
    assert len(set(answer["vertices"])) == 2
    assert 0 < answer["certified"] <= 1.0000001
    assert answer["score"] <= answer["upper_bound"] * 1.2


def test_people_get_a_table(lense: Command, star: Path) -> None:
    shown = lense("solve", star, "-p", "bmc", "-b", 1)
    assert shown.status == 0
    assert "bmc by local-search, budget 1" in shown.out
    assert "at least 100.0 % of the optimum" in shown.out


def test_the_answer_goes_to_json_and_csv_files(lense: Command, star: Path, tmp_path: Path) -> None:
    as_json, as_csv = tmp_path / "answer.json", tmp_path / "answer.csv"
    assert lense("solve", star, "-p", "mvc", "-b", 2, "--out", as_json, "-q").out == ""
    lense("solve", star, "-p", "mvc", "-b", 2, "--out", as_csv)
    vertices = json.loads(as_json.read_text())["vertices"]
    rows = list(csv.DictReader(as_csv.read_text().splitlines()))
    assert [(row["order"], int(row["vertex"])) for row in rows] == [("1", vertices[0]), ("2", vertices[1])]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["answer.csv", "answer.json", "star.txt"]


def test_the_seed_decides_and_options_reach_the_problem(lense: Command, star: Path) -> None:
    def answer(seed: int) -> object:
        return lense(
            "solve",
            star,
            "-p",
            "im",
            "-b",
            2,
            "--seed",
            seed,
            "--set",
            "worlds=50",
            "--set",
            "model=constant",
            "--json",
        ).json

    first, again = answer(3), answer(3)
    assert {**first, "seconds": 0} == {**again, "seconds": 0}  # type: ignore[dict-item]
    assert first["options"]["worlds"] == 50  # type: ignore[index]
    assert first["options"]["seed"] == 3  # type: ignore[index]


def test_string_ids_survive(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("ada,bob\nada,cleo\nada,dan\n")
    assert lense("solve", path, "-p", "mvc", "-b", 1, "--json").json["vertices"] == ["ada"]


def test_a_bound_can_be_left_out(lense: Command, star: Path) -> None:
    answer = lense("solve", star, "-p", "mvc", "-b", 1, "--no-certify", "--json").json
    assert answer["upper_bound"] is None
    assert answer["certified"] is None


def test_probabilities_come_from_the_third_column(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "weighted.txt"
    path.write_text("1 2 1.0\n2 3 1.0\n4 5 0.0\n")
    answer = lense("solve", path, "-p", "im", "-b", 1, "--json").json
    assert answer["vertices"] == [1]
    assert answer["score"] == 3.0
