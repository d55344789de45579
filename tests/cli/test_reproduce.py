"""``lense reproduce``: tables and figures of the paper by one command each."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.experiments import tiny_paper


@pytest.fixture
def options(results: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Everything that a study of the tiny paper needs to find its results again."""
    monkeypatch.setenv("COLUMNS", "200")
    for plan in results.glob("*/plan.json"):
        known = json.loads(plan.read_text())
        plan.write_text(json.dumps({**known, "settings": {}} if "settings" in known else known))
    for plan in results.glob("rivals/*/plan.json"):
        known = json.loads(plan.read_text())
        plan.write_text(json.dumps({**known, "lense": {**known["lense"], "settings": {}}}))
    return ["--budget", tiny_paper.BUDGET, "--episodes", 2, "--seeds", "0,1", "--out", results, "--device", "cpu"]


def test_a_table_is_shown_and_written(lense: Command, options: list[object], results: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in results.rglob("pieces/*.json")}
    shown = lense("reproduce", "table1", *options)
    assert shown.status == 0
    for words in ("Table 1", "LeNSE", "GCOMB-P", "mvc on absent, seed 0, 1: data not at hand", "table1.csv"):
        assert words in shown.out
    assert {path: path.stat().st_mtime_ns for path in results.rglob("pieces/*.json")} == before


def test_json_tells_states_and_files(lense: Command, options: list[object], results: Path) -> None:
    (record,) = lense("reproduce", "table1", "--graphs", "tiny", *options, "--json").json
    assert record["experiment"] == "table1"
    assert record["rows"] == [{"graph": "tiny", "problem": "mvc", "cells": {"done": ["0", "1"]}}]
    assert record["files"] == [str(results / f"table1.{kind}") for kind in ("csv", "md", "tex")]


def test_all_runs_every_experiment_on_its_own_rows(
    lense: Command, options: list[object], results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []
    monkeypatch.setattr("lense.experiments.experiment.Experiment.run", lambda self, study: ran.append(self.name))
    assert lense("reproduce", "all", "--graphs", "tiny", *options).status == 0
    assert ran == ["table1", "budgets", "scalability", "losses", "walk", "maps", "rivals"]


def test_status_runs_nothing(lense: Command, options: list[object], results: Path) -> None:
    before = sorted(results.rglob("*"))
    shown = lense("reproduce", "status", *options)
    assert shown.status == 0
    for words in ("table1", "budgets", "done", "not run", "data not at hand: lense data get absent"):
        assert words in shown.out
    assert sorted(results.rglob("*")) == before
    rows = lense("reproduce", "status", *options, "--json").json
    assert rows[0] == {"experiment": "table1", "graph": "tiny", "problem": "mvc", "cells": {"done": ["0", "1"]}}


def test_a_damaged_cell_is_told(lense: Command, options: list[object], results: Path) -> None:
    (results / "table1" / "pieces" / "tiny-mvc-0.json").write_text("{")
    outcome = lense("reproduce", "status", *options)
    assert outcome.status == 2
    assert "tiny-mvc-0.json is damaged" in outcome.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tabel1"], "did you mean 'table1'?"),
        (["table1", "--graphs", "tinny"], "did you mean 'tiny'?"),
        (["table1", "--problems", "mcv"], "no problem called 'mcv'"),
        (["table1", "--seeds", "one"], "--seeds takes whole numbers"),
        (["table1", "--seeds", ","], "at least one seed"),
        (["table1", "--device", "tpu"], "device"),
        (["table1", "--set", "solver=mip"], "--set is for scalability"),
        (["scalability", "--set", "solver=mipp"], "mip"),
        (["scalability", "--set", "solver"], "NAME=VALUE"),
        (["all", "--graphs", "dblp"], "name an experiment"),
        (["table1", "--graphs", "absent"], "Nothing of this could be run (data not at hand: lense data get absent)"),
        (["table1", "--budget", "9"], "another experiment (its budget differ)"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    lense: Command, options: list[object], words: list[str], sentence: str
) -> None:
    outcome = lense("reproduce", words[0], *options, *words[1:])
    assert outcome.status == 2
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_file_is_no_folder_for_results(lense: Command, tiny: None, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    outcome = lense("reproduce", "table1", "--out", tmp_path / "out")
    assert outcome.status == 2
    assert "is a file" in outcome.err
    assert (tmp_path / "out").read_text() == "mine"
