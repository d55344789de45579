"""``lense train``, ``evaluate`` and ``models list``: the same model whether or not the training was interrupted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.evaluation import BASELINES, evaluate
from lense.graph import Graph, power_law, read_graph, split, write_graph
from lense.graph.datasets import DATASETS, Dataset
from lense.navigation.model_files import TrainingLog
from lense.pruners import load
from lense.pruners.registry import pruner_class, pruner_names, pruner_parameters
from lense.pruners.shipped import shipped_cores, shipped_models
from tests import learning
from tests.conftest import Command, tiny_settings


@pytest.fixture(scope="module")
def train_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("train") / "graph.npz"
    write_graph(learning.graph(), path)
    return path


def training(graph: object, out: Path, *more: object) -> tuple[object, ...]:
    task = ("-p", "mvc", "-b", learning.BUDGET, "--pruner", "lense", "--device", "cpu")
    given = {**tiny_settings(), "cutoffs": "0.95,0.8,0.6"}
    settings = [word for name, value in given.items() for word in ("--set", f"{name}={value}")]
    return ("train", graph, *task, "--out", out, *settings, *more)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_interrupted_training_goes_on_to_the_same_model(
    lense: Command, train_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the encoder's third epoch, at the navigator's first look, and at its second."""

    def stopped() -> None:
        raise SystemExit(130)

    log = TrainingLog.__call__

    def stop_at(number: int) -> None:
        calls = iter(range(1, 1000))

        def interrupted(self: TrainingLog, stage: str, step: int, **values: float) -> None:
            if next(calls) == number:
                raise KeyboardInterrupt
            log(self, stage, step, **values)

        monkeypatch.setattr(TrainingLog, "__call__", interrupted)

    monkeypatch.setattr("lense.cli.stop", stopped)
    out, straight = tmp_path / "model", tmp_path / "straight"
    for number in (3, learning.SETTINGS.encoder.epochs - 2 + 1, 2):
        stop_at(number)
        assert lense(*training(train_file, out)).status == 130
        assert [path.name for path in tmp_path.iterdir()] == ["model.training"]
    monkeypatch.setattr(TrainingLog, "__call__", log)
    assert lense(*training(train_file, out, "-q")).out == ""
    shown = lense(*training(train_file, straight)).out
    for words in ("mvc, budget 8", "16 roots", "above 95 %", "silhouette", "ratio on train graph", "straight"):
        assert words in shown
    assert files(out) == files(straight)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "straight"]
    trained_on: Any = load(out).report_["trained_on"]
    assert trained_on["source"] == {"graph": "graph.npz", "part": "whole", "split_seed": None}
    assert trained_on["edges"] == learning.graph().num_edges


@pytest.fixture
def tiny_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A data set "tiny" with a split, as the paper's have it, in the folder LENSE_DATA."""
    kept, folder = learning.graph().without_isolated(), tmp_path / "data"
    folder.mkdir()
    write_graph(kept, folder / "tiny.txt")
    monkeypatch.setenv("LENSE_DATA", str(folder))
    n, m = kept.num_vertices, kept.num_edges
    entry = Dataset(name="tiny", file="", vertices=n, edges=m, directed=False, split=(300, m - 300))
    monkeypatch.setitem(DATASETS, "tiny", entry)
    return kept


def test_of_a_data_set_the_train_side_is_learnt_from_and_the_test_side_evaluated_on(
    lense: Command, tiny_dataset: Graph, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    outcome = lense(*training("tiny", out, "--seed", 3, "--json"))
    assert outcome.status == 0, outcome.err
    record = outcome.json
    train, test = split(tiny_dataset, 300 / tiny_dataset.num_edges, 3)
    side = {"part": "train side of the paper's split", "split_seed": 3}
    assert record["trained_on"]["source"] == {"graph": "tiny", **side}
    assert (record["trained_on"]["vertices"], record["trained_on"]["edges"]) == (train.num_vertices, 300)
    assert len(record["evaluations"]) == 3  # the first before anything is learnt
    assert all(0 < one["ratio"] <= 1 for one in record["evaluations"])
    shown = lense("evaluate", "-m", out, "-g", "tiny", "-e", 1, "--no-baselines", "--seed", 5, "--json").json
    side = {"part": "test side of the paper's split", "split_seed": 3}
    assert shown["graph"] == {"source": "tiny", **side, "vertices": test.num_vertices, "edges": test.num_edges}


def test_a_core_is_trained_unless_another_pruner_is_named(lense: Command, tmp_path: Path) -> None:
    write_graph(power_law(1000, 6, 2.3, np.random.default_rng(3)), tmp_path / "graph.npz")
    choices = ("--problem", "mvc", "--budget", 20, "--set", "target=0.9", "--json")
    found = lense("train", tmp_path / "graph.npz", *choices, "--out", tmp_path / "model").json
    assert (found["pruner"], found["budget"]) == ("core", 20)
    assert found["report"]["heuristic_runs"] <= 20
    pruned = ("prune", tmp_path / "graph.npz", "--model", tmp_path / "model", "--out", tmp_path / "part.npz", "--json")
    assert 20 <= lense(*pruned).json["roots"] <= lense(*pruned, "--target", 1.0).json["roots"]
    assert lense(*pruned, "--size", 31).json["roots"] == 31


QUICK = ("epochs", "teacher_epochs")
"""Parameters that say how long a pruner learns."""


@pytest.mark.parametrize("pruner", [name for name in pruner_names() if name != "lense" and pruner_class(name).learns])
def test_one_seed_gives_one_model_byte_by_byte(
    pruner: str, lense: Command, graph_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = [word for name in QUICK if name in pruner_parameters(pruner) for word in ("--set", f"{name}=5")]
    made = []
    for threads in (1, 2):
        monkeypatch.setenv("LENSE_THREADS", str(threads))
        out = tmp_path / str(threads)
        done = lense("train", graph_file, "-p", "mvc", "-b", 8, "--pruner", pruner, *quick, "--seed", 3, "-o", out)
        assert done.status == 0, done.err
        made.append(files(out))
    assert made[0] == made[1]
    assert "learnt.safetensors" in made[0]


def test_a_model_of_another_kind_is_replaced_only_with_force(lense: Command, graph_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    core = ("train", graph_file, "-b", 8, "-o", out, "-p")
    assert lense(*core, "mvc").status == 0
    assert lense(*core, "mvc", "--set", "target=0.9").status == 0  # of the same kind
    others = (("bmc",), ("mvc", "--pruner", "gcomb-p"), ("mvc", "--pruner", "lense", "--preset", "quick"))
    for other in others:
        before = files(out)
        lense(*core, *other).assert_refused("core for mvc", "--force")
        assert files(out) == before
        assert list(tmp_path.iterdir()) == [out]
    assert lense(*core, "mvc", "--pruner", "gcomb-p", "--force").status == 0
    assert load(out).name == "gcomb-p"
    (out / "config.json").write_text('{"architectures": ["somebody else\'s"]}')
    assert "--force" in lense(*core, "mvc", "--pruner", "gcomb-p").err
    assert lense(*core, "mvc", "--force").status == 0
    assert load(out).name == "core"


def test_what_evaluate_finds_is_shown_drawn_and_printed_as_json(
    lense: Command, graph_file: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    command, picture = ("evaluate", "--model", model_folder, "--graph", graph_file), tmp_path / "walks.png"
    record = lense(*command, "--episodes", 3, "--json").json
    found = evaluate(load(model_folder), read_graph(graph_file), episodes=3).as_dict()
    assert set(record) == {*found, "versions", "machine"}
    same = {"ratio", "ratio_stderr", "vertices_pruned", "edges_pruned", "episodes", "ceiling", "baselines", "ratios"}
    assert {name: record[name] for name in same} == {name: found[name] for name in same}
    assert record["paper"] is None
    assert (record["model"]["problem"], record["graph"]["vertices"]) == ("mvc", 300)
    shown = lense(*command, "--episodes", 2, "--picture", picture).out
    for words in ("LeNSE", "ceiling", *(f"baseline: {words}" for words in BASELINES.values() if "rank" not in words)):
        assert words in shown
    assert "in the paper" not in shown
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("tiny_of_paper")
def test_the_papers_row_stands_beside_ours(lense: Command, model_folder: Path) -> None:
    shown = lense("evaluate", "-m", model_folder, "-g", "tiny", "-e", 1, "--no-baselines").out
    assert "LeNSE in the paper" in shown
    assert "0.987 ± 0.001" in shown


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


def test_each_model_says_what_it_was_trained_for(lense: Command) -> None:
    everything = lense("models", "list", "--json").json
    cores, found = ([row for row in everything if row["pruner"] == kind] for kind in ("core", "lense"))
    assert [row["name"] for row in cores] == [row["name"] for row in shipped_cores()]
    assert [row["name"] for row in found] == [row["name"] for row in shipped_models()]
    assert sorted(row["problem"] for row in found if row["is_default"]) == ["bmc", "im", "mvc"]
    for row in found:
        assert row["budget"] == 100
    lines = lense("models", "list").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(any(line.startswith(f"  {row['name']} ") for line in lines) for row in everything)
