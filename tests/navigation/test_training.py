"""The whole training: settings and presets, what it reports, warns of and keeps, and that its arguments decide it."""

import csv
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.threads import num_threads
from lense.errors import LenseError
from lense.graph import DATASETS, Graph
from lense.navigation import LeNSE, training
from lense.navigation.model_files import TrainingLog
from lense.navigation.policy_evaluation import Judgement, PolicyEvaluation
from lense.navigation.q_learning import Navigator
from lense.navigation.training import PRESETS, SETTING_NAMES, Settings, preset_settings
from lense.paper import BUDGET, BUDGETS, CUTOFFS, HYPERPARAMETERS, LOSS_RATIOS, MULTI_BUDGET, PAPER_CHOICES, published
from tests import learning
from tests.conftest import tiny_settings
from tests.skips import NO_TABLES


def paper_settings(problem: str, graph: str, preset: str = "paper") -> Settings:
    return preset_settings(preset, problem, graph, 0, BUDGET)


def settings_for(preset: str, num_vertices: int, budget: float) -> Settings:
    return preset_settings(preset, "mvc", None, num_vertices, budget)


def test_all_settings_by_name_are_json_and_give_the_settings_again() -> None:
    given = Settings().changed(roots=50, cutoffs=(0.9, 0.5), loss="ordinal", guidance=0.5)
    known = json.loads(json.dumps(given.as_dict()))
    assert set(known) == set(SETTING_NAMES)
    assert Settings().changed(**known) == given


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("roots", "40", 40),
        ("shaped", "no", False),
        ("cutoffs", "0.9,0.5", (0.9, 0.5)),
        ("cutoffs", [0.9], (0.9,)),
    ],
)
def test_settings_change_by_text_or_value(name: str, text: Any, value: Any) -> None:
    changed, before = Settings().changed(**{name: text}).as_dict(), Settings().as_dict()
    found = getattr(getattr(Settings().changed(**{name: text}), SETTING_NAMES[name]), name)
    assert found == value
    assert type(found) is type(value)
    assert {other for other in before if changed[other] != before[other]} == {name}


def test_a_preset_is_one_of_four_and_two_of_them_need_a_graph_of_the_paper() -> None:
    for preset in ("paper", "literal"):
        with pytest.raises(LenseError, match=f"The preset {preset} is for the paper's graphs: name one"):
            preset_settings(preset, "mvc", None, 5000, 50)
    with pytest.raises(LenseError, match=f"choose from {', '.join(PRESETS)}; did you mean 'quick'"):
        preset_settings("quik", "mvc", None, 5000, 50)
    for problem, graph in (("tsp", "wiki"), ("mvc", "talk")):
        with pytest.raises(LenseError, match=f"no hyper-parameters for {problem}"):
            paper_settings(problem, graph)


def papers_rows(name: str) -> list[dict[str, str]]:
    """The rows of one of the paper's tables, which lie beside the folder of graphs."""
    path = Path(os.environ.get("LENSE_DATA", "")).parent / "paper" / name
    if "LENSE_DATA" not in os.environ or not path.exists():
        pytest.skip(NO_TABLES)
    with path.open() as file:
        return list(csv.DictReader(file))


def test_the_papers_hyper_parameters_are_copied_right_and_make_settings() -> None:
    names = {
        "M": "roots",
        "T_train": "train_steps",
        "alpha": "guidance",
        "beta": "reward_scale",
        "T_test": "test_steps",
    }
    rows = papers_rows("hyperparameters.csv")
    assert {(row["problem"], row["graph"]) for row in rows} == set(HYPERPARAMETERS)
    for row in rows:
        found = paper_settings(row.pop("problem"), row.pop("graph"), "literal").as_dict()
        assert {name: found[names.get(name, name)] for name in row} == {name: float(row[name]) for name in row}


def test_the_papers_figures_are_copied_right() -> None:
    for row in papers_rows("table1_results.csv"):
        ours = published(row["problem"], row["graph"], row["method"].lower())
        assert ours is not None
        assert ours.ratio == float(row["ratio"])
        assert ours.vertices_pruned == pytest.approx(int(row["vertices_pruned_pct"]) / 100)
        assert ours.edges_pruned == pytest.approx(int(row["edges_pruned_pct"]) / 100)


def test_the_papers_ratios_for_smaller_budgets_and_each_loss_are_copied_right() -> None:
    rows = papers_rows("multi_budget.csv")
    copied = {(row["problem"], row["graph"]): tuple(float(row[f"b{budget}"]) for budget in BUDGETS) for row in rows}
    assert copied == MULTI_BUDGET
    by_loss = {(row.pop("problem"), row.pop("graph")): row for row in papers_rows("loss_ablation.csv")}
    copied_losses = {
        key: {name.replace("_", "-"): float(value) for name, value in row.items()} for key, row in by_loss.items()
    }
    assert copied_losses == LOSS_RATIOS


def test_data_sets_are_split_into_as_many_edges_as_in_the_paper() -> None:
    """There, (u) and (d) are the undirected and the directed graph where they differ."""
    sizes = {row["graph"]: (int(row["train_edges"]), int(row["test_edges"])) for row in papers_rows("datasets.csv")}
    for name, dataset in DATASETS.items():
        for arcs, side in ((False, "u"), (True, "d")):
            ours = dataset.arc_split if arcs and dataset.arc_split else dataset.split
            assert tuple(ours) == (sizes.get(f"{name} ({side})") or sizes[name])


@given(budget=st.integers(1, 500), spare=st.integers(0, 10_000))
@settings(max_examples=100, deadline=None)
def test_settings_for_any_graph_leave_room_to_sample_and_to_walk(budget: int, spare: int) -> None:
    """More roots than the solution has vertices, and at least as many vertices besides the solution as roots."""
    num_vertices = 2 * budget + 1 + spare
    for made in (settings_for("auto", num_vertices, budget), settings_for("quick", num_vertices, budget)):
        assert budget < made.labels.roots <= num_vertices - budget
        assert made.q_learning.test_steps >= made.labels.roots


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        *(({name: low}, f"The setting {name} must lie between") for name, low in (("roots", 1), ("vertex_dim", 0))),
        ({"reward_scale": float("nan")}, "The setting reward_scale must lie between"),
        ({"guidance": 1.1}, "The setting guidance must lie between"),
        ({"test_steps": -1}, "The setting test_steps must lie between"),
        *(({"cutoffs": wrong}, "ratios near 1") for wrong in ((), (0.6, 0.8), (0.8, 0.8), (0.9, 0.0), (2.0,))),
        ({"cutoffs": "0.9;0.5"}, "numbers separated by commas"),
        ({"loss": "ordnial"}, "no loss called 'ordnial': choose from infonce, .*did you mean 'ordinal'"),
        ({"keep": "first"}, "choose from ratio, last"),
        ({"root": 3}, "no setting called 'root': choose from roots, .*did you mean 'roots'"),
        ({"roots": "many"}, "takes a number, not 'many'"),
        ({"roots": "2.5"}, "takes a whole number"),
        ({"shaped": "perhaps"}, "no value for shaped called 'perhaps'"),
    ],
)
def test_a_change_that_means_nothing_is_reported(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        Settings().changed(**changes)


def test_the_literal_settings_are_the_papers_in_everything_and_differ_from_ours() -> None:
    literal, ours = paper_settings("mvc", "wiki", "literal").as_dict(), Settings().as_dict()
    assert all(literal[name] == choice != ours[name] for name, choice in PAPER_CHOICES.items())
    assert (tuple(literal["cutoffs"]), literal["samples_per_class"], literal["loss"]) == (CUTOFFS, 100, "infonce")


def same_files(one: Path, other: Path) -> bool:
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other))
    return first == second


def new_model() -> LeNSE:
    return LeNSE("mvc", learning.BUDGET, settings=tiny_settings())


def test_a_training_that_is_interrupted_again_and_again_gives_the_same_model_bit_by_bit(
    model_folder: Path, tmp_path: Path
) -> None:
    for stage, step in (("encoder", 5), ("navigator", 0), ("navigator", 60)):
        with pytest.raises(learning.Stopped), stopping_at(stage, step):
            new_model().fit(learning.graph(), source="a test", checkpoint=tmp_path / "stages")
    resumed = new_model().fit(learning.graph(), source="a test", checkpoint=tmp_path / "stages")
    resumed.save(tmp_path / "model")
    assert same_files(tmp_path / "model", model_folder)


def test_the_number_of_threads_changes_no_bit_of_the_model(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENSE_THREADS", "1" if num_threads() > 1 else "2")
    new_model().fit(learning.graph(), source="a test").save(tmp_path / "model")
    assert same_files(tmp_path / "model", model_folder)


def navigator(ratio: float, start: float | None) -> Navigator:
    def found(ratio: float) -> PolicyEvaluation:
        return PolicyEvaluation(6, 0.1, Judgement(ratio, 0.5), 3, None)  # type: ignore[arg-type]

    return Navigator(found(ratio), None if start is None else found(start), 1, 1)


IN_PIECES = Graph.from_edges(np.arange(0, 20, 2), np.arange(1, 20, 2))


@pytest.mark.parametrize(
    ("graph", "found", "words"),
    [
        (learning.graph(), navigator(0.7, None), "reach only 70 % of the heuristic's score: learn longer"),
        (IN_PIECES, navigator(0.7, None), "that graph is in pieces"),
        (learning.graph(), navigator(0.9, 0.95), "reaches 0.950 and what was learnt 0.900: try the pruner rank-walk"),
    ],
)
def test_figures_that_are_not_good_warn_and_say_what_to_try(
    graph: Graph, found: Navigator, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        training._warn(graph, found)
    assert words in caplog.text
    assert len(caplog.records) == 1


def test_the_model_is_drawn_by_the_cut_offs_that_were_used(caplog: pytest.LogCaptureFixture) -> None:
    """Where those given part nothing, others are laid, and the settings still say what was given."""
    given = (0.03, 0.02, 0.01)
    hasty = tiny_settings() | {"epochs": 1, "train_steps": 4, "evaluations": 1, "cutoffs": given}
    with caplog.at_level(logging.WARNING):
        model = LeNSE("mvc", learning.BUDGET, settings=hasty).fit(learning.graph())
    assert model.settings_.labels.cutoffs == given
    assert model.map_.cutoffs[-1] > given[0]
    assert "so their classes are separated at" in caplog.text


@contextmanager
def stopping_at(stage: str, step: int) -> Iterator[None]:
    """Interrupt a training when that step is reported."""
    keep = TrainingLog.__call__

    def kept(log: TrainingLog, reported: str, number: int, **figures: float) -> None:
        keep(log, reported, number, **figures)
        if (reported, number) == (stage, step):
            raise learning.Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TrainingLog, "__call__", kept)
        yield
