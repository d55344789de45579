"""``lense compare``: a table, a picture, a folder to go on from."""

import shutil
from pathlib import Path

import pytest

from lense.cli import main
from tests.conftest import Command
from tests.learning import BUDGET

PRUNERS = "lense,quickprune,top-degree"


def command(graph_file: Path, model_folder: Path, out: Path) -> list[object]:
    """A comparison that takes a second or two: no training, two seeds."""
    choices = ["--problem", "mvc", "--budget", BUDGET, "--seeds", 2, "--episodes", 2, "--out", out]
    return ["compare", graph_file, *choices, "--model", model_folder, "--pruners", PRUNERS]


@pytest.fixture(scope="module")
def finished(graph_file: Path, model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one that is finished, which no test may change."""
    folder = tmp_path_factory.mktemp("comparison") / "out"
    with pytest.raises(SystemExit) as stopped:
        main([str(argument) for argument in command(graph_file, model_folder, folder)])
    assert not stopped.value.code
    return folder


@pytest.fixture
def options(graph_file: Path, model_folder: Path, tmp_path: Path) -> list[object]:
    return command(graph_file, model_folder, tmp_path / "out")


@pytest.fixture
def again(options: list[object], finished: Path, tmp_path: Path) -> list[object]:
    """The same command where all is done already."""
    shutil.copytree(finished, tmp_path / "out")
    return options


def test_a_table_for_each_use_and_one_of_costs(lense: Command, options: list[object], tmp_path: Path) -> None:
    outcome = lense(*options)
    assert outcome.status == 0
    for text in ("As a subgraph", "As a ground set", "What it takes", "ceiling", "whole graph", *PRUNERS.split(",")):
        assert text in outcome.out
    assert {file.name for file in (tmp_path / "out").iterdir()} >= {"table.csv", "table.md", "front.png", "front.svg"}


def test_json_holds_rows_ceiling_and_circumstances(lense: Command, again: list[object]) -> None:
    found = lense(*again, "--json").json
    assert [row["pruner"] for row in found["rows"]] == PRUNERS.split(",")
    assert 0 < found["combined_ceiling"] < 1
    for row in found["rows"]:
        assert row["seeds"] == 2
        assert row["ground-set"]["combined"] <= found["combined_ceiling"] * 1.001
    assert all(whole["versions"]["lense"] and whole["machine"]["cores"] for whole in found["wholes"])


def test_the_same_command_runs_nothing_again(lense: Command, again: list[object], tmp_path: Path) -> None:
    path = tmp_path / "out" / "records.jsonl"
    before = path.stat().st_mtime_ns
    assert lense(*again).status == 0
    assert path.stat().st_mtime_ns == before


def test_a_folder_of_other_things_is_left_alone(lense: Command, options: list[object], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    outcome = lense(*options)
    assert (outcome.status, [file.name for file in (tmp_path / "out").iterdir()]) == (2, ["mine.txt"])


def test_results_of_another_budget_are_not_mixed_in(lense: Command, again: list[object]) -> None:
    outcome = lense(*again, "--budget", BUDGET + 1)
    assert outcome.status == 2
    assert "budget" in outcome.err
