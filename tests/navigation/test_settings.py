"""Settings: their ranges, the paper's values, and values for any other graph."""

import csv
import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import DATASETS
from lense.navigation.settings import (
    PRESETS,
    SETTING_NAMES,
    Settings,
    auto_settings,
    paper_settings,
    preset_settings,
    quick_settings,
)
from lense.paper import (
    BUDGET,
    BUDGETS,
    CUTOFFS,
    HYPERPARAMETERS,
    LOSS_RATIOS,
    MULTI_BUDGET,
    PAPER_CHOICES,
    RESULTS,
    RIVALS,
    published,
)
from tests.skips import NO_TABLES


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("roots", 1),
        ("samples_per_class", 4),
        ("vertex_dim", 0),
        ("embedding_dim", 5000),
        ("epochs", 0),
        ("patience", 0),
        ("train_steps", 0),
        ("episodes", 0),
        ("guidance", 1.1),
        ("guidance", -0.1),
        ("update_every", 0),
        ("reward_scale", 0),
        ("reward_scale", float("nan")),
        ("enough", -0.1),
        ("looks", 0),
        ("test_steps", -1),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(LenseError, match=f"The setting {name} must lie between"):
        Settings().changed(**{name: value})


@pytest.mark.parametrize("cutoffs", [(0.9, 0.0), (2.0,), (-1.0,)])
def test_cut_offs_are_ratios(cutoffs: tuple[float, ...]) -> None:
    with pytest.raises(LenseError, match="ratios near 1"):
        Settings().changed(cutoffs=cutoffs)


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"loss": "foo"}, "no loss called 'foo'"), ({"keep": "first"}, "choose from ratio, last")],
)
def test_a_choice_that_does_not_exist_lists_those_there_are(changes: dict[str, str], words: str) -> None:
    with pytest.raises(LenseError, match=words):
        Settings().changed(**changes)


def test_every_setting_has_one_name_and_belongs_to_one_part_of_training() -> None:
    settings = Settings()
    parts = {part.name: getattr(settings, part.name) for part in fields(Settings)}
    assert set(parts) == set(SETTING_NAMES.values()) == {"labels", "encoder", "q_learning"}
    assert sum(len(fields(part)) for part in parts.values()) == len(SETTING_NAMES)
    for name, part in SETTING_NAMES.items():
        assert hasattr(parts[part], name)


def test_all_settings_by_name_are_json_and_give_the_settings_again() -> None:
    given = Settings().changed(roots=50, cutoffs=(0.9, 0.5), loss="ordinal", guidance=0.5)
    known = json.loads(json.dumps(given.as_dict()))
    assert set(known) == set(SETTING_NAMES)
    assert Settings().changed(**known) == given


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("roots", "40", 40),
        ("guidance", "0.5", 0.5),
        ("shaped", "no", False),
        ("loss", "ordinal", "ordinal"),
        ("cutoffs", "0.9,0.5", (0.9, 0.5)),
        ("cutoffs", [0.9], (0.9,)),
        ("roots", 40, 40),
    ],
)
def test_settings_change_by_text_or_value(name: str, text: Any, value: Any) -> None:
    changed, before = Settings().changed(**{name: text}).as_dict(), Settings().as_dict()
    found = getattr(getattr(Settings().changed(**{name: text}), SETTING_NAMES[name]), name)
    assert found == value
    assert type(found) is type(value)
    assert {other for other in before if changed[other] != before[other]} == {name}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"root": 3}, "no setting called 'root': choose from roots, .*did you mean 'roots'"),
        ({"roots": "many"}, "takes a number, not 'many'"),
        ({"roots": "2.5"}, "takes a whole number"),
        ({"shaped": "perhaps"}, "no value for shaped called 'perhaps'"),
        ({"cutoffs": "0.9;0.5"}, "numbers separated by commas"),
        ({"roots": "1"}, "must lie between 2"),
    ],
)
def test_a_change_that_means_nothing_is_reported(changes: dict[str, str], complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        Settings().changed(**changes)


def test_every_choice_of_the_paper_is_a_setting_and_differs_from_ours() -> None:
    ours = Settings().as_dict()
    assert set(PAPER_CHOICES) <= set(ours)
    theirs = Settings().changed(**PAPER_CHOICES).as_dict()
    assert all(theirs[name] != ours[name] for name in PAPER_CHOICES)


def test_the_literal_settings_are_the_papers_in_everything() -> None:
    literal = preset_settings("literal", "mvc", "wiki", 0, 100)
    known = literal.as_dict()
    assert all(known[name] == Settings().changed(**PAPER_CHOICES).as_dict()[name] for name in PAPER_CHOICES)
    assert literal.labels.cutoffs == CUTOFFS
    assert literal.labels.samples_per_class == 100
    assert (literal.encoder.loss, literal.encoder.ranks) == ("infonce", False)
    learning = literal.q_learning
    assert learning.sees_subgraph
    assert not any((learning.shaped, learning.corrects_ranks))
    assert learning.keep == "last"
    assert paper_settings("mvc", "wiki", literal=True) == literal


def test_the_papers_rows_are_settings() -> None:
    wiki = paper_settings("mvc", "wiki")
    assert (wiki.labels.roots, wiki.labels.samples_per_class) == (300, 100)
    assert (wiki.encoder.vertex_dim, wiki.encoder.embedding_dim) == (75, 25)
    learning = wiki.q_learning
    assert (learning.train_steps, learning.episodes, learning.guidance, learning.update_every) == (2000, 10, 0.1, 20)
    assert (learning.reward_scale, learning.test_steps) == (3, 300)
    youtube = paper_settings("bmc", "youtube")
    assert (youtube.labels.roots, youtube.q_learning.guidance) == (1000, 0.5)
    assert (youtube.q_learning.reward_scale, youtube.q_learning.test_steps) == (5, 400)
    talk = paper_settings("im", "talk", literal=True)
    assert (talk.labels.samples_per_class, talk.q_learning.train_steps, talk.q_learning.episodes) == (400, 500, 25)


@pytest.mark.parametrize("row", HYPERPARAMETERS)
def test_nothing_that_the_paper_reports_is_a_setting(row: tuple[str, str]) -> None:
    """What training may know is the train graph alone."""
    assert paper_settings(*row).q_learning.enough == Settings().q_learning.enough


def test_a_preset_is_one_of_four_and_two_of_them_need_a_graph_of_the_paper() -> None:
    assert preset_settings("auto", "mvc", None, 5000, 50) == auto_settings(5000, 50)
    assert preset_settings("quick", "mvc", None, 5000, 50) == quick_settings(5000, 50)
    assert preset_settings("paper", "mvc", "wiki", 5000, 50) == paper_settings("mvc", "wiki")
    for preset in ("paper", "literal"):
        with pytest.raises(LenseError, match=f"The preset {preset} is for the paper's graphs: name one"):
            preset_settings(preset, "mvc", None, 5000, 50)
    with pytest.raises(LenseError, match=f"choose from {', '.join(PRESETS)}; did you mean 'quick'"):
        preset_settings("quik", "mvc", None, 5000, 50)


def test_the_papers_table_is_whole() -> None:
    """Eight graphs for each problem, and one more for im; a result for each but that one."""
    problems = [problem for problem, _ in HYPERPARAMETERS]
    assert {problem: problems.count(problem) for problem in problems} == {"mvc": 8, "bmc": 8, "im": 9}
    assert set(HYPERPARAMETERS) - set(RESULTS) == {("im", "talk")}
    assert set(RESULTS) <= set(HYPERPARAMETERS)
    for problem, graph in HYPERPARAMETERS:
        paper_settings(problem, graph)
    for result in RESULTS.values():
        assert 0.95 < result.ratio < 1.1
        assert result.ratio_stderr is not None
        assert 0 <= result.ratio_stderr < 0.01
        assert 0 < result.vertices_pruned < result.edges_pruned < 1


def test_the_papers_table_has_every_rival_beside_lense() -> None:
    assert set(RIVALS) == {(*row, name) for row in RESULTS for name in ("gnn-r", "gnn-t", "gcomb-p")}
    assert all(result.ratio_stderr is None and 0 < result.ratio < 1.1 for result in RIVALS.values())
    assert published("bmc", "wiki", "lense") == RESULTS["bmc", "wiki"]
    assert published("bmc", "wiki", "gnn-t") == RIVALS["bmc", "wiki", "gnn-t"]
    assert published("bmc", "wiki", "random") is None
    assert published("bmc", None, "lense") is None


def papers_rows(name: str) -> list[dict[str, str]]:
    """The rows of one of the paper's tables, which lie beside the folder of graphs."""
    path = Path(os.environ.get("LENSE_DATA", "")).parent / "paper" / name
    if "LENSE_DATA" not in os.environ or not path.exists():
        pytest.skip(NO_TABLES)
    with path.open() as file:
        return list(csv.DictReader(file))


def test_the_papers_figures_are_copied_right() -> None:
    for row in papers_rows("table1_results.csv"):
        ours = published(row["problem"], row["graph"], row["method"].lower())
        assert ours is not None
        assert ours.ratio == float(row["ratio"])
        assert ours.vertices_pruned == pytest.approx(int(row["vertices_pruned_pct"]) / 100)
        assert ours.edges_pruned == pytest.approx(int(row["edges_pruned_pct"]) / 100)


def test_the_papers_ratios_for_smaller_budgets_are_copied_right() -> None:
    rows = papers_rows("multi_budget.csv")
    copied = {(row["problem"], row["graph"]): tuple(float(row[f"b{budget}"]) for budget in BUDGETS) for row in rows}
    assert copied == MULTI_BUDGET


def test_the_papers_ratios_of_each_loss_are_copied_right() -> None:
    rows = papers_rows("loss_ablation.csv")
    copied = {
        (row.pop("problem"), row.pop("graph")): {name.replace("_", "-"): float(value) for name, value in row.items()}
        for row in rows
    }
    assert copied == LOSS_RATIOS


def test_data_sets_are_split_into_as_many_edges_as_in_the_paper() -> None:
    """There, (u) and (d) are the undirected and the directed graph where they differ."""
    sizes = {row["graph"]: (int(row["train_edges"]), int(row["test_edges"])) for row in papers_rows("datasets.csv")}
    for name, dataset in DATASETS.items():
        for arcs, side in ((False, "u"), (True, "d")):
            ours = dataset.paper_split(arcs=arcs)
            assert (ours.train, ours.test) == (sizes.get(f"{name} ({side})") or sizes[name])


def test_the_papers_tables_agree_where_they_repeat_one_another() -> None:
    for row, losses in LOSS_RATIOS.items():
        assert losses["infonce"] == RESULTS[row].ratio
    assert set(MULTI_BUDGET) == set(RESULTS)
    assert BUDGETS[-1] == BUDGET


@pytest.mark.parametrize(
    ("problem", "graph", "complaint"),
    [
        ("tsp", "wiki", "no hyper-parameters for the problem tsp: use the preset auto"),
        ("mvc", "talk", "no hyper-parameters for mvc on 'talk', only on facebook, wiki, "),
    ],
)
def test_what_the_paper_does_not_have_is_reported(problem: str, graph: str, complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        paper_settings(problem, graph)


@given(budget=st.integers(1, 500), spare=st.integers(0, 10_000))
@settings(max_examples=100, deadline=None)
def test_settings_for_any_graph_leave_room_to_sample_and_to_walk(budget: int, spare: int) -> None:
    """More roots than the solution has vertices, and at least as many vertices besides the solution as roots."""
    num_vertices = 2 * budget + 1 + spare
    for made in (auto_settings(num_vertices, budget), quick_settings(num_vertices, budget)):
        assert budget < made.labels.roots <= num_vertices - budget
        assert made.q_learning.test_steps >= made.labels.roots


def test_there_are_three_roots_for_each_vertex_of_the_solution_and_in_large_graphs_up_to_twelve() -> None:
    assert auto_settings(5_000, 100).labels.roots == 300
    assert auto_settings(24_000, 100).labels.roots == 600
    assert auto_settings(10**7, 100).labels.roots == 1200
    assert auto_settings(600, 100).labels.roots == 200


def test_quick_settings_learn_with_less_of_everything() -> None:
    quick, auto = quick_settings(5000, 50).as_dict(), auto_settings(5000, 50).as_dict()
    for name in ("samples_per_class", "epochs", "patience", "train_steps", "looks"):
        assert quick[name] < auto[name]
    assert (quick["roots"], quick["test_steps"]) == (auto["roots"], auto["test_steps"])
