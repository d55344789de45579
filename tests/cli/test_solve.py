"""``lense solve``, ``score``, ``prune`` and ``advise``: answers for people, for machines and in files."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.graph import Graph, power_law, read_graph, write_graph
from lense.pruners import load
from tests import learning
from tests.conftest import Command

STAR = "10 20\n10 30\n10 40\n50 40\n"


@pytest.fixture
def star(tmp_path: Path) -> Path:
    path = tmp_path / "star.txt"
    path.write_text(STAR)
    return path


def test_json_has_the_answer_in_the_users_ids_and_in_order_of_choice_and_so_have_files(
    lense: Command, star: Path, tmp_path: Path
) -> None:
    command = ("solve", star, "--problem", "mvc", "--budget", 2)
    answer = lense(*command, "--json").json
    assert answer["vertices"][0] == 10
    assert set(answer["vertices"][1:]) <= {40, 50}
    assert [answer[key] for key in ("score", "upper_bound", "certified")] == [1.0] * 3
    assert answer["seconds"] >= 0
    assert (answer["problem"], answer["solver"], answer["budget"]) == ("mvc", "greedy", 2)
    as_json, as_csv = tmp_path / "answer.json", tmp_path / "answer.csv"
    assert lense(*command, "--out", as_json, "-q").out == ""
    lense(*command, "--out", as_csv)
    assert json.loads(as_json.read_text())["vertices"] == answer["vertices"]
    rows = [(row["order"], int(row["vertex"])) for row in csv.DictReader(as_csv.read_text().splitlines())]
    assert rows == list(zip("12", answer["vertices"], strict=True))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.csv", "answer.json", "star.txt"]


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
    assert ["time to certify" in lense(*words, *more).out for more in ((), ("--no-certify",))] == [True, False]


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


def test_a_part_can_be_asked_for_and_is_what_an_expensive_heuristic_gets(lense: Command, big: Path) -> None:
    words = ("solve", big, "-p", "bmc", "-b", 10, "--solver", "mip", "--json")
    answer, whole = lense(*words).json, lense(*words, "--no-prune").json
    assert {"pruner", "seconds", "vertices_pruned", "edges_pruned"} <= set(answer["pruned"])
    assert (answer["pruned"]["pruner"], answer["pruned"]["model"]) == ("core", "shipped")
    assert 0.9 < answer["expected_ratio"] <= 1.1
    assert answer["score"] >= 0.985 * whole["score"]
    assert whole["pruned"] is None
    quick = ("solve", big, "-p", "mvc", "-b", 10, "--json")
    assert lense(*quick, "--prune").json["pruned"]["model"] == "shipped"
    assert lense(*quick, "--size", 30).json["pruned"]["roots"] == 30


def test_another_pruner_solves_on_its_part_or_chooses_from_it(lense: Command, graph_file: Path) -> None:
    choices = ("solve", graph_file, "--problem", "mvc", "--budget", 8, "--pruner", "top-degree", "--json")
    within, among = lense(*choices).json, lense(*choices, "--mode", "ground-set").json
    assert within["pruned"]["model"] == among["pruned"]["model"] == "top-degree"
    assert (within["pruned"]["mode"], among["pruned"]["mode"]) == ("subgraph", "ground-set")
    assert among["score"] >= within["score"] > 0


@pytest.mark.parametrize("problem", ["mvc", "bmc"])
def test_the_optimum_comes_with_its_proof(lense: Command, graph_file: Path, problem: str) -> None:
    found = lense("solve", graph_file, "-p", problem, "-b", 8, "--exact", "--json").json
    assert (found["optimal"], found["certified"], found["solver"]) == (True, 1.0, "exact")
    assert found["upper_bound"] == found["score"]
    assert all({"rule", "dropped", "forced", "live"} == set(done) for done in found["details"]["rounds"])
    assert found["pruned"] is None


@pytest.mark.parametrize("text", ["20\n40\n", "# mine\n20\n\n40", "[20, 40]", '["20", "40"]', '{"vertices": [20, 40]}'])
def test_ids_come_one_on_a_line_or_as_json(lense: Command, star: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "answer").write_text(text)
    found = lense("score", star, "--vertices", tmp_path / "answer", "-p", "mvc", "--json").json
    assert found["vertices"] == [20, 40]
    assert (found["budget"], found["score"], found["certified"], found["optimal"]) == (2, 0.75, 0.75, False)


@pytest.mark.parametrize("name", ["answer.json", "answer.csv"])
def test_what_solve_writes_can_be_scored(lense: Command, star: Path, tmp_path: Path, name: str) -> None:
    lense("solve", star, "-p", "mvc", "-b", 1, "--out", tmp_path / name)
    shown = lense("score", star, "--vertices", tmp_path / name, "-p", "mvc", "--json")
    assert (json.loads(shown.out)["score"], json.loads(shown.out)["optimal"]) == (0.75, True)


@pytest.mark.parametrize(
    "text",
    ["order,vertex\n1," + 200_000 * "9", "[10", '{"a": 1}'],
    ids=["a table", "cut", "no vertices"],
)
def test_a_file_without_an_answer_is_one_sentence(lense: Command, star: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "answer").write_text(text)
    lense("score", star, "--vertices", tmp_path / "answer", "-p", "mvc").assert_refused(str(tmp_path / "answer"))


def edges_by_label(graph: Graph) -> set[tuple[int, int]]:
    sources, targets, _ = graph.edges()
    return set(zip(graph.labels[sources].tolist(), graph.labels[targets].tolist(), strict=True))


@pytest.mark.parametrize("name", ["pruned.txt.gz", "pruned.npz", "pruned.parquet"])
def test_the_subgraph_is_written_with_the_original_ids(
    lense: Command, graph_file: Path, model_folder: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / name
    record = lense("prune", graph_file, "-m", model_folder, "--out", out, "--seed", 3, "--json").json
    whole, pruned = read_graph(graph_file), read_graph(out)
    part = load(model_folder).prune(whole, seed=3).graph
    assert edges_by_label(pruned) == edges_by_label(part) < edges_by_label(whole)
    assert pruned.labels.min() >= 1000
    assert (record["vertices"], record["edges"]) == (part.num_vertices, part.num_edges)
    assert record["edges_pruned"] == pytest.approx(1 - part.num_edges / whole.num_edges)


def test_a_model_of_the_collection_can_be_named(lense: Command, tmp_path: Path) -> None:
    write_graph(power_law(2000, 6, 2.3, np.random.default_rng(3)), tmp_path / "graph.npz")
    words = ("prune", tmp_path / "graph.npz", "--out", tmp_path / "part.npz", "--model")
    assert lense(*words, "slashdot-bmc", "--json").json["model"] == "slashdot-bmc"
    lense(*words, "moon-bmc").assert_refused("moon-bmc")


def test_a_shipped_model_prunes_and_for_im_the_probabilities_are_written(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "pruned.npz"
    outcome = lense("prune", graph_file, "-p", "im", "-b", 5, "-o", out, "--json")
    assert (outcome.json["model"], outcome.json["pruner"]) == ("shipped", "core")
    assert 0.8 < outcome.json["confidence"] < 1
    shown = lense("prune", graph_file, "-p", "im", "-b", 5, "-o", out).out
    assert "sure of the target" in shown
    pruned = read_graph(out)
    assert pruned.directed
    assert pruned.weights is not None
    assert np.isin(pruned.weights, np.array([0.1, 0.01, 0.001], np.float32)).all()


def test_bounds_write_the_core_and_beside_it_what_every_optimum_holds(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "core.txt.gz"
    record = lense("prune", graph_file, "--pruner", "bounds", "-p", "mvc", "-b", 8, "--out", out, "--json").json
    forced = (tmp_path / "core.txt.gz.forced.txt").read_text().split()
    assert record["forced"] == len(forced) > 0
    assert record["forced_out"] == str(tmp_path / "core.txt.gz.forced.txt")
    core = read_graph(out)
    assert set(map(int, forced)) <= set(core.labels.tolist())
    best = lense("solve", graph_file, "-p", "mvc", "-b", 8, "--exact", "--json").json
    assert set(map(int, forced)) <= set(best["vertices"]) <= set(core.labels.tolist())
    shown = lense("prune", graph_file, "--pruner", "bounds", "-p", "mvc", "-b", 8, "--out", out).out
    assert f"{len(forced)}, in " in shown
    assert lense("prune", graph_file, "--pruner", "top-degree", "-p", "mvc", "-b", 8, "--out", out).status == 0
    assert [path.name for path in tmp_path.glob("core*")] == ["core.txt.gz"]  # what was forced said nothing about this


def test_where_the_forced_vertices_cannot_be_written_nothing_is(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "core.txt.forced.txt").mkdir()
    given = ("--pruner", "bounds", "-p", "mvc", "-b", 8, "--out", tmp_path / "core.txt")
    assert lense("prune", graph_file, *given).status == 2
    assert not (tmp_path / "core.txt").exists()


def test_advice_is_to_prune_for_an_expensive_heuristic_alone(lense: Command, big: Path) -> None:
    quick = lense("advise", big, "-p", "mvc", "-b", 8, "--json").json
    assert (quick["prune"], quick["graph"]["vertices"]) == (False, 900)
    assert quick["whole_seconds"] > 0
    words = ("advise", big, "-p", "bmc", "-b", 8, "--solver", "mip")
    advice = lense(*words, "--json").json
    assert advice["prune"] is True
    assert advice["part_seconds"] + advice["prune_seconds"] < advice["whole_seconds"]
    assert advice["reason"] in " ".join(lense(*words).out.split())


def test_a_graph_unlike_those_of_the_core_is_said(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "path.npz"
    write_graph(Graph.from_edges(np.arange(2000), np.arange(1, 2001)), path)
    words = ("advise", path, "-p", "bmc", "-b", 8, "--solver", "mip")
    advice = lense(*words, "--json").json
    assert advice["unlike"]
    assert advice["confidence"] == 0.5
    assert advice["unlike"] in " ".join(lense(*words).out.split())
    pruned = ("prune", path, "-p", "bmc", "-b", 8, "--out", tmp_path / "core.txt")
    assert lense(*pruned, "--json").json["unlike"] == advice["unlike"]
    assert advice["unlike"] in " ".join(lense(*pruned).out.split())
    by_walks = lense(*pruned, "--pruner", "lense", "--json").json
    assert by_walks["unlike"] not in ("", advice["unlike"])
    solved = lense("solve", path, "-p", "bmc", "-b", 8, "--pruner", "lense", "--json").json
    assert by_walks["unlike"] in solved["reason"]


def test_costs_of_a_graph_yet_to_come_are_in_proportion(lense: Command, star: Path) -> None:
    small, large = (
        lense("advise", "--edges", edges, "-p", "mvc", "-b", 5, "--json").json for edges in (50_000, 50_000_000)
    )
    assert (large["graph"]["vertices"], large["graph"]["edges"]) == (5_000_000, 50_000_000)
    assert large["costs"]["hold"]["bytes"] > 500 * small["costs"]["hold"]["bytes"]
    assert set(large["costs"]) == {"hold", "read", "solve", "certify", "learn core"}
    assert large["costs"]["solve"]["seconds"] > small["costs"]["solve"]["seconds"] > 0
    shown = lense("advise", star, "-p", "mvc", "-b", 2, "--costs").out
    assert all(words in shown for words in ("to hold", "to solve", "to learn core"))
