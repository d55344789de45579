"""``lense reproduce``: tables and figures of the paper by one command each."""

from pathlib import Path

import pytest

from lense.experiments import EXPERIMENTS
from tests.conftest import Command
from tests.experiments import tiny_paper


@pytest.fixture
def options(results: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Everything that a study of the tiny paper needs to find its results again."""
    monkeypatch.setenv("COLUMNS", "200")
    return ["--budget", tiny_paper.BUDGET, "--episodes", 2, "--seeds", "0,1", "--out", results, "--device", "cpu"]


def records(results: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in results.glob("*.jsonl")}


def test_a_table_is_shown_and_written(lense: Command, options: list[object], results: Path) -> None:
    before = records(results)
    shown = lense("reproduce", "table1", *options)
    assert shown.status == 0
    for words in ("Table 1: mvc", "LeNSE", "GCOMB-P", "lense data get absent", "table1.csv"):
        assert words in shown.out
    assert records(results) == before


def test_json_has_states_and_files(lense: Command, options: list[object], results: Path) -> None:
    (record,) = lense("reproduce", "table1", "--graphs", "tiny", *options, "--json").json
    assert record["experiment"] == "table1"
    ((state, cells),) = record["rows"][0]["cells"].items()
    assert (state, len(cells)) == ("done", 2 * 7)
    assert record["files"] == [str(results / f"table1.{kind}") for kind in ("csv", "md", "tex")]


def test_all_runs_every_experiment_on_its_own_rows(
    lense: Command, options: list[object], results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []
    monkeypatch.setattr("lense.experiments.experiment.Experiment.run", lambda self, study: ran.append(self.name))
    assert lense("reproduce", "all", "--graphs", "tiny", *options).status == 0
    assert ran == list(EXPERIMENTS)


def test_status_runs_nothing(lense: Command, options: list[object], results: Path) -> None:
    before = sorted(results.rglob("*"))
    shown = lense("reproduce", "status", *options)
    assert shown.status == 0
    assert "table1" in shown.out
    assert "tiny-mvc-0, tiny-mvc-1\n" in shown.out
    assert sorted(results.rglob("*")) == before
    rows = lense("reproduce", "status", *options, "--json").json
    assert (rows[0]["experiment"], rows[0]["graph"], list(rows[0]["cells"])) == ("table1", "tiny", ["done"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tabel1"], "'table1'"),
        (["table1", "--graphs", "tinny"], "'tiny'"),
        (["table1", "--problems", "mcv"], "'mcv'"),
        (["table1", "--seeds", "one"], "--seeds"),
        (["status", "--problems", ","], "--problems"),
        (["all", "--seeds", ""], "--seeds"),
        (["table1", "--device", "tpu"], "device"),
        (["table1", "--set", "solver=mip"], "scalability"),
        (["scalability", "--set", "solver=mipp"], "mip"),
        (["scalability", "--set", "solver"], "NAME=VALUE"),
        (["all", "--graphs", "dblp"], "experiment"),
        (["table1", "--budget", "9"], "8"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    lense: Command, options: list[object], words: list[str], said: str
) -> None:
    lense("reproduce", words[0], *options, *words[1:]).assert_refused(said)


def test_where_no_data_is_at_hand_the_status_says_so(lense: Command, options: list[object]) -> None:
    outcome = lense("reproduce", "table1", *options, "--graphs", "absent")
    assert outcome.status == 2
    assert "lense data get absent" in outcome.err
