"""Graphs that stay on disk, from the command line."""

from pathlib import Path

import pytest

from tests.conftest import Command

RMAT = ("--set", "scale=9", "--set", "num_edges=4e3", "--set", "directed=false")
MEASURED = ("seconds", "certificate_seconds", "reason", "pruned")


@pytest.fixture
def folder(lense: Command, tmp_path: Path) -> Path:
    path = tmp_path / "graph"
    made = lense("graph", "generate", "rmat", path, *RMAT)
    assert made.status == 0
    assert "edges left of 4,000" in made.out
    return path


@pytest.mark.parametrize("problem", ["mvc", "bmc", "domination"])
def test_solve_has_the_same_keys_and_values_as_in_memory(lense: Command, folder: Path, problem: str) -> None:
    arguments = "solve", folder, "-p", problem, "-b", 10, "--json"
    streamed, whole = lense(*arguments, "--stream").json, lense(*arguments, "--no-stream", "--no-prune").json
    assert list(streamed) == list(whole)
    assert {key: streamed[key] for key in whole if key not in MEASURED} == {
        key: whole[key] for key in whole if key not in MEASURED
    }
    assert "stream" in streamed["reason"]


def test_a_stream_is_taken_by_itself_where_the_graph_would_not_fit(
    lense: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = "solve", folder, "-p", "mvc", "-b", 3, "--json"
    assert "stream" not in lense(*arguments).json["reason"]
    monkeypatch.setattr("lense.streaming.memory.MemoryBudget.holds_whole", lambda room, edges: False)
    assert "stream" in lense(*arguments).json["reason"]
    text, out = folder.with_name("graph.txt"), folder.with_name("graph.parquet")
    assert lense("graph", "convert", folder, text).status == 0
    assert " left of " in lense("graph", "convert", text, out).out


def test_prune_writes_the_same_graph_and_forced_vertices(lense: Command, folder: Path, tmp_path: Path) -> None:
    made = []
    for way in ("--stream", "--no-stream"):
        out = tmp_path / f"part{way}.txt"
        assert lense("prune", folder, "-p", "mvc", "-b", 10, "--pruner", "bounds", way, "--out", out).status == 0
        made.append(out.read_text() + out.with_name(f"{out.name}.forced.txt").read_text())
    assert made[0] == made[1]


def test_info_counts_in_one_pass(lense: Command, folder: Path) -> None:
    streamed, whole = (lense("graph", "info", folder, way, "--json").json for way in ("--stream", "--no-stream"))
    assert {**streamed, "megabytes": 0} == {**whole, "megabytes": 0}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--memory-limit", "1MB"), "--memory-limit"),
        (("--memory-limit", "much"), "--memory-limit"),
        (("--pruner", "k-core"), "k-core"),
        (("--time-limit", "3"), "--time-limit"),
        (("--directed",), "--directed"),
        (("--keep-duplicates",), "--keep-duplicates"),
        (("--engine", "spark"), "local, dask"),
        (("--scheduler", "tcp://x:1"), "--scheduler"),
        (("--no-stream", "--engine", "dask"), "--stream"),
    ],
)
def test_what_cannot_be_is_one_sentence(lense: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    lense("solve", folder, "-p", "mvc", "-b", 3, "--stream", *arguments).assert_refused(words)


def test_parts_without_a_manifest_are_said_to_be_unchecked_once(lense: Command, folder: Path) -> None:
    assert "_manifest.json" not in lense("graph", "info", folder).err
    (folder / "_manifest.json").unlink()
    made = lense("solve", folder, "-p", "mvc", "-b", 3)
    assert made.status == 0
    assert made.err.count("\n") == 1
