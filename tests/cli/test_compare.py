"""``lense compare``: a table, a picture, a folder to go on from."""

from pathlib import Path

from tests.conftest import Command
from tests.learning import BUDGET

PRUNERS = ["lense", "quickprune", "top-degree"]


def test_tables_are_shown_and_written_and_the_same_command_shows_them_again_as_json(
    lense: Command, graph_file: Path, model_folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    choices = ["--problem", "mvc", "--budget", BUDGET, "--seeds", 2, "--episodes", 2, "--out", out]
    command = ["compare", graph_file, *choices, "--model", model_folder, "--pruners", ",".join(PRUNERS)]
    outcome = lense(*command)
    assert outcome.status == 0
    for text in ("As a subgraph", "As a ground set", "What it takes", "ceiling", "whole graph", *PRUNERS):
        assert text in outcome.out
    assert {file.name for file in out.iterdir()} >= {"table.csv", "table.md", "front.png", "front.svg"}
    before = (out / "records.jsonl").stat().st_mtime_ns
    found = lense(*command, "--json").json
    assert (out / "records.jsonl").stat().st_mtime_ns == before
    assert [row["pruner"] for row in found["rows"]] == PRUNERS
    assert 0 < found["combined_ceiling"] < 1
    for row in found["rows"]:
        assert row["seeds"] == 2
        assert row["ground-set"]["combined"] <= found["combined_ceiling"] * 1.001
    assert all(whole["versions"]["lense"] and whole["machine"]["cores"] for whole in found["wholes"])


def test_a_folder_of_other_things_is_left_alone(lense: Command, graph_file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    lense("compare", graph_file, "-p", "mvc", "--pruners", "random", "-o", tmp_path).assert_refused(str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
