"""The command line as a whole: help, versions, data, verbosity, progress, and ``lense demo``."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command


def test_version_is_that_of_the_package(lense: Command) -> None:
    lines = lense("--version").out.splitlines()
    assert lines[0] == f"lense {importlib.metadata.version('lense')}"
    assert all(any(name in line for line in lines) for name in ("python", "cores", "numba", "torch", "GPU", "cache"))


HEAVY = {"torch", "torch_geometric", "sklearn", "joblib", "matplotlib", "gymnasium"}
READERS = {"pyarrow", "pandas"}
"""What reading text loads, and nothing before."""
RULES = ("top-degree", "k-core", "random", "degree-discount", "quickprune", "sparsification")
SCRIPT = """
import contextlib, json, os, sys
import lense.cli
heavy, readers = set(json.loads(sys.argv[2])), set(json.loads(sys.argv[3]))
for words in json.loads(sys.argv[1]):
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        try: lense.cli.main(words)
        except SystemExit as stopped: assert not stopped.code, words
    readers = set() if any(word.endswith(".txt") for word in words) else readers
    others = {"numpy", "numba", "scipy", "highspy"} if words == ["--help"] else set()
    found = (heavy | readers | others) & set(sys.modules)
    assert not found, f"{words[:2]} loaded {found}"
"""


def test_what_learns_nothing_loads_nothing_heavy(tmp_path: Path) -> None:
    """One after the other in a fresh process: what one command loads, the next ones have."""
    graph = tmp_path / "graph.txt"
    graph.write_text("".join(f"{u} {(u * u + 1) % 97}\n" for u in range(97)))
    problem = ("-p", "mvc", "-b", "3")
    commands: list[tuple[object, ...]] = [
        ("--help",),
        ("--version",),
        ("data", "list"),
        ("models", "list"),
        ("graph", "generate", "barabasi-albert", tmp_path / "made.npz", "--set", "n=50", "--set", "m=2"),
        ("graph", "convert", graph, tmp_path / "copy.npz"),
        ("graph", "split", graph, tmp_path / "a.npz", tmp_path / "b.npz", "-f", "0.5"),
        *(("solve", graph, "-p", name, "-b", "3", "--no-prune") for name in ("mvc", "bmc", "im")),
        *(("prune", graph, *problem, "--pruner", rule, "-o", tmp_path / "out.npz") for rule in RULES),
        ("solve", graph, *problem, "--pruner", "quickprune", "--mode", "ground-set"),
        ("graph", "info", graph),
    ]
    words = json.dumps([[str(word) for word in command] for command in commands])
    command = [sys.executable, "-c", SCRIPT, words, json.dumps(sorted(HEAVY)), json.dumps(sorted(READERS))]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_data_list_shows_what_is_at_hand(lense: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "wiki.txt.gz").touch()
    rows = {row["name"]: row for row in lense("data", "list", "--json").json}
    assert len(rows) == 9
    assert rows["wiki"]["path"] == str(tmp_path / "wiki.txt.gz")
    assert rows["talk"]["path"] is None
    shown = lense("data", "list").out
    assert "wiki.txt.gz" in shown
    assert str(tmp_path) in shown


def test_the_demo_evaluates_the_bundled_lense_of_each_problem(lense: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENSE_DATA", raising=False)
    assert "LeNSE" in lense("demo", "--vertices", 900).out
    found = lense("demo", "--vertices", 900, "--json").json
    assert [one["model"]["problem"] for one in found] == ["mvc", "bmc", "im"]
    for one in found:
        assert (one["model"]["source"], one["graph"]["vertices"]) == ("shipped", 900)
        assert 0.5 < one["ratio"] < 1.1
        assert 0 < one["edges_pruned"] < 1
