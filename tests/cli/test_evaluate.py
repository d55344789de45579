"""``lense evaluate``: the figures of a model for people and for machines."""

from pathlib import Path

import pytest

from lense.evaluation import BASELINES, evaluate
from lense.graph import read_graph
from lense.pruners import load
from tests.conftest import Command

KEYS = {"ratio", "ratio_stderr", "vertices_pruned", "edges_pruned", "episodes", "ceiling", "baselines", "seconds"}
KEYS_BESIDE = {"expected_ratio", "confidence", "unlike", "paper", "ratios", "model", "graph"}
KEYS_OF_RUN = {"versions", "seed", "machine"}


def test_json_has_what_the_library_finds(lense: Command, graph_file: Path, model_folder: Path) -> None:
    record = lense("evaluate", "--model", model_folder, "--graph", graph_file, "--episodes", 3, "--json").json
    assert set(record) == KEYS | KEYS_BESIDE | KEYS_OF_RUN
    found = evaluate(load(model_folder), read_graph(graph_file), episodes=3).as_dict()
    same = (KEYS | {"ratios"}) - {"seconds"}
    assert {name: record[name] for name in same} == {name: found[name] for name in same}
    assert record["paper"] is None
    assert record["model"]["problem"] == "mvc"
    assert record["graph"]["vertices"] == 300


def test_people_get_a_row_for_everything_that_frames_the_ratio(
    lense: Command, graph_file: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    picture = tmp_path / "walks.png"
    shown = lense("evaluate", "-m", model_folder, "-g", graph_file, "-e", 2, "--picture", picture)
    for words in ("LeNSE", "ceiling", *(f"baseline: {words}" for words in BASELINES.values() if "rank" not in words)):
        assert words in shown.out
    assert "in the paper" not in shown.out
    assert " ± " in shown.out
    assert "on the whole graph" in shown.out
    assert "for all 2 together" in shown.out
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("tiny_of_paper")
def test_the_papers_row_stands_beside_ours(lense: Command, model_folder: Path) -> None:
    words = ("evaluate", "-m", model_folder, "-g", "tiny", "-e", 1, "--no-baselines")
    assert "LeNSE in the paper" in (shown := lense(*words).out)
    assert "0.987 ± 0.001" in shown
    assert lense(*words, "--json").json["paper"]["edges_pruned"] == 0.6


def test_a_shipped_model_is_evaluated_by_the_name_of_its_problem(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "big.npz"
    lense("graph", "generate", "barabasi-albert", path, "--set", "n=900", "--set", "m=3")
    for words, pruner in (((), "core"), (("--pruner", "core"), "core"), (("--pruner", "lense"), "lense")):
        record = lense("evaluate", "-p", "bmc", "-g", path, *words, "-e", 1, "--no-baselines", "--json").json
        model = record["model"]
        assert (model["source"], model["problem"], model["pruner"]) == ("shipped", "bmc", pruner)
        assert (record["expected_ratio"] is None) == (record["confidence"] is None) == (pruner == "lense")
        assert record["ratio_stderr"] is None  # of one pruning
    model = lense("evaluate", "-p", "bmc", "-g", path, "--pruner", "quickprune", "-b", 8, "--json").json["model"]
    assert (model["source"], model["pruner"], model["budget"]) == ("quickprune", "quickprune", 8)
    assert "% sure of the target" in lense("evaluate", "-p", "bmc", "-g", path, "--no-baselines").out


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (("--pruner", "quickprune", "-p", "mvc", "--picture", "walks.png"), "a quickprune does not walk"),
        (("--pruner", "gnn-t", "-p", "mvc"), "lense train --pruner gnn-t"),
        (("--pruner", "quickprune"), "--problem"),
        (("--model", "facebook-mvc", "--budget", "7"), "leave out the budget"),
    ],
)
def test_what_cannot_be_evaluated_is_said(
    choices: tuple[str, ...], sentence: str, lense: Command, graph_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(graph_file.parent)
    lense("evaluate", "--graph", graph_file, *choices).assert_refused(sentence)
