"""Where output goes: a reader that has gone or a full disk costs a command neither its files nor its manners."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBLEM = ("-p", "mvc", "-b", "5")
COMMANDS = {
    "solve": (("solve", "GRAPH", *PROBLEM, "--json", "--out", "made.csv"), "made.csv"),
    "prune": (("prune", "GRAPH", *PROBLEM, "--json", "--out", "made.txt"), "made.txt"),
    "train": (("train", "GRAPH", *PROBLEM, "--json", "--out", "made"), "made/config.json"),
    "compare": (
        ("compare", "GRAPH", *PROBLEM, "--pruners", "top-degree", "--seeds", "1", "--json", "--out", "made"),
        "made/table.csv",
    ),
    "version": (("--version",), None),
    "help": (("solve", "--help"), None),
}


def start(name: str, graph: Path, folder: Path, **streams: object) -> "subprocess.Popen[bytes]":
    words = [str(graph) if word == "GRAPH" else word for word in COMMANDS[name][0]]
    path = os.pathsep.join([str(Path("src").absolute()), *sys.path])
    command = [sys.executable, "-m", "lense", *words]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, **streams)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_reader_that_has_gone_is_not_an_error(name: str, graph_file: Path, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with start(name, graph_file, tmp_path, stdout=write, stderr=subprocess.PIPE) as run:
        os.close(write)
        said = run.communicate(timeout=120)[1]
    assert (run.returncode, said) == (0, b"")
    made = COMMANDS[name][1]
    assert made is None or (tmp_path / made).stat().st_size > 0


def test_an_error_that_nobody_reads_keeps_its_status(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with start("solve", Path("missing.txt"), tmp_path, stdout=write, stderr=write) as run:
        os.close(write)
        assert run.wait(timeout=120) == 2


@pytest.mark.parametrize("name", ["solve", "version"])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Run this on Linux, which has a /dev/full.")
def test_output_that_cannot_be_written_is_an_error_but_files_are_kept(
    name: str, graph_file: Path, tmp_path: Path
) -> None:
    with (
        open("/dev/full", "wb") as full,
        start(name, graph_file, tmp_path, stdout=full, stderr=subprocess.PIPE) as run,
    ):
        said = run.communicate(timeout=120)[1].decode()
    assert run.returncode == 2
    assert said.count("\n") == 1
    assert "No space left" in said
    made = COMMANDS[name][1]
    assert made is None or (tmp_path / made).stat().st_size > 0


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_stream_is_not_an_error(closed: str, graph_file: Path, tmp_path: Path) -> None:
    def close() -> None:
        os.close({"stdout": 1, "stderr": 2}[closed])

    with start("solve", graph_file, tmp_path, preexec_fn=close) as run:
        assert run.wait(timeout=120) == 0
    assert (tmp_path / "made.csv").read_text().startswith("order,vertex\n")
