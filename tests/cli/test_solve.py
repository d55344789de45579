"""``lense solve``: an answer for people, for machines and in files."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from lense.graph import read_graph
from lense.pruners import load
from tests import learning
from tests.conftest import Command

STAR = "10 20\n10 30\n10 40\n50 40\n"


@pytest.fixture
def star(tmp_path: Path) -> Path:
    path = tmp_path / "star.txt"
    path.write_text(STAR)
    return path


def test_json_has_the_answer_in_the_users_ids_and_in_order_of_choice(lense: Command, star: Path) -> None:
    answer = lense("solve", star, "--problem", "mvc", "--budget", 2, "--json").json
    assert answer["vertices"][0] == 10
    assert set(answer["vertices"][1:]) <= {40, 50}
    assert answer["score"] == 1.0
    assert answer["upper_bound"] == 1.0
    assert answer["certified"] == 1.0
    assert answer["seconds"] >= 0
    assert (answer["problem"], answer["solver"], answer["budget"]) == ("mvc", "greedy", 2)


def test_the_answer_goes_to_json_and_csv_files(lense: Command, star: Path, tmp_path: Path) -> None:
    as_json, as_csv = tmp_path / "answer.json", tmp_path / "answer.csv"
    assert lense("solve", star, "-p", "mvc", "-b", 2, "--out", as_json, "-q").out == ""
    lense("solve", star, "-p", "mvc", "-b", 2, "--out", as_csv)
    vertices = json.loads(as_json.read_text())["vertices"]
    rows = list(csv.DictReader(as_csv.read_text().splitlines()))
    assert [(row["order"], int(row["vertex"])) for row in rows] == [("1", vertices[0]), ("2", vertices[1])]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["answer.csv", "answer.json", "star.txt"]


def test_the_seed_decides_and_options_reach_the_problem(lense: Command, star: Path) -> None:
    def answer(seed: int) -> Any:
        set_ = ("--set", "worlds=50", "--set", "model=constant")
        return lense("solve", star, "-p", "im", "-b", 2, "--seed", seed, *set_, "--json").json

    first, again = answer(3), answer(3)
    assert without_times(first) == without_times(again)
    assert first["options"]["worlds"] == 50
    assert first["options"]["seed"] == 3


def test_a_bound_can_be_left_out(lense: Command, star: Path) -> None:
    words = ("solve", star, "-p", "mvc", "-b", 1)
    answer = lense(*words, "--no-certify", "--json").json
    assert [answer[key] for key in ("upper_bound", "certified", "certificate_seconds")] == [None] * 3
    assert lense(*words, "--json").json["certificate_seconds"] > 0
    assert "time to certify" in lense(*words).out
    assert "time to certify" not in lense(*words, "--no-certify").out


EXAMPLES = Path(__file__).parents[2] / "examples"


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    pruned = record["pruned"] and {**record["pruned"], "seconds": 0}
    return {**record, "seconds": 0, "certificate_seconds": 0, "pruned": pruned, "reason": ""}


def test_with_a_model_the_graph_is_pruned_and_the_answer_scored_on_the_whole(
    lense: Command, graph_file: Path, model_folder: Path
) -> None:
    answer = lense("solve", graph_file, "--model", model_folder, "--seed", 3, "--json").json
    whole, model = read_graph(graph_file), load(model_folder)
    expected, part = model.solve(whole, seed=3), model.prune(whole, seed=3)
    assert (answer["problem"], answer["budget"]) == ("mvc", learning.BUDGET)
    assert answer["vertices"] == expected.vertices
    assert answer["score"] == expected.score
    assert answer["upper_bound"] == expected.upper_bound
    assert answer["pruned"]["vertices"] == part.graph.num_vertices
    assert answer["pruned"]["edges_pruned"] == pytest.approx(1 - part.graph.num_edges / whole.num_edges)
    assert answer["pruned"]["seconds"] > 0
    assert answer["pruned"]["model"] == str(model_folder)


@pytest.fixture
def big(lense: Command, tmp_path: Path) -> Path:
    path = tmp_path / "big.npz"
    lense("graph", "generate", "barabasi-albert", path, "--set", "n=900", "--set", "m=3")
    return path


def test_by_default_an_expensive_heuristic_is_pruned_for_and_that_is_said(lense: Command, big: Path) -> None:
    words = ("solve", big, "-p", "bmc", "-b", 10, "--solver", "mip", "--json")
    answer, whole = lense(*words).json, lense(*words, "--no-prune").json
    assert answer["reason"].startswith("pruned to ")
    assert "mip took" in answer["reason"]
    assert {"pruner", "seconds", "vertices_pruned", "edges_pruned"} <= set(answer["pruned"])
    assert answer["pruned"]["pruner"] == "core"
    assert 0.9 < answer["expected_ratio"] <= 1.1
    assert answer["score"] >= 0.985 * whole["score"]
    assert whole["pruned"] is None


def test_pruning_can_be_forced(lense: Command, big: Path) -> None:
    words = ("solve", big, "-p", "mvc", "-b", 10, "--json")
    pruned = lense(*words, "--prune").json
    assert pruned["pruned"]["model"] == "shipped"
    assert without_times(lense(*words, "--prune").json) == without_times(pruned)
    assert lense(*words, "--size", 30).json["pruned"]["roots"] == 30
    assert lense(*words, "--pruner", "core").json["pruned"]["pruner"] == "core"


def test_a_problem_without_a_model_is_solved_whole_where_that_is_quick(
    lense: Command, star: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "costed_cover-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: costed-cover\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[lense.problems]\ncosted-cover = costed_cover:CostedCover\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    assert "gain-per-cost takes about" in lense("solve", star, "-p", "costed-cover", "-b", 2).out
    assert lense("solve", star, "-p", "costed-cover", "-b", 2, "--json").json["pruned"] is None


def test_a_step_of_the_walk_takes_several_swaps(lense: Command, graph_file: Path, model_folder: Path) -> None:
    answer = lense("solve", graph_file, "-m", model_folder, "--swaps", 3, "--json").json
    part = load(model_folder).set_params(swaps=3).prune(read_graph(graph_file))
    assert answer["pruned"]["edges"] == part.graph.num_edges
    refused = lense("solve", graph_file, "-m", model_folder, "--swaps", 0)
    assert refused.status == 2
    assert "swap" in refused.err


def test_another_pruner_solves_on_its_part_or_chooses_from_it(lense: Command, graph_file: Path) -> None:
    choices = ("solve", graph_file, "--problem", "mvc", "--budget", 8, "--pruner", "top-degree", "--json")
    within, among = lense(*choices).json, lense(*choices, "--mode", "ground-set").json
    assert within["pruned"]["model"] == among["pruned"]["model"] == "top-degree"
    assert (within["pruned"]["mode"], among["pruned"]["mode"]) == ("subgraph", "ground-set")
    assert among["score"] >= within["score"] > 0


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (("--mode", "nonsense"), "ground-set"),
        (("--pruner", "top-degree", "--no-prune"), "choose one of them"),
        (("--target", "0.9", "--no-prune"), "--target"),
        (("--target", "0.9", "--exact"), "--target"),
        (("--pruner", "top-degree", "--device", "cuda"), "does not use torch"),
        (("--pruner", "top-degree", "--device", "tpu"), "choose from cpu, cuda, auto"),
        (("--set", "seed=3"), "give it as --seed"),
        (("--swaps", "2", "--pruner", "top-degree"), "--swaps is for the walks of LeNSE"),
        (("--set", "gap=0.1"), "--set gap is for the solver mip, and greedy does not use it"),
        (("--set", "time_limit=9", "--no-prune"), "--set time_limit is for the solver mip"),
        (("--set", "epsilon=0.2", "--pruner", "top-degree"), "--set epsilon is for the solver stochastic-greedy"),
    ],
)
def test_a_way_to_solve_that_makes_no_sense_is_refused(
    choices: tuple[str, ...], sentence: str, lense: Command, graph_file: Path
) -> None:
    lense("solve", graph_file, "--problem", "mvc", "--budget", 8, *choices).assert_refused(sentence)


class TestExact:
    @pytest.mark.parametrize("problem", ["mvc", "bmc"])
    def test_the_optimum_comes_with_its_proof(self, lense: Command, graph_file: Path, problem: str) -> None:
        found = lense("solve", graph_file, "-p", problem, "-b", 8, "--exact", "--json").json
        assert (found["optimal"], found["certified"], found["solver"]) == (True, 1.0, "exact")
        assert found["upper_bound"] == found["score"]
        assert all({"rule", "dropped", "forced", "live"} == set(done) for done in found["details"]["rounds"])
        assert found["pruned"] is None

    @pytest.mark.parametrize(
        ("choices", "sentence"),
        [
            (("--exact", "--problem", "im"), "im cannot be solved exactly"),
            (("--exact", "--no-prune"), "--no-prune"),
            (("--exact", "--pruner", "top-degree"), "--pruner"),
            (("--exact", "--no-certify"), "--no-certify"),
            (("--exact", "--time-limit", 0), "time_limit"),
            (("--time-limit", 5, "--no-prune"), "--time-limit"),
            (("--time-limit", 5, "--pruner", "top-degree"), "--exact"),
            (("--time-limit", 0), "time limit"),
        ],
    )
    def test_what_does_not_go_with_it_is_said(
        self, choices: tuple[object, ...], sentence: str, lense: Command, graph_file: Path
    ) -> None:
        problem = () if "im" in choices else ("--problem", "mvc")
        lense("solve", graph_file, *problem, "--budget", 8, *choices).assert_refused(sentence)
