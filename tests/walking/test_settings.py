"""Settings: their ranges, the paper's values, and values for any other graph."""

import csv
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import DATASETS
from lense.paper import (
    BUDGET,
    BUDGETS,
    CUTOFFS,
    HYPERPARAMETERS,
    LOSS_RATIOS,
    MULTI_BUDGET,
    RESULTS,
    RIVALS,
    SPLITS,
    SplitSizes,
    published,
)
from lense.walking.settings import LOSS_NAMES, Settings, auto_settings, paper_settings, quick_settings
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
        ("side_by_side", 0),
        ("guidance", 1.1),
        ("guidance", -0.1),
        ("update_every", 0),
        ("reward_scale", 0),
        ("gamma", 1.0),
        ("gamma", float("nan")),
        ("replay", 0),
        ("looks", 0),
        ("test_steps", -1),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(LenseError, match=f"The setting {name} must lie between"):
        Settings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("cutoffs", [(0.9, 0.0), (2.0,), (-1.0,)])
def test_cut_offs_are_ratios(cutoffs: tuple[float, ...]) -> None:
    with pytest.raises(LenseError, match="ratios near 1"):
        Settings(cutoffs=cutoffs)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("roots", "40", 40),
        ("gamma", "0.5", 0.5),
        ("double_q", "no", False),
        ("loss", "ordinal", "ordinal"),
        ("cutoffs", "0.9,0.5", (0.9, 0.5)),
        ("cutoffs", [0.9], (0.9,)),
        ("roots", 40, 40),
    ],
)
def test_settings_change_by_text_or_value(name: str, text: Any, value: Any) -> None:
    changed = Settings().changed(**{name: text})
    assert getattr(changed, name) == value
    assert type(getattr(changed, name)) is type(value)
    others = [field.name for field in fields(Settings) if field.name != name]
    assert all(getattr(changed, other) == getattr(Settings(), other) for other in others)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"root": 3}, "no setting called 'root': .*did you mean 'roots'"),
        ({"roots": "many"}, "takes a number, not 'many'"),
        ({"roots": "2.5"}, "takes a whole number"),
        ({"double_q": "perhaps"}, "no value for double_q called 'perhaps'"),
        ({"cutoffs": "0.9;0.5"}, "numbers separated by commas"),
        ({"roots": "1"}, "must lie between 2"),
    ],
)
def test_a_change_that_means_nothing_is_told(changes: dict[str, str], complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        Settings().changed(**changes)


def test_every_choice_of_this_package_has_the_papers_literal_one() -> None:
    literal = Settings(roots=50).literal
    switches = (
        "hubs",
        "ranks",
        "marks_roots",
        "normalised",
        "sampled_starts",
        "shaped",
        "double_q",
        "huber",
        "bootstrap_end",
    )
    assert all(getattr(Settings(), name) and not getattr(literal, name) for name in switches)
    assert literal.sees_subgraph
    assert not Settings().sees_subgraph
    assert literal.cutoffs == CUTOFFS
    assert literal.restart >= literal.train_steps > Settings().restart
    assert (Settings().gamma, literal.gamma) == (0.9, 0.995)
    assert (Settings().keep, literal.keep) == ("ratio", "last")
    assert (Settings().loss, literal.loss) == ("ranked", "infonce")
    assert literal.roots == 50


def test_the_papers_rows_are_settings() -> None:
    wiki = paper_settings("mvc", "wiki")
    assert (wiki.roots, wiki.samples_per_class, wiki.vertex_dim, wiki.embedding_dim) == (300, 100, 75, 25)
    assert (wiki.train_steps, wiki.episodes, wiki.guidance, wiki.update_every) == (2000, 10, 0.1, 20)
    assert (wiki.reward_scale, wiki.test_steps) == (3, 300)
    youtube = paper_settings("bmc", "youtube")
    assert (youtube.roots, youtube.guidance, youtube.reward_scale, youtube.test_steps) == (1000, 0.5, 5, 400)
    talk = paper_settings("im", "talk", literal=True)
    assert (talk.samples_per_class, talk.train_steps, talk.episodes) == (400, 500, 25)


def test_walks_may_stop_when_they_reach_a_little_more_than_the_paper_reports() -> None:
    assert paper_settings("bmc", "wiki").enough == pytest.approx(RESULTS["bmc", "wiki"].ratio + 0.01)
    assert paper_settings("im", "talk").enough == Settings().enough
    assert auto_settings(6000, 100).enough == Settings().enough


def test_twice_as_many_classes_have_half_as_many_samples_each_as_in_the_paper() -> None:
    """But at least 100."""
    assert paper_settings("im", "talk").samples_per_class == 200
    assert paper_settings("bmc", "wiki").samples_per_class == 125
    assert paper_settings("mvc", "wiki").samples_per_class == 100


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


def test_the_papers_sizes_of_graphs_are_copied_right() -> None:
    rows = papers_rows("datasets.csv")
    assert {row.pop("graph"): SplitSizes(*map(int, row.values())) for row in rows} == SPLITS


def test_the_papers_tables_agree_with_one_another() -> None:
    """Sizes with those that the data sets are split by, and ratios with table 1 where tables repeat them."""
    for name, dataset in DATASETS.items():
        for arcs, side in ((False, "u"), (True, "d")):
            sizes = SPLITS.get(f"{name} ({side})") or SPLITS[name]
            assert (sizes.train_edges, sizes.test_edges) == (
                dataset.paper_split(arcs=arcs).train,
                dataset.paper_split(arcs=arcs).test,
            )
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
def test_what_the_paper_does_not_have_is_told(problem: str, graph: str, complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        paper_settings(problem, graph)


@given(budget=st.integers(1, 500), spare=st.integers(0, 10_000))
@settings(max_examples=100, deadline=None)
def test_settings_for_any_graph_leave_room_to_sample_and_to_walk(budget: int, spare: int) -> None:
    """More roots than the solution has vertices, and at least as many vertices besides the solution as roots."""
    num_vertices = 2 * budget + 1 + spare
    for made in (auto_settings(num_vertices, budget), quick_settings(num_vertices, budget)):
        assert budget < made.roots <= num_vertices - budget
        assert made.test_steps >= made.roots


def test_there_are_three_roots_for_each_vertex_of_the_solution_and_in_large_graphs_up_to_twelve() -> None:
    assert auto_settings(5_000, 100).roots == 300
    assert auto_settings(24_000, 100).roots == 600
    assert auto_settings(10**7, 100).roots == 1200
    assert auto_settings(600, 100).roots == 200


def test_quick_settings_learn_with_less_of_everything() -> None:
    quick, auto = quick_settings(5000, 50), auto_settings(5000, 50)
    for name in ("samples_per_class", "epochs", "patience", "train_steps", "looks"):
        assert getattr(quick, name) < getattr(auto, name)
    assert (quick.roots, quick.test_steps) == (auto.roots, auto.test_steps)


def test_the_losses_are_those_of_the_encoder() -> None:
    from lense.walking.losses import LOSSES

    assert tuple(LOSSES) == LOSS_NAMES
    with pytest.raises(LenseError, match="no loss called 'foo'"):
        Settings(loss="foo")
