"""Whatever a user gets wrong: one sentence on the error stream, exit status 2, nothing written."""

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
TRAIN_LENSE = ("train", "{graph}", *LENSE, "-o", "model")


@pytest.mark.parametrize("budget", ["0", "-4", "2.5", "2002", "1e9"])
def test_a_budget_that_cannot_be_spent(lense: Command, path_graph: Path, budget: str) -> None:
    lense("solve", path_graph, "-p", "mvc", "-b", budget).assert_refused("budget", "2,001")


@pytest.mark.parametrize(
    ("arguments", "choice"),
    [
        (("solve", "{graph}", "-p", "mvcc", "-b", "1"), "mvc"),
        (("solve", "{graph}", "-p", "mvc", "-b", "1", "--solver", "gredy"), "greedy"),
        (("solve", "{graph}", "-p", "im", "-b", "1", "--set", "model=trivalent"), "weighted-cascade"),
        (("solve", "{graph}", "-p", "im", "-b", "1", "--set", "epsilonn=1"), "epsilon"),
        (("graph", "info", "facebok"), "facebook"),
        (("graph", "generate", "rmatt", "out.npz"), "rmat"),
        (("graph", "convert", "{graph}", "out.txt", "--to", "parkuet"), "parquet"),
        (("data", "get", "facebok"), "facebook"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else value,
)
def test_an_unknown_name_lists_the_choices(
    lense: Command,
    path_graph: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    choice: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    filled = [argument.format(graph=path_graph) for argument in arguments]
    lense(*filled).assert_refused("choose from", choice)
    assert [p.name for p in tmp_path.iterdir()] == ["path.txt"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "{graph}", "-p", "mvc"),
        ("solve", "{graph}", "-p", "mvc", "-b", "many"),
        ("solve", "{graph}", "-p", "mvc", "-b", "inf", "--no-prune"),
        ("graph", "info", "."),
        ("graph", "info", "nowhere.txt"),
        ("score", "{graph}", "-p", "mvc", "--vertices", "nowhere.txt"),
        ("solve", "{graph}", "-p", "mvc", "-b", "1", "--frob"),
        ("solve", "{graph}", "-p", "mvc", "-b", "1", "--set", "epsilon"),
        ("solve", "{graph}", "-p", "mvc", "-b", "1", "--out", "answer.xml"),
        ("solve", "{graph}", "-p", "mvc", "-b", "1", "--out", "no/such/folder/answer.json"),
        ("solve", "{graph}", "-p", "im", "-b", "1", "--set", "worlds=many"),
        ("solve", "{graph}", "-p", "mvc", "-b", "1", "-q", "-v"),
        ("graph", "frobnicate"),
        ("solve", "{graph}", "-p", "mvc", "-b", "1", "--out", "."),
        ("solve", "{graph}", "-p", "im", "-b", "1", "--set", "memory_gib=inf", "--json"),
        ("solve", "{graph}", "-p", "im", "-b", "1", "--seed", "-1"),
        ("solve", "{graph}", "-p", "im", "-b", "1", "--set", "epsilon=1e-300"),
        ("solve", "{graph}", "-p", "im", "-b", "1", "-s", "opim-c", "--set", "delta=1e-320"),
        ("solve", "{graph}", "-p", "bmc", "-b", "1", "-s", "hassin-rubinstein", "--set", "draws=1e30"),
        ("solve", "{graph}", "-p", "bmc", "-b", "1", "-s", "mip", "--set", "time_limit=inf", "--json"),
        ("graph", "generate", "rmat", "out.npz", "--set", "scale=4", "--set", "num_edges=1e25"),
        ("graph", "split", "{graph}", "a.txt", "no/such/folder/b.txt", "-f", "0.5"),
        ("graph", "generate", "rmat", "out.npz"),
        ("graph", "split", "{graph}", "a.txt", "b.txt"),
        ("graph", "split", "{graph}", "a.txt", "a.txt", "-f", "0.5"),
        ("graph", "convert", "{graph}", "out.unknown"),
        ("graph", "convert", "{graph}", "no/such/folder/out.txt"),
    ],
    ids=" ".join,
)
def test_flags_and_files_that_do_not_fit(
    lense: Command, path_graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    lense(*(argument.format(graph=path_graph) for argument in arguments)).assert_refused()
    assert [p.name for p in tmp_path.iterdir()] == ["path.txt"]


def test_the_flags_that_messages_name_are_there(lense: Command, tmp_path: Path) -> None:
    path = tmp_path / "times.txt"
    path.write_text("1 2 2020-01-01\n2 3 2020-01-02\n")
    solve = ("solve", path, "-p", "mvc", "-b", 1, "--json")
    lense(*solve).assert_refused("--no-weights")
    path.write_text("1 2 2020-01-01\n2 3 2020-01-02\n2 x 2020-01-03\n")
    lense(*solve, "--no-weights").assert_refused("--ids str")
    assert lense(*solve, "--no-weights", "--ids", "str").json["vertices"] == ["2"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", "{graph}", "-m", "nowhere"), ("no model", "nowhere")),
        (("solve", "{graph}", "-m", "{model}", "-p", "bmc"), ("mvc", "not for bmc")),
        (("solve", "{graph}", "-m", "{model}", "-b", "301"), ("budget", "300")),
        (("solve", "{graph}", "-m", "{model}", "--device", "tpu"), ("cuda",)),
        (("solve", "{graph}", "-b", "3"), ("--problem",)),
        (("prune", "{graph}", "-o", "out.txt"), ("--problem",)),
        (("prune", "{graph}", "-m", "{model}", "-o", "out.unknown"), (".parquet",)),
        (("prune", "{graph}", "-m", "{model}", "-o", "out.txt", "--to", "parkuet"), ("parquet",)),
        (("prune", "{graph}", "-m", "{model}", "-o", "no/such/folder/out.txt"), ("no folder",)),
        (("evaluate", "-g", "{graph}", "-m", "{model}", "--picture", "walk.pdf"), (".png",)),
        (("evaluate", "-g", "{graph}", "-m", "{model}", "-e", "0"), ("--episodes",)),
        (("evaluate", "-g", "wikki", "-m", "{model}"), ("wiki",)),
        (("demo", "--vertices", "300", "--budget", "299"), ("--budget",)),
        ((*TRAIN_LENSE, "--preset", "quik"), ("quick",)),
        ((*TRAIN_LENSE, "--preset", "paper"), ("the preset auto",)),
        ((*TRAIN_LENSE, "--set", "rots=3"), ("roots",)),
        ((*TRAIN_LENSE, "--set", "roots=no"), ("number",)),
        (("train", "{graph}", "-p", "im", "-b", "8", "-o", "model", "--set", "seed=3"), ("--seed",)),
        (("train", "{graph}", "-p", "mvc", "-b", "301", "-o", "model"), ("budget", "300")),
        (("train", "{graph}", "-p", "mvc", "-b", "8", "-o", "{graph}"), ("is a file",)),
        (("train", "{graph}", "-p", "mvc", "-b", "8", "-o", "no/such/folder/model"), ("no folder",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_the_method_cannot_do(
    lense: Command,
    graph_file: Path,
    model_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    filled = [argument.format(graph=graph_file, model=model_folder) for argument in arguments]
    lense(*filled).assert_refused(*words)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_model_is_not_written_to(lense: Command, graph_file: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    train = ("train", graph_file, *LENSE)
    lense(*train, "-o", tmp_path).assert_refused("no model")
    lense(*train, "-o", tmp_path / "model", "--checkpoint", tmp_path).assert_refused("no interrupted training")
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


@pytest.mark.parametrize("threads", ["²", "0", "-1", "two", "9" * 30])
def test_threads_that_are_no_number(
    threads: str, lense: Command, path_graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENSE_THREADS", threads)
    lense("graph", "info", path_graph).assert_refused("LENSE_THREADS must be a whole number above 0")


@pytest.mark.parametrize("text", ["[" * 100_000, "[1]", "{"])
def test_a_broken_plan_of_a_comparison(text: str, lense: Command, path_graph: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "plan.json").write_text(text)
    found = lense("compare", path_graph, "-p", "mvc", "-b", 3, "--pruners", "random", "-o", tmp_path / "out")
    found.assert_refused("plan.json")
