"""Whatever a user gets wrong: one sentence on the error stream, exit status 2, nothing written."""

import shlex
from pathlib import Path

import pytest

from tests.conftest import Command

EDGES = "".join(f"{u} {u + 1}\n" for u in range(2000))


@pytest.fixture
def path_graph(tmp_path: Path) -> Path:
    path = tmp_path / "path.txt"
    path.write_text(EDGES)
    return path


LENSE = ("-p", "mvc", "-b", "8", "--pruner", "lense")


@pytest.mark.parametrize("budget", ["0", "-4", "2.5", "2002", "1e9"])
def test_a_budget_that_cannot_be_spent(lense: Command, path_graph: Path, budget: str) -> None:
    lense("solve", path_graph, "-p", "mvc", "-b", budget).assert_refused("budget", "2,001")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("solve {graph} {mvc} --solver gredy", "greedy"),
        ("solve {graph} -p mvcc -b 1", "'mvc'"),
        ("solve {graph} -p im -b 1 --set model=trivalent", "weighted-cascade"),
        ("solve {graph} -p im -b 1 --set epsilonn=1", "epsilon"),
        ("graph info facebok", "facebook"),
        ("graph generate rmatt out.npz", "rmat"),
        ("graph convert {graph} out.txt --to parkuet", "parquet"),
        ("data get facebok", "facebook"),
        ("solve {graph} -p mvc", "--budget"),
        ("solve {graph} -p mvc -b many", "--budget"),
        ("solve {graph} -p mvc -b inf --no-prune", "budget"),
        ("graph info .", "folder"),
        ("graph info nowhere.txt", "nowhere.txt"),
        ("score {graph} -p mvc --vertices nowhere.txt", "nowhere.txt"),
        ("solve {graph} {mvc} --frob", "--frob"),
        ("solve {graph} {mvc} --set epsilon", "NAME=VALUE"),
        ("solve {graph} {mvc} --out answer.xml", ".json"),
        ("solve {graph} {mvc} --out no/such/folder/answer.json", "no/such/folder"),
        ("solve {graph} {mvc} -q -v", "--quiet"),
        ("solve {graph} -p im -b 1 --set worlds=many", "worlds"),
        ("solve {graph} -p im -b 1 --set memory_gib=inf --json", "memory_gib"),
        ("solve {graph} -p im -b 1 --seed -1", "--seed"),
        ("solve {graph} -p bmc -b 1 -s mip --set time_limit=inf --json", "time_limit"),
        ("graph frobnicate", "frobnicate"),
        ("graph generate rmat out.npz --set scale=4 --set num_edges=1e25", "R-MAT"),
        ("graph generate rmat out.npz", "--set scale="),
        ("graph split {graph} a.txt no/such/folder/b.txt -f 0.5", "no/such/folder"),
        ("graph split {graph} a.txt b.txt", "--train-fraction"),
        ("graph split {graph} a.txt a.txt -f 0.5", "two"),
        ("graph convert {graph} out.unknown", ".parquet"),
        ("solve {graph} -m nowhere", "nowhere"),
        ("solve {graph} -m {model} -p bmc", "bmc"),
        ("solve {graph} -m {model} -b 301", "300"),
        ("solve {graph} -m {model} --device tpu", "cuda"),
        ("solve {graph} -b 3", "--problem"),
        ("solve {graph} {mvc} --mode nonsense", "ground-set"),
        ("solve {graph} {mvc} --pruner top-degree --no-prune", "--pruner"),
        ("solve {graph} {mvc} --pruner top-degree --device cuda", "--device"),
        ("solve {graph} {mvc} --pruner top-degree --swaps 2", "--swaps"),
        ("solve {graph} {mvc} --pruner top-degree --time-limit 5", "--time-limit"),
        ("solve {graph} {mvc} --set seed=3", "--seed"),
        ("solve {graph} {mvc} --set gap=0.1", "--set gap"),
        ("solve {graph} {mvc} --set epsilon=0.2 --pruner top-degree", "stochastic-greedy"),
        ("solve {graph} {mvc} --exact --target 0.9", "--target"),
        ("solve {graph} {mvc} --exact --no-certify", "--no-certify"),
        ("solve {graph} -p im -b 8 --exact", "im"),
        ("advise {graph} -p mvc -b 8 --target 2", "target"),
        ("advise -p mvc -b 5", "--edges"),
        ("advise -p mvc -b 5 --vertices 5", "--edges"),
        ("advise -p mvc -b 5 --edges 0", "edges"),
        ("prune {graph} -o out.txt", "--problem"),
        ("prune {graph} -p mvc -o out.txt --pruner top-degree", "--budget"),
        ("prune {graph} {mvc} -o out.txt --pruner top-degree --set nonsense=1", "roots"),
        ("prune {graph} {mvc} -o out.txt --pruner gnn-t", "lense train --pruner gnn-t"),
        ("prune {graph} -m {model} -o out.unknown", ".parquet"),
        ("prune {graph} -m {model} -o no/such/folder/out.txt", "no/such/folder"),
        ("evaluate -g {graph} -m {model} --picture walk.gif", ".png"),
        ("evaluate -g {graph} -m {model} -e 0", "--episodes"),
        ("evaluate -g wikki -m {model}", "wiki"),
        ("evaluate -g {graph} -p mvc --pruner quickprune --picture walks.png", "quickprune"),
        ("evaluate -g {graph} --pruner quickprune", "--problem"),
        ("evaluate -g {graph} --model facebook-mvc --budget 7", "budget"),
        ("compare {graph} {mvc} -o out --pruners nonsense", "quickprune"),
        ("compare {graph} {mvc} -o out --preset paper", "paper"),
        ("compare {graph} {mvc} -o out --set nonsense=1", "nonsense"),
        ("compare {graph} -p mvc -b 10000 -o out", "budget"),
        ("compare {graph} -p mvc -b nan -o out", "budget"),
        ("compare {graph} {mvc} -o out --train-share 1.5", "train"),
        ("compare {graph} {mvc} -o out --train-share nan", "train"),
        ("compare {graph} {mvc} -o out --model nowhere", "nowhere"),
        ("compare {graph} {mvc} -o out --backend slurm", "loky, dask"),
        ("demo --vertices 199", "--vertices"),
        ("app nowhere.txt", "nowhere.txt"),
        ("app no-such-name", "'no-such-name'"),
        ("app --port 0", "--port"),
        ("train {graph} {lense} --preset quik", "quick"),
        ("train {graph} {lense} --preset paper", "auto"),
        ("train {graph} {lense} --set rots=3", "roots"),
        ("train {graph} {lense} --set roots=no", "roots"),
        ("train {graph} -p mvc -b 301 -o model", "300"),
        ("train {graph} {mvc} -o {graph}", "{graph}"),
        ("train {graph} {mvc} -o no/such/folder/model", "no/such/folder"),
        ("train {graph} {mvc} -o model --preset quick", "preset"),
        ("train {graph} {mvc} -o model --pruner top-degree", "top-degree"),
        ("train {graph} {mvc} -o model --pruner gnn-t --checkpoint stages", "checkpoint"),
        ("train {graph} {mvc} -o model --pruner gnn-t --set roots=3", "epochs"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    line: str,
    words: str,
    lense: Command,
    graph_file: Path,
    model_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    known = {"graph": graph_file, "model": model_folder, "mvc": "-p mvc -b 8"}
    known["lense"] = "-p mvc -b 8 --pruner lense -o model"
    lense(*shlex.split(line.format(**known))).assert_refused(words.format(**known))
    assert list(tmp_path.iterdir()) == []


def test_the_flags_that_messages_name_are_there(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "times.txt"
    path.write_text("1 2 2020-01-01\n2 3 2020-01-02\n")
    solve = ("solve", path, "-p", "mvc", "-b", 1, "--json")
    lense(*solve).assert_refused("--no-weights")
    path.write_text("1 2 2020-01-01\n2 3 2020-01-02\n2 x 2020-01-03\n")
    lense(*solve, "--no-weights").assert_refused("--ids str")
    assert lense(*solve, "--no-weights", "--ids", "str").json["vertices"] == ["2"]


def test_a_folder_that_is_no_model_is_not_written_to(lense: Command, graph_file: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    train = ("train", graph_file, *LENSE)
    lense(*train, "-o", tmp_path).assert_refused(str(tmp_path))
    lense(*train, "-o", tmp_path / "model", "--checkpoint", tmp_path).assert_refused(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_graph_without_edges_is_neither_pruned_nor_learnt_from(
    lense: Command, model_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "loops.txt"
    path.write_text("".join(f"{v} {v}\n" for v in range(30)))
    lense("prune", path, "-m", model_folder, "-o", tmp_path / "out.txt").assert_refused("no edges")
    lense("evaluate", "-g", path, "-m", model_folder).assert_refused("no edges")
    lense("train", path, "-p", "mvc", "-b", 8, "-o", tmp_path / "model").assert_refused("no edges")
    assert [path.name for path in tmp_path.iterdir()] == ["loops.txt"]


@pytest.mark.parametrize("threads", ["²", "0", "-1", "two"])
def test_threads_that_are_no_number(
    threads: str, lense: Command, path_graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENSE_THREADS", threads)
    lense("graph", "info", path_graph).assert_refused("LENSE_THREADS", threads)


@pytest.mark.parametrize("text", ["[" * 100_000, "[1]", "{"])
def test_a_broken_plan_of_a_comparison(text: str, lense: Command, path_graph: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "plan.json").write_text(text)
    found = lense("compare", path_graph, "-p", "mvc", "-b", 3, "--pruners", "random", "-o", tmp_path / "out")
    found.assert_refused("plan.json")
