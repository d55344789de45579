"""``lense report``: a page for each kind of source, and one sentence for everything else."""

from pathlib import Path

import numpy as np
import pytest

from lense.evaluation import evaluate
from lense.graph import power_law, read_graph, write_graph
from lense.pruners import get_pruner, load
from tests.conftest import Command
from tests.report.pages import blocks, data_of, titles, write_comparison


def test_a_model_becomes_a_page(
    lense: Command, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for model in (model_folder, "wiki-bmc"):
        outcome = lense("report", model)
        assert (outcome.status, outcome.out) == (0, "Written to report.html.\n")
        assert titles(data_of(tmp_path / "report.html")) == ["Map", "Training", "Configuration"]
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_model_is_tried_on_a_graph(lense: Command, model_folder: Path, graph_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert lense("report", model_folder, "-g", graph_file, "-e", 2, "--seed", 3, "-o", out, "-q").out == ""
    assert titles(page := data_of(out))[0] == "Results on graph.txt"
    found = evaluate(load(model_folder), read_graph(graph_file), episodes=2, seed=3)
    assert blocks(page, "table")[0]["rows"][0][1].startswith(f"{found.ratio:.3f} ± ")
    assert min(map(int, blocks(page, "drawing")[0]["id"])) >= 1000  # the ids of the file


def test_results_become_a_page(lense: Command, tmp_path: Path) -> None:
    write_comparison(tmp_path / "results" / "one")
    assert lense("report", tmp_path / "results", "-o", tmp_path / "page.html").status == 0
    assert titles(data_of(tmp_path / "page.html")) == ["mvc on graph.txt, budget 10"]


@pytest.fixture
def place(tmp_path: Path, model_folder: Path) -> Path:
    """A folder with sources of every kind, most of them bad."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "config.json").write_text("{")
    (tmp_path / "model").symlink_to(model_folder)
    get_pruner("top-degree", "mvc", 5, vertices=30).save(tmp_path / "still")
    write_comparison(tmp_path / "results")
    write_graph(power_law(12, 3, 2.3, np.random.default_rng(0)), tmp_path / "small.txt")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        ("nowhere", [], "nowhere"),
        ("wikki-bmc", [], "'wiki-bmc'"),
        ("file", [], "file"),
        ("empty", [], "empty"),
        ("damaged", [], "config.json"),
        ("results", ["--graph", "small.txt"], "--graph"),
        ("still", ["--graph", "small.txt"], "top-degree"),
        ("model", ["--graph", "small.txt"], "12 vertices"),
        ("model", ["--graph", "nowhere.txt"], "nowhere.txt"),
        ("model", ["--graph", "small.txt", "--episodes", "0"], "episodes"),
        ("model", ["--out", "empty"], "empty"),
        ("model", ["--out", "nowhere/page.html"], "nowhere"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    source: str,
    options: list[str],
    words: str,
    lense: Command,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    lense("report", source, *options).assert_refused(words)
    assert sorted(place.iterdir()) == before
