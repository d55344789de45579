"""``lense evaluate``: the figures of a model for people and for machines."""

from pathlib import Path

import pytest

from lense.evaluation import evaluate
from lense.graph import read_graph
from lense.paper import RESULTS, Result
from lense.pruners import load
from tests.conftest import Command

KEYS = {"ratio", "ratio_stderr", "vertices_pruned", "edges_pruned", "episodes", "ceiling", "floor", "seconds"}
MORE_KEYS = {"paper", "ratios", "model", "graph", "versions", "seed", "machine"}


def test_json_has_what_the_library_finds(lense: Command, graph_file: Path, model_folder: Path) -> None:
    record = lense("evaluate", "--model", model_folder, "--graph", graph_file, "--episodes", 3, "--json").json
    assert set(record) == KEYS | MORE_KEYS
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
    for words in ("LeNSE", "ceiling", "random swaps", "untrained network", "largest gain", "as roots", "as the budget"):
        assert words in shown.out
    assert "in the paper" not in shown.out
    assert " ± " in shown.out
    assert "on the whole graph" in shown.out
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_papers_row_stands_beside_ours(
    lense: Command, graph_file: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RESULTS, ("mvc", "tiny"), Result(0.987, 0.001, 0.5, 0.6))
    monkeypatch.setattr("lense.cli.evaluate.is_dataset", lambda name: name == "tiny")
    monkeypatch.setattr("lense.cli.evaluate.paper_split", lambda _task, _name, whole, _seed: (whole, whole))
    (tmp_path / "tiny.txt").write_bytes(graph_file.read_bytes())
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    words = ("evaluate", "-m", model_folder, "-g", "tiny", "-e", 1, "--no-floors")
    assert "LeNSE in the paper" in (shown := lense(*words).out)
    assert "0.987 ± 0.001" in shown
    assert lense(*words, "--json").json["paper"]["edges_pruned"] == 0.6


def test_a_shipped_model_is_evaluated_by_the_name_of_its_problem(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "big.npz"
    lense("graph", "generate", "barabasi-albert", path, "--set", "n=900", "--set", "m=3")
    record = lense("evaluate", "-p", "bmc", "-g", path, "-e", 1, "--no-floors", "--json").json
    assert (record["model"]["source"], record["model"]["problem"]) == ("shipped", "bmc")
